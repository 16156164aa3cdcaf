import { dashboard } from '@culprit/core/report/grafana-dashboard';
import { rulePack } from '@culprit/core/report/prometheus-pack';
import type { Thresholds } from '@culprit/core/utilization/thresholds.rows';
import { usageError } from '../errors.ts';
import { reportTarget } from '../report-target.ts';
import { version } from '../version.ts';
import type { Call } from './command.ts';

/** Prints the rules for Prometheus or the dashboard for Grafana. */
export async function printPack(call: Call, thresholds: Thresholds): Promise<number> {
  const both = call.flags['rules'] === true && call.flags['dashboard'] === true;
  if (both || call.positionals.length > 0)
    throw usageError('bad-value', '--rules and --dashboard are printed alone, and read no file', null);
  const target = reportTarget(call);
  target.write(
    call.flags['rules'] === true
      ? rulePack(thresholds, await call.knowledge(), version)
      : `${JSON.stringify(dashboard(thresholds, version), null, 2)}\n`,
  );
  target.done(null);
  return 0;
}
