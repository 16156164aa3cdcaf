import type { TimelineData } from './timeline-data.ts';
import { timelineKinds } from './timeline-data.ts';
import { escapeHtml } from './html-page.ts';
import { visible } from './visible.ts';

/** A colour for each kind of event, in the order of `timelineKinds`; readable on white. */
const colours: readonly string[] = [
  '#1f6feb',
  '#8250df',
  '#0a3069',
  '#1a7f37',
  '#9a6700',
  '#3b8a8a',
  '#6e7781',
  '#cf222e',
  '#a9b3bf',
  '#bc4c00',
  '#c5ccd3',
  '#d0b8f0',
];

const width = 1200;
const names = 190;
const row = 20;
const top = 34;
/** Tracks and rectangles that one picture holds. */
const mostTracks = 60;
const mostRectangles = 60_000;

/** Events of one track that lie in a range, unpacked. */
export interface RangeEvents {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly kind: Uint8Array;
}

/**
 * A range of a time line as an SVG picture that needs no script: streams stacked under the GPU they belong to, findings
 * marked.
 * @param eventsOf gives the events of a track, by its index
 * @param from ns from the begin of the time line
 */
export function timelineSvg(
  data: TimelineData,
  eventsOf: (track: number) => RangeEvents,
  from: number,
  to: number,
): string {
  const scale = (width - names) / Math.max(1, to - from);
  const place = (time: number): number => names + (Math.max(from, Math.min(to, time)) - from) * scale;
  const tracks = [...data.tracks.keys()].slice(0, mostTracks);
  const { rows: rowOf, heads } = placed(tracks.map((track) => data.tracks[track]!.group));
  const height = top + (tracks.length + heads.length) * row + 26;
  const parts = heads.map(
    ({ group, at }) =>
      `<text x="4" y="${top + at * row + 13}" font-weight="600"><title>${text(group)}</title>${text(group.slice(0, 60))}</text>`,
  );
  let room = mostRectangles;
  for (const [at, track] of tracks.entries()) {
    const y = top + rowOf[at]! * row;
    const { title, note, group } = data.tracks[track]!;
    parts.push(
      `<text x="4" y="${y + 13}"><title>${text(group)}</title>${text(`${title}${note === '' ? '' : `, ${note}`}`.slice(0, 34))}</text>`,
    );
    const drawn = rectangles(eventsOf(track), from, to, scale, y, room);
    room -= drawn.length;
    parts.push(...drawn);
  }
  for (const finding of data.findings) {
    if (finding.kind !== 'waste') continue;
    for (const mark of finding.marks.slice(0, 40)) {
      if (mark.to < from || mark.from > to) continue;
      const rows = mark.tracks.length === 0 ? tracks : mark.tracks.filter((track) => track < mostTracks);
      for (const track of rows)
        parts.push(
          `<rect x="${fixed(place(mark.from))}" y="${top + rowOf[track]! * row}" width="${fixed(Math.max(1, place(mark.to) - place(mark.from)))}" height="${row}" fill="#d9480f" fill-opacity=".15" stroke="#d9480f"><title>${text(`${finding.cause}: ${mark.label}`)}</title></rect>`,
        );
    }
  }
  const left = data.tracks.length - tracks.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui,sans-serif" font-size="11" fill="#1a1d23">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...axis(from, to, place, height),
    ...parts,
    ...legend(height - 8),
    ...(left > 0 ? [`<text x="${names}" y="12">${left} more tracks are not drawn</text>`] : []),
    '</svg>',
    '',
  ].join('\n');
}

/** A row for each track, and one above the first of each group that names it. */
function placed(groups: readonly string[]): {
  readonly rows: readonly number[];
  readonly heads: readonly { readonly group: string; readonly at: number }[];
} {
  const heads: { readonly group: string; readonly at: number }[] = [];
  const rows = groups.map((group, at) => {
    if (group !== '' && group !== groups[at - 1]) heads.push({ group, at: at + heads.length });
    return at + heads.length;
  });
  return { rows, heads };
}

/** Events of about a pixel are drawn as one stroke where they are of one kind. */
function rectangles(
  events: RangeEvents,
  from: number,
  to: number,
  scale: number,
  y: number,
  room: number,
): readonly string[] {
  const drawn: string[] = [];
  let open: { readonly kind: number; readonly left: number; right: number } | null = null;
  const close = (): void => {
    if (open !== null && drawn.length < room)
      drawn.push(
        `<rect x="${fixed(open.left)}" y="${y + 2}" width="${fixed(Math.max(0.6, open.right - open.left))}" height="${row - 4}" fill="${colours[open.kind] ?? colours[0]!}"/>`,
      );
    open = null;
  };
  for (let at = 0; at < events.start.length; at++) {
    if (events.end[at]! < from || events.start[at]! > to) continue;
    const left = names + Math.max(0, events.start[at]! - from) * scale;
    const right = names + (Math.min(to, events.end[at]!) - from) * scale;
    const kind = events.kind[at]!;
    if (open !== null && open.kind === kind && left - open.right < 0.8) open.right = Math.max(open.right, right);
    else {
      close();
      open = { kind, left, right };
    }
  }
  close();
  return drawn;
}

function axis(from: number, to: number, place: (time: number) => number, height: number): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at <= 8; at++) {
    const time = from + ((to - from) * at) / 8;
    const x = fixed(place(time));
    lines.push(
      `<path d="M ${x} ${top - 8} V ${height - 26}" stroke="#d9dde4"/><text x="${x}" y="${top - 12}" fill="#535b69">${timeText(time)}</text>`,
    );
  }
  return lines;
}

function legend(y: number): readonly string[] {
  return timelineKinds.slice(0, 10).map((kind, at) => {
    const x = 4 + at * 118;
    return `<rect x="${x}" y="${y - 9}" width="10" height="10" fill="${colours[at]!}"/><text x="${x + 14}" y="${y}">${kind}</text>`;
  });
}

function timeText(ns: number): string {
  const [by, unit] = ns >= 1e9 ? [1e9, 's'] : ns >= 1e6 ? [1e6, 'ms'] : ns >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
  return `${Number((ns / by).toPrecision(6))} ${unit}`;
}

const fixed = (value: number): string => String(Math.round(value * 100) / 100);
const text = (value: string): string => escapeHtml(visible(value));
