import type { Fact } from '../../model/facts.ts';
import type { Outcome, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { lastOf, nameOf, ownExceptions, ownMessage } from './_exceptions.ts';

export const applicationException: Rule = defineRule({
  id: 'application/application-exception',
  summary: 'The program or a Python library raised an exception of its own',
  needs: [],
  anyOf: [
    'program.exception',
    'said.cuda-device-side-assert',
    'said.app-import-missing',
    'said.app-shape-or-type',
    'said.simulation-unstable',
    'said.simulation-input-refused',
    'said.numba-kernel-untyped',
    'said.package-solver-failed',
    'said.nvlink-undefined-symbol',
    'attention.refused',
    'build.source-error',
  ],
  citations: ['python-exceptions'],
  explains: ['said.xf-*', 'said.gpu-outside-library', 'said.nvrtc-*'],
  check(_facts, context) {
    const stated = refusedInputs(context) ?? ownSource(context);
    if (stated !== null) return stated;
    const own = ownExceptions(context);
    const exception = lastOf(own, 'exception');
    const spoken = exception === undefined ? ownMessage(context, 'application-exception') : undefined;
    // An exception with words of the stack, whose message is a known one of the program: "two devices, cuda:0 and cuda:1".
    const message =
      spoken !== undefined && (own.length === 0 || own.some((fact) => sameLine(fact, spoken))) ? spoken : undefined;
    if (message !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'the program ended with an error of its own',
        seen: message.seen.slice(0, 2),
        remedies: [{ actor: 'developer', do: 'mend the program or install what it misses' }],
        weight: -4,
      };
    }
    if (exception !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message:
          exception.value.type === 'KeyboardInterrupt'
            ? 'the program was stopped by its user (KeyboardInterrupt)'
            : `the program ended with its own exception, ${nameOf(exception)}`,
        seen: exception.seen,
        remedies: [
          {
            actor: 'developer',
            do: 'mend the program or pin the library that raised it; the traceback names the place',
          },
        ],
        weight: -4,
      };
    }
    if (lastOf(own, 'stack') !== undefined) {
      return {
        kind: 'unknown',
        missing: [
          { fact: 'what the exception means for the stack', ask: 'python -m torch.utils.collect_env; nvidia-smi' },
        ],
      };
    }
    if (own.length > 0) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'the exception passes on what failed below it',
      // The finding itself says it.
      seen: [],
    };
  },
});

/** xFormers has operators for this GPU, and the call itself fits none: its shapes, types or bias, or it lies on the CPU. */
function refusedInputs(context: RuleContext): Outcome | null {
  const fact = context
    .all('attention.refused')
    .find((each) => each.scope !== 'other-host' && /^(?:cpu|inputs)$/.test(each.value.by));
  if (fact === undefined || worksLater(context, fact)) return null;
  return {
    kind: 'fault',
    certainty: 'likely',
    message:
      fact.value.by === 'cpu'
        ? 'the attention call is made with tensors on the CPU, where no operator serves it'
        : 'no attention operator takes these shapes, types or this bias; the GPU is not what they refuse',
    seen: fact.seen.slice(0, 4),
    remedies: [
      {
        actor: 'developer',
        do:
          fact.value.by === 'cpu'
            ? 'move model and inputs to the GPU'
            : 'give the inputs a type and shape that an operator takes, or use another attention',
      },
    ],
    weight: 1,
  };
}

/** The compiler stops at the program's own source. */
function ownSource(context: RuleContext): Outcome | null {
  const facts = context.all('build.source-error').filter((each) => each.scope !== 'other-host');
  const fact = facts.at(-1);
  if (fact === undefined || worksLater(context, fact)) return null;
  return {
    kind: 'fault',
    certainty: 'likely',
    message: `the compiler stops at an error in the program's own source, ${fact.value.file}`,
    seen: facts.flatMap((each) => each.seen.slice(0, 1)).slice(0, 4),
    remedies: [{ actor: 'developer', do: 'mend the source at the place that the compiler names' }],
    weight: -2,
  };
}

function sameLine(a: Fact, b: Fact): boolean {
  return a.seen.some((one) => b.seen.some((other) => one.file === other.file && one.line === other.line));
}

function worksLater(context: RuleContext, fact: Fact): boolean {
  return context.all('works').some((each) => each.order > fact.order && each.command === fact.command);
}
