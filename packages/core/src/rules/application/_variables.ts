import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';

/** A variable that costs speed, the value that does it, and what it does. */
export interface HarmfulVariable {
  readonly name: string;
  readonly value: RegExp;
  readonly does: string;
  /** Facts or messages that show the very thing it does; with one of them it is more than a suspicion. */
  readonly shownBy: (context: RuleContext) => Fact | undefined;
}

const on = /^(?:1|true|yes|on|y)$/i;

function slow(context: RuleContext): Fact | undefined {
  return context.all('program.slow').find((fact) => fact.scope !== 'other-host' && fact.scope !== 'after-fix');
}

/** NCCL reaches little of what its links can do: sockets where NVLink is, or a few GB/s on average. */
function starved(context: RuleContext): Fact | undefined {
  const nvlink = context.all('gpu.topology').find((fact) => /^NV\d/.test(fact.value.path));
  const socket = transport(context, /^NET\/Socket|^SHM/i);
  const average = context.all('nccl.average-bandwidth').find((fact) => fact.value < 12 && fact.scope !== 'other-host');
  if (average !== undefined) return average;
  return nvlink === undefined ? undefined : socket;
}

function api(context: RuleContext, pattern: RegExp, calls: number): Fact | undefined {
  return context.all('profile.api').find((fact) => pattern.test(fact.value.name) && fact.value.calls >= calls);
}

function transport(context: RuleContext, pattern: RegExp): Fact | undefined {
  return (
    context.all('nccl.transport').find((fact) => pattern.test(fact.value)) ??
    context.all('nccl.net').find((fact) => pattern.test(fact.value))
  );
}

/** Variables of CUDA, NCCL, torch and OpenMP that are for debugging, or for one machine, and slow others down. */
export const harmfulVariables: readonly HarmfulVariable[] = [
  { name: 'CUDA_LAUNCH_BLOCKING', value: on, does: 'makes the host wait for every kernel', shownBy: slow },
  {
    name: 'NCCL_P2P_DISABLE',
    value: on,
    does: 'keeps NCCL off NVLink and PCIe peer access',
    shownBy: (c) => starved(c) ?? slow(c),
  },
  {
    name: 'NCCL_IB_DISABLE',
    value: on,
    does: 'sends the traffic between nodes over sockets',
    shownBy: (c) => starved(c) ?? slow(c),
  },
  {
    name: 'NCCL_SHM_DISABLE',
    value: on,
    does: 'sends traffic inside the node over the network',
    shownBy: (c) => starved(c) ?? slow(c),
  },
  { name: 'NCCL_NET_GDR_LEVEL', value: /^(?:0|LOC)$/i, does: 'turns GPUDirect RDMA off', shownBy: slow },
  { name: 'NCCL_ALGO', value: /./, does: 'pins one algorithm for all sizes', shownBy: slow },
  { name: 'NCCL_PROTO', value: /./, does: 'pins one protocol for all sizes', shownBy: slow },
  { name: 'NCCL_MAX_NCHANNELS', value: /^[12]$/, does: 'leaves NCCL one or two channels', shownBy: slow },
  { name: 'CUDA_FORCE_PTX_JIT', value: on, does: 'compiles every kernel again when it is loaded', shownBy: slow },
  { name: 'CUDA_CACHE_DISABLE', value: on, does: 'throws compiled kernels away after each run', shownBy: slow },
  { name: 'CUDA_DEVICE_MAX_CONNECTIONS', value: /^1$/, does: 'gives all streams one queue', shownBy: slow },
  {
    name: 'PYTORCH_NO_CUDA_MEMORY_CACHING',
    value: on,
    does: 'allocates device memory anew for every tensor',
    shownBy: (c) => api(c, /^cudaMalloc$/, 1000) ?? slow(c),
  },
  { name: 'CUDA_MODULE_LOADING', value: /^EAGER$/i, does: 'loads every kernel at the start', shownBy: slow },
  { name: 'NVIDIA_TF32_OVERRIDE', value: /^0$/, does: 'keeps matrix products off the tensor cores', shownBy: slow },
  {
    name: 'OMP_NUM_THREADS',
    value: /^1$/,
    does: 'leaves the processor work of each process one thread',
    shownBy: (c) => c.all('profile.step').find((fact) => fact.value.data > 0.4 * fact.value.total) ?? undefined,
  },
  {
    name: 'CUDA_INJECTION64_PATH',
    value: /./,
    does: 'leaves a profiler or checker in front of every call',
    shownBy: slow,
  },
  { name: 'NCCL_DEBUG', value: /^TRACE$/i, does: 'writes a line for every call', shownBy: slow },
];
