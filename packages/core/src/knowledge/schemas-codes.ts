import { z } from 'zod';
import { cited, line, prose, note, capability, id, whole, count, bool, list, layer, owner } from './schemas-shared.ts';
import type { RowSchemas } from './schemas-shared.ts';
import type * as ncu from './ncu.types.ts';
import type * as error from './errors.types.ts';
import type { GpuMemoryRow } from './gpu-memory.types.ts';
import type * as occupancy from './occupancy.types.ts';
import type * as xid from './xids.types.ts';

const occupancyRow: z.ZodType<occupancy.OccupancyRow> = z.strictObject({
  computeCapability: capability,
  family: line,
  examples: list(line),
  warpSize: count,
  maxThreadsPerBlock: count,
  maxThreadsPerSm: count,
  maxWarpsPerSm: count,
  maxBlocksPerSm: count,
  registersPerSm: count,
  registersPerBlock: count,
  maxRegistersPerThread: count,
  headerMaxRegistersPerThread: count,
  registerAllocationUnit: count,
  registerAllocationGranularity: z.literal('warp'),
  subPartitionsPerSm: count,
  warpAllocationGranularity: count,
  sharedMemoryPerSm: count,
  sharedMemoryPerBlockDefault: count,
  sharedMemoryPerBlockOptin: count,
  reservedSharedMemoryPerBlock: count,
  sharedMemoryAllocationUnit: count,
  sharedMemoryCarveoutsKiB: list(count),
  carveoutIsConfigurable: bool,
  unifiedL1SharedKiB: count.nullable(),
  maxNamedBarriersPerBlock: count,
  barriersPerSm: count,
  barrierLimitApplies: bool,
  virtualResourcesPerSm: count,
  partitionedGlobalCaching: bool,
  clusters: bool,
  maxPortableClusterSize: count.nullable(),
  confirmedFields: z.strictObject({
    maxNamedBarriersPerBlock: bool,
    maxPortableClusterSize: bool,
    unifiedL1SharedKiB: bool,
  }),
  notes: list(prose),
  ...cited,
});

const migProfile: z.ZodType<occupancy.MigProfileRow> = z.strictObject({
  gpu: line,
  profile: line,
  slices: count,
  sms: count.nullable(),
  ...cited,
});

const gpuMemory: z.ZodType<GpuMemoryRow> = z.strictObject({
  gpu: line,
  variant: line.nullable(),
  memory: z.enum(['HBM2', 'HBM2e', 'HBM3', 'HBM3e', 'GDDR6', 'GDDR6X', 'GDDR7']),
  memoryGB: count,
  memoryGBps: count,
  l2KiB: count.nullable(),
  l2BytesPerClock: count.nullable(),
  clockMHz: count,
  nvlinkGBps: z.number().min(0).max(1_000_000).nullable(),
  host: z.enum(['PCIe', 'NVLink-C2C']),
  pcie: z.int().min(1).max(9).nullable(),
  hostGBps: count.nullable(),
  confirmedFields: z.strictObject({ l2: bool, nvlink: bool, host: bool }),
  ...cited,
});

const ncuMetric: z.ZodType<ncu.NcuMetricRow> = z.strictObject({
  id,
  title: line,
  raw: list(line),
  labels: list(line),
  unit: z.enum(['ns', 'byte', 'byte/s', '%', 'count', 'threads', 'warps', 'blocks', 'ratio']),
  definition: prose,
  reads: prose,
  owner,
  ...cited,
});

const stallReason: z.ZodType<ncu.StallReasonRow> = z.strictObject({
  id: line,
  label: line,
  what: prose,
  helps: prose,
  owner,
  ...cited,
});

const cudaError: z.ZodType<error.CudaErrorRow> = z.strictObject({
  code: whole,
  runtime: line.nullable(),
  driver: line.nullable(),
  string: line,
  stringOlder: line.nullable(),
  class: id,
  layer: layer.nullable(),
  owner,
  sticky: bool,
  needsHostFacts: bool,
  deprecated: bool,
  newer: bool,
  meaning: prose,
  ...cited,
});

const statusLibrary: z.ZodType<error.StatusLibraryRow> = z.strictObject({
  library: id,
  type: line,
  applies: line,
  layer,
  note,
  ...cited,
});

const libraryStatus: z.ZodType<error.LibraryStatusRow> = z.strictObject({
  library: id,
  code: whole,
  name: line,
  owner,
  needsHostFacts: bool,
  meaning: prose,
  ...cited,
});

const ncclResult: z.ZodType<error.NcclResultRow> = z.strictObject({
  code: whole,
  name: line,
  string: line,
  owners: list(owner),
  needsHostFacts: bool,
  meaning: prose,
  typicalCauses: list(prose),
  ...cited,
});

const nvmlReturn: z.ZodType<error.NvmlReturnRow> = z.strictObject({
  code: whole,
  name: line,
  string: line.nullable(),
  owner,
  needsHostFacts: bool,
  meaning: prose,
  ...cited,
});

const xidStep = z.enum([
  'ignore',
  'restart-application',
  'reset-gpu',
  'restart-vm',
  'restart-host',
  'update-software',
  'check-mechanicals',
  'check-uvm',
  'check-application',
  'check-link',
  'check-peer',
  'check-host',
  'restart-fabric-manager',
  'follow-other-xid',
  'follow-recovery-action',
  'workflow',
  'contact-support',
]);

const xidRow: z.ZodType<xid.XidRow> = z.strictObject({
  code: count,
  name: line.nullable(),
  symbol: line.nullable(),
  class: z.enum([
    'application',
    'driver',
    'hardware',
    'operator',
    'follow-on',
    'informational',
    'reserved',
    'unused',
    'undefined',
  ]),
  layer: z.enum(['hardware', 'driver', 'application', 'fabric']).nullable(),
  severity: z.enum(['fatal', 'critical', 'error', 'warning', 'info', 'unknown']),
  meaning: prose,
  action: prose,
  immediate: xidStep.nullable(),
  investigate: xidStep.nullable(),
  discriminator: note,
  cause: id.nullable(),
  pluginIgnores: bool,
  evidence: z.enum(['confirmed', 'historical', 'source-name-only', 'unconfirmed']),
  ...cited,
});

const nvlinkXid: z.ZodType<xid.NvlinkXidRow> = z.strictObject({
  code: count,
  unit: line,
  id: count,
  idBefore575: count,
  reason: count,
  status: z.int().min(0).max(0xffff_ffff).nullable(),
  severity: z.enum(['fatal', 'non-fatal', 'link-fatal']),
  sides: list(z.enum(['hardware', 'software', 'firmware'])),
  immediate: xidStep,
  resetIfBit7: bool,
  investigate: xidStep,
  ...cited,
});

const nvlinkRegister: z.ZodType<xid.NvlinkRegisterRow> = z.strictObject({
  register: count,
  bits: list(z.int().min(0).max(31)),
  kind: z.enum(['ignore', 'secondary', 'ecc', 'mechanical', 'signal', 'report', 'diagnose', 'threshold']),
  what: prose,
  ...cited,
});

const sxid: z.ZodType<xid.SxidRow> = z.strictObject({
  code: count,
  symbol: line,
  driverSeverity: z.enum(['fatal', 'non-fatal']).nullable(),
  guideClass: z.enum(['always-fatal', 'potentially-fatal', 'non-fatal']).nullable(),
  guideName: line.nullable(),
  texts: list(line),
  ...cited,
});

/** Shapes of the tables of occupancy, error codes and Xids. */
export const codeSchemas: RowSchemas = {
  occupancy: occupancyRow,
  'mig-profiles': migProfile,
  'gpu-memory': gpuMemory,
  'ncu-metrics': ncuMetric,
  'stall-reasons': stallReason,
  'cuda-errors': cudaError,
  'status-libraries': statusLibrary,
  'library-statuses': libraryStatus,
  'nccl-results': ncclResult,
  'nvml-returns': nvmlReturn,
  xids: xidRow,
  'nvlink-xids': nvlinkXid,
  'nvlink-registers': nvlinkRegister,
  sxids: sxid,
};
