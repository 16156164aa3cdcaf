import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';

type Message = Fact<`said.${string}`>;

/** Messages of some signatures: those that still stand, and those that the program overcame. */
export interface Standing {
  readonly standing: readonly Message[];
  readonly overcome: readonly Message[];
}

/**
 * Messages by signature, in the order of the input, without those of another machine or of the state after a repair.
 * One is overcome when the same program went on after it.
 * @param by what the sign of success has to say, where a program goes on without what it lost
 */
export function messagesOf(context: RuleContext, ids: readonly string[], by?: RegExp): Standing {
  const works = context.all('works').filter((fact) => !fact.told && (by === undefined || by.test(fact.value.what)));
  const standing: Message[] = [];
  const overcome: Message[] = [];
  for (const fact of context.said) {
    if (!ids.includes(fact.value.signature) || fact.scope === 'other-host' || fact.scope === 'after-fix') continue;
    const later = works.some(
      (each) =>
        each.order > fact.order && each.command === fact.command && isSamePiece(context, fact.order, each.order),
    );
    (later ? overcome : standing).push(fact);
  }
  return { standing, overcome };
}

/**
 * True where a server or a queue takes no other piece of work between two places of the input. What failed before the
 * first piece belongs to none.
 */
export function isSamePiece(context: RuleContext, from: number, to: number): boolean {
  const pieces = context.all('program.piece');
  if (!pieces.some((fact) => fact.order <= from)) return true;
  return !pieces.some((fact) => fact.order > from && fact.order <= to);
}

/** The first line of each message, at most four. */
export function proofOf(messages: readonly Message[]): Message['seen'] {
  return messages.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 4);
}

/** A captured value of the first message that has it. */
export function captured(messages: readonly Message[], ...names: readonly string[]): string | undefined {
  for (const message of messages)
    for (const name of names) {
      const value = message.value.captures[name];
      if (value !== undefined) return value;
    }
  return undefined;
}
