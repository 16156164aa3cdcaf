import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../../../knowledge/knowledge.ts';
import type { Verdict } from '../../../model/verdict.ts';
import { readNsysStats } from '../../nsys-stats/read-stats.ts';
import { columnsOf, summaries } from '../../testing-sums.ts';
import { traceKindOf } from '../../trace-kind.ts';
import { traceVerdict } from '../../verdict.ts';

function verdictOf(...parts: readonly string[]): Verdict {
  const text = parts.join('\n');
  expect(traceKindOf(text)).toMatch(/nsys-stats|profiler-output/);
  return traceVerdict([readNsysStats(text, 'stats.txt')], defaultKnowledge).verdict;
}

function said({ status, cause, findings }: Verdict): string {
  return `${status} ${cause ?? '-'} ${findings.find((each) => each.cause === cause)?.certainty ?? '-'}`;
}

const { kernels, calls, copies, ranges, sizes } = summaries;
const s = 1e9;
const up = '[CUDA memcpy Host-to-Device]';
const down = '[CUDA memcpy Device-to-Host]';
const gemm = 'ampere_bf16_s16816gemm_bf16_128x128_ldg8_relu_stages_64x3_tn';
const reduce = 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)';

describe('copies in sums', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'slower than any link and longer than the kernels are slow',
      'performance pageable-copies-slow likely',
      [
        calls(['cudaMemcpy', 1200, 20 * s]),
        kernels(['filter(float *)', 600, 3 * s]),
        copies([up, 600, 10 * s], [down, 600, 10 * s]),
        sizes([up, 600, 30_000], [down, 600, 30_000]),
      ],
    ],
    [
      'that fill the steps together with the kernels take turns with them',
      'performance copies-not-overlapped likely',
      [
        ranges([':train_step', 400, 30.2 * s]),
        kernels([gemm, 40_000, 18 * s]),
        copies([up, 2400, 12 * s]),
        sizes([up, 2400, 260_000]),
      ],
    ],
    [
      'that come once, before many kernels, load weights',
      'cannot-tell - -',
      [kernels([gemm, 40_000, 4 * s]), copies([up, 300, 11 * s]), sizes([up, 300, 40_000])],
    ],
    [
      'of a sample program decide nothing',
      'cannot-tell - -',
      [kernels(['add(float *)', 1, 0.002 * s]), copies([up, 2, 0.01 * s], [down, 1, 0.01 * s])],
    ],
    [
      'that are short beside the kernels are nothing',
      'cannot-tell - -',
      [kernels([gemm, 4000, 20 * s]), copies([up, 4000, 1.2 * s]), sizes([up, 4000, 3600])],
    ],
    [
      'of managed memory that last long are faults, without a prefetch',
      'performance managed-memory-page-faults likely',
      [
        kernels(['walk(int *)', 90, 10 * s]),
        copies(
          ['[CUDA memcpy Unified Host-to-Device]', 90_000, 3 * s],
          ['[CUDA memcpy Unified Device-to-Host]', 80_000, 2 * s],
        ),
      ],
    ],
    [
      'of managed memory that was fetched ahead are none',
      'cannot-tell - -',
      [
        calls(['cudaMemPrefetchAsync', 90, 0.01 * s]),
        kernels(['walk(int *)', 90, 10 * s]),
        copies(['[CUDA Unified Memory memcpy HtoD]', 9000, 3 * s]),
      ],
    ],
  ])('%s', (_, expected, parts) => {
    expect(said(verdictOf(...parts))).toBe(expected);
  });
});

describe('ranges of the program beside sums', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'loading takes most of the steps, and the GPU has little to do',
      'performance input-pipeline-bound likely',
      [ranges(['train_step', 500, 100 * s], ['DataLoader.next', 500, 80 * s]), kernels([gemm, 90_000, 14 * s])],
    ],
    [
      'loading beside the steps',
      'performance input-pipeline-bound likely',
      [ranges([':wait for batch', 500, 80 * s], [':compute', 500, 15 * s]), kernels([gemm, 90_000, 14 * s])],
    ],
    [
      'loading that the kernels fill is done meanwhile',
      'cannot-tell - -',
      [ranges(['train_step', 500, 100 * s], ['load_batch', 500, 60 * s]), kernels([gemm, 90_000, 96 * s])],
    ],
    [
      'communication that adds up with the rest is bare',
      'performance nccl-exposed-communication likely',
      [ranges([':iteration', 100, 50 * s]), kernels([reduce, 4000, 20 * s], [gemm, 40_000, 29.5 * s])],
    ],
    [
      'communication that is longer than the rest is bare without a range',
      'performance nccl-exposed-communication likely',
      [kernels([reduce, 4000, 60 * s], [gemm, 40_000, 12 * s])],
    ],
    [
      'communication that does not fit beside the rest was hidden',
      'cannot-tell - -',
      [ranges([':iteration', 100, 50 * s]), kernels([reduce, 4000, 20 * s], [gemm, 40_000, 48 * s])],
    ],
    [
      'kernels that fill a whole run are well',
      'ok ok-single-stream-saturated -',
      [ranges(['main_loop', 1, 50 * s]), kernels([gemm, 40_000, 49 * s])],
    ],
    [
      'kernels that fill their steps say nothing of the time between them',
      'cannot-tell - -',
      [ranges(['train_step', 900, 50 * s]), kernels([gemm, 40_000, 49 * s])],
    ],
  ])('%s', (_, expected, parts) => {
    expect(said(verdictOf(...parts))).toBe(expected);
  });
});

describe('kernels and calls in sums', () => {
  const gridded = (grid: string, block: string): string =>
    columnsOf(
      ['Time (%)', 'Total Time (ns)', 'Instances', 'GridXYZ', 'BlockXYZ', 'Name'],
      [
        ['97.0', 9_700_000_000, 100, grid, block, 'simulate(float *, int)'],
        ['3.0', 300_000_000, 100, '4096    1    1', ' 256    1    1', 'init(float *)'],
      ],
    );
  it.each<[string, string, readonly string[]]>([
    ['one thread', 'performance block-size-too-small proved', [gridded('   1    1    1', '   1    1    1')]],
    ['few threads', 'performance block-size-too-small proved', [gridded('8000    1    1', '   8    1    1')]],
    ['one block', 'performance busy-label-idle-sms likely', [gridded('   1    1    1', '1024    1    1')]],
    ['many blocks', 'cannot-tell - -', [gridded('8000    1    1', ' 128    1    1')]],
    [
      'sgemm for Ampere',
      'performance tensor-cores-idle likely',
      [kernels(['ampere_sgemm_128x128_nn', 9000, 9 * s], ['relu(float *)', 9000, 1 * s])],
    ],
    [
      'sgemm for Maxwell, on no known GPU',
      'cannot-tell tensor-cores-idle -',
      [kernels(['maxwell_sgemm_128x128_nn', 9000, 9 * s])],
    ],
    [
      'sgemm on a P100',
      'cannot-tell - -',
      ['GPU 0: Tesla P100-PCIE-16GB (UUID: GPU-1)', kernels(['maxwell_sgemm_128x128_nn', 9000, 9 * s])],
    ],
    ['TF32', 'cannot-tell - -', [kernels(['cutlass_80_tensorop_s1688gemm_128x256_16x3_tn_align4', 9000, 9 * s])]],
    [
      'a wait for each short kernel',
      'performance sync-after-each-kernel proved',
      [
        calls(['cudaStreamSynchronize', 50_000, 1 * s], ['cudaLaunchKernel', 50_000, 0.3 * s]),
        kernels(['tick(int *)', 50_000, 0.2 * s]),
      ],
    ],
    [
      'a wait for each long kernel',
      'cannot-tell - -',
      [
        calls(['cudaStreamSynchronize', 500, 10 * s], ['cudaLaunchKernel', 500, 0.003 * s]),
        kernels(['tick(int *)', 500, 10 * s]),
      ],
    ],
  ])('%s', (_, expected, parts) => {
    expect(said(verdictOf(...parts))).toBe(expected);
  });
});

describe('allocations in sums', () => {
  const head = ['Time (%)', 'Total Time (ns)', 'Num Calls', 'Max (ns)', 'Name'];
  const table = (longest: number): string =>
    columnsOf(head, [
      ['80.0', 800_000_000, 1200, longest, 'cudaMalloc'],
      ['20.0', 200_000_000, 1200, 2_000_000, 'cudaLaunchKernel'],
    ]);
  it.each([
    ['many calls that all take long', 2_000_000, 'performance alloc-in-loop proved'],
    ['one call that makes the context', 799_000_000, 'cannot-tell - -'],
  ])('%s', (_, longest, expected) => {
    expect(said(verdictOf(table(longest), kernels(['work(float *)', 1200, 0.9 * s])))).toBe(expected);
  });
});

it('numbers of lines are no ranks', () => {
  const text = [
    calls(['cudaMemcpy', 1200, 20 * s]),
    kernels(['filter(float *)', 600, 3 * s]),
    copies([up, 600, 9 * s], [down, 600, 9 * s]),
  ]
    .join('\n')
    .split('\n')
    .map((line, at) => `${at + 1}:${line}`)
    .join('\n');
  expect(said(verdictOf(text))).toBe('performance copies-not-overlapped likely');
});

describe('several ranks in one text', () => {
  const rank = (all: number, ours: number): string => kernels([reduce, 1000, all * s], [gemm, 20_000, ours * s]);
  const slow = [rank(30, 10), rank(31, 10), rank(2, 38), rank(30, 10)];
  it.each<[string, readonly string[]]>([
    ['under headings', slow.map((text, at) => `----- Rank: ${at} -----\n${text}`)],
    [
      'of a file each',
      slow.map(
        (text, at) => `Processing [run.rank${at}.sqlite] with [/opt/nsys/reports/cuda_gpu_kern_sum.py]...\n${text}`,
      ),
    ],
    ['with the tags of srun', slow.map((text, at) => text.replaceAll(/^/gm, `${at}: `))],
    ['with the tags of mpirun', slow.map((text, at) => text.replaceAll(/^/gm, `[1,${at}]<stdout>:`))],
  ])('%s: the one that waits least is late, and its kernels take longer', (_, parts) => {
    const verdict = verdictOf(...parts);
    expect(said(verdict)).toBe('performance straggler-gpu likely');
    expect(verdict.headline).toContain('rank 2 ');
  });

  it('whose kernels take as long are late for another reason', () => {
    const parts = [rank(30, 10), rank(1, 10), rank(31, 10)].map((text, at) => `===== rank ${at} =====\n${text}`);
    expect(said(verdictOf(...parts))).toBe('performance nccl-straggler-rank likely');
  });

  it('that wait as long as each other have no straggler', () => {
    const parts = [rank(6, 10), rank(5, 10), rank(6, 10)].map((text, at) => `===== rank ${at} =====\n${text}`);
    expect(said(verdictOf(...parts))).toBe('cannot-tell - -');
  });
});

describe('what looks like waste in sums, and need not be', () => {
  const longest = (
    counted: string,
    named: string,
    ...rows: readonly (readonly [string, number, number, number])[]
  ): string =>
    columnsOf(
      ['Total Time (ns)', counted, 'Max (ns)', named],
      rows.map(([name, count, ns, most]) => [ns, count, most, name]),
    );
  const ofFiles = (...files: readonly string[]): readonly string[] =>
    files.map(
      (file, at) =>
        `Processing [${file}.sqlite] with [/opt/nsys/reports/cuda_gpu_kern_sum.py]...\n${kernels([reduce, 1000, (at === 0 ? 9 : 2) * s], [gemm, 20_000, 20 * s])}`,
    );
  const stages = (operation: string): readonly string[] =>
    [30, 31, 2, 30].map(
      (ns, at) =>
        `=== rank ${at} ===\n${kernels([`ncclDevKernel_${operation}_RING_LL`, 1000, ns * s], [gemm, 20_000, 40 * s])}`,
    );
  it.each<[string, string, readonly string[]]>([
    [
      'a wait for each graph of many short kernels',
      'cannot-tell - -',
      [
        calls(['cudaStreamSynchronize', 5000, 1.6 * s], ['cudaGraphLaunch', 5000, 0.04 * s]),
        kernels(['tick(int *)', 500_000, 1 * s]),
      ],
    ],
    [
      'queued copies that take longer than the kernels',
      'cannot-tell copies-not-overlapped -',
      [
        calls(['cudaMemcpyAsync', 4000, 0.02 * s]),
        kernels(['filter(float *)', 4000, 12 * s]),
        copies([up, 4000, 40 * s]),
        sizes([up, 4000, 1_000_000]),
      ],
    ],
    [
      'one collective that waits for a checkpoint',
      'cannot-tell - -',
      [longest('Instances', 'Name', [reduce, 1000, 60 * s, 55 * s], [gemm, 20_000, 12 * s, 700_000])],
    ],
    [
      'the first batch, which starts the workers',
      'cannot-tell - -',
      [
        longest('Instances', 'Range', [':data_loading', 500, 66 * s, 60 * s], [':train_step', 500, 100 * s, 0.3 * s]),
        kernels([gemm, 90_000, 35 * s]),
      ],
    ],
    [
      'several workers at a time',
      'cannot-tell - -',
      [
        ranges([':main', 1, 62 * s], [':load_batch', 4000, 480 * s], [':train_step', 4000, 58 * s]),
        kernels([gemm, 90_000, 57 * s]),
      ],
    ],
    [
      'the work of workers',
      'cannot-tell input-pipeline-bound -',
      [ranges([':decode_jpeg', 4000, 480 * s], [':train_step', 4000, 58 * s]), kernels([gemm, 90_000, 57 * s])],
    ],
    ['stages of a pipeline', 'cannot-tell - -', stages('SendRecv')],
    ['a root that sends and waits for nobody', 'cannot-tell - -', stages('Broadcast')],
    ['one run before another', 'cannot-tell - -', ofFiles('before', 'after')],
    ['reports in the order in which they were taken', 'cannot-tell - -', ofFiles('report1', 'report2', 'report3')],
    ['tries that are counted', 'cannot-tell - -', ofFiles('run_1', 'run_2')],
  ])('%s', (_, expected, parts) => {
    expect(said(verdictOf(...parts))).toBe(expected);
  });
});

describe('what nsys analyze lists', () => {
  const listed = (call: string, from: string, mb: number, ns: number, every: number): string =>
    columnsOf(
      [
        'Duration (ns)',
        'Start (ns)',
        'Src Kind',
        'Dst Kind',
        'Bytes (MB)',
        'PID',
        'Device ID',
        'Context ID',
        'Stream ID',
        'API Name',
      ],
      Array.from({ length: 30 }, (_, at) => [
        ns - at,
        1e9 + at * every,
        from,
        'Device',
        mb.toFixed(3),
        77,
        0,
        1,
        7,
        call,
      ]),
    );
  const waits = columnsOf(
    ['Duration (ns)', 'Start (ns)', 'PID', 'TID', 'API Name'],
    Array.from({ length: 40 }, (_, at) => [9000, 1e9 + at * 25_000, 77, 77, 'cudaDeviceSynchronize_v3020']),
  );
  const low = columnsOf(
    ['Row#', 'In-Use (%)', 'Duration (ns)', 'Start (ns)', 'PID', 'Device ID', 'Context ID'],
    [[1, '22.5', 8e9, 0.9e9, 77, 0, 1]],
  );
  const gaps = columnsOf(
    ['Row#', 'Duration (ns)', 'Start (ns)', 'PID', 'Device ID', 'Context ID'],
    [
      [1, 900_000_000, 1e9, 77, 0, 1],
      [2, 800_000_000, 3e9, 77, 0, 1],
    ],
  );
  const quiet =
    ' ** GPU Gaps (gpu_gaps):\n\nThere were no problems detected with GPU utilization. GPU was not found to be\nidle for more than 500ms.\n';
  it.each<[string, string, readonly string[]]>([
    [
      'asynchronous copies of pageable memory',
      'performance pageable-copies-synchronous proved',
      [listed('cudaMemcpyAsync_v3020', 'Pageable', 25, 8e6, 2e7)],
    ],
    [
      'synchronous copies of pageable memory, slow',
      'performance pageable-copies-slow likely',
      [listed('cudaMemcpy_v3020', 'Pageable', 25, 8e6, 1e7)],
    ],
    [
      'synchronous copies of page-locked memory',
      'performance copies-not-overlapped likely',
      [listed('cudaMemcpy_v3020', 'Pinned', 200, 8e6, 1e7)],
    ],
    [
      'data that is loaded once',
      'cannot-tell pageable-copies-synchronous -',
      [listed('cudaMemcpyAsync_v3020', 'Pageable', 25, 8e6, 8.1e6)],
    ],
    ['copies that take next to no time', 'cannot-tell - -', [listed('cudaMemcpyAsync_v3020', 'Pageable', 1, 3e5, 1e8)]],
    ['waits in close order on an idle GPU', 'performance sync-after-each-kernel likely', [waits, low]],
    ['waits in close order', 'cannot-tell sync-after-each-kernel possible', [waits, quiet]],
    ['pauses', 'cannot-tell - -', [gaps]],
    ['nothing', 'cannot-tell - -', [quiet]],
  ])('%s', (_, expected, parts) => {
    expect(said(verdictOf(...parts))).toBe(expected);
  });
});

describe('where nothing of a GPU was recorded', () => {
  const poll = calls(['poll', 400, 9 * s], ['epoll_wait', 400, 9 * s]);
  it.each<[string, string, readonly string[]]>([
    [
      'reports are empty',
      'trace-has-no-gpu-work',
      [
        poll,
        'SKIPPED: run.sqlite does not contain CUDA trace data.',
        'SKIPPED: run.sqlite does not contain CUDA kernel data.',
      ],
    ],
    [
      'calls were seen, and no kernel',
      'trace-has-no-gpu-work',
      [calls(['cudaLaunchKernel', 4000, 0.02 * s]), 'SKIPPED: /tmp/run.sqlite does not contain CUDA kernel data.'],
    ],
    [
      'nvprof saw no kernel',
      'trace-has-no-gpu-work',
      ['==9== NVPROF is profiling process 9, command: ./a.out', '==9== Profiling result:', 'No kernels were profiled.'],
    ],
    [
      'nvprof does not know the GPU',
      'trace-has-no-gpu-work',
      ['======== Warning: nvprof is not supported on devices with compute capability 8.0 and higher.'],
    ],
    [
      'the importer is missing',
      'trace-unreadable',
      ['Importer error status: The importer binary and its dependencies were not found.'],
    ],
    [
      'the counters are kept from it',
      'profiling-counters-blind',
      [
        '==9== NVPROF is profiling process 9, command: ./a.out',
        '==9== Warning: ERR_NVGPUCTRPERM - The user does not have permission to profile on the target device.',
      ],
    ],
    ['times are of the CPU alone', 'trace-has-no-gpu-work', [poll]],
    ['ranges are of the CPU alone', 'trace-has-no-gpu-work', [ranges([':fwd', 300, 9 * s], [':bwd', 300, 15 * s])]],
  ])('%s', (_, cause, parts) => {
    const verdict = verdictOf(...parts);
    expect([verdict.status, verdict.cause]).toEqual(['cannot-tell', cause]);
    expect(verdict.unknown[0]!.ask).not.toBe('');
  });

  it('counters without times leave open where the time goes', () => {
    const text =
      '==8166== NVPROF is profiling process 8166, command: ./gol\n==8166== Metric result:\nInvocations  Metric Name  Min  Max  Avg';
    expect(said(verdictOf(text))).toBe('cannot-tell - -');
  });

  it('calls alone leave open what the GPU does', () => {
    expect(said(verdictOf(calls(['cudaLaunchKernel', 4000, 0.02 * s])))).toBe('cannot-tell - -');
  });
});
