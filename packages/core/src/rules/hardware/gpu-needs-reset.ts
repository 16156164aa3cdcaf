import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const gpuNeedsReset: Rule = defineRule({
  id: 'hardware/gpu-needs-reset',
  summary: 'The driver asks for a reset of the GPU or the node',
  needs: [],
  anyOf: ['gpu.recovery-action', 'said.xid-recovery-action', 'said.nvml-reset-required', 'said.gpu-firmware-boot'],
  citations: ['xid-catalogue'],
  explains: [
    'said.xid-recovery-action',
    'said.nvml-*',
    'said.smi-*',
    'said.cuda-*',
    'said.pt-*',
    'application/application-exception',
  ],
  check(_facts, context) {
    if (context.first('program.injected') !== undefined) return { kind: 'silent' };
    const actions = said(context, 'xid-recovery-action');
    const reported = own(context, 'gpu.recovery-action');
    const last = actions.at(-1);
    const wanted = last?.value.captures['to'];
    const asked = reported.find((fact) => !/^none$/i.test(fact.value.action));
    const none = reported.find((fact) => /^none$/i.test(fact.value.action));
    const refused = said(context, 'nvml-reset-required')[0];
    const action = asked?.value.action ?? (wanted !== undefined && !/^none$/i.test(wanted) ? wanted : undefined);
    const boot = said(context, 'gpu-firmware-boot');
    const region = boot.some((fact) => /WPR2/i.test(fact.seen[0]?.text ?? ''));
    if (action === undefined && refused === undefined && boot.length > 0) {
      const bad = boot.find((fact) => /bad state/.test(fact.seen[0]?.text ?? '')) ?? boot[0]!;
      return {
        kind: 'fault',
        certainty: 'likely',
        message: region
          ? 'the firmware of a GPU did not start, for an earlier start left it half-way: it has to be reset'
          : 'the firmware of a GPU did not start: the driver calls its state bad and wants it reset',
        seen: seen(bad, ...boot.filter((fact) => fact !== bad).slice(0, 2)),
        remedies: [
          {
            actor: 'node-admin',
            do: 'power the machine off and on; a reboot may not be enough',
            command: 'ipmitool power cycle',
          },
          { actor: 'node-admin', do: 'where it stays so: reseat card and power, try another slot' },
          { actor: 'vendor', do: 'replace the card when it fails everywhere' },
        ],
        missing: [missing('whether it comes up after a power cycle', 'dmesg | grep -E "GFW|RmInitAdapter"')],
        explains: ['said.gpu-firmware-boot', 'said.gsp-init-failed', 'said.nvrm-*', 'driver/open-kmod-driver-bug'],
        weight: 2,
      };
    }
    if (action === undefined && refused === undefined) {
      const fine = none ?? last;
      return fine === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'the driver asks for nothing', seen: seen(fine) };
    }
    if (
      asked === undefined &&
      none !== undefined &&
      refused === undefined &&
      last !== undefined &&
      none.order > last.order
    ) {
      return { kind: 'cleared', because: 'the driver asks for nothing any more', seen: seen(none) };
    }
    if (/^unknown$/i.test(action ?? ''))
      return {
        kind: 'unknown',
        missing: [missing('gpu.recovery-action', 'nvidia-smi -q | grep -i "recovery action"')],
      };
    const node = /node|reboot/i.test(action ?? '');
    const peer = /drain p2p/i.test(action ?? '');
    const command = node ? 'systemctl reboot' : 'nvidia-smi --gpu-reset -i GPU';
    return {
      kind: 'fault',
      certainty: action === undefined ? 'likely' : byPrint(asked ?? last),
      message: action === undefined ? 'NVML says that a GPU requires a reset' : `the driver asks for: ${action}`,
      seen: seen(asked, ...(asked === undefined ? actions.slice(-2) : []), refused),
      remedies: [
        {
          actor: 'cluster-admin',
          do: node
            ? 'drain the node'
            : peer
              ? 'stop the jobs that use peers of this GPU'
              : 'drain the GPU: end all its processes',
        },
        {
          actor: 'node-admin',
          do: node
            ? 'reboot it'
            : peer
              ? 'then reset it when it is idle'
              : 'reset it; on machines with switches reset all GPUs together',
          command,
        },
        {
          actor: 'node-admin',
          do: 'look for the Xid that came before, it is the reason',
          command: 'dmesg -T | grep -E "NVRM: Xid"',
        },
      ],
      ...(action === undefined
        ? {
            missing: [missing('gpu.recovery-action', 'nvidia-smi -q | grep -i "recovery action"; dmesg -T | grep Xid')],
          }
        : {}),
      weight: -1,
    };
  },
});
