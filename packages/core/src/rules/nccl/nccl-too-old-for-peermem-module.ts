import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { compareNccl, parseNccl } from '../../versions/nccl.ts';

export const ncclTooOldForPeermemModule: Rule = defineRule({
  id: 'nccl/nccl-too-old-for-peermem-module',
  summary: 'NCCL does not know the new name of the peer-memory module',
  needs: ['nccl.version', 'modules.loaded'],
  anyOf: ['nccl.gdr', 'said.nccl-gdr-disabled'],
  citations: ['nccl-1676'],
  explains: ['driver/peermem-module-not-loaded', 'said.nccl-gdr-disabled'],
  check(facts, context) {
    const disabled =
      context.all('nccl.gdr').find((fact) => !fact.value.enabled) ??
      context
        .all('said.nccl-gdr-disabled')
        .find((fact) => /disabled/i.test(fact.value.captures['state'] ?? fact.seen[0]?.text ?? ''));
    const module = context
      .all('modules.loaded')
      .find((fact) => fact.value.some((name) => name.replaceAll('-', '_') === 'nvidia_peermem'));
    const release = parseNccl(facts['nccl.version'].value);
    // Up to 2.22.3 NCCL looks for nv_peer_mem only.
    const first = parseNccl('2.23.4')!;
    if (disabled === undefined || module === undefined || release === null) return { kind: 'silent' };
    const seen = [...facts['nccl.version'].seen.slice(0, 1), ...module.seen.slice(0, 1), ...disabled.seen.slice(0, 1)];
    if (compareNccl(release, first) >= 0) {
      return { kind: 'cleared', because: `NCCL ${facts['nccl.version'].value} knows nvidia_peermem`, seen };
    }
    return {
      kind: 'fault',
      certainty: 'proved',
      message: `nvidia_peermem is loaded, but NCCL ${facts['nccl.version'].value} looks for its older name`,
      seen,
      remedies: [{ actor: 'developer', do: 'use a newer NCCL' }],
      weight: 3,
    };
  },
});
