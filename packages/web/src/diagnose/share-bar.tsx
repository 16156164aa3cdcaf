import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import type { Input } from '../core/protocol.ts';
import { CopyButton } from '../shared/copy-button.tsx';
import { packed } from './link.ts';

interface Ready {
  readonly markdown: string;
  readonly link: string | null;
}

/** Passes a verdict on: as redacted Markdown, or as a link whose fragment holds the redacted input. */
export function ShareBar({ inputs }: { readonly inputs: readonly Input[] }): JSX.Element {
  const [ready, setReady] = useState<Ready | 'busy' | null>(null);
  const prepare = async (): Promise<void> => {
    setReady('busy');
    const { markdown, inputs: texts } = await ask('share', { inputs });
    const fragment = texts === null ? null : await packed(texts);
    const link = fragment === null ? null : `${location.href.replace(/#.*$/s, '')}#/?input=${fragment}`;
    setReady({ markdown, link });
  };
  if (ready === null || ready === 'busy')
    return (
      <p class="share">
        <button type="button" disabled={ready === 'busy'} onClick={() => void prepare()}>
          Share, with names masked
        </button>
      </p>
    );
  return (
    <section class="card share" aria-label="Share">
      <p>
        <CopyButton text={ready.markdown} label="Copy as Markdown" />{' '}
        {ready.link === null ? (
          <span class="soft">The input is too long for a link.</span>
        ) : (
          <CopyButton text={ready.link} label="Copy a link" />
        )}
      </p>
      <p class="soft">
        Names, addresses and tokens are masked; read it before you send it. The link carries the input itself, behind
        the #: a server never sees it.
      </p>
      <details>
        <summary>What is copied</summary>
        <pre tabIndex={0}>{ready.markdown}</pre>
      </details>
    </section>
  );
}
