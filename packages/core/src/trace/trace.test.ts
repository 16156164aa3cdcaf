import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../diagnose/diagnose.ts';
import { defaultKnowledge as knowledge } from '../knowledge/knowledge.ts';
import { createDocument } from '../text/document.ts';
import { recordAt } from './csv.ts';
import { numberOf, numberStyle } from './locale-numbers.ts';
import { readNcu } from './ncu.ts';
import { kernelsOfProfile } from './ncu-kernels.ts';
import type { TestKernel } from './testing.ts';
import { forms, locales, printed, profileText } from './testing.ts';
import { ncuVerdict } from './trace.ts';
import { traceKindOf } from './trace-kind.ts';

const time = 'gpu__time_duration.sum';
const sm = 'sm__throughput.avg.pct_of_peak_sustained_elapsed';
const memory = 'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed';
const dram = 'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed';
const theory = 'sm__maximum_warps_per_active_cycle_pct';
const achieved = 'sm__warps_active.avg.pct_of_peak_sustained_active';
const threads = 'smsp__thread_inst_executed_per_inst_executed.ratio';
const waves = 'launch__waves_per_multiprocessor';
const registers = 'launch__registers_per_thread';
const stall = (reason: string): string => `smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio`;
const limits = (byRegisters: number): Readonly<Record<string, number>> => ({
  launch__occupancy_limit_registers: byRegisters,
  launch__occupancy_limit_shared_mem: 28,
  launch__occupancy_limit_warps: 8,
  launch__occupancy_limit_blocks: 32,
});
const plain = {
  'gpc__cycles_elapsed.max': 1_234_567,
  [registers]: 32,
  [waves]: 7.76,
  ...limits(8),
  [theory]: 100,
  [achieved]: 88.31,
  [threads]: 31.87,
} as const;

const heavy = (raw: Readonly<Record<string, number>>, more: Partial<TestKernel> = {}): TestKernel => ({
  name: 'void heavy<float>(const T1 *, T1 *, int)',
  ...more,
  raw: { [time]: 1_204_510, ...plain, ...raw },
});
/** Next to no time, and everything wrong with it. */
const negligible: TestKernel = {
  name: 'fill(int *)',
  block: 8,
  grid: 1,
  raw: {
    [time]: 2_310,
    ...plain,
    [waves]: 0.01,
    [threads]: 4.5,
    [achieved]: 1.5,
    [sm]: 0.5,
    [memory]: 0.9,
    [dram]: 0.1,
  },
};

const cases: readonly (readonly [string, string, TestKernel])[] = [
  [
    'threads of a warp part',
    'warp-divergence',
    heavy({
      [sm]: 38.2,
      [memory]: 21.4,
      [dram]: 12.7,
      [threads]: 8.73,
      [stall('branch_resolving')]: 1.21,
      [stall('selected')]: 1,
    }),
  ],
  [
    'blocks of uneven length',
    'low-achieved-occupancy',
    heavy({ [sm]: 22.35, [memory]: 18.2, [dram]: 9.1, [achieved]: 31.42 }),
  ],
  [
    'too many registers',
    'registers-limit-occupancy',
    heavy({
      [registers]: 168,
      ...limits(1),
      [theory]: 12.5,
      [achieved]: 12.31,
      [sm]: 27.9,
      [memory]: 33.1,
      [dram]: 25.6,
    }),
  ],
  [
    'conflicts at the banks',
    'shared-memory-bank-conflicts',
    heavy({
      [sm]: 44.9,
      [memory]: 91.2,
      [dram]: 11.2,
      'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum': 32_505_856,
      'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum': 33_554_432,
      [stall('short_scoreboard')]: 14.2,
    }),
  ],
  [
    'scattered addresses, by sectors',
    'uncoalesced-access',
    heavy({
      [sm]: 9.4,
      [memory]: 61.2,
      [dram]: 58.6,
      'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': 33_554_432,
      'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 1_048_576,
      [stall('long_scoreboard')]: 51.7,
    }),
  ],
  [
    'scattered addresses, by the use of sectors',
    'uncoalesced-access',
    heavy({
      [sm]: 9.4,
      [memory]: 61.2,
      [dram]: 93.6,
      'smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct': 12.5,
    }),
  ],
  [
    'memory that is well used by few warps',
    'ok-memory-bandwidth-bound',
    heavy({ [registers]: 96, ...limits(2), [theory]: 25, [achieved]: 22.1, [sm]: 21.3, [memory]: 92.8, [dram]: 92.8 }),
  ],
  [
    'memory that is well used beside a small tail',
    'ok-memory-bandwidth-bound',
    heavy({
      [waves]: 2.1,
      [sm]: 31.3,
      [memory]: 88.4,
      [dram]: 88.4,
      'smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct': 100,
    }),
  ],
  [
    'memory of the chip that is well used, with hardly any conflict',
    'ok-memory-bandwidth-bound',
    heavy({
      [sm]: 41.2,
      [memory]: 90.1,
      [dram]: 88.3,
      'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum': 1_204,
      'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum': 2_097_152,
    }),
  ],
  [
    'arithmetic at its limit by few warps',
    'ok-compute-bound-well-used',
    heavy({
      [registers]: 255,
      ...limits(1),
      [theory]: 12.5,
      [achieved]: 12.4,
      [sm]: 91.4,
      [memory]: 44.2,
      [dram]: 18.3,
    }),
  ],
];

describe('a profile of kernels', () => {
  const variants = cases.flatMap(([what, cause, kernel]) =>
    forms.flatMap((form) =>
      Object.entries(locales).map(
        ([locale, signs]) => [what, form, locale, cause, profileText([negligible, kernel], form, signs)] as const,
      ),
    ),
  );
  it.each(variants)('%s (%s, %s) is %s', (_what, _form, _locale, cause, text) => {
    expect(traceKindOf(text)).toBe('ncu-csv');
    const { verdict } = ncuVerdict(text, 'profile.csv', knowledge);
    expect([verdict.cause, verdict.status]).toEqual([cause, cause.startsWith('ok-') ? 'ok' : 'performance']);
    if (!cause.startsWith('ok-')) {
      expect(verdict.owner).toBe('developer');
      expect(verdict.findings[0]!.evidence.length).toBeGreaterThan(0);
      for (const { line, text: quoted, column } of verdict.findings[0]!.evidence)
        expect(text.split('\n')[line - 1]!.slice(column - 1)).toContain(quoted);
    }
  });

  it.each(
    cases.map(([what, cause, kernel], at) => {
      const signs = Object.values(locales)[at % 5]!;
      return [what, cause, profileText([negligible, kernel], forms[at % 4]!, signs)] as const;
    }),
  )('%s is %s where the profile was pasted into a text, too', (_, cause, text) => {
    const pasted = text.replace('step 1, loss 0.25\n', '');
    expect(diagnose([createDocument(pasted)]).cause).toBe(cause);
  });

  it('a kernel without much time accuses nobody', () => {
    const { verdict } = ncuVerdict(
      profileText([negligible, heavy({ [sm]: 45.2, [memory]: 40.1, [dram]: 38.8 })], 'raw-wide', locales['english']!),
      null,
      knowledge,
    );
    expect(verdict.findings).toEqual([]);
    expect(verdict.status).toBe('cannot-tell');
  });

  it('a conflict in every thousandth access is no finding', () => {
    const kernel = heavy({
      [sm]: 65.2,
      [memory]: 60.1,
      [dram]: 38.8,
      'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum': 2_048,
      'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum': 2_097_152,
    });
    const { verdict } = ncuVerdict(profileText([kernel], 'raw-wide', locales['english']!), null, knowledge);
    expect(verdict.findings).toEqual([]);
  });

  it('kernels at different limits are healthy together', () => {
    const kernels = [
      heavy({ [sm]: 20.1, [memory]: 91.2, [dram]: 91.2 }, { name: 'copy(int *)' }),
      heavy({ [sm]: 93.4, [memory]: 40.2, [dram]: 22.9, [time]: 900_000 }, { name: 'gemm(int *)' }),
    ];
    const { verdict } = ncuVerdict(profileText(kernels, 'raw-wide', locales['swiss']!), null, knowledge);
    expect([verdict.status, verdict.cause]).toEqual(['ok', 'ok-memory-bandwidth-bound']);
  });

  it('one kernel at its limit does not clear another that is at none', () => {
    const kernels = [
      heavy({ [sm]: 20.1, [memory]: 91.2, [dram]: 91.2 }, { name: 'copy(int *)' }),
      heavy({ [sm]: 33.4, [memory]: 40.2, [dram]: 22.9, [time]: 900_000 }, { name: 'gemm(int *)' }),
    ];
    expect(ncuVerdict(profileText(kernels, 'raw-wide', locales['swiss']!), null, knowledge).verdict.status).toBe(
      'cannot-tell',
    );
  });

  it('a persistent kernel of exactly one wave is not accused of a tail', () => {
    const { verdict } = ncuVerdict(
      profileText([heavy({ [waves]: 1, [sm]: 55, [memory]: 31, [dram]: 22 })], 'details-long', locales['german']!),
      null,
      knowledge,
    );
    expect(verdict.findings).toEqual([]);
  });

  it('a grid of fewer places than fit that reaches every SM leaves none idle', () => {
    const { verdict } = ncuVerdict(
      profileText(
        [heavy({ [waves]: 0.25, launch__sm_count: 132, [sm]: 55, [memory]: 31, [dram]: 22 }, { grid: 264 })],
        'raw-long',
        locales['plain']!,
      ),
      null,
      knowledge,
    );
    expect(verdict.findings).toEqual([]);
  });

  it('numbers of the heaviest kernel are facts', () => {
    const kernel = heavy({
      [sm]: 38.25,
      [memory]: 21.4,
      [dram]: 12.7,
      [threads]: 16,
      'smsp__thread_inst_executed_pred_on_per_inst_executed.ratio': 12.5,
      [stall('long_scoreboard')]: 6,
      [stall('wait')]: 3,
      [stall('selected')]: 1,
    });
    const { verdict } = ncuVerdict(profileText([negligible, kernel], 'raw-wide', locales['german']!), null, knowledge);
    const facts = Object.fromEntries(verdict.facts.map(({ id, value }) => [id, value]));
    expect(facts).toMatchObject({
      'trace.kernels.count': 2,
      'trace.kernels.total_ns': 1_206_820,
      'trace.top_kernel.name': kernel.name,
      'trace.top_kernel.total_ns': 1_204_510,
      'trace.top_kernel.warp_execution_efficiency_percent': 50,
      'trace.top_kernel.predicated_off_threads_per_warp': 3.5,
      'trace.top_kernel.theoretical_occupancy_percent': 100,
      'trace.top_kernel.achieved_occupancy_percent': 88.31,
      'trace.top_kernel.sm_throughput_percent': 38.25,
      'trace.top_kernel.stall.long_scoreboard': 0.6,
      'trace.top_kernel.stall.wait': 0.3,
    });
    expect(verdict.facts.every((fact) => fact.seen.length > 0)).toBe(true);
  });

  it('advice of the tool itself counts', () => {
    const head =
      '"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"';
    const text = [
      head,
      '"0","scan(int *)","Memory","Memory Throughput","%","61.20",',
      '"0","scan(int *)","Memory","","","","SharedMemoryConflicts","OPT","The memory access pattern for shared loads might not be optimal and causes on average a 32.0 - way bank conflict across all 1048576 shared load requests.This results in 32505856 bank conflicts,  which represent 96.88% of the overall 33554432 wavefronts for shared loads."',
    ].join('\n');
    expect(ncuVerdict(text, null, knowledge).verdict.cause).toBe('shared-memory-bank-conflicts');
  });

  it.each([
    [
      'a header without kernels',
      '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n',
      'trace-has-no-gpu-work',
    ],
  ])('%s is said', (_, text, cause) => {
    expect(ncuVerdict(text, null, knowledge).verdict).toMatchObject({ status: 'cannot-tell', cause });
  });

  it.each([
    ['a log', 'step 1\nloss 0.2\n', null],
    ['nothing', '', null],
    ['a report in its own format', 'NVR\u0000\u0001', 'foreign'],
    ['a report of Nsight Systems', 'QDSTRM\u0000', 'foreign'],
    ['a database', 'SQLite format 3\u0000', 'sqlite'],
    ['events', '{"schemaVersion": 1, "traceEvents": []}', 'events'],
    ['a bare list of events', '\n[ {"name": "k", "ph": "X"}', 'events'],
    ['sums', ' Time (%)  Total Time (ns)  Instances  Avg (ns)  Name', 'nsys-stats'],
    ['sums as CSV', 'Time (%),Total Time (ns),Num Calls,Avg (ns),Name', 'nsys-stats'],
    ['other comma-separated text', 'name,value\na,1\n', null],
  ])('%s is told apart', (_, text, kind) => {
    const found = traceKindOf(text);
    expect(found === null ? null : typeof found === 'object' ? 'foreign' : found).toBe(kind);
  });

  it.each(['raw.csv', 'details.csv'])('the sample %s is read whole', (name) => {
    const text = readFileSync(new URL(`../../../../fixtures/outputs/ncu/${name}`, import.meta.url), 'utf8');
    const profile = readNcu(text, knowledge)!;
    expect(profile.unreadable).toEqual([]);
    const [first] = kernelsOfProfile(profile);
    expect(first!.numbers.get('duration-ns')!.value).toBeCloseTo(name === 'raw.csv' ? 1_204_510 : 6820);
  });
});

describe('numbers of a locale', () => {
  it.each([
    [['1,204.51'], '.', '1,204.51', 1204.51],
    [['27.595.520', '19,57'], ',', '1.234', 1234],
    [['19,57'], ',', '1,234', 1.234],
    [['9,00', '15,72'], ',', '9,00', 9],
    [['2.62', '11,904'], '.', '11,904', 11904],
    [['0,512'], ',', '0,512', 0.512],
    [['1\u202F204,51'], ',', '1\u202F204,51', 1204.51],
    [['1’204.51'], '.', '1’204.51', 1204.51],
    [['12'], null, '12', 12],
    [['16.384'], null, '16.384', null],
    [['6e+06', '1.5'], '.', '6e+06', 6_000_000],
  ])('%j decides %s: %s is %s', (texts, decimal, text, value) => {
    const style = numberStyle(texts.map((each) => ({ text: each, whole: false })));
    expect(style.decimal).toBe(decimal);
    expect(numberOf(text, style)).toBe(value);
  });

  it('a sign in a number that counts things groups its digits', () => {
    const style = numberStyle([{ text: '16.384', whole: true }]);
    expect(style.decimal).toBe(',');
    expect(numberOf('1.234', style)).toBe(1234);
    expect(numberOf('16.384', { decimal: null }, true)).toBe(16_384);
  });

  it('any number is read back as it was printed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(locales)),
        fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 12 }),
        (locale, values) => {
          const rounded = [...values, 1_234_567.89, 19.57].map((value) => Math.round(value * 100) / 100);
          const texts = rounded.map((value) => printed(value, locale));
          const style = numberStyle(texts.map((text, at) => ({ text, whole: Number.isInteger(rounded[at]!) })));
          texts.forEach((text, at) => expect(numberOf(text, style)).toBeCloseTo(rounded[at]!, 6));
        },
      ),
      { seed: 6, numRuns: 500 },
    );
  });
});

describe('hostile input', () => {
  const base = profileText([negligible, heavy({ [sm]: 38.2, [memory]: 21.4 })], 'details-long', locales['english']!);
  it('is never a crash, whatever is cut, doubled or replaced', () => {
    fc.assert(
      fc.property(fc.nat(base.length), fc.nat(400), fc.string({ maxLength: 40, unit: 'binary' }), (at, length, put) => {
        const text = base.slice(0, at) + put + base.slice(at + length);
        const answer = ncuVerdict(text, null, knowledge);
        expect(['fault', 'performance', 'ok', 'cannot-tell', 'not-stack-fault']).toContain(answer.verdict.status);
      }),
      { seed: 6, numRuns: 300 },
    );
  });

  it('garbage is never a crash', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
        readNcu(text, knowledge);
        readNcu(`"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n${text}`, knowledge);
        traceKindOf(text);
      }),
      { seed: 6, numRuns: 500 },
    );
  });

  it('a quote that is never closed does not swallow the file', () => {
    const lines = ['"a","b', ...Array.from({ length: 5000 }, () => 'x,y')];
    expect(recordAt(lines, 0, ',')).toBeNull();
  });

  it('quotes are undone as they were made', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 20 }), { minLength: 1, maxLength: 8 }), (cells) => {
        const text = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
        expect(recordAt(text.split('\n'), 0, ',')!.cells).toEqual(cells);
      }),
      { seed: 6, numRuns: 500 },
    );
  });

  it('a hundred thousand quotes take no time', () => {
    const started = performance.now();
    readNcu(
      `"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n${'"'.repeat(100_001)}\n${'"0","k",'.repeat(20_000)}`,
      knowledge,
    );
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
