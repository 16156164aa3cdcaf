import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { loadedModules, noGpuSeen, own, saidOf, seenOf } from './_machine.ts';
import { pairOf } from './_releases.ts';
import { uvmSymptoms } from './uvm-module-missing.ts';

/** Without a remark, words that cannot mean a training that is resumed or a program that sleeps. */
const machineWords =
  /suspend|hibernat|laptop|notebook|\blid\b|(?:computer|machine|system|pc|host|workstation) (?:was |is |has )?(?:sle|wake|woke|resum)/i;

export const uvmStaleAfterSuspend: Rule = defineRule({
  id: 'driver/uvm-stale-after-suspend',
  summary: 'nvidia_uvm does not work any more after the machine slept',
  needs: [],
  anyOf: [
    'said.cuda-call-failed',
    'said.cuda-unknown-error',
    'said.cuda-initialization-error',
    'said.host-resumed',
    'said.uvm-reload-helped',
    'said.resume-told',
    'said.pt-driver-init-failed',
    'said.cuda-no-device',
  ],
  uses: ['modules.loaded', 'driver.answers', 'said.nvidia-unload-in-use', 'torch.cuda-available'],
  citations: ['driver-installation-guide', 'ollama-gpu'],
  explains: [
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.ggml-*',
    'said.nvidia-unload-in-use',
    'framework/*',
    'driver/uvm-module-missing',
    'application/*',
  ],
  check(_, context) {
    const symptoms = saidOf(context, ...uvmSymptoms);
    const blind = noGpuSeen(context);
    const failing = [...symptoms, ...(blind === undefined ? [] : [blind])];
    const slept = saidOf(context, 'host-resumed');
    const told = saidOf(context, 'resume-told').filter(
      (fact) => fact.told || machineWords.test(fact.seen[0]?.text ?? ''),
    );
    const cured = [...own(context, 'said.uvm-reload-helped'), ...context.all('said.uvm-reload-helped')].slice(0, 1);
    if (failing.length === 0) return { kind: 'silent' };
    const loaded = loadedModules(context);
    if (pairOf(context).messages.length > 0) return { kind: 'silent' };
    if (loaded.names.has('nvidia') && !loaded.names.has('nvidia_uvm')) {
      return { kind: 'cleared', because: 'nvidia_uvm is not loaded at all', seen: seenOf(...loaded.facts) };
    }
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'stop what holds the GPU, containers too, and reload nvidia_uvm',
        command: 'fuser -v /dev/nvidia-uvm; rmmod nvidia_uvm && modprobe nvidia_uvm',
      },
      {
        actor: 'node-admin' as const,
        do: 'let the driver keep its memory over a sleep',
        command:
          "echo 'options nvidia NVreg_PreserveVideoMemoryAllocations=1' > /etc/modprobe.d/nvidia-power.conf; systemctl enable nvidia-suspend nvidia-resume nvidia-hibernate",
      },
    ];
    const first = failing[0]!;
    const before = slept.filter((fact) => fact.order < first.order || !fact.told);
    if (before.length > 0 && symptoms.length > 0) {
      const answers = own(context, 'driver.answers');
      const alive = loaded.names.has('nvidia_uvm') || answers.length > 0;
      return {
        kind: 'fault',
        // "No device" after a sleep has other reasons as well.
        certainty:
          alive &&
          !first.told &&
          symptoms.some((fact) => fact.id !== 'said.cuda-no-device' && fact.id !== 'said.pt-no-gpus-available')
            ? 'proved'
            : 'likely',
        message: 'CUDA fails since the machine slept, though the driver is loaded: nvidia_uvm is stale',
        seen: seenOf(...before, ...failing, ...(alive ? [...loaded.facts, ...answers] : [])),
        remedies,
        missing: alive ? [] : [{ fact: 'modules.loaded', ask: 'lsmod | grep nvidia_uvm; nvidia-smi' }],
        weight: 4,
      };
    }
    if (told.length > 0 || cured.length > 0) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message:
          told.length > 0
            ? 'CUDA fails since the machine slept: nvidia_uvm is stale'
            : 'CUDA fails until nvidia_uvm is loaded anew',
        seen: seenOf(...failing, ...told, ...cured),
        remedies,
        missing: [
          {
            fact: 'said.host-resumed',
            ask: 'journalctl -k -b | grep -iE "PM: suspend|PM: hibernation"; lsmod | grep nvidia_uvm',
          },
        ],
        weight: 3,
      };
    }
    const unknown = saidOf(context, 'cuda-unknown-error')[0];
    if (unknown === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'CUDA answers "unknown error": nvidia_uvm may be stale after a sleep of the machine',
      seen: unknown.seen,
      remedies,
      missing: [{ fact: 'said.host-resumed', ask: 'journalctl -k -b | grep -iE "PM: suspend|PM: hibernation"' }],
      weight: 0,
    };
  },
});
