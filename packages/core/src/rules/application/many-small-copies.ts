import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const manySmallCopies: Rule = defineRule({
  id: 'application/many-small-copies',
  summary: 'Many copies of a few bytes between host and device',
  needs: ['profile.copies'],
  uses: ['profile.api', 'profile.kernels'],
  citations: ['nsight-systems-guide', 'cuda-best-practices'],
  check(_, context) {
    const many = context
      .all('profile.copies')
      .filter((fact) => fact.scope !== 'after-fix' && fact.scope !== 'other-host')
      .sort((a, b) => b.value.count - a.value.count)[0];
    if (many === undefined) return { kind: 'silent' };
    const { count, averageBytes, totalNs } = many.value;
    const seen = many.seen.slice(0, 2);
    const small = averageBytes !== null ? averageBytes <= 65_536 : totalNs !== null && totalNs / count <= 4000;
    if (count < 1000 || !small)
      return { kind: 'cleared', because: `${count} copies, none of them tiny by the thousand`, seen };
    const calls = context.all('profile.api');
    const all = calls.reduce((sum, fact) => sum + fact.value.totalNs, 0);
    const copying = calls.filter((fact) => /^cu(?:da)?Memcpy/.test(fact.value.name));
    const spent = copying.reduce((sum, fact) => sum + fact.value.totalNs, 0);
    const kernels = context.first('profile.kernels')?.value.totalNs ?? null;
    const heavy =
      (all > 0 && calls.length > 1 && spent / all >= 0.3) ||
      (kernels !== null && totalNs !== null && totalNs >= 0.25 * kernels);
    const light = all > 0 && calls.length > 1 && spent / all < 0.1;
    if (light)
      return {
        kind: 'cleared',
        because: 'the copies take little of the time',
        seen: [...seen, ...(copying[0]?.seen.slice(0, 1) ?? [])],
      };
    return {
      kind: 'fault',
      certainty: heavy ? 'proved' : 'possible',
      message: `${count} copies ${averageBytes === null ? 'of a few microseconds' : `of ${Math.round(averageBytes)} bytes on average`} between host and device`,
      seen: [...seen, ...(copying[0]?.seen.slice(0, 1) ?? [])],
      remedies: [
        {
          actor: 'developer',
          do: 'gather what belongs together into one buffer and copy it once; keep values on the device instead of reading them back one by one',
        },
      ],
      ...(heavy
        ? {}
        : {
            missing: [
              {
                fact: 'what share of the time the calls take',
                ask: 'nsys stats --report cuda_api_sum,cuda_gpu_mem_size_sum FILE',
              },
            ],
          }),
      weight: 1,
    };
  },
});
