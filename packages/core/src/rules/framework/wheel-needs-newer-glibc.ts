import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { own, saidOf, seenOf } from '../driver/_machine.ts';
import { glibcBelow, glibcNeeds } from '../host-os/_glibc.ts';

export const wheelNeedsNewerGlibc: Rule = defineRule({
  id: 'framework/wheel-needs-newer-glibc',
  summary: 'A package was built for a newer C library than the system has',
  needs: [],
  anyOf: ['said.glibc-symbol-version', 'said.wheel-platform-refused'],
  uses: ['os.glibc', 'os.name'],
  citations: ['glibc-loader', 'pep-600'],
  explains: [
    'said.ld-glibc',
    'said.ld-glibcxx',
    'said.glibc-symbol-version',
    'said.pt-*',
    'said.tf-*',
    'framework/*',
    'host-os/host-glibc-too-old',
    'application/*',
  ],
  check(_, context) {
    const needs = glibcNeeds(context);
    const ofPackages = needs.filter((each) => each.kind === 'package');
    const refused = saidOf(context, 'wheel-platform-refused');
    const glibc = own(context, 'os.glibc')[0];
    const remedies = [
      {
        actor: 'developer' as const,
        do: 'install a build of the package for this C library: an older release, or one with a lower manylinux tag',
        command: 'pip download --no-deps --only-binary :all: --platform manylinux2014_x86_64 PACKAGE',
      },
      {
        actor: 'developer' as const,
        do: 'or build it from source on this system, or run it in a container with a newer one',
      },
    ];
    const worst = [...ofPackages].sort((a, b) => Number(b.need.split('.')[1]) - Number(a.need.split('.')[1]))[0];
    if (worst !== undefined) {
      const have = glibc?.value;
      if (have !== undefined && glibcBelow(have, worst.need) === false && glibc?.scope !== 'host') {
        return { kind: 'cleared', because: `the system has glibc ${have}`, seen: seenOf(glibc) };
      }
      return {
        kind: 'fault',
        certainty: worst.fact.told ? 'likely' : 'proved',
        message: `${worst.by?.split('/').at(-1) ?? 'the package'} needs glibc ${worst.need}${have === undefined ? '' : `, and the system has ${have}`}`,
        seen: seenOf(...ofPackages.map((each) => each.fact), ...(glibc?.told === false ? [glibc] : [])),
        remedies,
        weight: 4,
      };
    }
    if (refused.length > 0) {
      const need = refused[0]!.value.captures['need']?.replace('_', '.');
      const have = refused[0]!.value.captures['have'] ?? glibc?.value;
      if (need !== undefined && have !== undefined && glibcBelow(have, need) === false)
        return {
          kind: 'cleared',
          because: `the system has glibc ${have}, and the wheel asks for ${need}`,
          seen: seenOf(...refused, glibc),
        };
      const decided = need !== undefined && have !== undefined;
      return {
        kind: 'fault',
        certainty: decided && refused.some((fact) => !fact.told) ? 'proved' : 'likely',
        message: `the wheel is made for glibc ${need ?? 'newer'}${have === undefined ? '' : `, and the system has ${have}`}`,
        seen: seenOf(...refused, glibc),
        remedies,
        missing: decided
          ? []
          : [{ fact: 'os.glibc', ask: 'ldd --version | head -n 1; pip debug --verbose | grep manylinux | head -n 3' }],
        weight: 3,
      };
    }
    const open = needs.find((each) => each.by === null);
    if (open === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: `something needs glibc ${open.need}; whether a package does is not said`,
      seen: open.fact.seen,
      remedies,
      missing: [{ fact: 'os.glibc', ask: 'ldd --version | head -n 1' }],
      weight: 1,
    };
  },
});
