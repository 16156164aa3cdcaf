import { panels } from '@culprit/core/utilization/panels.rows';
import type { FindingData, GpuData, SeriesData } from '@culprit/core/utilization/series-data';
import { lengthText, timeText } from '@culprit/core/utilization/time-texts';
import { element } from '../dom.ts';
import { themeButton, untilGone } from '../theme.ts';
import type { Lanes } from './lanes.ts';
import { findingLanes, reasonLanes } from './lanes.ts';
import type { Panel, Shared } from './panel.ts';
import { panelOf } from './panel.ts';

/**
 * Draws the time lines of each GPU into an element, which has the id `series` where links lead to it; findings of a
 * verdict in the page are linked with them.
 * @param gone is aborted when the element is taken out of the page
 */
export function seriesIn(home: HTMLElement, data: SeriesData, gone?: AbortSignal): void {
  if (data.gpus.length === 0) return;
  const whole = spanOf(data.gpus);
  const drawn: Panel[] = [];
  const lanes: Lanes[] = [];
  const shownSpan = element('span', { class: 'soft', 'aria-live': 'polite' });
  const shared: Shared = {
    data,
    span: { ...whole },
    zoom: (span) => {
      const wanted = span ?? whole;
      const from = Math.max(whole.from, wanted.from);
      const to = Math.min(whole.to, wanted.to);
      const least = Math.min(...data.gpus.map(({ step }) => step)) * 2;
      if (to - from < least) return;
      Object.assign(shared.span, { from, to });
      reset.disabled = from === whole.from && to === whole.to;
      shownSpan.textContent = spanText(shared.span, data);
      for (const each of [...drawn, ...lanes]) each.zoomed();
    },
  };
  const reset = element('button', { type: 'button', disabled: '' }, 'whole time');
  reset.addEventListener('click', () => shared.zoom(null));
  shownSpan.textContent = spanText(whole, data);
  const recolour = (): void => drawn.forEach((panel) => panel.recoloured());
  // Where there is neither a mouse nor a keyboard.
  const zoomButton = (text: string, label: string, factor: number): HTMLButtonElement => {
    const button = element('button', { type: 'button', 'aria-label': label }, text);
    button.addEventListener('click', () => {
      const { from, to } = shared.span;
      const half = ((to - from) / 2) * factor;
      shared.zoom({ from: (from + to) / 2 - half, to: (from + to) / 2 + half });
    });
    return button;
  };
  const bar = element(
    'div',
    { class: 'toolbar' },
    shownSpan,
    element('span', { id: 'series-time', class: 'soft' }),
    element('span', { class: 'grow' }),
    zoomButton('+', 'zoom in', 0.5),
    zoomButton('−', 'zoom out', 2),
    reset,
    themeButton(recolour, gone),
  );
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watch.unobserve(target);
        drawn.find((panel) => panel.root === target)?.draw();
      }
    },
    { rootMargin: '600px' },
  );
  const grid = element('div', { class: data.gpus.length > 1 ? 'gpus many' : 'gpus' });
  for (const gpu of data.gpus) grid.append(gpuOf(gpu, shared, drawn, lanes));
  home.replaceChildren(element('h2', {}, 'Time lines'), hint(), bar, listOf(data, shared), grid);
  for (const panel of drawn) watch.observe(panel.root);
  new ResizeObserver(() => drawn.forEach((panel) => panel.resized())).observe(grid);
  home.addEventListener('keydown', (event) => keys(event, shared, whole));
  linkVerdict(data, shared);
  window.addEventListener('beforeprint', () => drawn.forEach((panel) => panel.draw()), untilGone(gone));
}

function hint(): HTMLElement {
  return element(
    'p',
    { class: 'soft' },
    'Drag over a picture to zoom in all of them, double-click or 0 for the whole time; with the keyboard + and − zoom, ← and → move. A line is the mean of a stretch, the band around it its least and most. Coloured stretches: a finding holds there.',
  );
}

function gpuOf(gpu: GpuData, shared: Shared, drawn: Panel[], lanes: Lanes[]): HTMLElement {
  const id = `gpu-${gpu.gpu.replaceAll(/[^\w-]/g, '_')}`;
  const card = element(
    'article',
    { class: 'gpu', id, tabindex: '0', 'aria-label': `time lines of ${gpu.called}` },
    element(
      'h3',
      {},
      gpu.called,
      element('span', { class: 'soft' }, ` ${gpu.name ?? ''} ${gpu.samples.toLocaleString('en')} samples`),
    ),
  );
  const found = findingLanes(gpu, shared, (finding) => verdictLink(finding));
  if (found !== null) {
    lanes.push(found);
    card.append(found.root);
  }
  for (const row of panels) {
    const panel = panelOf(row, gpu, shared);
    if (panel === null) continue;
    drawn.push(panel);
    card.append(panel.root);
    if (row.id !== 'clocks') continue;
    const reasons = reasonLanes(gpu, shared);
    if (reasons === null) continue;
    lanes.push(reasons);
    card.append(reasons.root);
  }
  return card;
}

/** What was found, in the order of weight: faults, then what is not clear, then what is healthy. */
function listOf(data: SeriesData, shared: Shared): HTMLElement {
  const order = ['fault', 'unclear', 'healthy'];
  const items = data.findings
    .map((finding, at) => ({ finding, at }))
    .toSorted((a, b) => order.indexOf(a.finding.kind) - order.indexOf(b.finding.kind))
    .map(({ finding, at }) => {
      const item = element(
        'li',
        { id: `series-finding-${at + 1}`, class: `found-${finding.kind}` },
        element('span', { class: 'tag' }, finding.kind === 'unclear' ? 'not clear' : finding.kind),
        ' ',
        finding.message,
      );
      if (finding.measured.length > 0)
        item.append(
          element(
            'span',
            { class: 'soft' },
            ` (${finding.measured.map(({ name, value, is, threshold }) => `${name} ${value} ${is} ${data.thresholds[threshold] ?? ''} ${threshold}`).join('; ')})`,
          ),
        );
      if (finding.marks.length > 0) item.append(' ', showButton(finding, shared));
      const proof = verdictLink(finding);
      if (proof !== null) item.append(' ', element('a', { href: proof }, 'proof and fix'));
      return item;
    });
  return element('ul', { class: 'found' }, ...items);
}

/** The section of the verdict that speaks of a finding. */
function verdictLink(finding: FindingData): string | null {
  const section = [...document.querySelectorAll<HTMLElement>('section[data-cause]')].find(
    (each) => each.dataset['cause'] === finding.cause,
  );
  return section === undefined ? null : `#${section.id}`;
}

/** Leads from what the verdict says to where it holds. */
function linkVerdict(data: SeriesData, shared: Shared): void {
  for (const section of document.querySelectorAll<HTMLElement>('section[data-cause]')) {
    const finding = data.findings.find(
      (each) => each.cause === section.dataset['cause'] && each.kind !== 'healthy' && each.marks.length > 0,
    );
    const title = section.querySelector('h2, h3');
    if (finding !== undefined && title !== null) title.after(element('p', {}, showButton(finding, shared)));
  }
}

function showButton(finding: FindingData, shared: Shared): HTMLElement {
  const gpus = [...new Set(finding.marks.map(({ gpu }) => gpu))];
  const text = `show on ${gpus.length === 1 ? 'its' : 'the'} time lines`;
  const button = element('button', { type: 'button', class: 'show' }, text);
  button.setAttribute('aria-label', `${text}: ${finding.cause}`);
  button.addEventListener('click', () => {
    const [first] = gpus;
    const marks = finding.marks.filter(({ gpu }) => gpu === first);
    const from = Math.min(...marks.map((mark) => mark.from));
    const to = Math.max(...marks.map((mark) => mark.to));
    shared.zoom({ from: from - (to - from) * 0.1, to: to + (to - from) * 0.1 });
    const card = document.querySelector<HTMLElement>(`#gpu-${(first ?? '').replaceAll(/[^\w-]/g, '_')}`);
    card?.scrollIntoView({ block: 'start' });
    card?.focus({ preventScroll: true });
  });
  return button;
}

function keys(event: KeyboardEvent, shared: Shared, whole: { readonly from: number; readonly to: number }): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { from, to } = shared.span;
  const width = to - from;
  const moves: Readonly<Record<string, () => void>> = {
    '0': () => shared.zoom(null),
    Escape: () => shared.zoom(null),
    '+': () => shared.zoom({ from: from + width / 4, to: to - width / 4 }),
    '=': () => shared.zoom({ from: from + width / 4, to: to - width / 4 }),
    '-': () => shared.zoom({ from: from - width / 2, to: to + width / 2 }),
    ArrowLeft: () => {
      const by = Math.min(width / 4, from - whole.from);
      shared.zoom({ from: from - by, to: to - by });
    },
    ArrowRight: () => {
      const by = Math.min(width / 4, whole.to - to);
      shared.zoom({ from: from + by, to: to + by });
    },
  };
  const move = moves[event.key];
  if (move === undefined) return;
  event.preventDefault();
  move();
}

function spanOf(gpus: readonly GpuData[]): { from: number; to: number } {
  const from = Math.min(...gpus.map(({ start }) => start));
  const to = Math.max(
    ...gpus.map(({ start, step, metrics }) => start + step * Math.max(1, ...metrics.map(({ means }) => means.length))),
  );
  return { from, to };
}

function spanText(span: { readonly from: number; readonly to: number }, { clock }: SeriesData): string {
  return `${timeText(span.from, clock)} to ${timeText(span.to, clock)} (${lengthText(span.to - span.from, clock)})`;
}
