import { describe, expect, it } from 'vitest';
import { interestOf, interestOfLink } from './interest.ts';

const cases: readonly (readonly [string, string])[] = [
  ['/etc/os-release', 'text'],
  ['/etc/ld.so.conf', 'text'],
  ['/etc/ld.so.cache', 'text'],
  ['/etc/ld.so.conf.d/00-cuda-compat.conf', 'text'],
  ['/etc/ld.so.conf.d/README', 'no'],
  ['/usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05', 'binary'],
  ['/usr/local/cuda-12.6/targets/x86_64-linux/lib/stubs/libcuda.so', 'binary'],
  ['/usr/local/cuda-12.6/compat/libnvidia-ptxjitcompiler.so.1', 'list'],
  ['/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1', 'list'],
  ['/usr/lib/x86_64-linux-gnu/libcrypto.so.3', 'no'],
  ['/usr/bin/nvidia-smi', 'list'],
  ['/usr/share/doc/nvidia-smi', 'no'],
  ['/lib/modules/5.15.0/updates/dkms/nvidia.ko.zst', 'list'],
  ['/opt/venv/lib/python3.12/site-packages/torch-2.7.0.dist-info/METADATA', 'text'],
  ['/opt/venv/lib/python3.12/site-packages/six-1.16.0.dist-info/METADATA', 'list'],
  ['/opt/venv/lib/python3.12/site-packages/torch/version.py', 'text'],
  ['/opt/venv/lib/python3.12/site-packages/torch/nn/functional.py', 'no'],
  ['/opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn_graph.so.9', 'binary'],
  ['/opt/venv/lib/python3.12/site-packages/vllm/_C.abi3.so', 'binary'],
  ['/opt/venv/lib/python3.12/site-packages/numpy/core/_multiarray_umath.so', 'no'],
  ['/opt/conda/conda-meta/pytorch-2.5.1-py3.11_cuda12.4_cudnn9.1.0_0.json', 'list'],
  ['/usr/local/cuda-12.6/version.json', 'text'],
  ['/opt/nvidia/nvidia_entrypoint.sh', 'text'],
  ['/var/run/docker.sock', 'no'],
  ['relative/libcuda.so', 'no'],
];

describe('what is read of a path', () => {
  it.each(cases)('%s: %s', (path, expected) => {
    expect(interestOf(path)).toBe(expected);
  });

  it('every library when looked for deep', () => {
    expect(interestOf('/usr/lib/x86_64-linux-gnu/libcrypto.so.3', true)).toBe('binary');
  });

  it('links that may lead to a folder', () => {
    expect(interestOfLink('/usr/local/cuda', '/etc/alternatives/cuda')).toBe('list');
    expect(interestOfLink('/opt/env', '../srv/py3.12')).toBe('list');
    expect(interestOfLink('/usr/lib/x86_64-linux-gnu/libm.so', 'libm.so.6')).toBe('no');
  });
});
