import type { Decision } from '../gate/decision.ts';
import { gateLine } from './gate-line.ts';

/** The decision with all its reasons, one line of JSON (`culprit/gate@1`). */
export function gateJson(decision: Decision, knowledge: { readonly asOf: string; readonly digest: string }): string {
  const { outcome, complete, notes } = decision;
  return `${JSON.stringify({
    schema: 'culprit/gate@1',
    outcome,
    line: gateLine(decision),
    complete,
    items: decision.items.map(({ finding, action, held }) => ({ action, held, finding })),
    notes,
    knowledge,
  })}\n`;
}
