import { expect, test } from 'vitest';
import { TraceBuilder } from './builder.ts';
import { workKinds } from './model.ts';

test('rows keep their values while columns grow', () => {
  const builder = new TraceBuilder('kineto', null);
  const stream = builder.stream(builder.device(0), 0, 1, 7);
  const thread = builder.thread(1, 1);
  const rows = 5000;
  for (let at = 0; at < rows; at++) {
    const name = builder.name(`k${at}`);
    builder.call(at * 10, at * 10 + 1, name, thread, at + 1);
    builder.work({
      kind: workKinds.kernel,
      start: at * 10 + 2,
      end: at * 10 + 5,
      stream,
      name,
      correlation: at + 1,
      detail: at,
      bytes: at,
      graphNode: at,
    });
  }
  const { work, calls } = builder.finish();
  const places = Array.from({ length: rows }, (_, at) => at);
  expect([...work.start]).toEqual(places.map((at) => at * 10 + 2));
  expect([...work.end]).toEqual(places.map((at) => at * 10 + 5));
  for (const column of [work.name, work.call, work.detail, work.bytes, work.graphNode!, calls.name])
    expect([...column]).toEqual(places);
  expect([...calls.start]).toEqual(places.map((at) => at * 10));
});

test('rows are put in order and joined', () => {
  const builder = new TraceBuilder('kineto', null);
  const stream = builder.stream(builder.device(0), 0, 1, 7);
  const name = builder.name('k');
  for (const start of [500, 100, 300, 200, 400, 100]) {
    builder.call(start - 50, start - 40, name, builder.thread(1, 1), start);
    const row = { kind: workKinds.kernel, start, end: start + 10, stream, name, correlation: start };
    builder.work({ ...row, detail: -1, bytes: 0, graphNode: 0 });
  }
  const { work, calls, left } = builder.finish();
  expect([...work.start]).toEqual([100, 200, 300, 400, 500]);
  expect([...work.call].map((call) => calls.start[call])).toEqual([50, 150, 250, 350, 450]);
  expect(left).toHaveLength(1);
});
