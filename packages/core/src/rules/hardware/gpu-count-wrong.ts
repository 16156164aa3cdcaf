import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, seen } from '../container-runtime/_container.ts';

export const gpuCountWrong: Rule = defineRule({
  id: 'hardware/gpu-count-wrong',
  summary: 'A GPU that should be there is not',
  needs: [],
  anyOf: ['gpu.expected', 'pci.gpu', 'gpu.count'],
  uses: ['env', 'modules.loaded'],
  citations: ['gpu-debug-guide'],
  explains: ['orchestrator/slurm-gres-count-mismatch', 'orchestrator/slurm-node-drained', 'said.slurm-*'],
  check(_facts, context) {
    const counts = own(context, 'gpu.count');
    const answered = counts.at(-1);
    const listed = own(context, 'pci.gpu').filter((fact) => !fact.told);
    const bus = own(context, 'gpu.expected').find((fact) => fact.value.by === 'lspci');
    const whole = Math.max(new Set(listed.map((fact) => fact.value.address)).size, bus?.value.expected ?? 0);
    const dead = listed.find((fact) => fact.value.revision === 'ff');
    const expected = own(context, 'gpu.expected').filter((fact) => fact.value.by !== 'lspci');
    const remedies = [
      { actor: 'cluster-admin', do: 'drain the node' },
      {
        actor: 'node-admin',
        do: 'see whether the bus still shows the GPU, and what the driver said of it',
        command: 'lspci -nn | grep -i nvidia; nvidia-smi -L; dmesg -T | grep -E "NVRM|Xid|AER"',
      },
      { actor: 'node-admin', do: 'power-cycle the node; reseat the GPU if it stays away' },
    ] as const;
    if (dead !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(dead),
        message: `the GPU at ${dead.value.address} no longer answers on the bus (rev ff)`,
        seen: seen(dead),
        remedies,
        weight: 3,
      };
    }
    // The module is loaded and drives other GPUs, or none: this one it did not take.
    const module = own(context, 'modules.loaded').find((fact) => fact.value.includes('nvidia') && !fact.told);
    const left = listed.filter((fact) => fact.value.driver === null);
    const driven = listed.filter((fact) => fact.value.driver === 'nvidia');
    if (answered === undefined && module !== undefined && left.length > 0 && driven.length > 0) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the bus shows ${listed.length} GPUs, and the driver has not taken ${left.map((fact) => fact.value.address).join(', ')}`,
        seen: seen(...left.slice(0, 3), driven[0], module),
        remedies,
        weight: 2,
      };
    }
    const visible = own(context, 'env').find(
      (fact) =>
        /^(?:CUDA|NVIDIA)_VISIBLE_DEVICES$/.test(fact.value.name) &&
        fact.value.value !== '' &&
        fact.value.value !== 'all',
    );
    if (
      answered !== undefined &&
      whole > answered.value &&
      answered.value > 0 &&
      visible === undefined &&
      answered.scope !== 'container'
    ) {
      const bound = listed.find(
        (fact) => fact.value.driver !== null && /vfio|nouveau|pci-stub/.test(fact.value.driver),
      );
      if (bound !== undefined)
        return {
          kind: 'cleared',
          because: `${bound.value.address} is held by ${bound.value.driver}`,
          seen: seen(bound),
        };
      return {
        kind: 'fault',
        certainty: byPrint(answered, listed[0] ?? bus),
        message: `the bus shows ${whole} GPUs and the driver only ${answered.value}`,
        seen: seen(answered, ...(listed.length > 0 ? listed.slice(0, 3) : [bus])),
        remedies,
        weight: 2,
      };
    }
    const short = expected.find((fact) => {
      const found = fact.value.found ?? answered?.value ?? null;
      return found !== null && found < fact.value.expected;
    });
    // Slurm alone tells of two numbers that differ, not of which one is wrong.
    if (short?.value.by === 'slurm' && answered === undefined && listed.length === 0)
      return { kind: 'unknown', missing: [missing('gpu.count', 'nvidia-smi -L; lspci -nn | grep -i nvidia')] };
    // MIG devices count one each, and as many as their layout makes.
    if (short?.value.by === 'slurm' && own(context, 'gpu.mig-device').length > 0) return { kind: 'silent' };
    if (short !== undefined) {
      const found = short.value.found ?? answered?.value ?? 0;
      if (answered !== undefined && answered.value >= short.value.expected) {
        return { kind: 'cleared', because: `the driver lists all ${answered.value} GPUs`, seen: seen(answered) };
      }
      // Nothing found at all is rather the driver or a configuration than one GPU.
      const one = found > 0;
      return {
        kind: 'fault',
        certainty:
          one && answered !== undefined && answered.value === found
            ? byPrint(short, answered)
            : one
              ? 'likely'
              : 'possible',
        message: `${short.value.by} expects ${short.value.expected} GPUs and finds ${found}`,
        seen: seen(short, answered),
        remedies,
        ...(answered === undefined
          ? { missing: [missing('gpu.count', 'nvidia-smi -L; lspci -nn | grep -i nvidia')] }
          : {}),
        weight: one ? 1 : -2,
      };
    }
    if (answered !== undefined && whole > 0 && whole === answered.value) {
      return { kind: 'cleared', because: `the driver lists all ${whole} GPUs of the bus`, seen: seen(answered) };
    }
    return expected.length > 0 && answered === undefined
      ? { kind: 'unknown', missing: [missing('gpu.count', 'nvidia-smi -L')] }
      : { kind: 'silent' };
  },
});
