import { describe, expect, it } from 'vitest';
import { createDocument } from '../text/document.ts';
import { diagnose } from './diagnose.ts';

const verdictOf = (text: string): ReturnType<typeof diagnose> => diagnose([createDocument(text)]);

const mismatch = `$ nvidia-smi
Failed to initialize NVML: Driver/library version mismatch
NVML library version: 550.144
$ cat /proc/driver/nvidia/version
NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.127.05  Tue Oct  8 03:22:07 UTC 2024`;
const works = `$ nvidia-smi -L
GPU 0: NVIDIA A10 (UUID: GPU-4de1f3a1-71f0-d0bc-9ce0-2a54ac1a3f10)`;
const illegal = `[rank3]: Traceback (most recent call last):
[rank3]:   File "/srv/app/train.py", line 214, in <module>
[rank3]: RuntimeError: CUDA error: an illegal memory access was encountered`;

describe('a failure that is over', () => {
  it.each([
    ['a node was rebooted and its driver answers', `${mismatch}\n$ sudo reboot\n${works}`],
    [
      'the module was built and the driver answers',
      `$ nvidia-smi\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n$ sudo apt install -y linux-headers-$(uname -r) && sudo dkms autoinstall\n${works}`,
    ],
    [
      'the launcher started the job again and it ended well',
      `${illegal}\n[default0]:resuming from /ckpt/step_8000\n[default0]:step 8100 loss 1.731\n[default0]:training finished, saved /ckpt/final`,
    ],
    [
      'the program took less memory and went on',
      `step 100 loss 2.1 (412 ms)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.79 GiB. GPU 1 has a total capacity of 79.10 GiB of which 1.92 GiB is free.\nretrying with batch size 4\nstep 101 loss 2.0 (412 ms)\nstep 2000 loss 1.1 (412 ms)`,
    ],
    [
      'a row remap no longer waits after the reset',
      '$ nvidia-smi -q -d ROW_REMAPPER\n    Remapped Rows\n        Uncorrectable Error               : 1\n        Pending                           : Yes\n        Remapping Failure Occurred        : No\n$ sudo nvidia-smi -r -i 0\n$ nvidia-smi -q -d ROW_REMAPPER\n    Remapped Rows\n        Uncorrectable Error               : 1\n        Pending                           : No\n        Remapping Failure Occurred        : No',
    ],
    [
      'the container starts once the toolkit is there',
      '$ docker run --rm --gpus all cuda nvidia-smi\ndocker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].\n$ sudo apt-get install -y nvidia-container-toolkit\n$ sudo systemctl restart docker\n$ docker run --rm --gpus all cuda nvidia-smi -L\nGPU 0: NVIDIA A10 (UUID: GPU-4de1f3a1-71f0-d0bc-9ce0-2a54ac1a3f10)',
    ],
    [
      'the same server starts with less memory',
      '$ engine serve m --len 9000\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.79 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.92 GiB is free.\n$ engine serve m --len 500\nINFO:     Application startup complete.',
    ],
  ])('accuses nobody: %s', (_, text) => {
    expect(verdictOf(text)).toMatchObject({ status: 'ok', layer: null, certainty: null });
  });
});

describe('a failure that stands', () => {
  it.each([
    ['nothing was changed', mismatch, 'kmod-userspace-mismatch-after-upgrade'],
    [
      'the driver answers on another node',
      `${mismatch}\n$ sudo reboot\n$ ssh gn13 nvidia-smi -L\nGPU 0: NVIDIA A10 (UUID: GPU-4de1f3a1-71f0-d0bc-9ce0-2a54ac1a3f10)`,
      'kmod-userspace-mismatch-after-upgrade',
    ],
    [
      'a bar is drawn once more where it stood',
      ' 2%|2 | 32/1875 [00:11<10:49, 2.84it/s]\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.79 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.92 GiB is free.\n 2%|2 | 32/1875 [00:12<11:33, 2.66it/s]',
      'application-out-of-memory',
    ],
    [
      'another program works',
      '$ python a.py\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.79 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.92 GiB is free.\n$ python b.py\nTraining finished',
      'application-out-of-memory',
    ],
    [
      'the row remap of another reading failed',
      'Remapped Rows\n        Uncorrectable Error               : 9\n        Pending                           : No\n        Remapping Failure Occurred        : Yes',
      'row-remap-failure-rma',
    ],
    [
      'only another rank goes on',
      `${illegal}\n[rank0]: step 8100 loss 1.731\n[rank0]: step 8200 loss 1.731`,
      'illegal-access-app-bug',
    ],
    [
      'it comes back after the success',
      `${illegal}\n[rank3]: step 8100 loss 1.731\n${illegal}`,
      'illegal-access-app-bug',
    ],
    [
      'a GPU was lost and the job ended elsewhere',
      'NVRM: Xid (PCI:0000:5d:00): 79, pid=1234, GPU has fallen off the bus.\nresuming from /ckpt/step_8000\ntraining finished, saved /ckpt/final',
      'gpu-fell-off-bus-power',
    ],
  ])('leads: %s', (_, text, cause) => {
    const verdict = verdictOf(text);
    expect(verdict.cause).toBe(cause);
    expect(verdict.status).not.toBe('ok');
  });
});

const event =
  '$ kubectl get events\nLAST SEEN   TYPE      REASON                   OBJECT          MESSAGE\n24m         Warning   FailedCreatePodSandBox   pod/worker-0    Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "nvidia" is configured';
const pods = (name: string, state: string): string =>
  `$ kubectl get pods\nNAME       READY   STATUS    RESTARTS   AGE\n${name}   1/1     ${state}   0          25m`;

describe('an event of a pod', () => {
  it('is over when the pod runs now', () => {
    expect(verdictOf(`${event}\n${pods('worker-0', 'Running')}`).status).toBe('ok');
  });
  it.each([
    ['another pod runs', pods('worker-1', 'Running')],
    ['the pod waits', pods('worker-0', 'Pending')],
  ])('stands while %s', (_, list) => {
    expect(verdictOf(`${event}\n${list}`)).toMatchObject({ status: 'fault', cause: 'k8s-runtime-class-missing' });
  });
});
