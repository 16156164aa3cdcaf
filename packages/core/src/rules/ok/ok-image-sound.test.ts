import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { okImageSound } from './ok-image-sound.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'cleared: with a framework',
    'cleared',
    'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage package name=torch version=2.7.0+cu126 environment=/opt/venv manager=pip cuda=12.6',
  ],
  [
    'cleared: nothing for a GPU',
    'cleared',
    'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=false',
  ],
  [
    'unknown: not all was read',
    'unknown',
    'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=false gpu=true',
  ],
];

describe('ok/ok-image-sound', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(okImageSound, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
