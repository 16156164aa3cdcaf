import type { LineClass, Shares } from './diff.ts';
import { fisher } from './fisher.ts';
import { chanceFrom } from './ranking.ts';
import type { SeenLine, Subject } from './subject.ts';

/**
 * For each group, the first class of NCCL's lines that all of its logs print and none of the other's; groups of one log
 * each count too. Logs without lines of NCCL are left out.
 */
export function firstLines(first: readonly Subject[], second: readonly Subject[]): readonly LineClass[] {
  const logs = [first, second].map((group) => group.filter((subject) => subject.classes.size > 0));
  const [a = [], b = []] = logs;
  if (a.length === 0 || b.length === 0) return [];
  const single = a.length === 1 && b.length === 1;
  if (!single && fisher(a.length, 0, 0, b.length) >= chanceFrom) return [];
  return ([0, 1] as const).flatMap((group): readonly LineClass[] => {
    const [own, other] = group === 0 ? [a, b] : [b, a];
    let found: SeenLine | null = null;
    for (const [text, line] of own[0]!.classes) {
      if (other.some((subject) => subject.classes.has(text)) || !own.every((subject) => subject.classes.has(text)))
        continue;
      if (found === null || line.order < found.order) found = line;
    }
    if (found === null) return [];
    const shares = [first, second].map((subjects, side) => {
      const known = logs[side]!.length;
      return { with: side === group ? known : 0, known, unknown: subjects.length - known };
    }) as unknown as Shares;
    return [{ group, shares, text: found.text, evidence: found.evidence }];
  });
}
