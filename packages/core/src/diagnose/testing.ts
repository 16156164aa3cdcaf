/** Logs of jobs of many ranks, for tests: one rank fails, the others follow. */
export interface JobLine {
  readonly rank: number;
  /** Milliseconds since the start of the job. */
  readonly at: number;
  readonly text: string;
}

/** How a launcher marks the lines of its processes. */
export interface Style {
  readonly name: string;
  prefix(rank: number, at: number): string;
  /** What the failed rank is called in a message. */
  named(rank: number): string;
}

const ranksPerNode = 8;
const start = Date.UTC(2026, 2, 12, 10, 0, 0);

export function nodeOf(rank: number): string {
  return `gn${String(Math.floor(rank / ranksPerNode) + 1).padStart(2, '0')}`;
}

export function ipOf(rank: number): string {
  return `10.0.4.${Math.floor(rank / ranksPerNode) + 10}`;
}

function iso(at: number): string {
  return new Date(start + at).toISOString();
}

/** `E312 10:21:12.123456789`, as PyTorch prints it. */
export function glog(at: number): string {
  const text = iso(at);
  return `E${Number(text.slice(5, 7))}${text.slice(8, 10)} ${text.slice(11, 23)}456789`;
}

/** `Mar 12 10:21:12 gn01 `, as a system log prints it. */
export function syslog(at: number, node: string): string {
  return `Mar ${iso(at).slice(8, 10)} ${iso(at).slice(11, 19)} ${node} `;
}

export const styles: readonly Style[] = [
  { name: 'torchrun', prefix: (rank) => `[rank${rank}]:`, named: (rank) => `rank ${rank}` },
  { name: 'mpirun', prefix: (rank) => `[1,${rank}]<stderr>:`, named: (rank) => `rank ${rank}` },
  { name: 'prterun', prefix: (rank) => `[prterun-gn01-4711@1,${rank}]<stderr>: `, named: (rank) => `rank ${rank}` },
  { name: 'srun', prefix: (rank) => `${String(rank).padStart(3)}: `, named: (rank) => `rank ${rank}` },
  { name: 'wrapper', prefix: (rank) => `rank ${rank} | `, named: (rank) => `rank ${rank}` },
  {
    name: 'Ray',
    prefix: (rank) => `(RayTrainWorker pid=${4000 + rank}, ip=${ipOf(rank)}) `,
    named: (rank) => ipOf(rank),
  },
  { name: 'kubectl', prefix: (rank) => `[pod/llm-worker-${rank}/pytorch] `, named: (rank) => `llm-worker-${rank}` },
  { name: 'stern', prefix: (rank) => `llm-worker-${rank} pytorch `, named: (rank) => `llm-worker-${rank}` },
  {
    name: 'kubectl with times',
    prefix: (rank, at) => `[pod/llm-worker-${rank}/pytorch] ${iso(at)} [rank${rank}]:`,
    named: (rank) => `rank ${rank}`,
  },
  {
    name: 'syslog',
    prefix: (rank, at) => `${syslog(at, nodeOf(rank))}train[${4000 + rank}]: [rank${rank}]:`,
    named: (rank) => `rank ${rank} on ${nodeOf(rank)}`,
  },
  {
    name: 'DeepSpeed over pdsh',
    prefix: (rank) => `${nodeOf(rank)}: [rank${rank}]:`,
    named: (rank) => `rank ${rank} on ${nodeOf(rank)}`,
  },
  { name: 'no prefix', prefix: () => '', named: () => '' },
];

export interface Root {
  readonly name: string;
  readonly cause: string;
  readonly lines: readonly string[];
}

export const roots: readonly Root[] = [
  {
    name: 'an exception of the program',
    cause: 'application-exception',
    lines: [
      'Traceback (most recent call last):',
      '  File "/srv/app/train.py", line 214, in <module>',
      '    main()',
      '  File "/srv/app/train.py", line 171, in main',
      '    value = table[name]',
      'RuntimeError: The size of tensor a (4096) must match the size of tensor b (4095) at non-singleton dimension 1',
    ],
  },
  {
    name: 'no memory left on the GPU',
    cause: 'application-out-of-memory',
    lines: [
      'Traceback (most recent call last):',
      '  File "/srv/app/train.py", line 90, in <module>',
      '    loss.backward()',
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.79 GiB. GPU 1 has a total capacity of 79.10 GiB of which 1.92 GiB is free. Process 3312 has 77.17 GiB memory in use. Of the allocated memory 74.02 GiB is allocated by PyTorch, and 1.61 GiB is reserved by PyTorch but unallocated.',
    ],
  },
  {
    name: 'a fault of GPU memory',
    cause: 'uncorrectable-ecc',
    lines: [
      'Traceback (most recent call last):',
      '  File "/srv/app/train.py", line 90, in <module>',
      '    loss.backward()',
      'RuntimeError: CUDA error: uncorrectable ECC error encountered',
    ],
  },
  {
    name: 'an index out of range',
    cause: 'device-side-assert-index',
    lines: [
      '../aten/src/ATen/native/cuda/Indexing.cu:1290: indexSelectLargeIndex: block: [12,0,0], thread: [5,0,0] Assertion `srcIndex < srcSelectDimSize` failed.',
      'RuntimeError: CUDA error: device-side assert triggered',
    ],
  },
];

/** What the other ranks say after one is gone. */
export function following(rank: number, at: number, failed: number): readonly JobLine[] {
  const sequence = 4412;
  return [
    {
      rank,
      at,
      text: `[${glog(at)} ProcessGroupNCCL.cpp:632] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${sequence}, OpType=ALLREDUCE, NumelIn=25557032, NumelOut=25557032, Timeout(ms)=600000) ran for 6000${String(rank).padStart(3, '0')} milliseconds before timing out.`,
    },
    {
      rank,
      at: at + 1,
      text: `[${glog(at + 1)} ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank ${rank}]  failure detected by watchdog at work sequence id: ${sequence} PG status: last enqueued work: ${sequence + 2}, last completed work: ${sequence - 1}`,
    },
    { rank, at: at + 2, text: 'Traceback (most recent call last):' },
    { rank, at: at + 3, text: '  File "/srv/app/train.py", line 90, in <module>' },
    {
      rank,
      at: at + 4,
      text:
        rank % 3 === 0
          ? `torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, remote process exited or there was a network error, NCCL version 2.21.5`
          : rank % 3 === 1
            ? `RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [${ipOf(failed)}]:33456`
            : `torch.distributed.DistBackendError: NCCL communicator was aborted on rank ${rank}.`,
    },
  ];
}

/** All lines of a job, in time: steps, the failure of one rank, then the others. */
export function jobLines(size: number, failed: number, root: Root): readonly JobLine[] {
  const lines: JobLine[] = [];
  for (let rank = 0; rank < size; rank++)
    lines.push({ rank, at: rank, text: `step 1200 loss 2.114 lr 1.2e-4 (412.1 ms)` });
  root.lines.forEach((text, at) => lines.push({ rank: failed, at: 20_000 + at, text }));
  for (let rank = 0; rank < size; rank++)
    if (rank !== failed) lines.push(...following(rank, 620_000 + rank * 7, failed));
  return lines;
}

/** Lines in one text: those of one rank keep their order, and so does what comes seconds later. */
export function interleaved(lines: readonly JobLine[], style: Style, jitter: (at: number) => number = () => 0): string {
  const latest = new Map<number, number>();
  return lines
    .map((line, place) => {
      // A rank's own lines never overtake each other.
      const at = Math.max(latest.get(line.rank) ?? 0, line.at + jitter(place));
      latest.set(line.rank, at);
      return { line, at, place };
    })
    .sort((a, b) => a.at - b.at || a.place - b.place)
    .map(({ line }) => `${style.prefix(line.rank, line.at)}${line.text}`)
    .join('\n');
}

/** The table that torchrun's agent prints at the end. */
export function agentTable(rank: number, at: number, code: number): string {
  const time = iso(at).slice(0, 19).replace('T', '_');
  return [
    'torch.distributed.elastic.multiprocessing.errors.ChildFailedError:',
    '============================================================',
    'train.py FAILED',
    '------------------------------------------------------------',
    'Root Cause (first observed failure):',
    '[0]:',
    `  time      : ${time}`,
    `  host      : ${nodeOf(rank)}`,
    `  rank      : ${rank} (local_rank: ${rank % ranksPerNode})`,
    `  exitcode  : ${code} (pid: ${4000 + rank})`,
    '  error_file: <N/A>',
    `  traceback : ${code < 0 ? `Signal ${-code} (SIGKILL) received by PID ${4000 + rank}` : 'To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html'}`,
    '============================================================',
  ].join('\n');
}
