import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import type { Diagnosis } from '../core/protocol.ts';

/** Paste or drop what there is; the answer comes first. */
export function DiagnoseView(): JSX.Element {
  const [text, setText] = useState('');
  const [answer, setAnswer] = useState<Diagnosis | null>(null);
  return (
    <>
      <label for="paste">Paste a log, a stack trace or the output of a command</label>
      <textarea id="paste" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <button
        type="button"
        onClick={() => void ask('diagnose', { inputs: [{ name: 'pasted', text }] }).then(setAnswer)}
      >
        Who is to blame?
      </button>
      {answer === null ? null : <h1>{answer.verdict.headline}</h1>}
    </>
  );
}
