import type { FactId } from '../model/facts.ts';
import type { Outcome, Remedy, Rule, RuleContext } from '../model/rule.ts';
import { defineRule } from '../model/rule.ts';

/** What helps against what a series shows; rules that also know other evidence are asked for it too. */
const remediesOf: Readonly<Record<string, readonly Remedy[]>> = {
  'application/hung-kernel-app-deadlock': [
    {
      actor: 'developer',
      do: 'find the kernel that runs, and what it waits for: compute GPUs have no watchdog',
      command: 'cuda-gdb -p PID -ex "info cuda kernels" -ex quit',
    },
  ],
  'application/collective-hang': [
    {
      actor: 'developer',
      do: 'find the rank that does not come, and what it does instead',
      command: 'py-spy dump --pid PID',
    },
  ],
  'application/managed-memory-page-faults': [
    {
      actor: 'developer',
      do: 'prefetch what a kernel needs, make it fit, or allocate on the device',
      command: 'cudaMemPrefetchAsync, cudaMemAdvise',
    },
  ],
  'application/input-pipeline-bound': [
    { actor: 'developer', do: 'use more loader workers, prefetching and page-locked buffers' },
    { actor: 'cluster-admin', do: 'give the job the CPU cores and the storage that its workers need' },
  ],
  'application/launch-bound-needs-cuda-graphs': [
    {
      actor: 'developer',
      do: 'capture the repeated part in a CUDA graph, or fuse the small kernels',
      command: 'torch.compile(model, mode="reduce-overhead")',
    },
  ],
  'application/tensor-cores-idle': [
    {
      actor: 'developer',
      do: 'if the program bears it, compute in bfloat16 or let float32 products use TF32',
      command: "torch.set_float32_matmul_precision('high')",
    },
  ],
  'application/gpu-memory-held-by-orphans': [
    {
      actor: 'node-admin',
      do: 'find who holds the memory, and end it if nobody needs it',
      command: 'fuser -v /dev/nvidia*',
    },
  ],
  'hardware/thermal-throttle': [
    {
      actor: 'node-admin',
      do: 'look at fans, filters, inlet air or the liquid loop',
      command: 'nvidia-smi -q -d TEMPERATURE,PERFORMANCE',
    },
  ],
  'hardware/power-brake-slowdown': [
    {
      actor: 'node-admin',
      do: 'look at the power supplies and the power cap of the chassis',
      command: 'ipmitool sdr type "Power Supply"; ipmitool sel elist',
    },
  ],
  'hardware/power-limit-lowered': [
    {
      actor: 'node-admin',
      do: 'find what sets the limit, and set the default again',
      command: 'nvidia-smi -q -d POWER; nvidia-smi -i GPU -pl DEFAULT',
    },
  ],
  'hardware/power-throttle': [
    { actor: 'node-admin', do: 'see what holds the power down', command: 'nvidia-smi -q -d POWER,CLOCK,PERFORMANCE' },
  ],
  'driver/application-clocks-lowered': [
    { actor: 'node-admin', do: 'take the setting back', command: 'nvidia-smi -rac; nvidia-smi -rgc' },
  ],
  'hardware/pcie-link-degraded': [
    {
      actor: 'node-admin',
      do: 'compare link and error counters of all GPUs under load, then reseat the GPU',
      command: 'nvidia-smi -q -d PCIE; dmesg -T | grep AER',
    },
  ],
};

/** A fault of the whole machine leads one of the program, and one of all GPUs leads one of a single GPU. */
const weights: Readonly<Record<string, number>> = {
  'collective-hang': 3,
  'straggler-rank-input': 3,
  'power-brake-slowdown': 3,
  'thermal-throttle': 3,
  'power-limit-lowered': 3,
};

/** What the series say of a cause; null where they say nothing. */
function outcomeOf(cause: string, remedies: readonly Remedy[], context: RuleContext): Outcome | null {
  const all = context.all('util.finding').filter((fact) => fact.scope !== 'after-fix');
  const fact = all.find(({ value }) => value.cause === cause && value.kind !== 'healthy');
  if (fact === undefined) return null;
  const { certainty, message, missing, kind } = fact.value;
  if (kind === 'unclear' && certainty === 'possible')
    return { kind: 'unknown', missing: missing === null ? [] : [missing] };
  return {
    kind: 'fault',
    certainty,
    message,
    seen: fact.seen.slice(0, 6),
    remedies,
    ...(missing === null ? {} : { missing: [missing] }),
    weight: weights[cause] ?? 1,
  };
}

function causeOf(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}

/** The same rule, which also speaks where a series shows its fault. */
export function orSeries(rule: Rule): Rule {
  const remedies = remediesOf[rule.id];
  if (remedies === undefined) return rule;
  const before: readonly FactId[] = [...rule.needs, ...(rule.anyOf ?? [])];
  return {
    ...rule,
    needs: [],
    anyOf: [...before, 'util.finding'],
    check(facts, context) {
      const series = outcomeOf(causeOf(rule.id), remedies, context);
      if (series !== null) return series;
      const has = (id: FactId): boolean => facts[id as keyof typeof facts] !== undefined;
      const asked = rule.needs.every(has) && (rule.anyOf === undefined || rule.anyOf.some(has));
      return asked ? rule.check(facts, context) : { kind: 'silent' };
    },
  };
}

/** A rule whose fault only a series shows. */
export function seriesRule(rule: {
  readonly id: Rule['id'];
  readonly summary: string;
  readonly citations: readonly string[];
  readonly explains?: readonly string[];
  readonly remedies: readonly Remedy[];
}): Rule {
  const { remedies, ...rest } = rule;
  return defineRule({
    ...rest,
    needs: ['util.finding'],
    check(_facts, context) {
      const found = outcomeOf(causeOf(rule.id), remedies, context);
      if (found !== null) return found;
      const all = context.all('util.finding');
      const unclear = all.find(({ value }) => value.kind === 'unclear');
      if (unclear?.value.missing != null) return { kind: 'unknown', missing: [unclear.value.missing] };
      const healthy = all.find(({ value }) => value.kind === 'healthy');
      return healthy === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: healthy.value.message, seen: healthy.seen.slice(0, 2) };
    },
  });
}
