import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { TraceFile } from './trace-stage.ts';
import { TraceStage } from './trace-stage.ts';

const events = Array.from({ length: 20 }, (_, at) => ({
  ph: 'X',
  cat: 'kernel',
  name: 'gemm',
  pid: 0,
  tid: 7,
  ts: 1000 + at * 100,
  dur: 90,
  args: { stream: 7, device: 0, correlation: at + 1 },
}));
const text = JSON.stringify({ schemaVersion: 1, traceEvents: events });
const staged = async (bytes: Uint8Array, piece = 1000): Promise<TraceFile> => {
  const stage = new TraceStage('a trace', () => {
    throw new Error('no database');
  });
  for (let at = 0; at < bytes.length; at += piece) stage.push(bytes.subarray(at, at + piece));
  return stage.finish();
};
const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();
const count = (file: TraceFile): number | null => (file.kind === 'trace' ? file.trace.work.count : null);

describe('a trace', () => {
  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with its mark', Buffer.from(`\u{feff}${text}`)],
    ['UTF-16 of Windows', Buffer.from(`\u{feff}${text}`, 'utf16le')],
    ['UTF-16, the other way round', swapped(Buffer.from(`\u{feff}${text}`, 'utf16le'))],
    ['UTF-16 without its mark', Buffer.from(text, 'utf16le')],
  ])('in %s is read, in any pieces', async (_, bytes) => {
    expect(count(await staged(bytes))).toBe(20);
    expect(count(await staged(bytes, 777))).toBe(20);
  });
});

describe('what is no trace', () => {
  it.each([
    ['packed twice', gzipSync(Buffer.from(text)), 'packed twice'],
    ['binary data', Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919) & 31)), 'binary data'],
    ['nothing', Buffer.from('  \n'), 'empty'],
  ])('is called by its name: %s', async (_, bytes, said) => {
    const file = await staged(bytes);
    expect(file.kind === 'none' ? file.what : file.kind).toContain(said);
  });
});
