import type { Picture } from '@culprit/core/trace/scenes/picture';
import type { JSX } from 'preact';
import { timeText } from './words.ts';

const kinds = {
  call: 'calls of the host',
  wait: 'the host waits',
  kernel: 'kernels',
  copy: 'copies',
  fault: 'faults',
} as const;

/** Lanes of a time line, as wide as there is room. */
export function ScenePicture({ picture, label }: { readonly picture: Picture; readonly label: string }): JSX.Element {
  const { from, to, lanes } = picture;
  const wide = (time: number): number => ((time - from) / (to - from)) * 1000;
  return (
    <div
      class="scene"
      role="img"
      aria-label={`${label}: ${timeText(to - from)} of the time line, ${lanes.length} lanes`}
    >
      {lanes.map(({ title, bars }) => (
        <div key={title} class="lane">
          <span>{title}</span>
          <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
            {bars.map((bar, at) => (
              <rect
                key={at}
                class={`bar-${bar.kind}`}
                x={wide(bar.from)}
                y={bar.kind === 'call' ? 3 : 0}
                width={Math.max(1, wide(bar.to) - wide(bar.from) - 0.8)}
                height={bar.kind === 'call' ? 4 : 10}
              >
                <title>{`${bar.name}: ${timeText(bar.to - bar.from)}`}</title>
              </rect>
            ))}
          </svg>
        </div>
      ))}
    </div>
  );
}

/** What the colours of some pictures mean, and how long they are. */
export function SceneLegend({ pictures }: { readonly pictures: readonly Picture[] }): JSX.Element | null {
  const [first] = pictures;
  if (first === undefined) return null;
  const shown = new Set(pictures.flatMap(({ lanes }) => lanes.flatMap(({ bars }) => bars.map(({ kind }) => kind))));
  return (
    <p class="soft legend">
      {(Object.keys(kinds) as readonly (keyof typeof kinds)[]).flatMap((kind) =>
        shown.has(kind)
          ? [
              <span key={kind} class="key">
                <svg viewBox="0 0 14 10" aria-hidden="true">
                  <rect class={`bar-${kind}`} width="14" height="10" />
                </svg>
                {kinds[kind]}
              </span>,
            ]
          : [],
      )}
      <span>{timeText(first.to - first.from)} from left to right</span>
    </p>
  );
}
