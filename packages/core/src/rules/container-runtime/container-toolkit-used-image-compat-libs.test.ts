import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { containerToolkitUsedImageCompatLibs } from './container-toolkit-used-image-compat-libs.ts';

describe('container-runtime/container-toolkit-used-image-compat-libs', () => {
  it.each([
    [
      'fault when the same driver shows a newer CUDA inside',
      '# host\n$ nvidia-smi\n| NVIDIA-SMI 460.80       Driver Version: 460.80       CUDA Version: 11.2     |\n# in the container\n$ nvidia-smi\n| NVIDIA-SMI 460.80       Driver Version: 460.80       CUDA Version: 11.3     |\n$ ./app\nCUDA error 804: forward compatibility was attempted on non supported HW',
      { kind: 'fault', certainty: 'proved' },
    ],
    [
      'silent when only the error is there',
      'CUDA error 804: forward compatibility was attempted on non supported HW',
      { kind: 'silent' },
    ],
    [
      'silent when the path was set by hand',
      'LD_LIBRARY_PATH=/usr/local/cuda/compat\nCUDA error 804: forward compatibility was attempted on non supported HW',
      { kind: 'silent' },
    ],
  ] as const)('%s', (_, text, answer) => {
    expect(outcomeOf(containerToolkitUsedImageCompatLibs, text)).toMatchObject(answer);
  });
});
