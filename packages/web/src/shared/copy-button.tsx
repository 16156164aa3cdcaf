import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** Copies a text; says so for two seconds. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }): JSX.Element {
  const [said, setSaid] = useState<string | null>(null);
  const copy = (): void => {
    void navigator.clipboard
      .writeText(text)
      .then(() => setSaid('Copied'))
      .catch(() => setSaid('Not allowed by the browser'))
      .then(() => setTimeout(() => setSaid(null), 2000));
  };
  return (
    <button type="button" class="copy" onClick={copy}>
      {said ?? label}
    </button>
  );
}
