import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quiet } from './_healthy.ts';

/** Facts that show a GPU, or that one is meant to be there. */
const signs = [
  'driver.module',
  'driver.library',
  'driver.answers',
  'driver.dkms',
  'gpu.name',
  'gpu.state',
  'pci.gpu',
  'works',
  'torch.cuda-available',
] as const;

export const okNoGpuHere: Rule = defineRule({
  id: 'ok/ok-no-gpu-here',
  summary: 'The machine has no GPU, and nothing asks for one',
  needs: [],
  anyOf: ['pci.gpus-counted', 'devices.listed'],
  uses: [...signs, 'os.platform', 'env', 'probe.missing'],
  citations: [],
  check(_, context) {
    if (!quiet(context)) return { kind: 'silent' };
    if (signs.some((id) => context.all(id).length > 0)) return { kind: 'silent' };
    if (context.all('devices.listed').some((fact) => fact.value.length > 0)) return { kind: 'silent' };
    // The GPU of WSL and of a Jetson is on no bus.
    if (context.all('os.platform').some((fact) => fact.value === 'wsl' || fact.value === 'jetson'))
      return { kind: 'silent' };
    const counted = context.first('pci.gpus-counted');
    if (counted === undefined)
      return { kind: 'unknown', missing: [{ fact: 'pci.gpus-counted', ask: 'lspci -nn -d 10de:' }] };
    if (counted.value !== 0 || counted.told) return { kind: 'silent' };
    const asks = context
      .all('env')
      .some(
        (fact) => fact.value.name === 'NVIDIA_VISIBLE_DEVICES' && !/^(?:|void|none)$/.test(fact.value.value.trim()),
      );
    if (asks) return { kind: 'silent' };
    const unseen = context
      .all('probe.missing')
      .some((fact) => /^(?:pci-devices|device-nodes|proc-driver-version|modules)$/.test(fact.value.source));
    if (unseen) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'there is no NVIDIA GPU here: none on the PCI bus, no device nodes, no driver, and nothing asks for one',
      seen: counted.seen,
      layer: 'hardware',
      weight: 5,
    };
  },
});
