import type { Detected } from './finding.ts';
import { against } from './finding.ts';
import type { GpuView } from './view.ts';

const round = Math.round;

/** What no working GPU has at zero, whether it is idle or not. */
const vital = ['power', 'temperature', 'sm-clock', 'memory-clock', 'memory-total', 'power-limit'] as const;
/** What an idle GPU may well have at zero. */
const quiet = ['util', 'mem', 'smact', 'gract', 'tensor', 'dram', 'held', 'encoder', 'decoder', 'rx', 'tx'] as const;

const askDriver = {
  fact: 'what the driver itself says',
  ask: 'nvidia-smi; dcgmi discovery -l; dcgmi dmon -e 203,155,150,100 -c 5',
} as const;

/** A GPU that looks idle because it is not measured; null where what is counted may well be true. */
export function unmeasured(gpu: GpuView, engine: number): Detected | null {
  const { limits } = gpu;
  const measured = against('utilisation (%)', engine, '<=', 'idle-util');
  const dead = (names: readonly string[]): readonly string[] => names.filter((name) => gpu.max(name) === 0);
  const told = (names: readonly string[]): readonly string[] => names.filter((name) => gpu.max(name) !== null);
  const zero = dead([...vital, ...quiet]).length === told([...vital, ...quiet]).length;
  const worked = (gpu.max('util') ?? 0) >= limits['busy-util']!;
  if (zero && dead(vital).length > 0)
    return {
      cause: 'exporter-blind',
      kind: 'unclear',
      says: `every counter is zero, ${dead(vital).map(called).join(' and ')} too, which no working GPU has: it is not measured`,
      measured,
      missing: askDriver,
    };
  // nvidia-smi asks the driver at every row; an exporter may go on with what it has.
  const secondHand = gpu.kinds.has('exporter') || gpu.kinds.has('prometheus') || gpu.kinds.has('dcgmi');
  if (zero && secondHand && !gpu.kinds.has('dmon') && !gpu.kinds.has('query'))
    return {
      cause: 'exporter-blind',
      kind: 'unclear',
      certainty: 'possible',
      says: `${told(quiet).length === 1 ? 'the only counter is' : `all ${told(quiet).length} counters are`} zero, and power, temperature and clocks, which are never zero, are not exported: an idle GPU and one that is not measured look the same`,
      measured,
      missing: {
        fact: 'power (DCGM_FI_DEV_POWER_USAGE, field 155), the temperature (DCGM_FI_DEV_GPU_TEMP, field 150)',
        ask: 'in the CSV file of dcgm-exporter: DCGM_FI_DEV_POWER_USAGE, gauge, Power draw (in W). | DCGM_FI_DEV_GPU_TEMP, gauge, GPU temperature (in C).; at once on the node: nvidia-smi dmon -s pu -c 10',
      },
    };
  // What it draws in its few busy moments says nothing of the time in which it is idle.
  if (!worked && gpu.powerShare !== null && gpu.powerShare >= limits['low-power']!)
    return {
      cause: 'exporter-blind',
      kind: 'unclear',
      says: `it draws ${round(gpu.powerShare)} % of ${gpu.limitCalled}, and its counters say that nothing runs`,
      measured: [...measured, ...against('power (% of the limit)', gpu.powerShare, '>=', 'low-power')],
      missing: { fact: 'what the driver itself says', ask: 'nvidia-smi dmon -s pu -c 10' },
    };
  return null;
}

function called(metric: string): string {
  return metric
    .replaceAll('-', ' ')
    .replace('sm clock', 'the clock of the SMs')
    .replace('memory clock', 'that of the memory');
}

const profiling = ['smact', 'gract', 'tensor', 'dram', 'smocc', 'fp64', 'fp32', 'fp16'] as const;

/** A busy GPU of which every profiling counter is zero; null where that may be true or they are counted. */
export function unprofiled(gpu: GpuView, load: number): Detected | null {
  const { limits } = gpu;
  const told = profiling.filter((name) => gpu.mean(name) !== null);
  if (load < limits['full-util']! || told.length === 0 || told.some((name) => gpu.max(name) !== 0)) return null;
  // The engine is busy whenever any kernel runs. A kernel of one block rounds to 0 % of the SMs of a large GPU in whole percents.
  const engine = told.includes('gract');
  const power = gpu.powerShare;
  const works = power !== null && power >= limits['working-power']!;
  if (!engine && told.length < 2 && !works) return null;
  return {
    cause: 'profiling-counters-blind',
    kind: 'unclear',
    ...(engine || works || load >= 95 ? {} : { certainty: 'possible' as const }),
    says: `it is ${round(load)} % busy and every profiling counter (${told.join(', ')}) is zero: somebody else holds the counters, or they may not be read`,
    measured: [
      ...against('utilisation (%)', load, '>=', 'full-util'),
      ...(works ? against('power (% of the limit)', power, '>=', 'working-power') : []),
    ],
    missing: {
      fact: 'who else uses the counters',
      ask: 'dcgmi profile --resume; ps ax | grep -E "ncu|nsys"; cat /proc/driver/nvidia/params | grep RmProfilingAdminOnly',
    },
  };
}

/** Samples in between in which the GPU, or its profiling counters, were not read; what the others show stands. */
export function darkBetween(gpu: GpuView): readonly Detected[] {
  const { dark, limits } = gpu;
  if (dark === null) return [];
  const found: Detected[] = [];
  const enough = (count: number, others: number): boolean =>
    count >= 5 && others > 0 && (100 * count) / (count + others) >= limits['blind-share']!;
  const share = (count: number, others: number): number => (100 * count) / (count + others);
  if (enough(dark.blind, dark.measured))
    found.push({
      cause: 'exporter-blind',
      kind: 'unclear',
      says: `in ${dark.blind} of ${dark.blind + dark.measured} samples every counter is zero, power and temperature too: it was not measured then, and they are left out`,
      measured: against(
        'share of samples that are not measured (%)',
        share(dark.blind, dark.measured),
        '>=',
        'blind-share',
      ),
      ...(dark.firstBlind === null ? {} : { shows: [dark.firstBlind] }),
      missing: askDriver,
    });
  if (enough(dark.unprofiled, dark.profiled))
    found.push({
      cause: 'profiling-counters-blind',
      kind: 'unclear',
      says: `in ${dark.unprofiled} of ${dark.unprofiled + dark.profiled} busy samples every profiling counter is zero: somebody else held the counters then, and they are left out`,
      measured: against(
        'share of busy samples without profiling counters (%)',
        share(dark.unprofiled, dark.profiled),
        '>=',
        'blind-share',
      ),
      ...(dark.firstUnprofiled === null ? {} : { shows: [dark.firstUnprofiled] }),
      missing: {
        fact: 'who else used the counters',
        ask: 'dcgmi profile --resume; ps ax | grep -E "ncu|nsys"; dcgmi dmon -e 1001,1002 -c 10',
      },
    });
  return found;
}
