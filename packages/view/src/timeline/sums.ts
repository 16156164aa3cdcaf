import { element } from '../dom.ts';
import type { DrawnTimeline, Events } from './events.ts';
import { rowsIn } from './events.ts';
import { timeWords } from './times.ts';

const shown = 8;

/** What ran on the streams in a range: the names with the most time. */
export function sumsOf(
  data: DrawnTimeline,
  events: readonly Events[],
  from: number,
  to: number,
  zoom: () => void,
): HTMLElement {
  const sums = new Map<number, { count: number; ns: number }>();
  for (const [track, each] of events.entries()) {
    if (data.tracks[track]!.kind !== 'stream') continue;
    const [first, last] = rowsIn(each, from, to);
    for (let row = first; row < last; row++) {
      const ns = Math.min(to, each.end[row]!) - Math.max(from, each.start[row]!);
      if (ns <= 0) continue;
      const sum = sums.get(each.name[row]!) ?? { count: 0, ns: 0 };
      sum.count++;
      sum.ns += ns;
      sums.set(each.name[row]!, sum);
    }
  }
  const button = element('button', { type: 'button' }, 'zoom to it');
  button.addEventListener('click', zoom);
  const body = element('tbody', {});
  for (const [name, { count, ns }] of [...sums].sort((a, b) => b[1].ns - a[1].ns).slice(0, shown))
    body.append(
      element(
        'tr',
        {},
        element('td', { class: 'num' }, timeWords(ns)),
        element('td', { class: 'num' }, count.toLocaleString('en')),
        element('td', {}, data.names[name] ?? ''),
      ),
    );
  return element(
    'div',
    {},
    element('p', {}, `${timeWords(to - from)} from ${timeWords(from)}: ${sums.size} names on the GPU `, button),
    element('table', {}, body),
  );
}
