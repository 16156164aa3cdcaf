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
import { jobNumbers, numbersOf } from './numbers.ts';
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
  return scene.processes.map((_, rank) => {
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
  const any =
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
  for (const [rank, process] of scene.processes.entries()) {
    const prefix = scene.processes.length === 1 ? '' : `rank${rank}.`;
    for (const [at, device] of process.devices.entries())
      for (const [name, value] of numbersOf(process, format, granularity, device.index)) {
        const of = at === 0 ? '' : `dev${device.index}.`;
        truth.set(`${prefix}${of}${name}`, value);
        if (rank === 0) truth.set(`${of}${name}`, value);
      }
  }
  for (const [name, value] of jobNumbers(scene.processes, offsets)) truth.set(name, value);
  // By construction: this holds whatever the simulation did.
  for (const [name, value] of Object.entries(scene.numbers ?? {})) truth.set(name, value);
  return truth;
}

function compareNumbers(
  scene: Scene,
  format: Format,
  facts: ReadonlyMap<string, unknown>,
): { readonly differences: readonly string[]; readonly compared: number } {
  const differences: string[] = [];
  let compared = 0;
  for (const [name, value] of truthOf(scene, format)) {
    if (scene.skip?.includes(name) === true || scene.accepted[0]!.startsWith('trace-')) continue;
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
