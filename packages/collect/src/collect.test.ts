import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { TextSink } from './input.ts';
import { readInput } from './input.ts';
import { sniff } from './sniff.ts';
import { documentsOfSnapshot, looksLikeSnapshot } from './snapshot.ts';

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
  const input = await readInput(path, wholeText);
  return 'unreadable' in input
    ? input.unreadable.reason
    : input.documents.flatMap((document) => document.lines.map((line) => line.text));
}

describe('sniff', () => {
  it.each([
    ['', { kind: 'text', encoding: 'utf-8' }],
    ['hello', { kind: 'text', encoding: 'utf-8' }],
    ['grüße\u001b[31m progress\r\b', { kind: 'text', encoding: 'utf-8' }],
    ['BZh91AY', { kind: 'foreign', what: 'bzip2-compressed data' }],
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
    expect(await linesOf(gzipSync(gzipSync('text')))).toContain('compressed again');
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
