import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valuesOf } from './testing.ts';

const files: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'names in the output of pip show',
    '$ pip show -f nvidia-cudnn-cu12 | grep libcudnn_ops\n  nvidia/cudnn/lib/libcudnn_ops.so.9',
    ['nvidia/cudnn/lib/libcudnn_ops.so.9'],
  ],
  [
    'names of a relative folder',
    '$ ls torch/lib | grep nvrtc\nlibnvrtc-builtins.so.11.8',
    ['torch/lib/libnvrtc-builtins.so.11.8'],
  ],
  ['nothing from a message', 'ImportError: libcudart.so.12: cannot open shared object file', []],
  [
    'nothing from a loader tool',
    '$ ldconfig -p | grep cudnn\n\tlibcudnn.so.9 (libc6,x86-64) => /lib/libcudnn.so.9',
    [],
  ],
];

describe('library names', () => {
  it.each(files)('%s', (_, text, expected) => {
    expect(valuesOf(text, 'file.exists')).toEqual(expected);
  });

  it('reads a device that a one-line program prints among other things', () => {
    const text =
      "$ python -c 'import torch; print(torch.__version__, torch.cuda.get_device_name(), torch.cuda.get_device_capability())'\n2.1.0+cu118 NVIDIA L4 (8, 9)";
    expect(valuesOf(text, 'gpu.name')).toContain('NVIDIA L4');
    expect(valuesOf(text, 'gpu.compute-capability')).toContain('8.9');
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (garbage) => {
        valuesOf(`$ ls ${garbage}\nlibcudart.so.${garbage}\n${garbage}`, 'file.exists');
      }),
      { numRuns: 100 },
    );
  });
});
