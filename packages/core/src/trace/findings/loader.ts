import type { Range, TraceFinding } from '../model.ts';
import { workKinds } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { askFor } from './asks.ts';
import type { Detector } from './detector.ts';
import { against, healthy, shareText, timeText, unclear, waste } from './detector.ts';
import { gapKinds } from './gap-causes.ts';
import { courseOf, Habit } from './habit.ts';
import type { Scene } from './scene.ts';
import { shortName } from './text.ts';

/**
 * The GPU stands idle while the program waits for input: it says so itself (a range of its loader), or it does nothing in
 * the CUDA API and then copies a batch to the GPU. PyTorch: data loading; Nsight Systems: user guide.
 */
export const loader: Detector = (scene, limits) => {
  if (scene.spanNs <= 0) return [];
  const told = scene.first ? scene.trace.ranges.filter((range) => range.kind === 'loader') : [];
  const waits = waitsOf(scene);
  const share = (ns: number): number => (100 * ns) / scene.spanNs;
  const { habit } = waits;
  const enough = limits['waste-share']!;
  // A short trace has few batches: where the GPU waits alike for each of them, it is a habit too.
  const lasts = habit.count >= limits['repeats']! ? habit.lasts : habit.recurs;
  const habitual = (lasts && share(habit.steadyNs) >= enough / 2) || loadsInEachStep(scene, told, waits, limits);
  if (
    habitual &&
    share(habit.ns) >= enough &&
    (waits.toldNs * 2 >= habit.ns || share(habit.ns) >= limits['idle-share']!)
  ) {
    const asked = requestsIn(scene, waits);
    if (waits.toldNs * 2 < habit.ns && asked !== null) return [serving(scene, waits, asked, limits)];
    return [
      waits.toldNs * 2 >= habit.ns || isStepByStep(scene, waits, limits)
        ? stalled(scene, limits, waits, share(habit.ns))
        : uneven(scene, waits, limits),
    ];
  }
  const startNs = habit.outsideNs + (habit.startsOnly ? habit.ns : 0);
  if (
    startNs > 0 &&
    share(startNs) >= limits['negligible-share']! &&
    share(habit.ns + habit.outsideNs - startNs) < limits['negligible-share']!
  )
    return [
      healthy(
        'ok-first-batch-slow',
        `the GPU waits ${timeText(startNs)} for its first input, and ${timeText(habit.ns + habit.outsideNs - startNs)} later`,
        [
          against(
            'later waits for input',
            share(habit.ns + habit.outsideNs - startNs),
            '<',
            limits,
            'negligible-share',
            '% of the span',
          ),
        ],
        quotesOf(scene, waits),
      ),
    ];
  const ranges = told.length > 0 ? told : scene.trace.ranges.filter((range) => range.kind === 'loader');
  if (ranges.length >= limits['repeats']! && share(habit.ns) < enough)
    return [
      healthy(
        'ok-loader-keeps-up',
        `input is fetched in ${ranges.length} stretches, and the GPU waits ${shareText(habit.ns / scene.spanNs)} of the time for it`,
        [against('waits for input', share(habit.ns), '<', limits, 'waste-share', '% of the span')],
        scene.anyQuote,
      ),
    ];
  return [];
};

interface Waits {
  readonly habit: Habit;
  readonly gaps: readonly number[];
  /** Of `habit`: waits that a range of the program names. */
  readonly toldNs: number;
  readonly copied: number;
}

function waitsOf(scene: Scene): Waits {
  const { gaps, gapCauses, trace } = scene;
  const { work, routes } = trace;
  const habit = new Habit(courseOf(scene));
  const [named, host] = [gapKinds.indexOf('loader'), gapKinds.indexOf('host')];
  const own: number[] = [];
  let [toldNs, copied] = [0, 0];
  for (let gap = 0; gap < gaps.count; gap++) {
    const isTold = gapCauses.kind[gap] === named;
    if (!isTold && gapCauses.kind[gap] !== host) continue;
    const length = gaps.end[gap]! - gaps.start[gap]!;
    const next = gapCauses.next[gap]!;
    const route = next >= 0 && work.kind[next] === workKinds.copy ? routes[work.detail[next]!] : undefined;
    const isBatch = !isTold && route?.direction === 'HtoD';
    if (!isTold && !isBatch) continue;
    habit.add(gaps.start[gap]!, length);
    own.push(gap);
    if (isTold) toldNs += length;
    if (isBatch) copied++;
  }
  return { habit, gaps: own, toldNs, copied };
}

/**
 * True where each of a few steps loads its input first, for a good part of its time, and the GPU waits behind most of them:
 * the first such wait lies before the first work.
 */
function loadsInEachStep(scene: Scene, told: readonly Range[], waits: Waits, limits: TraceLimits): boolean {
  const { steps } = scene;
  if (steps.length < 2 || steps.length > 2 * limits['repeats']! || waits.toldNs * 2 < waits.habit.ns) return false;
  if (waits.gaps.length < steps.length - 1) return false;
  return steps.every(({ start, end }) => {
    const ns = told.reduce((sum, each) => sum + Math.max(0, Math.min(end, each.end) - Math.max(start, each.start)), 0);
    return ns * 100 >= limits['unexplained-idle']! * (end - start);
  });
}

/** What a server calls while it waits for requests, by the names of the operating system and of Python. */
const requestNames = /epoll|^accept4?$|^selectors\.py\(|select\.(?:poll|select|kqueue)|<built-in function select>/;

/** The call in which the program stands in most of these waits for what others ask of it; null where it does not. */
function requestsIn(scene: Scene, { gaps, habit }: Waits): string | null {
  const { start, end } = scene.gaps;
  const asked = scene.trace.ranges.filter(
    ({ kind, name, thread }) => kind === 'wait' && requestNames.test(name) && (thread < 0 || scene.threads.has(thread)),
  );
  if (asked.length === 0) return null;
  asked.sort((a, b) => a.start - b.start);
  let [ns, at] = [0, 0];
  for (const gap of gaps) {
    let covered = start[gap]!;
    while (at < asked.length && asked[at]!.end <= start[gap]!) at++;
    for (let each = at; each < asked.length && asked[each]!.start < end[gap]!; each++) {
      const until = Math.min(end[gap]!, asked[each]!.end);
      ns += Math.max(0, until - Math.max(covered, asked[each]!.start));
      covered = Math.max(covered, until);
    }
  }
  return ns * 2 >= habit.ns ? asked[asked.length >> 1]!.name : null;
}

/** A server without requests: its GPU waits, and nothing is wrong. */
function serving(scene: Scene, waits: Waits, call: string, limits: TraceLimits): TraceFinding {
  const { ns } = waits.habit;
  return healthy(
    'ok-bursty-inference',
    `the GPU waits ${shareText(ns / scene.spanNs)} of the time (${timeText(ns)} in ${waits.gaps.length} waits) while the program waits for requests (${shortName(call)})`,
    [against('waits for requests', (100 * ns) / scene.spanNs, '>=', limits, 'waste-share', '% of the span')],
    quotesOf(scene, waits),
  );
}

function stalled(scene: Scene, limits: TraceLimits, waits: Waits, share: number): TraceFinding {
  const { start, end } = scene.gaps;
  const { habit, toldNs } = waits;
  const said = toldNs * 2 >= habit.ns;
  const isSeldom = habit.count < limits['repeats']!;
  return waste({
    cause: 'input-pipeline-bound',
    message: `the GPU stands idle ${shareText(share / 100)} of the time (${timeText(habit.ns)} in ${waits.gaps.length} waits) ${said ? 'while input is loaded' : 'until the next batch is copied to it, and the program makes no CUDA call meanwhile'}`,
    measured: [
      against('waits for input', share, '>=', limits, said ? 'waste-share' : 'idle-share', '% of the span'),
      ...(isSeldom ? [] : [against('waits', habit.count, '>=', limits, 'repeats', 'times')]),
    ],
    // The other ranks' late input is a wait inside a collective.
    saving: scene.alone
      ? { upperBoundNs: scene.idleNs, how: 'all idle time of the GPU' }
      : {
          upperBoundNs: scene.idleNs + scene.number('nccl.exposed_ns'),
          how: 'all idle time of the GPU, and communication that nothing hides: it waits there for the input of other ranks',
        },
    costNs: habit.ns,
    quotes: quotesOf(scene, waits),
    marks: waits.gaps
      .slice(0, 500)
      .map((gap) => ({ from: start[gap]!, to: end[gap]!, streams: [], label: 'waits for input' })),
    ...(isSeldom ? { certainty: 'likely' as const } : {}),
    ...(said
      ? {}
      : {
          missing: {
            fact: 'what the program does in these waits',
            ask: `${askFor(scene.trace, 'host')}; py-spy dump --pid PID`,
          },
        }),
  });
}

/**
 * True where a loader starves the GPU: before each batch, and for about as long each time. A person who runs cells one by
 * one makes pauses of seconds.
 */
function isStepByStep(scene: Scene, waits: Waits, limits: TraceLimits): boolean {
  const { ns, count } = waits.habit;
  return (
    ns <= limits['loading']! * 1e6 * count &&
    unevennessOf(scene, waits) * 100 <= limits['uneven-waits']! &&
    waits.copied * 100 >= limits['starved-batches']! * batchesOf(scene, waits)
  );
}

/** How often as much data as behind the waits comes to the GPU after it has computed; parameters and scalars are less. */
function batchesOf(scene: Scene, { gaps }: Waits): number {
  const { work, routes } = scene.trace;
  const sizes = gaps.flatMap((gap) => {
    const next = scene.gapCauses.next[gap]!;
    return next >= 0 && work.kind[next] === workKinds.copy ? [work.bytes[next]!] : [];
  });
  sizes.sort((a, b) => a - b);
  const least = (sizes[sizes.length >> 1] ?? 0) / 2;
  let [batches, computed] = [0, true];
  for (const row of scene.rows) {
    if (work.kind[row] === workKinds.kernel || work.kind[row] === workKinds.graph) computed = true;
    else if (
      computed &&
      work.kind[row] === workKinds.copy &&
      work.bytes[row]! >= least &&
      routes[work.detail[row]!]?.direction === 'HtoD'
    ) {
      batches++;
      computed = false;
    }
  }
  return batches;
}

/** Deviation of the lengths of the waits, as a share of their mean. */
function unevennessOf(scene: Scene, { gaps }: Waits): number {
  const { start, end } = scene.gaps;
  const lengths = gaps.map((gap) => end[gap]! - start[gap]!);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const square = lengths.reduce((sum, length) => sum + (length - mean) ** 2, 0) / lengths.length;
  return mean === 0 ? 0 : Math.sqrt(square) / mean;
}

/** Requests come when they come; a loader that is too slow takes about as long for each batch. */
function uneven(scene: Scene, waits: Waits, limits: TraceLimits): TraceFinding {
  return unclear(
    'input-pipeline-bound',
    `the GPU waits ${timeText(waits.habit.ns)} in ${waits.gaps.length} waits until data is copied to it, ${unlike(scene, waits, limits)}: a server waits so for requests, a person between two tries, a training for input`,
    {
      fact: 'what the program does in these waits',
      ask: `${askFor(scene.trace, 'host')}; py-spy dump --pid PID`,
    },
    quotesOf(scene, waits),
  );
}

/** What speaks against a loader. */
function unlike(scene: Scene, waits: Waits, limits: TraceLimits): string {
  const { ns, count } = waits.habit;
  if (ns > limits['loading']! * 1e6 * count) return `${timeText(ns / count)} long on average`;
  return unevennessOf(scene, waits) * 100 > limits['uneven-waits']!
    ? 'of very different lengths'
    : `before some of ${batchesOf(scene, waits)} batches only`;
}

function quotesOf(scene: Scene, waits: Waits): TraceFinding['quotes'] {
  const rows = waits.gaps.flatMap((gap) => (scene.gapCauses.next[gap]! < 0 ? [] : [scene.gapCauses.next[gap]!]));
  return rows.length === 0 ? scene.anyQuote : [scene.quote(rows[rows.length >> 1]!)];
}
