import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';

/** Xids of a kernel log or journal of this machine. */
export function loggedXids(context: RuleContext, codes: readonly number[]): readonly Fact<'gpu.xid'>[] {
  // A line that somebody wrote to the kernel log by hand is no event.
  if (context.first('program.injected') !== undefined) return [];
  return context
    .all('gpu.xid')
    .filter((fact) => codes.includes(fact.value.xid) && fact.scope !== 'other-host' && fact.scope !== 'after-fix');
}

/** `GPU 0000:53:00 of node-a`, as far as the line tells. */
export function gpuOf(fact: Fact<'gpu.xid'>): string {
  const { pci, host } = fact.value;
  const node = host ?? fact.origin.host;
  return `the GPU${pci === '' ? '' : ` at ${pci}`}${node === undefined ? '' : ` of ${node}`}`;
}

/** What every failed GPU brings with it: errors of the runtime, of libraries and of other ranks. */
export const afterwards: readonly string[] = [
  'application/*',
  'said.cuda-*',
  'said.pt-*',
  'said.nccl-*',
  'said.nvml-*',
  'said.smi-*',
  'said.cublas-status',
  'said.cudnn-status',
  'said.xid-*',
  'said.nvrm-*',
  'said.k8s-*',
  'network/*',
  'nccl/*',
  'hardware/gpu-needs-reset',
  'hardware/gpu-count-wrong',
  'hardware/gpu-faults-many-programs',
  'driver/nvidia-driver-hang',
  'orchestrator/slurm-gres-count-mismatch',
  'orchestrator/slurm-node-drained',
];
