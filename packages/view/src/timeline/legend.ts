import { timelineKinds } from '@culprit/core/report/timeline-data';
import { element } from '../dom.ts';
import type { DrawnTimeline } from './events.ts';
import { kindColour } from './colours.ts';

const drawing = 'http://www.w3.org/2000/svg';

/** Colours in words, and what work that waits for the default stream looks like. */
export function legend(data: DrawnTimeline): HTMLElement {
  const home = element('section', { class: 'legend', 'aria-label': 'Legend' });
  const paint = (): void => {
    home.replaceChildren(
      ...timelineKinds.map((kind, at) => {
        const swatch = element('span', { class: 'swatch' });
        swatch.style.background = kindColour(at);
        return element('span', {}, swatch, kind);
      }),
    );
    if (data.tracks.some(({ note }) => note.startsWith('legacy')))
      home.append(
        example('Blocked by the legacy default stream: nothing of the other streams overlaps it.', [
          [
            [0, 30],
            [92, 30],
          ],
          [
            [32, 28],
            [124, 28],
          ],
          [
            [62, 28],
            [154, 26],
          ],
        ]),
        example('Free: the other streams do not wait for it (cudaStreamNonBlocking, per-thread default stream).', [
          [
            [0, 30],
            [34, 30],
            [68, 30],
          ],
          [
            [4, 28],
            [36, 28],
            [70, 28],
          ],
          [
            [8, 28],
            [40, 28],
            [74, 28],
          ],
        ]),
      );
  };
  paint();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
  return home;
}

/** Three small streams, the default one on top. */
function example(words: string, streams: readonly (readonly (readonly [number, number])[])[]): HTMLElement {
  const svg = document.createElementNS(drawing, 'svg');
  svg.setAttribute('viewBox', '0 0 190 44');
  svg.setAttribute('width', '190');
  svg.setAttribute('height', '44');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', words);
  for (const [row, bars] of streams.entries())
    for (const [from, length] of bars) {
      const bar = document.createElementNS(drawing, 'rect');
      bar.setAttribute('x', String(from));
      bar.setAttribute('y', String(row * 15));
      bar.setAttribute('width', String(length));
      bar.setAttribute('height', '12');
      bar.setAttribute('fill', kindColour(row === 0 ? 7 : 0));
      svg.append(bar);
    }
  return element('figure', {}, svg, element('figcaption', {}, words));
}
