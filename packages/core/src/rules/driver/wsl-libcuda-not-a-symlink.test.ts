import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { wslLibcudaNotASymlink } from './wsl-libcuda-not-a-symlink.ts';

describe('driver/wsl-libcuda-not-a-symlink', () => {
  it.each([
    [
      'likely when ldconfig alone says so',
      '/sbin/ldconfig.real: /usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link',
      { kind: 'fault', certainty: 'likely' },
    ],
    [
      'fault when ldconfig says so and libcuda is not found',
      '/sbin/ldconfig.real: /usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link\nImportError: libcuda.so.1: cannot open shared object file: No such file or directory',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'cleared when the program sees the GPU',
      '/sbin/ldconfig.real: /usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link\n$ python -c "import torch; print(torch.cuda.is_available())"\nTrue',
      { kind: 'cleared' },
    ],
    [
      'silent for a library of another place',
      '/sbin/ldconfig.real: /usr/lib/libfoo.so.1 is not a symbolic link',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(wslLibcudaNotASymlink, text)).toMatchObject(answer);
  });
});
