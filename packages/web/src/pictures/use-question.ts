import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ask, stop, Stopped } from '../core/client.ts';
import type { Asks, Input } from '../core/protocol.ts';
import { takeOver } from './handed-over.ts';

/** How a question on files stands. */
export interface Asked<Answer> {
  readonly busy: string | null;
  readonly failed: string | null;
  readonly answer: Answer | null;
  readonly inputs: readonly Input[];
  readonly take: (inputs: readonly Input[]) => void;
}

/** Asks the core about files, as they are dropped or handed over by another view. */
export function useQuestion<Name extends 'util' | 'trace'>(name: Name): Asked<Asks[Name]['answer']> {
  type Answer = Asks[Name]['answer'];
  const [state, setState] = useState<Omit<Asked<Answer>, 'take'>>({
    busy: null,
    failed: null,
    answer: null,
    inputs: [],
  });
  const turn = useRef(0);
  const take = useCallback(
    (inputs: readonly Input[]) => {
      if (inputs.length === 0) return;
      const mine = ++turn.current;
      const set = (next: Partial<Omit<Asked<Answer>, 'take'>>): void => {
        if (turn.current === mine) setState({ busy: null, failed: null, answer: null, inputs, ...next });
      };
      stop();
      set({ busy: 'reading' });
      ask(name, { inputs }, (words) => set({ busy: words })).then(
        (answer) => set({ answer }),
        (error: unknown) =>
          set({
            failed: error instanceof Stopped ? 'stopped' : error instanceof Error ? error.message : String(error),
          }),
      );
    },
    [name],
  );
  useEffect(() => take(takeOver()), [take]);
  return { ...state, take };
}
