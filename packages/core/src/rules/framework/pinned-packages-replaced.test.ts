import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { pinnedPackagesReplaced } from './pinned-packages-replaced.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault: older',
    'fault likely',
    'image pin by="torch 2.7.0+cu126" name=nvidia-nccl-cu12 wants=2.26.2 has=2.21.5 environment=/opt/venv elsewhere=false',
  ],
  [
    'fault: missing',
    'fault likely',
    'image pin by="torch 2.7.0+cu126" name=nvidia-cusparselt-cu12 wants=0.6.3 environment=/opt/venv elsewhere=false',
  ],
  [
    'near: a copy lies elsewhere',
    'silent',
    'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage pin by="torch 2.7.0+cu126" name=nvidia-cudnn-cu12 wants=9.5.1.17 environment=/opt/venv elsewhere=true',
  ],
  [
    'near: newer',
    'cleared',
    'image pin by="torch 2.7.0+cu126" name=nvidia-nccl-cu12 wants=2.26.2 has=2.28.3 environment=/opt/venv elsewhere=false',
  ],
  [
    'near: triton has a life of its own',
    'silent',
    'image pin by="torch 2.7.0+cu126" name=triton wants=3.3.0 has=3.2.0 environment=/opt/venv elsewhere=false',
  ],
];

describe('framework/pinned-packages-replaced', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(pinnedPackagesReplaced, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
