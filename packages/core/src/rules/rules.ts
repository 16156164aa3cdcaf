import type { Rule } from '../model/rule.ts';
import { containerRules } from './container-rules.ts';
import { driverRules } from './driver-rules.ts';
import { frameworkRules } from './framework-rules.ts';
import { hardwareRules } from './hardware-rules.ts';
import { jobRules } from './job-rules.ts';
import { programRules } from './program-rules.ts';
import { seriesRules } from './series-rules.ts';
import { traceRules } from './trace-rules.ts';
import { orSeries } from './_series.ts';
import { orTrace } from './_trace.ts';

/** Every rule. */
export const rules: readonly Rule[] = [
  ...hardwareRules,
  ...driverRules,
  ...containerRules,
  ...frameworkRules,
  ...programRules,
  ...jobRules,
  ...seriesRules,
  ...traceRules,
].map((rule) => orTrace(orSeries(rule)));
