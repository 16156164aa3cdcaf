import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factsOf, valuesOf } from './testing.ts';

describe('the effect of a variable', () => {
  it('is read from the same command with and without it', () => {
    expect(
      valuesOf('$ CUDA_LAUNCH_BLOCKING=1 python b.py\n2.1 it/s\n$ python b.py\n9.8 it/s', 'profile.variable-effect'),
    ).toEqual([{ name: 'CUDA_LAUNCH_BLOCKING', with: 2.1, without: 9.8, rate: true, same: true }]);
  });
  it('is weaker where another command drops it', () => {
    expect(
      valuesOf('$ tail -1 log\n0.91 s/it\n$ env -u NCCL_ALGO python b.py\n0.44 s/it', 'profile.variable-effect'),
    ).toEqual([{ name: 'NCCL_ALGO', with: 0.91, without: 0.44, rate: false, same: false }]);
  });
  it('needs one differing variable and one unit', () => {
    expect(valuesOf('$ A_B_C=1 D_E_F=2 x\n2 it/s\n$ x\n3 it/s', 'profile.variable-effect')).toEqual([]);
    expect(valuesOf('$ NCCL_ALGO=Ring x\n2 it/s\n$ x\n3 GB/s', 'profile.variable-effect')).toEqual([]);
  });
});

describe('lines of a program and its host', () => {
  it.each([
    [
      'a process and its parent',
      '    PID    PPID CMD\n  4711       1 python train.py',
      'process.parent',
      [{ pid: 4711, parent: 1, command: 'python train.py' }],
    ],
    ['a device in code', '    torch.cuda.set_device(3)', 'program.device', [3]],
    ['processes of a launcher', '$ torchrun --nproc-per-node 8 t.py', 'launcher.processes', [8]],
    [
      'a loss that rose before it was none',
      'loss: 2.0\nloss: 2.1\nloss: 8.0\nloss: nan',
      'program.loss-series',
      [{ finite: 3, rising: true }],
    ],
    [
      'a loss that did not',
      'loss: 2.0\nloss: 2.1\nloss: 2.0\nloss: nan',
      'program.loss-series',
      [{ finite: 3, rising: false }],
    ],
    [
      'the preload file',
      '$ cat /etc/ld.so.preload\n/opt/hook/libvgpu.so',
      'env',
      [{ name: '/etc/ld.so.preload', value: '/opt/hook/libvgpu.so' }],
    ],
    ['a kernel time limit', '  Run time limit on kernels:                     Yes', 'gpu.display', [true]],
  ] as const)('%s', (_, text, id, expected) => {
    expect(valuesOf(text, id)).toEqual(expected);
  });
});

describe('a time line', () => {
  const head = ' Start (ns)     Duration (ns)  Strm  Name\n';
  it('tells how much of the copies lies under kernels', () => {
    expect(
      valuesOf(`${head} 100  50  7  [CUDA memcpy Host-to-Device]\n 125  100  8  work(float *)`, 'profile.overlap'),
    ).toEqual([{ what: 'copies', count: 1, totalNs: 50, hiddenNs: 25, kernels: 1, kernelsNs: 100, pinned: false }]);
  });
});

it('the parsers never throw, and quote only what is there', () => {
  const words = fc.constantFrom(
    '$ ',
    'loss: nan',
    'it/s 3',
    ' PPID PID CMD',
    '1',
    'Start (ns)  Duration (ns)  Name',
    '[CUDA memcpy HtoD]',
    '-u LD_PRELOAD',
    'A_B=1 x',
    '\n',
    '  ',
    'bank conflict',
    '3.0 - way bank conflict',
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60 }), (parts) => {
      expect(() => factsOf(parts.join(' '))).not.toThrow();
    }),
    { numRuns: 200 },
  );
});
