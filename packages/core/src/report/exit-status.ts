import type { Status } from '../model/layer.ts';

/** Exit status of a verdict: 0 nothing is wrong, 1 something is, 3 cannot tell. */
export function exitStatusOf(status: Status): 0 | 1 | 3 {
  switch (status) {
    case 'ok':
      return 0;
    case 'fault':
    case 'performance':
    case 'not-stack-fault':
      return 1;
    case 'cannot-tell':
      return 3;
  }
}

/** Exit status of several targets: the first of 4, 1, 3, 0 that occurs. */
export function worstExitStatus(statuses: readonly number[]): number {
  return [4, 1, 3, 0].find((each) => statuses.includes(each)) ?? 0;
}
