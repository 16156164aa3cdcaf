import { describe, expect, it } from 'vitest';
import type { Verdict } from '../model/verdict.ts';
import { createDocument } from '../text/document.ts';
import { diagnose } from './diagnose.ts';

const verdictOf = (text: string): Verdict => diagnose([createDocument(text)]);

const ready =
  'n7:80:91 [1] NCCL INFO comm 0x7f00 rank 1 nranks 8 cudaDev 1 nvmlDev 1 busId 2b000 commId 0x5 - Init COMPLETE';
const step = 'step 640 | loss 1.93 | 40211 tokens/s';

describe('a sign of health does not outweigh what fails after it', () => {
  it.each([
    [
      'a collective that ran into its time limit',
      `${ready}\n[rank1]:[E101 04:00:00.000001 ProcessGroupNCCL.cpp:629] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=51, OpType=REDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600003 milliseconds before timing out.`,
    ],
    [
      'a framework that goes on without its GPU',
      `warning: no usable GPU found, --gpu-layers option will be ignored\n${step}`,
    ],
    ['pictures that are no numbers', `${step}\nnodes.py:1590: RuntimeWarning: invalid value encountered in cast`],
    ['a process that the runtime ended', `${step}\nterminate called after throwing an instance of 'std::bad_alloc'`],
    [
      'a rank that ended while another goes on',
      `[rank0]: ${step}\n[rank1]: Segmentation fault (core dumped)\n[rank0]: ${step}`,
    ],
    [
      'a launcher that tells of a signal',
      `${step}\nE0101 04:00:00.000000 77 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -6) local_rank: 1 (pid: 99) of binary: /usr/bin/python3`,
    ],
    [
      'a node that failed',
      `${step}\nslurmstepd: error: *** STEP 5.0 ON n7 CANCELLED AT 2026-01-01T04:00:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***`,
    ],
    [
      'a job that accounting calls failed',
      `${step}\n$ sacct -j 5 -n -o JobID,State,ExitCode\n5            FAILED      1:0`,
    ],
    [
      'a pod that does not start',
      '$ kubectl get pods\nNAME     READY   STATUS             RESTARTS   AGE\nserve-0  0/1     CrashLoopBackOff   4          6m\n$ nvidia-smi -L\nGPU 0: NVIDIA L4 (UUID: GPU-3f1c9d02-11aa-7b5e-9d31-0a6c5d1e2f30)',
    ],
    [
      'a pod that waits for GPUs, whatever limits it states',
      'Status:           Pending\n    Limits:\n      nvidia.com/gpu:  4\nEvents:\n  Type     Reason            Age   From               Message\n  ----     ------            ----  ----               -------\n  Warning  FailedScheduling  9s    default-scheduler  0/3 nodes are available: 3 Insufficient nvidia.com/gpu.',
    ],
    [
      'a GPU at half the clock of the others',
      '$ nvidia-smi --query-gpu=index,clocks.sm,utilization.gpu --format=csv,noheader\n0, 1980 MHz, 98 %\n1, 990 MHz, 99 %',
    ],
  ])('%s', (_, text) => {
    expect(verdictOf(text).status).not.toBe('ok');
  });

  it('goes on after a restart', () => {
    expect(
      verdictOf(
        `E0101 04:00:00.000000 77 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -6) local_rank: 1 (pid: 99) of binary: /usr/bin/python3\n${step}\nTraining completed`,
      ).status,
    ).toBe('ok');
  });
});

describe('health that a tool states is health', () => {
  it.each([
    ['a licence', 'nvidia-gridd[7]: License acquired successfully. (Info: lic, NVIDIA RTX Virtual Workstation)'],
    ['an MPS server', '[2026-01-01 04:00:00.000 Control    11] NEW SERVER 12: Ready'],
    ['a device plugin', "I0101 04:00:00.0 1 server.go:146] Registered device plugin for 'nvidia.com/gpu' with Kubelet"],
    ['room for a KV cache', 'INFO 01-01 04:00:00 [kv_cache_utils.py:634] GPU KV cache size: 98,112 tokens'],
    ['a module that DKMS built', 'Loading new nvidia-570.124.06 DKMS files...\nBuilding for 6.8.0-50-generic\nDone.'],
    ['an IMEX domain', '$ nvidia-imex-ctl -N\nDomain State: UP'],
    [
      'a power limit at its default',
      '        Current Power Limit               : 350.00 W\n        Default Power Limit               : 350.00 W',
    ],
    [
      'RDMA at the rate of its link',
      '$ ibstat\n\t\tRate: 200\n$ ib_write_bw --report_gbits n8\n 65536      5000             196.20             196.11             0.374000',
    ],
  ])('%s', (_, text) => {
    expect(verdictOf(text)).toMatchObject({ status: 'ok', cause: 'ok-nothing-wrong' });
  });

  it('but not where RDMA reaches half of it', () => {
    const text =
      '$ ibstat\n\t\tRate: 200\n$ ib_write_bw --report_gbits n8\n 65536      5000             98.20             97.90             0.186000';
    expect(verdictOf(text).status).toBe('cannot-tell');
  });
});

describe('what health leaves open', () => {
  it('is the speed of a collective', () => {
    const verdict = verdictOf('# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 31.2');
    expect(verdict.status).toBe('ok');
    expect(verdict.unknown[0]?.ask).toContain('culprit diff FILE --platform');
  });

  it('is the way between nodes', () => {
    const ranks = ready.replace('nranks 8', 'nranks 32');
    const verdict = verdictOf(
      `n7:80:91 [1] NCCL INFO NET/IB : No device found.\nn7:80:91 [1] NCCL INFO Using network Socket\n${ranks}`,
    );
    expect(verdict.status).toBe('ok');
    expect(verdict.unknown.map((each) => each.layer)).toContain('network');
  });
});

const ecc =
  '[  9.1] NVRM: Xid (PCI:0000:4e:00): 48, pid=7, name=python, An uncorrectable double bit error (DBE) has been detected on GPU';
const remap =
  '[  9.2] NVRM: Xid (PCI:0000:4e:00): 63, pid=7, name=python, Row remapping event recorded for bank 1, row 0x22';
const pending =
  '    Remapped Rows\n        Uncorrectable Error               : 1\n        Pending                           : Yes\n        Remapping Failure Occurred        : No';

describe('a chain', () => {
  it.each([
    ['in a log', `${ecc}\n${remap}`],
    ['with the reading of the GPU', `${ecc}\n${remap}\n${pending}`],
  ])('is led by the memory error %s', (_, text) => {
    expect(verdictOf(text).cause).toBe('uncorrectable-ecc');
  });

  it('has no scheduling of pods in it', () => {
    const verdict = verdictOf(
      `${remap}\n${pending}\n  Warning  FailedScheduling  9s    default-scheduler  0/9 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 8 Insufficient nvidia.com/gpu.`,
    );
    expect(verdict.cause).toBe('row-remap-pending-needs-reset');
    expect(verdict.findings.map((each) => each.cause)).toContain('k8s-untolerated-taint');
  });

  it('asks for a restart first where the error was contained', () => {
    const verdict = verdictOf(
      '[  9.3] NVRM: Xid (PCI:0000:4e:00): 94, pid=7, name=python, Contained: SM (0x1). RST: No, D-RST: No',
    );
    expect(verdict.findings[0]?.remedies[0]?.actor).toBe('developer');
  });
});
