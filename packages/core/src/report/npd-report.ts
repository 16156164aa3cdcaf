// Custom plugins of node-problem-detector: exit status 0 no problem, 1 a problem, anything else unknown; the first 80 bytes
// of standard output are the message. https://github.com/kubernetes/node-problem-detector/blob/master/pkg/custompluginmonitor/plugin/plugin.go
import type { Decision } from '../gate/decision.ts';
import { gateLine } from './gate-line.ts';

/** What node-problem-detector keeps of a plugin's output (`max_output_length`). */
export const longestMessage = 80;

export interface NpdAnswer {
  readonly message: string;
  readonly status: 0 | 1 | 2;
}

/** The decision as a plugin answers. Only what is enforced is a problem: machines act on conditions. */
export function npdAnswer(decision: Decision): NpdAnswer {
  const message = gateLine(decision, longestMessage);
  if (decision.outcome === 'enforced') return { message, status: 1 };
  return { message, status: decision.outcome === 'unknown' || !decision.complete ? 2 : 0 };
}
