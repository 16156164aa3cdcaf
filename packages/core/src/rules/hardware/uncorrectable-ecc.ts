import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { gpuNamed } from './_clocks.ts';
import { afterwards, gpuOf, loggedXids } from './_xids.ts';
import { beforeStart, spreadOf } from './_spread.ts';

/** Double-bit error, contained and uncontained error, unrecovered ECC error, SRAM and DRAM errors (NVIDIA's Xid catalogue). */
const codes = [48, 94, 95, 140, 171, 172];

export const uncorrectableEcc: Rule = defineRule({
  id: 'hardware/uncorrectable-ecc',
  summary: 'The memory of a GPU had an error that ECC could not correct',
  needs: [],
  anyOf: ['gpu.xid', 'said.cuda-ecc-uncorrectable', 'said.cuda-contained-error', 'gpu.state'],
  citations: ['xid-catalogue', 'cuda-runtime-types'],
  explains: afterwards,
  check(facts, context) {
    const xids = loggedXids(context, codes);
    const said = facts['said.cuda-ecc-uncorrectable'] ?? facts['said.cuda-contained-error'];
    const remedies = [
      { actor: 'cluster-admin', do: 'drain the node' },
      {
        actor: 'node-admin',
        do: 'reset the GPU, then look at the counters and the row remapper',
        command: 'nvidia-smi -q -d ECC,ROW_REMAPPER',
      },
      { actor: 'vendor', do: 'replace the GPU if a remap failed, or if errors come back after a reset' },
    ] as const;
    const restart = {
      actor: 'developer',
      do: 'start the program that ended again; others on the GPU go on, and the reset can wait until it is idle',
    } as const;
    const lead = xids[0];
    const contained =
      xids.some((fact) => fact.value.xid === 94) &&
      xids.every((fact) => fact.value.xid === 94 || fact.value.xid === 48);
    if (lead !== undefined || (said !== undefined && said.scope !== 'other-host')) {
      const spread = spreadOf(context, codes);
      const start = said === undefined ? beforeStart(context, codes) : undefined;
      return {
        kind: 'fault',
        certainty: start === undefined ? 'proved' : 'possible',
        message:
          lead === undefined
            ? 'CUDA reports an uncorrectable ECC error'
            : `${gpuOf(lead)} had an uncorrectable memory error (Xid ${[...new Set(xids.map((fact) => fact.value.xid))].join(', ')})${contained ? '; it was contained, only the program that used that memory ended' : ''}${start === undefined ? '' : ', before the node was last started and not since'}${spread?.text ?? ''}`,
        seen: [
          ...xids.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 4),
          ...(said?.seen.slice(0, 2) ?? []),
          ...(start?.seen.slice(-1) ?? []),
        ],
        remedies: contained ? [restart, ...remedies.slice(1)] : remedies,
        ...(start === undefined
          ? {}
          : { missing: [{ fact: 'gpu.ecc-errors', ask: 'nvidia-smi -q -d ECC,ROW_REMAPPER' }] }),
        explains: ['hardware/row-remap-pending-needs-reset'],
        weight: start === undefined ? 4 : -3,
      };
    }
    const states = context.all('gpu.state').filter((fact) => fact.scope !== 'other-host' && fact.scope !== 'after-fix');
    const counted = states.find((fact) => (fact.value.eccUncorrected ?? 0) > 0);
    if (counted !== undefined) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: `${gpuNamed(counted.value.index ?? busOf(counted, context))} counts ${counted.value.eccUncorrected} uncorrected ECC ${counted.value.eccUncorrected === 1 ? 'error' : 'errors'} since it was last reset`,
        seen: counted.seen,
        remedies,
        missing: [{ fact: 'gpu.xid', ask: 'dmesg -T | grep -E "NVRM: Xid"; nvidia-smi -q -d ECC,ROW_REMAPPER' }],
        weight: -2,
      };
    }
    const clean = states.find((fact) => fact.value.eccUncorrected === 0);
    if (clean !== undefined)
      return { kind: 'cleared', because: 'no uncorrected ECC errors are counted', seen: clean.seen };
    return { kind: 'silent' };
  },
});

/** The bus id in a report's own heading, where the GPU has no index: `GPU 00000000:5D:00.0`. */
function busOf(state: Fact<'gpu.state'>, context: RuleContext): string | null {
  for (const each of state.seen) {
    const bus = /\b[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.\d\b/i.exec(each.text)?.[0];
    if (bus !== undefined) return bus;
  }
  const named = context
    .all('gpu.ecc-errors')
    .filter((fact) => (fact.value.volatileUncorrected ?? 0) === state.value.eccUncorrected);
  return named.length === 1 ? (named[0]?.value.gpu ?? null) : null;
}
