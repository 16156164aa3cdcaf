import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFacts } from '../diagnose/diagnose.ts';
import { createDocument } from './document.ts';
import { framedText, snapshotOfFramed } from './framed.ts';

const text = [
  '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no',
  '@ proc-driver-version cat /proc/driver/nvidia/version',
  '|NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@U22-I3-B17-02-5)',
  '@= exit=0 ms=0',
  "@ modules lsmod | grep -E 'nvidia|nouveau'",
  '|nvidia 14381056 66 nvidia_uvm, Live 0x0000000000000000 (O)',
  '@= exit=0 ms=10',
  '@ kernel-log dmesg',
  '@= exit=denied ms=0',
  '@ nvidia-smi-q nvidia-smi -q',
  '@= exit=timeout ms=3000',
  "@ package-history grep -E 'nvidia|libcuda' /var/log/dpkg.log | tail -n 60",
  '@= exit=skipped ms=0 why=budget',
  '@culprit-end sections=5 ms=3010',
  '',
].join('\n');

const factsOf = (given: string): Readonly<Record<string, readonly unknown[]>> => {
  const store = readFacts([createDocument(given)]);
  const out: Record<string, unknown[]> = {};
  for (const fact of store.everything()) (out[fact.id] ??= []).push(fact.value);
  return out;
};
const wrapped = (given: string, width: number): string =>
  given
    .split('\n')
    .flatMap((line) => (line === '' ? [''] : (line.match(new RegExp(`.{1,${width}}`, 'g')) ?? [])))
    .join('\n');

describe('the text of a probe', () => {
  it('gives the facts of its observations', () => {
    const facts = factsOf(text);
    expect(facts['driver.module']).toEqual(['580.95.05']);
    expect(facts['modules.loaded']).toEqual([['nvidia']]);
    expect(facts['modules.absent']).toEqual([expect.arrayContaining(['nvidia_uvm', 'nouveau'])]);
    expect(facts['probe.missing']).toEqual([
      { source: 'kernel-log', command: 'dmesg', why: 'denied' },
      { source: 'nvidia-smi-q', command: 'nvidia-smi -q', why: 'timeout' },
      {
        source: 'package-history',
        command: "grep -E 'nvidia|libcuda' /var/log/dpkg.log | tail -n 60",
        why: 'skipped:budget',
      },
    ]);
  });

  it.each([
    ['quoted as in a mail', text.replaceAll(/^(?=.)/gm, '> ')],
    ['with carriage returns', text.replaceAll('\n', '\r\n')],
    ['wrapped by a terminal of 80 columns', wrapped(text, 80)],
    ['indented', text.replaceAll(/^(?=.)/gm, '    ')],
    ['inside an issue', `Here is what it prints:\n\n\`\`\`\n${text}\`\`\`\nthanks\n`],
    ['behind a prompt', `root@gpu17:~# sh probe.sh\n${text}root@gpu17:~# \n`],
  ])('is understood %s', (_, given) => {
    expect(factsOf(given)['driver.module']).toEqual(['580.95.05']);
    expect(factsOf(given)['probe.missing']).toEqual(factsOf(text)['probe.missing']);
    expect(snapshotOfFramed(given, 'x')).toEqual(snapshotOfFramed(text, 'x'));
  });

  it('keeps the lines verbatim', () => {
    const lines = createDocument(text).lines;
    expect(lines.map((line) => line.text).join('\n')).toBe(text.trimEnd());
    expect(lines[2]?.clean.startsWith('NVRM version')).toBe(true);
  });

  it('is the same after it was saved', () => {
    const snapshot = snapshotOfFramed(text, 'x')!;
    expect(snapshot.observations.map((each) => [each.source, each.exit, each.why ?? null])).toEqual([
      ['proc-driver-version', 0, null],
      ['modules', 0, null],
      ['kernel-log', null, 'denied'],
      ['nvidia-smi-q', null, 'timeout'],
      ['package-history', null, 'skipped:budget'],
    ]);
    expect(framedText(snapshot)).toBe(text.replace(/ms=3010$/m, 'ms=3010'));
  });

  it('says nothing of absence where an observation failed, timed out or was cut', () => {
    for (const end of ['denied ms=0', 'timeout ms=9', 'absent ms=0', 'skipped ms=0 why=gate', '0 ms=1 truncated=1']) {
      const facts = factsOf(
        `@culprit-probe 1 - root=/ pid=- gate=no\n@ modules lsmod | grep -E 'nvidia|nouveau'\n@= exit=${end}\n@culprit-end sections=1 ms=1\n`,
      );
      expect(facts['modules.absent']).toBeUndefined();
    }
    const cut = factsOf("@culprit-probe 1 - root=/ pid=- gate=no\n@ modules lsmod | grep -E 'nvidia|nouveau'\n");
    expect(cut['modules.absent']).toBeUndefined();
  });

  it('names what was cut off', () => {
    expect(createDocument(text.slice(0, 200)).left).toContain(
      'the end of the probe is missing; what it saw later is not known',
    );
    expect(createDocument(text.replace(/^@culprit-end.*/m, '@culprit-end stopped=budget')).left).toContainEqual(
      expect.stringMatching(/its time was up/),
    );
  });

  it('does not take a later table of nvidia-smi for its own', () => {
    const table = '| NVIDIA-SMI 570.124.06             Driver Version: 570.124.06   CUDA Version: 12.8     |';
    expect(factsOf(`${text}\n${table}\n`)['driver.version']).toEqual(['570.124.06']);
  });

  it('reads the copy of a container of legacy mode after the live file', () => {
    const container = [
      '@culprit-probe 1 - root=/ pid=- gate=no',
      '@ proc-driver-version cat /proc/driver/nvidia/version',
      '|NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024',
      '@= exit=0 ms=0',
      '@ sys-module-version cat /sys/module/nvidia/version',
      '|550.127.05',
      '@= exit=0 ms=0',
      '@ mountinfo grep nvidia /proc/self/mountinfo',
      '|660 646 0:105 / /proc/driver/nvidia rw,nosuid,nodev,noexec,relatime - tmpfs tmpfs rw,size=64k,mode=555',
      '@= exit=0 ms=0',
      '@culprit-end sections=3 ms=1',
      '',
    ].join('\n');
    expect(factsOf(container)['driver.module']).toEqual(['550.127.05']);
  });

  it('never throws, whatever is cut out, put in or mixed up', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '@ ',
        '@= exit=',
        '@culprit-end ',
        '@culprit-probe 1 ',
        '|',
        '> ',
        '\r',
        '\n',
        ' truncated=1',
        ' why=',
        'denied',
      ),
      fc.string({ maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(40), fc.array(piece, { maxLength: 6 }), (at, cut, put) => {
        const given = `${text.slice(0, at)}${put.join('')}${text.slice(at + cut)}`;
        const document = createDocument(given);
        expect(document.lines.every((line, index) => line.index === index)).toBe(true);
        const snapshot = snapshotOfFramed(given, 'x');
        if (snapshot !== null) {
          const again = snapshotOfFramed(framedText(snapshot), 'x');
          expect(again?.observations.length).toBe(snapshot.observations.length);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('keeps what it is given through saving, whatever the lines hold', () => {
    const line = fc.string({ maxLength: 60 }).map((each) => each.replaceAll(/[^ -~]/g, ''));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const snapshot = {
          schema: 'culprit/snapshot@1' as const,
          subject: 'x',
          takenAt: null,
          probe: '1 root=/ pid=- gate=no end=complete',
          observations: [
            {
              source: 'env',
              command: 'env',
              exit: 0,
              ms: 1,
              truncated: false,
              text: lines.map((each) => `${each}\n`).join(''),
            },
          ],
        };
        expect(snapshotOfFramed(framedText(snapshot), 'x')).toEqual(snapshot);
      }),
    );
  });
});
