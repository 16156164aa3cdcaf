import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { absentModules, byPrint, isWsl, loadedModules, noGpuSeen, own, saidOf, seenOf, works } from './_machine.ts';

/** CUDA messages that a missing or broken nvidia_uvm gives: the module is needed from the first CUDA call on. */
export const uvmSymptoms: readonly string[] = [
  'cuda-unknown-error',
  'cuda-initialization-error',
  'cuda-no-device',
  'pt-driver-init-failed',
  'cuda-os-call-failed',
  'pt-no-gpus-available',
  'cuda-operation-not-supported',
  'ggml-init-failed',
  'numba-driver-not-found',
  'ollama-context-failed',
];

/** The lists that show nvidia loaded and nvidia_uvm not. */
function missingUvm(context: RuleContext): readonly Fact[] {
  const loaded = loadedModules(context);
  const absent = absentModules(context);
  const facts: Fact[] = [];
  if (loaded.names.has('nvidia') && !loaded.names.has('nvidia_uvm'))
    facts.push(...loaded.facts.filter((fact) => fact.value.includes('nvidia')));
  if (absent.names.has('nvidia_uvm'))
    facts.push(...absent.facts.filter((fact) => fact.value.some((name) => name.replaceAll('-', '_') === 'nvidia_uvm')));
  return facts;
}

/** The listing of /dev that has the GPU but not its UVM node, on the host. */
function missingNode(context: RuleContext): readonly Fact[] {
  const listings = own(context, 'devices.listed').filter(
    (fact) => fact.scope !== 'container' && fact.scope !== 'image',
  );
  const nodes = new Set(listings.flatMap((fact) => fact.value));
  const gpu = [...nodes].some((node) => /nvidia(?:\d|ctl)/.test(node));
  const uvm = [...nodes].some((node) => node.includes('nvidia-uvm'));
  return gpu && !uvm ? listings : [];
}

export const uvmModuleMissing: Rule = defineRule({
  id: 'driver/uvm-module-missing',
  summary: 'The nvidia_uvm kernel module is not loaded',
  needs: [],
  anyOf: [
    'said.cuda-call-failed',
    'modules.loaded',
    'modules.absent',
    'devices.listed',
    'said.uvm-module-not-in-tree',
    'said.cuda-unknown-error',
    'said.nvidia-uvm-init-failed',
  ],
  uses: ['said.cuda-initialization-error', 'said.cuda-no-device', 'said.pt-driver-init-failed', 'torch.cuda-available'],
  citations: ['driver-installation-guide', 'open-kernel-modules'],
  explains: [
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.ggml-*',
    'said.numba-*',
    'said.runtime-device-eperm',
    'framework/*',
    'driver/uvm-stale-after-suspend',
  ],
  check(_, context) {
    const loaded = loadedModules(context);
    const node = missingNode(context);
    const modules = missingUvm(context);
    const says = saidOf(context, 'uvm-module-not-in-tree').filter((fact) => fact.scope !== 'container');
    const symptoms = saidOf(context, ...uvmSymptoms);
    const blind = noGpuSeen(context);
    if (loaded.names.has('nvidia_uvm') && says.length === 0) {
      return {
        kind: 'cleared',
        because: 'nvidia_uvm is loaded',
        seen: seenOf(
          ...loaded.facts.filter((fact) =>
            fact.value.some((name) => name.startsWith('nvidia_uvm') || name.startsWith('nvidia-uvm')),
          ),
        ),
      };
    }
    if (isWsl(context)) return { kind: 'silent' };
    const failing = [...symptoms, ...(blind === undefined ? [] : [blind])];
    // The node is made when the first CUDA program starts: its absence on an idle or working machine says nothing.
    if (works(context) && failing.length === 0) return { kind: 'silent' };
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'load the module and make its device node',
        command: 'modprobe nvidia_uvm && nvidia-modprobe -u -c=0 && ls -l /dev/nvidia-uvm',
      },
      {
        actor: 'node-admin' as const,
        do: 'load it at every boot',
        command: 'echo nvidia_uvm > /etc/modules-load.d/nvidia-uvm.conf',
      },
    ];
    const proof = [...modules, ...says, ...node];
    if (proof.length > 0 && (failing.length > 0 || says.some((fact) => fact.value.captures['module'] !== undefined))) {
      const sure = modules.length > 0 || says.length > 0;
      return {
        kind: 'fault',
        certainty: sure ? byPrint(proof[0], failing[0]) : 'likely',
        message:
          modules.length > 0
            ? 'nvidia is loaded, nvidia_uvm is not: CUDA cannot start'
            : 'the device or the module of nvidia_uvm is missing: CUDA cannot start',
        seen: seenOf(...proof, ...failing),
        remedies,
        missing: sure ? [] : [{ fact: 'modules.loaded', ask: 'lsmod | grep nvidia' }],
        weight: 4,
      };
    }
    if (proof.length > 0) return { kind: 'silent' };
    const first = saidOf(context, 'cuda-unknown-error')[0];
    if (first === undefined || first.scope === 'container') return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'CUDA answers "unknown error": nvidia_uvm may not be loaded',
      seen: first.seen,
      remedies,
      missing: [{ fact: 'modules.loaded', ask: 'lsmod | grep nvidia; ls -l /dev/nvidia*' }],
      weight: 0,
    };
  },
});
