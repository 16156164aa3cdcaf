import { describe, expect, test } from 'vitest';
import { createDocument } from '../text/document.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { compare, compareAlike } from './compare.ts';
import { splitBy } from './split.ts';
import type { Subject } from './subject.ts';
import { subjectOf } from './subject.ts';
import { node, subject } from './testing.ts';

const many = (count: number, make: (at: number) => Subject): readonly Subject[] =>
  Array.from({ length: count }, (_, at) => make(at));
const kernel = '5.15.0-113-generic';

/** Ranks that wait for one another, each with the number and the operation that it waits in. */
function hang(
  stands: readonly (readonly [sequence: number, operation: string])[],
  host = (rank: number): string => `gn${rank >> 2}`,
): string {
  return stands
    .flatMap(([sequence, operation], rank) => [
      `[rank${rank}]: ${host(rank)}:${4100 + rank}:${4900 + rank} [${rank % 4}] NCCL INFO comm 0x55d1c2a${rank} rank ${rank} nranks ${stands.length} cudaDev ${rank % 4} nvmlDev ${rank % 4} busId ${rank}000 commId 0x1 - Init COMPLETE`,
      `[rank${rank}]:[E1104 14:20:51.${rank} ProcessGroupNCCL.cpp:616] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${sequence}, OpType=${operation}, NumelIn=${rank + 5}, NumelOut=1, Timeout(ms)=600000) ran for ${600_000 + rank * 13} milliseconds before timing out.`,
    ])
    .join('\n');
}

function partsOf(text: string, by: 'rank' | 'host'): readonly Subject[] {
  return splitBy([createDocument(text)], by).map((part) => subjectOf(part, defaultKnowledge));
}

const stands = (
  count: number,
  odd: Readonly<Record<number, readonly [number, string]>>,
): readonly (readonly [number, string])[] =>
  Array.from({ length: count }, (_, rank) => odd[rank] ?? [91_204, 'ALLREDUCE']);

describe('who differs from the rest', () => {
  test.each([
    ['one rank one operation behind', stands(16, { 11: [91_203, '_ALLGATHER_BASE'] }), ['rank 11']],
    ['one rank at another number of the same operation', stands(8, { 0: [7, 'ALLREDUCE'] }), ['rank 0']],
    ['two of sixteen together', stands(16, { 3: [5, 'BROADCAST'], 9: [5, 'BROADCAST'] }), ['rank 3', 'rank 9']],
    ['one of four', stands(4, { 1: [5, 'BROADCAST'] }), ['rank 1']],
  ])('%s', (_, list, subjects) => {
    const diff = compareAlike(partsOf(hang(list), 'rank'));
    expect(diff.answer).toBe('separated');
    expect(diff.outliers[0]!.subjects).toEqual(subjects);
    expect(diff.outliers[0]!.statements[0]!.fact).toMatch(/^job\.collective\[waits\]/);
    expect(diff.groups[0]!.subjects).toEqual(subjects);
    // All findings are alike, so none of them rests on what differs.
    expect(diff.separators.every((each) => each.rule === null)).toBe(true);
  });

  test('two ranks that differ each in their own way are two', () => {
    const diff = compareAlike(partsOf(hang(stands(16, { 3: [5, 'BROADCAST'], 9: [77, 'REDUCE'] })), 'rank'));
    expect(diff.outliers.map((each) => each.subjects)).toEqual([['rank 3'], ['rank 9']]);
  });

  test('halves are no exceptions, and that is not no difference', () => {
    const half = Object.fromEntries(Array.from({ length: 8 }, (_, rank) => [rank, [5, 'BROADCAST'] as const]));
    const diff = compareAlike(partsOf(hang(stands(16, half)), 'rank'));
    expect(diff.answer).toBe('cannot-tell');
    expect(diff.outliers).toEqual([]);
    expect(diff.compared.varying).toBeGreaterThan(0);
  });

  test('numbers that differ for every subject single out nobody', () => {
    const diff = compareAlike(
      partsOf(hang(Array.from({ length: 12 }, (_, rank) => [400 + rank, 'ALLREDUCE'])), 'rank'),
    );
    expect(diff.outliers).toEqual([]);
  });

  test('ranks that stand at one place are alike', () => {
    expect(compareAlike(partsOf(hang(stands(12, {})), 'rank')).answer).toBe('no-difference');
  });

  test('a node of thirty with another driver, whatever differs between any two', () => {
    const subjects = many(30, (at) =>
      node(`n${String(at).padStart(2, '0')}`, {
        seed: at,
        kernel,
        toolkit: '1.17.4-1',
        ...(at === 17 ? { module: '570.133.20', library: '570.133.20' } : {}),
      }),
    );
    const diff = compareAlike(subjects);
    expect(diff.outliers[0]!.subjects).toEqual(['n17']);
    expect(diff.outliers[0]!.statements.map((each) => each.fact)).toEqual(
      expect.arrayContaining(['driver.module', 'driver.library']),
    );
    expect(compareAlike([...subjects].reverse())).toEqual(diff);
  });

  test('a node that lacks what all others list', () => {
    const subjects = many(12, (at) =>
      subject(
        `n${at}`,
        `$ lsmod\nModule                  Size  Used by\nnvidia              60710912  0\n${at === 5 ? '' : 'nvidia_peermem         16384  0\n'}`,
      ),
    );
    const [lead] = compareAlike(subjects).outliers;
    expect(lead!.subjects).toEqual(['n5']);
    expect(lead!.statements.find((each) => each.fact === 'modules.loaded')!.holds).toBe(
      'does not contain nvidia_peermem',
    );
  });

  test('hosts of one log are compared too, with the lines of their ranks', () => {
    const text = hang(
      stands(16, { 4: [3, 'BROADCAST'], 5: [3, 'BROADCAST'], 6: [3, 'BROADCAST'], 7: [3, 'BROADCAST'] }),
    );
    const parts = partsOf(text, 'host');
    expect(parts.map((part) => part.name)).toEqual(['gn0', 'gn1', 'gn2', 'gn3']);
    expect(compareAlike(parts).outliers[0]!.subjects).toEqual(['gn1']);
  });
});

describe('words and lines of a statement', () => {
  const report = (width: number): string =>
    [
      '==============NVSMI LOG==============',
      ...[0, 1].flatMap((gpu) => [
        `GPU 00000000:${gpu}5:00.0`,
        '    Product Name                          : NVIDIA H100 80GB HBM3',
        '    PCI',
        '        GPU Link Info',
        '            PCIe Generation',
        '                Max                       : 5',
        '                Current                   : 5',
        '            Link Width',
        '                Max                       : 16x',
        `                Current                   : ${gpu === 1 ? width : 16}x`,
      ]),
    ].join('\n');

  test('the line holds the value of that GPU', () => {
    const diff = compare([subject('bad', report(8))], [subject('good', report(16))]);
    const statement = diff.separators
      .flatMap((each) => each.statements)
      .find((each) => each.fact === 'gpu.pcie.width')!;
    expect(statement.holds).toBe('is in part 8');
    expect(statement.evidence.map((each) => [each.line, each.text.trim().split(' : ')[1]])).toEqual([
      [21, '8x'],
      [11, '16x'],
    ]);
  });

  test('a sharper message leads a general one that separates as well', () => {
    const log = (name: string, lines: readonly string[]): Subject =>
      subject(
        name,
        ['n1:1:2 [0] NCCL INFO Bootstrap: Using eth0', 'n1:1:2 [0] NCCL INFO cudaDriverVersion 12080', ...lines].join(
          '\n',
        ),
      );
    const diff = compare(
      [
        log('bad', [
          "n1:1:2 [0] NCCL WARN Cuda failure 2 'out of memory'",
          'n1:1:2 [0] NCCL WARN [Rem Allocator] Allocation failed (segment 0, fd 96)',
        ]),
      ],
      [log('good', ['n1:1:2 [0] NCCL INFO Connected all rings'])],
    );
    const said = diff.separators
      .flatMap((each) => [...each.statements, ...each.with].map((one) => one.fact))
      .filter((fact) => fact.startsWith('said.'));
    expect(said.indexOf('said.nccl-cuda-failure')).toBeLessThan(said.indexOf('said.nccl-warn-other'));
    expect(said).toContain('said.nccl-warn-other');
  });

  test('no headline names an id of a fact', () => {
    const diff = compare(
      many(9, (at) => node(`a${at}`, { seed: at, kernel: '6.8.0-40-generic', toolkit: '1.17.4-1' })),
      many(9, (at) => node(`b${at}`, { seed: 50 + at, kernel, toolkit: '1.17.4-1' })),
    );
    expect(diff.headline).toContain('the running kernel is 6.8.0-40-generic');
    expect(diff.headline).not.toMatch(/os\.kernel|said\./);
  });

  test('causes carry how likely their division is by chance', () => {
    const diff = compare(
      many(8, (at) =>
        node(`f${at}`, {
          seed: at,
          library: '570.133.20',
          more: ['HOST:~$ nvidia-smi', 'Failed to initialize NVML: Driver/library version mismatch'],
        }),
      ),
      many(8, (at) => node(`p${at}`, { seed: 50 + at })),
    );
    expect(diff.causes[0]).toMatchObject({ separates: true, chance: false });
    expect(diff.causes[0]!.p).toBeCloseTo(2 / 12870, 6);
  });
});
