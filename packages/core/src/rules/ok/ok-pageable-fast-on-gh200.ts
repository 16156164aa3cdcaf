import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quiet } from './_healthy.ts';

export const okPageableFastOnGh200: Rule = defineRule({
  id: 'ok/ok-pageable-fast-on-gh200',
  summary: 'On a coherent link copies from pageable memory are as fast as from pinned memory',
  needs: ['gpu.name'],
  uses: ['profile.bandwidth'],
  citations: ['cuda-programming-guide'],
  check(facts, context) {
    const coherent = context.all('gpu.name').find((fact) => /\bG[HB]\d{3}\b|Grace/i.test(fact.value));
    const rates = context
      .all('profile.bandwidth')
      .filter((fact) => fact.scope !== 'other-host' && fact.scope !== 'after-fix');
    const pageable = rates.filter((fact) => fact.value.memory === 'pageable');
    const best = Math.max(0, ...pageable.map((fact) => fact.value.gbPerSecond));
    if (coherent === undefined) return { kind: 'silent' };
    if (pageable.length === 0) {
      if (rates.length === 0) return { kind: 'silent' };
      return {
        kind: 'unknown',
        missing: [{ fact: 'the rate of copies from pageable memory', ask: 'nvbandwidth -t host_to_device_memcpy_ce' }],
      };
    }
    if (best < 60 || !quiet(context)) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: `${coherent.value} reads host memory over a coherent link: ${best} GB/s from pageable memory is right`,
      seen: [
        ...pageable.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 2),
        ...(facts['gpu.name'].seen.slice(0, 1) ?? []),
      ],
      layer: 'application',
      weight: 3,
      explains: ['application/pageable-copies-*'],
    };
  },
});
