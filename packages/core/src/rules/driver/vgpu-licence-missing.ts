import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { lastOf } from '../ok/_complaints.ts';

/** States of the licence as printed, in order. */
function licences(context: RuleContext): readonly { readonly status: string; readonly fact: Fact }[] {
  const found: { status: string; fact: Fact }[] = [];
  for (const fact of said(context, 'vgpu-licence-state')) {
    const { status, status2, acquired } = fact.value.captures;
    const text = status ?? status2 ?? (acquired === undefined ? undefined : 'Licensed');
    if (text !== undefined) found.push({ status: text, fact });
  }
  for (const fact of own(context, 'gpu.licence')) {
    if (/^(?:un)?licensed|expired/i.test(fact.value.status)) found.push({ status: fact.value.status, fact });
  }
  return found.sort((a, b) => a.fact.order - b.fact.order);
}

export const vgpuLicenceMissing: Rule = defineRule({
  id: 'driver/vgpu-licence-missing',
  summary: 'The virtual GPU has no licence, so its driver cuts it down',
  needs: [],
  anyOf: ['said.vgpu-licence-refused', 'said.vgpu-licence-state', 'said.cuda-not-licensed', 'gpu.licence'],
  citations: ['vgpu-licensing'],
  explains: [
    'said.cuda-not-licensed',
    'said.vgpu-licence-refused',
    'said.pt-*',
    'said.cuda-generic-carrier',
    'application/application-exception',
    'hardware/application-clocks-lowered',
  ],
  check(_facts, context) {
    const states = licences(context);
    const last = states.at(-1);
    const refused = said(context, 'vgpu-licence-refused').at(-1);
    const symptom = said(context, 'cuda-not-licensed')[0];
    const good = states.findLast((each) => /^licensed/i.test(each.status));
    const bad = states.find((each) => !/^licensed/i.test(each.status));
    const remedies = [
      {
        actor: 'node-admin',
        do: 'put a valid client configuration token into the guest, and the kind of licence into gridd.conf',
        command: 'ls -l /etc/nvidia/ClientConfigToken/; grep -v "^#" /etc/nvidia/gridd.conf',
      },
      {
        actor: 'node-admin',
        do: 'open the way to the licence server, set the clock right, and ask again',
        command: 'systemctl restart nvidia-gridd; journalctl -u nvidia-gridd -b | tail',
      },
      { actor: 'cluster-admin', do: 'see whether the licence server has licences left' },
    ] as const;
    if (good !== undefined && last === good && (refused === undefined || lastOf(refused) < good.fact.order))
      return { kind: 'cleared', because: 'the vGPU is licensed', seen: seen(good.fact) };
    if (refused === undefined && bad === undefined && symptom === undefined) return { kind: 'silent' };
    const grace =
      bad !== undefined && /unrestricted/i.test(bad.status) && refused === undefined && symptom === undefined;
    if (grace) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'the vGPU is not licensed yet; it runs without limits only for the first minutes',
        seen: seen(bad.fact),
        remedies,
        missing: [missing('gpu.licence', 'journalctl -u nvidia-gridd -b | tail; nvidia-smi -q | grep -A2 -i licen')],
      };
    }
    const proof = bad?.fact ?? (refused !== undefined && symptom !== undefined ? refused : undefined);
    const strong =
      bad !== undefined &&
      (/\((?:Restricted|Expired)\)|expired/i.test(bad.status) || refused !== undefined || symptom !== undefined);
    return {
      kind: 'fault',
      certainty: proof !== undefined && (strong || bad === undefined) ? byPrint(proof) : 'likely',
      message: `the virtual GPU has no licence${bad === undefined ? '' : `: its state is ${bad.status}`}`,
      seen: seen(symptom, refused, bad?.fact),
      remedies,
      missing: bad === undefined ? [missing('gpu.licence', 'nvidia-smi -q | grep -i -A2 "licensed product"')] : [],
      weight: 4,
    };
  },
});
