import type { TimelineFinding } from '@culprit/core/report/timeline-data';
import { colour } from '../theme.ts';
import { kindColour } from './colours.ts';
import type { Coverage } from './coverage.ts';
import { Coverer } from './coverage.ts';
import type { DrawnTimeline, Events } from './events.ts';
import { rowsIn } from './events.ts';
import { stepOf, timeWords } from './times.ts';

/** A stretch of time that is shown, ns. */
export interface View {
  from: number;
  to: number;
}

/** One line of the plot: a heading, or the events of a track. */
export type Row = { readonly group: string } | { readonly track: number };

export const rowHeight = 24;
export const axisHeight = 22;
const barHeight = 18;
/** Events that are wider than this many pixels get their name written on them. */
const named = 46;

export interface Emphasis {
  /** Finding whose marks stand out; null: those of all wastes are shown faintly. */
  readonly finding: number | null;
  /** Names that were searched for; null: none were. */
  readonly names: ReadonlySet<number> | null;
}

/** Rows of the plot: tracks below the heading of what they belong to. */
export function rowsOf(data: DrawnTimeline): readonly Row[] {
  const rows: Row[] = [];
  let group: string | null = null;
  for (const [track, { group: own }] of data.tracks.entries()) {
    if (own !== group) {
      group = own;
      rows.push({ group: own });
    }
    rows.push({ track });
  }
  return rows;
}

/** Draws the events of the visible tracks in a stretch of time. */
export class Plot {
  readonly #data: DrawnTimeline;
  readonly #events: readonly Events[];
  readonly #coverers: readonly Coverer[];
  readonly rows: readonly Row[];

  constructor(data: DrawnTimeline, events: readonly Events[]) {
    this.#data = data;
    this.#events = events;
    this.#coverers = events.map((each) => new Coverer(each, data.lengthNs));
    this.rows = rowsOf(data);
  }

  get height(): number {
    return axisHeight + this.rows.length * rowHeight;
  }

  /** @param scroll pixels that the rows are scrolled down */
  draw(canvas: HTMLCanvasElement, view: View, scroll: number, emphasis: Emphasis): void {
    const ratio = window.devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colour('--card');
    context.fillRect(0, 0, width, height);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    const columns = Math.max(1, Math.floor(width));
    const coverage: Coverage = { share: new Float32Array(columns), kind: new Uint8Array(columns) };
    const first = Math.max(0, Math.floor(scroll / rowHeight));
    const last = Math.min(this.rows.length, Math.ceil((scroll + height - axisHeight) / rowHeight) + 1);
    for (let at = first; at < last; at++) {
      const row = this.rows[at]!;
      const top = axisHeight + at * rowHeight - scroll;
      if ('group' in row) {
        context.fillStyle = colour('--page');
        context.fillRect(0, top, width, rowHeight);
        continue;
      }
      this.#track(context, row.track, view, top + (rowHeight - barHeight) / 2, width, coverage, emphasis);
    }
    this.#marks(context, view, scroll, width, height, emphasis);
    axis(context, view, width);
  }

  #track(
    context: CanvasRenderingContext2D,
    track: number,
    view: View,
    top: number,
    width: number,
    coverage: Coverage,
    emphasis: Emphasis,
  ): void {
    const events = this.#events[track]!;
    const scale = width / (view.to - view.from);
    const [first, last] = rowsIn(events, view.from, view.to);
    // Few events are drawn one by one, with their names; many as how much of each column they cover.
    if (last - first <= 4000) {
      for (let row = first; row < last; row++) {
        const from = Math.max(-1, (events.start[row]! - view.from) * scale);
        const to = Math.min(width + 1, (events.end[row]! - view.from) * scale);
        if (to < 0) continue;
        const faint = emphasis.names !== null && !emphasis.names.has(events.name[row]!);
        context.globalAlpha = faint ? 0.18 : 1;
        context.fillStyle = kindColour(events.kind[row]!);
        context.fillRect(from, top, Math.max(to - from - (to - from > 3 ? 0.6 : 0), 0.75), barHeight);
        if (to - from > named) label(context, this.#data.names[events.name[row]!] ?? '', from, to, top);
      }
      context.globalAlpha = 1;
      return;
    }
    this.#coverers[track]!.cover(view.from, view.to, coverage);
    const { share, kind } = coverage;
    for (let from = 0; from < share.length;) {
      if (kind[from] === 0) {
        from++;
        continue;
      }
      const level = levelOf(share[from]!);
      let to = from + 1;
      while (to < share.length && kind[to] === kind[from] && levelOf(share[to]!) === level) to++;
      context.globalAlpha = emphasis.names === null ? 0.25 + 0.75 * level : 0.2;
      context.fillStyle = kindColour(kind[from]! - 1);
      context.fillRect(from, top, to - from, barHeight);
      from = to;
    }
    context.globalAlpha = 1;
  }

  #marks(
    context: CanvasRenderingContext2D,
    view: View,
    scroll: number,
    width: number,
    height: number,
    emphasis: Emphasis,
  ): void {
    const scale = width / (view.to - view.from);
    context.save();
    context.beginPath();
    context.rect(0, axisHeight, width, height - axisHeight);
    context.clip();
    for (const [at, finding] of this.#data.findings.entries()) {
      const chosen = emphasis.finding === at;
      if (emphasis.finding === null ? finding.kind !== 'waste' : !chosen) continue;
      context.fillStyle = colour('--mark');
      context.strokeStyle = colour('--mark');
      for (const mark of finding.marks) {
        if (mark.to < view.from || mark.from > view.to) continue;
        const from = Math.max(-2, (mark.from - view.from) * scale);
        const to = Math.min(width + 2, Math.max(from + 1.5, (mark.to - view.from) * scale));
        for (const [top, tall] of this.#placesOf(mark.tracks, scroll, height)) {
          context.globalAlpha = chosen ? 0.22 : 0.1;
          context.fillRect(from, top, to - from, tall);
          context.globalAlpha = chosen ? 0.95 : 0.5;
          context.lineWidth = chosen ? 1.5 : 1;
          context.strokeRect(from + 0.5, top + 0.5, Math.max(1, to - from - 1), tall - 1);
        }
        if (chosen && to - from > 90) {
          context.globalAlpha = 1;
          context.fillText(mark.label, Math.max(2, from + 4), axisHeight + 8, to - from - 8);
        }
      }
    }
    context.restore();
    context.globalAlpha = 1;
  }

  /** Top and height of what a mark covers. */
  #placesOf(tracks: readonly number[], scroll: number, height: number): readonly (readonly [number, number])[] {
    if (tracks.length === 0) return [[axisHeight, height - axisHeight]];
    return this.rows.flatMap((row, at) =>
      'track' in row && tracks.includes(row.track) ? [[axisHeight + at * rowHeight - scroll, rowHeight] as const] : [],
    );
  }
}

/** Shares in eight steps, so that neighbours of about the same share are one stroke. */
function levelOf(share: number): number {
  return Math.min(8, Math.ceil(share * 8)) / 8;
}

function label(context: CanvasRenderingContext2D, name: string, from: number, to: number, top: number): void {
  const left = Math.max(2, from + 3);
  const room = to - left - 4;
  if (room < named / 2) return;
  const text = name.length * 6 <= room ? name : `${name.slice(0, Math.max(1, Math.floor(room / 6) - 1))}…`;
  context.fillStyle = '#fff';
  context.fillText(text, left, top + barHeight / 2, room);
}

function axis(context: CanvasRenderingContext2D, view: View, width: number): void {
  context.fillStyle = colour('--card');
  context.fillRect(0, 0, width, axisHeight);
  const step = stepOf(view.to - view.from, Math.max(2, width / 130));
  context.fillStyle = colour('--soft');
  context.strokeStyle = colour('--line');
  context.lineWidth = 1;
  const first = Math.ceil(view.from / step) * step;
  // Deep in a long trace the ticks differ in digits that nobody reads: they count from the first one.
  const deep = view.from / step > 5000;
  for (let time = first; time <= view.to; time += step) {
    const left = ((time - view.from) / (view.to - view.from)) * width;
    context.beginPath();
    context.moveTo(left + 0.5, axisHeight - 6);
    context.lineTo(left + 0.5, axisHeight);
    context.stroke();
    context.fillText(deep && time > first ? `+${timeWords(time - first)}` : timeWords(time), left + 3, axisHeight / 2);
  }
}

/** The stretch that shows the marks of a finding; null where it has none. */
export function stretchOf(finding: TimelineFinding, length: number): View | null {
  if (finding.marks.length === 0) return null;
  const [first] = finding.marks;
  const near = finding.marks.filter((mark) => mark.from <= first!.to + (first!.to - first!.from) * 40);
  const from = Math.min(...near.map((mark) => mark.from));
  const to = Math.max(...near.slice(0, 12).map((mark) => mark.to));
  const room = Math.max((to - from) * 0.15, 1000);
  return { from: Math.max(0, from - room), to: Math.min(length, to + room) };
}
