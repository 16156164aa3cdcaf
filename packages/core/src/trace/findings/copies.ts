import type { TraceFinding, TraceMark } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import type { Copies, CopyUse } from './copy-use.ts';
import { copiesOf, readsBack, scalarBytes } from './copy-use.ts';
import { against, healthy, shareText, timeText, waste } from './detector.ts';
import type { Detector } from './detector.ts';
import type { Scene } from './scene.ts';
import { countText, sizeText } from './text.ts';

/** Links between CPU and GPU over which pageable memory is read at full rate (NVLink-C2C). */
const coherent = /\bG[HB][23]00\b|\bGB10\b|grace/i;

/**
 * Copies between host and GPU: one finding of what they cost, by what makes them dear (many small ones, pageable memory,
 * more data than kernels, no overlap), else what is well with them. CUDA C++ Best Practices Guide, data transfer.
 */
export const copies: Detector = (scene, limits) => {
  const use = copiesOf(scene);
  const few = scene.computeRows.length < limits['launches']!;
  const steady = costly(scene, use, limits);
  // What comes back in a few steps is likely to go on.
  const lasting = steady === null || use.all.habit.lasts ? steady : ofFew(steady);
  const found = lasting ?? (few ? (copiesOfFew(scene, limits)[0] ?? null) : null);
  return found === null
    ? well(scene, use, limits)
    : [found, ...peers(scene, use, limits), ...fastPageable(scene, use, limits)];
};

function costly(scene: Scene, use: Copies, limits: TraceLimits): TraceFinding | null {
  const { all, small, pageable } = use;
  const span = scene.spanNs;
  const cost = all.habit.ns;
  if (span <= 0 || all.count < limits['repeats']! || !all.habit.isHabit) return null;
  if (scene.number('kernels.busy_ns') <= 0 || cost * 100 < limits['waste-share']! * span) return null;
  // What is left without its dearest tenth must still be worth a word: one pause is no habit.
  if (all.habit.steadyNs * 100 < limits['negligible-share']! * span) return null;
  if (small.habit.ns >= 0.5 * cost && areMany(scene, use, limits)) return manySmall(scene, use, limits);
  // A result of a few bytes that is read back costs the wait, not the copy.
  if (small.habit.ns >= 0.8 * cost) return null;
  // Of a coherent link nothing is said without large copies.
  const fast = isCoherent(scene) && (use.pageableRate === null || readsPageableFast(scene, use, limits));
  if (pageable.habit.ns >= 0.5 * cost && !fast) return fromPageable(scene, use, limits);
  if (areSideBySide(scene, use, limits)) return null;
  if (isOffload(scene, use, limits)) return offload(scene, use, limits);
  return notOverlapped(scene, use, limits);
}

/**
 * What many copies beside a few kernels show, wherever they lie: a matrix that comes back row by row, pageable memory piece by
 * piece.
 */
export function copiesOfFew(scene: Scene, limits: TraceLimits): readonly TraceFinding[] {
  const use = copiesOf(scene);
  const { small, pageable } = use;
  const isMost = (ns: number): boolean => ns * 100 >= limits['tiny-grid-share']! * scene.spanNs;
  if (scene.number('kernels.busy_ns') <= 0) return [];
  const isMany = small.count >= limits['small-copies']! && isMost(costOf(small, scene)) && areMany(scene, use, limits);
  if (isMany) return [ofFew(manySmall(scene, use, limits))];
  // What is uploaded before the first kernel is uploaded once.
  const later = costOf(pageable, scene) - pageable.habit.beforeNs;
  const isPageable = pageable.count >= limits['kernels']! && isMost(later) && !isCoherent(scene);
  return isPageable && pageable.bytes >= pageable.count << 20 ? [ofFew(fromPageable(scene, use, limits))] : [];
}

function ofFew(found: TraceFinding): TraceFinding {
  return { ...found, certainty: 'likely' };
}

function isCoherent(scene: Scene): boolean {
  return coherent.test(scene.trace.devices[scene.device]?.name ?? '');
}

/** True where large copies of pageable memory run at the rate of a coherent link: faster than any other, and as pinned ones. */
function readsPageableFast(scene: Scene, { pageableRate, pinnedRate }: Copies, limits: TraceLimits): boolean {
  if (!isCoherent(scene) || pageableRate === null) return false;
  return (
    pageableRate >= limits['coherent-rate']! &&
    (pinnedRate === null || pageableRate * 100 >= limits['pageable-slow']! * pinnedRate)
  );
}

/** True where most copies lie under kernels, or, where copies last longer, most kernels beside copies: more cannot overlap. */
function areSideBySide(scene: Scene, { all }: Copies, limits: TraceLimits): boolean {
  const most = Math.min(all.ns, scene.number('kernels.busy_ns'));
  return (all.ns - all.exposedNs) * 100 >= limits['copies-hidden']! * most;
}

function areMany(scene: Scene, use: Copies, limits: TraceLimits): boolean {
  const { small, inRuns } = use;
  if (small.count < limits['small-copies']!) return false;
  if (readsBack(scene, use)) return false;
  const kernels = scene.number('kernels.count');
  return small.count * 100 >= limits['small-per-kernel']! * kernels || inRuns * 2 >= small.count;
}

function isOffload(scene: Scene, { all, toDevice, toHost }: Copies, limits: TraceLimits): boolean {
  const both = Math.min(toDevice.bytes, toHost.bytes) >= 0.2 * all.bytes;
  return (
    both &&
    all.bytes / all.count >= 1 << 20 &&
    all.ns * 100 >= limits['offload-ratio']! * scene.number('kernels.busy_ns')
  );
}

/** What copies cost: while work goes on, and of a few kernels before and behind them too. */
function costOf({ habit }: CopyUse, scene: Scene): number {
  return habit.ns + (scene.computeRows.length < scene.limits['launches']! ? habit.outsideNs : 0);
}

function manySmall(scene: Scene, use: Copies, limits: TraceLimits): TraceFinding {
  const { small } = use;
  return waste({
    cause: 'many-small-copies',
    message: `${countText(small.count, 'copy', 'copies')} of ${sizeText(small.bytes / small.count)} on average take ${shareText(costOf(small, scene) / scene.spanNs)} of the time with the pauses beside them`,
    measured: [
      against('small copies', small.count, '>=', limits, 'small-copies', 'copies'),
      share(scene, small, limits),
    ],
    saving: savingOf(scene, use, limits),
    costNs: costOf(small, scene),
    explains: ['copies-not-overlapped', 'pageable-copies-slow', 'pageable-copies-synchronous'],
    quotes: quotesOf(scene, small),
    marks: marksOf(scene, small, 'small copy'),
  });
}

function fromPageable(scene: Scene, use: Copies, limits: TraceLimits): TraceFinding {
  const { pageable } = use;
  const fast = use.pinnedRate ?? limits['pinned-rate']!;
  const { rate } = pageable;
  const percent = rate === null ? null : (100 * rate) / fast;
  const slow = percent !== null && percent < limits['pageable-slow']!;
  const asked = pageable.asynchronous * 2 >= pageable.called && pageable.called > 0;
  const rateText = rate === null ? '' : ` at ${rate.toFixed(1)} GB/s`;
  return waste({
    cause: asked || !slow ? 'pageable-copies-synchronous' : 'pageable-copies-slow',
    message: `${countText(pageable.count, 'copy', 'copies')} of pageable memory (${sizeText(pageable.bytes)}${rateText})${asked ? ', asked for as asynchronous,' : ''} ${pageable.count === 1 ? 'holds' : 'hold'} the GPU up for ${shareText(costOf(pageable, scene) / scene.spanNs)} of the time`,
    measured: [
      share(scene, pageable, limits),
      ...(slow ? [against('rate of pageable copies', percent, '<', limits, 'pageable-slow', '% of pinned')] : []),
    ],
    saving: savingOf(scene, use, limits),
    costNs: costOf(pageable, scene),
    explains: ['copies-not-overlapped'],
    quotes: [
      ...quotesOf(scene, pageable),
      ...(asked ? [scene.quoteCall(scene.trace.work.call[pageable.first]!)] : []).slice(0, 1),
    ],
    marks: marksOf(scene, pageable, 'pageable copy'),
  });
}

function offload(scene: Scene, use: Copies, limits: TraceLimits): TraceFinding {
  const { all } = use;
  const busy = scene.number('kernels.busy_ns');
  return waste({
    cause: 'host-offload-copy-bound',
    message: `copies both ways between host and GPU take ${timeText(all.ns)} (${sizeText(all.bytes)}), kernels ${timeText(busy)}, and they take turns`,
    measured: [
      against('copies', (100 * all.ns) / busy, '>=', limits, 'offload-ratio', '% of the kernel time'),
      share(scene, all, limits),
    ],
    saving: savingOf(scene, use, limits),
    costNs: all.habit.ns,
    explains: ['copies-not-overlapped'],
    quotes: quotesOf(scene, all),
    marks: marksOf(scene, all, 'copy'),
  });
}

function notOverlapped(scene: Scene, use: Copies, limits: TraceLimits): TraceFinding {
  const { all, untold } = use;
  const hidden = all.ns === 0 ? 0 : (all.ns - all.exposedNs) / all.ns;
  return waste({
    cause: 'copies-not-overlapped',
    message: `no kernel runs beside ${timeText(all.exposedNs)} of the copies (${waysText(use)}, ${shareText(1 - hidden)} of their time): ${shareText(all.habit.ns / scene.spanNs)} of the time${waitingText(use)}`,
    measured: [
      share(scene, all, limits),
      against('copies under kernels', 100 * hidden, '<', limits, 'copies-hidden', '% of the copy time'),
    ],
    saving: savingOf(scene, use, limits),
    costNs: all.habit.ns,
    quotes: quotesOf(scene, all),
    marks: marksOf(scene, all, 'copy without kernel'),
    ...(untold * 2 > all.count
      ? {
          missing: {
            fact: 'whether the memory of the host is page-locked',
            ask: 'nsys stats -r cuda_gpu_trace report.nsys-rep',
          },
        }
      : {}),
  });
}

/** `12.0 MiB to the GPU, 3.0 MiB to the host`. */
function waysText({ toDevice, toHost }: Copies): string {
  const ways = [
    ...(toDevice.bytes > 0 || toHost.bytes === 0 ? [`${sizeText(toDevice.bytes)} to the GPU`] : []),
    ...(toHost.bytes > 0 ? [`${sizeText(toHost.bytes)} to the host`] : []),
  ];
  return ways.join(', ');
}

/** Copies of page-locked memory that could return at once, and whose calls wait. */
function waitingText({ pinned, untold }: Copies): string {
  const waits = pinned.called - pinned.asynchronous;
  if (untold > 0 || waits * 2 < pinned.count || waits === 0) return '';
  return `; ${countText(waits, 'call waits', 'calls wait')} until the copy is done, although the memory is page-locked`;
}

function well(scene: Scene, use: Copies, limits: TraceLimits): readonly TraceFinding[] {
  const { all, pageable, pinned } = use;
  const span = scene.spanNs;
  if (span <= 0) return [];
  const found: TraceFinding[] = [...peers(scene, use, limits), ...fastPageable(scene, use, limits)];
  const share100 = (ns: number): number => (100 * ns) / span;
  if (share100(all.habit.ns) >= limits['waste-share']!)
    return all.ns > scene.number('kernels.busy_ns') && pinned.ns * 2 >= all.ns && areSideBySide(scene, use, limits)
      ? [...found, linkBound(scene, use, limits)]
      : found;
  const hidden = pinned.ns - pinned.exposedNs;
  if (
    pinned.count >= limits['repeats']! &&
    share100(pinned.ns) >= limits['negligible-share']! &&
    hidden * 100 >= limits['copies-hidden']! * pinned.ns
  )
    found.push(
      healthy(
        'ok-copies-pinned-overlapped',
        `${shareText(hidden / pinned.ns)} of the time of ${countText(pinned.count, 'copy', 'copies')} (${sizeText(pinned.bytes)}) lies under kernels`,
        [
          against(
            'copies under kernels',
            (100 * hidden) / pinned.ns,
            '>=',
            limits,
            'copies-hidden',
            '% of the copy time',
          ),
        ],
        quotesOf(scene, pinned),
      ),
    );
  if (pageable.count > 0 && share100(pageable.habit.ns) < limits['negligible-share']!)
    found.push(
      healthy(
        'ok-pageable-negligible',
        `${countText(pageable.count, 'copy of pageable memory costs', 'copies of pageable memory cost')} ${shareText(pageable.habit.ns / span)} of the time`,
        [
          against(
            'time for pageable copies',
            share100(pageable.habit.ns),
            '<',
            limits,
            'negligible-share',
            '% of the span',
          ),
        ],
        quotesOf(scene, pageable),
        pageable.bytes <= pageable.count * scalarBytes,
      ),
    );
  return found;
}

/** Copies that last longer than the kernels, which run beside them: the link is the limit, and no order of work helps. */
function linkBound(scene: Scene, use: Copies, limits: TraceLimits): TraceFinding {
  const { all } = use;
  const busy = scene.number('kernels.busy_ns');
  const beside = (100 * (all.ns - all.exposedNs)) / busy;
  const rate = all.rate === null ? '' : ` at ${all.rate.toFixed(1)} GB/s`;
  return healthy(
    'ok-copies-pinned-overlapped',
    `copies (${sizeText(all.bytes)}${rate}) last ${timeText(all.ns)} and kernels ${timeText(busy)}, of which ${shareText(beside / 100)} lie beside copies: the link is the limit`,
    [against('kernels beside copies', beside, '>=', limits, 'copies-hidden', '% of the kernel time')],
    quotesOf(scene, use.pinned),
  );
}

function fastPageable(scene: Scene, use: Copies, limits: TraceLimits): readonly TraceFinding[] {
  const { pageable, pageableRate } = use;
  if (pageable.count < limits['repeats']! || !readsPageableFast(scene, use, limits)) return [];
  return [
    healthy(
      'ok-pageable-fast-on-gh200',
      `${countText(pageable.count, 'copy', 'copies')} of pageable memory (${sizeText(pageable.bytes)}) run at ${pageableRate!.toFixed(0)} GB/s over the coherent link of the ${scene.trace.devices[scene.device]!.name}`,
      [against('rate of pageable copies', pageableRate!, '>=', limits, 'coherent-rate', 'GB/s')],
      quotesOf(scene, pageable),
    ),
  ];
}

function peers(scene: Scene, { peer }: Copies, limits: TraceLimits): readonly TraceFinding[] {
  const span = scene.spanNs;
  if (peer.count === 0 || peer.ns * 100 < limits['negligible-share']! * span) return [];
  const rate = peer.rate === null ? '' : ` at ${peer.rate.toFixed(0)} GB/s`;
  return [
    healthy(
      'ok-peer-copies',
      `${countText(peer.count, 'copy goes', 'copies go')} between GPUs (${sizeText(peer.bytes)}${rate})`,
      [],
      quotesOf(scene, peer),
    ),
  ];
}

/**
 * GB/s that no copy from page-locked memory exceeds: a bound must hold for the best machine. PCI Express 4.0 and 5.0 with 16
 * lanes (CUDA devices of capability 9.0 and later), and NVLink-C2C.
 */
function linkRate(scene: Scene): number {
  const device = scene.trace.devices[scene.device];
  if (isCoherent(scene)) return 450;
  const capability = Number(device?.computeCapability ?? Number.NaN);
  return capability < 9 ? 31.5 : 63;
}

/**
 * What copying well would bring at most: all exposed copies, and the pauses beside them as far as kernels leave room; copies
 * that take longer than all kernels cannot hide under them, however they are made.
 */
function savingOf(scene: Scene, use: Copies, limits: TraceLimits): TraceFinding['saving'] {
  const exposed = scene.number('copies.exposed_ns');
  const fast = Math.max(use.pinnedRate ?? 0, limits['pinned-rate']!, linkRate(scene));
  const pageable = use.pageable.count > 0;
  const needs = ({ ns, bytes }: { readonly ns: number; readonly bytes: number }): number =>
    pageable ? Math.min(ns, bytes / fast) : ns;
  const room = scene.number('kernels.busy_ns');
  const left = Math.max(0, Math.max(needs(use.toDevice), needs(use.toHost)) - room);
  // A first copy stays a first copy; but many small ones become one, and a pageable one becomes fast.
  const quicker = pageable || use.small.habit.ns * 2 >= use.all.habit.ns;
  const first = quicker ? use.all.habit.outsideNs : use.all.pausesOutsideNs;
  const gain = use.all.habit.ns + first - left;
  return gain > exposed
    ? { upperBoundNs: gain, how: 'copies beside which no kernel runs, and the pauses beside them' }
    : { upperBoundNs: exposed, how: 'copies beside which no kernel runs' };
}

function share(scene: Scene, use: CopyUse, limits: TraceLimits): TraceFinding['measured'][number] {
  const percent = (100 * costOf(use, scene)) / scene.spanNs;
  return against('time that the copies hold the GPU up', percent, '>=', limits, 'waste-share', '% of the span');
}

function quotesOf(scene: Scene, use: CopyUse): TraceFinding['quotes'] {
  const rows = [...new Set([use.bare[0] ?? use.first, use.bare[use.bare.length >> 1] ?? use.first])];
  return rows.map((row) => scene.quote(row));
}

function marksOf(scene: Scene, use: CopyUse, label: string): readonly TraceMark[] {
  const { start, end, stream } = scene.trace.work;
  return use.bare.map((row) => ({ from: start[row]!, to: end[row]!, streams: [stream[row]!], label }));
}
