// Profiles for tests: the same numbers as raw or details page, wide or long, in the signs of a locale.

export interface TestKernel {
  readonly name: string;
  readonly block?: number;
  readonly grid?: number;
  /** Raw name and value; integers are printed as such. */
  readonly raw: Readonly<Record<string, number>>;
}

export interface Locale {
  readonly decimal: string;
  readonly group: string;
}

export const locales: Readonly<Record<string, Locale>> = {
  english: { decimal: '.', group: ',' },
  german: { decimal: ',', group: '.' },
  french: { decimal: ',', group: '\u202F' },
  swiss: { decimal: '.', group: '’' },
  plain: { decimal: '.', group: '' },
};

export type Form = 'raw-wide' | 'raw-long' | 'details-long' | 'details-wide';
export const forms: readonly Form[] = ['raw-wide', 'raw-long', 'details-long', 'details-wide'];

/** Label, unit and factor of the details page by raw name. */
const details: Readonly<Record<string, readonly [label: string, unit: string, factor?: number]>> = {
  'gpu__time_duration.sum': ['Duration', 'us', 1e-3],
  launch__registers_per_thread: ['Registers Per Thread', 'register/thread'],
  launch__waves_per_multiprocessor: ['Waves Per SM', ''],
  launch__occupancy_limit_registers: ['Block Limit Registers', 'block'],
  launch__occupancy_limit_shared_mem: ['Block Limit Shared Mem', 'block'],
  launch__occupancy_limit_warps: ['Block Limit Warps', 'block'],
  launch__occupancy_limit_blocks: ['Block Limit SM', 'block'],
  sm__maximum_warps_per_active_cycle_pct: ['Theoretical Occupancy', '%'],
  'sm__warps_active.avg.pct_of_peak_sustained_active': ['Achieved Occupancy', '%'],
  'sm__throughput.avg.pct_of_peak_sustained_elapsed': ['Compute (SM) Throughput', '%'],
  'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed': ['Memory Throughput', '%'],
  'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed': ['DRAM Throughput', '%'],
  'smsp__thread_inst_executed_per_inst_executed.ratio': ['Avg. Active Threads Per Warp', ''],
  'gpc__cycles_elapsed.max': ['Elapsed Cycles', 'cycle'],
};

export function printed(value: number, { decimal, group }: Locale): string {
  const [whole = '', rest] = Number.isInteger(value) ? [String(value)] : value.toFixed(2).split('.');
  const grouped = whole.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, group);
  return rest === undefined ? grouped : `${grouped}${decimal}${rest}`;
}

/** A profile of these kernels as the tool prints it. */
export function profileText(kernels: readonly TestKernel[], form: Form, locale: Locale): string {
  const head = [
    'ID',
    'Process ID',
    'Process Name',
    'Host Name',
    'Kernel Name',
    'Context',
    'Stream',
    'Block Size',
    'Grid Size',
    'Device',
    'CC',
  ];
  const launch = (kernel: TestKernel, id: number): readonly string[] => [
    String(id),
    '4711',
    'app',
    '127.0.0.1',
    kernel.name,
    '1',
    '7',
    `(${kernel.block ?? 256}, 1, 1)`,
    `(${kernel.grid ?? 4096}, 1, 1)`,
    '0',
    '9.0',
  ];
  const row = (cells: readonly string[]): string => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
  const isDetails = form.startsWith('details');
  const numbers = (kernel: TestKernel): readonly (readonly [name: string, unit: string, value: number])[] =>
    Object.entries(kernel.raw).map(([name, value]) => {
      const known = isDetails ? details[name] : undefined;
      return known === undefined ? [name, '', value] : [known[0], known[1], value * (known[2] ?? 1)];
    });
  const lines = ['==PROF== Connected to process 4711 (/home/u/app)', 'step 1, loss 0.25'];
  if (form.endsWith('long')) {
    lines.push(
      row([
        ...head,
        'Section Name',
        'Metric Name',
        'Metric Unit',
        'Metric Value',
        'Rule Name',
        'Rule Type',
        'Rule Description',
      ]),
    );
    kernels.forEach((kernel, id) => {
      for (const [name, unit, value] of numbers(kernel))
        lines.push(`${row([...launch(kernel, id), isDetails ? 'Section' : '', name, unit, printed(value, locale)])},`);
    });
  } else {
    const names = [...new Set(kernels.flatMap((kernel) => numbers(kernel).map(([name]) => name)))];
    const unitOf = (name: string): string =>
      kernels.flatMap((kernel) => numbers(kernel)).find(([each]) => each === name)?.[1] ?? '';
    lines.push(row([...head, ...names]), row([...head.map(() => ''), ...names.map(unitOf)]));
    kernels.forEach((kernel, id) => {
      const values = new Map(numbers(kernel).map(([name, , value]) => [name, value]));
      lines.push(
        row([
          ...launch(kernel, id),
          ...names.map((name) => (values.has(name) ? printed(values.get(name)!, locale) : '')),
        ]),
      );
    });
  }
  lines.push('==PROF== Disconnected from process 4711');
  return `${lines.join('\n')}\n`;
}
