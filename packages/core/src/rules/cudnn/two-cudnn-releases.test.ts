import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { twoCudnnReleases } from './two-cudnn-releases.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault: two folders of the system',
    'fault likely',
    'image library name=cudnn version=9.1.0 path=/usr/lib/x86_64-linux-gnu/libcudnn.so.9.1.0 soname=libcudnn.so.9 wins=true\nimage library name=cudnn version=9.5.1 path=/usr/local/cuda-12.6/targets/x86_64-linux/lib/libcudnn.so.9.5.1 soname=libcudnn.so.9 wins=false',
  ],
  [
    'fault: one folder',
    'fault proved',
    'image mixed-cudnn folder=/opt/conda/lib versions=libcudnn_ops.so.9=9.1.1,libcudnn.so.9=9.3.0',
  ],
  [
    'possible beside a wheel',
    'fault possible',
    'image library name=cudnn version=9.1.0 path=/usr/lib/x86_64-linux-gnu/libcudnn.so.9.1.0 soname=libcudnn.so.9 wins=true\nimage library name=cudnn version=9.5.1 path=/opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9 soname=libcudnn.so.9 wins=false environment=/opt/venv',
  ],
  [
    'near: the same release twice',
    'cleared',
    'image library name=cudnn version=9.1.0 path=/usr/lib/x86_64-linux-gnu/libcudnn.so.9.1.0 soname=libcudnn.so.9 wins=true\nimage library name=cudnn version=9.1.0.70 path=/usr/local/cuda/lib64/libcudnn.so.9.1.0 soname=libcudnn.so.9 wins=false',
  ],
  [
    'near: two environments',
    'cleared',
    'image library name=cudnn version=9.1.0 path=/opt/a/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9 soname=libcudnn.so.9 wins=true environment=/opt/a\nimage library name=cudnn version=9.5.1 path=/opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9 soname=libcudnn.so.9 wins=true environment=/opt/venv',
  ],
];

describe('cudnn/two-cudnn-releases', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(twoCudnnReleases, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
