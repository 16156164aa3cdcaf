import { mark } from './reading.ts';
import type { Reading } from './reading.ts';

/** Words with which somebody says that a fact is missing: it makes a question, never a statement. */
const doubts =
  /(?<![a-z])(?:no(?:body|t anyone| one)(?: (?:here|else|really|even))? (?:remembers?|knows?|knew|wrote|told|said|(?:can|could|would|will|was able to)(?: (?:tell|say|remember|find|answer|see|look))|has (?:told|said|written))|(?:no|not an?y?) (?:idea|clue|record|information|info)|(?:i|we|they|he|she|you|customers?|admins?|ops|users?|vendor|provider|tenant|also|really|^)[ ,]{0,2}(?:do|does|did)(?: not|n't) (?:really |even |yet )?(?:know|remember|recall)|(?:^|[.,;:(-] ?)don't know|(?:i|we|you) (?:do not|don't|didn't|did not) have (?:the|a|any) (?:list|inventory|number|version|details?)|(?:i|we) (?:can(?:not| not|'t)|could(?: not|n't)) (?:see|tell|say|find|look|check|ask|look up|read|remember)|(?:can't|cannot) (?:see|tell you|say|ask)|(?:i am|i'm|we are|we're) not sure|(?:is|are|was|were|isn't|aren't|wasn't|not) (?:not )?(?:visible|known|given|recorded|documented|decided(?: yet)?|written down|noted|mentioned|specified|told)|(?:is|are|version|number|type|model|build|driver|gpu|tag|variant|list) (?:unknown|unclear|undecided|unspecified|a mystery)|unknown (?:to (?:me|us)|version|build|driver|gpu|cuda)|who knows|(?:is|was|got) (?:cut off|illegible|unreadable|truncated|redacted|smudged|hidden)|can't be read|rather not (?:say|share|tell|name)|n\/a|forgot(?:ten)?|(?:is|are|was|were|got) (?:gone|lost)|(?:could|might|may) (?:be|have been) (?:either|cu\d|jax|torch|the|a |an |one)|whatever (?:[a-z]{1,12} ){0,3}(?:put|installed|resolved|got|gave|came|chose|shipped|picked|happens)|: whatever|(?:driver|gpu|card|board|tag|version|cuda|toolkit|build) (?:is|was|:|=) ?['"]?(?:the one|whatever|something|some|one of|from)|(?:does not|doesn't|do not|don't|will not|won't|would not|wouldn't|did not|didn't|never) (?:say|tell|name|disclose|reveal|mention|specify|state|answer|share)|some(?:thing)? like|exact (?:build|version|number)\?|differs? from (?:day|node|host|machine)|varies|either the|or so)(?![a-z])/;

/** Does the text say that something is not known? */
export function hasDoubt(lower: string): boolean {
  return doubts.test(lower);
}

/**
 * Takes clauses that say that something is not known (`can't tell you which CUDA the .so was built for`): their `which`
 * asks nothing, and their words are understood.
 */
export function takeDoubts(reading: Reading): void {
  const { lower } = reading;
  for (const [from, to] of clauses(lower)) {
    const clause = lower.slice(from, to);
    if (/(?<![a-z])(?:which|what|how)(?![a-z])/.test(clause) && !clause.includes('?') && doubts.test(clause))
      mark(reading, from, to);
  }
}

const choice = /(?<![a-z])(?:either|or)(?![a-z])/;
const unseen =
  /(?<![a-z])(?:no idea|no clue|not (?:known|stated|given|sure|clear|recorded|documented|legible|readable)|unknown|unclear|unreadable|illegible|(?:can't|cannot|can not|couldn't|could not) (?:see|tell|say|read|find)|could not be (?:read|seen|found)|nobody (?:knows|can say)|do not know|don't know)(?![a-z])/;

/**
 * The text without the clauses that say that it is not known which of several it is (`cu11 or cu12 package, no idea`):
 * none of the things named there is given. Everything keeps its place.
 */
export function withoutOpenChoices(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length !== text.length || !choice.test(lower) || !unseen.test(lower)) return text;
  let given = text;
  const places = [...clauses(lower).filter(([from]) => lower.charAt(from - 1) === '('), ...clauses(lower, true)];
  for (const [from, to] of places) {
    const clause = lower.slice(from, to);
    // Builds of a wheel are judged one by one.
    if (choice.test(clause) && unseen.test(clause) && !/\?|(?<![a-z])cu\d{3}/.test(clause))
      given = given.slice(0, from) + ' '.repeat(to - from) + given.slice(to);
  }
  return given;
}

/** Does an open choice name the builds of a library? */
export function isBuildOpen(text: string, given: string): boolean {
  if (text === given) return false;
  let gone = '';
  for (let at = 0; at < text.length; at += 1) if (text.charAt(at) !== given.charAt(at)) gone += text.charAt(at);
  return /cu1\d|cuda ?1\d/i.test(gone);
}

/** The places of sentences and of what stands in parentheses or behind a colon. */
function clauses(lower: string, dashes = false): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  let from = 0;
  for (let at = 0; at <= lower.length; at += 1) {
    const letter = lower.charAt(at);
    const ends =
      at === lower.length ||
      /[;()]/.test(letter) ||
      (dashes && letter === '-' && lower.charAt(at - 1) === ' ' && lower.charAt(at + 1) === ' ') ||
      (/[.?!:]/.test(letter) && /^(?:\s|$)/.test(lower.slice(at + 1, at + 2)));
    if (!ends) continue;
    found.push([from, at + (letter === '?' ? 1 : 0)]);
    from = at + 1;
  }
  return found;
}
