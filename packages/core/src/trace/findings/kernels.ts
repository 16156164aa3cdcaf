import type { TraceFinding } from '../model.ts';
import { workKinds } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { fewWarps, smallBlocks } from './block-shape.ts';
import type { Detector } from './detector.ts';
import { against, healthy, shareText, timeText, waste } from './detector.ts';
import type { LaunchShape } from './launch-shape.ts';
import { launchShapeOf } from './launch-shape.ts';
import type { Scene } from './scene.ts';
import { shortName } from './text.ts';

/** Kernels of one name that were launched with one grid. */
export interface LaunchUse {
  readonly name: string;
  readonly count: number;
  readonly totalNs: number;
  readonly first: number;
  /** Null where the trace does not tell the grid. */
  readonly shape: LaunchShape | null;
  /** Index in `Trace.names` and in `Trace.shapes`. */
  readonly key: readonly [number, number];
}

/** Kernels by name and grid, those with the most time first; NCCL's are left out. Linear in the rows. */
function launchesOf(scene: Scene): readonly LaunchUse[] {
  const { names, shapes, devices } = scene.trace;
  const width = shapes.length + 1;
  // Names and grids are few beside the kernels: a table of all pairs where that is small, else a map.
  const pairs = names.length * width;
  const found = pairs <= largestTable ? byTable(scene, width, pairs) : byMap(scene, width);
  const seen = new Map<number, LaunchShape>();
  const shapeAt = (at: number): LaunchShape | null => {
    if (at < 0 || shapes[at] === undefined) return null;
    const known = seen.get(at) ?? launchShapeOf(shapes[at], devices[scene.device]);
    seen.set(at, known);
    return known;
  };
  return found
    .sort((a, b) => b.totalNs - a.totalNs || a.first - b.first)
    .map(({ key, ...use }) => {
      const [name, shape] = [Math.floor(key / width), (key % width) - 1];
      return { ...use, name: names[name]!, shape: shapeAt(shape), key: [name, shape] as const };
    });
}

const largestTable = 1 << 20;

interface Summed {
  readonly key: number;
  readonly first: number;
  count: number;
  totalNs: number;
}

function byTable(scene: Scene, width: number, pairs: number): Summed[] {
  const { rows, ofNccl } = scene;
  const { kind, name, detail, start, end } = scene.trace.work;
  const count = new Uint32Array(pairs);
  const total = new Float64Array(pairs);
  const first = new Int32Array(pairs);
  const keys: number[] = [];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    if (kind[row] !== workKinds.kernel || ofNccl[name[row]!] === 1) continue;
    const key = name[row]! * width + detail[row]! + 1;
    if (count[key] === 0) {
      keys.push(key);
      first[key] = row;
    }
    count[key] = count[key]! + 1;
    total[key] = total[key]! + end[row]! - start[row]!;
  }
  return keys.map((key) => ({ key, first: first[key]!, count: count[key]!, totalNs: total[key]! }));
}

function byMap(scene: Scene, width: number): Summed[] {
  const { rows, ofNccl } = scene;
  const { kind, name, detail, start, end } = scene.trace.work;
  const found = new Map<number, Summed>();
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    if (kind[row] !== workKinds.kernel || ofNccl[name[row]!] === 1) continue;
    const key = name[row]! * width + detail[row]! + 1;
    let sum = found.get(key);
    if (sum === undefined) found.set(key, (sum = { key, first: row, count: 0, totalNs: 0 }));
    sum.count++;
    sum.totalNs += end[row]! - start[row]!;
  }
  return [...found.values()];
}

/**
 * How kernels lie on the GPU: grids that leave most SMs without a block, last waves that are nearly empty, a kernel that
 * stays on purpose, tiny kernels that do not matter. CUDA programming guide; CUDA runtime API, occupancy.
 */
export const kernels: Detector = (scene, limits) => {
  const span = scene.spanNs;
  if (span <= 0) return [];
  const uses = launchesOf(scene);
  const persistent = uses.find((use) => isPersistent(use, span, limits));
  if (persistent !== undefined) return [persistentKernel(scene, persistent, limits)];
  // Kernels of other streams fill what one leaves free.
  const total = scene.number('kernels.total_ns');
  const beside = total <= 0 ? 0 : (total - scene.number('kernels.busy_ns')) / total;
  if (beside * 100 >= limits['overlap-share']!) return [];
  const tiny = tinyGrids(scene, uses, limits);
  if (tiny.length > 0) return tiny;
  const found = [...tails(scene, uses, limits), ...smallBlocks(scene, uses, limits)];
  if (found.length > 0) return found;
  return [...negligible(scene, uses, limits), ...fewWarps(scene, uses, limits)];
};

function isPersistent({ count, totalNs, shape }: LaunchUse, span: number, limits: TraceLimits): boolean {
  if (shape === null || shape.sms === null || totalNs * 100 < limits['persistent-share']! * span) return false;
  if (count > limits['repeats']! || shape.blocks < 0.9 * shape.sms) return false;
  return shape.grid === null ? shape.blocks <= 4 * shape.sms : shape.grid.waves <= 1;
}

function persistentKernel(scene: Scene, use: LaunchUse, limits: TraceLimits): TraceFinding {
  const share = (100 * use.totalNs) / scene.spanNs;
  return healthy(
    'ok-persistent-kernel',
    `${shortName(use.name)} stays on the GPU ${shareText(share / 100)} of the time in ${use.count} launch${use.count === 1 ? '' : 'es'}: ${use.shape!.blocks} blocks, which fill the ${use.shape!.sms} SMs and are there at once`,
    [against('time of the kernel', share, '>=', limits, 'persistent-share', '% of the span')],
    [scene.quote(use.first)],
  );
}

function isTiny({ shape }: LaunchUse, limits: TraceLimits): boolean {
  return shape !== null && shape.sms !== null && shape.blocks * 100 <= limits['few-sms']! * shape.sms;
}

/** A bound of what is measured in whole ns: each kernel may be off by one. */
function whole(ns: number, uses: readonly LaunchUse[]): number {
  return Math.ceil(ns + uses.reduce((sum, { count }) => sum + count, 0));
}

/** Threads that an SM holds at most. CUDA C++ Programming Guide, compute capabilities. */
const threadsOfSm = 2048;

/** What share of the threads that a GPU holds a grid brings, where it does not fill its SMs: the rest is room for more. */
function filledOf({ blocks, threads, sms }: LaunchShape): number {
  return Math.min(1, (blocks * threads) / (sms! * threadsOfSm));
}

function tinyGrids(scene: Scene, uses: readonly LaunchUse[], limits: TraceLimits): readonly TraceFinding[] {
  // Short kernels are a matter of launching, however few blocks they have.
  const tiny = uses.filter((use) => isTiny(use, limits) && use.totalNs / use.count >= limits['short-kernel']! * 1000);
  const ns = tiny.reduce((sum, use) => sum + use.totalNs, 0);
  const share = (100 * ns) / scene.spanNs;
  const [lead] = tiny;
  if (lead === undefined || share < limits['tiny-grid-share']!) return [];
  const { blocks, threads, sms } = lead.shape!;
  const saved = tiny.reduce((sum, { totalNs, shape }) => sum + totalNs * (1 - filledOf(shape!)), 0);
  return [
    waste({
      cause: 'busy-label-idle-sms',
      certainty: 'likely',
      message: `kernels whose grids fill at most ${limits['few-sms']} % of the SMs run ${shareText(share / 100)} of the time, alone: ${shortName(lead.name)} has ${blocks} block${blocks === 1 ? '' : 's'} of ${threads} thread${threads === 1 ? '' : 's'} for ${sms} SMs`,
      measured: [
        against('tiny grids', share, '>=', limits, 'tiny-grid-share', '% of the span'),
        against('blocks', (100 * blocks) / sms!, '<=', limits, 'few-sms', '% of the SMs'),
      ],
      saving: { upperBoundNs: whole(saved, tiny), how: 'the same work spread over all SMs, each as full as it can be' },
      quotes: tiny.slice(0, 2).map((use) => scene.quote(use.first)),
      marks: marksOf(scene, tiny, 'few blocks'),
    }),
  ];
}

function tails(scene: Scene, uses: readonly LaunchUse[], limits: TraceLimits): readonly TraceFinding[] {
  const tailed = uses.filter(({ shape, count }) => {
    const grid = shape?.grid;
    if (grid == null || count < limits['repeats']!) return false;
    const fill = (100 * grid.tailBlocks) / grid.blocksPerWave;
    return grid.fullWaves >= 1 && grid.fullWaves <= limits['tail-waves']! && fill > 0 && fill <= limits['tail-fill']!;
  });
  const lost = tailed.reduce((sum, { totalNs, shape }) => sum + totalNs * (1 - shape!.grid!.efficiency), 0);
  const share = (100 * lost) / scene.spanNs;
  const [lead] = tailed;
  if (lead === undefined || share < limits['tail-share']!) return [];
  const grid = lead.shape!.grid!;
  return [
    waste({
      cause: 'wave-quantisation-tail',
      certainty: 'likely',
      message: `${shortName(lead.name)} runs ${grid.fullWaves} full wave${grid.fullWaves === 1 ? '' : 's'} of ${grid.blocksPerWave} blocks and one of ${grid.tailBlocks}: nearly empty last waves take up to ${shareText(share / 100)} of the time`,
      measured: [
        against('last wave', (100 * grid.tailBlocks) / grid.blocksPerWave, '<=', limits, 'tail-fill', '% of a wave'),
        against('full waves', grid.fullWaves, '<=', limits, 'tail-waves', 'waves'),
        against('cost of the last waves', share, '>=', limits, 'tail-share', '% of the span'),
      ],
      saving: { upperBoundNs: whole(lost, tailed), how: 'time of the kernels, less what whole waves would take' },
      quotes: tailed.slice(0, 2).map((use) => scene.quote(use.first)),
      marks: marksOf(scene, tailed, 'nearly empty last wave'),
      missing: {
        fact: 'how long the blocks take',
        ask: 'ncu --section LaunchStats --section WorkloadDistribution ./app',
      },
    }),
  ];
}

function negligible(scene: Scene, uses: readonly LaunchUse[], limits: TraceLimits): readonly TraceFinding[] {
  const tiny = uses.filter((use) => isTiny(use, limits));
  const ns = tiny.reduce((sum, use) => sum + use.totalNs, 0);
  const count = tiny.reduce((sum, use) => sum + use.count, 0);
  const [lead] = tiny;
  if (lead === undefined || count < limits['repeats']! || ns * 100 >= limits['negligible-share']! * scene.spanNs)
    return [];
  return [
    healthy(
      'ok-tiny-kernel-negligible',
      `${count} kernels of few blocks (${shortName(lead.name)}) take ${timeText(ns)}, ${shareText(ns / scene.spanNs)} of the time`,
      [against('tiny grids', (100 * ns) / scene.spanNs, '<', limits, 'negligible-share', '% of the span')],
      [scene.quote(lead.first)],
    ),
  ];
}

function marksOf(scene: Scene, uses: readonly LaunchUse[], label: string): TraceFinding['marks'] {
  const { start, end, stream, name, detail, kind } = scene.trace.work;
  const wanted = new Set(uses.map(({ key }) => `${key[0]} ${key[1]}`));
  const marks: { from: number; to: number; streams: readonly number[]; label: string }[] = [];
  for (const row of scene.rows) {
    if (marks.length >= 200) break;
    if (kind[row] === workKinds.kernel && wanted.has(`${name[row]} ${detail[row]}`))
      marks.push({ from: start[row]!, to: end[row]!, streams: [stream[row]!], label });
  }
  return marks;
}
