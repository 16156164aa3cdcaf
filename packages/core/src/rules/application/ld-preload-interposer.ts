import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

const names = new Set([
  'LD_PRELOAD',
  'CUDA_INJECTION64_PATH',
  'NVTX_INJECTION64_PATH',
  'LD_AUDIT',
  '/etc/ld.so.preload',
]);

export const ldPreloadInterposer: Rule = defineRule({
  id: 'application/ld-preload-interposer',
  summary: 'A preloaded or injected library stands in front of CUDA and breaks it',
  needs: [],
  anyOf: ['said.injection-failed', 'env'],
  uses: ['program.exception', 'works', 'said.benign-preload-ignored'],
  citations: ['ld-so-manual', 'cuda-environment-variables'],
  explains: ['application/application-exception', 'said.injection-failed', 'said.cuda-*', 'said.pt-*'],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, ['injection-failed']);
    const ignored = messagesOf(context, ['benign-preload-ignored']);
    const left = new Set(
      [...ignored.standing, ...ignored.overcome].map((fact) => base(fact.value.captures['lib'] ?? '')),
    );
    const set = context
      .all('env')
      .filter(
        (fact) =>
          names.has(fact.value.name) &&
          fact.value.value !== '' &&
          fact.scope !== 'other-host' &&
          fact.scope !== 'after-fix',
      );
    const libraries = set.flatMap((fact) =>
      fact.value.value
        .split(/[:\s]/)
        .map(base)
        .filter((name) => name.length > 5 && !left.has(name))
        .map((name) => ({ name, fact })),
    );
    const named = captured(standing, 'lib', 'lib2', 'lib3');
    const remedies = [
      {
        actor: 'developer',
        do: 'run once without it; if that works, leave it out or take its release for this CUDA',
        command: 'env -u LD_PRELOAD -u CUDA_INJECTION64_PATH COMMAND',
      },
      {
        actor: 'node-admin',
        do: 'look for a library that the whole machine preloads',
        command: 'cat /etc/ld.so.preload',
      },
    ] as const;
    const failure = failureNaming(
      context,
      libraries.map((each) => each.name),
    );
    if (failure !== undefined) {
      const owner = libraries.find((each) => each.name === failure.name);
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `${failure.name}, which ${owner?.fact.value.name ?? 'the environment'} puts in front of CUDA, fails`,
        seen: [...failure.seen.slice(0, 2), ...(owner?.fact.seen.slice(0, 1) ?? [])],
        remedies,
        weight: 2,
      };
    }
    const without = context
      .all('program.runs-without')
      .find((fact) => set.some((each) => each.value.name === fact.value.name));
    const failed = [
      ...context.all('program.exit').filter((fact) => fact.value.code > 0),
      ...context.all('program.exception'),
    ].find((fact) => without !== undefined && fact.order < without.order && fact.scope !== 'other-host');
    if (without !== undefined && failed !== undefined) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `the program fails with ${libraries[0]?.name ?? without.value.name} in front of it, and works without`,
        seen: [...failed.seen.slice(0, 1), ...(libraries[0]?.fact.seen.slice(0, 1) ?? []), ...without.seen.slice(0, 2)],
        remedies,
        weight: 3,
      };
    }
    if (standing.length > 0) {
      const injected = named !== undefined && libraries.some((each) => each.name === base(named));
      const tool = standing.some((fact) => /injection/i.test(fact.seen[0]?.text ?? ''));
      return {
        kind: 'fault',
        certainty: injected || tool ? 'likely' : 'possible',
        message: `${named === undefined || named === '' ? 'an injected library' : base(named)} cannot work in front of this CUDA`,
        seen: proofOf(standing),
        remedies,
        missing: [{ fact: 'what is preloaded', ask: 'env | grep -E "LD_PRELOAD|INJECTION"; cat /etc/ld.so.preload' }],
        weight: 1,
      };
    }
    if (overcome.length > 0)
      return { kind: 'cleared', because: 'the program went on after it', seen: proofOf(overcome) };
    if (set.length > 0 && [...ignored.standing, ...ignored.overcome].length > 0 && libraries.length === 0)
      return {
        kind: 'cleared',
        because: 'the loader left the preloaded library out and went on',
        seen: proofOf([...ignored.standing, ...ignored.overcome]),
      };
    return { kind: 'silent' };
  },
});

function base(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).trim();
}

/** A failure whose own words name a preloaded library. */
function failureNaming(
  context: RuleContext,
  libraries: readonly string[],
): { readonly name: string; readonly seen: Fact['seen'] } | undefined {
  const failures: readonly Fact[] = [
    ...context.all('program.exception'),
    ...context.said.filter((fact) => {
      const row = context.knowledge.signatures.find((each) => each.id === fact.value.signature);
      return row !== undefined && row.role !== 'benign' && row.role !== 'info';
    }),
    ...context.all('program.trouble'),
  ];
  for (const fact of failures) {
    if (fact.scope === 'other-host' || fact.scope === 'after-fix') continue;
    const text = fact.seen.map((each) => each.text).join(' ');
    if (text.includes('LD_PRELOAD=') || /cannot be preloaded/.test(text)) continue;
    const name = libraries.find((each) => text.includes(each));
    if (name !== undefined) return { name, seen: fact.seen };
  }
  return undefined;
}
