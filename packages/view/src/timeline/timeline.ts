import { element } from '../dom.ts';
import { colour, themeButton, untilGone } from '../theme.ts';
import { kindColour } from './colours.ts';
import type { Coverage } from './coverage.ts';
import { Coverer } from './coverage.ts';
import type { DrawnTimeline, Events } from './events.ts';
import { allEvents, eventAt } from './events.ts';
import { findingList } from './finding-list.ts';
import { legend } from './legend.ts';
import type { Emphasis, View } from './plot.ts';
import { axisHeight, Plot, rowHeight, stretchOf } from './plot.ts';
import { sumsOf } from './sums.ts';
import { timeWords } from './times.ts';

/** Shortest stretch that is shown, ns. */
const shortest = 200;

/** A time line that was put into a page. */
export interface Timeline {
  /** Shows a stretch of time. */
  show(from: number, to: number): void;
  /** Shows the marks of a finding. */
  choose(finding: number): void;
}

/**
 * Draws a time line into an element: streams stacked, zoom by wheel, pinch of the keyboard (+ −) or a dragged range, pan by
 * drag and arrows, findings marked and linked.
 * @param gone is aborted when the element is taken out of the page
 */
export async function timelineIn(home: HTMLElement, data: DrawnTimeline, gone?: AbortSignal): Promise<Timeline> {
  const events = await allEvents(data);
  const plot = new Plot(data, events);
  const view: View = { from: 0, to: data.lengthNs };
  let emphasis: Emphasis = { finding: null, names: null };

  const canvas = element('canvas', {
    role: 'img',
    'aria-label': `time line of ${data.tracks.length} streams and threads with ${data.events.toLocaleString('en')} events`,
  });
  const spacer = element('div', { 'aria-hidden': 'true' });
  const area = element(
    'div',
    {
      class: 'plot',
      tabindex: '0',
      role: 'group',
      'aria-label': 'time line; plus and minus zoom, arrows move, 0 shows all',
    },
    canvas,
    spacer,
  );
  const names = element('div', { class: 'names' });
  const tip = element('div', { class: 'tip', hidden: '' });
  const overview = element('canvas', { class: 'overview', 'aria-hidden': 'true' });
  const shown = element('span', { class: 'soft', 'aria-live': 'polite' });
  const search = element('input', {
    type: 'search',
    placeholder: 'find a kernel or call',
    'aria-label': 'find events by their name',
  });
  const reset = element('button', { type: 'button' }, 'all');
  const selection = element('div', { class: 'selection', 'aria-live': 'polite' });
  const whole = overviewOf(data, events);
  const list = element('ol', {});
  names.append(list);
  for (const [at, row] of plot.rows.entries()) {
    const item =
      'group' in row ? element('li', { class: 'group', title: row.group }, row.group) : trackName(data, row.track);
    item.style.top = `${axisHeight + at * rowHeight}px`;
    list.append(item);
  }

  let wanted = false;
  const draw = (): void => {
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(() => {
      wanted = false;
      plot.draw(canvas, view, area.scrollTop, emphasis);
      list.style.transform = `translateY(${-area.scrollTop}px)`;
      whole(overview, view);
      shown.textContent = `${timeWords(view.to - view.from)} from ${timeWords(view.from)}`;
      reset.disabled = view.from <= 0 && view.to >= data.lengthNs;
    });
  };
  const size = (): void => {
    const tall = Math.min(plot.height, Math.max(160, Math.round(window.innerHeight * 0.7)));
    canvas.style.height = `${tall}px`;
    area.style.height = `${tall}px`;
    names.style.height = `${tall}px`;
    spacer.style.height = `${plot.height - tall}px`;
    draw();
  };
  const show = (from: number, to: number): void => {
    const length = Math.max(shortest, Math.min(data.lengthNs, to - from));
    view.from = Math.max(0, Math.min(data.lengthNs - length, from));
    view.to = view.from + length;
    draw();
  };
  const zoom = (factor: number, around: number): void => {
    const length = Math.max(shortest, (view.to - view.from) * factor);
    const part = (around - view.from) / (view.to - view.from);
    show(around - part * length, around + (1 - part) * length);
  };
  const timeAt = (x: number): number => view.from + (x / canvas.clientWidth) * (view.to - view.from);
  const choose = (finding: number | null): void => {
    emphasis = { ...emphasis, finding };
    const found = finding === null ? undefined : data.findings[finding];
    const stretch = found === undefined ? null : stretchOf(found, data.lengthNs);
    if (stretch !== null) {
      show(stretch.from, stretch.to);
      const track = found?.marks[0]?.tracks[0];
      const row = plot.rows.findIndex((each) => 'track' in each && each.track === track);
      if (row >= 0) area.scrollTop = Math.max(0, row * rowHeight - area.clientHeight / 3);
    }
    draw();
  };

  area.addEventListener('scroll', draw);
  area.addEventListener(
    'wheel',
    (event) => {
      // The wheel scrolls the rows where there are more than fit, and with a key held it zooms; sideways it pans.
      if (event.deltaX !== 0 && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        const by = (event.deltaX / canvas.clientWidth) * (view.to - view.from);
        show(view.from + by, view.to + by);
      } else if (event.ctrlKey || event.metaKey || plot.height <= area.clientHeight + 1) {
        event.preventDefault();
        zoom(1.0018 ** event.deltaY, timeAt(event.offsetX));
      }
    },
    { passive: false },
  );
  dragging(area, canvas, {
    pan: (pixels) => {
      const by = (-pixels / canvas.clientWidth) * (view.to - view.from);
      show(view.from + by, view.to + by);
    },
    range: (from, to, done) => {
      const [low, high] = [timeAt(Math.min(from, to)), timeAt(Math.max(from, to))];
      selection.replaceChildren(sumsOf(data, events, low, high, () => show(low, high)));
      if (done) draw();
    },
  });
  area.addEventListener('pointermove', (event) => {
    const found = under(event.offsetX, event.offsetY);
    tip.hidden = found === null;
    if (found === null) return;
    const { track, row } = found;
    const each = events[track]!;
    tip.textContent = `${data.names[each.name[row]!] ?? ''}: ${timeWords(each.end[row]! - each.start[row]!)}, from ${timeWords(each.start[row]!)}, ${data.tracks[track]!.title}`;
    tip.style.left = `${Math.min(window.innerWidth - 440, event.clientX + 14)}px`;
    tip.style.top = `${event.clientY + 16}px`;
  });
  area.addEventListener('pointerleave', () => {
    tip.hidden = true;
  });
  const under = (x: number, y: number): { readonly track: number; readonly row: number } | null => {
    const top = y - axisHeight + (y < canvas.clientHeight ? area.scrollTop : 0);
    const row = plot.rows[Math.floor(top / rowHeight)];
    if (row === undefined || !('track' in row) || y < axisHeight) return null;
    const at = eventAt(events[row.track]!, timeAt(x), ((view.to - view.from) / canvas.clientWidth) * 2);
    return at < 0 ? null : { track: row.track, row: at };
  };
  area.addEventListener('keydown', (event) => {
    const [length, middle] = [view.to - view.from, (view.from + view.to) / 2];
    const acts: Readonly<Record<string, () => void>> = {
      '+': () => zoom(1 / 1.5, middle),
      '=': () => zoom(1 / 1.5, middle),
      '-': () => zoom(1.5, middle),
      '0': () => show(0, data.lengthNs),
      ArrowLeft: () => show(view.from - length * 0.15, view.to - length * 0.15),
      ArrowRight: () => show(view.from + length * 0.15, view.to + length * 0.15),
      Escape: () => choose(null),
    };
    const act = acts[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  overview.addEventListener('pointerdown', (event) => {
    const middle = (event.offsetX / overview.clientWidth) * data.lengthNs;
    const length = view.to - view.from;
    show(middle - length / 2, middle + length / 2);
  });
  search.addEventListener('input', () => {
    const text = search.value.trim().toLowerCase();
    const found = new Set<number>();
    if (text !== '')
      for (const [at, name] of data.names.entries()) if (name.toLowerCase().includes(text)) found.add(at);
    emphasis = { ...emphasis, names: text === '' ? null : found };
    draw();
  });
  reset.addEventListener('click', () => {
    choose(null);
    show(0, data.lengthNs);
  });

  // Where there is neither a wheel nor a keyboard.
  const zoomButton = (text: string, label: string, factor: number): HTMLButtonElement => {
    const button = element('button', { type: 'button', 'aria-label': label }, text);
    button.addEventListener('click', () => zoom(factor, (view.from + view.to) / 2));
    return button;
  };
  const bar = element(
    'div',
    { class: 'toolbar' },
    shown,
    element('span', { class: 'grow' }),
    search,
    zoomButton('+', 'zoom in', 1 / 1.5),
    zoomButton('−', 'zoom out', 1.5),
    reset,
    themeButton(draw, gone),
  );
  home.replaceChildren(
    element('h2', {}, 'Time line'),
    element(
      'p',
      { class: 'soft' },
      'Wheel (with Ctrl where the rows scroll) or + and − zoom, drag and arrows move, Shift and drag sums up a range, 0 shows all. Click a finding to see where it holds.',
    ),
    findingList(data, choose),
    bar,
    overview,
    element('div', { class: 'timeline' }, names, area),
    tip,
    selection,
    legend(data),
  );
  new ResizeObserver(size).observe(home);
  addEventListener('resize', size, untilGone(gone));
  size();
  return { show, choose };
}

function trackName(data: DrawnTimeline, track: number): HTMLElement {
  const { title, note } = data.tracks[track]!;
  const words = note === '' ? title : `${title}, ${note}`;
  return element('li', { title: words, class: note.startsWith('legacy') ? 'legacy' : '' }, words);
}

/** Draws how busy the GPUs are over the whole time, and which part of it is shown. */
function overviewOf(data: DrawnTimeline, events: readonly Events[]): (canvas: HTMLCanvasElement, view: View) => void {
  const coverers = events.flatMap((each, at) =>
    data.tracks[at]!.kind === 'stream' ? [new Coverer(each, data.lengthNs)] : [],
  );
  let drawn: { readonly columns: number; readonly covers: readonly Coverage[] } | null = null;
  return (canvas, view) => {
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const columns = Math.max(1, width);
    if (drawn?.columns !== columns)
      drawn = {
        columns,
        covers: coverers.map((coverer) => {
          const cover = { share: new Float32Array(columns), kind: new Uint8Array(columns) };
          coverer.cover(0, data.lengthNs, cover);
          return cover;
        }),
      };
    const ratio = window.devicePixelRatio;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colour('--card');
    context.fillRect(0, 0, width, height);
    for (let at = 0; at < columns; at++) {
      let [share, kind] = [0, 0];
      for (const cover of drawn.covers) {
        if (cover.share[at]! > share) kind = cover.kind[at]!;
        share = Math.max(share, cover.share[at]!);
      }
      if (kind === 0) continue;
      const tall = Math.max(1, Math.min(1, share) * (height - 4));
      context.fillStyle = kindColour(kind - 1);
      context.fillRect(at, height - tall, 1, tall);
    }
    const from = (view.from / data.lengthNs) * width;
    const to = (view.to / data.lengthNs) * width;
    context.strokeStyle = colour('--mark');
    context.lineWidth = 2;
    context.strokeRect(from + 1, 1, Math.max(2, to - from - 2), height - 2);
  };
}

/** Drags move the time line; with Shift they choose a range. */
function dragging(
  area: HTMLElement,
  canvas: HTMLElement,
  acts: {
    readonly pan: (pixels: number) => void;
    readonly range: (from: number, to: number, done: boolean) => void;
  },
): void {
  let last: number | null = null;
  let begin: number | null = null;
  area.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.target !== canvas) return;
    last = event.clientX;
    begin = event.shiftKey ? event.offsetX : null;
    area.setPointerCapture(event.pointerId);
    area.classList.add('dragging');
  });
  area.addEventListener('pointermove', (event) => {
    if (last === null) return;
    if (begin !== null) acts.range(begin, event.clientX - canvas.getBoundingClientRect().left, false);
    else acts.pan(event.clientX - last);
    last = event.clientX;
  });
  const end = (event: PointerEvent): void => {
    if (last !== null && begin !== null) acts.range(begin, event.clientX - canvas.getBoundingClientRect().left, true);
    last = null;
    begin = null;
    area.classList.remove('dragging');
  };
  area.addEventListener('pointerup', end);
  area.addEventListener('pointercancel', end);
}
