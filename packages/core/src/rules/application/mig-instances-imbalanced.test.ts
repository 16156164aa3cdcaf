import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { scrapesOf } from '../testing-series.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { migInstancesImbalanced } from './mig-instances-imbalanced.ts';

const lonely = scrapesOf(
  [7, 8].map((at) => `gpu="1",GPU_I_PROFILE="3g.40gb",GPU_I_ID="${at}",Hostname="n1",pod="tune-3"`),
  20,
  (t, at) => ({ PROF_SM_ACTIVE: at === 1 ? 0.88 + (t % 4) / 100 : 0.01, DEV_FB_USED: 30_000 }),
);

const cases: readonly (readonly [string, string, string])[] = [
  ['one pod has three instances, and one of them works', 'fault likely', nearMisses['ok-mig-instances']!],
  ['one pod has two instances, by SM activity', 'fault likely', lonely],
  ['instances of nobody known may wait for requests', 'fault possible', lonely.replaceAll(',pod="tune-3"', '')],
  ['instances with work of their own', 'cleared', healthy['ok-mig-instances']![0]!],
  ['an instance that nobody has', 'cleared', healthy['ok-mig-instances']![1]!],
];

describe('application/mig-instances-imbalanced', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(migInstancesImbalanced, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
