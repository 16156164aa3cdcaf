// How launchers and schedulers say that a process of a job ended.
//
// E0312 10:21:19.123000 4400 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -9) local_rank: 3 (pid: 4711) of binary: /usr/bin/python3
// Root Cause (first observed failure):
// [0]:
//   time      : 2026-03-12_10:21:19
//   host      : node12
//   rank      : 3 (local_rank: 3)
//   exitcode  : -9 (pid: 4711)
//   error_file: <N/A>
//   traceback : Signal 9 (SIGKILL) received by PID 4711
// mpirun noticed that process rank 5 with PID 4711 on node node12 exited on signal 9 (Killed).
// MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD
// srun: error: node12: task 37: Killed
// srun: error: node12: tasks 0-3: Exited with exit code 1
// slurmstepd: error: *** STEP 1234.0 ON node12 CANCELLED AT 2026-03-12T10:21:19 DUE TO NODE FAILURE ***
// [rank: 2] Child process with PID 13117 terminated with code -9. Forcefully terminating all other processes to avoid zombies
// [2026-03-12 10:21:20,123] [ERROR] [launch.py:322:sigkill_handler] ['/usr/bin/python3', '-u', 'train.py', '--local_rank=3'] exits with return code = -9
// The actor died unexpectedly before finishing this task. / A worker died or was killed while executing a task by an unexpected system error.
import type { Document, Line } from '../model/document.ts';
import type { JobEnd } from '../model/facts.ts';
import type { Parser } from './parser.ts';

const unknown: JobEnd = {
  by: 'torchrun',
  rank: null,
  localRank: null,
  node: null,
  pid: null,
  exit: null,
  signal: null,
  reason: null,
  first: false,
  log: null,
};

/** An exit status as a signal or a code: negative and above 128 are signals. */
function ended(status: string | undefined): Pick<JobEnd, 'exit' | 'signal'> {
  if (status === undefined) return { exit: null, signal: null };
  const code = Number(status);
  if (code < 0) return { exit: null, signal: -code };
  // Some launchers print a negative status as a byte: 247 is -9.
  if (code >= 241) return { exit: null, signal: 256 - code };
  return code > 128 && code < 160 ? { exit: null, signal: code - 128 } : { exit: code, signal: null };
}

function number(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

type Read = (match: RegExpExecArray, line: Line, document: Document) => JobEnd | null;

const signals: Readonly<Record<string, number>> = {
  killed: 9,
  'segmentation fault': 11,
  aborted: 6,
  'bus error': 7,
  terminated: 15,
  'illegal instruction': 4,
  'floating point exception': 8,
};

const patterns: readonly (readonly [RegExp, Read])[] = [
  [
    /\bfailed \(exitcode: (-?\d{1,4})\) local_rank: (\d{1,5}) \(pid: (\d{1,9})\)/,
    (match) => ({ ...unknown, ...ended(match[1]), localRank: number(match[2]), pid: number(match[3]) }),
  ],
  [/^Root Cause \(first observed failure\):/, (_, line, document) => elasticTable(document, line)],
  [
    /\b(?:mpirun|mpiexec|prterun|orterun) noticed that process rank (\d{1,6})(?: with PID (\d{1,9}))?(?: on node (\S{1,80}))?(?:\s{1,2}exited(?:\s{1,2}on(?:\s{1,2}signal (\d{1,3}))?)?)?/,
    (match, line, document) => ({
      ...unknown,
      by: 'mpirun',
      rank: number(match[1]),
      pid: match[2] === '0' ? null : number(match[2]),
      node: match[3] ?? null,
      signal: number(match[4] ?? /\bsignal (\d{1,3})\b/.exec(document.lines[line.index + 1]?.clean ?? '')?.[1]),
      first: true,
    }),
  ],
  [
    /\bMPI_ABORT was invoked on rank (\d{1,6}) in communicator\b/,
    (match, line, document) => {
      const code = /\b[Ee]rrorcode:? (-?\d{1,6})/.exec(below(document, line, 3))?.[1];
      return {
        ...unknown,
        by: 'mpirun',
        rank: number(match[1]),
        exit: code === undefined ? null : Number(code),
        reason: 'abort',
      };
    },
  ],
  [
    /^\s{0,6}Process name: \[\[\d{1,9},\d{1,6}\],\s?(\d{1,6})\]/,
    (match, line, document) => ({
      ...unknown,
      by: 'mpirun',
      rank: number(match[1]),
      ...ended(/Exit code:\s{1,8}(-?\d{1,4})/.exec(below(document, line, 2))?.[1]),
      first: true,
    }),
  ],
  [
    // Intel MPI and MPICH
    /^= {2,4}RANK (\d{1,6}) PID (\d{1,9}) RUNNING AT (\S{1,80})/,
    (match, line, document) => ({
      ...unknown,
      by: 'mpirun',
      rank: number(match[1]),
      pid: number(match[2]),
      node: match[3]!,
      signal: number(/KILLED BY SIGNAL: (\d{1,3})/.exec(below(document, line, 2))?.[1]),
      exit: number(/EXIT (?:CODE|STATUS): (\d{1,4})/.exec(below(document, line, 2))?.[1]),
    }),
  ],
  [
    /\bsrun: error: ([\w.-]{1,80}): tasks? (\d{1,6})[\d,-]{0,400}: (Exited with exit code (\d{1,3})|Out Of Memory|Killed|Segmentation fault|Aborted|Bus error|Terminated|Illegal instruction|Floating point exception)/,
    (match) => {
      const word = match[3]!.toLowerCase();
      return {
        ...unknown,
        by: 'srun',
        rank: number(match[2]),
        node: match[1]!,
        ...ended(match[4]),
        ...(signals[word] === undefined ? {} : { signal: signals[word] }),
        ...(word === 'out of memory' ? { reason: 'oom' as const } : {}),
      };
    },
  ],
  [
    /\*\*\* (?:JOB|STEP) \S{1,40} ON (\S{1,80}) CANCELLED AT \S{1,40} DUE TO (NODE FAILURE|PREEMPTION|TIME LIMIT|JOB REQUEUE)/,
    (match) => ({
      ...unknown,
      by: 'slurm',
      node: match[1]!,
      reason: reasons[match[2]!] ?? 'cancelled',
    }),
  ],
  [
    /\bsrun: error: Node failure on ([\w.-]{1,80})/,
    (match) => ({ ...unknown, by: 'slurm', node: match[1]!, reason: 'node-failure' }),
  ],
  [
    /\[rank: ?(\d{1,6})\] Child process with PID (\d{1,9}) terminated with code (-?\d{1,4})\b/,
    (match) => ({
      ...unknown,
      by: 'lightning',
      rank: number(match[1]),
      pid: number(match[2]),
      ...ended(match[3]),
      first: true,
    }),
  ],
  [
    /\bsigkill_handler\] \[.{0,1500}\] exits with return code = (-?\d{1,4})/,
    (match) => ({
      ...unknown,
      by: 'deepspeed',
      ...ended(match[1]),
      localRank: number(/--local_rank=(\d{1,4})/.exec(match[0])?.[1]),
    }),
  ],
  [
    /\b(?:The actor died unexpectedly before finishing this task|A worker died or was killed while executing a task|The worker died unexpectedly while executing this task|ActorDiedError|WorkerCrashedError)\b/,
    (_, line, document) => {
      const text = `${line.clean} ${below(document, line, 10)}`;
      return {
        ...unknown,
        by: 'ray',
        node: /(?:\bip: |Worker IP address: |node_ip=)([\d.]{7,15})/.exec(text)?.[1] ?? line.origin.host ?? null,
        pid: number(/(?:\bpid: |Worker PID: |pid=)(\d{1,9})/.exec(text)?.[1]),
      };
    },
  ],
  [
    /\b[1-9]\d{0,5} Workers \(tasks \/ actors\) killed due to memory pressure \(OOM\).{0,160}\bIP: ([\d.]{7,15})/,
    (match) => ({ ...unknown, by: 'ray', node: match[1]!, reason: 'oom' }),
  ],
];

const reasons: Readonly<Record<string, JobEnd['reason']>> = {
  'NODE FAILURE': 'node-failure',
  PREEMPTION: 'preempted',
  'TIME LIMIT': 'time-limit',
};

function below(document: Document, line: Line, count: number): string {
  return document.lines
    .slice(line.index + 1, line.index + 1 + count)
    .map((each) => each.clean)
    .join(' ');
}

/** The table of torchrun's agent; the process that it saw end first. */
function elasticTable(document: Document, heading: Line): JobEnd | null {
  const text = new Map<string, string>();
  for (const line of document.lines.slice(heading.index + 1, heading.index + 16)) {
    if (line.prompt || line.clean.startsWith('====')) break;
    const pair = /^\s{1,8}(time|host|rank|exitcode|error_file|traceback)\s{0,8}: (.{1,400})$/.exec(line.clean);
    if (pair !== null && !text.has(pair[1]!)) text.set(pair[1]!, pair[2]!.trim());
  }
  const rank = /^(\d{1,6})(?: \(local_rank: (\d{1,5})\))?/.exec(text.get('rank') ?? '');
  const code = /^(-?\d{1,4})(?:\s{1,4}\(pid: (\d{1,9})\))?/.exec(text.get('exitcode') ?? '');
  if (rank === null && code === null) return null;
  const log = text.get('error_file');
  return {
    ...unknown,
    rank: number(rank?.[1]),
    localRank: number(rank?.[2]),
    node: text.get('host') ?? null,
    pid: number(code?.[2]),
    ...ended(code?.[1]),
    first: true,
    log: log === undefined || log === '<N/A>' ? null : log,
  };
}

export const jobEnds: Parser = {
  id: 'job-end',
  failures: true,
  literals: [
    'failed (exitcode',
    'first observed failure',
    'noticed that process',
    'mpi_abort was invoked',
    'process name: [[',
    ' running at ',
    'srun: error: ',
    'cancelled at ',
    'child process with pid',
    'exits with return code',
    'died unexpectedly',
    'a worker died or',
    'actordiederror',
    'workercrashederror',
    'due to memory pressure',
  ],
  keep: { before: 1, after: 12 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      for (const [pattern, read] of patterns) {
        const match = pattern.exec(line.clean);
        const value = match === null ? null : read(match, line, document);
        if (value === null) continue;
        sink.add('job.end', value, elastic(value, line, document));
        break;
      }
    }
  },
};

/** Of the agent's table also the lines that say which rank it was. */
function elastic(value: JobEnd, line: Line, document: Document): readonly Line[] {
  if (!line.clean.startsWith('Root Cause')) return [line];
  const table = document.lines.slice(line.index + 1, line.index + 10);
  const told = table.filter((each) => /^\s{1,8}(?:host|rank|exitcode)\s{0,8}: /.test(each.clean));
  return value.rank === null ? [line] : [line, ...told.slice(0, 3)];
}
