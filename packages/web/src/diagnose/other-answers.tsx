import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import type { Input, Other } from '../core/protocol.ts';
import { VerdictHtml } from '../shared/verdict-html.tsx';
import { WorkState } from '../shared/work-state.tsx';

const titles: Readonly<Record<Other['kind'], string>> = {
  binary: 'Machine code',
  image: 'Container image',
  trace: 'Profile',
};

/** What files say that are no text of a log; machine code and images can be asked for a node. */
export function OtherAnswers({
  others,
  inputs,
}: {
  readonly others: readonly Other[];
  readonly inputs: readonly Input[];
}): JSX.Element {
  const [told, setTold] = useState<readonly Other[] | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const gpu = useRef<HTMLInputElement>(null);
  const driver = useRef<HTMLInputElement>(null);
  const asks = others.some(({ kind }) => kind !== 'trace') && inputs.length > 0;
  const shown = told === null ? others : [...told, ...others.filter(({ kind }) => kind === 'trace')];
  const askAgain = (event: Event): void => {
    event.preventDefault();
    const valueOf = (field: HTMLInputElement | null): string | null => field?.value.trim() || null;
    setFailed(null);
    setBusy('reading');
    ask('inspect', { inputs, on: { gpu: valueOf(gpu.current), driver: valueOf(driver.current) } }, setBusy)
      .then(setTold)
      .catch((error: unknown) => setFailed(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(null));
  };
  return (
    <>
      {asks ? (
        <form class="card" onSubmit={askAgain} aria-label="Does it run on a node?">
          <h2>Does it run there?</h2>
          <p class="row">
            <label>
              GPU <input ref={gpu} type="text" placeholder="H100" autocomplete="off" spellcheck={false} />
            </label>
            <label>
              Driver <input ref={driver} type="text" placeholder="550.54.15" autocomplete="off" spellcheck={false} />
            </label>
            <button type="submit" class="main">
              Ask
            </button>
          </p>
          <WorkState busy={busy} failed={failed} told={told === null ? null : 'the answers are below'} />
        </form>
      ) : null}
      <div>
        {shown.map(({ kind, name, html }) => (
          <section key={`${kind} ${name}`} aria-label={`${titles[kind]}: ${name}`}>
            <h2>
              {titles[kind]}: {name}
            </h2>
            <VerdictHtml html={html} />
          </section>
        ))}
      </div>
    </>
  );
}
