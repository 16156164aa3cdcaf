import { describe, expect, it } from 'vitest';
import { fits } from '../knowledge/explained-by.ts';
import { verdictFor } from '../rules/testing.ts';

describe('a verdict', () => {
  it('names the first failure, not those that waited for it', () => {
    const verdict = verdictFor(
      [
        '[rank5]: step 10 | loss 2.31',
        'kernel: NVRM: Xid (PCI:0000:5d:00): 79, pid=1, name=python3, GPU has fallen off the bus.',
        ...[0, 1, 2, 3].map(
          (rank) =>
            `[rank${rank}]: [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600010 milliseconds before timing out.`,
        ),
      ].join('\n'),
    );
    expect(verdict).toMatchObject({
      status: 'fault',
      layer: 'hardware',
      cause: 'gpu-fell-off-bus-power',
      certainty: 'proved',
    });
  });

  it('says both values of a fact that is printed twice', () => {
    const verdict = verdictFor(
      'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Wed',
    );
    expect(verdict.status).toBe('cannot-tell');
    expect(verdict.headline).toContain('570.124.06 and 550.54.15');
    expect(verdict.facts.filter((fact) => fact.id === 'driver.module').map((fact) => fact.value)).toEqual([
      '570.124.06',
      '550.54.15',
    ]);
  });

  it('does not clear what failed in one command by another that works', () => {
    const verdict = verdictFor(
      '$ ./train\nRuntimeError: No CUDA GPUs are available\n$ python -c "import torch; print(torch.cuda.is_available())"\nTrue',
    );
    expect(verdict.status).not.toBe('ok');
  });

  it('is never led by what was only told, as proved', () => {
    const verdict = verdictFor('# NVRM: Xid (PCI:0000:5d:00): 79, GPU has fallen off the bus');
    expect(verdict.certainty).not.toBe('proved');
  });

  it('accuses nobody in an empty text', () => {
    expect(verdictFor('')).toMatchObject({
      status: 'cannot-tell',
      layer: null,
      cause: null,
      owner: 'none',
      findings: [],
    });
  });

  it('is the same for the same text', () => {
    const text = 'CUDA error: an illegal memory access was encountered';
    expect(JSON.stringify(verdictFor(text))).toBe(JSON.stringify(verdictFor(text)));
  });

  it('does not make memory of the host that ran out a consequence of a GPU that was lost', () => {
    const verdict = verdictFor(
      [
        '[Mon Nov  2 10:00:00 2026] NVRM: Xid (PCI:0000:3b:00): 79, pid=812, name=python3, GPU has fallen off the bus.',
        '[Tue Nov 10 10:00:00 2026] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=985',
        '[Tue Nov 10 10:00:00 2026] memory: usage 67108864kB, limit 67108864kB, failcnt 4711',
        '[Tue Nov 10 10:00:00 2026] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=cri,mems_allowed=0,oom_memcg=/kubepods/pod1,task_memcg=/kubepods/pod1/c1,task=python3,pid=90121,uid=0',
        '[Tue Nov 10 10:00:00 2026] Memory cgroup out of memory: Killed process 90121 (python3) total-vm:99999999kB, anon-rss:66000000kB, file-rss:1000kB, shmem-rss:0kB, UID:0 pgtables:140000kB oom_score_adj:985',
      ].join('\n'),
    );
    const [lead] = verdict.findings;
    expect(verdict.findings.map(({ cause }) => cause)).toContain('container-memory-limit');
    expect(lead!.cause).toBe('gpu-fell-off-bus-power');
    expect(lead!.explains.some((pattern) => fits(pattern, 'application/container-memory-limit'))).toBe(false);
  });
});
