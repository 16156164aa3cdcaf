import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

const wanted = /^(?:mlx5_ib|ib_umad)$/;

export const nvlink5IbModulesMissing: Rule = defineRule({
  id: 'host-os/nvlink5-ib-modules-missing',
  summary: 'The InfiniBand modules through which NVLink 5 switches are managed are not loaded',
  needs: [],
  anyOf: [
    'said.cuda-system-not-ready',
    'said.umad-not-loaded',
    'gpu.fabric-state',
    'os.service',
    'said.fm-service-failed',
  ],
  uses: ['modules.absent', 'modules.loaded', 'gpu.name'],
  citations: ['fabric-manager-guide'],
  explains: [
    'fabric/fabric-manager-not-running',
    'said.cuda-*',
    'said.pt-*',
    'said.fm-*',
    'application/application-exception',
  ],
  check(facts, context) {
    const absent = context.all('modules.absent').find((fact) => fact.value.some((name) => wanted.test(name)));
    const loaded = context.all('modules.loaded').find((fact) => fact.value.some((name) => wanted.test(name)));
    const state = context.all('gpu.fabric-state').find((fact) => /progress|not started/i.test(fact.value));
    const symptom = facts['said.cuda-system-not-ready'] ?? state;
    const nvlink5 = context.all('gpu.name').find((fact) => /\bG?B[123]00\b/i.test(fact.value));
    const remedies = [
      {
        actor: 'node-admin',
        do: 'install the extra modules of the kernel and load them, also at boot',
        command: 'apt install linux-modules-extra-$(uname -r); modprobe -a mlx5_ib ib_umad',
      },
      { actor: 'node-admin', do: 'restart Fabric Manager, or the driver pod' },
    ] as const;
    const said = facts['said.umad-not-loaded'];
    if (said !== undefined) {
      return {
        kind: 'fault',
        certainty: symptom === undefined ? 'likely' : 'proved',
        message: 'the fabric cannot be managed, because ib_umad is not loaded',
        seen: [...said.seen.slice(0, 2), ...(symptom?.seen.slice(0, 1) ?? [])],
        remedies,
        weight: 5,
      };
    }
    if (symptom === undefined) return { kind: 'silent' };
    if (absent !== undefined) {
      return {
        kind: 'fault',
        certainty: nvlink5 !== undefined || state !== undefined ? 'proved' : 'likely',
        message: `the fabric is not ready, and ${absent.value.filter((name) => wanted.test(name)).join(' and ')} is not loaded`,
        seen: [...symptom.seen.slice(0, 1), ...absent.seen.slice(0, 2), ...(nvlink5?.seen.slice(0, 1) ?? [])],
        remedies,
        weight: 5,
      };
    }
    if (loaded !== undefined)
      return { kind: 'cleared', because: 'the InfiniBand modules are loaded', seen: loaded.seen.slice(0, 1) };
    if (nvlink5 === undefined) return { kind: 'silent' };
    return {
      kind: 'unknown',
      missing: [{ fact: 'modules.loaded', ask: 'lsmod | grep -E "mlx5_ib|ib_umad"; ls /sys/class/infiniband' }],
    };
  },
});
