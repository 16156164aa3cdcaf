import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

export const cublasWorkspace: Rule = defineRule({
  id: 'application/cublas-workspace',
  summary: 'Deterministic mode is on, and an operation is not deterministic as it is set up',
  needs: [],
  anyOf: ['said.deterministic-refused'],
  uses: ['env'],
  citations: ['pytorch-randomness', 'cublas-api'],
  explains: ['application/application-exception', 'said.cublas-status', 'said.deterministic-refused'],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, ['deterministic-refused']);
    if (standing.length === 0)
      return { kind: 'cleared', because: 'the program went on after it', seen: proofOf(overcome) };
    const operation = captured(standing, 'operation');
    const cublas = captured(standing, 'cublas', 'variable') !== undefined;
    const variable = context
      .all('env')
      .find((fact) => fact.value.name === 'CUBLAS_WORKSPACE_CONFIG' && fact.scope !== 'after-fix');
    if (cublas && variable !== undefined && /^:(?:4096:8|16:8)$/.test(variable.value.value.trim())) {
      return {
        kind: 'unknown',
        missing: [
          {
            fact: 'whether the process itself has the variable',
            ask: 'tr "\\0" "\\n" < /proc/PID/environ | grep CUBLAS_WORKSPACE_CONFIG',
          },
        ],
      };
    }
    return {
      kind: 'fault',
      certainty: 'proved',
      message: cublas
        ? 'deterministic mode needs a fixed cuBLAS workspace, and none is set'
        : `${operation ?? 'an operation'} has no deterministic form, and deterministic mode is on`,
      seen: [...proofOf(standing), ...(variable?.seen.slice(0, 1) ?? [])],
      remedies: [
        cublas
          ? {
              actor: 'developer',
              do: 'set the workspace before the process starts',
              command: 'export CUBLAS_WORKSPACE_CONFIG=:4096:8',
            }
          : {
              actor: 'developer',
              do: 'replace the operation, or only warn',
              command: 'torch.use_deterministic_algorithms(True, warn_only=True)',
            },
      ],
      weight: 2,
    };
  },
});
