import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnowledge as knowledge } from '../knowledge/knowledge.ts';
import { answerOf } from './answer.ts';
import { bestBlockSize, headerDynamicShared, mostDynamicShared } from './best.ts';
import { curveKinds, curveOf, curveText, curvesSvg } from './curves.ts';
import type { Kernel } from './evaluate.ts';
import { evaluate, headerLimitingOf, limitingOf, plainKernel } from './evaluate.ts';
import { clusterOf, gridOf } from './grid.ts';
import type { Place } from './place.ts';
import { placeOf } from './place.ts';
import { occupancyTable, occupancyText } from '../report/occupancy-report.ts';
import { ptxasKernels } from './ptxas.ts';
import type { RowsAnswer } from './rows.ts';
import { answerRows, rowText } from './rows.ts';
import { kernelsFor, kernelsNamed, kernelsOfText } from './sources.ts';
import { noResources } from './ptxas.ts';
import { optedIn, stepsOf } from './steps.ts';

function place(name: string): Place {
  const found = placeOf(name, knowledge);
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

const anyKernel: fc.Arbitrary<Kernel> = fc.record({
  blockSize: fc.integer({ min: 1, max: 1100 }),
  registersPerThread: fc.integer({ min: 0, max: 256 }),
  staticShared: fc.integer({ min: 0, max: 60_000 }),
  dynamicShared: fc.integer({ min: 0, max: 240_000 }),
  optIn: fc.boolean(),
  maxDynamicShared: fc.integer({ min: 0, max: 240_000 }),
  carveout: fc.integer({ min: -1, max: 100 }),
  cacheConfig: fc.constantFrom('none', 'shared', 'l1', 'equal'),
  maxThreadsPerBlock: fc.integer({ min: 1, max: 1024 }),
  barriers: fc.integer({ min: 0, max: 16 }),
  partitionedCaching: fc.constantFrom('off', 'on', 'strict'),
  virtualResources: fc.integer({ min: 0, max: 128 }),
});
const anyLimits = fc.constantFrom(...knowledge.occupancy);

function answered(text: string): RowsAnswer & { readonly csv: string } {
  let csv = '';
  const answer = answerRows(text, knowledge, (rows, delimiter) => {
    csv += rows.map((cells) => `${rowText(cells, delimiter)}\n`).join('');
  });
  return { ...answer, csv };
}

describe('the calculator', () => {
  const csv = readFileSync(new URL('../../../../fixtures/occupancy/calculator.csv', import.meta.url), 'utf8');

  it('agrees with the one that ships with CUDA in every column of 2,000 rows', () => {
    const inputs = csv
      .trimEnd()
      .split('\n')
      .map((line) => line.split(',').slice(0, 18).join(','))
      .join('\n');
    expect(answered(inputs)).toEqual({ rows: 2000, csv });
  });

  it('replaces answers that are there already', () => {
    const rows = csv.split('\n').slice(0, 9).join('\n');
    expect(answered(rows).csv.trimEnd()).toBe(rows);
  });

  it.each([
    ['no table', 'a,b\n1,2\n', 1, 'column cc'],
    ['a word for a number', 'id,cc,block_size\n1,9.0,many\n', 2, 'block_size'],
    ['too many cells', 'cc\n9.0,1\n', 2, 'cells'],
    ['a word that is none', 'cc,smem_limit\n9.0,perhaps\n', 2, 'smem_limit'],
    ['a late word for a number', `cc,block_size\n${'9.0,256\n'.repeat(3000)}9.0,x\n`, 3002, 'block_size'],
    ['a column twice', 'cc,cc\n9.0,8.0\n', 1, 'twice'],
    ['a quote without end', 'cc,block_size\n9.0,"256\n8.0,128\n', 2, 'quote'],
  ])('%s is named with its line', (_, text, line, reason) => {
    const answer = answered(text);
    expect(answer).toMatchObject({ problem: { line }, csv: '' });
    expect('problem' in answer ? answer.problem.reason : '').toContain(reason);
  });

  it.each([
    ['quotes', 'cc,name,block_size', '"9.0","a, ""b"" c","256"'],
    ['semicolons', 'cc;name;block_size', '9.0;"a; ""b"" c";256'],
    ['tabs (they become commas)', 'cc\tname\tblock_size', '9.0\ta, "b" c\t256'],
  ])('a table with %s keeps its cells', (_, header, row) => {
    const answer = answered(`${header}\n${row}\n`);
    expect(answer).toMatchObject({ rows: 1 });
    expect(answer.csv.split('\n')[1]).toMatch(/^9\.0[,;]"a[,;] ""b"" c"[,;]256[,;]ok[,;]8[,;]/);
  });

  it('a large table comes in pieces', () => {
    const sizes: number[] = [];
    const answer = answerRows(`cc\n${'9.0\n'.repeat(2500)}`, knowledge, (rows) => sizes.push(rows.length));
    expect(answer).toEqual({ rows: 2500 });
    expect(sizes).toEqual([1000, 1000, 501]);
  });

  it('an empty carriage return, a byte order mark and missing columns do no harm', () => {
    expect(answered('\uFEFFid,cc,block_size\r\n1,9.0,256\r\n\r\n')).toHaveProperty('rows', 1);
  });

  it.each([
    ['9.0', { blockSize: 256, registersPerThread: 64 }, 4, ['registers']],
    ['9.0', { blockSize: 1024, registersPerThread: 65 }, 0, ['registers']],
    ['9.0', { blockSize: 1025 }, 0, ['warps']],
    ['8.6', { blockSize: 32 }, 16, ['blocks']],
    ['8.9', { blockSize: 64, registersPerThread: 32 }, 24, ['warps', 'blocks']],
    ['7.5', { blockSize: 1024 }, 1, ['warps']],
    ['9.0', { blockSize: 128, staticShared: 49_152 }, 4, ['sharedMemory']],
    ['9.0', { blockSize: 128, staticShared: 49_153 }, 0, ['sharedMemory']],
    ['9.0', { blockSize: 128, dynamicShared: 232_448, optIn: true, maxDynamicShared: 232_448 }, 1, ['sharedMemory']],
    ['9.0', { blockSize: 128, dynamicShared: 65_536 }, 0, ['sharedMemory']],
  ])('on %s %j holds %i blocks by %j', (capability, kernel, blocks, limiting) => {
    const result = evaluate(place(capability).limits, { ...plainKernel, ...kernel });
    expect(result.activeBlocks).toBe(blocks);
    expect(limitingOf(result)).toEqual(limiting);
  });

  it('names only the tightest limits, which the header does not always', () => {
    const result = evaluate(place('9.0').limits, {
      ...plainKernel,
      blockSize: 256,
      registersPerThread: 30,
      barriers: 16,
    });
    expect(limitingOf(result)).toEqual(['barriers']);
    expect(headerLimitingOf(result)).toEqual(['warps', 'registers', 'barriers']);
  });

  it('less of a resource never gives fewer blocks', () => {
    fc.assert(
      fc.property(
        anyLimits,
        anyKernel,
        fc.constantFrom('registersPerThread', 'dynamicShared', 'staticShared', 'barriers'),
        (limits, kernel, what) => {
          const less = { ...kernel, [what]: Math.floor(kernel[what] / 2) };
          // No barriers at all and no limit are the same.
          if (what === 'barriers' && less.barriers === 0) return;
          expect(evaluate(limits, less).activeBlocks).toBeGreaterThanOrEqual(evaluate(limits, kernel).activeBlocks);
        },
      ),
      { seed: 6, numRuns: 3000 },
    );
  });

  it('blocks never take more than an SM has', () => {
    fc.assert(
      fc.property(anyLimits, anyKernel, (limits, kernel) => {
        const result = evaluate(limits, kernel);
        expect(result.activeWarps).toBeLessThanOrEqual(limits.maxWarpsPerSm);
        expect(result.activeBlocks * result.registersPerBlock).toBeLessThanOrEqual(limits.registersPerSm);
        if (Number.isFinite(result.limits.sharedMemory))
          expect(result.activeBlocks * result.sharedPerBlock).toBeLessThanOrEqual(limits.sharedMemoryPerSm);
      }),
      { seed: 6, numRuns: 3000 },
    );
  });

  it('the most dynamic memory keeps the blocks, and one byte more does not', () => {
    fc.assert(
      fc.property(anyLimits, anyKernel, fc.integer({ min: 1, max: 8 }), (limits, kernel, blocks) => {
        const most = mostDynamicShared(limits, kernel, blocks);
        const at = (bytes: number): number => evaluate(limits, { ...kernel, dynamicShared: bytes }).activeBlocks;
        if (most === null) {
          expect(at(0)).toBeLessThan(blocks);
          return;
        }
        expect(at(most)).toBeGreaterThanOrEqual(blocks);
        expect(at(most + 1)).toBeLessThan(blocks);
      }),
      { seed: 6, numRuns: 1000 },
    );
  });

  it('the header names more dynamic memory than there is', () => {
    const kernel = { ...plainKernel, blockSize: 64, optIn: true, maxDynamicShared: 101_376 };
    expect(headerDynamicShared(place('12.0').limits, kernel, 2)).toBe(51_200);
    expect(mostDynamicShared(place('12.0').limits, kernel, 2)).toBe(50_176);
  });

  it('no block size has more resident threads than the best', () => {
    fc.assert(
      fc.property(anyLimits, anyKernel, fc.integer({ min: 1, max: 32 }), (limits, kernel, warps) => {
        const best = bestBlockSize(limits, kernel, () => kernel.dynamicShared);
        const size = Math.min(warps * 32, kernel.maxThreadsPerBlock);
        const other = evaluate(limits, { ...kernel, blockSize: size });
        if (size % 32 === 0) expect(size * other.activeBlocks).toBeLessThanOrEqual(best.blockSize * best.activeBlocks);
      }),
      { seed: 6, numRuns: 1000 },
    );
  });
});

describe('one step less', () => {
  it('tells what less registers and shared memory bring, and what more costs nothing', () => {
    const { limits } = place('H100');
    const kernel = optedIn(limits, { ...plainKernel, blockSize: 200, registersPerThread: 70, dynamicShared: 61_440 });
    const steps = Object.fromEntries(
      stepsOf(limits, kernel, evaluate(limits, kernel)).map((step) => [step.resource, step]),
    );
    expect(steps['sharedMemory']).toMatchObject({
      oneLess: { value: 61_312 },
      gain: { value: 57_344, activeBlocks: 4 },
      free: 76_800,
    });
    expect(steps['registers']).toMatchObject({ oneLess: { value: 64, activeBlocks: 3 }, gain: null, free: 80 });
  });

  it('a gain is one, and the amount above it is none', () => {
    fc.assert(
      fc.property(anyLimits, anyKernel, (limits, kernel) => {
        const now = evaluate(limits, kernel);
        for (const step of stepsOf(limits, kernel, now)) {
          if (step.gain !== null) expect(step.gain.occupancy).toBeGreaterThan(now.occupancy);
          expect(step.free).toBeGreaterThanOrEqual(step.now);
        }
      }),
      { seed: 6, numRuns: 300 },
    );
  });
});

describe('a grid', () => {
  const single = (name: string): ReturnType<typeof evaluate> =>
    evaluate(place(name).limits, { ...plainKernel, blockSize: 1024, registersPerThread: 64 });

  it.each([
    // The classic: one block more than SMs takes a second round.
    ['H100', 132, { waves: 1, tailBlocks: 0, idleSms: 0, efficiency: 1 }],
    ['H100', 133, { fullWaves: 1, tailBlocks: 1, idleSms: 0, tailIdleSms: 131 }],
    ['H100', 33, { fullWaves: 0, idleSms: 99, smActive: 0.25 }],
    ['B200', 148, { waves: 1, efficiency: 1 }],
    ['B200', 296, { fullWaves: 2, tailBlocks: 0 }],
    ['H100 MIG 1g.10gb', 16, { waves: 1, sms: 16 }],
    ['A100:3g.20gb', 21, { sms: 42, idleSms: 21 }],
  ])('on %s of %i blocks', (name, blocks, expected) => {
    const spot = place(name);
    expect(gridOf(blocks, spot.sms!, single(name), spot.limits)).toMatchObject(expected);
  });

  it('133 blocks on 132 SMs use half of two rounds', () => {
    expect(gridOf(133, 132, single('H100'), place('H100').limits)!.efficiency).toBeCloseTo(0.504, 3);
  });

  it('shares stay shares', () => {
    fc.assert(
      fc.property(
        anyLimits,
        anyKernel,
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 1, max: 200 }),
        (limits, kernel, blocks, sms) => {
          const grid = gridOf(blocks, sms, evaluate(limits, kernel), limits);
          if (grid === null) return;
          for (const share of [grid.efficiency, grid.smActive, grid.smOccupancy]) {
            expect(share).toBeGreaterThan(0);
            expect(share).toBeLessThanOrEqual(1);
          }
          expect(grid.fullWaves * grid.blocksPerWave + grid.tailBlocks).toBe(blocks);
        },
      ),
      { seed: 6, numRuns: 2000 },
    );
  });

  it.each([
    ['H100', 2, 264, { problem: null, portable: true, activeAtMost: 66 }],
    ['H100', 2, 133, { problem: 'the grid of 133 blocks is no multiple of the cluster size 2' }],
    ['H100', 16, 160, { problem: null, portable: false }],
    ['A100', 2, 264, { portable: null }],
  ])('clusters on %s of %i', (name, size, blocks, expected) => {
    const spot = place(name);
    const cluster = clusterOf(size, blocks, spot.sms, single(name), spot.limits);
    expect(cluster).toMatchObject(expected);
    expect(cluster.problem === null).toBe(name === 'H100' && blocks % size === 0);
  });
});

describe('registers that are not given', () => {
  const h100 = place('H100');
  const asked = (registersPerThread: number): ReturnType<typeof answerOf> =>
    answerOf(
      {
        place: h100,
        kernel: { ...plainKernel, blockSize: 256, registersPerThread },
        name: null,
        grid: null,
        clusterSize: null,
        spilled: null,
      },
      knowledge,
    );

  it('make the occupancy an upper bound that names the registers up to which it holds', () => {
    const [bound] = asked(0)!.advice;
    expect(bound).toMatch(/upper bounds: they hold up to 32 registers a thread/);
    expect(asked(32)!.activeBlocks).toBe(asked(0)!.activeBlocks);
    expect(asked(33)!.activeBlocks).toBeLessThan(asked(0)!.activeBlocks);
    expect(occupancyText(asked(0)!, { color: false, columns: 100 })).toMatch(/^occupancy at most 100 %/);
    expect(occupancyText(asked(32)!, { color: false, columns: 100 })).toMatch(/^occupancy 100 %/);
  });

  it('one line stands for all kernels of a file', () => {
    const [head] = occupancyTable([asked(32)!, asked(64)!], 100, true).split('\n');
    expect(head).toMatch(/^2 kernels: occupancy 50 % to 100 %, lowest .* limited by registers; .*best block size/);
  });
});

describe('where it runs', () => {
  it.each([
    ['H100', '9.0', 132],
    ['NVIDIA H100 80GB HBM3', '9.0', 132],
    ['B200', '10.0', 148],
    ['sm_86', '8.6', null],
    ['9.0', '9.0', null],
    ['NVIDIA H100 80GB HBM3 MIG 2g.20gb', '9.0', 32],
    ['B200 MIG 4g.90gb', '10.0', null],
  ])('%s is %s with %s SMs', (name, capability, sms) => {
    const found = place(name);
    expect([found.limits.computeCapability, found.sms]).toEqual([capability, sms]);
    expect(found.sms === null).toBe(found.smsNote !== null);
  });

  it.each([
    ['H1000'],
    ['Blackwell'],
    ['H100 MIG 5g.50gb'],
    ['H100 MIG 9g'],
    ['H100 MIG'],
    ['H100:1g.banana'],
    ['MIG 1g.10gb'],
    ['3.5'],
    [''],
  ])('%s is no place, and it says why', (name) => {
    expect(placeOf(name, knowledge)).toHaveProperty('problem');
  });

  it('every GPU of the tables from Maxwell on has limits, and every MIG profile a GPU', () => {
    for (const row of knowledge.gpus) {
      if (Number(row.computeCapability.split('.')[0]) < 5 || row.computeCapability === '10.7') continue;
      // A bare TITAN X may be either of two boards; with its generation it is one.
      const names = [row.name, ...row.aliases].filter((name) => 'limits' in placeOf(name, knowledge));
      expect(names, row.name).not.toEqual([]);
    }
    for (const row of knowledge.migProfiles) {
      expect(place(`${row.gpu} MIG ${row.profile}`).sms, `${row.gpu} ${row.profile}`).toBe(row.sms);
      const whole = knowledge.gpus.find((each) => each.name === row.gpu)!;
      expect(whole.mig).toBe(true);
      if (row.sms !== null) expect(row.sms).toBeLessThanOrEqual(whole.sms ?? 999);
    }
  });
});

describe('an answer', () => {
  const ask = (
    name: string,
    kernel: Partial<Kernel>,
    grid: number | null = null,
  ): NonNullable<ReturnType<typeof answerOf>> =>
    answerOf(
      { place: place(name), kernel: { ...plainKernel, ...kernel }, name: null, grid, clusterSize: null, spilled: null },
      knowledge,
    )!;

  it('asks for more than 48 KiB of dynamic memory by itself, and says that the program has to', () => {
    const answer = ask('H100', { blockSize: 256, dynamicShared: 65_536 });
    expect(answer.launch.optIn).toBe(true);
    expect(answer.activeBlocks).toBe(3);
    expect(answer.advice.join(' ')).toContain('cudaFuncSetAttribute');
  });

  it('says that a busy GPU can be idle', () => {
    const advice = ask('H100', { blockSize: 256, registersPerThread: 64 }, 13).advice.join(' ');
    expect(advice).toContain('nvidia-smi shows 100 %');
    expect(advice).toContain('119');
  });

  it('without SMs a grid is not spread, and that is said', () => {
    const answer = ask('9.0', { blockSize: 256 }, 133);
    expect(answer.grid).toBeNull();
    expect(answer.advice.join(' ')).toContain('--sms');
  });

  it.each([
    [{ blockSize: 2048 }, '1024 threads'],
    [{ registersPerThread: 300 }, '255 registers'],
    [{ staticShared: 65_536 }, 'dynamic'],
    [{ dynamicShared: 240_000 }, 'more than'],
  ])('%j cannot launch, and it says why', (kernel, words) => {
    const answer = ask('H100', kernel);
    expect(answer.activeBlocks).toBe(0);
    expect(answer.cannotLaunch).toContain(words);
  });

  it.each([
    [{ registersPerThread: 256 }, '255 registers'],
    [{ barriers: 17 }, '16 barriers'],
    [{ blockSize: 256, maxThreadsPerBlock: 128 }, 'launch bounds'],
  ])('%j cannot launch though the calculator has blocks for it', (kernel, words) => {
    expect(ask('H100', kernel).cannotLaunch).toContain(words);
  });

  it('never throws and never says NaN', () => {
    fc.assert(
      fc.property(anyLimits, anyKernel, fc.option(fc.integer({ min: 1, max: 1e6 })), (limits, kernel, grid) => {
        const spot: Place = { limits, name: 'X', sms: 132, smsConfirmed: true, smsNote: null };
        const answer = answerOf({ place: spot, kernel, name: null, grid, clusterSize: 2, spilled: 8 }, knowledge);
        expect(JSON.stringify(answer)).not.toMatch(/NaN|Infinity|undefined/);
      }),
      { seed: 6, numRuns: 500 },
    );
  });
});

describe('curves', () => {
  it('are drawn as text and as a drawing', () => {
    const { limits } = place('H100');
    const kernel = { ...plainKernel, blockSize: 256, registersPerThread: 96, dynamicShared: 30_000 };
    for (const kind of curveKinds) {
      const curve = curveOf(kind, limits, kernel);
      expect(curve.points.some((point) => point.x === curve.now)).toBe(true);
      expect(curveText(curve).split('\n')).toHaveLength(13);
      expect(curveText(curve)).toContain('◆');
    }
    const svg = curvesSvg(
      curveKinds.map((kind) => curveOf(kind, limits, kernel)),
      'a <kernel> & more',
    );
    expect(svg).toContain('a &lt;kernel&gt; &amp; more');
    expect(svg.match(/<path d="M[^"]*H/g)!.length).toBeGreaterThan(3);
  });
});

describe('kernels of texts', () => {
  const text = [
    'ptxas info    : 0 bytes gmem',
    "ptxas info    : Compiling entry function '_Z4axpyifPKfPf' for 'sm_80'",
    'ptxas info    : Function properties for _Z4axpyifPKfPf',
    '    0 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads',
    'ptxas info    : Used 32 registers, used 1 barriers, 4096 bytes smem, 400 bytes cmem[0]',
    "ptxas info    : Compiling entry function '_Z4axpyifPKfPf' for 'sm_90a'",
    'ptxas info    : Used 40 registers, 8+16 bytes smem, 400 bytes cmem[0]',
    'ptxas info    : Compile time = 12.3 ms',
  ].join('\n');

  it('are read from the assembler', () => {
    expect(ptxasKernels(text)).toMatchObject([
      { name: '_Z4axpyifPKfPf', arch: 'sm_80', registers: 32, staticShared: 4096, barriers: 1, spilled: 16 },
      { arch: 'sm_90a', registers: 40, staticShared: 24, barriers: null, spilled: null },
    ]);
  });

  it.each([
    ['8.0', 'sm_80'],
    ['8.6', 'sm_80'],
    ['9.0', 'sm_90a'],
    ['10.0', undefined],
    ['7.5', undefined],
  ])('a GPU of %s loads %s', (capability, arch) => {
    expect(kernelsFor(ptxasKernels(text), capability)[0]?.arch).toBe(arch);
  });

  it('are found by a part of their name', () => {
    const kernels = ['scan', 'scan_up', 'reduce'].map((name) => ({ ...noResources, name }));
    expect(kernelsNamed(kernels, 'scan').map((each) => each.name)).toEqual(['scan']);
    expect(kernelsNamed(kernels, 'SCAN_').map((each) => each.name)).toEqual(['scan_up']);
  });

  it('are read from a profile', () => {
    const csv = readFileSync(new URL('../../../../fixtures/outputs/ncu/details.csv', import.meta.url), 'utf8');
    expect(kernelsOfText(csv, knowledge)).toMatchObject({
      from: 'profile',
      kernels: [{ arch: 'sm_90', registers: 18, blockSize: 256, grid: 1024, sms: 132, staticShared: 0 }],
    });
  });

  it('garbage holds none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (garbage) => {
        expect(ptxasKernels(garbage)).toEqual([]);
      }),
      { seed: 6 },
    );
  });
});
