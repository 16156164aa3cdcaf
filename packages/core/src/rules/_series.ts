import type { Fact, FactId } from '../model/facts.ts';
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
  'hardware/uncorrectable-ecc': [
    { actor: 'cluster-admin', do: 'drain the node' },
    {
      actor: 'node-admin',
      do: 'reset the GPU, then look at the counters and the row remapper',
      command: 'nvidia-smi -q -d ECC,ROW_REMAPPER',
    },
  ],
  'hardware/row-remap-failure-rma': [
    { actor: 'cluster-admin', do: 'drain the node and keep jobs off this GPU' },
    { actor: 'node-admin', do: 'collect the report that the vendor asks for', command: 'nvidia-bug-report.sh' },
    { actor: 'vendor', do: 'replace the GPU: a failed remap is a criterion for it' },
  ],
  'hardware/row-remap-pending-needs-reset': [
    { actor: 'cluster-admin', do: 'drain the GPU; running work may go on' },
    { actor: 'node-admin', do: 'reset the GPU', command: 'nvidia-smi --gpu-reset -i INDEX' },
  ],
  'hardware/nvlink-fault': [
    { actor: 'cluster-admin', do: 'keep jobs of several GPUs off the node' },
    {
      actor: 'node-admin',
      do: 'find the link that counts errors, and reset the GPUs of both ends together',
      command: 'nvidia-smi nvlink -e; nvidia-smi nvlink -s',
    },
    { actor: 'vendor', do: 'replace GPU, tray or cable when the same link counts again' },
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
  'uncorrectable-ecc': 4,
  'row-remap-failure-rma': 5,
  'row-remap-pending-needs-reset': 3,
  'nvlink-fault': 4,
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

function rankOf(outcome: Outcome): number {
  if (outcome.kind !== 'fault') return 0;
  const open = outcome.missing !== undefined && outcome.missing.length > 0;
  return { possible: 1, likely: 2, proved: 3 }[outcome.certainty ?? (open ? 'likely' : 'proved')];
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
      const has = (id: FactId): boolean => facts[id] !== undefined;
      const asked = rule.needs.every(has) && (rule.anyOf === undefined || rule.anyOf.some(has));
      const other: Outcome = asked ? rule.check(facts, context) : { kind: 'silent' };
      if (series === null) return other;
      // Other evidence may prove what the series only shows.
      return rankOf(other) > rankOf(series) ? other : series;
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
  /** A cause that looks the same until more is known. */
  readonly beside?: string;
}): Rule {
  const { remedies, beside, ...rest } = rule;
  return defineRule({
    ...rest,
    needs: ['util.finding'],
    check(_facts, context) {
      const found = outcomeOf(causeOf(rule.id), remedies, context);
      if (found !== null) return found;
      const all = context.all('util.finding');
      const unclear = all.find(({ value }) => value.kind === 'unclear' || value.cause === beside);
      if (unclear?.value.missing != null) return { kind: 'unknown', missing: [unclear.value.missing] };
      const healthy = all.find(({ value }) => value.kind === 'healthy');
      return healthy === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: healthy.value.message, seen: healthy.seen.slice(0, 2) };
    },
  });
}

/** A rule of health that a series shows: all GPUs are well, and this is what most of them are. */
export function healthySeriesRule(rule: {
  readonly id: Rule['id'];
  readonly summary: string;
  readonly citations: readonly string[];
}): Rule {
  return defineRule({
    ...rule,
    needs: ['util.finding'],
    check(_facts, context) {
      const lead = leadOfHealth(context);
      if (lead === null || lead.value.cause !== causeOf(rule.id)) return { kind: 'silent' };
      return {
        kind: 'cleared',
        because: lead.value.message,
        seen: lead.seen.slice(0, 2),
        layer: 'application',
        // What a program or another tool says of itself comes first.
        weight: -1,
      };
    },
  });
}

/** What most GPUs of healthy series do; null where a GPU is not well or cannot be judged. */
function leadOfHealth(context: RuleContext): Fact<'util.finding'> | null {
  const all = context.all('util.finding').filter((fact) => fact.scope !== 'other-host' && fact.scope !== 'after-fix');
  if (all.some((fact) => fact.value.kind !== 'healthy')) return null;
  const idle = (fact: Fact<'util.finding'>): number => Number(fact.value.cause === 'ok-idle');
  const [lead] = all.toSorted((a, b) => idle(a) - idle(b) || b.value.gpus.length - a.value.gpus.length);
  return lead ?? null;
}
