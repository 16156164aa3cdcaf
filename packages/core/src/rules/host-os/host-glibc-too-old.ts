import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { own, seenOf } from '../driver/_machine.ts';
import { glibcBelow, glibcNeeds } from './_glibc.ts';

export const hostGlibcTooOld: Rule = defineRule({
  id: 'host-os/host-glibc-too-old',
  summary: "The system's C library is older than a program needs",
  needs: ['said.glibc-symbol-version'],
  uses: ['os.glibc', 'os.name'],
  citations: ['glibc-loader'],
  explains: [
    'said.ld-glibc',
    'said.ld-glibcxx',
    'said.glibc-symbol-version',
    'said.ncc-*',
    'said.oci-*',
    'said.nvml-*',
    'framework/*',
    'application/*',
  ],
  check(_, context) {
    const needs = glibcNeeds(context).filter((each) => each.kind === 'program');
    const glibc = own(context, 'os.glibc')[0];
    const worst = [...needs].sort((a, b) => Number(b.need.split('.')[1]) - Number(a.need.split('.')[1]))[0];
    if (worst === undefined) return { kind: 'silent' };
    const have = glibc?.value;
    if (have !== undefined && glibcBelow(have, worst.need) === false) {
      return {
        kind: 'cleared',
        because: `the system has glibc ${have}, which has what is asked for`,
        seen: seenOf(glibc),
      };
    }
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'move to a release of the system with a newer C library; it cannot be upgraded by itself',
        command: 'ldd --version | head -n 1; cat /etc/os-release',
      },
      { actor: 'developer' as const, do: 'or use a build of the program for this system, or run it in a container' },
    ];
    return {
      kind: 'fault',
      certainty:
        worst.by === null ? (have === undefined ? 'possible' : 'likely') : worst.fact.told ? 'likely' : 'proved',
      message: `${worst.by?.split('/').at(-1) ?? 'a program'} needs glibc ${worst.need}${have === undefined ? '' : `, and the system has ${have}`}`,
      seen: seenOf(...needs.map((each) => each.fact), ...(glibc?.told === false ? [glibc] : [])),
      remedies,
      missing: worst.by === null ? [{ fact: 'os.glibc', ask: 'ldd --version | head -n 1' }] : [],
      weight: 2,
    };
  },
});
