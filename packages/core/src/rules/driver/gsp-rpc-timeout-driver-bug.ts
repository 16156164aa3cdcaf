import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { spreadOf } from '../hardware/_spread.ts';
import { afterwards, gpuOf, loggedXids } from '../hardware/_xids.ts';

export const gspRpcTimeoutDriverBug: Rule = defineRule({
  id: 'driver/gsp-rpc-timeout-driver-bug',
  summary: 'The firmware processor of the GPU stopped answering the driver',
  needs: [],
  anyOf: ['gpu.xid', 'said.xid-gsp-rpc-timeout'],
  uses: ['driver.version', 'driver.module'],
  citations: ['xid-catalogue', 'open-kernel-modules'],
  explains: afterwards,
  check(facts, context) {
    const xids = loggedXids(context, [119, 120]);
    const said = facts['said.xid-gsp-rpc-timeout'];
    if (xids.length === 0 && said === undefined) return { kind: 'silent' };
    const harder = loggedXids(context, [48, 79, 94, 95, 140]);
    if (harder.length > 0) {
      return {
        kind: 'cleared',
        because: `Xid ${harder[0]!.value.xid} says that the GPU itself failed; the firmware followed`,
        seen: harder.flatMap((fact) => fact.seen.slice(0, 1)),
      };
    }
    const release = facts['driver.module'] ?? facts['driver.version'];
    const lead = xids[0];
    const gpus = new Set(xids.map((fact) => `${fact.value.host ?? ''}${fact.value.pci}`));
    return {
      kind: 'fault',
      // One GPU alone can also be a faulty one; the same message on several GPUs is the release.
      certainty:
        gpus.size > 1
          ? 'proved'
          : lead === undefined && said !== undefined && !/RPC response|heartbeat/.test(said.seen[0]?.text ?? '')
            ? 'possible'
            : 'likely',
      message: `the GSP firmware${lead === undefined ? '' : ` of ${gpuOf(lead)}`} no longer answers the driver${release === undefined ? '' : ` ${release.value}`}${spreadOf(context, [119, 120])?.text ?? ''}`,
      seen: [
        ...xids.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 4),
        ...(said?.seen.slice(0, 1) ?? []),
        ...(release?.seen.slice(0, 1) ?? []),
      ],
      remedies: [
        { actor: 'cluster-admin', do: 'drain the node' },
        {
          actor: 'node-admin',
          do: 'reset the GPU, or power-cycle the node if it does not come back',
          command: 'nvidia-smi --gpu-reset -i INDEX',
        },
        {
          actor: 'node-admin',
          do: 'move to a newer release of the driver branch; if it stays with one GPU, treat that GPU as faulty',
        },
      ],
      ...(release === undefined
        ? { missing: [{ fact: 'driver.module', ask: 'cat /proc/driver/nvidia/version' }] }
        : {}),
      weight: 4,
    };
  },
});
