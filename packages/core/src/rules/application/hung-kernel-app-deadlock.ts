import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const hungKernelAppDeadlock: Rule = defineRule({
  id: 'application/hung-kernel-app-deadlock',
  summary: 'A kernel of the program never ends: full utilisation, no progress',
  needs: [],
  anyOf: ['said.cuda-launch-timeout', 'program.hang', 'program.running-kernel', 'said.pt-watchdog-timeout'],
  uses: ['gpu.state', 'util.samples'],
  citations: ['cuda-programming-guide'],
  explains: ['said.pt-*', 'said.nccl-*', 'application/application-exception'],
  check(facts, context) {
    const timeout = facts['said.cuda-launch-timeout'];
    const still = facts['program.hang'] ?? facts['program.running-kernel'];
    const busy = context
      .all('gpu.state')
      .filter((fact) => (fact.value.utilization ?? 0) >= 99 && fact.scope !== 'after-fix');
    const sampled = context
      .all('util.samples')
      .find((fact) => fact.value.sm.min >= 99 && (fact.value.memory?.mean ?? 0) <= 2 && fact.scope !== 'after-fix');
    const full = busy[0] ?? sampled;
    const remedies = [
      {
        actor: 'developer',
        do: 'find the kernel that runs, and what it waits for',
        command: 'cuda-gdb -p PID -ex "info cuda kernels" -ex quit',
      },
      {
        actor: 'developer',
        do: 'look for spin-waits on flags, barriers that not all threads reach, and co-operating blocks that are not resident together',
      },
    ] as const;
    if (timeout !== undefined) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'a kernel was stopped by a time limit',
        seen: timeout.seen.slice(0, 2),
        remedies,
        missing: [
          { fact: 'whether the GPU drives a display', ask: 'nvidia-smi --query-gpu=index,display_active --format=csv' },
        ],
        weight: 1,
      };
    }
    if (still === undefined) return { kind: 'silent' };
    const told = context
      .all('program.hang')
      .find((fact) => fact.seen.some((each) => /\b(?:gpu|util\w*|sm)\b.{0,40}\b(?:100|99) ?%/i.test(each.text)));
    if (full === undefined && told !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'the GPU shows full utilisation and the program makes no progress',
        seen: told.seen.slice(0, 2),
        remedies,
        missing: [
          {
            fact: 'the kernel that runs',
            ask: 'cuda-gdb -p PID -ex "info cuda kernels" -ex quit; py-spy dump --pid PID',
          },
        ],
      };
    }
    if (full === undefined) {
      const idle = context.all('gpu.state').find((fact) => fact.value.utilization === 0);
      if (idle !== undefined)
        return { kind: 'cleared', because: 'the GPU is idle: no kernel runs', seen: idle.seen.slice(0, 1) };
      return { kind: 'unknown', missing: [{ fact: 'gpu.state', ask: 'nvidia-smi dmon -s pucvmet -c 10' }] };
    }
    const collective =
      context.said.some((fact) => /^said\.(?:nccl-|pt-watchdog|pt-nccl)/.test(fact.id)) ||
      context.first('nccl.version') !== undefined;
    const memory = busy[0] === undefined;
    return {
      kind: 'fault',
      // A collective that waits for a rank also shows a full GPU.
      certainty: collective ? 'possible' : 'likely',
      message: `the GPU shows full utilisation${memory ? ' without memory traffic' : ''} and the program makes no progress`,
      seen: [...still.seen.slice(0, 1), ...full.seen.slice(0, 1)],
      remedies,
      missing: [
        {
          fact: 'the kernel that runs',
          ask: 'cuda-gdb -p PID -ex "info cuda kernels" -ex quit; py-spy dump --pid PID',
        },
      ],
      weight: memory ? 1 : 0,
    };
  },
});
