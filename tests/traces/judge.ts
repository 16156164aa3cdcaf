// Writes a scene, has it judged, and holds the answer against the truth.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTraceFile } from '../../packages/collect/src/trace/trace-file.ts';
import { defaultKnowledge } from '../../packages/core/src/knowledge/knowledge.ts';
import type { Trace } from '../../packages/core/src/trace/model.ts';
import { rankTraces } from '../../packages/core/src/trace/rank-files.ts';
import type { TraceVerdict } from '../../packages/core/src/trace/verdict.ts';
import { traceVerdict } from '../../packages/core/src/trace/verdict.ts';
import { kinetoText } from './kineto-text.ts';
import { granularityOf, writeNsysDatabase } from './nsys-database.ts';
import type { Exact } from './numbers.ts';
import { inMicroseconds, jobNumbers, numbersOf, together } from './numbers.ts';
import type { Format, Scene } from './scene.ts';

export interface Judged {
  readonly cause: string | null;
  readonly status: string;
  /** Leads with a cause that is accepted. */
  readonly right: boolean;
  /** Accuses a program that is healthy. */
  readonly falsely: boolean;
  /** Numbers that were compared, and what differs. */
  readonly compared: number;
  readonly differences: readonly string[];
  readonly saving: number | null;
  readonly judged: TraceVerdict;
}

/** Writes the files of a scene into a new folder. @returns their names */
export function writeScene(scene: Scene, format: Format, folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const files = scene.together === true ? scene.processes.slice(0, 1) : scene.processes;
  return files.map((_, rank) => {
    const path = join(folder, format === 'nsys' ? `report_rank${rank}.sqlite` : `rank${rank}.pt.trace.json`);
    if (format === 'nsys') writeNsysDatabase(scene, rank, path);
    else writeFileSync(path, kinetoText(scene, rank));
    return path;
  });
}

export async function judgeScene(scene: Scene, format: Format, folder: string): Promise<Judged> {
  const traces: Trace[] = [];
  for (const path of writeScene(scene, format, folder)) {
    const file = await readTraceFile(path);
    if (file.kind === 'trace') traces.push(file.trace);
  }
  const judged = traceVerdict(rankTraces(traces).traces, defaultKnowledge);
  const { verdict } = judged;
  const facts = new Map(verdict.facts.map(({ id, value }) => [id as string, value as unknown]));
  const { differences, compared } = compareNumbers(scene, format, facts);
  const saving = facts.get('trace.saving.upper_bound_ns');
  const firm = verdict.findings.filter(({ certainty }) => certainty !== 'possible').map(({ cause }) => cause);
  const spared = scene.not !== undefined && !scene.not.some((cause) => firm.includes(cause) || verdict.cause === cause);
  const any =
    spared ||
    (scene.accepted.includes('ok-any') && verdict.status === 'ok') ||
    (scene.accepted.includes('ok-cannot-tell') && verdict.status === 'cannot-tell');
  return {
    cause: verdict.cause,
    status: verdict.status,
    right: any || (verdict.cause !== null && scene.accepted.includes(verdict.cause)),
    falsely:
      scene.healthy &&
      verdict.findings.some(({ certainty, cause }) => certainty !== 'possible' && !cause.startsWith('ok-')),
    compared,
    differences,
    saving: typeof saving === 'number' ? saving : null,
    judged,
  };
}

/** Every number that is known, of every rank and device. */
function truthOf(scene: Scene, format: Format): ReadonlyMap<string, Exact> {
  const truth = new Map<string, Exact>();
  const granularity = granularityOf(scene);
  const offsets = scene.offsets ?? [];
  const whole = format === 'kineto' && scene.dialect.kineto.times === 'whole';
  const all = scene.together === true ? [together(scene.processes)] : scene.processes;
  const files = all.map((each, at) => (whole ? inMicroseconds(each, offsets[at] ?? 0) : each));
  for (const [rank, file] of files.entries()) {
    const prefix = files.length === 1 ? '' : `rank${rank}.`;
    const devices = new Set(
      (scene.together === true ? scene.processes : [scene.processes[rank]!]).flatMap((process) =>
        process.devices.map(({ index }) => index),
      ),
    );
    for (const [at, device] of [...devices].entries())
      for (const [name, value] of numbersOf(file, format, granularity, device)) {
        const of = at === 0 ? '' : `dev${device}.`;
        truth.set(`${prefix}${of}${name}`, value);
        if (rank === 0) truth.set(`${of}${name}`, value);
      }
  }
  for (const [name, value] of jobNumbers(files, offsets)) truth.set(name, value);
  // By construction: this holds whatever the simulation did.
  for (const [name, value] of Object.entries(scene.numbers ?? {}))
    if (!whole || !name.endsWith('_ns')) truth.set(name, value);
  return truth;
}

/** `*name` skips it on every device and rank, `kineto:name` in that format. */
const isSkipped = (scene: Scene, format: Format, name: string): boolean =>
  scene.skip?.some((each) => {
    const colon = each.indexOf(':');
    const key = each.slice(colon + 1);
    if (colon >= 0 && each.slice(0, colon) !== format) return false;
    return key.startsWith('*') ? name.endsWith(key.slice(1)) : name === key;
  }) === true;

function compareNumbers(
  scene: Scene,
  format: Format,
  facts: ReadonlyMap<string, unknown>,
): { readonly differences: readonly string[]; readonly compared: number } {
  const differences: string[] = [];
  let compared = 0;
  for (const [name, value] of truthOf(scene, format)) {
    if (isSkipped(scene, format, name) || scene.accepted[0]!.startsWith('trace-')) continue;
    // A trace of one kernel has no gaps, and one of none has no faults: absent and 0 are the same there.
    const fact = facts.get(`trace.${name}`);
    compared++;
    const [low, high] = typeof value === 'number' ? [value, value] : value;
    if (fact === undefined && high === 0) continue;
    const slack = name.endsWith('share') ? 1e-6 : 0.5;
    if (typeof fact !== 'number' || fact < low - slack || fact > high + slack)
      differences.push(`${name} is ${String(fact)}, not ${low === high ? low : `${low} to ${high}`}`);
  }
  return { differences, compared };
}
