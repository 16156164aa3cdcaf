import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { messagesOf, proofOf } from './_standing.ts';

/** Boards that have no display, or never drive one in a server. */
const compute =
  /\b(?:A100|A800|A30|H100|H200|H800|H20|GH200|GB200|GB300|B100|B200|B300|V100|P100|K80|P40|P4|T4|L4|L40S?|A10G?|A2|A16|A40)\b/;

export const watchdogTimeoutDisplayGpu: Rule = defineRule({
  id: 'application/watchdog-timeout-display-gpu',
  summary: 'A kernel runs longer than the time limit of a GPU with a display',
  needs: [],
  anyOf: ['said.cuda-launch-timeout', 'said.cuda-windows-tdr'],
  uses: ['gpu.display', 'gpu.name', 'os.platform'],
  citations: ['cuda-runtime-types', 'windows-tdr'],
  explains: ['application/hung-kernel-app-deadlock', 'application/application-exception', 'said.cuda-*', 'said.pt-*'],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, ['cuda-launch-timeout', 'cuda-windows-tdr']);
    if (standing.length === 0)
      return { kind: 'cleared', because: 'the program went on after it', seen: proofOf(overcome) };
    const shown = context
      .all('gpu.display')
      .filter((fact) => fact.scope !== 'other-host' && fact.scope !== 'after-fix');
    const display = shown.find((fact) => fact.value);
    const names = context.all('gpu.name').filter((fact) => fact.scope !== 'other-host');
    const server = names.length > 0 && names.every((fact) => compute.test(fact.value));
    const windows = standing.some((fact) => fact.value.signature === 'cuda-windows-tdr');
    // Windows resets a display driver for other reasons as well: only with a program that computes it is that program.
    const computes =
      !windows ||
      standing.some((fact) => fact.value.signature !== 'cuda-windows-tdr') ||
      context.first('program.exception') !== undefined ||
      context.said.some((fact) => /^said\.(?:cuda-(?!windows-tdr)|pt-|tf-|cudnn|cublas)/.test(fact.id));
    const remedies = [
      { actor: 'developer', do: 'split the kernel into shorter launches, or run it on a GPU without a display' },
      {
        actor: 'node-admin',
        do: 'on Linux take the display off this GPU; on Windows raise TdrDelay or use the compute driver model (TCC or MCDM)',
      },
    ] as const;
    if (display === undefined && (server || shown.length > 0)) {
      return {
        kind: 'cleared',
        because: 'no GPU here drives a display: there is no watchdog that could stop a kernel',
        seen: (shown[0] ?? names[0])?.seen.slice(0, 1) ?? [],
      };
    }
    return {
      kind: 'fault',
      certainty: !computes ? 'possible' : windows || display !== undefined ? 'proved' : 'possible',
      message: windows
        ? !computes
          ? 'Windows reset the driver of the display: a kernel that ran too long is one reason, a fault of driver or board another'
          : 'Windows reset the GPU because one kernel held it too long'
        : display === undefined
          ? 'a kernel was stopped by a time limit, as GPUs with a display have it'
          : 'a kernel ran longer than the time limit of a GPU that drives a display',
      seen: [...proofOf(standing), ...(display?.seen.slice(0, 1) ?? [])],
      remedies,
      ...((windows && computes) || display !== undefined
        ? {}
        : {
            missing: [
              {
                fact: 'gpu.display',
                ask: 'nvidia-smi --query-gpu=index,name,display_active --format=csv; deviceQuery | grep "Run time limit"',
              },
            ],
          }),
      weight: 2,
    };
  },
});
