import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync, symlinkSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { culprit, entry, scratch } from './run-cli.ts';

const mismatch = [
  '$ cat /proc/driver/nvidia/version',
  'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 02:15:01 UTC 2025',
  '$ nvidia-smi',
  'Failed to initialize NVML: Driver/library version mismatch',
  'NVML library version: 570.133',
  '',
].join('\n');
const healthy = '>>> torch.cuda.is_available()\nTrue\n';
const nothing = 'epoch 1\nepoch 2\n';

const folder = scratch();
afterAll(folder.remove);
const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(folder.path(name), content);
  return folder.path(name);
};
const verdictOf = (
  out: string,
): {
  status: string;
  layer: string | null;
  findings: { evidence: { text: string; file: string; line: number }[] }[];
  unknown: unknown[];
} => JSON.parse(out) as ReturnType<typeof verdictOf>;

describe('the command line', () => {
  it('prints its version and its help', () => {
    const { version } = JSON.parse(readFileSync(new URL('../packages/cli/package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(culprit(['--version'])).toEqual({ status: 0, out: `${version}\n`, err: '' });
    const help = culprit(['--help']);
    expect(help.status).toBe(0);
    expect(help.out).toContain('diagnose');
    expect(culprit(['diagnose', '--help']).out).toContain('--redact');
  });

  it.each([
    [[], 2, 'usage: culprit COMMAND'],
    [['diagnoze'], 2, 'did you mean culprit diagnose?'],
    [['diagnose', '--fromat', 'json', '-'], 2, 'did you mean --format?'],
    [['diagnose', '--format', 'yaml', '-'], 2, 'formats: text, json'],
    [['diagnose', '--format'], 2, '--format needs a value'],
    [['diagnose', '--quiet=yes', '-'], 2, '--quiet takes no value'],
    [['diagnose', '--color', 'blue', '-'], 2, 'auto, always, never'],
    [['explain', 'forwrd compat'], 2, 'did you mean'],
    [['diagnose', '--knowledge', '/nowhere', '-'], 4, 'cannot be read'],
  ])('%j is refused with %i and says what helps', (args, status, words) => {
    const ran = culprit(args);
    expect(ran.status).toBe(status);
    expect(ran.out).toBe('');
    expect(ran.err).toContain(words);
    expect(ran.err).not.toContain('    at ');
  });
});

describe('culprit diagnose', () => {
  it('says 1 for a fault, 0 for a healthy input, 3 where it cannot tell', () => {
    expect(culprit(['diagnose', '-'], { input: mismatch }).status).toBe(1);
    expect(culprit(['diagnose', '-'], { input: healthy }).status).toBe(0);
    expect(culprit(['diagnose', '-'], { input: nothing }).status).toBe(3);
    expect(culprit(['diagnose', '-'], { input: '' }).status).toBe(3);
  });

  it('prints the answer first and quotes the lines with their places', () => {
    const { out, err } = culprit(['diagnose', file('job.log', mismatch)]);
    expect(out.split('\n')[0]).toMatch(/^fault in the driver, the operator acts: .*570\.124\.06/);
    expect(out).toContain(`--> ${folder.path('job.log')}:`);
    expect(out).toContain('Kernel Module  570.124.06');
    expect(out).toContain('https://');
    expect(out).not.toContain('\u001b');
    expect(err).toBe('');
  });

  it('colours only where it is asked to', () => {
    expect(culprit(['diagnose', '--color', 'always', '-'], { input: mismatch }).out).toContain('\u001b[1;31m');
    expect(culprit(['diagnose', '-'], { input: mismatch, env: { FORCE_COLOR: '1' } }).out).not.toContain('\u001b');
  });

  it('takes several files as one incident', () => {
    const [first = '', second = ''] = mismatch.split('$ nvidia-smi\n');
    const ran = culprit(['diagnose', '-f', 'json', file('a.txt', first), file('b.txt', second)]);
    const verdict = verdictOf(ran.out);
    expect(ran.status).toBe(1);
    expect(verdict.layer).toBe('driver');
    expect(new Set(verdict.findings[0]!.evidence.map((each) => each.file.slice(-5)))).toEqual(
      new Set(['a.txt', 'b.txt']),
    );
  });

  it('names what cannot be read, goes on with the others, and says 4', () => {
    mkdirSync(folder.path('logs'), { recursive: true });
    const ran = culprit([
      'diagnose',
      '-f',
      'json',
      folder.path('absent.log'),
      folder.path('logs'),
      file('job.log', mismatch),
    ]);
    expect(ran.status).toBe(4);
    expect(ran.err).toContain('absent.log could not be read: there is no such file (ENOENT)');
    expect(ran.err).toContain('logs could not be read: no text is in this folder');
    expect(verdictOf(ran.out).layer).toBe('driver');
    expect(verdictOf(ran.out).unknown.length).toBeGreaterThanOrEqual(2);
  });

  it.skipIf(process.getuid?.() === 0)('says so where reading is not permitted', () => {
    const path = file('secret.log', mismatch);
    chmodSync(path, 0o000);
    const ran = culprit(['diagnose', path]);
    expect(ran.status).toBe(4);
    expect(ran.err).toContain('EACCES');
  });

  it('reads compressed logs, and what is left of a truncated one', () => {
    const long = mismatch + Array.from({ length: 20_000 }, (_, i) => `row ${i * 7919} of the log\n`).join('');
    const zipped = gzipSync(long);
    expect(culprit(['diagnose', file('job.log.gz', zipped)]).status).toBe(1);
    const cut = culprit(['diagnose', file('cut.log.gz', zipped.subarray(0, zipped.length - 5000))]);
    expect(cut.status).toBe(1);
    expect(cut.out).toContain('the compressed data ends early');
  });

  it('calls nothing healthy of which a part was not read', () => {
    const healthy = `PASSED all checks\nResult = PASS\nstep 100 loss 2.1\n${Array.from({ length: 20_000 }, (_, i) => `step ${i} loss ${i * 7919}\n`).join('')}`;
    const zipped = gzipSync(healthy);
    const cut = culprit(['diagnose', '-f', 'json', file('cut.log.gz', zipped.subarray(0, zipped.length - 5000))]);
    expect(verdictOf(cut.out).status).not.toBe('ok');
    expect(cut.status).toBe(3);
  });

  it('never writes a report over an input', () => {
    const path = file('own.log', mismatch);
    symlinkSync(path, folder.path('link.log'));
    for (const output of [path, folder.path('link.log')]) {
      const ran = culprit(['diagnose', '-o', output, path]);
      expect(ran.status).toBe(2);
      expect(ran.err).toContain('is one of the inputs');
    }
    expect(readFileSync(path, 'utf8')).toBe(mismatch);
  });

  it('lets no control character of the input through, in JSON too', () => {
    const hostile = `NVRM: Xid (PCI:0000:5d:00): 79, pid=1, GPU has fallen off the bus. \u009b31m \u202e \u2066 \u007f \u200b\n`;
    for (const format of ['text', 'json', 'markdown', 'sarif', 'junit', 'github']) {
      const { out } = culprit(['diagnose', '-f', format, '-'], { input: hostile });
      expect(out, format).toContain('Xid');
      expect(out, format).not.toMatch(/[\u007f-\u009f\u200b\u202e\u2066]/);
    }
  });

  it('reads zstd', () => {
    // `zstd -c` of mismatch, raw block: magic, frame header with content size, one raw block
    const body = Buffer.from(mismatch);
    const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x60, ...u16(body.length - 256)]);
    const block = Buffer.from([...u24((body.length << 3) | 1)]);
    expect(culprit(['diagnose', file('job.log.zst', Buffer.concat([header, block, body]))]).status).toBe(1);
  });

  it.each([
    ['UTF-16 with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(mismatch, 'utf16le')])],
    ['big-endian UTF-16', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(mismatch, 'utf16le').swap16()])],
    ['UTF-16 without a mark', Buffer.from(mismatch, 'utf16le')],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${mismatch}`)],
    ['CR LF', Buffer.from(mismatch.replaceAll('\n', '\r\n'))],
    ['a last line without an end', Buffer.from(mismatch.trimEnd())],
  ])('reads %s', (_, content) => {
    const ran = culprit(['diagnose', '-f', 'json', '-'], { input: content });
    expect(ran.status).toBe(1);
    expect(verdictOf(ran.out).findings[0]!.evidence.map((each) => each.text)).toContain(mismatch.split('\n')[1]);
  });

  it.each([
    ['an ELF file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), 'ELF'],
    ['a zip archive', Buffer.from([0x50, 0x4b, 3, 4, 0, 0]), 'zip archive'],
    ['damaged xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 1]), 'xz'],
    ['binary data', Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 37) % 256)), 'binary data'],
    [
      'a damaged tar file inside gzip',
      gzipSync(Buffer.concat([Buffer.from('x'.padEnd(257, '\0')), Buffer.from('ustar\0'), Buffer.alloc(300)])),
      'tar archive',
    ],
  ])('refuses %s and says what to do', (_, content, words) => {
    const ran = culprit(['diagnose', file('input.bin', content)]);
    expect(ran.status).toBe(4);
    expect(ran.err).toContain(words);
  });

  it('takes a snapshot apart', () => {
    const snapshot = {
      schema: 'culprit/snapshot@1',
      subject: 'host',
      takenAt: null,
      probe: null,
      observations: [
        {
          source: 'proc-driver-version',
          command: 'cat /proc/driver/nvidia/version',
          exit: 0,
          ms: 2,
          truncated: false,
          text: mismatch.split('\n')[1],
        },
        {
          source: 'nvidia-smi',
          command: 'nvidia-smi',
          exit: 18,
          ms: 9,
          truncated: false,
          text: mismatch.split('\n').slice(3).join('\n'),
        },
      ],
    };
    const ran = culprit(['diagnose', '-f', 'json', '-'], { input: JSON.stringify(snapshot, null, 1) });
    expect(ran.status).toBe(1);
    expect(verdictOf(ran.out).findings[0]!.evidence.map((each) => each.line)).toContain(1);
  });

  it('stays small on a line of 50 MB', () => {
    const long = `${'x'.repeat(25_000_000)} Failed to initialize NVML: Driver/library version mismatch ${'y'.repeat(25_000_000)}`;
    const ran = culprit(['diagnose', '-f', 'json', '-'], { input: long });
    expect(ran.status).toBe(1);
    expect(ran.out.length).toBeLessThan(100_000);
    expect(ran.err).toContain('characters long');
  });

  it("writes nothing of a stranger's control characters to the terminal", () => {
    const ran = culprit(['diagnose', '-'], {
      input: `\u001b]0;owned\u0007\u202eFailed to initialize NVML: Driver/library version mismatch\u0008\n`,
    });
    // oxlint-disable-next-line no-control-regex
    expect(ran.out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('ends quietly when its reader goes away', async () => {
    const child = spawn(process.execPath, [entry, 'diagnose', '--format', 'json', '-'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.stdout.destroy();
    child.stdin.on('error', () => {});
    child.stdin.end(mismatch.repeat(200));
    const [status] = (await once(child, 'close')) as [number | null];
    expect(err).toBe('');
    expect(status).toBe(1);
  });

  it('gives the same bytes for the same input', () => {
    const run = (): string => culprit(['diagnose', '-f', 'json', '-'], { input: mismatch }).out;
    expect(run()).toBe(run());
  });
});

describe('culprit knowledge', () => {
  it('exports tables that judge the same when they are read again', () => {
    const tables = folder.path('tables');
    expect(culprit(['knowledge', '--export', tables]).status).toBe(0);
    const own = culprit(['diagnose', '-f', 'json', '-'], { input: mismatch });
    const read = culprit(['diagnose', '-f', 'json', '--knowledge', tables, '-'], { input: mismatch });
    expect(read.err).toBe('');
    expect(JSON.parse(read.out)).toEqual(JSON.parse(own.out));
  });

  it('refuses a table that is wrong, with row and field', () => {
    mkdirSync(folder.path('bad'), { recursive: true });
    writeFileSync(folder.path('bad/toolkits.json'), '[{"label": 7}]');
    const ran = culprit(['diagnose', '--knowledge', folder.path('bad'), '-'], { input: mismatch });
    expect(ran.status).toBe(4);
    expect(ran.err).toContain('toolkits');
    expect(ran.out).toBe('');
  });
});

describe('culprit explain', () => {
  it.each([
    ['804', 'CUDA error 804'],
    ['cudaErrorNoDevice', 'CUDA error 100'],
    ['CUDNN_STATUS_EXECUTION_FAILED', 'cudnn9 5000'],
    ['nccl 3', 'ncclInternalError'],
    ['xid 79', 'FALLEN_OFF_THE_BUS'],
    ['forward compatibility', 'cuda-compat'],
    ['driver/kmod-userspace-mismatch-after-upgrade', 'What it means'],
    ['3', 'culprit explain nccl 3'],
  ])('explains %s', (topic, words) => {
    const ran = culprit(['explain', ...topic.split(' ')]);
    expect(ran.status).toBe(0);
    expect(ran.out).toContain(words);
  });
});

function u16(value: number): readonly number[] {
  return [value & 0xff, value >> 8];
}

function u24(value: number): readonly number[] {
  return [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff];
}

describe('names and values of strangers', () => {
  const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

  it.each([
    ['a file that is not there', ['diagnose', '-f', 'github', 'miss\n::error::pwn\u001b[31m']],
    ['a command', ['x\u001b[31mred']],
    ['a format', ['diagnose', '--format', '\u001b]0;pwn\u0007', '-']],
    ['a toolkit', ['judge', '--toolkit', '\u001b[31mEVIL\u202e', '--driver', '550.54.15']],
  ])('stand as text in the answer to %s', (_, args) => {
    const { out, err } = culprit(args);
    expect(controls.test(out + err)).toBe(false);
    expect(err.split('\n').some((line) => line.startsWith('::'))).toBe(false);
  });

  it.each([
    ['an empty list of questions', ['judge', '--rows', '-'], '[]'],
    ['no line of questions', ['judge', '-'], '\n'],
  ])('is a usage error where %s is given', (_, args, input) => expect(culprit(args, { input }).status).toBe(2));
});
