import { describe, expect, it } from 'vitest';
import { createDocument } from '../text/document.ts';
import { redactorOf } from './redact.ts';

function redacted(text: string): string {
  return redactorOf([createDocument(text)]).text(text);
}

describe('redaction', () => {
  it.each([
    ['a prompt', 'mia@gpu-node-07:~/train$ nvidia-smi', 'user-1@host-1:~/train$ nvidia-smi'],
    ['a home directory', 'File "/home/mia/train.py", line 3', 'File "/home/user-1/train.py", line 3'],
    ['a GPU', 'GPU 0: H100 (UUID: GPU-3e1f0c2a-11aa-22bb-33cc-0123456789ab)', 'GPU 0: H100 (UUID: GPU-uuid-1)'],
    ['an address behind a word', 'connect to 10.4.0.17:29500 failed', 'connect to ip-1:29500 failed'],
    ['a private address', 'master 192.168.4.11', 'master ip-1'],
    [
      'a serial number',
      '    Serial Number                     : 1650522004567',
      '    Serial Number                     : serial-1',
    ],
    ['a token', 'HF_TOKEN=hf_abcdefghijklmnopqrstuvwx', 'HF_TOKEN=secret-1'],
    ["NCCL's host", 'worker-3-a:117:220 [0] NCCL INFO Bootstrap', 'host-1:117:220 [0] NCCL INFO Bootstrap'],
  ])('replaces %s', (_, text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it.each([
    ['library versions', 'nvidia-curand-cu12==10.3.2.106 nvidia-cudnn-cu12 9.1.0.70'],
    ['driver versions', 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06'],
    ['PCI addresses', 'NVRM: Xid (PCI:0000:3b:00): 79, pid=1234'],
    ['root', 'root@localhost:/# ls /root'],
  ])('leaves %s alone', (_, text) => {
    expect(redacted(text)).toBe(text);
  });

  it('gives one name the same pseudonym everywhere', () => {
    const text = 'mia@node-a1:~$ ssh node-b2\nmia@node-b2:~$ cat /home/mia/x\nkernel on node-a1 says';
    expect(redacted(text)).toBe(
      'user-1@host-1:~$ ssh host-2\nuser-1@host-2:~$ cat /home/user-1/x\nkernel on host-1 says',
    );
  });
});
