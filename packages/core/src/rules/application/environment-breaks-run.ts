import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { messagesOf, proofOf } from './_standing.ts';

/** Which messages a variable brings about by itself. */
const pairs: readonly {
  readonly messages: readonly string[];
  readonly variables: readonly string[];
  readonly value: RegExp;
  readonly does: string;
}[] = [
  {
    messages: ['jit-disabled'],
    variables: ['CUDA_DISABLE_PTX_JIT', 'CUDA_DISABLE_JIT'],
    value: /^[1-9]/,
    does: 'forbids to compile PTX, and this GPU needs it',
  },
  {
    messages: ['nccl-no-algorithm'],
    variables: ['NCCL_ALGO', 'NCCL_PROTO'],
    value: /./,
    does: 'allows no algorithm that this collective has',
  },
  {
    messages: ['hub-offline'],
    variables: ['HF_HUB_OFFLINE', 'TRANSFORMERS_OFFLINE', 'HF_DATASETS_OFFLINE'],
    value: /^(?:1|on|yes|true)$/i,
    does: 'forbids to fetch files, and one is not in the cache',
  },
  {
    messages: [
      'cuda-no-kernel-image',
      'cuda-invalid-device-function',
      'cuda-invalid-kernel-image',
      'cuda-invalid-ptx',
      'cuda-unsupported-ptx-toolchain',
    ],
    variables: ['CUDA_FORCE_PTX_JIT', 'CUDA_FORCE_JIT'],
    value: /^[1-9]/,
    does: 'leaves out the compiled kernels and takes PTX only',
  },
];

export const environmentBreaksRun: Rule = defineRule({
  id: 'application/environment-breaks-run',
  summary: 'A variable of the environment forbids what the program needs',
  needs: [],
  anyOf: [
    'said.jit-disabled',
    'said.nccl-no-algorithm',
    'said.hub-offline',
    'said.cuda-no-kernel-image',
    'said.cuda-invalid-device-function',
    'said.cuda-invalid-kernel-image',
    'said.cuda-invalid-ptx',
    'said.cuda-unsupported-ptx-toolchain',
  ],
  uses: ['env'],
  citations: ['cuda-environment-variables', 'nccl-env'],
  check(_, context) {
    for (const pair of pairs) {
      const { standing, overcome } = messagesOf(context, pair.messages);
      const own = ['jit-disabled', 'nccl-no-algorithm', 'hub-offline'].includes(pair.messages[0]!);
      if (standing.length === 0) {
        if (own && overcome.length > 0)
          return { kind: 'cleared', because: 'the program went on after it', seen: proofOf(overcome) };
        continue;
      }
      const variable = context
        .all('env')
        .find(
          (fact) =>
            pair.variables.includes(fact.value.name) &&
            pair.value.test(fact.value.value) &&
            fact.scope !== 'other-host' &&
            fact.scope !== 'after-fix',
        );
      const named = standing.find(
        (fact) => fact.value.captures['algo'] !== undefined || fact.value.captures['proto'] !== undefined,
      );
      const shared = {
        kind: 'fault' as const,
        remedies: [
          {
            actor: 'developer' as const,
            do: 'take the variable out of the environment and start again',
            command: `unset ${pair.variables.join(' ')}`,
          },
        ],
        explains: [
          ...pair.messages.map((id) => `said.${id}`),
          'said.nccl-*',
          'said.pt-*',
          'said.cuda-generic-carrier',
          'application/application-exception',
          ...(pair.messages[0] === 'hub-offline'
            ? [
                'application/application-download-failed',
                'application/application-configuration',
                'said.app-hub-download-failed',
              ]
            : []),
          'framework/*',
        ],
        weight: 3,
      };
      if (variable !== undefined) {
        return {
          ...shared,
          certainty: own ? 'proved' : 'likely',
          message: `${variable.value.name}=${variable.value.value.slice(0, 60)} ${pair.does}`,
          seen: [...variable.seen.slice(0, 1), ...proofOf(standing)],
        };
      }
      if (!own) continue;
      if (named !== undefined) {
        return { ...shared, certainty: 'likely', message: `the environment ${pair.does}`, seen: proofOf(standing) };
      }
      return {
        ...shared,
        explains: [],
        certainty: 'possible',
        message: `something ${pair.does}; a variable of the environment does so`,
        seen: proofOf(standing),
        missing: [{ fact: 'env', ask: `env | grep -E "${pair.variables.join('|')}"` }],
      };
    }
    const said = context.said.find((fact) => pairs.some((pair) => pair.messages.includes(fact.value.signature)));
    const shown = context.all('env').find((fact) => /^CUDA_|^NCCL_/.test(fact.value.name));
    if (said === undefined || shown === undefined) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'no variable that forbids compiled kernels or PTX is set',
      seen: shown.seen.slice(0, 1),
    };
  },
});
