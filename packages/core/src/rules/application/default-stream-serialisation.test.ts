import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { defaultStreamSerialisation } from './default-stream-serialisation.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault likely from a trace',
    'fault likely',
    'Start (ns),Duration (ns),Device,Strm,Name\n100,50,NVIDIA L4 (0),7,a\n200,50,NVIDIA L4 (0),14,b\n300,50,NVIDIA L4 (0),7,a',
  ],
  [
    'cleared when they overlap',
    'cleared',
    'Start (ns),Duration (ns),Device,Strm,Name\n100,50,NVIDIA L4 (0),7,a\n120,50,NVIDIA L4 (0),14,b\n300,50,NVIDIA L4 (0),7,a',
  ],
  [
    'silent with one stream',
    'silent',
    'Start (ns),Duration (ns),Device,Strm,Name\n100,50,NVIDIA L4 (0),7,a\n200,50,NVIDIA L4 (0),7,b',
  ],
];

describe('application/default-stream-serialisation', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(defaultStreamSerialisation, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
