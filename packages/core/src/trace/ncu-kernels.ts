import type { Advice, Launch, Measured, NcuProfile, Place } from './ncu.ts';

/** A number that was measured, or that follows from measured ones. */
export interface Reading {
  readonly value: number;
  /** Places of what it rests on, at least one. */
  readonly places: readonly Place[];
}

/** A kernel of a profile: its longest launch stands for it. */
export interface ProfiledKernel {
  readonly name: string;
  readonly launches: number;
  /** Sum over its launches; null where the profile has no durations. */
  readonly totalNs: number | null;
  /** Share of the time of all kernels, 0 to 1; null without durations. */
  readonly share: number | null;
  readonly block: number | null;
  readonly grid: number | null;
  readonly computeCapability: string | null;
  /** By the id of the metric table, derived ones included. */
  readonly numbers: ReadonlyMap<string, Reading>;
  /** Reasons why warps wait and their share of the waiting, largest first. */
  readonly stalls: readonly { readonly reason: string; readonly share: number; readonly place: Place }[];
  readonly advice: readonly Advice[];
  readonly place: Place;
}

/** Kernels of a profile by name, those with the most time first; without durations in the order of the profile. */
export function kernelsOfProfile(profile: NcuProfile): readonly ProfiledKernel[] {
  const groups = new Map<string, Launch[]>();
  for (const launch of profile.launches) {
    const group = groups.get(launch.kernel);
    if (group === undefined) groups.set(launch.kernel, [launch]);
    else group.push(launch);
  }
  const timeOf = (launch: Launch): number | undefined => launch.metrics.get('duration-ns')?.value;
  const all = profile.launches.reduce((sum, launch) => sum + (timeOf(launch) ?? 0), 0);
  const kernels = [...groups].map(([name, launches]): ProfiledKernel => {
    const timed = launches.filter((launch) => timeOf(launch) !== undefined);
    const totalNs = timed.length === 0 ? null : timed.reduce((sum, launch) => sum + timeOf(launch)!, 0);
    const longest = launches.reduce((best, launch) => ((timeOf(launch) ?? 0) > (timeOf(best) ?? 0) ? launch : best));
    return {
      name,
      launches: launches.length,
      totalNs,
      share: totalNs === null || all === 0 ? null : totalNs / all,
      block: longest.block,
      grid: longest.grid,
      computeCapability: longest.computeCapability,
      numbers: withDerived(longest.metrics),
      stalls: stallShares(longest),
      advice: longest.advice,
      place: longest.place,
    };
  });
  return kernels.sort((a, b) => (b.totalNs ?? 0) - (a.totalNs ?? 0));
}

/** Waiting by reason; issuing an instruction and waiting for one's turn count in the whole, not as waiting. */
function stallShares(launch: Launch): ProfiledKernel['stalls'] {
  const total = [...launch.stalls.values()].reduce((sum, each) => sum + Math.max(0, each.value), 0);
  if (total <= 0) return [];
  return [...launch.stalls]
    .filter(([reason, { value }]) => reason !== 'selected' && value > 0)
    .map(([reason, { value, place }]) => ({ reason, share: value / total, place }))
    .sort((a, b) => b.share - a.share || (a.reason < b.reason ? -1 : 1));
}

/** Fewest passes through shared memory for which a share of conflicts says anything. */
const fewestWavefronts = 1000;

function withDerived(metrics: ReadonlyMap<string, Measured>): ReadonlyMap<string, Reading> {
  const numbers = new Map<string, Reading>();
  for (const [name, { value, place }] of metrics) numbers.set(name, { value, places: [place] });
  const derive = (name: string, value: number, ...from: readonly string[]): void => {
    const places = from.flatMap((each) => metrics.get(each)?.place ?? []);
    if (Number.isFinite(value) && places.length > 0 && !numbers.has(name))
      numbers.set(name, { value: rounded(value), places });
  };
  const of = (name: string): number | undefined => metrics.get(name)?.value;
  const ratio = (over: string, under: string, factor = 1): number => {
    const [a, b] = [of(over), of(under)];
    return a === undefined || b === undefined || b <= 0 ? Number.NaN : (a / b) * factor;
  };

  derive('active-threads-per-warp', (of('warp-execution-percent') ?? Number.NaN) * 0.32, 'warp-execution-percent');
  const ideal = of('shared-wavefronts-ideal');
  const wavefronts = of('shared-wavefronts');
  if (ideal !== undefined && wavefronts !== undefined && wavefronts >= fewestWavefronts)
    derive(
      'bank-conflict-share',
      Math.max(0, (1 - ideal / wavefronts) * 100),
      'shared-wavefronts',
      'shared-wavefronts-ideal',
    );
  for (const [conflicts, passes] of [
    ['bank-conflicts', 'shared-wavefronts'],
    ['bank-conflicts-load', 'shared-wavefronts-load'],
    ['bank-conflicts-store', 'shared-wavefronts-store'],
  ] as const) {
    const share = ratio(conflicts, passes, 100);
    const known = numbers.get('bank-conflict-share')?.value;
    if ((of(passes) ?? 0) < fewestWavefronts || !Number.isFinite(share) || (known !== undefined && known >= share))
      continue;
    if (!metrics.has('bank-conflict-share')) numbers.delete('bank-conflict-share');
    derive('bank-conflict-share', Math.min(100, share), conflicts, passes);
  }
  if ((of('shared-requests-load') ?? 0) >= fewestWavefronts)
    derive(
      'bank-conflict-way',
      ratio('shared-wavefronts-load', 'shared-requests-load'),
      'shared-wavefronts-load',
      'shared-requests-load',
    );
  const sectors = of('global-sectors');
  const best = of('global-sectors-ideal');
  if (sectors !== undefined && best !== undefined && sectors > 0)
    derive(
      'excessive-sectors-share',
      Math.max(0, (1 - best / sectors) * 100),
      'global-sectors',
      'global-sectors-ideal',
    );
  derive('sectors-per-request', ratio('sectors-load', 'requests-load'), 'sectors-load', 'requests-load');
  return numbers;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
