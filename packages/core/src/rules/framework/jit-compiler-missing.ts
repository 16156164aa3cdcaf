import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { messagesOf, proofOf } from '../application/_standing.ts';

export const jitCompilerMissing: Rule = defineRule({
  id: 'framework/jit-compiler-missing',
  summary: 'Code that is compiled at run time finds no compiler, headers or build tool',
  needs: [],
  anyOf: ['said.build-tool-missing', 'said.triton-no-c-compiler'],
  uses: ['program.exception'],
  citations: ['torch-compile-troubleshooting', 'pytorch-cpp-extension'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'said.build-tool-missing',
    'said.triton-*',
    'said.pt-*',
    'said.nvcc-*',
  ],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, ['build-tool-missing', 'triton-no-c-compiler']);
    if (standing.length === 0)
      return { kind: 'cleared', because: 'the program went on without compiling', seen: proofOf(overcome) };
    const text = standing.map((fact) => fact.seen[0]?.text ?? '').join('\n');
    const header = /Python\.h/.test(text);
    const shell =
      /not found\s*$|No such file or directory: '/m.test(text) &&
      standing.every((fact) => fact.value.signature === 'build-tool-missing');
    const used = context
      .all('program.exception')
      .some((fact) =>
        /triton|inductor|cpp_extension|deepspeed|flashinfer|compiler|ninja|gcc|g\+\+|'cc'/i.test(
          `${fact.value.type} ${fact.value.message} ${fact.value.module ?? ''}`,
        ),
      );
    return {
      kind: 'fault',
      certainty: shell && !used ? 'possible' : 'proved',
      message: header
        ? 'kernels are compiled at run time, and the headers of Python are not installed'
        : 'kernels are compiled at run time, and there is no compiler or build tool',
      seen: proofOf(standing),
      remedies: [
        {
          actor: 'image-owner',
          do: 'install a compiler, the headers of this Python and ninja',
          command: 'apt-get install -y build-essential python3-dev ninja-build',
        },
        {
          actor: 'developer',
          do: 'or run without compilation',
          command: 'TORCHDYNAMO_DISABLE=1; vLLM: --enforce-eager',
        },
      ],
      ...(shell && !used
        ? { missing: [{ fact: 'what wanted the compiler', ask: 'which gcc g++ ninja; the lines above the message' }] }
        : {}),
      weight: 1,
    };
  },
});
