import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../model/verdict.ts';
import { createDocument } from '../text/document.ts';
import { diagnose } from './diagnose.ts';
import { agentTable, following, interleaved, jobLines, nodeOf, roots, styles, syslog } from './testing.ts';

const verdictOf = (...texts: readonly string[]): Verdict => diagnose(texts.map((text) => createDocument(text)));
const torchrun = styles[0]!;

describe.each(styles)('a job of 64 ranks with the prefixes of $name', (style) => {
  it.each(roots)('is led by $name', (root) => {
    const failed = 37;
    const verdict = verdictOf(interleaved(jobLines(64, failed, root), style));
    expect(verdict.cause).toBe(root.cause);
    expect(verdict.headline).toContain(style.named(failed));
  });
});

describe.each([8, 512])('a job of %i ranks', (size) => {
  it.each([0, size >> 1, size - 1])('names rank %i as the first', (failed) => {
    for (const root of roots) {
      const verdict = verdictOf(interleaved(jobLines(size, failed, root), torchrun));
      expect(verdict.cause).toBe(root.cause);
      expect(verdict.headline).toContain(`rank ${failed} first; ${size - 1} other ranks followed`);
    }
  });
});

it('finds the same root in every interleaving that time allows', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 24 }),
      fc.nat(),
      fc.constantFrom(...roots),
      fc.constantFrom(...styles.slice(0, -1)),
      fc.array(fc.nat(4000), { minLength: 1, maxLength: 40 }),
      (size, pick, root, style, jitter) => {
        const failed = pick % size;
        const text = interleaved(jobLines(size, failed, root), style, (place) => jitter[place % jitter.length]!);
        const verdict = verdictOf(text);
        expect(verdict.cause).toBe(root.cause);
        expect(verdict.headline).toContain(style.named(failed));
      },
    ),
    { numRuns: 60 },
  );
});

describe('a GPU that falls off the bus under one of 64 ranks', () => {
  const at = 20_000;
  const kernel = `${syslog(at, nodeOf(37))}kernel: NVRM: Xid (PCI:0000:5d:00): 79, pid=4037, name=python, GPU has fallen off the bus.`;
  const job = interleaved(
    [
      ...jobLines(64, 37, {
        name: '',
        cause: '',
        lines: ['RuntimeError: CUDA error: unspecified launch failure'],
      }),
    ],
    styles.find((style) => style.name === 'syslog')!,
  );

  it.each([
    ['before the log of the job', `${kernel}\n${job}`],
    ['after the log of the job', `${job}\n${kernel}`],
  ])('leads, its line %s', (_, text) => {
    const verdict = verdictOf(text);
    expect(verdict.cause).toBe('gpu-fell-off-bus-power');
    expect(verdict.headline).toContain(nodeOf(37));
    expect(verdict.headline).toContain('rank 37');
    expect(verdict.findings[0]?.explains).toContain('said.pt-watchdog-timeout');
  });

  it('leads when its line stands in a file of its own', () => {
    expect(verdictOf(job, kernel)).toMatchObject({ cause: 'gpu-fell-off-bus-power', certainty: 'proved' });
    expect(verdictOf(kernel, job)).toMatchObject({ cause: 'gpu-fell-off-bus-power', certainty: 'proved' });
  });
});

describe('a rank that was killed without a word', () => {
  const others = jobLines(64, 5, { name: '', cause: '', lines: [] });

  it('is named with its node and signal, and the kernel log of that node is asked for', () => {
    const verdict = verdictOf(`${interleaved(others, torchrun)}\n${agentTable(5, 20_000, -9)}`);
    expect(verdict).toMatchObject({ status: 'cannot-tell', cause: 'rank-ended-first' });
    expect(verdict.headline).toContain(`rank 5 on ${nodeOf(5)} was ended by signal 9 (SIGKILL)`);
    expect(verdict.unknown[0]?.ask).toContain(`ssh ${nodeOf(5)}`);
  });

  it('is the one that did not come to the collective where no launcher tells', () => {
    const verdict = verdictOf(interleaved(others, torchrun));
    expect(verdict).toMatchObject({ status: 'cannot-tell', cause: 'collective-hang' });
    expect(verdict.headline).toContain(
      'rank 5 did not come to collective 4412 (ALLREDUCE), in which 63 of 64 ranks wait',
    );
  });

  it('leads by the out-of-memory line of its node where that is there', () => {
    const kernel = `${syslog(20_000, nodeOf(5))}kernel: Memory cgroup out of memory: Killed process 4005 (python) total-vm:412312044kB, anon-rss:248112004kB, file-rss:311204kB, shmem-rss:220kB, UID:0 pgtables:520112kB oom_score_adj:0`;
    const verdict = verdictOf(`${interleaved(others, torchrun)}\n${agentTable(5, 20_000, -9)}\n${kernel}`);
    expect(verdict.cause).toBe('container-memory-limit');
    expect(verdict.headline).toContain(`rank 5 on ${nodeOf(5)}`);
  });

  it.each([
    ['mpirun', 'mpirun noticed that process rank 5 with PID 0 on node gn01 exited on signal 9 (Killed).'],
    ['srun', 'srun: error: gn01: task 5: Killed'],
    ['Intel MPI', '=   RANK 5 PID 4005 RUNNING AT gn01\n=   KILLED BY SIGNAL: 9 (Killed)'],
  ])('is named by %s', (_, end) => {
    const verdict = verdictOf(`${interleaved(others, torchrun)}\n${end}`);
    expect(verdict.cause).toBe('rank-ended-first');
    expect(verdict.headline).toContain('rank 5 on gn01');
  });
});

describe('one file a rank', () => {
  const files = (failed: number, clock: 'same' | 'mixed', size = 8): readonly (readonly [string, string])[] =>
    Array.from({ length: size }, (_, rank) => {
      const lines = jobLines(size, failed, roots[0]!).filter((line) => line.rank === rank);
      const text = lines.map((line) => {
        const time = new Date(Date.UTC(2026, 2, 12, 10) + line.at).toISOString();
        const stamp = clock === 'mixed' && rank % 2 === 0 ? time : `${time.slice(0, 10)} ${time.slice(11, 23)}`;
        return `${stamp} ${line.text}`;
      });
      return [`logs/attempt_0/${rank}/stderr.log`, text.join('\n')] as const;
    });
  const judged = (of: readonly (readonly [string, string])[]): Verdict =>
    diagnose(of.map(([file, text]) => createDocument(text, { file })));

  it.each([0, 3, 7])('names rank %i, in whatever order the files are given', (failed) => {
    const given = files(failed, 'same');
    for (const order of [given, [...given].reverse()]) {
      const verdict = judged(order);
      expect(verdict.cause).toBe('application-exception');
      expect(verdict.headline).toContain(`rank ${failed} first; 7 other ranks followed`);
      expect(verdict.findings[0]?.evidence[0]?.file).toBe(`logs/attempt_0/${failed}/stderr.log`);
    }
  });

  it('says that the order is unknown where the clocks differ', () => {
    const verdict = judged(files(3, 'mixed'));
    expect(verdict.headline).toContain('rank 3');
    expect(verdict.headline).toContain('order');
    expect(verdict.headline).not.toContain('first');
  });

  it('takes the earlier of two failures by their times, not by their places', () => {
    const failure = (rank: number, second: number): readonly [string, string] => [
      `logs/rank_${rank}.log`,
      [
        `2026-03-12 10:00:${second} step 12`,
        'Traceback (most recent call last):',
        '  File "/srv/app/train.py", line 214, in <module>',
        `ZeroDivisionError: division by zero in shard ${rank}`,
      ].join('\n'),
    ];
    expect(judged([failure(1, 40), failure(2, 20)]).headline).toContain('shard 2');
    expect(judged([failure(2, 20), failure(1, 40)]).headline).toContain('shard 2');
    expect(judged([failure(1, 20), failure(2, 40)]).headline).toContain('shard 1');
  });
});

it('reads pods that kubectl printed one after the other in the order of their times', () => {
  const style = styles.find((each) => each.name === 'kubectl with times')!;
  const lines = jobLines(8, 6, roots[0]!);
  const text = Array.from({ length: 8 }, (_, rank) =>
    interleaved(
      lines.filter((line) => line.rank === rank),
      style,
    ),
  ).join('\n');
  const verdict = verdictOf(text);
  expect(verdict.cause).toBe('application-exception');
  expect(verdict.headline).toContain('rank 6 in llm-worker-6/pytorch first');
});

describe('what only follows', () => {
  it('is never proved to be the cause', () => {
    const text = interleaved(
      [0, 1, 2].flatMap((rank) => following(rank, 1000 + rank, 9)),
      torchrun,
    );
    const verdict = verdictOf(text);
    expect(verdict.status).toBe('cannot-tell');
    expect(verdict.certainty).toBeNull();
  });

  it('names the rank that is behind the others', () => {
    const text = [
      ...following(0, 1000, 9).slice(0, 2),
      ...following(1, 1000, 9).slice(0, 2),
      {
        rank: 2,
        at: 1010,
        text: '[E312 10:10:12.301 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank 2]  failure detected by watchdog at work sequence id: 4400 PG status: last enqueued work: 4400, last completed work: 4399',
      },
    ];
    const verdict = verdictOf(interleaved(text, torchrun));
    expect(verdict).toMatchObject({ cause: 'collective-hang', certainty: 'likely' });
    expect(verdict.headline).toContain('rank 2 has come to collective 4400 only');
  });
});
