import { describe, expect, it } from 'vitest';
import { isShellCommand } from './shell-command.ts';

describe('what a shell runs', () => {
  it.each([
    'nvidia-smi -L; echo $CUDA_VISIBLE_DEVICES',
    'python -c "import torch; print(torch.version.cuda)"  # on every node (all)',
    'for b in $(lspci -d "*:*:0604" | cut -d" " -f1); do setpci -v -s "$b" ECAP_ACS+0x6.w=0000; done',
    'NCCL_P2P_DISABLE=1 ./app',
    'grep -c . <<< "$text"',
  ])('%s', (command) => {
    expect(isShellCommand(command)).toBe(true);
  });
});

describe('code and settings', () => {
  it.each([
    'cudaMemcpyAsync(…, stream[i]); kernel<<<…, stream[i]>>>',
    'kernel<<<blocks, threads>>>',
    "torch.set_float32_matmul_precision('high')",
    'cudaMemPrefetchAsync, cudaMemAdvise',
    'vLLM: --max-model-len N',
    'ENV NVIDIA_VISIBLE_DEVICES=all',
  ])('%s', (command) => {
    expect(isShellCommand(command)).toBe(false);
  });
});
