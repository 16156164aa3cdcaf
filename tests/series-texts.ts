// The layouts of the tools for series of a simulated machine, with what happens to them on the way: lost samples, cells
// that stay empty, clocks that disagree, columns that nobody asked for.
import type { Sample } from './series-machine.ts';
import { randomOf } from './series-random.ts';

/** Who a GPU or an instance is. */
export interface Named {
  readonly gpu: number;
  readonly instance?: number;
  readonly profile?: string;
  readonly host?: string;
  readonly pod?: string;
}

/** What is written down. */
export interface Measured {
  readonly samples: readonly (readonly (Sample | null)[])[];
  readonly names: readonly Named[];
  readonly board: string;
  readonly step: number;
  /** GPUs are in MIG mode. */
  readonly mig?: boolean;
}

export interface Wear {
  readonly seed: number;
  /** Share of rows, and of cells, that are not there. */
  readonly lostRows: number;
  readonly lostCells: number;
  /** Seconds by which the clock of this file is ahead. */
  readonly ahead: number;
}

/** Columns of `nvidia-smi dmon` by letter of `-s`. */
const letters: Readonly<Record<string, readonly string[]>> = {
  p: ['pwr', 'gtemp', 'mtemp'],
  u: ['sm', 'mem', 'enc', 'dec', 'jpg', 'ofa'],
  c: ['mclk', 'pclk'],
  v: ['pviol', 'tviol'],
  m: ['fb', 'bar1', 'ccpm'],
  e: ['sbecc', 'dbecc', 'pci'],
  t: ['rxpci', 'txpci'],
};
const gpm: readonly (readonly [string, string])[] = [
  ['smutil', 'smact'],
  ['smocc', 'smocc'],
  ['mmaact', 'tensor'],
  ['drmact', 'dram'],
  ['fp64act', 'fp64'],
];
export const dmonAges = ['r470', 'r535', 'r590', 'csv', 'gpm'] as const;
export type DmonAge = (typeof dmonAges)[number];

/** Metrics that a `dmon` of these letters has. */
export function dmonCarries(sets: string, age: DmonAge): readonly string[] {
  return [
    ...sets.split('').flatMap((letter) => letters[letter]!),
    ...(age === 'gpm' ? gpm.map(([, metric]) => metric) : []),
  ];
}

const began = Date.UTC(2026, 2, 3, 14, 2, 11);

export function clockAt(seconds: number): string {
  return new Date(began + 1000 * seconds).toISOString();
}

/** As `nvidia-smi dmon -s … -o …` prints it. @param time `T`, `DT` or nothing */
export function machineDmon(measured: Measured, age: DmonAge, sets: string, time: '' | 'T' | 'DT', wear: Wear): string {
  const random = randomOf(wear.seed);
  const old = age === 'r470';
  const names = dmonCarries(sets, 'r590').filter((name) => !old || !['jpg', 'ofa', 'ccpm'].includes(name));
  const columns = [...names.map((name) => [name, name] as const), ...(age === 'gpm' ? gpm : [])];
  const wide = old ? 5 : 6;
  const stamp = (t: number): string => {
    const clock = clockAt(t + wear.ahead);
    const parts = [clock.slice(0, 10).replaceAll('-', ''), clock.slice(11, 19)];
    return time === '' ? '' : ` ${(time === 'T' ? parts.slice(1) : parts).join('   ')}  `;
  };
  const put = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(wide)).join(' ');
  const headTime = time === '' ? ' ' : time === 'T' ? 'Time        ' : 'Date        Time        ';
  const unitTime = time === '' ? ' ' : time === 'T' ? 'HH:MM:SS    ' : 'YYYYMMDD    HH:MM:SS    ';
  const head = `#${headTime}gpu ${put(columns.map(([name]) => name))} `;
  const units = `#${unitTime}Idx ${put(columns.map(([name]) => unitOf(name)))} `;
  const lines: string[] = [];
  const count = measured.samples[0]!.length;
  for (let at = 0; at < count; at++) {
    if (lines.length === 0 || (age !== 'csv' && at % 20 === 0)) lines.push(head, units);
    measured.samples.forEach((samples, index) => {
      const sample = samples[at];
      if (sample == null || random() < wear.lostRows) return;
      const cells = columns.map(([name, metric]) => {
        const value = dmonCell(sample, name, metric, measured.mig === true);
        return random() < wear.lostCells ? '-' : value;
      });
      lines.push(`${stamp(at * measured.step)}${String(measured.names[index]!.gpu).padStart(5)} ${put(cells)} `);
    });
  }
  const text = `${lines.join('\n')}\n`;
  if (age !== 'csv') return text;
  return text
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^# ?/, '#')
        .replaceAll(/ {1,40}/g, ', '),
    )
    .join('\n');
}

function unitOf(name: string): string {
  const units: Record<string, string> = {
    pwr: 'W',
    gtemp: 'C',
    mtemp: 'C',
    mclk: 'MHz',
    pclk: 'MHz',
    fb: 'MB',
    bar1: 'MB',
    ccpm: 'MB',
  };
  return (
    units[name] ??
    (/pci$/.test(name) && name !== 'pci'
      ? 'MB/s'
      : /util|act|smocc/.test(name)
        ? 'GPM:%'
        : name === 'pci'
          ? 'errs'
          : '%')
  );
}

function dmonCell(sample: Sample, name: string, metric: string, mig: boolean): string {
  if (name === 'jpg' || name === 'ofa' || name === 'ccpm') return mig ? '-' : '0';
  if (name === 'bar1') return '2';
  if (mig && ['sm', 'mem', 'enc', 'dec'].includes(name)) return '-';
  const value = sample[metric];
  return value === null || value === undefined ? '-' : String(Math.round(value));
}

const queried: readonly (readonly [string, string, (value: number) => string])[] = [
  ['utilization.gpu [%]', 'sm', (v) => `${Math.round(v)} %`],
  ['utilization.memory [%]', 'mem', (v) => `${Math.round(v)} %`],
  ['memory.used [MiB]', 'fb', (v) => `${v} MiB`],
  ['memory.total [MiB]', 'size', (v) => `${v} MiB`],
  ['power.draw [W]', 'pwr', (v) => `${v.toFixed(2)} W`],
  ['power.limit [W]', 'limit', (v) => `${v.toFixed(2)} W`],
  ['power.default_limit [W]', 'default', (v) => `${v.toFixed(2)} W`],
  ['temperature.gpu', 'gtemp', (v) => String(v)],
  ['clocks.current.sm [MHz]', 'pclk', (v) => `${v} MHz`],
  ['clocks.max.sm [MHz]', 'top', (v) => `${v} MHz`],
  ['clocks_event_reasons.active', 'reasons', (v) => `0x${v.toString(16).padStart(16, '0')}`],
  ['pcie.link.gen.current', 'gen', (v) => String(v)],
  ['pcie.link.gen.max', 'genMax', (v) => String(v)],
  ['pcie.link.width.current', 'width', (v) => String(v)],
  ['pcie.link.width.max', 'widthMax', (v) => String(v)],
  ['utilization.encoder [%]', 'enc', (v) => `${v} %`],
  ['utilization.decoder [%]', 'dec', (v) => `${v} %`],
  ['ecc.errors.corrected.volatile.total', 'sbeccNow', (v) => String(v)],
  ['ecc.errors.uncorrected.volatile.total', 'dbeccNow', (v) => String(v)],
  ['ecc.errors.uncorrected.aggregate.total', 'dbecc', (v) => String(v)],
  ['remapped_rows.pending', 'remapPending', (v) => String(v)],
  ['remapped_rows.failure', 'remapFailed', (v) => String(v)],
];

/** Metrics of the query without those that are left out. */
export function queryCarries(without: readonly string[]): readonly string[] {
  return queried.map(([, metric]) => metric).filter((metric) => !without.includes(metric));
}

/** As `nvidia-smi --query-gpu=… --format=csv -l …` prints it. */
export function machineQuery(measured: Measured, without: readonly string[], units: boolean, wear: Wear): string {
  const random = randomOf(wear.seed + 5);
  const columns = queried.filter(([, metric]) => !without.includes(metric));
  const lines = [
    [
      'timestamp',
      'index',
      'name',
      ...columns.map(([name]) => (units ? name : name.replace(/ \[\w{1,5}%?\]| \[%\]/, ''))),
    ].join(', '),
  ];
  const count = measured.samples[0]!.length;
  for (let at = 0; at < count; at++)
    measured.samples.forEach((samples, index) => {
      const sample = samples[at];
      if (sample == null || random() < wear.lostRows) return;
      const clock = clockAt(at * measured.step + wear.ahead + 0.1 * random());
      const cells = columns.map(([, metric, shown]) => {
        const value = sample[metric];
        const dark = measured.mig === true && ['sm', 'mem', 'enc', 'dec'].includes(metric);
        if (dark || value === null || value === undefined || random() < wear.lostCells) return '[N/A]';
        const text = shown(value);
        return units ? text : text.replace(/ (?:MiB|MHz|W|%)$/, '');
      });
      lines.push(
        [
          `${clock.slice(0, 10).replaceAll('-', '/')} ${clock.slice(11, 23)}`,
          measured.names[index]!.gpu,
          measured.board,
          ...cells,
        ].join(', '),
      );
    });
  return `${lines.join('\n')}\n`;
}

const tagged: readonly (readonly [string, string, number, number])[] = [
  ['GPUTL', 'sm', 1, 0],
  ['MCUTL', 'mem', 1, 0],
  ['GRACT', 'gract', 0.01, 3],
  ['SMACT', 'smact', 0.01, 3],
  ['SMOCC', 'smocc', 0.01, 3],
  ['TENSO', 'tensor', 0.01, 3],
  ['DRAMA', 'dram', 0.01, 3],
  ['FP64A', 'fp64', 0.01, 3],
  ['FP32A', 'fp32', 0.01, 3],
  ['POWER', 'pwr', 1, 3],
  ['TMPTR', 'gtemp', 1, 0],
  ['SMCLK', 'pclk', 1, 0],
  ['FBUSD', 'fb', 1, 0],
  ['PCITX', 'txpci', 1e6, 0],
  ['PCIRX', 'rxpci', 1e6, 0],
  ['NVLTX', 'nvtx', 1e6, 0],
  ['NVLRX', 'nvrx', 1e6, 0],
  ['DVCCTR', 'reasons', 1, 0],
];
export const dcgmiCarries: readonly string[] = tagged.map(([, metric]) => metric);

/** As `dcgmi dmon -e … -d …` prints it. */
export function machineDcgmi(measured: Measured, wear: Wear): string {
  const random = randomOf(wear.seed + 9);
  const wide = 14;
  const head = `${'#Entity'.padEnd(16)}${tagged.map(([tag]) => tag.padEnd(wide)).join('')}`;
  const lines: string[] = [];
  const count = measured.samples[0]!.length;
  for (let at = 0; at < count; at++) {
    if (at % 18 === 0) lines.push(head, 'ID'.padEnd(head.length));
    measured.samples.forEach((samples, index) => {
      const sample = samples[at];
      if (sample == null || random() < wear.lostRows) return;
      const cells = tagged.map(([, metric, scale, digits]) => {
        const value = sample[metric];
        if (value === null || value === undefined) return 'N/A'.padEnd(wide);
        return (random() < wear.lostCells ? '' : (value * scale).toFixed(digits)).padEnd(wide);
      });
      const named = measured.names[index]!;
      const entity = named.instance === undefined ? `GPU ${named.gpu}` : `GPU-I ${named.instance}`;
      lines.push(`${entity.padEnd(16)}${cells.join('')}`);
    });
  }
  return `${lines.join('\n')}\n`;
}

const fields: readonly (readonly [string, string, string, number])[] = [
  ['DCGM_FI_DEV_SM_CLOCK', '', 'pclk', 1],
  ['DCGM_FI_DEV_GPU_TEMP', '', 'gtemp', 1],
  ['DCGM_FI_DEV_POWER_USAGE', '', 'pwr', 1],
  ['DCGM_FI_DEV_POWER_MGMT_LIMIT', '', 'limit', 1],
  ['DCGM_FI_DEV_PCIE_REPLAY_COUNTER', '', 'pci', 1],
  ['DCGM_FI_DEV_GPU_UTIL', 'DCGM_FI_DEV_GPU_UTIL_RATIO', 'sm', 1],
  ['DCGM_FI_DEV_MEM_COPY_UTIL', 'DCGM_FI_DEV_MEM_COPY_UTIL_RATIO', 'mem', 1],
  ['DCGM_FI_DEV_ENC_UTIL', '', 'enc', 1],
  ['DCGM_FI_DEV_DEC_UTIL', '', 'dec', 1],
  ['DCGM_FI_DEV_XID_ERRORS', 'DCGM_FI_DEV_XID_ERROR', 'xid', 1],
  ['DCGM_FI_DEV_FB_USED', '', 'fb', 1],
  ['DCGM_FI_DEV_ECC_DBE_VOL_TOTAL', '', 'dbeccNow', 1],
  ['DCGM_FI_DEV_ROW_REMAP_FAILURE', '', 'remapFailed', 1],
  ['DCGM_FI_DEV_ROW_REMAP_PENDING', '', 'remapPending', 1],
  ['DCGM_FI_DEV_CLOCK_THROTTLE_REASONS', 'DCGM_FI_DEV_CLOCKS_EVENT_REASONS', 'reasons', 1],
  ['DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL', '', 'crc', 1],
  ['DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL', '', 'nvReplays', 1],
  ['DCGM_FI_PROF_GR_ENGINE_ACTIVE', 'DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO', 'gract', 0.01],
  ['DCGM_FI_PROF_SM_ACTIVE', 'DCGM_FI_PROF_SM_UTIL_RATIO', 'smact', 0.01],
  ['DCGM_FI_PROF_SM_OCCUPANCY', 'DCGM_FI_PROF_SM_OCCUPANCY_RATIO', 'smocc', 0.01],
  ['DCGM_FI_PROF_PIPE_TENSOR_ACTIVE', 'DCGM_FI_PROF_TENSOR_UTIL_RATIO', 'tensor', 0.01],
  ['DCGM_FI_PROF_DRAM_ACTIVE', 'DCGM_FI_PROF_DRAM_UTIL_RATIO', 'dram', 0.01],
  ['DCGM_FI_PROF_PIPE_FP64_ACTIVE', 'DCGM_FI_PROF_FP64_UTIL_RATIO', 'fp64', 0.01],
  ['DCGM_FI_PROF_PIPE_FP32_ACTIVE', 'DCGM_FI_PROF_FP32_UTIL_RATIO', 'fp32', 0.01],
  ['DCGM_FI_PROF_PCIE_RX_BYTES', '', 'rxpci', 1e6],
  ['DCGM_FI_PROF_PCIE_TX_BYTES', '', 'txpci', 1e6],
  ['DCGM_FI_PROF_NVLINK_RX_BYTES', '', 'nvrx', 1e6],
  ['DCGM_FI_PROF_NVLINK_TX_BYTES', '', 'nvtx', 1e6],
];

export function exporterCarries(without: readonly string[]): readonly string[] {
  return fields.map(([, , metric]) => metric).filter((metric) => !without.includes(metric));
}

/** Labels as dcgm-exporter gives them. */
function labelsOf(named: Named, board: string): Readonly<Record<string, string>> {
  const { gpu, instance, profile, host = 'node-a', pod } = named;
  return {
    gpu: String(gpu),
    UUID: `GPU-${host.slice(-1).charCodeAt(0)}000000${gpu}-5528-4d1f-8d02-6a7b13cc9f40`,
    pci_bus_id: `00000000:${19 + gpu}:00.0`,
    device: `nvidia${gpu}`,
    modelName: board,
    ...(instance === undefined ? {} : { GPU_I_PROFILE: profile ?? '1g.10gb', GPU_I_ID: String(instance) }),
    Hostname: host,
    DCGM_FI_DRIVER_VERSION: '580.95.05',
    ...(pod === undefined ? {} : { container: 'main', namespace: 'ml', pod }),
  };
}

/** One series as a server or an exporter has it: its name, labels and value at each sample. */
export function exportedSeries(
  measured: Measured,
  without: readonly string[],
  renamed: boolean,
): readonly {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly at: (sample: number) => number | null;
}[] {
  const all = fields.filter(([, , metric]) => !without.includes(metric));
  return all.flatMap(([name, later, metric, scale]) =>
    measured.names.flatMap((named, index) => {
      const samples = measured.samples[index]!;
      if (samples.every((sample) => sample?.[metric] == null)) return [];
      if (named.instance !== undefined && ['sm', 'mem', 'enc', 'dec', 'rxpci', 'txpci'].includes(metric)) return [];
      return [
        {
          name: renamed && later !== '' ? later : name,
          labels: labelsOf(named, measured.board),
          at: (sample: number) => {
            const value = samples[sample]?.[metric];
            return value == null ? null : Number((value * scale).toPrecision(6));
          },
        },
      ];
    }),
  );
}

/** Several scrapes of dcgm-exporter, one after the other. */
export function machineExporter(
  measured: Measured,
  without: readonly string[],
  renamed: boolean,
  every: number,
  wear: Wear,
): string {
  const random = randomOf(wear.seed + 13);
  const series = exportedSeries(measured, without, renamed);
  const lines: string[] = [];
  const count = measured.samples[0]!.length;
  for (let at = 0; at < count; at += every) {
    if (random() < wear.lostRows) continue;
    let last = '';
    for (const { name, labels, at: valueAt } of series) {
      const value = valueAt(at);
      if (value === null || random() < wear.lostCells / 4) continue;
      if (name !== last) lines.push(`# HELP ${name} A counter.`, `# TYPE ${name} gauge`);
      last = name;
      const words = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
      lines.push(`${name}{${words.join(',')}} ${value}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** A process as `pmon` shows it. */
export interface Process {
  readonly pid: number;
  readonly name: string;
  readonly type?: string;
  readonly sm?: number;
  readonly mem?: number;
}

/** As `nvidia-smi pmon` prints it. */
export function machinePmon(processes: readonly (readonly Process[])[], times: number): string {
  const lines = [
    '# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command ',
    '# Idx           #    C/G      %      %      %      %      %      %    name ',
  ];
  for (let at = 0; at < times; at++)
    processes.forEach((own, gpu) => {
      if (own.length === 0)
        lines.push(`    ${gpu}          -     -      -      -      -      -      -      -    -              `);
      for (const { pid, name, type = 'C', sm, mem } of own) {
        const cell = (value: number | undefined): string =>
          String(value === undefined ? '-' : Math.round(value)).padStart(6);
        lines.push(
          `    ${gpu} ${String(pid).padStart(10)} ${type.padStart(5)} ${cell(sm)} ${cell(mem)}      -      -      -      -    ${name.padEnd(14)} `,
        );
      }
    });
  return `${lines.join('\n')}\n`;
}
