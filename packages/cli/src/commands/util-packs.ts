import type { Thresholds } from '@culprit/core/utilization/thresholds.rows';
import type { Call } from './command.ts';

/** Prints the rules for Prometheus or the dashboard for Grafana. */
export function printPack(call: Call, thresholds: Thresholds): number {
  call.output.data(`${JSON.stringify(thresholds)}\n`);
  return 0;
}
