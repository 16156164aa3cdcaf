import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { own, quote, saidOf } from './_stack.ts';

export const frameworkKernelIndexOverflow: Rule = defineRule({
  id: 'framework/framework-kernel-index-overflow',
  summary: 'A kernel of the framework counts with 32 bits, and the tensor has more elements',
  needs: [],
  anyOf: [
    'said.index-32bit-limit',
    'said.cuda-illegal-memory-access',
    'said.cuda-device-side-assert',
    'said.cuda-invalid-configuration',
    'said.cuda-misaligned-address',
  ],
  uses: ['program.large-tensor', 'said.framework-kernel'],
  citations: ['pytorch-int32-indexing'],
  explains: [
    'application/illegal-access-app-bug',
    'application/device-side-assert-index',
    'application/application-exception',
    'application/application-configuration',
    'said.cuda-*',
    'said.pt-*',
    'said.xid-*',
    'said.cublas-status',
  ],
  check(_, context) {
    const limit =
      saidOf(context, 'index-32bit-limit').find((fact) => !fact.told) ?? saidOf(context, 'index-32bit-limit')[0];
    const crash = saidOf(
      context,
      'cuda-illegal-memory-access',
      'cuda-device-side-assert',
      'cuda-invalid-configuration',
      'cuda-misaligned-address',
    )[0];
    const large = own(context, 'program.large-tensor')[0];
    const kernel = saidOf(context, 'framework-kernel')[0];
    const remedies = [
      {
        actor: 'vendor',
        do: 'let the kernel index with 64 bits; report it with the shape, or take the release that does',
      },
      { actor: 'developer', do: 'until then cut the batch or the tensor, so that it stays below 2^31 elements' },
    ] as const;
    if (large !== undefined && (crash !== undefined || limit !== undefined)) {
      return {
        kind: 'fault',
        certainty: large.told || (limit === undefined && kernel === undefined) ? 'likely' : 'proved',
        message: `a kernel of the framework fails on a tensor of ${large.value} elements, more than 32 bits count`,
        seen: quote(6, crash ?? limit, large, limit, kernel),
        remedies,
        weight: 4,
      };
    }
    if (limit !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'a kernel of the framework counts elements with 32 bits, and was given more',
        seen: quote(4, limit, crash, kernel),
        remedies,
        missing: [{ fact: 'program.large-tensor', ask: 'print the shapes of the tensors of this call' }],
        weight: crash === undefined ? 1 : 3,
      };
    }
    if (crash === undefined) return { kind: 'silent' };
    if (kernel !== undefined)
      return {
        kind: 'unknown',
        missing: [
          {
            fact: 'program.large-tensor',
            ask: 'print the shapes of the tensors of this call; compute-sanitizer --tool memcheck python …',
          },
        ],
      };
    return {
      kind: 'cleared',
      because: 'no kernel of a framework and no tensor of more than 2^31 elements is named',
      seen: quote(2, crash),
    };
  },
});
