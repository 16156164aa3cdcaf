import type { Fact } from '../../model/facts.ts';
import type { Missing, Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { rankWords } from './_job.ts';

type Collective = Fact<'job.collective'>;

export const collectiveHang: Rule = defineRule({
  id: 'application/collective-hang',
  summary: 'Ranks wait in a collective that another rank does not come to',
  needs: [],
  anyOf: ['job.collective', 'said.pt-watchdog-timeout', 'said.nccl-timeout'],
  uses: ['job.size'],
  citations: ['pytorch-nccl-watchdog'],
  explains: ['said.pt-*', 'said.nccl-timeout', 'said.nccl-remote-error'],
  check(facts, context) {
    const all = context.all('job.collective').filter((fact) => fact.scope !== 'other-host');
    const waits = all.filter((fact) => fact.value.kind === 'waits');
    const enqueued = all.filter((fact) => fact.value.kind === 'enqueued');
    const remedies = [
      { actor: 'developer', do: 'find what the rank that is missing does instead', command: 'py-spy dump --pid PID' },
      {
        actor: 'developer',
        do: 'look for branches, batches and early ends that differ between ranks; record the collectives',
        command: 'TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 PROGRAM',
      },
    ] as const;
    const lead = waits[0] ?? enqueued[0];
    const last = Math.max(-1, ...all.map((fact) => fact.order));
    const went = context
      .all('works')
      .find((fact) => fact.order > last && fact.value.layer === 'application' && !fact.told);
    if (lead !== undefined && went !== undefined)
      return {
        kind: 'cleared',
        because: 'the job went on after the collective that ran into its time limit',
        seen: went.seen.slice(0, 1),
      };
    if (lead === undefined) {
      const said = facts['said.pt-watchdog-timeout'] ?? facts['said.nccl-timeout'];
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'a collective ran into its time limit; which rank did not come is not told',
        seen: said?.seen.slice(0, 2) ?? [],
        remedies,
        missing: [stand('each rank')],
        weight: -5,
      };
    }
    const other = otherOperation(waits);
    if (other !== null) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `ranks call different collectives as number ${other[0].value.sequence}: ${named(other[0])}, ${named(other[1])}`,
        seen: [...other[0].seen.slice(0, 1), ...other[1].seen.slice(0, 1)],
        remedies,
        missing: [stand(rankWords(other[1].value.ranks))],
        weight: 1,
      };
    }
    const step = outOfStep(waits) ?? (waits.length === 0 ? outOfStep(enqueued) : null);
    if (step !== null) {
      const [ahead, less] = step;
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `${rankWords(less.value.ranks)} ${less.value.ranks.length === 1 ? 'has' : 'have'} come to collective ${less.value.sequence}, ${rankWords(ahead.value.ranks)} to number ${ahead.value.sequence}: they no longer call the same`,
        seen: [...less.seen.slice(0, 1), ...ahead.seen.slice(0, 1)],
        remedies,
        missing: [stand(rankWords(less.value.ranks))],
      };
    }
    const late = behind(waits, enqueued);
    if (late !== null) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `${rankWords(late.value.ranks)} ${late.value.ranks.length === 1 ? 'has' : 'have'} come to collective ${late.value.sequence} only; ${rankWords(waits[0]!.value.ranks)} wait in number ${waits[0]!.value.sequence}`,
        seen: [...late.seen.slice(0, 1), ...waits[0]!.seen.slice(0, 1)],
        remedies,
        missing: [stand(rankWords(late.value.ranks))],
      };
    }
    const present = new Set(all.flatMap((fact) => fact.value.ranks));
    const size = facts['job.size']?.value;
    const count = size !== undefined && size > Math.max(...present) ? size : Math.max(...present) + 1;
    const absent = Array.from({ length: count }, (_, rank) => rank).filter((rank) => !present.has(rank));
    const place = `collective ${lead.value.sequence}${lead.value.operation === null ? '' : ` (${lead.value.operation})`}`;
    const some = present.size > 1 && absent.length > 0 && absent.length <= Math.max(4, count / 4);
    return {
      kind: 'fault',
      certainty: 'possible',
      message: some
        ? `${rankWords(absent)} did not come to ${place}, in which ${present.size} of ${count} ranks wait`
        : `${present.size === 1 ? rankWords([...present]) : `${present.size} ranks`} ${present.size === 1 ? 'waits' : 'wait'} in ${place}; which rank is missing cannot be seen here`,
      seen: lead.seen.slice(0, 3),
      remedies,
      missing: [stand(some ? rankWords(absent) : 'the ranks that do not report')],
      weight: some ? 3 : -5,
    };
  },
});

function stand(whose: string): Missing {
  return { fact: `where ${whose} stood`, ask: `py-spy dump --pid PID; dmesg -T | grep -iE 'NVRM: Xid|oom-kill'` };
}

function named(fact: Collective): string {
  return `${rankWords(fact.value.ranks)} ${fact.value.operation}`;
}

/** Two waits of one number in different operations. */
function otherOperation(waits: readonly Collective[]): readonly [Collective, Collective] | null {
  for (const a of waits) {
    const b = waits.find(
      (each) => each.value.sequence === a.value.sequence && each.value.operation !== a.value.operation,
    );
    if (b !== undefined) return a.value.ranks.length >= b.value.ranks.length ? [a, b] : [b, a];
  }
  return null;
}

/** Ranks of one group that stand at different numbers, all of them in the same way: the one ahead and the one behind. */
function outOfStep(all: readonly Collective[]): readonly [Collective, Collective] | null {
  const groups = new Set(all.map((fact) => fact.value.group));
  const ranks = all.flatMap((fact) => fact.value.ranks);
  if (groups.size !== 1 || all.length < 2 || new Set(ranks).size !== ranks.length) return null;
  const ordered = [...all].sort((a, b) => b.value.sequence - a.value.sequence);
  const [ahead, less] = [ordered[0]!, ordered.at(-1)!];
  // Far apart, they are rather two groups whose names the log does not tell.
  const apart = ahead.value.sequence - less.value.sequence;
  return apart > 0 && apart <= 8 ? [ahead, less] : null;
}

/** Ranks that have not even called what the others wait in; only where all stand in one group. */
function behind(waits: readonly Collective[], enqueued: readonly Collective[]): Collective | null {
  const groups = new Set(enqueued.map((fact) => fact.value.group));
  const numbers = new Set(waits.map((fact) => fact.value.sequence));
  const waited = waits[0]?.value;
  if (groups.size !== 1 || numbers.size !== 1 || waited === undefined) return null;
  return (
    enqueued.find(
      (fact) => fact.value.sequence < waited.sequence && !fact.value.ranks.some((rank) => waited.ranks.includes(rank)),
    ) ?? null
  );
}
