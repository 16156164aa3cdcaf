import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { compareNccl, parseNccl } from '../../versions/nccl.ts';

export const ncclBugHang: Rule = defineRule({
  id: 'nccl/nccl-bug-hang',
  summary: 'This NCCL release has a known fault that hangs or fails; a later one mends it',
  needs: ['nccl.version'],
  uses: ['driver.cuda', 'gpu.name'],
  anyOf: [
    'said.pt-watchdog-timeout',
    'said.nccl-nvls-bind-failed',
    'said.nccl-cuda-failure',
    'program.hang',
    'said.pt-heartbeat-monitor',
  ],
  citations: ['nccl-source'],
  explains: ['said.nccl-*', 'said.pt-*', 'application/application-exception'],
  check(facts, context) {
    const version = facts['nccl.version'];
    const release = parseNccl(version.value);
    const hang = facts['said.pt-watchdog-timeout'] ?? facts['program.hang'] ?? facts['said.pt-heartbeat-monitor'];
    const nvls =
      facts['said.nccl-nvls-bind-failed'] ??
      (/invalid argument/i.test(facts['said.nccl-cuda-failure']?.value.captures['error'] ?? '')
        ? facts['said.nccl-cuda-failure']
        : undefined);
    const symptom = nvls ?? hang;
    if (release === null || symptom === undefined) return { kind: 'silent' };
    const bugs = context.knowledge.ncclBugs.filter((bug) => {
      if (bug.range.from === null) return false;
      const from = parseNccl(bug.range.from);
      const below = bug.range.below === null ? null : parseNccl(bug.range.below);
      if (from === null || compareNccl(release, from) < 0 || (below !== null && compareNccl(release, below) >= 0))
        return false;
      return nvls === undefined ? /hang/i.test(bug.symptom) : /nvls/i.test(bug.id + bug.symptom);
    });
    const bug = bugs[0];
    const better = context.all('nccl.version').find((fact) => {
      const other = parseNccl(fact.value);
      return fact.scope === 'after-fix' && other !== null && compareNccl(other, release) > 0;
    });
    const seen = [...version.seen.slice(0, 1), ...symptom.seen.slice(0, 2), ...(better?.seen.slice(0, 1) ?? [])];
    if (bug === undefined && better === undefined) {
      return {
        kind: 'cleared',
        because: `no known fault of NCCL ${version.value} fits`,
        seen: version.seen.slice(0, 1),
      };
    }
    return {
      kind: 'fault',
      certainty:
        bug?.confirmed === true && nvls !== undefined && (bug.when === null || facts['driver.cuda'] !== undefined)
          ? 'likely'
          : better === undefined
            ? 'possible'
            : 'likely',
      message:
        bug === undefined
          ? `NCCL ${version.value} hangs where ${better?.value} does not`
          : `NCCL ${version.value} is known for this: ${bug.symptom}`,
      seen,
      remedies: [{ actor: 'developer', do: bug?.workaround ?? `use NCCL ${better?.value}` }],
      missing: [
        { fact: 'where each rank stands', ask: 'py-spy dump --pid PID; NCCL_DEBUG=INFO; try NCCL_NVLS_ENABLE=0' },
      ],
      weight: better === undefined ? 0 : 2,
    };
  },
});
