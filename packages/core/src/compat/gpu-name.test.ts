import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { matchGpu } from './gpu-name.ts';
import { tablesOf } from './tables.ts';

const index = tablesOf(defaultKnowledge).gpus;

describe('GPU names', () => {
  it.each([
    ['H100', 90, 'data-center'],
    ['NVIDIA H100 80GB HBM3', 90, 'data-center'],
    ['H100 PCIe', 90, 'data-center'],
    ['NVIDIA H200 NVL', 90, 'data-center'],
    ['GH200', 90, 'data-center'],
    ['NVIDIA GH200 480GB', 90, 'data-center'],
    ['Tesla V100-SXM2-32GB', 70, 'data-center'],
    ['NVIDIA A100-SXM4-80GB MIG 3g.40gb', 80, 'data-center'],
    ['A100 MIG 1g.5gb', 80, 'data-center'],
    ['A10G', 86, 'data-center'],
    ['Tesla T4', 75, 'data-center'],
    ['NVIDIA L40S', 89, 'data-center'],
    ['B200', 100, 'data-center'],
    ['NVIDIA GB200', 100, 'data-center'],
    ['B300', 103, 'data-center'],
    ['RTX 4090', 89, 'geforce'],
    ['rtx4090', 89, 'geforce'],
    ['4090', 89, 'geforce'],
    ['NVIDIA GeForce RTX 3080 Ti Laptop GPU', 86, 'geforce'],
    ['GeForce GTX 1080 Ti', 61, 'geforce'],
    ['gtx1080ti', 61, 'geforce'],
    ['RTX 2080 Super', 75, 'geforce'],
    ['RTX 5090', 120, 'geforce'],
    ['RTX 5090 D', 120, 'geforce'],
    ['TITAN RTX', 75, 'titan'],
    ['TITAN V', 70, 'titan'],
    ['RTX A6000', 86, 'workstation'],
    ['RTX PRO 6000', 120, 'workstation'],
    ['NVIDIA RTX PRO 6000 Blackwell Server Edition', 120, 'data-center'],
    ['NVIDIA RTX 6000 Ada Generation', 89, 'workstation'],
    ['Quadro RTX 8000', 75, 'workstation'],
    ['Quadro P2000', 61, 'workstation'],
    ['sm_90', 90, 'data-center'],
    ['9.0', 90, 'data-center'],
    ['compute capability 12.0', 120, null],
    ['cc 7.0', 70, null],
    ['Jetson AGX Orin', 87, 'jetson'],
    ['Jetson AGX Orin 64GB', 87, 'jetson'],
    ['Orin', 87, 'jetson'],
    ['Jetson Thor', 110, 'jetson'],
    ['GB10', 121, 'integrated'],
    ['DGX Spark', 121, 'integrated'],
  ])('%s is of %i, %s', (name, sm, kind) => {
    const [gpu, ...others] = matchGpu(name, index);
    expect([gpu?.sm, gpu?.class, others.length]).toEqual([sm, kind, 0]);
  });

  it('an architecture is every compute capability of it', () => {
    expect(matchGpu('Pascal', index).map((gpu) => gpu.sm)).toEqual([60, 61]);
    expect(matchGpu('Hopper GPUs', index).map((gpu) => gpu.sm)).toEqual([90]);
  });

  it.each(['RTX 7090', 'H300', 'RTX 3080 Foo', 'Radeon 7900', 'Z9', 'gpu', '', '5.9', 'sm_99', 'A100 H100', 'MI300X'])(
    '%s is not known',
    (name) => {
      expect(matchGpu(name, index)).toEqual([]);
    },
  );

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('rtx '.repeat(9999))), (text) =>
        Array.isArray(matchGpu(text, index)),
      ),
    );
  });
});
