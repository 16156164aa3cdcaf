// Traces of PyTorch that others published, of several ages and of ROCm, against plain sums over JSON.parse.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { TestContext } from 'vitest';
import { readTraceFile } from '../../packages/collect/src/trace/trace-file.ts';
import type { Trace } from '../../packages/core/src/trace/model.ts';
import { workKinds } from '../../packages/core/src/trace/model.ts';
import { culprit } from '../run-cli.ts';
import { clean, webFile } from './download.ts';

afterAll(clean);

/** Test data of HolisticTraceAnalysis (MIT), at a fixed commit. */
const data =
  'https://raw.githubusercontent.com/facebookresearch/HolisticTraceAnalysis/f4d0062c382f42bd8a74838bcdad1916c7d5d2da/tests/data';

interface Event {
  readonly ph: string;
  readonly cat?: string;
  readonly name: string;
  readonly ts: number;
  readonly dur: number;
  readonly args?: { readonly bytes?: number; readonly correlation?: number };
}

function had(path: string, context: TestContext): string {
  const got = webFile(`${data}/${path}`);
  return 'missing' in got ? context.skip(got.missing) : got.path;
}

async function traceOf(path: string): Promise<Trace> {
  const file = await readTraceFile(path);
  if (file.kind !== 'trace') throw new Error(`${path} is ${file.kind}`);
  return file.trace;
}

const sum = (values: Iterable<number>): number => {
  let all = 0;
  for (const value of values) all += value;
  return all;
};

describe('published traces', () => {
  for (const path of [
    'amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz',
    'critical_path/alexnet/benchmark_result_2869224_1695835535_trace.json.gz',
    'critical_path/cuda_event_sync_multi_stream/event_sync_trace.json.gz',
    'nccl_parser_config/nccl_data.json.gz',
    'negative_queue_length_values_check/rank0.json.gz',
    'ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz',
    'timeline_analysis/sampled_rank-0.json.gz',
    'trace_file_list/inference_rank_1.json.gz',
    'trace_diff/control/control.json.gz',
    'trace_diff/test/test.json.gz',
    'df_index_resolver/df_index_resolver.json.gz',
  ])
    it(`${path} has the events that JSON.parse finds`, async (context) => {
      const file = had(path, context);
      const { traceEvents } = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as {
        readonly traceEvents: readonly Event[];
      };
      const of = (pattern: RegExp): readonly Event[] =>
        traceEvents.filter((event) => event.ph === 'X' && pattern.test(event.cat ?? ''));
      const trace = await traceOf(file);
      const { work, calls } = trace;
      const rows = (kind: number): readonly number[] => [...work.kind.keys()].filter((row) => work.kind[row] === kind);
      const length = (row: number): number => work.end[row]! - work.start[row]!;
      for (const [kind, pattern] of [
        [workKinds.kernel, /^kernel$/i],
        [workKinds.copy, /memcpy$/i],
        [workKinds.memset, /memset$/i],
      ] as const) {
        const events = of(pattern);
        expect(rows(kind).length).toBe(events.length);
        expect(sum(rows(kind).map(length))).toBeCloseTo(sum(events.map(({ dur }) => dur * 1000)), 0);
        if (kind === workKinds.copy)
          expect(sum(rows(kind).map((row) => work.bytes[row]!))).toBe(sum(events.map(({ args }) => args?.bytes ?? 0)));
      }
      const launches = of(/runtime$|driver$/i);
      expect(calls.count).toBe(launches.length);
      const ids = new Set(launches.map(({ args }) => args?.correlation));
      const joined = of(/^kernel$|memcpy$|memset$/i).filter(({ args }) => ids.has(args?.correlation)).length;
      expect(work.call.filter((call) => call >= 0).length).toBe(joined);
      expect(trace.left.filter((each) => !each.includes('begin before their stream is free'))).toEqual([]);
    });

  it('of two ranks are one job', (context) => {
    const files = ['trace_filter/sampled_rank-0.json.gz', 'trace_filter/sampled_rank-1.json.gz'].map((path) =>
      had(path, context),
    );
    const ran = culprit(['trace', ...files]);
    expect([0, 1, 3]).toContain(ran.status);
    expect(ran.out).toContain('of 128 ranks 126 are missing: 2-127');
  });
});
