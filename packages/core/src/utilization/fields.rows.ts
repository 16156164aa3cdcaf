// DCGM fields by what they measure: what to switch on where a counter is not exported.

export interface FieldRow {
  /** Id of the metric. */
  readonly metric: string;
  /** Name and number in `dcgm_fields.h`. */
  readonly field: string;
  readonly number: number;
  /** Line of the exporter's CSV file, as its own files have it. */
  readonly csv: string;
  /** In words. */
  readonly what: string;
}

/** Source: dcgm_fields.h of NVIDIA/DCGM; etc/default-counters.csv and dcp-metrics-included.csv of NVIDIA/dcgm-exporter. */
export const fields: readonly FieldRow[] = [
  {
    metric: 'util',
    field: 'DCGM_FI_DEV_GPU_UTIL',
    number: 203,
    csv: 'DCGM_FI_DEV_GPU_UTIL, gauge, GPU utilization (in %).',
    what: 'utilisation',
  },
  {
    metric: 'gract',
    field: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE',
    number: 1001,
    csv: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE, gauge, Ratio of time the graphics engine is active.',
    what: 'engine activity',
  },
  {
    metric: 'smact',
    field: 'DCGM_FI_PROF_SM_ACTIVE',
    number: 1002,
    csv: 'DCGM_FI_PROF_SM_ACTIVE, gauge, The ratio of cycles an SM has at least 1 warp assigned.',
    what: 'SM activity',
  },
  {
    metric: 'smocc',
    field: 'DCGM_FI_PROF_SM_OCCUPANCY',
    number: 1003,
    csv: 'DCGM_FI_PROF_SM_OCCUPANCY, gauge, The ratio of number of warps resident on an SM.',
    what: 'SM occupancy',
  },
  {
    metric: 'tensor',
    field: 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE',
    number: 1004,
    csv: 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE, gauge, Ratio of cycles the tensor (HMMA) pipe is active.',
    what: 'use of the tensor cores',
  },
  {
    metric: 'dram',
    field: 'DCGM_FI_PROF_DRAM_ACTIVE',
    number: 1005,
    csv: 'DCGM_FI_PROF_DRAM_ACTIVE, gauge, Ratio of cycles the device memory interface is active sending or receiving data.',
    what: 'use of the memory',
  },
  {
    metric: 'fp64',
    field: 'DCGM_FI_PROF_PIPE_FP64_ACTIVE',
    number: 1006,
    csv: 'DCGM_FI_PROF_PIPE_FP64_ACTIVE, gauge, Ratio of cycles the fp64 pipes are active.',
    what: 'use of the FP64 pipes',
  },
  {
    metric: 'fp32',
    field: 'DCGM_FI_PROF_PIPE_FP32_ACTIVE',
    number: 1007,
    csv: 'DCGM_FI_PROF_PIPE_FP32_ACTIVE, gauge, Ratio of cycles the fp32 pipes are active.',
    what: 'use of the FP32 pipes',
  },
  {
    metric: 'tx',
    field: 'DCGM_FI_PROF_PCIE_TX_BYTES',
    number: 1009,
    csv: 'DCGM_FI_PROF_PCIE_TX_BYTES, gauge, The rate of data transmitted over the PCIe bus in bytes per second.',
    what: 'PCIe traffic out of the GPU',
  },
  {
    metric: 'rx',
    field: 'DCGM_FI_PROF_PCIE_RX_BYTES',
    number: 1010,
    csv: 'DCGM_FI_PROF_PCIE_RX_BYTES, gauge, The rate of data received over the PCIe bus in bytes per second.',
    what: 'PCIe traffic into the GPU',
  },
  {
    metric: 'nvlink-tx',
    field: 'DCGM_FI_PROF_NVLINK_TX_BYTES',
    number: 1011,
    csv: 'DCGM_FI_PROF_NVLINK_TX_BYTES, gauge, The rate of data transmitted over NVLink in bytes per second.',
    what: 'NVLink traffic out of the GPU',
  },
  {
    metric: 'nvlink-rx',
    field: 'DCGM_FI_PROF_NVLINK_RX_BYTES',
    number: 1012,
    csv: 'DCGM_FI_PROF_NVLINK_RX_BYTES, gauge, The rate of data received over NVLink in bytes per second.',
    what: 'NVLink traffic into the GPU',
  },
  {
    metric: 'power',
    field: 'DCGM_FI_DEV_POWER_USAGE',
    number: 155,
    csv: 'DCGM_FI_DEV_POWER_USAGE, gauge, Power draw (in W).',
    what: 'power',
  },
  {
    metric: 'power-limit',
    field: 'DCGM_FI_DEV_POWER_MGMT_LIMIT',
    number: 160,
    csv: 'DCGM_FI_DEV_POWER_MGMT_LIMIT, gauge, Power limit (in W).',
    what: 'the power limit',
  },
  {
    metric: 'temperature',
    field: 'DCGM_FI_DEV_GPU_TEMP',
    number: 150,
    csv: 'DCGM_FI_DEV_GPU_TEMP, gauge, GPU temperature (in C).',
    what: 'the temperature',
  },
  {
    metric: 'sm-clock',
    field: 'DCGM_FI_DEV_SM_CLOCK',
    number: 100,
    csv: 'DCGM_FI_DEV_SM_CLOCK, gauge, SM clock frequency (in MHz).',
    what: 'the clock',
  },
  {
    metric: 'reasons',
    field: 'DCGM_FI_DEV_CLOCK_THROTTLE_REASONS',
    number: 112,
    csv: 'DCGM_FI_DEV_CLOCK_THROTTLE_REASONS, gauge, Current clock throttle reasons (bitmask).',
    what: 'the reasons for its clocks',
  },
];
