import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Inputs, TextSink } from './input.ts';
import { readInputs } from './input.ts';
import { sniff } from '@culprit/core/text/sniff';
import { documentsOfSnapshot, looksLikeSnapshot } from '@culprit/core/text/snapshot';

const folder = mkdtempSync(join(tmpdir(), 'culprit-collect-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Collects a text whole. */
function wholeText(): TextSink {
  const parts: Buffer[] = [];
  return {
    push: (bytes) => void parts.push(Buffer.from(bytes)),
    finish: () => ({ text: Buffer.concat(parts).toString('utf8') }),
  };
}

async function linesOf(content: Uint8Array): Promise<readonly string[] | string> {
  const path = join(folder, 'input');
  writeFileSync(path, content);
  const { documents, unreadable } = await readInputs([path], wholeText);
  return unreadable[0]?.reason ?? documents.flatMap((document) => document.lines.map((line) => line.text));
}

function written(name: string, content: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function inputsOf(content: Uint8Array): Promise<Inputs> {
  return readInputs([written('input', content)], wholeText);
}

describe('sniff', () => {
  it.each([
    ['', { kind: 'text', encoding: 'utf-8' }],
    ['hello', { kind: 'text', encoding: 'utf-8' }],
    ['grüße\u001b[31m progress\r\b', { kind: 'text', encoding: 'utf-8' }],
    ['BZh91AY', { kind: 'compressed', format: 'bzip2' }],
    ['%PDF-1.7', { kind: 'foreign', what: 'a PDF document' }],
    ['SQLite format 3\0', { kind: 'foreign' }],
    ['\u007fELF', { kind: 'foreign' }],
  ])('%j', (text, kind) => {
    expect(sniff(Buffer.from(text))).toMatchObject(kind);
  });

  it('takes text for text, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        fc.pre(!/[\0-\u0008\u000e-\u001f\u007f]/.test(text) && !/^(?:BZh|%PDF-|!<arch>|PK)/.test(text));
        expect(sniff(Buffer.from(text)).kind).toBe('text');
      }),
    );
  });
});

describe('reading', () => {
  it('gives the same lines whatever the text is wrapped in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { minLength: 1, maxLength: 40 }),
        async (lines) => {
          const text = `first line of the log\n${lines.map((line) => line.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')).join('\n')}\n`;
          const expected = text.split('\n').slice(0, -1);
          expect(await linesOf(Buffer.from(text))).toEqual(expected);
          expect(await linesOf(gzipSync(text))).toEqual(expected);
          expect(await linesOf(Buffer.concat([gzipSync(text.slice(0, 10)), gzipSync(text.slice(10))]))).toEqual(
            expected,
          );
          expect(await linesOf(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]))).toEqual(
            expected,
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('never throws on damaged compressed data', async () => {
    const zipped = gzipSync('a line\n'.repeat(5000));
    await fc.assert(
      fc.asyncProperty(fc.nat(zipped.length - 1), fc.nat(255), fc.boolean(), async (at, byte, cut) => {
        const damaged = Buffer.from(cut ? zipped.subarray(0, at) : zipped);
        if (!cut) damaged[at] = byte;
        await linesOf(damaged);
      }),
      { numRuns: 60 },
    );
    await linesOf(deflateRawSync('x'));
  });

  it('names what is inside a compressed file that is no text', async () => {
    expect(await linesOf(gzipSync(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1])))).toContain('ELF');
    expect(await linesOf(gzipSync(gzipSync('text')))).toEqual(['text']);
    expect(await linesOf(gzipSync(gzipSync(gzipSync(gzipSync('text')))))).toContain('too many layers');
  });

  it('reads a log that begins with NUL bytes, as one does that was cut under its writer', async () => {
    const { documents } = await inputsOf(Buffer.concat([Buffer.alloc(20_000), Buffer.from('NVRM: Xid\n')]));
    expect(documents[0]?.lines.map((line) => line.text)).toEqual(['NVRM: Xid']);
    expect(documents[0]?.left).toEqual(['20000 NUL bytes before the text']);
  });

  it('refuses NUL bytes without an end', async () => {
    const { unreadable } = await readInputs(['/dev/zero'], wholeText);
    expect(unreadable[0]?.reason).toBe('it is NUL bytes and nothing else');
  });

  it('reads a short log with a few NUL bytes in it', async () => {
    expect(await linesOf(Buffer.from('one\ntwo\0\0\nthree\n'))).toHaveLength(3);
  });

  it('says that a part was not read', async () => {
    const text = Array.from({ length: 30_000 }, (_, i) => `line ${i * 7919}\n`).join('');
    const zipped = gzipSync(text);
    const { partial } = await inputsOf(zipped.subarray(0, zipped.length - 5000));
    expect(partial.join()).toContain('ends early');
    expect((await inputsOf(zipped)).partial).toEqual([]);
  });

  it('keeps the text of a gzip file with other bytes behind it', async () => {
    const text = 'a line of the log\n'.repeat(3000);
    expect(await linesOf(Buffer.concat([gzipSync(text), Buffer.from('junk behind it')]))).toHaveLength(3000);
    expect(await linesOf(Buffer.concat([gzipSync(text), Buffer.from([0x1f, 0x8b, 9, 9, 9])]))).toHaveLength(3000);
  });

  it('stops at a compression bomb, and says so', async () => {
    const tebibyte = gzipSync(Buffer.alloc(64 * 1024 ** 2, 'a\n'), { level: 9 });
    const { documents } = await readInputs(
      [written('bomb.gz', Buffer.concat(Array.from({ length: 40 }, () => tebibyte)))],
      () => {
        let bytes = 0;
        return {
          push: (chunk) => void (bytes += chunk.length),
          finish: () => ({ text: `${bytes}` }),
        };
      },
    );
    expect(Number(documents[0]?.lines[0]?.text)).toBeLessThan(1.01 * 1024 ** 3);
    expect(documents[0]?.left[0]).toContain('unpacks to more than 200 times its size');
  });

  it.each(['xz', 'bzip2', 'lz4'])('reads what %s of the system packs', async (program) => {
    const packed = spawnSync(program, ['-c'], { input: 'one\ntwo\n' });
    if (packed.error !== undefined) {
      const magic = { xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], bzip2: [0x42, 0x5a, 0x68], lz4: [4, 0x22, 0x4d, 0x18] };
      const { unreadable } = await inputsOf(Buffer.from(magic[program as 'xz']));
      expect(unreadable[0]?.hint).toContain(`the program ${program} is not installed here`);
      return;
    }
    expect(await linesOf(packed.stdout)).toEqual(['one', 'two']);
    // A program that checks a block before it gives any of it leaves nothing to read.
    const { documents, unreadable } = await inputsOf(packed.stdout.subarray(0, packed.stdout.length - 6));
    expect(unreadable[0]?.reason ?? documents[0]?.left.join()).toMatch(/damaged/);
  });
});

describe('folders and archives', () => {
  const root = join(folder, 'must-gather');
  mkdirSync(join(root, 'node-1/logs'), { recursive: true });
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.git/HEAD'), 'ref');
  writeFileSync(join(root, 'rank10.log'), 'ten\n');
  writeFileSync(join(root, 'rank2.log'), 'two\n');
  writeFileSync(join(root, 'node-1/logs/driver.log.gz'), gzipSync('driver\n'));
  writeFileSync(join(root, 'node-1/core.so'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]));
  writeFileSync(join(root, 'node-1/train.py'), 'raise RuntimeError("CUDA error: out of memory")\n');
  symlinkSync('/etc/passwd', join(root, 'out.log'));
  symlinkSync('rank2.log', join(root, 'latest.log'));
  symlinkSync('..', join(root, 'node-1/up'));
  spawnSync('mkfifo', [join(root, 'pipe.log')]);

  const namesOf = ({ documents }: Inputs, base: string): readonly string[] =>
    documents.map((document) => document.file!.slice(base.length));

  it('a folder gives the texts in it, in natural order, and nothing from outside', async () => {
    const inputs = await readInputs([root], wholeText);
    expect(namesOf(inputs, root)).toEqual(['/latest.log', '/node-1/logs/driver.log.gz', '/rank2.log', '/rank10.log']);
    expect(inputs.unreadable).toEqual([]);
    expect(inputs.left.join('\n')).toMatch(/core\.so/);
    expect(inputs.left.join('\n')).toMatch(/leads out of the folder\): node-1\/up, out\.log/);
    expect(inputs.left.join('\n')).toMatch(/program text or documentation\): node-1\/train\.py/);
  });

  it.runIf(process.getuid?.() !== 0)('a folder that may not be listed is unreadable, the rest is read', async () => {
    const shut = join(root, 'shut');
    mkdirSync(shut);
    chmodSync(shut, 0);
    const { documents, unreadable } = await readInputs([root], wholeText);
    chmodSync(shut, 0o700);
    rmSync(shut, { recursive: true });
    expect(documents.length).toBe(4);
    expect(unreadable.map((each) => each.reason)).toEqual(['reading it is not permitted (EACCES)']);
  });

  it.each([
    ['.tar', []],
    ['.tar.gz', ['-z']],
    ['.tar.xz', ['-J']],
  ] as const)('an archive%s that tar made gives the texts in it', async (suffix, flags) => {
    const path = join(folder, `gathered${suffix}`);
    const made = spawnSync('tar', [...flags, '-cf', path, '-C', folder, 'must-gather']);
    expect(made.status).toBe(0);
    const inputs = await readInputs([path], wholeText);
    expect([...namesOf(inputs, path)].sort()).toEqual([
      '/must-gather/node-1/logs/driver.log.gz',
      '/must-gather/rank10.log',
      '/must-gather/rank2.log',
    ]);
    expect(inputs.documents.flatMap((document) => document.lines.map((line) => line.text))).toContain('driver');
  });

  it('an archive that is damaged or cut gives what came before, and never throws', async () => {
    const path = join(folder, 'cut.tar');
    const whole = spawnSync('tar', ['-cf', '-', '-C', folder, 'must-gather']).stdout;
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), async (at, byte, cut) => {
        const damaged = Buffer.from(cut ? whole.subarray(0, at) : whole);
        if (!cut) damaged[at] = byte;
        writeFileSync(path, damaged);
        await readInputs([path], wholeText);
      }),
      { numRuns: 60 },
    );
  });

  it('a pattern that no shell expanded stands for the files that fit', async () => {
    expect(namesOf(await readInputs([join(root, 'rank*.log')], wholeText), root)).toEqual([
      '/rank2.log',
      '/rank10.log',
    ]);
    expect(namesOf(await readInputs([join(root, '**/*.gz')], wholeText), root)).toEqual(['/node-1/logs/driver.log.gz']);
    const { unreadable } = await readInputs([join(root, 'nothing-*.log')], wholeText);
    expect(unreadable[0]?.reason).toContain('no file fits it as a pattern');
  });

  it('many files are held whole up to a budget, the others in short', async () => {
    const many = join(folder, 'many');
    mkdirSync(many);
    for (let rank = 0; rank < 40; rank++)
      writeFileSync(join(many, `rank${rank}.log`), `${'a'.repeat(1999)}\n`.repeat(525));
    const allowed: number[] = [];
    await readInputs([many], (_, { whole }) => {
      allowed.push(whole);
      return wholeText();
    });
    expect(allowed.filter((each) => each > 1024 ** 2).length).toBeLessThan(30);
    expect(allowed.filter((each) => each <= 128 * 1024).length).toBeGreaterThan(10);
  });
});

describe('snapshots', () => {
  it('are one document an observation, with what was cut said', () => {
    const text = JSON.stringify({
      schema: 'culprit/snapshot@1',
      subject: 'node-1',
      takenAt: null,
      probe: '1',
      observations: [
        { source: 'lsmod', command: 'lsmod', exit: 0, ms: 1, truncated: true, text: 'Module\n' },
        { source: 'nvidia-smi', command: 'nvidia-smi', exit: null, ms: 5000, truncated: false, text: '' },
        { source: 7 },
      ],
    });
    expect(looksLikeSnapshot(text)).toBe(true);
    const documents = documentsOfSnapshot(text, 'host.json')!;
    expect(documents.map((document) => [document.source, document.subject, document.file])).toEqual([
      ['lsmod', 'node-1', 'host.json'],
      ['nvidia-smi', 'node-1', 'host.json'],
    ]);
    expect(documents.flatMap((document) => document.left)).toHaveLength(3);
  });

  it('that are none are read as text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        expect(documentsOfSnapshot(text, 'x')).toBeNull();
      }),
    );
  });
});
