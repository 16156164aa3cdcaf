import type { Detected } from './finding.ts';
import { against } from './finding.ts';
import type { SeriesPlace } from './gpu-series.ts';
import type { GpuView } from './view.ts';

/** What a process or thread used of one core, as `top`, `pidstat` or `ps` tell beside a series. */
export interface CpuUse {
  readonly pid: number;
  readonly name: string;
  readonly percent: number;
  /** A mean since the process began, as `ps` has it. */
  readonly lifetime: boolean;
  readonly place: SeriesPlace;
}

/** What never holds up a job of the GPU: shells, and programs that watch. */
const watchers = /^(?:top|htop|ps|pidstat|py-spy|nvidia-smi|dcgm\S{0,20}|\S{0,20}sshd?|bash|sh|kworker\S{0,40})(?: |$)/;

/**
 * Whether the CPU code of a program holds up a GPU that waits in a rhythm: one thread that fills a core while nothing
 * else works. Where loaders work too, it may be either; null where the list of processes does not say.
 */
export function heldUpByCpu(gpu: GpuView, waits: Detected): Detected | null {
  const { limits, cpu } = gpu;
  const known = new Set((gpu.processes ?? []).map(({ pid }) => pid));
  const used = cpu.filter(({ name }) => !watchers.test(name));
  const full = limits['one-core']!;
  // One thread that fills a core is 100 %; a program of several busy threads shows more, and is no such limit.
  const filled = used.filter(({ percent }) => percent >= full && percent < 200 - full);
  const lead = filled.find(({ pid }) => known.has(pid)) ?? filled[0];
  if (lead === undefined) return null;
  const others = used.filter(({ pid }) => pid !== lead.pid);
  const busy = others.filter(({ percent }) => percent > limits['idle-core']!);
  const program = (name: string): string => name.split(' ')[0]!;
  const loaders = others.filter((each) => !busy.includes(each) && program(each.name) === program(lead.name)).length;
  const shown = {
    shows: [lead.place, ...busy.slice(0, 1).map(({ place }) => place)],
    measured: [
      ...waits.measured,
      ...against(`CPU of pid ${lead.pid} (% of a core)`, lead.percent, '>=', 'one-core'),
      ...against(
        'busiest other process (% of a core)',
        others.length === 0 ? null : Math.max(...others.map(({ percent }) => percent)),
        busy.length > 0 ? '>' : '<=',
        'idle-core',
      ),
    ],
    missing: { fact: 'the function that runs in the waits', ask: `py-spy dump --pid ${lead.pid}` },
  };
  const who = `${program(lead.name)} (pid ${lead.pid}) uses ${Math.round(lead.percent)} % of one core`;
  if (busy.length > 0)
    return {
      ...waits,
      ...shown,
      certainty: 'possible',
      says: `${waits.says}; ${who}, and ${busy.length} other process${busy.length === 1 ? ' works' : 'es work'} too`,
    };
  return {
    cause: 'cpu-bound',
    kind: 'fault',
    // A mean over a life says little of now, and a process that is not listed on the GPU may be another's.
    ...(lead.lifetime || waits.certainty === 'possible' || (known.size > 0 && !known.has(lead.pid))
      ? { certainty: 'possible' as const }
      : {}),
    says: `it waits in a rhythm while ${who}${loaders === 0 ? '' : ` and ${loaders} more of its kind rest`}: the CPU code sets the pace, not the input`,
    ...shown,
  };
}
