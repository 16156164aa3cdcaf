import { describe, expect, it } from 'vitest';
import { verdictFor } from '../testing.ts';

const manager = [
  'nvidia-fabricmanager-start.sh[812]: request to query NVSwitch device information from NVSwitch driver failed with error:WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]',
  "systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.",
].join('\n');
const gpus = (name: string): string =>
  `$ nvidia-smi -L\nGPU 0: ${name} (UUID: GPU-0f5d12c0-9a11-4b7e-8e0a-2d7f6a1c0b91)`;
const works = "$ python -c 'import torch; print(torch.cuda.is_available())'\nTrue";
const refused = (name: string): string =>
  `$ modprobe ${name}\nmodprobe: ERROR: could not insert '${name}': Key was rejected by service`;

describe('a failure of what this machine does not need', () => {
  it.each([
    ['Fabric Manager beside a workstation card', `${manager}\n${gpus('NVIDIA RTX A6000')}\n${works}`],
    ['Fabric Manager beside cards on PCIe', `${manager}\n${gpus('NVIDIA A100-PCIE-40GB')}\n${works}`],
  ])('is nothing: %s', (_, text) => {
    expect(verdictFor(text)).toMatchObject({ status: 'ok', layer: null });
  });

  it.each([
    [
      'Fabric Manager of a board with switches',
      `${manager}\n${gpus('NVIDIA H100 80GB HBM3')}`,
      'fabric-manager-not-running',
    ],
    [
      'CUDA that waits for the fabric',
      `${manager}\n${gpus('NVIDIA B200')}\ncudaGetDeviceCount returned 802\n-> system not yet initialized`,
      'fabric-manager-not-running',
    ],
    ['the module of the GPUs', `${refused('nvidia')}\n${gpus('NVIDIA L4')}`, 'secure-boot-unsigned-kmod'],
    [
      'another module, while the driver does not answer',
      `${refused('evdi')}\n$ nvidia-smi\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.`,
      'secure-boot-unsigned-kmod',
    ],
  ])('still counts: %s', (_, text, cause) => {
    expect(verdictFor(text)).toMatchObject({ status: 'fault', cause });
  });

  it('does not accuse for a module of somebody else', () => {
    const text = `${refused('vboxdrv')}\n[  88.1] Loading of unsigned module is rejected\n${gpus('NVIDIA L4')}\n${works}`;
    expect(verdictFor(text).status).not.toBe('fault');
  });
});
