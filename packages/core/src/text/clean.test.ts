import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { peel, plain } from './clean.ts';

describe('plain', () => {
  it.each([
    ['colour codes', '\u001b[31mError\u001b[0m 804', 'Error 804'],
    ['a window title', '\u001b]0;node-a\u0007$ nvidia-smi', '$ nvidia-smi'],
    ['an overwritten progress bar', ' 1%|#\r 2%|##', ' 2%|##'],
    ['a carriage return at the end', 'line\r', 'line'],
    ['a byte order mark', '\ufeffNVRM version', 'NVRM version'],
    ['an escape that never ends', '\u001b[', ''],
  ])('removes %s', (_, text, clean) => expect(plain(text)).toBe(clean));

  it('never throws and never grows', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(plain(text).length).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe('peel', () => {
  it.each([
    ['torchrun', '[rank3]: RuntimeError: x', 'RuntimeError: x', { rank: 3 }],
    ['Open MPI', '[1,7]<stderr>:CUDA error', 'CUDA error', { rank: 7 }],
    ['srun --label', ' 12: hello', 'hello', { rank: 12 }],
    ['kubectl logs --timestamps and torchrun', '2026-01-02T03:04:05.123456789Z [rank0]: boom', 'boom', { rank: 0 }],
    [
      'Ray',
      '(RayTrainWorker pid=3011, ip=10.0.0.7) No CUDA GPUs',
      'No CUDA GPUs',
      { unit: 'RayTrainWorker', pid: 3011, host: '10.0.0.7' },
    ],
    ['journald', 'Nov 03 10:11:12 node-a kernel: NVRM: Xid', 'NVRM: Xid', { host: 'node-a', unit: 'kernel' }],
    ['dmesg', '[   12.345678] NVRM: loading', 'NVRM: loading', { time: '12.345678' }],
    ['dmesg -T', '[Mon Nov  3 10:11:12 2025] NVRM: Xid', 'NVRM: Xid', {}],
    ['docker compose', 'trainer-1  | hello', 'hello', { unit: 'trainer-1' }],
    ['/dev/kmsg', '4,39642,318220945,-;NVRM: Xid', 'NVRM: Xid', {}],
    [
      "Docker's json-file log",
      '{"log":"\\u001b[31mCUDA error\\u001b[0m\\n","stream":"stderr","time":"2026-01-02T03:04:05.123456789Z"}',
      'CUDA error',
      { time: '2026-01-02T03:04:05.123456789Z' },
    ],
    [
      'journalctl -o json',
      '{"__REALTIME_TIMESTAMP":"1743599275640812","_HOSTNAME":"n1","MESSAGE":"NVRM: Xid (PCI:0000:8d:00): 79"}',
      'NVRM: Xid (PCI:0000:8d:00): 79',
      { host: 'n1', at: 1743599275640 },
    ],
    ['stern', 'llm-worker-3 pytorch boom', 'boom', { unit: 'llm-worker-3/pytorch' }],
    ['pdsh and torchrun', 'gn05: [rank37]:boom', 'boom', { host: 'gn05', rank: 37 }],
    ['Open MPI 5', '[prterun-gn01-44@1,3]<stderr>: boom', 'boom', { rank: 3 }],
    ['a wrapper', 'rank 12 | boom', 'boom', { rank: 12 }],
    ['kubectl logs --prefix', '[pod/train-0/main] hello', 'hello', { unit: 'train-0/main' }],
  ])('takes the prefix of %s off', (_, text, rest, origin) => {
    const peeled = peel(text);
    expect(peeled.rest).toBe(rest);
    expect(peeled.origin).toMatchObject(origin);
  });

  it.each([
    ['a host and a pid of NCCL', 'node-a:919753:919753 [0] NCCL INFO x'],
    ['a level and a file', 'W tensorflow/stream_executor/dso_loader.cc:60] Could not load'],
    ['a table', '|   0  Tesla V100  | 14210MiB |'],
    ['a traceback frame', '  File "train.py", line 1, in <module>'],
    ['a Python exception', 'RuntimeError: CUDA error: out of memory'],
  ])('leaves %s alone', (_, text) => expect(peel(text).rest).toBe(text));

  it('gives a suffix of the line', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(text.endsWith(peel(text).rest)).toBe(true);
      }),
    );
  });
});
