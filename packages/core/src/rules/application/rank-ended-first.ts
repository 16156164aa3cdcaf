import type { JobEnd } from '../../model/facts.ts';
import type { Missing, Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { firstEnd, merged, signalWords } from './_job.ts';

export const rankEndedFirst: Rule = defineRule({
  id: 'application/rank-ended-first',
  summary: 'One process of the job ended first; its own error is not in the text',
  needs: ['job.end'],
  citations: ['torchrun-errors'],
  check(_, context) {
    const ends = context.all('job.end');
    const end = firstEnd(ends);
    if (end === undefined) return { kind: 'silent' };
    const value = merged(end, ends);
    if (value.exit === 0 && value.signal === null)
      return { kind: 'cleared', because: 'the process ended with exit code 0', seen: end.seen.slice(0, 1) };
    // The scheduler ended all of them at once: `orchestrator/job-time-limit` says so.
    if (value.reason === 'time-limit') return { kind: 'silent' };
    // `orchestrator/pod-preempted` says so where the message itself is known.
    if (value.reason === 'preempted') return { kind: 'silent' };
    const killed = value.signal === 9 || value.reason === 'oom' || value.reason === 'node-failure';
    return {
      kind: 'fault',
      // Why a process died is not in what its launcher says.
      certainty: 'possible',
      message: `${who(value)} ${how(value)}`,
      seen: end.seen.slice(0, 4),
      remedies: [
        { actor: 'node-admin', do: 'look on that node for what ended the process before looking at any other rank' },
        { actor: 'developer', do: 'let each rank leave its own log: the launcher shows only that it ended' },
      ],
      missing: [killed ? killer(value) : ownError(value)],
      // A process that was killed from outside says more than any message of the others.
      weight: killed ? 6 : -15,
      explains: ['said.pt-*', 'said.nccl-*'],
    };
  },
});

function who(value: JobEnd): string {
  const node = value.node === null ? '' : ` on ${value.node}`;
  if (value.rank !== null) return `rank ${value.rank}${node}`;
  if (value.reason !== null && value.pid === null && value.node !== null) return `node ${value.node}`;
  if (value.localRank !== null) return `the process with local rank ${value.localRank}${node}`;
  return value.pid === null ? `a process${node}` : `process ${value.pid}${node}`;
}

function how(value: JobEnd): string {
  switch (value.reason) {
    case 'oom':
      return 'was ended for want of memory';
    case 'node-failure':
      return 'failed, as the scheduler tells';
    case 'preempted':
      return 'was taken by a job of higher priority';
    case 'time-limit':
      return 'reached the time limit of the job';
    case 'abort':
      return 'called for the end of the job by MPI_ABORT';
    case 'cancelled':
    case null:
      break;
  }
  if (value.signal !== null) return `was ended by ${signalWords(value.signal)} before the others`;
  return value.exit === null ? 'ended before the others' : `ended with exit code ${value.exit} before the others`;
}

/** What the kernel or the scheduler of the node tells of a process that was killed. */
function killer(value: JobEnd): Missing {
  const node = value.node ?? 'NODE';
  if (value.by === 'kubernetes')
    return {
      fact: `what ended ${who(value)}`,
      ask: 'kubectl get pod POD -o jsonpath="{.status.containerStatuses[*].lastState}"',
    };
  if (value.reason === 'node-failure')
    return { fact: `why node ${node} failed`, ask: `scontrol show node ${node}; ssh ${node} dmesg -T | tail -n 50` };
  return {
    fact: `what ended ${who(value)}`,
    ask: `ssh ${node} "dmesg -T | grep -iE 'out of memory|oom-kill|killed process|NVRM: Xid'"`,
  };
}

/** Where the process left its own error, by its launcher. */
function ownError(value: JobEnd): Missing {
  const fact = `the error of ${who(value)}`;
  const rank = value.localRank ?? value.rank ?? 'RANK';
  if (value.log !== null) return { fact, ask: `cat ${value.log}` };
  switch (value.by) {
    case 'torchrun':
    case 'lightning':
    case 'deepspeed':
      return { fact, ask: `torchrun --log-dir logs --redirects 3 --tee 3 …; cat logs/*/attempt_0/${rank}/stderr.log` };
    case 'mpirun':
      return { fact, ask: `mpirun --tag-output --output-filename logs …; cat logs/*/rank.*${value.rank ?? ''}/stderr` };
    case 'srun':
    case 'slurm':
      return { fact, ask: `srun --label --output=job-%j.%t.log …; cat job-*.${value.rank ?? 'TASK'}.log` };
    case 'ray':
      return {
        fact,
        ask: `ray logs cluster "worker-*${value.pid ?? 'PID'}.err" --node-ip ${value.node ?? 'IP'}`,
      };
    case 'kubernetes':
      return { fact, ask: 'kubectl logs POD --previous' };
  }
}
