import { workKinds } from '../model.ts';
import type { TraceFinding, TraceMark } from '../model.ts';
import { median, select } from '../median.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { askFor } from './asks.ts';
import type { Detector } from './detector.ts';
import { against, healthy, shareText, timeText, waitText, waste } from './detector.ts';
import type { GapKind } from './gap-causes.ts';
import { gapKinds } from './gap-causes.ts';
import type { Scene } from './scene.ts';

/** How kernels come to the GPU: one by one and late, ahead of it, or as graphs. */
export const launches: Detector = (scene, limits) => {
  const graphs = graphUse(scene);
  if (inGraphs(graphs, limits)) return graphsUsed(scene, limits, graphs);
  const shortNs = limits['short-kernel']! * 1000;
  const { count: kernels, medianNs, queueNs } = kernelQueue(scene);
  if (kernels < limits['launches']! || medianNs === null) return [];
  const bound = launchBound(scene, limits, kernels, medianNs, queueNs);
  if (bound !== null) return [bound];
  const idle = scene.habitualIdle.share * 100;
  if (
    medianNs <= shortNs &&
    queueNs !== null &&
    queueNs >= limits['queue-ahead']! * 1000 &&
    idle < limits['idle-share']!
  )
    return [
      healthy(
        'ok-small-kernels-queued',
        `kernels are short (${timeText(medianNs)}), but launched ${timeText(queueNs)} ahead: the GPU waits ${waitText(scene)}`,
        [
          against('median kernel', medianNs / 1000, '<=', limits, 'short-kernel', 'µs'),
          against('time in the queue', queueNs / 1000, '>=', limits, 'queue-ahead', 'µs'),
          against('idle', idle, '<', limits, 'idle-share', '%'),
        ],
        scene.anyQuote,
      ),
    ];
  return [];
};

function launchBound(
  scene: Scene,
  limits: TraceLimits,
  kernels: number,
  medianNs: number,
  queueNs: number | null,
): TraceFinding | null {
  const idle = scene.habitualIdle.share * 100;
  if (idle < limits['idle-share']!) return null;
  const { totals } = scene.gapCauses;
  const ofCopies = beforeCopies(scene);
  const known = totals.launch.gaps - ofCopies.gaps >= Math.max(limits['repeats']!, kernels / 20);
  // What the CPU launches in a long pause is late once: a capture of graphs, a first step.
  const cost = known ? totals.launch.ns - ofCopies.ns - scene.gapCauses.pausedLaunchNs : totals.unknown.ns;
  if (scene.percent(cost) < limits['waste-share']!) return null;
  // Without calls only short kernels with a gap behind each look like this.
  if (
    !known &&
    (medianNs > limits['short-kernel']! * 1000 || totals.unknown.gaps < kernels / 2 || idle < 2 * limits['idle-share']!)
  )
    return null;
  // While graphs are captured, what is launched beside them is no habit of the program.
  if (known && totals.capture.ns > cost) return null;
  // Between long kernels the CPU does something else than launching.
  if (known && medianNs > 5 * limits['short-kernel']! * 1000) return null;
  const api = scene.number('launch.api_median_ns');
  const { launches: called, kernels: names } = scene;
  return waste({
    cause: 'launch-bound-needs-cuda-graphs',
    message: `the GPU is idle ${shareText(scene.idleNs / scene.spanNs)} of the time between ${kernels} kernels of ${timeText(medianNs)} (median)${
      known
        ? `, which the CPU launches one by one: ${totals.launch.gaps - ofCopies.gaps} come too late, which costs ${timeText(cost)}`
        : ` with ${timeText(scene.number('gap.median_ns'))} between them`
    }`,
    measured: [
      against('idle', idle, '>=', limits, 'idle-share', '%'),
      against('late launches', scene.percent(cost), '>=', limits, 'waste-share', '%'),
      ...(medianNs <= limits['short-kernel']! * 1000
        ? [against('median kernel', medianNs / 1000, '<=', limits, 'short-kernel', 'µs')]
        : []),
      ...(queueNs === null || queueNs / 1000 >= limits['queue-ahead']!
        ? []
        : [against('time in the queue', queueNs / 1000, '<', limits, 'queue-ahead', 'µs')]),
    ],
    saving: {
      upperBoundNs: scene.idleNs,
      how: `all idle time of the GPU${api > 0 ? `; a launch takes ${timeText(api)} of CPU time` : ''}`,
    },
    costNs: cost,
    quotes: [
      ...(called.first < 0 ? [] : [scene.quoteCall(called.first)]),
      ...names.slice(0, 1).map(({ firstRow }) => scene.quote(firstRow)),
    ],
    marks: gapMarks(scene, known ? 'launch' : 'unknown', 'the GPU waits for a launch'),
    ...(known
      ? {}
      : {
          missing: {
            fact: 'the calls of the CUDA API',
            ask: askFor(scene.trace, 'calls'),
          },
        }),
  });
}

/** Gaps in which the CPU asks for a copy: what many copies cost is told of them. Those in a long pause are left out. */
function beforeCopies(scene: Scene): { readonly ns: number; readonly gaps: number } {
  const { gaps, gapCauses, pauses, copyRows } = scene;
  if (copyRows.length === 0) return { ns: 0, gaps: 0 };
  const { kind } = scene.trace.work;
  const launch = gapKinds.indexOf('launch');
  const paused = new Set(pauses);
  let [ns, count] = [0, 0];
  for (let gap = 0; gap < gaps.count; gap++) {
    const next = gapCauses.next[gap]!;
    if (gapCauses.kind[gap] !== launch || next < 0 || kind[next] !== workKinds.copy || paused.has(gap)) continue;
    ns += gaps.end[gap]! - gaps.start[gap]!;
    count++;
  }
  return { ns, gaps: count };
}

const mostMarks = 500;

/** The longest gaps that a cause leads, as marks. */
export function gapMarks(scene: Scene, kind: GapKind, label: string): readonly TraceMark[] {
  const wanted = gapKinds.indexOf(kind);
  const { gaps, gapCauses } = scene;
  const lengths = new Float64Array(gapCauses.kind.length);
  let count = 0;
  for (let gap = 0; gap < gaps.count; gap++)
    if (gapCauses.kind[gap] === wanted) lengths[count++] = gaps.end[gap]! - gaps.start[gap]!;
  const least = count <= mostMarks ? 0 : select(lengths.subarray(0, count), count - mostMarks);
  const own: number[] = [];
  for (let gap = 0; gap < gaps.count && own.length < mostMarks; gap++)
    if (gapCauses.kind[gap] === wanted && gaps.end[gap]! - gaps.start[gap]! >= least) own.push(gap);
  return own.map((gap) => ({ from: gaps.start[gap]!, to: gaps.end[gap]!, streams: [], label }));
}

/** Kernels launched one by one, their median duration, and how long the median one waited in its queue. */
function kernelQueue(scene: Scene): {
  readonly count: number;
  readonly medianNs: number | null;
  readonly queueNs: number | null;
} {
  const { work, calls } = scene.trace;
  const { start, end, call: callOf, graphNode } = work;
  const { end: returned } = calls;
  const { kernelRows: rows } = scene;
  const queued = new Float64Array(rows.length);
  const took = graphNode === null ? null : new Float64Array(rows.length);
  let [count, known] = [0, 0];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    if (graphNode !== null) {
      if (graphNode[row]! > 0) continue;
      took![count] = end[row]! - start[row]!;
    }
    count++;
    const call = callOf[row]!;
    if (call >= 0) queued[known++] = start[row]! - returned[call]!;
  }
  const ofAll = (): number => (took === null ? scene.number('kernels.median_ns') : median(took.subarray(0, count)));
  return {
    count,
    medianNs: count === 0 ? null : ofAll(),
    queueNs: known === 0 ? null : median(queued.subarray(0, known)),
  };
}

/** True where graphs carry most of the kernel time, again and again. */
export function inGraphs(graphs: GraphUse, limits: TraceLimits): boolean {
  return graphs.share * 100 >= limits['graph-share']! && graphs.launches >= limits['repeats']!;
}

interface GraphUse {
  /** Share of the kernel time that lies in graphs. */
  readonly share: number;
  readonly launches: number;
  readonly first: number;
  readonly replaced: number;
}

/** What CUDA graphs carry of the work. */
export function graphUse(scene: Scene): GraphUse {
  const { work } = scene.trace;
  if (work.graphNode === null && scene.graphRows.length === 0) return { share: 0, launches: 0, first: -1, replaced: 0 };
  let [inGraphs, all, launched, first, nodes] = [0, 0, 0, -1, 0];
  const seen = new Set<number>();
  for (const row of scene.computeRows) {
    const kind = work.kind[row]!;
    const took = work.end[row]! - work.start[row]!;
    all += took;
    const node = (work.graphNode?.[row] ?? 0) > 0;
    if (kind !== workKinds.graph && !node) continue;
    inGraphs += took;
    if (first < 0) first = row;
    if (node) nodes++;
    const call = work.call[row]!;
    if (kind === workKinds.graph) launched++;
    else if (call >= 0) seen.add(call);
  }
  return { share: all === 0 ? 0 : inGraphs / all, launches: launched + seen.size, first, replaced: nodes };
}

function graphsUsed(scene: Scene, limits: TraceLimits, graphs: GraphUse): readonly TraceFinding[] {
  const idle = scene.habitualIdle.share * 100;
  if (idle >= limits['unexplained-idle']!) return [];
  return [
    healthy(
      'ok-cuda-graphs-used',
      `${graphs.launches} launches of CUDA graphs carry ${shareText(graphs.share)} of the kernel time, and the GPU waits ${waitText(scene)}`,
      [
        against('kernel time in graphs', graphs.share * 100, '>=', limits, 'graph-share', '%'),
        against('idle', idle, '<', limits, 'unexplained-idle', '%'),
      ],
      [scene.quote(graphs.first)],
    ),
  ];
}
