import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { contentsOf } from './inventory.ts';
import { predictAll } from './predict.ts';
import { made, predicted } from './predict.test.rows.ts';

const values = [...new Set(defaultKnowledge.requireCuda.flatMap((row) => row.value ?? []))];
const asking = (value: string): ReturnType<typeof made> => made({}, { NVIDIA_REQUIRE_CUDA: value });

describe('NVIDIA_REQUIRE_CUDA of the published base images', () => {
  it.each(values.map((value) => [value.slice(0, 60), value] as const))('%s: every term is shown', (_, value) => {
    const image = asking(value);
    const nodes = [
      { driver: '450.51.06', gpu: 'V100', toolkit: '1.17.8', mode: 'legacy' },
      { driver: '535.183.01', gpu: 'RTX 4090', toolkit: '1.17.8', mode: 'legacy' },
      { driver: '610.43.02', gpu: 'H100', toolkit: '1.17.8', mode: 'legacy' },
      { driver: '535.183.01', gpu: 'H100', toolkit: '1.18.1', mode: 'jit-cdi' },
    ] as const;
    const terms = [...new Set(value.split(/[ ,]/).filter((term) => term !== ''))];
    for (const one of predictAll(image, contentsOf(image, defaultKnowledge), nodes)) {
      expect(one.requirement.terms.map((term) => term.term)).toEqual(terms);
      expect(one.requirement.checked).toBe(one.mode === 'legacy');
      const cuda = one.requirement.terms.find((term) => term.term.startsWith('cuda'));
      if (cuda?.holds === true && !value.startsWith('cuda>=9.0,')) expect(one.requirement.holds).toBe(true);
    }
  });

  it('a branch that is named passes by its brand, another does not start', () => {
    const value = values.find(
      (each) => each.startsWith('cuda>=12.6 ') && each.includes('brand=tesla,driver>=535,driver<536'),
    )!;
    const passes = predicted(asking(value), 'driver=535.183.01,gpu=H100,toolkit=1.17.8,mode=legacy');
    expect([passes.requirement.holds, passes.starts]).toEqual([true, true]);
    const refused = predicted(asking(value), 'driver=545.29.06,gpu=H100,toolkit=1.17.8,mode=legacy');
    expect([refused.requirement.holds, refused.starts, refused.rule, refused.errorSeen]).toEqual([
      false,
      false,
      'image-requirement',
      'unsatisfied condition: cuda>=12.6',
    ]);
    const geforce = predicted(asking(value), 'driver=535.183.01,gpu=RTX 4090,toolkit=1.17.8,mode=legacy');
    expect([geforce.requirement.holds, geforce.starts]).toEqual([false, false]);
  });

  it('a term that cannot be read refuses the start in legacy mode', () => {
    const image = asking('cuda=>12.0 driver>=1');
    const one = predicted(image, 'driver=535.183.01,gpu=H100,toolkit=1.17.8,mode=legacy');
    expect([one.requirement.holds, one.starts, one.answer, one.errorSeen]).toEqual([
      false,
      false,
      'does-not-run',
      'invalid expression',
    ]);
    expect(predicted(image, 'driver=535.183.01,gpu=H100,toolkit=1.18.1,mode=jit-cdi').answer).toBe('runs');
  });

  it('in jit-cdi mode nothing is checked, and cuInit fails', () => {
    const image = made({}, { CUDA_VERSION: '13.0.0', NVIDIA_REQUIRE_CUDA: 'cuda>=13.0' });
    const one = predicted(image, 'driver=535.183.01,gpu=H100,toolkit=1.18.1,mode=jit-cdi');
    expect([one.requirement.checked, one.requirement.holds, one.starts, one.errorSeen]).toEqual([
      false,
      false,
      true,
      '35',
    ]);
  });

  it('both evaluators are told where they differ', () => {
    const image = asking('cuda>=12.9 brand=tesla,driver>=535,driver<536');
    const cli = predicted(image, 'driver=535.183.01,gpu=A100,toolkit=1.17.8,mode=legacy');
    expect(cli.requirement.terms.find((term) => term.term === 'driver>=535')).toEqual({
      term: 'driver>=535',
      holds: true,
      inCsv: false,
    });
    const csv = predicted(image, 'driver=535.183.01,gpu=A100,toolkit=1.17.8,mode=csv');
    expect([csv.requirement.checked, csv.requirement.holds, csv.starts]).toEqual([true, false, false]);
    expect(csv.requirement.terms.find((term) => term.term === 'driver>=535')?.holds).toBe(false);
  });

  it.each([
    ['NVIDIA_DISABLE_REQUIRE=1 of the image', { NVIDIA_DISABLE_REQUIRE: '1' }, ''],
    ['disable-require of the node', {}, ',disable-require=true'],
  ])('is skipped by %s', (_, env, key) => {
    const image = made({}, { NVIDIA_REQUIRE_CUDA: 'cuda>=13.0', ...env });
    const one = predicted(image, `driver=535.183.01,gpu=H100,toolkit=1.17.8,mode=legacy${key}`);
    expect([one.requirement.checked, one.requirement.holds, one.starts]).toEqual([false, false, true]);
  });

  it('is implied by CUDA_VERSION in old images', () => {
    const image = made({}, { CUDA_VERSION: '12.8.1' });
    const one = predicted(image, 'driver=535.183.01,gpu=H100,toolkit=1.17.8,mode=legacy');
    expect([one.starts, one.errorSeen]).toEqual([false, 'unsatisfied condition: cuda>=12.8']);
  });
});
