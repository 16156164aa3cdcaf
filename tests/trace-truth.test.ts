// Verdicts on traces whose truth is known. CULPRIT_TRACE_SEEDS=36 judges 36 scenes of each kind, and prints the score.
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readTraceFile } from '../packages/collect/src/trace/trace-file.ts';
import { compareTraces } from '../packages/core/src/trace/compare.ts';
import { TraceUnreadable } from '../packages/core/src/trace/unreadable.ts';
import { moreTraceSceneNames, traceScene, traceSceneNames } from './trace-generator.ts';
import type { Judged } from './traces/judge.ts';
import { judgeScene, writeScene } from './traces/judge.ts';
import { numbersOf } from './traces/numbers.ts';
import type { Format, Scene } from './traces/scene.ts';

const asked = process.env['CULPRIT_TRACE_SEEDS'];
const seeds = Array.from({ length: Number(asked ?? '3') }, (_, at) => at + 1);
const folder = mkdtempSync(join(tmpdir(), 'culprit-'));
const scores: string[] = [];

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  if (asked !== undefined) process.stderr.write(`${scores.join('\n')}\n`);
});

/** Both formats in a long run, else one in turn. */
function formatsOf(scene: Scene, turn = scene.seed): readonly Format[] {
  const formats = scene.formats ?? ['nsys', 'kineto'];
  return asked === undefined ? [formats[turn % formats.length]!] : formats;
}

let folders = 0;
async function judged(scene: Scene, format: Format): Promise<Judged> {
  const own = join(folder, String(folders++));
  try {
    return await judgeScene(scene, format, own);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** @returns what is wrong with the answers to a scene of each of the seeds */
async function wrongOf(name: string, of: readonly number[], turn = 0): Promise<readonly string[]> {
  const wrong: string[] = [];
  let [traces, best, numbers] = [0, 0, 0];
  for (const seed of of) {
    const scene = traceScene(name, seed);
    for (const format of formatsOf(scene, seed + turn)) {
      const answer = await judged(scene, format);
      traces++;
      numbers += answer.compared;
      if (answer.cause === scene.accepted[0]) best++;
      const place = `${format} ${seed}: ${answer.status} ${String(answer.cause)}`;
      if (answer.falsely) wrong.push(`${place} accuses what is healthy`);
      else if (!answer.right) wrong.push(place);
      wrong.push(...answer.differences.map((each) => `${place}: ${each}`));
    }
  }
  scores.push(`${name}: ${traces} traces, ${wrong.length} wrong, ${best} by the best name, ${numbers} numbers`);
  return wrong;
}

describe('a trace whose truth is known', () => {
  it.each(traceSceneNames)(
    '%s',
    async (name) => {
      expect(await wrongOf(name, seeds)).toEqual([]);
    },
    3_600_000,
  );
});

/** They take long, and are like another: only a long run plays them. */
const long = new Set([
  'decode-graphs',
  'compiled-graph-trees',
  'launch-bound-two-threads',
  'waits-in-another-thread',
  'queue-full',
  'ranks-of-a-node',
  'shards-straggler',
  'pipeline-stages',
  'all-ranks-wait-for-input',
  'processes-launch-bound',
]);
const more = moreTraceSceneNames.filter((name) => asked !== undefined || !long.has(name));

describe('a trace as profilers of all ages write it', () => {
  it.each(more.map((name, at) => ({ name, at })))(
    '$name',
    async ({ name, at }) => {
      // Each file in a way of its own: one of each scene shows them all.
      expect(await wrongOf(name, asked === undefined ? [6] : seeds, at)).toEqual([]);
    },
    3_600_000,
  );
});

/** From the first work of the first device to the last, of the slowest rank. */
const spanOf = (scene: Scene, format: Format): number =>
  Math.max(
    ...scene.processes.map(
      (process) => numbersOf(process, format, 'graph', process.device.index).get('gpu.span_ns') as number,
    ),
  );

/** Two runs of one program differ by as much, part of the span. */
const noise = 0.0002;

const wastes = traceSceneNames.filter((name) => {
  const { healthy, accepted } = traceScene(name, 1);
  return !healthy && !accepted[0]!.startsWith('trace-');
});

describe('the same work done right', () => {
  it.each(wastes)(
    '%s: gains no more than the bound, and the comparison says so',
    async (name) => {
      for (const seed of asked === undefined ? [4] : seeds) {
        const [wrong, right] = [traceScene(name, seed), traceScene(name, seed, true)];
        const format = (wrong.formats ?? (['nsys', 'kineto'] as const))[0]!;
        const before = await judged(wrong, format);
        const after = await judged(right, format);
        const gain = spanOf(wrong, format) - spanOf(right, format);
        expect(gain).toBeGreaterThan(0);
        expect(before.saving! + noise * spanOf(wrong, format)).toBeGreaterThanOrEqual(gain);
        const comparison = compareTraces(
          { name: 'before', judged: before.judged },
          { name: 'after', judged: after.judged },
        );
        expect(comparison.headline).toContain(' less');
        expect(comparison.length.after).toBeLessThan(comparison.length.before);
        // Kernels of a graph that are not in the trace do not show that both do the same work.
        const state = comparison.status === 'cannot-tell' ? 'only-before' : 'gone';
        if (state !== 'gone') expect(comparison.headline).toContain('CUDA graphs');
        expect(comparison.findings).toContainEqual(expect.objectContaining({ cause: before.cause, state }));
      }
    },
    3_600_000,
  );
});

describe('a trace that breaks off', () => {
  it.each(['single-stream-saturated', 'launch-bound', 'nccl-overlapped'])(
    '%s: what is left of it is judged',
    async (name) => {
      const scene = traceScene(name, 5);
      for (const format of ['nsys', 'kineto'] as const)
        for (const part of [0.02, 0.4, 0.8, 0.97]) {
          const [path] = writeScene(scene, format, join(folder, String(folders++)));
          truncateSync(path!, Math.floor(readFileSync(path!).length * part));
          try {
            const file = await readTraceFile(path!);
            if (file.kind === 'trace') expect(file.trace.left).not.toEqual([]);
          } catch (error) {
            expect(error).toBeInstanceOf(TraceUnreadable);
          }
        }
    },
  );
});
