import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { imageGateLowerThanContent } from './image-gate-lower-than-content.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved for another package',
    'fault proved',
    '{"Env":["PATH=/usr/bin","NVIDIA_REQUIRE_CUDA=cuda>=11.2 brand=tesla,driver>=418,driver<419","NVIDIA_DRIVER_CAPABILITIES=compute,utility"]}\n$ pip freeze | grep cupy\ncupy-cuda12x==12.2.0',
  ],
  ['silent without a declaration', 'silent', 'torch==2.9.1+cu130'],
];

describe('image/image-gate-lower-than-content', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(imageGateLowerThanContent, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
