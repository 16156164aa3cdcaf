import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { compatEntrypointReplaced } from './compat-entrypoint-replaced.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault: another program',
    'fault likely',
    'image libcuda kind=compat version=560.35.05 cuda=12.6 path=/usr/local/cuda-12.6/compat/libcuda.so.560.35.05 layer=2\nimage entrypoint words=/usr/bin/tini compat=none ngcScript=true',
  ],
  [
    'fault: none at all',
    'fault likely',
    'image libcuda kind=compat version=560.35.05 cuda=12.6 path=/usr/local/cuda-12.6/compat/libcuda.so.560.35.05 layer=2\nimage entrypoint words="" compat=none ngcScript=true',
  ],
  [
    'possible where shells read the same code',
    'fault possible',
    'image libcuda kind=compat version=560.35.05 cuda=12.6 path=/usr/local/cuda-12.6/compat/libcuda.so.560.35.05 layer=2\nimage variable name=BASH_ENV value=/etc/shinit_v2\nimage entrypoint words="bash run.sh" compat=none ngcScript=true',
  ],
  [
    'near: a base without such a script',
    'silent',
    'image scanned reference=registry.example/team/app:1 platform=linux/amd64 complete=true gpu=true\nimage libcuda kind=compat version=560.35.05 cuda=12.6 path=/usr/local/cuda-12.6/compat/libcuda.so.560.35.05 layer=2\nimage entrypoint words="python serve.py" compat=none ngcScript=false',
  ],
  [
    'cleared',
    'cleared',
    'image entrypoint words=/opt/nvidia/nvidia_entrypoint.sh compat=nvidia-entrypoint ngcScript=true',
  ],
];

describe('image/compat-entrypoint-replaced', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(compatEntrypointReplaced, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
