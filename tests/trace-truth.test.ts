// Verdicts on traces whose truth is known. CULPRIT_TRACE_SEEDS=36 judges 36 scenes of each kind, and prints the score.
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readTraceFile } from '../packages/collect/src/trace/trace-file.ts';
import { compareTraces } from '../packages/core/src/trace/compare.ts';
import { TraceUnreadable } from '../packages/core/src/trace/unreadable.ts';
import { traceScene, traceSceneNames } from './trace-generator.ts';
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
function formatsOf(scene: Scene): readonly Format[] {
  const formats = scene.formats ?? ['nsys', 'kineto'];
  return asked === undefined ? [formats[scene.seed % formats.length]!] : formats;
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

describe('a trace whose truth is known', () => {
  it.each(traceSceneNames)(
    '%s',
    async (name) => {
      const wrong: string[] = [];
      let [traces, best, numbers] = [0, 0, 0];
      for (const seed of seeds) {
        const scene = traceScene(name, seed);
        for (const format of formatsOf(scene)) {
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
      expect(wrong).toEqual([]);
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
        expect(comparison.findings).toContainEqual(expect.objectContaining({ cause: before.cause, state: 'gone' }));
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
