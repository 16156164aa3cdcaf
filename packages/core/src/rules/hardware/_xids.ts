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

/** True for a message that says of a device that it was switched off for heat, not only that it is hot. */
export function stoppedByHeat(fact: Fact): boolean {
  return fact.seen.some((each) => /shut ?down|switched off|powered? off/i.test(each.text));
}

/** `GPU 0000:53:00 of node-a`, as far as the line tells. */
export function gpuOf(fact: Fact<'gpu.xid'>): string {
  const { pci, host } = fact.value;
  const node = host ?? fact.origin.host;
  return `the GPU${pci === '' ? '' : ` at ${pci}`}${node === undefined ? '' : ` of ${node}`}`;
}

/** Xids by which a GPU stops a program for something that the program did, or that the GPU did wrong. */
const stops: ReadonlySet<number> = new Set([13, 31, 32, 39, 69]);

/** Events of a GPU that stopped several programs, one of each program, the GPU with the most of them first. */
export function stoppedPrograms(context: RuleContext): readonly ReadonlyMap<string, Fact<'gpu.xid'>>[] {
  const groups = new Map<string, Map<string, Fact<'gpu.xid'>>>();
  for (const fact of loggedXids(context, [...stops])) {
    const program = fact.value.process ?? null;
    if (program === null || program === '<unknown>') continue;
    const place = `${fact.value.host ?? fact.origin.host ?? ''} ${fact.value.pci}`;
    const programs = groups.get(place) ?? new Map<string, Fact<'gpu.xid'>>();
    if (!programs.has(program)) programs.set(program, fact);
    groups.set(place, programs);
  }
  return [...groups.values()].sort((a, b) => b.size - a.size);
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
