import type { Excerpt } from '@culprit/core/report/excerpts';
import type { JSX } from 'preact';

/** The user's own text with the evidence marked. */
export function ExcerptPane({ excerpts }: { readonly excerpts: readonly Excerpt[] }): JSX.Element | null {
  const shown = excerpts.filter(({ parts }) => parts.length > 0);
  if (shown.length === 0) return null;
  return (
    <section class="card own-text" aria-labelledby="own-text">
      <h2 id="own-text">In your own text</h2>
      {shown.map(({ file, lines, parts }) => (
        <figure key={file}>
          <figcaption>
            {file ?? 'pasted'}, {lines === 1 ? 'one line' : `${lines.toLocaleString('en')} lines`}
          </figcaption>
          <pre class="numbered" tabIndex={0}>
            {parts.map((part, at) => (
              <>
                {at > 0 || (part[0]?.number ?? 1) > 1 ? <span class="cut">…</span> : null}
                {part.map(({ number, text, mark }) => (
                  <span key={number} class={mark === null ? 'line' : `line ${mark}`}>
                    <span class="n">{number}</span>
                    {mark === null ? <span>{text}</span> : <mark>{text}</mark>}
                  </span>
                ))}
              </>
            ))}
          </pre>
        </figure>
      ))}
    </section>
  );
}
