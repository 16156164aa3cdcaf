import type { Outcome, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { standing } from './_complaints.ts';
import { failures, quiet } from './_healthy.ts';

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

/** What the device plugin of Kubernetes says on a node without a GPU, and waits. */
const ofPlugin = /^said\.(?:k8s-plugin-no-(?:devices|toolkit)|device-plugin-log)$/;

/** A device plugin that waits on a node whose bus shows no GPU. */
function idlePlugin(context: RuleContext): Outcome | undefined {
  const waits = context.first('said.k8s-plugin-no-devices');
  const counted = context.all('pci.gpus-counted').find((fact) => fact.value === 0 && !fact.told);
  if (waits === undefined || counted === undefined || waits.told) return undefined;
  if (signs.some((id) => id !== 'works' && context.all(id).length > 0)) return undefined;
  if (standing(context).length > 0 || !failures(context).every((fact) => ofPlugin.test(fact.id))) return undefined;
  return {
    kind: 'cleared',
    because: 'the node has no NVIDIA GPU, so its device plugin waits, as it does on every such node',
    seen: [...waits.seen.slice(0, 1), ...counted.seen.slice(0, 1)],
    layer: 'orchestrator',
    weight: 5,
    explains: ['container-runtime/k8s-default-runtime-not-nvidia', 'orchestrator/*'],
  };
}

export const okNoGpuHere: Rule = defineRule({
  id: 'ok/ok-no-gpu-here',
  summary: 'The machine has no GPU, and nothing asks for one',
  needs: [],
  anyOf: ['pci.gpus-counted', 'devices.listed'],
  uses: [...signs, 'os.platform', 'env', 'probe.missing'],
  citations: [],
  check(_, context) {
    const idle = idlePlugin(context);
    if (idle !== undefined) return idle;
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
    // Who only asked for it in a paste may miss one that was there.
    if (counted.command?.includes('|') === true) return { kind: 'silent' };
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
