import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import type { MismatchReleases, MismatchScene } from './mismatch-scenes.ts';
import { mismatchReadings, mismatchScenes } from './mismatch-scenes.ts';

const usual: MismatchReleases = { module: '570.124.06', packages: '570.172.08', cuda: '13.0', inImage: '560.35.05' };

const scenes = (change: Partial<MismatchReleases> = {}): readonly MismatchScene[] =>
  mismatchScenes({ ...usual, ...change }, defaultKnowledge);

describe('the three set-ups', () => {
  it('are told apart by what the command prints', () => {
    expect(scenes().map(({ verdict }) => [verdict.cause, verdict.certainty])).toEqual([
      ['kmod-userspace-mismatch-after-upgrade', 'proved'],
      ['driver-below-toolkit-minimum', 'proved'],
      ['userspace-newer-than-kernel-module', 'proved'],
    ]);
  });

  it('are not told apart by what the user reports', () => {
    const [packages, program, image] = scenes();
    expect(packages!.suspected.cause).toBe(image!.suspected.cause);
    for (const { suspected } of [packages!, program!, image!]) expect(suspected.certainty).not.toBe('proved');
  });

  it('are none where the releases fit', () => {
    const fitting = scenes({ packages: usual.module, cuda: '12.8', inImage: usual.module });
    expect(fitting.map(({ verdict }) => verdict.status)).toEqual(['ok', 'ok', 'ok']);
  });

  it('are none where forward compatibility covers the library of the image', () => {
    expect(scenes({ module: '535.183.01', inImage: '570.124.06' })[2]!.verdict.status).toBe('ok');
  });

  it('differ in readings that the engine made', () => {
    const readings = mismatchReadings(scenes());
    expect(readings.map(({ title, values }) => [title, values.map((value) => value !== null)])).toEqual([
      ['nvidia-smi answers with driver', [false, true, true]],
      ['driver libraries on the disk', [true, true, true]],
      ['CUDA that the driver serves', [false, true, true]],
      ['CUDA that the program was built with', [false, true, false]],
      ['libcuda that the program gets', [true, true, true]],
    ]);
  });
});
