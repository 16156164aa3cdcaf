import type { NumberOfTrace } from './numbers.ts';
import type { TraceVerdict } from './verdict.ts';
import { unitsOfBoth } from './compare-units.ts';
import type { WorkInCommon } from './compare-work.ts';
import { workInCommon } from './compare-work.ts';
import { computedBy } from './findings/ranks.ts';
import type { Scene } from './findings/scene.ts';

/** A number of two traces. */
export interface NumberChange {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
  /** After over before; null where that has no meaning. */
  readonly ratio: number | null;
  /** The same for the same amount of work: sums are divided by how much more work the second trace holds. */
  readonly sameWorkRatio: number | null;
  readonly state: 'changed' | 'equal';
}

/** Kernels of one name in two traces. Times in ns. */
export interface KernelChange {
  readonly name: string;
  readonly before: { readonly count: number; readonly totalNs: number } | null;
  readonly after: { readonly count: number; readonly totalNs: number } | null;
  readonly differenceNs: number;
}

export interface FindingChange {
  readonly cause: string;
  /** The last two where the traces are not known to be of the same work. */
  readonly state: 'new' | 'gone' | 'stayed' | 'only-before' | 'only-after';
  readonly message: string;
}

interface RankOfSide {
  readonly spanNs: number;
  readonly idleShare: number | null;
  /** Part of the span in which it runs kernels other than NCCL's, which wait for other ranks. */
  readonly computingShare: number | null;
  readonly kernels: number;
  readonly ncclNs: number;
}

/** A rank, or a GPU of a trace of several, on both sides; null where a side does not have it. */
export interface RankChange {
  readonly called: string;
  readonly before: RankOfSide | null;
  readonly after: RankOfSide | null;
}

/** JSON shape of `culprit/trace-comparison@1`: what a change of the program did to where the time goes. */
export interface TraceComparison {
  readonly schema: 'culprit/trace-comparison@1';
  readonly before: string;
  readonly after: string;
  /** `cannot-tell`: the two are not known to be of the same work. */
  readonly status: 'changed' | 'equal' | 'cannot-tell';
  /** One line: whether it became faster, and by how much. */
  readonly headline: string;
  /**
   * Length of the same work: of a step where both traces mark steps or ranges, else of the whole trace; divided by the
   * kernels in common (`kernel`) where one trace holds more of the same work.
   */
  readonly length: { readonly of: 'step' | 'trace' | 'kernel'; readonly before: number; readonly after: number };
  /** The rank or GPU that `length` and `numbers` are of, where there are several; else null. */
  readonly scope: { readonly before: string; readonly after: string } | null;
  /** What the two have in common, and how many times as much work the second holds; null without work on the GPU. */
  readonly work: {
    readonly timeInCommon: WorkInCommon['timeInCommon'];
    readonly kernels: WorkInCommon['kernels'];
    readonly steps: { readonly before: number; readonly after: number } | null;
    readonly amount: number;
  } | null;
  readonly findings: readonly FindingChange[];
  readonly numbers: readonly NumberChange[];
  /** Every rank or GPU, where there are several. */
  readonly ranks: readonly RankChange[];
  /** Of all ranks and GPUs together; those whose time changed most first. */
  readonly kernels: readonly KernelChange[];
  /** What makes the two hard to compare, in words. */
  readonly doubts: readonly string[];
}

/** Numbers that are compared, in this order. */
const compared = [
  'gpu.span_ns',
  'gpu.busy_ns',
  'gpu.idle_share',
  'kernels.count',
  'kernels.total_ns',
  'kernels.median_ns',
  'gap.median_ns',
  'launch.count',
  'launch.api_median_ns',
  'copies.count',
  'copies.total_ns',
  'copies.exposed_ns',
  'nccl.total_ns',
  'nccl.exposed_ns',
  'serialised_ns',
  'faults.gpu',
  'faults.cpu',
] as const;

/** A difference of less than this part of the larger one says nothing: runs differ by as much. */
const noise = 0.05;
const mostKernels = 20;

/** One side of a comparison. */
export interface TraceSide {
  readonly name: string;
  readonly judged: TraceVerdict;
}

/**
 * Compares the verdicts of two traces of the same program, before and after a change. Where they are not known to be of
 * the same work, it cannot tell what the change brought.
 */
export function compareTraces(before: TraceSide, after: TraceSide): TraceComparison {
  const pair = pairOf(before.judged.scenes, after.judged.scenes);
  const [first, second] = pair ?? [];
  const units = first === undefined || second === undefined ? null : unitsOfBoth(first, second);
  const common = first === undefined || second === undefined ? null : workInCommon(first, second, units);
  const length = lengthOfWork(first, second, units, common);
  const isOpen = common === null || common.state === 'cannot-tell' || length.before === 0 || length.after === 0;
  const several = before.judged.scenes.length > 1 || after.judged.scenes.length > 1;
  const [oldScope, nowScope] = [first, second].map((scene) => scene?.called ?? '') as [string, string];
  const scope = several && pair !== null ? { before: oldScope, after: nowScope } : null;
  // How many times as much the second trace holds: steps, and kernels of each.
  const amount =
    (units === null ? 1 : units.after.starts.length / units.before.starts.length) *
    (common?.state === 'amount' ? common.factor : 1);
  const [oldNumbers, nowNumbers] = [first?.numbers ?? before.judged.numbers, second?.numbers ?? after.judged.numbers];
  const numbers = compared.flatMap((name) => numberChange(name, oldNumbers, nowNumbers, amount));
  const findings = findingsOf(before.judged, after.judged, isOpen);
  const ranks = several ? ranksOf(before.judged.scenes, after.judged.scenes) : [];
  const others = ranksThatDiffer(ranks, scope, isOpen ? null : amount);
  const changed =
    others.length > 0 ||
    numbers.some(({ state }) => state === 'changed') ||
    findings.some(({ state }) => state !== 'stayed');
  return {
    schema: 'culprit/trace-comparison@1',
    before: before.name,
    after: after.name,
    status: isOpen ? 'cannot-tell' : changed ? 'changed' : 'equal',
    headline: [headlineOf(length, common, units, scope), ...others].join('; '),
    length,
    scope,
    work:
      common === null
        ? null
        : { timeInCommon: common.timeInCommon, kernels: common.kernels, steps: stepsOf(units), amount },
    findings,
    numbers,
    ranks,
    kernels: kernelChanges(before.judged.scenes, after.judged.scenes),
    doubts: [...doubtsOf(before.judged, after.judged), ...(common?.doubts ?? [])],
  };
}

type BothUnits = ReturnType<typeof unitsOfBoth>;

function stepsOf(units: BothUnits): { readonly before: number; readonly after: number } | null {
  return units === null ? null : { before: units.before.starts.length, after: units.after.starts.length };
}

function lengthOfWork(
  before: Scene | undefined,
  after: Scene | undefined,
  units: BothUnits,
  common: WorkInCommon | null,
): TraceComparison['length'] {
  const whole = {
    before: units?.before.lengthNs ?? before?.spanNs ?? 0,
    after: units?.after.lengthNs ?? after?.spanNs ?? 0,
  };
  if (common?.state === 'amount' && common.kernels !== null)
    return {
      of: 'kernel',
      before: whole.before / common.kernels.before,
      after: whole.after / common.kernels.after,
    };
  return { of: units === null ? 'trace' : 'step', ...whole };
}

function headlineOf(
  { of, before, after }: TraceComparison['length'],
  common: WorkInCommon | null,
  units: BothUnits,
  scope: TraceComparison['scope'],
): string {
  if (before === 0 || after === 0) return 'cannot tell: one of the traces has no work on the GPU';
  const share = Math.abs(after - before) / before;
  const unit = units === null || units.before.name === 'step' ? 'a step' : `a range ${units.before.name}`;
  const what = of === 'trace' ? 'the whole' : unit;
  const called =
    scope === null ? '' : scope.before === scope.after ? scope.before : `${scope.before} and ${scope.after}`;
  const where = called === '' ? '' : ` of ${called}`;
  const says =
    share < noise
      ? `takes as long as before (${percent(share)} ${after < before ? 'less' : 'more'})`
      : `takes ${percent(share)} ${after < before ? 'less' : 'more'} time than before`;
  const reason = `${called === '' ? '' : `${called}: `}${common?.reason ?? ''}`;
  if (common?.state === 'cannot-tell') {
    const perhaps = common.isUnseen ? `; if both do the same work, ${what} ${says}` : '';
    return `cannot tell: ${reason}; compare traces of the same program, each with the same number of steps${perhaps}`;
  }
  if (common?.state === 'amount')
    return `not the same amount of work (${reason}): the time for each kernel, idle time with it, is compared: it ${says}`;
  return `${what}${where} ${says}`;
}

/** The first GPU that both sides have; the first of each where they have none in common. */
function pairOf(before: readonly Scene[], after: readonly Scene[]): readonly [Scene, Scene] | null {
  const [first, second] = [before[0], after[0]];
  if (first === undefined || second === undefined) return null;
  if (before.length === 1 && after.length === 1) return [first, second];
  const keys = new Map(after.map((scene) => [keyOf(scene), scene]));
  for (const scene of before) {
    const other = keys.get(keyOf(scene));
    if (other !== undefined) return [scene, other];
  }
  return [first, second];
}

const keyOf = ({ rank, trace, device }: Scene): string =>
  `${rank} ${trace.devices.length > 1 ? (trace.devices[device]?.id ?? 0) : 0}`;

/** An idle share that differs by as much is worth a word. */
const idleNoise = 0.1;

/**
 * In words, what the rank that the numbers are of does not show: which other changed most.
 * @param amount how much more work the second side holds; null where that is not known
 */
function ranksThatDiffer(
  ranks: readonly RankChange[],
  scope: TraceComparison['scope'],
  amount: number | null,
): readonly string[] {
  const both = ranks.flatMap(({ called, before, after }) =>
    before === null || after === null || before.spanNs === 0 || after.spanNs === 0
      ? []
      : [
          {
            called,
            idle: [before.idleShare ?? 0, after.idleShare ?? 0] as const,
            ratio: after.spanNs / before.spanNs / (amount ?? 1),
          },
        ],
  );
  const lead = both.find(({ called }) => called === scope?.after);
  const told: string[] = [];
  const most = (of: (rank: (typeof both)[number]) => number): (typeof both)[number] | undefined =>
    both.toSorted((a, b) => of(b) - of(a))[0];
  const longest = most(({ ratio }) => Math.abs(Math.log(ratio)));
  if (
    amount !== null &&
    longest !== undefined &&
    lead !== undefined &&
    Math.abs(longest.ratio / lead.ratio - 1) > noise
  )
    told.push(`${longest.called} takes ${percent(Math.abs(longest.ratio - 1))} ${longest.ratio < 1 ? 'less' : 'more'}`);
  const shift = ({ idle }: (typeof both)[number]): number => Math.abs(idle[1] - idle[0]);
  const idlest = most(shift);
  if (idlest !== undefined && shift(idlest) > Math.max(idleNoise, lead === undefined ? 0 : shift(lead) + noise))
    told.push(`${idlest.called} is idle ${percent(idlest.idle[1])} of its time (${percent(idlest.idle[0])} before)`);
  return told;
}

/** Each rank or GPU of one side beside that of the other. */
function ranksOf(before: readonly Scene[], after: readonly Scene[]): readonly RankChange[] {
  const use = (scene: Scene | undefined): RankChange['before'] =>
    scene === undefined
      ? null
      : {
          spanNs: scene.spanNs,
          idleShare: scene.spanNs === 0 ? null : scene.idleNs / scene.spanNs,
          // Idle but for the collectives, in which it waits for others.
          computingShare: scene.spanNs === 0 ? null : computedBy(scene).computeNs / scene.spanNs,
          kernels: scene.kernelRows.length,
          ncclNs: scene.number('nccl.total_ns'),
        };
  const [old, now] = [before, after].map((scenes) => new Map(scenes.map((scene) => [keyOf(scene), scene]))) as [
    Map<string, Scene>,
    Map<string, Scene>,
  ];
  return [...new Set([...old.keys(), ...now.keys()])].map((key) => {
    const [first, second] = [old.get(key), now.get(key)];
    const called = [first, second].map((scene) => scene?.called ?? '').find((each) => each !== '');
    return { called: called ?? `rank ${key.split(' ', 1)[0]!}`, before: use(first), after: use(second) };
  });
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** @param isOpen whether the traces may be of different programs: nothing came or went then */
function findingsOf(before: TraceVerdict, after: TraceVerdict, isOpen: boolean): readonly FindingChange[] {
  const wastes = ({ findings }: TraceVerdict): ReadonlyMap<string, string> =>
    new Map(findings.filter(({ kind }) => kind === 'waste').map(({ cause, message }) => [cause, message]));
  const [old, now] = [wastes(before), wastes(after)];
  return [
    ...[...old].flatMap(([cause, message]) =>
      now.has(cause) ? [] : [{ cause, state: isOpen ? ('only-before' as const) : ('gone' as const), message }],
    ),
    ...[...now].map(([cause, message]) => ({
      cause,
      state: old.has(cause) ? ('stayed' as const) : isOpen ? ('only-after' as const) : ('new' as const),
      message,
    })),
  ];
}

function numberChange(
  name: string,
  before: ReadonlyMap<string, NumberOfTrace>,
  after: ReadonlyMap<string, NumberOfTrace>,
  amount: number,
): readonly NumberChange[] {
  const value = (numbers: ReadonlyMap<string, NumberOfTrace>): number | null => {
    const found = numbers.get(name);
    return typeof found === 'number' ? found : null;
  };
  const [first, second] = [value(before), value(after)];
  if ((first ?? 0) === 0 && (second ?? 0) === 0) return [];
  // Sums are of all the work of a trace.
  const isSum = !/median|share/.test(name);
  const scaled = second === null || !isSum ? second : second / amount;
  const most = Math.max(Math.abs(first ?? 0), Math.abs(scaled ?? 0));
  const changed = first === null || scaled === null || Math.abs(scaled - first) > noise * most;
  return [
    {
      name,
      before: first,
      after: second,
      ratio: first === null || second === null || first === 0 ? null : second / first,
      sameWorkRatio: first === null || scaled === null || first === 0 ? null : scaled / first,
      state: changed ? 'changed' : 'equal',
    },
  ];
}

function kernelChanges(before: readonly Scene[], after: readonly Scene[]): readonly KernelChange[] {
  const sums = (
    scenes: readonly Scene[],
  ): ReadonlyMap<string, { readonly count: number; readonly totalNs: number }> => {
    const all = new Map<string, { count: number; totalNs: number }>();
    for (const { text, count, totalNs } of scenes.flatMap((scene) => scene.kernels)) {
      const sum = all.get(text) ?? { count: 0, totalNs: 0 };
      all.set(text, { count: sum.count + count, totalNs: sum.totalNs + totalNs });
    }
    return all;
  };
  const [old, now] = [sums(before), sums(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((name) => {
      const [first, second] = [old.get(name) ?? null, now.get(name) ?? null];
      return { name, before: first, after: second, differenceNs: (second?.totalNs ?? 0) - (first?.totalNs ?? 0) };
    })
    .filter(({ differenceNs }) => differenceNs !== 0)
    .sort((a, b) => Math.abs(b.differenceNs) - Math.abs(a.differenceNs) || (a.name < b.name ? -1 : 1))
    .slice(0, mostKernels);
}

function doubtsOf(before: TraceVerdict, after: TraceVerdict): readonly string[] {
  const doubts: string[] = [];
  const gpus = (judged: TraceVerdict): string =>
    [...new Set(judged.scenes.map(({ trace, device }) => trace.devices[device]?.name ?? 'a GPU without a name'))].join(
      ', ',
    );
  if (gpus(before) !== gpus(after)) doubts.push(`other GPUs: ${gpus(before)} before, ${gpus(after)} after`);
  if (before.scenes.length > 1 || after.scenes.length > 1) {
    const ranks = ranksOf(before.scenes, after.scenes);
    for (const [side, other] of [
      ['before', 'after'],
      ['after', 'before'],
    ] as const) {
      const only = ranks.filter((rank) => rank[other] === null).map(({ called }) => called);
      const more = only.length > 8 ? ` and ${only.length - 8} more` : '';
      if (only.length > 0) doubts.push(`only ${side}: ${only.slice(0, 8).join(', ')}${more}`);
    }
  }
  return doubts;
}
