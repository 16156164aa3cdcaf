import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { ofHost, own, saidOf, seenOf } from './_machine.ts';

const exclusive = /^(?:E\. ?(?:Process|Thread)|Exclusive|Prohibited)/i;

/** Compute modes as printed, with their lines. */
function modesOf(context: RuleContext): readonly { readonly mode: string; readonly fact: Fact }[] {
  const modes: { mode: string; fact: Fact }[] = own(context, 'gpu.compute-mode').map((fact) => ({
    mode: fact.value,
    fact,
  }));
  for (const fact of own(context, 'gpu.state')) {
    const mode = fact.value.computeMode;
    if (mode !== null && mode !== undefined) modes.push({ mode, fact });
  }
  return modes;
}

export const exclusiveComputeMode: Rule = defineRule({
  id: 'driver/exclusive-compute-mode',
  summary: 'The compute mode of the GPU excludes the caller',
  needs: [],
  anyOf: [
    'said.cuda-call-failed',
    'gpu.compute-mode',
    'gpu.state',
    'said.cuda-devices-unavailable',
    'said.cuda-exclusive-thread',
    'said.exclusive-context-refused',
  ],
  uses: ['gpu.processes', 'gpu.holders', 'said.cuda-mps-connection-failed', 'torch.cuda-available'],
  citations: ['nvidia-smi-manual', 'cuda-driver-types'],
  explains: [
    'said.cuda-devices-unavailable',
    'said.cuda-exclusive-thread',
    'said.exclusive-context-refused',
    'said.cuda-invalid-device-ordinal',
    'said.cuda-no-device',
    'said.cuda-unknown-error',
    'said.pt-*',
    'said.tf-*',
    'said.nccl-*',
    'framework/*',
    'application/*',
  ],
  check(_, context) {
    const modes = modesOf(context);
    const shut = modes.filter((each) => exclusive.test(each.mode));
    const busy = saidOf(context, 'cuda-devices-unavailable', 'exclusive-context-refused');
    const thread = saidOf(context, 'cuda-exclusive-thread');
    const symptoms = [
      ...thread,
      ...busy,
      ...saidOf(context, 'cuda-no-device', 'cuda-invalid-device-ordinal', 'cuda-operation-not-permitted'),
    ];
    const others = ofHost(context, 'gpu.processes').filter((fact) => fact.value.length > 0);
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'set the mode back to Default where the GPU is to be shared',
        command: 'nvidia-smi -c DEFAULT',
      },
      {
        actor: 'developer' as const,
        do: 'or run one process for each GPU; several clients in exclusive mode need the MPS daemon',
        command: 'nvidia-cuda-mps-control -d',
      },
    ];
    const worst = shut[0];
    if (worst !== undefined && symptoms.length > 0) {
      return {
        kind: 'fault',
        certainty: worst.fact.told || symptoms.every((fact) => fact.told) ? 'likely' : 'proved',
        message: `the compute mode of the GPU is ${worst.mode}, and the call was refused`,
        seen: seenOf(worst.fact, ...symptoms.filter((fact) => !fact.told), ...others),
        remedies,
        weight: 4,
      };
    }
    if (symptoms.length === 0 || (busy.length === 0 && thread.length === 0)) return { kind: 'silent' };
    const open = modes.find((each) => /^default/i.test(each.mode));
    if (open !== undefined) return { kind: 'cleared', because: 'the compute mode is Default', seen: open.fact.seen };
    return {
      kind: 'fault',
      certainty: thread.length > 0 ? 'likely' : 'possible',
      message:
        thread.length > 0
          ? 'another thread has the GPU for itself: its compute mode is exclusive'
          : 'the GPU refuses a further context: its compute mode may be exclusive',
      seen: seenOf(...thread, ...busy),
      remedies,
      missing: [
        {
          fact: 'gpu.compute-mode',
          ask: 'nvidia-smi --query-gpu=index,compute_mode --format=csv; nvidia-smi --query-compute-apps=pid,name --format=csv',
        },
      ],
      weight: 2,
    };
  },
});
