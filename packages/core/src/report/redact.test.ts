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
    ['a GPU', 'GPU 0: H100 (UUID: GPU-3e1f0c2a-11aa-22bb-33cc-0123456789ab)', 'GPU 0: H100 (UUID: gpu-uuid-1)'],
    ['an address behind a word', 'connect to 10.4.0.17:29500 failed', 'connect to ip-1:29500 failed'],
    ['a private address', 'master 192.168.4.11', 'master ip-1'],
    [
      'a serial number',
      '    Serial Number                     : 1650522004567',
      '    Serial Number                     : serial-1',
    ],
    ['a token', 'HF_TOKEN=hf_abcdefghijklmnopqrstuvwx', 'HF_TOKEN=secret-1'],
    ['a password behind -p', 'mysql -u reports -pS3cretPw! jobs', 'mysql -u user-1 -psecret-1 jobs'],
    ['a password for sshpass', 'sshpass -p topsecret ssh build', 'sshpass -p secret-1 ssh build'],
    [
      'a link-local address with its interface',
      'Using [0]eth0:fe80::a1b2:c3ff:fed4:e5f6%eth0<0>',
      'Using [0]eth0:ip-1<0>',
    ],
    [
      'the secret half of a key',
      'key AKIAQ3EGSLJD4XMPLE77 wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKE',
      'key secret-1 secret-2',
    ],
    [
      'a server of a share',
      String.raw`open \\nas-fin01\share\dave\x.log`,
      String.raw`open \\host-1\share\user-1\x.log`,
    ],
    ["NCCL's host", 'worker-3-a:117:220 [0] NCCL INFO Bootstrap', 'host-1:117:220 [0] NCCL INFO Bootstrap'],
  ])('replaces %s', (_, text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it.each([
    ['library versions', 'nvidia-curand-cu12==10.3.2.106 nvidia-cudnn-cu12 9.1.0.70'],
    ['driver versions', 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06'],
    ['PCI addresses', 'NVRM: Xid (PCI:0000:3b:00): 79, pid=1234'],
    ['root', 'root@localhost:/# ls /root'],
    [
      'line feeds that are written out',
      String.raw`"log": "step 1\\nstep2 done\\nTraceback (most recent call last):\\n  File"`,
    ],
  ])('leaves %s alone', (_, text) => {
    expect(redacted(text)).toBe(text);
  });

  it.each([
    [
      'a node list',
      'NodeList=gpu[01-02],login3 on gpu01-x\nsrun: error: gpu02: task 3',
      'NodeList=hosts-1 on host-1-x\nsrun: error: host-2: task 3',
    ],
    ['a user of Windows', 'File "C:\\Users\\mia\\train.py"', 'File "C:\\Users\\user-1\\train.py"'],
    ['ids', 'uid=1004(mia) gid=1004(mia)', 'uid=1004(user-1) gid=1004(user-1)'],
    [
      'a node of Kubernetes',
      'Successfully assigned ml/train-0 to worker-a7',
      'Successfully assigned ml/train-0 to host-1',
    ],
    [
      'a pod that is named after its node',
      'Node: gpu-a7/10.1.2.3\nnvidia-driver-gpu-a7-x',
      'Node: host-1/ip-1\nnvidia-driver-host-1-x',
    ],
    [
      'a table of nodes',
      'NAME   STATUS   ROLES    AGE   VERSION\nknut   Ready    <none>   1d    v1.30.2',
      'NAME   STATUS   ROLES    AGE   VERSION\nhost-1   Ready    <none>   1d    v1.30.2',
    ],
    ['the answer of hostname', '$ hostname\nkraken', '$ hostname\nhost-1'],
    [
      'reasons of drained nodes',
      'REASON USER TIMESTAMP NODELIST\ndisk is full root 2025-04-02T08:00:10 knut7',
      'REASON USER TIMESTAMP NODELIST\ndisk is full root 2025-04-02T08:00:10 host-1',
    ],
    ['a value below its name', '- name: HF_TOKEN\n  value: abcdef12345', '- name: HF_TOKEN\n  value: secret-1'],
    ['pull secrets', 'imagePullSecrets:\n- name: team-regcred', 'imagePullSecrets:\n- name: secret-1'],
    ['an LID and GUIDs', 'Port GUID: 0x506b4b0300cb1234 LID 7', 'Port GUID: guid-1 LID 7'],
    [
      'serials in a list',
      'name, serial, uuid\nNVIDIA H100, 1650522004567, x',
      'name, serial, uuid\nNVIDIA H100, serial-1, x',
    ],
    ['the machine behind a URL', 'http://prom-7.hpc.uni.de:9090/x', 'http://host-1:9090/x'],
    ['a reference to a variable', 'DB_PASSWORD=${SECRET}', 'DB_PASSWORD=${SECRET}'],
  ])('knows %s', (_, text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it('gives a new name no pseudonym that the input has', () => {
    expect(redacted('host-1 is up\nmia@knut7:~$ ls')).toBe('host-1 is up\nuser-1@host-2:~$ ls');
  });

  it('counts what it masked, by kind', () => {
    const redactor = redactorOf([]);
    redactor.text('connect to 10.0.0.7:1 and 10.0.0.8:1 and 10.0.0.7:1 with HF_TOKEN=abcdef123');
    expect(redactor.masked()).toEqual([
      { kind: 'ip', count: 2 },
      { kind: 'secret', count: 1 },
    ]);
  });

  it('leaves the names of rules and tables in a verdict alone', () => {
    const redactor = redactorOf([createDocument('mia@oversubscribed:~$ ls')]);
    expect(redactor.value({ rule: 'host-os/oversubscribed', message: 'oversubscribed' })).toEqual({
      rule: 'host-os/oversubscribed',
      message: 'host-1',
    });
  });

  it('gives one name the same pseudonym everywhere', () => {
    const text = 'mia@node-a1:~$ ssh node-b2\nmia@node-b2:~$ cat /home/mia/x\nkernel on node-a1 says';
    expect(redacted(text)).toBe(
      'user-1@host-1:~$ ssh host-2\nuser-1@host-2:~$ cat /home/user-1/x\nkernel on host-1 says',
    );
  });
});
