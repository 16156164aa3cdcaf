import type { Certainty } from '../../model/layer.ts';
import type { TraceFinding, TraceMark, TraceMeasured } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import type { Scene } from './scene.ts';

/** Judges one GPU of one trace; gives nothing where its subject does not occur. */
export type Detector = (scene: Scene, limits: TraceLimits) => readonly TraceFinding[];

/** Judges several GPUs or ranks together; one scene for each device of each rank, in their order. */
export type JobDetector = (scenes: readonly Scene[], limits: TraceLimits) => readonly TraceFinding[];

/** What a detector says of a waste; the rest is filled in. */
export interface Wasted {
  readonly cause: string;
  readonly message: string;
  readonly certainty?: Certainty;
  readonly measured: readonly TraceMeasured[];
  readonly saving: TraceFinding['saving'];
  /** Time that this cause itself takes: the order of findings. Left out: the saving. */
  readonly costNs?: number;
  /** Causes that this one explains: what they cost follows from it. */
  readonly explains?: readonly string[];
  readonly quotes: TraceFinding['quotes'];
  readonly marks?: readonly TraceMark[];
  readonly missing?: TraceFinding['missing'];
}

const mostMarks = 500;

/** A fault that costs time. */
export function waste(found: Wasted): TraceFinding {
  const { missing, costNs, explains, marks, certainty, ...rest } = found;
  return {
    ...rest,
    kind: 'waste',
    certainty: certainty ?? (missing === undefined ? 'proved' : 'likely'),
    marks: (marks ?? []).slice(0, mostMarks),
    ...(costNs === undefined ? {} : { costNs }),
    ...(explains === undefined ? {} : { explains }),
    ...(missing === undefined ? {} : { missing }),
  };
}

/** What is well: the cause is an `ok-` id. @param incidental nearly every program has it */
export function healthy(
  cause: string,
  message: string,
  measured: readonly TraceMeasured[],
  quotes: TraceFinding['quotes'],
  incidental = false,
): TraceFinding {
  const found = { cause, kind: 'healthy', certainty: 'proved', message, measured, saving: null, quotes } as const;
  return { ...found, marks: [], ...(incidental ? { incidental } : {}) };
}

/** What the trace cannot decide, and the one command that would show it. */
export function unclear(
  cause: string,
  message: string,
  missing: { readonly fact: string; readonly ask: string },
  quotes: TraceFinding['quotes'] = [],
): TraceFinding {
  return {
    cause,
    kind: 'unclear',
    certainty: 'possible',
    message,
    measured: [],
    saving: null,
    quotes,
    marks: [],
    missing,
  };
}

/** A number against its threshold, as findings show it: `against('idle share', 42.1, '>=', limits, 'idle-share', '%')`. */
export function against(
  name: string,
  value: number,
  is: TraceMeasured['is'],
  limits: TraceLimits,
  threshold: string,
  unit: string,
): TraceMeasured {
  return { name, value: Math.round(value * 100) / 100, is, threshold: limits[threshold]!, unit };
}

/** `1.25 ms` of nanoseconds. */
export function timeText(ns: number): string {
  const [value, unit] =
    ns >= 1e9 ? [ns / 1e9, 's'] : ns >= 1e6 ? [ns / 1e6, 'ms'] : ns >= 1e3 ? [ns / 1e3, 'µs'] : [ns, 'ns'];
  return `${value >= 100 || unit === 'ns' ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)} ${unit}`;
}

/** A part of the idle time that is worth a word, of the span. */
const worthWord = 0.01;

/** `0.5 % of the time`, and what else the GPU stands idle: small gaps between kernels are no waits. */
export function waitText({ habitualIdle, idleNs, pausesNs, spanNs }: Scene): string {
  const rest = spanNs <= 0 ? 0 : (idleNs - pausesNs) / spanNs - habitualIdle.share;
  const gaps = rest < worthWord ? '' : ` beside ${shareText(rest)} in short gaps between its work`;
  return `${shareText(habitualIdle.share)} of the time${gaps}`;
}

/** `42 %` of a share. */
export function shareText(share: number): string {
  const percent = share * 100;
  return `${percent >= 10 || percent === 0 ? percent.toFixed(0) : percent.toFixed(1)} %`;
}
