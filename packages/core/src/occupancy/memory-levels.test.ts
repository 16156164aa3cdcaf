import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import type { MemoryHierarchy, MemoryLevelId } from './memory-levels.ts';
import { memoryHierarchy, pcieRate } from './memory-levels.ts';

function of(text: string, variant: string | null = null): MemoryHierarchy {
  const found = memoryHierarchy(text, variant, defaultKnowledge);
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

function level(found: MemoryHierarchy, id: MemoryLevelId): MemoryHierarchy['levels'][number] {
  return found.levels.find((each) => each.id === id)!;
}

describe('memories of a GPU', () => {
  it('have the sizes of the tables', () => {
    const h100 = of('H100 SXM');
    expect(level(h100, 'registers')).toMatchObject({ bytes: 132 * 256 * 1024, bytesPerSm: 256 * 1024 });
    expect(level(h100, 'shared').bytesPerSm).toBe(256 * 1024);
    expect(level(h100, 'l2').bytes).toBe(50 * 1024 * 1024);
    expect(level(h100, 'device')).toMatchObject({ bytes: 80e9, bytesPerSecond: 3352e9, confirmed: true });
    expect(level(h100, 'peer').bytesPerSecond).toBe(450e9);
  });

  it('have rates by clocks, where the vendor states bytes a clock', () => {
    const a100 = of('A100');
    expect(level(a100, 'shared').bytesPerSecond).toBeCloseTo(128 * 108 * 1.41e9, -3);
    expect(level(a100, 'l2').bytesPerSecond).toBeCloseTo(5120 * 1.41e9, -3);
    expect(level(of('H100'), 'l2').bytesPerSecond).toBeNull();
    expect(level(a100, 'registers').bytesPerSecond).toBeNull();
  });

  it('are those of the variant that the name or the choice tells', () => {
    expect(of('A100-SXM4-40GB').variant).toBe('40 GB');
    expect(of('A100').variants).toEqual(['80 GB', '40 GB']);
    expect(level(of('A100', '40 GB'), 'device').bytesPerSecond).toBe(1555e9);
  });

  it('say where they were not confirmed', () => {
    expect(level(of('H200'), 'device').confirmed).toBe(false);
    expect(level(of('H200'), 'peer').confirmed).toBe(true);
  });

  it('have no NVLink where the GPU has none, and another link where the host has one', () => {
    expect(level(of('L40S'), 'peer')).toBeUndefined();
    expect(level(of('GH200'), 'host')).toMatchObject({ bytesPerSecond: 450e9, confirmed: false });
  });

  it('grow slower the farther they are', () => {
    for (const row of defaultKnowledge.gpuMemory) {
      const rates = of(row.gpu, row.variant)
        .levels.filter(({ id }) => id !== 'peer')
        .flatMap(({ bytesPerSecond }) => (bytesPerSecond === null ? [] : [bytesPerSecond]));
      expect(rates, row.gpu).toEqual(rates.toSorted((a, b) => b - a));
    }
  });

  it('name what is known where a GPU is not', () => {
    expect(memoryHierarchy('P100', null, defaultKnowledge)).toMatchObject({ hint: expect.stringContaining('H100') });
    expect(memoryHierarchy('Voodoo 2', null, defaultKnowledge)).toHaveProperty('problem');
  });
});

describe('PCI Express', () => {
  it.each([
    [3, 15.75],
    [4, 31.5],
    [5, 63],
  ])('of generation %i carries %f GB/s each way', (generation, rate) => {
    expect(pcieRate(generation)! / 1e9).toBeCloseTo(rate, 1);
  });

  it('of no known generation carries nothing that is known', () => {
    expect(pcieRate(0)).toBeNull();
    expect(pcieRate(99)).toBeNull();
  });
});
