import { fits, mayBeOneGpu } from '../knowledge/explained-by.ts';
import type { Evidence } from '../model/document.ts';
import type { Said } from '../model/facts.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import type { Lookup } from './lookup.ts';
import { placeWords } from './words.ts';

const mostSteps = 4;

interface Step {
  readonly words: string;
  count: number;
  readonly seen: Evidence;
}

/** What followed from the leading finding, in the order of the input: messages that it explains, each once with how often. */
export function ledTo(verdict: Verdict, lead: Finding, lookup: Lookup): readonly string[] {
  const own = new Set(lead.evidence.map((each) => `${each.file}:${each.line}`));
  const gpus = lead.evidence.map((each) => each.text);
  const steps = new Map<string, Step>();
  for (const fact of verdict.facts) {
    const [seen] = fact.seen;
    if (seen === undefined || own.has(`${seen.file}:${seen.line}`) || seen.source !== 'message') continue;
    if (!lead.explains.some((pattern) => fits(pattern, fact.id))) continue;
    if (!mayBeOneGpu(gpus, [seen.text])) continue;
    const words = lookup.meaning(fact.id);
    if (words === null) continue;
    const { count } = fact.value as Said;
    const known = steps.get(fact.id);
    if (known === undefined) steps.set(fact.id, { words, count, seen });
    else known.count += count;
  }
  const all = [...steps.values()];
  const shown = all
    .slice(0, mostSteps)
    .map(({ words, count, seen }) => `${words} (${count === 1 ? '' : `${count} times, first `}${placeWords(seen)})`);
  return all.length > mostSteps ? [...shown, `… and ${all.length - mostSteps} more messages`] : shown;
}
