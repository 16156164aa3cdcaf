import type { JSX } from 'preact';
import type { SceneVerdict } from '../core/figure-asks.ts';

const tones: Readonly<Record<SceneVerdict['status'], readonly [tone: string, sign: string]>> = {
  fault: ['bad', '✗'],
  performance: ['slow', '!'],
  'not-stack-fault': ['doubt', '–'],
  ok: ['good', '✓'],
  'cannot-tell': ['doubt', '?'],
};

/** What the core says, in a line or two. */
export function SceneVerdictLine({
  verdict,
  remedy = true,
}: {
  readonly verdict: SceneVerdict;
  readonly remedy?: boolean;
}): JSX.Element {
  const [tone, sign] = tones[verdict.status];
  return (
    <div class={`scene-verdict ${tone}`}>
      <p>
        <strong aria-hidden="true">{sign} </strong>
        {verdict.headline}
        {verdict.certainty === null ? null : (
          <>
            {' '}
            <span class="certainty">{verdict.certainty}</span>
          </>
        )}
        {verdict.cause === null ? null : (
          <>
            {' '}
            <code>{verdict.cause}</code>
          </>
        )}
      </p>
      {!remedy || verdict.remedy === null ? null : <p class="soft">{verdict.remedy}</p>}
    </div>
  );
}
