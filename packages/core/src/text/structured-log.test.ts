import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDocument } from './document.ts';
import { recordLines, unescaped } from './structured-log.ts';

const clean = (text: string): readonly string[] => createDocument(text).lines.map((line) => line.clean);

describe('records of a log', () => {
  it.each<[string, unknown, readonly string[]]>([
    [
      'zap with an error and a stack trace',
      { level: 'error', ts: 1700000000.5, msg: 'start failed', error: 'no CUDA', stacktrace: 'main.go:1\nmain.go:2' },
      ['start failed', 'no CUDA', 'main.go:1', 'main.go:2'],
    ],
    [
      'structlog with a traceback',
      { event: 'step', level: 'error', timestamp: '2026-01-02T03:04:05Z', exception: 'Traceback\nRuntimeError: x' },
      ['step', 'Traceback', 'RuntimeError: x'],
    ],
    [
      'bunyan',
      { name: 'app', hostname: 'n1', pid: 7, level: 50, msg: 'boom', time: '2026-01-02T03:04:05Z', v: 0 },
      ['boom'],
    ],
    [
      'an ECS record',
      { '@timestamp': '2026-01-02T03:04:05Z', 'log.level': 'ERROR', message: 'a', 'error.stack_trace': 'b\nc' },
      ['a', 'b', 'c'],
    ],
    ['Google Cloud', { severity: 'ERROR', timestamp: '2026-01-02T03:04:05Z', jsonPayload: { message: 'm' } }, ['m']],
    [
      'journald with bytes that are no text',
      { __REALTIME_TIMESTAMP: '1743599275640812', PRIORITY: '4', MESSAGE: [78, 86, 82, 77] },
      ['NVRM'],
    ],
    [
      'Docker around zap',
      { log: '{"level":"error","ts":1700000000,"msg":"inner"}\n', stream: 'stderr', time: '2026-01-02T03:04:05Z' },
      ['inner'],
    ],
  ])('%s', (_, record, lines) => expect(clean(JSON.stringify(record))).toEqual(lines));

  it('stands behind the prefixes of containers, services and hosted runners', () => {
    const record = '{"level":"error","ts":1700000000,"msg":"boom"}';
    expect(clean(`2026-01-02T03:04:05.1Z stderr F ${record}`)).toEqual(['boom']);
    expect(clean(`web-1  | ${record}`)).toEqual(['boom']);
    expect(clean(`build (gpu)\tRun tests\t2026-01-02T03:04:05.1234567Z ${record}`)).toEqual(['boom']);
  });

  it('keeps time, host, pod and rank', () => {
    const record = { time: '2026-01-02T03:04:05Z', level: 'info', msg: 'x', rank: 3, hostname: 'n1', pod: 'train-0' };
    expect(createDocument(JSON.stringify(record)).lines[0]!.origin).toEqual({
      time: '2026-01-02T03:04:05Z',
      at: Date.UTC(2026, 0, 2, 3, 4, 5),
      rank: 3,
      host: 'n1',
      unit: 'train-0',
    });
  });

  it.each([
    ['an object of Kubernetes', '{"kind":"Event","apiVersion":"v1","message":"x","lastTimestamp":"t"}'],
    ['JSON without a message', '{"level":"info","time":"2026-01-02T03:04:05Z","count":3}'],
    ['a message without time and level', '{"message":"x","value":1}'],
    ['JSON that is cut', '{"level":"info","msg":"x'],
  ])('%s is none', (_, text) => expect(recordLines(text)).toBeNull());

  it('quotes the line itself, of a long one the piece that holds the message', () => {
    const trace = Array.from({ length: 120 }, (_, i) => `  File "train.py", line ${i}, in step`).join('\n');
    const raw = JSON.stringify({
      level: 'error',
      ts: 1700000000,
      msg: 'failed',
      exception: `${trace}\nRuntimeError: CUDA error`,
    });
    const { lines } = createDocument(`first\n${raw}\nlast`);
    for (const line of lines.filter((each) => each.number === 2))
      expect(raw.slice(line.column - 1, line.column - 1 + line.text.length)).toBe(line.text);
    const last = lines.find((line) => line.clean === 'RuntimeError: CUDA error')!;
    expect(last.text).toContain('RuntimeError: CUDA error');
    expect(lines.at(-1)).toMatchObject({ number: 3, clean: 'last' });
  });

  it('takes escapes out of quoted fields and leaves other text alone', () => {
    expect(unescaped('msg="no runtime for \\"nvidia\\" is configured" level=error ')).toContain('for "nvidia" is');
    expect(unescaped('E0821 09:00:10.123456    1 pod_workers.go:965] "Error" err="a \\\\\\"b\\\\\\" c"')).toContain(
      'a "b" c',
    );
    expect(unescaped('path C:\\new\\"x')).toBe('path C:\\new\\"x');
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.json(), (text) => void createDocument(text)));
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('log', 'msg', 'level', 'time', 'error', 'MESSAGE'), fc.jsonValue()),
        (record) => {
          const text = JSON.stringify(record);
          for (const line of createDocument(text).lines) expect(text).toContain(line.text);
        },
      ),
    );
  });
});

describe('sections of nvidia-bug-report.log', () => {
  it('each is the output of its own command', () => {
    const rule = '_'.repeat(44);
    const { lines } = createDocument(
      `${rule}\n\n*** /proc/driver/nvidia/./version\n*** ls: -r--r--r-- 1 root root 0 2026-01-02\nNVRM version: x\n\n${rule}\n\n/usr/bin/nvidia-smi --query\n\nDriver Version : 1\n`,
    );
    expect(lines.find((line) => line.clean.startsWith('NVRM'))!.command).toBe('cat /proc/driver/nvidia/version');
    expect(lines.find((line) => line.clean.startsWith('Driver'))!.command).toBe('nvidia-smi --query');
  });

  it('a file that does not exist is no command', () => {
    const { lines } = createDocument(`${'_'.repeat(44)}\n\n*** /etc/issue does not exist\nrest\n`);
    expect(lines.every((line) => line.command === null)).toBe(true);
  });
});
