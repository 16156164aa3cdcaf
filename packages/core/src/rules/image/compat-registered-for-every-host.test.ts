import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { compatRegisteredForEveryHost } from './compat-registered-for-every-host.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault by ld.so.conf.d',
    'fault proved',
    'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage search by=ld.so.conf folder=/usr/local/cuda-13.0/compat file=/etc/ld.so.conf.d/00-compat.conf:1 holds=compat first=true',
  ],
  [
    'fault by the variable',
    'fault proved',
    'image search by=LD_LIBRARY_PATH folder=/opt/conda/cuda-compat holds=compat first=true',
  ],
  [
    'near: a stub folder is another matter',
    'silent',
    'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage search by=LD_LIBRARY_PATH folder=/usr/local/cuda/lib64/stubs holds=stub-unnamed first=true',
  ],
  [
    'cleared when it sorts last',
    'cleared',
    'image search by=ld.so.conf folder=/usr/local/cuda/compat holds=compat first=false',
  ],
  [
    'unknown when nothing was read',
    'unknown',
    'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=false gpu=true',
  ],
];

describe('image/compat-registered-for-every-host', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(compatRegisteredForEveryHost, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
