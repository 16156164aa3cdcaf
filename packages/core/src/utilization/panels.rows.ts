// Which counters are drawn together.

export interface PanelRow {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** Metrics with one scale, in the order in which they are drawn and named. */
  readonly metrics: readonly string[];
  /** Metrics that are a limit of the others: dashed. */
  readonly limits?: readonly string[];
  /** The scale ends here at least. */
  readonly top?: number;
  /** Left out where nothing of it was ever above 0. */
  readonly seldom?: true;
}

export const panels: readonly PanelRow[] = [
  { id: 'use', title: 'Utilisation', unit: '%', metrics: ['util', 'gract', 'smact', 'smocc'], top: 100 },
  {
    id: 'pipes',
    title: 'Tensor cores, FP pipes and memory',
    unit: '%',
    metrics: ['tensor', 'dram', 'mem', 'fp64', 'fp32', 'fp16'],
    top: 100,
  },
  { id: 'power', title: 'Power', unit: 'W', metrics: ['power'], limits: ['power-limit', 'power-default'] },
  {
    id: 'clocks',
    title: 'Clocks',
    unit: 'MHz',
    metrics: ['sm-clock', 'memory-clock'],
    limits: ['sm-clock-max'],
  },
  { id: 'heat', title: 'Temperature', unit: '°C', metrics: ['temperature', 'memory-temperature'] },
  { id: 'memory', title: 'Memory that is taken', unit: 'MiB', metrics: ['held'], limits: ['memory-total'] },
  { id: 'pcie', title: 'PCIe', unit: 'MB/s', metrics: ['rx', 'tx'] },
  { id: 'nvlink', title: 'NVLink', unit: 'MB/s', metrics: ['nvlink-rx', 'nvlink-tx'] },
  { id: 'video', title: 'Video engines', unit: '%', metrics: ['encoder', 'decoder'], top: 100, seldom: true },
  { id: 'violations', title: 'Held down for power', unit: '%', metrics: ['power-violation'], top: 100, seldom: true },
  {
    id: 'errors',
    title: 'Errors that were counted',
    unit: '',
    metrics: ['replays', 'ecc-corrected', 'ecc-uncorrected', 'xid', 'remap-pending', 'remap-failed'],
    seldom: true,
  },
  {
    id: 'link-errors',
    title: 'NVLink errors that were counted',
    unit: '',
    metrics: ['nvlink-crc-flit', 'nvlink-crc-data', 'nvlink-replays', 'nvlink-recoveries'],
    seldom: true,
  },
];

/** Reasons why clocks are held down, by the bit of the mask (`nvml.h`, nvmlClocksEventReasons). */
export const reasonRows: readonly { readonly bit: number; readonly name: string; readonly harmless: boolean }[] = [
  { bit: 0x1, name: 'idle', harmless: true },
  { bit: 0x2, name: 'application clocks', harmless: false },
  { bit: 0x4, name: 'power cap', harmless: true },
  { bit: 0x8, name: 'hardware slowdown', harmless: false },
  { bit: 0x10, name: 'sync boost', harmless: true },
  { bit: 0x20, name: 'heat (software)', harmless: false },
  { bit: 0x40, name: 'heat (hardware)', harmless: false },
  { bit: 0x80, name: 'power brake', harmless: false },
  { bit: 0x100, name: 'display clocks', harmless: true },
];
