// Traces of events through the built command: files, folders of ranks, standard input, packed, cut off, damaged.
import { mkdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { Verdict } from '../packages/core/src/model/verdict.ts';
import { callEvent, kernelEvent, traceText } from '../packages/core/src/trace/kineto/testing.ts';
import { culprit, scratch } from './run-cli.ts';

const { path, remove } = scratch();
afterAll(remove);

interface Json {
  readonly status: string;
  readonly cause: string | null;
  readonly facts: readonly { readonly id: string; readonly value: unknown }[];
}

/** Kernels of 4 µs that are launched 40 µs apart. */
function slow(rank: number | null, world: number): string {
  const events = Array.from({ length: 400 }, (_, at) => [
    callEvent(100 + at * 40, 6, at + 1),
    kernelEvent(110 + at * 40, 4, at + 1),
  ]).flat();
  return traceText(events, rank === null ? {} : { distributedInfo: { backend: 'nccl', rank, world_size: world } }, 1);
}

const jsonOf = (args: readonly string[], input?: string | Uint8Array): Json =>
  JSON.parse(culprit(['trace', ...args, '-f', 'json'], input === undefined ? {} : { input }).out) as Json;
const fact = (json: Json, id: string): unknown => json.facts.find((each) => each.id === id)?.value;

describe('culprit trace of events', () => {
  it('says the same of a file, a packed file and standard input', () => {
    const text = slow(null, 1);
    const [plain, packed] = [path('a.json'), path('a.json.gz')];
    writeFileSync(plain, text);
    // Several members, and bytes that are no gzip behind them.
    const half = text.length >> 1;
    writeFileSync(
      packed,
      Buffer.concat([gzipSync(text.slice(0, half)), gzipSync(text.slice(half)), Buffer.from('behind')]),
    );
    const [finding] = (JSON.parse(culprit(['trace', plain, '-f', 'json']).out) as Verdict).findings;
    expect(finding!.evidence.length).toBeGreaterThan(0);
    for (const each of finding!.evidence) expect(text.split('\n')[each.line - 1]).toBe(each.text);
    for (const json of [jsonOf([plain]), jsonOf([packed]), jsonOf(['-'], text), jsonOf(['-'], gzipSync(text))]) {
      expect(json).toMatchObject({ status: 'performance', cause: 'launch-bound-needs-cuda-graphs' });
      expect(fact(json, 'trace.kernels.count')).toBe(400);
      expect(fact(json, 'trace.gpu.busy_ns')).toBe(1_600_000);
    }
  });

  it('takes a folder as one job, by rank', () => {
    const folder = path('ranks');
    mkdirSync(folder);
    for (const rank of [0, 2, 3]) writeFileSync(`${folder}/host_${90 - rank}.17.pt.trace.json`, slow(rank, 4));
    writeFileSync(`${folder}/notes.txt`, 'no trace\n');
    const ran = culprit(['trace', folder]);
    expect(ran.status).toBe(1);
    expect(ran.out).toContain('of 4 ranks 1 is missing: 1');
    expect(ran.out).toContain('notes.txt');
    expect(fact(jsonOf([folder]), 'trace.rank3.kernels.count')).toBe(400);
  });

  it('reads what there is of a trace that breaks off, plain and packed', () => {
    const text = slow(null, 1);
    const cut = path('cut.json');
    writeFileSync(cut, text.slice(0, text.length * 0.7));
    const packed = path('cut.json.gz');
    const bytes = gzipSync(text);
    writeFileSync(packed, bytes.subarray(0, bytes.length - 200));
    for (const file of [cut, packed]) {
      const ran = culprit(['trace', file]);
      expect(ran.status).toBe(1);
      expect(ran.out).toContain('breaks off at byte');
    }
  });

  it('cannot tell where nothing of a trace can be read', () => {
    const broken = path('broken.json');
    writeFileSync(broken, '{"schemaVersion": 1, "traceEvents": [ {"ph": "X", "cat": "ker');
    expect(culprit(['trace', broken]).status).toBe(3);
    expect(jsonOf([broken])).toMatchObject({ status: 'cannot-tell', cause: 'trace-unreadable' });
    expect(jsonOf(['-'], '{"schemaVersion": 1, "traceEvents": []}')).toMatchObject({ cause: 'trace-has-no-gpu-work' });
  });

  it('tells how to export a report of Nsight Systems', () => {
    const report = path('run.nsys-rep');
    writeFileSync(report, Buffer.from([1, 2, 3, 4]));
    const ran = culprit(['trace', report]);
    expect(ran.status).toBe(4);
    expect(ran.err).toContain('nsys export -t sqlite');
  });

  it('says what of several files failed, and judges the others', () => {
    const ran = culprit(['trace', path('a.json'), path('absent.json')]);
    expect(ran.status).toBe(4);
    expect(ran.err).toContain('absent.json could not be read');
    expect(ran.out).toContain('launch');
  });
});
