import type { CriticalPath } from './critical-path.ts';
import { criticalPath } from './critical-path.ts';
import type { RankComparison } from './findings/ranks.ts';
import { compareRanks } from './findings/ranks.ts';
import type { Scene } from './findings/scene.ts';
import type { GapKind } from './findings/gap-causes.ts';
import { gapKinds } from './findings/gap-causes.ts';
import { workKinds } from './model.ts';
import type { Trace, TraceSums } from './model.ts';
import { plainCallName } from './calls.ts';

/** A row of a table of a trace. Times in ns. */
export interface SummaryRow {
  readonly name: string;
  readonly count: number;
  readonly totalNs: number;
  /** Of the table's sum, 0 to 1. */
  readonly share: number;
  readonly longestNs: number | null;
  readonly bytes: number | null;
}

/** Tables of one GPU: kernels, copies and streams; and of the calls that work for it. */
export interface GpuSummary {
  /** `GPU 1`, `rank 3`; empty where there is only one. */
  readonly called: string;
  readonly spanNs: number;
  readonly busyNs: number;
  /** Idle time by what the CPU did meanwhile. */
  readonly idle: readonly { readonly cause: GapKind; readonly ns: number }[];
  readonly kernels: readonly SummaryRow[];
  readonly calls: readonly SummaryRow[];
  readonly copies: readonly SummaryRow[];
  readonly streams: readonly SummaryRow[];
}

export interface TraceSummary {
  readonly gpus: readonly GpuSummary[];
  /** Of the first trace with work; an estimate. */
  readonly path: CriticalPath | null;
  readonly ranks: RankComparison | null;
}

/** The tables of traces. @param most rows of each table; the rest is one row */
export function summaryOf(traces: readonly Trace[], scenes: readonly Scene[], most: number): TraceSummary {
  const first = traces.find((trace) => trace.work.count > 0);
  return {
    gpus: [
      ...scenes.filter((scene) => scene.rows.length > 0).map((scene) => gpuOf(scene, most)),
      ...traces.flatMap(({ sums }) => (sums === null ? [] : [sumsOf(sums, most)])),
    ],
    path: first === undefined ? null : criticalPath(first),
    ranks: compareRanks(scenes),
  };
}

interface Tally {
  count: number;
  totalNs: number;
  longestNs: number | null;
  bytes: number | null;
}

function gpuOf(scene: Scene, most: number): GpuSummary {
  const { trace } = scene;
  const { work, calls, routes } = trace;
  const copies = new Map<string, Tally>();
  for (const row of scene.rows) {
    if (work.kind[row] !== workKinds.copy && work.kind[row] !== workKinds.memset) continue;
    const route = work.kind[row] === workKinds.copy ? routes[work.detail[row]!] : undefined;
    const name =
      work.kind[row] === workKinds.memset
        ? 'memset'
        : route === undefined
          ? 'copy'
          : `${route.direction}, ${route.from} to ${route.to}`;
    add(copies, name, work.end[row]! - work.start[row]!, work.bytes[row]!);
  }
  const called = new Map<string, Tally>();
  const plain = trace.names.map(plainCallName);
  for (const call of scene.calls)
    add(called, plain[calls.name[call]!] ?? '', calls.end[call]! - calls.start[call]!, null);
  const causes = scene.gapCauses;
  return {
    called: scene.called,
    spanNs: scene.spanNs,
    busyNs: scene.busyNs,
    idle: gapKinds
      .map((cause) => ({ cause, ns: causes.totals[cause].ns }))
      .filter(({ ns }) => ns > 0)
      .sort((a, b) => b.ns - a.ns),
    kernels: rowsOf(
      new Map(
        scene.kernels.map(({ text, count, totalNs, longestNs }) => [text, { count, totalNs, longestNs, bytes: null }]),
      ),
      most,
    ),
    calls: rowsOf(called, most),
    copies: rowsOf(copies, most),
    streams: rowsOf(
      new Map(
        scene.streams.map(({ stream, rows, busyNs }) => [
          `stream ${stream.id}${stream.role === 'legacy' ? ', legacy default stream' : stream.role === 'per-thread' ? ', default stream of its thread' : ''}`,
          { count: rows.length, totalNs: busyNs, longestNs: null, bytes: null },
        ]),
      ),
      most,
    ),
  };
}

function add(tallies: Map<string, Tally>, name: string, ns: number, bytes: number | null): void {
  const tally = tallies.get(name);
  if (tally === undefined) {
    tallies.set(name, { count: 1, totalNs: ns, longestNs: ns, bytes });
    return;
  }
  tally.count++;
  tally.totalNs += ns;
  tally.longestNs = Math.max(tally.longestNs ?? 0, ns);
  if (bytes !== null) tally.bytes = (tally.bytes ?? 0) + bytes;
}

function rowsOf(tallies: ReadonlyMap<string, Tally>, most: number): readonly SummaryRow[] {
  const sum = [...tallies.values()].reduce((total, { totalNs }) => total + totalNs, 0);
  const rows = [...tallies]
    .map(([name, tally]) => ({ name, ...tally, share: sum === 0 ? 0 : tally.totalNs / sum }))
    .sort((a, b) => b.totalNs - a.totalNs || (a.name < b.name ? -1 : 1));
  const rest = rows.slice(most);
  if (rest.length < 2) return rows;
  return [
    ...rows.slice(0, most),
    {
      name: `${rest.length} others`,
      count: rest.reduce((total, { count }) => total + count, 0),
      totalNs: rest.reduce((total, { totalNs }) => total + totalNs, 0),
      share: rest.reduce((total, { share }) => total + share, 0),
      longestNs: rest.reduce<number | null>(
        (longest, { longestNs }) => (longestNs === null ? longest : Math.max(longest ?? 0, longestNs)),
        null,
      ),
      bytes: null,
    },
  ];
}

function sumsOf(sums: TraceSums, most: number): GpuSummary {
  const table = (rows: TraceSums['kernels']): readonly SummaryRow[] =>
    rowsOf(
      new Map(
        (rows ?? []).map(({ name, count, totalNs, maxNs }) => [
          name,
          { count, totalNs, longestNs: maxNs, bytes: null },
        ]),
      ),
      most,
    );
  const kernels = table(sums.kernels);
  return {
    called: 'summary',
    spanNs: 0,
    busyNs: kernels.reduce((total, { totalNs }) => total + totalNs, 0),
    idle: [],
    kernels,
    calls: table(sums.calls),
    copies: table(sums.copies),
    streams: [],
  };
}
