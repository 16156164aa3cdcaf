// Where on the time axis a finding holds: the conditions of the detectors, asked of each stretch of a history.

export interface Condition {
  readonly metric: string;
  /** Which value of the stretch; its mean where absent. */
  readonly at?: 'lowest' | 'highest';
  readonly is: '>=' | '<=' | '<' | '>';
  /** A threshold by its name, or a number. */
  readonly than: string | number;
  /** The value counts in percent of the most of this metric. */
  readonly of?: 'sm-clock-max';
  /** Holds where the metric is not known. */
  readonly whereKnown?: true;
}

export interface MarkRow {
  readonly cause: string;
  /** All of them hold in a stretch that is marked; none: the whole series is. */
  readonly all: readonly Condition[];
  /** Bits of the mask of clock reasons, one of which is set. */
  readonly bits?: number;
  /** Metrics on whose pictures it is marked. */
  readonly on: readonly string[];
}

const waits: readonly Condition[] = [{ metric: 'util', at: 'lowest', is: '<=', than: 15 }];
const full: Condition = { metric: 'util', is: '>=', than: 'full-util' };
const busy: Condition = { metric: 'util', is: '>=', than: 'busy-util', whereKnown: true };

export const marks: readonly MarkRow[] = [
  {
    cause: 'busy-label-idle-sms',
    all: [full, { metric: 'smact', is: '<', than: 'low-sm' }],
    on: ['util', 'smact'],
  },
  {
    cause: 'launch-bound-needs-cuda-graphs',
    all: [full, { metric: 'smact', is: '<', than: 'low-sm' }],
    on: ['util', 'smact', 'gract'],
  },
  {
    cause: 'managed-memory-page-faults',
    all: [
      { metric: 'rx', is: '>=', than: 'thrash-rate' },
      { metric: 'tx', is: '>=', than: 'thrash-rate' },
    ],
    on: ['rx', 'tx', 'mem'],
  },
  {
    cause: 'hung-kernel-app-deadlock',
    all: [
      { metric: 'util', is: '>=', than: 99 },
      { metric: 'mem', is: '<=', than: 1, whereKnown: true },
    ],
    on: ['util', 'power', 'mem'],
  },
  {
    cause: 'collective-hang',
    all: [
      { metric: 'util', is: '>=', than: 99 },
      { metric: 'mem', is: '<=', than: 1, whereKnown: true },
    ],
    on: ['util', 'power', 'mem'],
  },
  { cause: 'input-pipeline-bound', all: waits, on: ['util'] },
  { cause: 'cpu-bound', all: waits, on: ['util'] },
  { cause: 'straggler-rank-input', all: waits, on: ['util'] },
  { cause: 'host-offload-copy-bound', all: waits, on: ['util', 'rx', 'tx'] },
  {
    cause: 'tensor-cores-idle',
    all: [busy, { metric: 'tensor', is: '<=', than: 'tensor-idle' }],
    on: ['tensor', 'smact'],
  },
  {
    cause: 'encoder-bound',
    all: [{ metric: 'encoder', is: '>=', than: 'encoder' }],
    on: ['encoder', 'decoder'],
  },
  {
    cause: 'nvlink-idle-multi-gpu',
    all: [
      { metric: 'nvlink-rx', is: '<=', than: 'quiet-rate' },
      { metric: 'rx', is: '>=', than: 'thrash-rate' },
    ],
    on: ['nvlink-rx', 'rx', 'tx'],
  },
  { cause: 'power-brake-slowdown', all: [], bits: 0x80, on: ['sm-clock', 'power', 'reasons'] },
  { cause: 'thermal-throttle', all: [], bits: 0x60, on: ['sm-clock', 'temperature', 'reasons'] },
  { cause: 'power-limit-lowered', all: [], bits: 0x4, on: ['power', 'sm-clock', 'reasons'] },
  {
    cause: 'power-throttle',
    all: [busy, { metric: 'sm-clock', is: '<', than: 'low-clock', of: 'sm-clock-max' }],
    bits: 0x4,
    on: ['sm-clock', 'power', 'reasons'],
  },
  { cause: 'application-clocks-lowered', all: [busy], bits: 0x2, on: ['sm-clock', 'reasons'] },
  { cause: 'straggler-gpu', all: [busy], on: ['sm-clock', 'power'] },
  {
    cause: 'gpu-memory-held-by-orphans',
    all: [
      { metric: 'held', is: '>=', than: 'held-memory' },
      { metric: 'util', is: '<=', than: 'idle-util' },
    ],
    on: ['held', 'util'],
  },
  {
    cause: 'pcie-link-degraded',
    all: [busy],
    on: ['rx', 'tx', 'replays'],
  },
  { cause: 'profiling-counters-blind', all: [full], on: ['util', 'smact'] },
  { cause: 'exporter-blind', all: [], on: ['util', 'power'] },
  {
    cause: 'uncorrectable-ecc',
    all: [{ metric: 'ecc-uncorrected', is: '>=', than: 'ecc-errors' }],
    on: ['ecc-uncorrected'],
  },
  {
    cause: 'row-remap-failure-rma',
    all: [{ metric: 'remap-failed', is: '>=', than: 'row-remaps' }],
    on: ['remap-failed'],
  },
  {
    cause: 'row-remap-pending-needs-reset',
    all: [{ metric: 'remap-pending', is: '>=', than: 'row-remaps' }],
    on: ['remap-pending'],
  },
  { cause: 'nvlink-fault', all: [], on: ['nvlink-crc-flit', 'nvlink-crc-data', 'nvlink-replays', 'nvlink-recoveries'] },
  { cause: 'mig-instances-imbalanced', all: [], on: ['gract', 'smact'] },
  { cause: 'mps-clients-imbalanced', all: [], on: ['util', 'smact'] },
];
