import type { OccupancyRow } from '../knowledge/occupancy.types.ts';
import type { Kernel, Occupancy } from './evaluate.ts';
import { evaluate } from './evaluate.ts';
import { optedIn, withShared } from './steps.ts';

export type CurveKind = 'blockSize' | 'registers' | 'sharedMemory';

export const curveKinds: readonly CurveKind[] = ['blockSize', 'registers', 'sharedMemory'];

/** Occupancy against one resource, the others as the kernel has them. */
export interface Curve {
  readonly kind: CurveKind;
  /** What lies on the axis: `threads per block`. */
  readonly label: string;
  /** Where the kernel stands. */
  readonly now: number;
  readonly points: readonly { readonly x: number; readonly activeBlocks: number; readonly occupancy: number }[];
}

export function curveOf(kind: CurveKind, limits: OccupancyRow, kernel: Kernel): Curve {
  switch (kind) {
    case 'blockSize':
      return {
        kind,
        label: 'threads per block',
        now: kernel.blockSize,
        points: range(limits.warpSize, limits.maxThreadsPerBlock, limits.warpSize, kernel.blockSize).map((x) =>
          point(x, evaluate(limits, { ...kernel, blockSize: x })),
        ),
      };
    case 'registers':
      return {
        kind,
        label: 'registers per thread',
        now: kernel.registersPerThread,
        points: range(8, limits.maxRegistersPerThread, 4, kernel.registersPerThread).map((x) =>
          point(x, evaluate(limits, { ...kernel, registersPerThread: x })),
        ),
      };
    case 'sharedMemory': {
      const now = kernel.staticShared + kernel.dynamicShared;
      const static0 = optedIn(limits, { ...kernel, staticShared: Math.min(kernel.staticShared, 49_152) });
      return {
        kind,
        label: 'bytes of shared memory per block',
        now,
        points: range(0, limits.sharedMemoryPerBlockOptin, 2048, now).map((x) =>
          point(x, evaluate(limits, withShared(limits, static0, x))),
        ),
      };
    }
  }
}

function point(x: number, { activeBlocks, occupancy }: Occupancy): Curve['points'][number] {
  return { x, activeBlocks, occupancy };
}

/** Steps from one end to the other, both and the kernel's own place among them. */
function range(from: number, to: number, by: number, own: number): readonly number[] {
  const values: number[] = [];
  for (let value = from; value < to; value += by) values.push(value);
  values.push(to);
  if (own >= from && own <= to && !values.includes(own)) values.push(own);
  return values.sort((a, b) => a - b);
}

/** A curve as characters: occupancy upwards in steps of ten per cent, the kernel's own place as `◆`. */
export function curveText(curve: Curve, width = 64): string {
  const last = curve.points.at(-1)!.x;
  const first = curve.points[0]!.x;
  const columns = Math.max(16, Math.min(width, curve.points.length));
  // Each column shows the lowest point that falls into it.
  const heights = Array.from({ length: columns }, () => -1);
  let own = -1;
  const columnOf = (x: number): number => Math.round(((x - first) / (last - first || 1)) * (columns - 1));
  for (const { x, occupancy } of curve.points) {
    const column = columnOf(x);
    const level = Math.round(occupancy * 10);
    if (x === curve.now) {
      heights[column] = level;
      own = column;
    } else if (column !== own) heights[column] = heights[column] === -1 ? level : Math.min(heights[column]!, level);
  }
  for (let at = 1; at < columns; at++) if (heights[at] === -1) heights[at] = heights[at - 1]!;
  const rows: string[] = [];
  for (let level = 10; level >= 1; level--) {
    const cells = heights.map((height, at) =>
      height < level ? ' ' : height === level && at === own ? '◆' : at === own ? '┃' : '█',
    );
    rows.push(`${String(level * 10).padStart(5)} % │${cells.join('').trimEnd()}`);
  }
  const ends = `${first}`.padEnd(columns - `${last}`.length) + last;
  return [
    `occupancy against ${curve.label}${own === -1 ? '' : `, ◆ at ${curve.now}`}`,
    ...rows,
    `        └${'─'.repeat(columns)}`,
    `         ${ends}`,
  ].join('\n');
}

/** Curves as one SVG drawing, in the colour of the text around it. */
export function curvesSvg(curves: readonly Curve[], title: string): string {
  const [width, height, left, top] = [640, 220, 56, 36];
  const plots = curves.map((curve, at) => {
    const y0 = at * (height + 24);
    const [first, last] = [curve.points[0]!.x, curve.points.at(-1)!.x];
    const x = (value: number): string =>
      (left + ((value - first) / (last - first || 1)) * (width - left - 20)).toFixed(1);
    const y = (share: number): string => (y0 + top + (1 - Math.min(1, share)) * (height - top - 44)).toFixed(1);
    const path = curve.points
      .map((each, index) => (index === 0 ? `M${x(each.x)} ${y(each.occupancy)}` : `H${x(each.x)}V${y(each.occupancy)}`))
      .join('');
    const own = curve.points.find((each) => each.x === curve.now);
    const lines = [0, 0.25, 0.5, 0.75, 1].map(
      (share) =>
        `<path d="M${left} ${y(share)}H${width - 20}" opacity="0.2"/><text x="${left - 8}" y="${y(share)}" text-anchor="end" dominant-baseline="middle" stroke="none">${share * 100} %</text>`,
    );
    return [
      `<text x="${left}" y="${y0 + 20}" stroke="none">occupancy against ${escaped(curve.label)}</text>`,
      ...lines,
      `<path d="${path}" stroke-width="2"/>`,
      ...(own === undefined
        ? []
        : [
            `<circle cx="${x(own.x)}" cy="${y(own.occupancy)}" r="4" fill="currentColor"/>`,
            `<text x="${x(own.x)}" y="${(Number(y(own.occupancy)) - 10).toFixed(1)}" text-anchor="middle" stroke="none">${own.x}: ${(own.occupancy * 100).toFixed(1)} %</text>`,
          ]),
      `<text x="${left}" y="${y0 + height - 22}" stroke="none">${first}</text>`,
      `<text x="${width - 20}" y="${y0 + height - 22}" text-anchor="end" stroke="none">${last}</text>`,
    ].join('\n');
  });
  const total = curves.length * (height + 24);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" role="img" font-family="sans-serif" font-size="12" fill="currentColor" stroke="currentColor">`,
    `<title>${escaped(title)}</title>`,
    '<g fill="none">',
    ...plots.map((plot) => plot.replaceAll('<text ', '<text fill="currentColor" ')),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
