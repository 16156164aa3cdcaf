import type { Candidate } from '@culprit/core/compat/reverse';
import type { JSX } from 'preact';
import type { Judged, Link } from '../core/protocol.ts';
import { answers } from './words.ts';

const truth = (holds: boolean | null): string => (holds === null ? 'not known' : holds ? 'holds' : 'does not hold');

/** The answer to a question: first the answer, then every rule with its truth. */
export function JudgementCard({ judged }: { readonly judged: Judged }): JSX.Element {
  const { judgement, sources, unread, runs } = judged;
  const { words, tone } = answers[judgement.answer];
  return (
    <>
      <header class={`verdict ${tone}`}>
        <p class="status">{runs === null ? words : 'this host'}</p>
        <h2 class="headline">{judgement.message}</h2>
        <p class="meta">
          <code>{judgement.rule}</code>
          {judgement.errorSeen === null ? null : (
            <>
              {' '}
              what one would see: <code>{judgement.errorSeen}</code>
            </>
          )}
        </p>
      </header>
      <section class="card" aria-label="Why">
        {unread.length === 0 ? null : <p role="status">Not understood: {unread.join(' ')}</p>}
        {judgement.because === undefined ? null : <p>{judgement.because}</p>}
        {judgement.conditions.length === 0 ? null : (
          <>
            <h3>On condition that</h3>
            <ul>
              {judgement.conditions.map((condition) => (
                <li key={condition}>{condition}</li>
              ))}
            </ul>
          </>
        )}
        {judgement.needs === null || judgement.conditions.join('; ') === judgement.needs ? null : (
          <p>
            <strong>{judgement.answer === 'cannot-tell' ? 'To be known' : 'What makes it run'}:</strong>{' '}
            {judgement.needs}
          </p>
        )}
        {judgement.clauses.length === 0 ? null : (
          <div class="scroll" tabIndex={0} role="region" aria-label="Rules">
            <table class="clauses">
              <thead>
                <tr>
                  <th scope="col">Rule</th>
                  <th scope="col">Truth</th>
                  <th scope="col">Here</th>
                  <th scope="col">Says who</th>
                </tr>
              </thead>
              <tbody>
                {judgement.clauses.map(({ rule, holds, message, restsOn }, at) => (
                  <tr key={at}>
                    <th scope="row">
                      <code>{rule}</code>
                    </th>
                    <td class={holds === null ? 'doubt' : holds ? 'good' : 'bad'}>{truth(holds)}</td>
                    <td>{message}</td>
                    <td>
                      <Sources links={restsOn.flatMap((id) => sources[id] ?? [])} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        {judgement.unknown.length === 0 ? null : <p class="soft">Not known: {judgement.unknown.join('; ')}</p>}
        <p class="soft">tables as of {judgement.asOf}</p>
      </section>
      {runs === null ? null : (
        <section class="card">
          <h2>What runs there</h2>
          <Candidates title="Toolkits" candidates={runs.toolkits} />
          <Candidates title="torch" candidates={runs.torch.slice(0, 40)} />
        </section>
      )}
    </>
  );
}

/** The first documents a rule rests on; the rest on demand. */
function Sources({ links }: { readonly links: readonly Link[] }): JSX.Element {
  const titles = [...new Map(links.map((link) => [link.title, link])).values()];
  const anchors = titles.map(({ title, url }) => (
    <a key={url} href={url} rel="noreferrer" class="source">
      {title}
    </a>
  ));
  if (anchors.length <= 3) return <>{anchors}</>;
  return (
    <>
      {anchors.slice(0, 2)}
      <details>
        <summary class="soft">{anchors.length - 2} more</summary>
        {anchors.slice(2)}
      </details>
    </>
  );
}

function Candidates(props: { readonly title: string; readonly candidates: readonly Candidate[] }): JSX.Element {
  return (
    <>
      <h3>{props.title}</h3>
      <ul class="chips">
        {props.candidates.map(({ label, answer, needs, rule }) => (
          <li key={label} class={`chip ${answers[answer].tone}`} title={needs ?? rule}>
            <span aria-hidden="true">{answers[answer].sign}</span> {label}
            <span class="unseen"> {answers[answer].words}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
