import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workKinds } from '../model.ts';
import { numbersOfSums } from '../numbers.ts';
import { traceKindOf } from '../trace-kind.ts';
import { TraceUnreadable } from '../unreadable.ts';
import { readNsysStats } from './read-stats.ts';

const recent = `==512== NVPROF is profiling process 512, command: ./lbm 400
step 400
==512== Profiling application: ./lbm 400
==512== Profiling result:
            Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 GPU activities:   91.20%  1.8240s       400  4.5600ms  4.4810ms  4.7702ms  void collide<int=19>(float*, float const *, int)
                    8.80%  176.00ms       800  220.00us  200.01us  251.20us  [CUDA memcpy DtoH]
      API calls:   96.10%  1.9812s       800  2.4765ms  1.0210us  4.8001ms  cudaMemcpy
                    3.90%  2.4800ms       400  6.2000us  3.0010us  18.200us  cudaLaunchKernel
 OpenACC (excl):   50.00%  1.0000ms       400  2.5000us  1.0000us  3.0000us  acc_enqueue_launch@lbm.c:12
`;
const old = `==77== Profiling result:
Time(%)      Time     Calls       Avg       Min       Max  Name
 91.20%  1.8240s       400  4.5600ms  4.4810ms  4.7702ms  void collide<int=19>(float*, float const *, int)
  8.80%  176.00ms       800  220.00us  200.01us  251.20us  [CUDA memcpy DtoH]

==77== API calls:
Time(%)      Time     Calls       Avg       Min       Max  Name
 96.10%  1.9812s       800  2.4765ms  1.0210us  4.8001ms  cudaMemcpy
  3.90%  2.4800ms       400  6.2000us  3.0010us  18.200us  cudaLaunch
`;
const csv = `==512== Profiling result:
"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"
,%,ms,,ms,ms,ms,
"GPU activities",91.2,1824.0,400,4.56,4.481,4.7702,"void collide<int=19>(float*, float const *, int)"
"GPU activities",8.8,176.0,800,0.22,0.20001,0.2512,"[CUDA memcpy DtoH]"
"API calls",96.1,1981.2,800,2.4765,0.001021,4.8001,"cudaMemcpy"
"API calls",3.9,2.48,400,0.0062,0.003001,0.0182,"cudaLaunchKernel"
`;
const oldCsv = `======== Profiling result:
Time(%),Time,Calls,Avg,Min,Max,Name
%,s,,ms,ms,ms,
91.2,1.824,400,4.56,4.481,4.7702,"void collide<int=19>(float*, float const *, int)"
8.8,0.176,800,0.22,0.20001,0.2512,"[CUDA memcpy DtoH]"

======== API calls:
Time(%),Time,Calls,Avg,Min,Max,Name
%,ms,,us,us,us,
96.1,1981.2,800,2476.5,1.021,4800.1,cudaMemcpy
3.9,2.48,400,6.2,3.001,18.2,cudaLaunch
`;
const prefixed = (prefix: string): string =>
  recent
    .split('\n')
    .map((line) => prefix + line)
    .join('\n');

describe('summaries of nvprof', () => {
  it.each([
    ['of CUDA 9 and later', recent],
    ['of CUDA 8 and before', old],
    ['as CSV', csv],
    ['as CSV without types', oldCsv],
    ['in a comment of C', prefixed(' * ')],
    ['in a log with times', prefixed('2021-03-04T10:11:12.123456Z ')],
    ['in a quotation', prefixed('> ')],
  ])('%s give the same sums', (_, text) => {
    expect(traceKindOf(text)).toBe('nsys-stats');
    const { sums } = readNsysStats(text, 'run.txt');
    expect(sums!.kernels).toMatchObject([
      { name: 'void collide<int=19>(float*, float const *, int)', count: 400, totalNs: 1_824_000_000, medianNs: null },
    ]);
    expect(sums!.copies).toMatchObject([{ name: 'DtoH', count: 800, totalNs: 176_000_000 }]);
    expect(sums!.calls!.map(({ count }) => count)).toEqual([800, 400]);
    const numbers = numbersOfSums(sums!);
    expect([numbers.get('kernels.count'), numbers.get('launch.count'), numbers.get('copies.count')]).toEqual([
      400, 400, 800,
    ]);
    expect(numbers.has('launch.api_median_ns')).toBe(false);
    const { line, text: quoted } = sums!.kernels![0]!.quote;
    expect(text.split('\n')[line - 1]).toBe(quoted);
  });

  it('of managed memory have migrations, faults and the name of the GPU', () => {
    const text = `${recent}
==512== Unified Memory profiling result:
Device "Tesla P100-SXM2-16GB (0)"
   Count  Avg Size  Min Size  Max Size  Total Size  Total Time  Name
      48  170.67KB  4.0000KB  0.9961MB  8.000000MB  1.421896ms  Host To Device
      24  170.67KB  4.0000KB  0.9961MB  4.000000MB  656.8220us  Device To Host
      12         -         -         -           -  2.820396ms  Gpu page fault groups
Total CPU Page faults: 36
`;
    const { sums } = readNsysStats(text, null);
    expect(sums!.copies).toMatchObject([
      { name: 'DtoH', count: 800 },
      { name: 'UVM_HtoD', count: 48, totalNs: 1_421_896 },
      { name: 'UVM_DtoH', count: 24, totalNs: 656_822 },
    ]);
    expect(sums!.copyBytes).toMatchObject([
      { direction: 'UVM_HtoD', bytes: 8 * 1024 ** 2 },
      { direction: 'UVM_DtoH', bytes: 4 * 1024 ** 2 },
    ]);
    expect(sums!.faults).toMatchObject({ ns: 2_820_396, cpu: 36 });
    expect(sums!.gpu).toBe('Tesla P100-SXM2-16GB');
  });

  it('of managed memory as CSV have sizes, and no times that were not measured', () => {
    const text = `==8== Unified Memory profiling result:
"Device","Count","Avg Size","Min Size","Max Size","Total Size","Total Time",""
"TITAN Xp (0)",149,43.328125KB,4.000000KB,576.000000KB,6.000000MB,0.000000,"Host To Device"
"TITAN Xp (0)",,,,,19B,0.000000,"Gpu page fault groups"
Total CPU Page faults: 49
`;
    const { sums } = readNsysStats(text, null);
    expect(sums!.copyBytes).toMatchObject([{ direction: 'UVM_HtoD', count: 149, bytes: 6 * 1024 ** 2 }]);
    expect([sums!.copies, sums!.faults?.cpu, sums!.faults?.ns]).toEqual([null, 49, null]);
  });

  it('of the CPU are none of a GPU', () => {
    const text = '======== CPU profiling result (bottom up):\nTime(%)      Time  Name\n 80.50%  8.76899s  ???\n';
    expect(traceKindOf(text)).toBe('profiler-output');
    expect(readNsysStats(text, null).sums!.notes).toMatchObject([{ kind: 'other-table' }]);
  });
});

describe('a list of events of nvprof', () => {
  const text = `==9== Profiling result:
   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*      Size  Throughput  SrcMemType  DstMemType           Device   Context    Stream  Name
465.87ms  26.016us                    -               -         -         -         -  256.00KB  9.3842GB/s    Pageable      Device     Tesla T4 (0)         1         7  [CUDA memcpy HtoD]
466.21ms  4.9920us             (64 1 1)      (1024 1 1)        16        0B        0B         -           -           -           -     Tesla T4 (0)         1        13  vectorAdd(int const *, int const *, int*, int) [130]
`;
  it.each([
    ['as text', text],
    [
      'as CSV',
      `"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name"
ms,us,,,,,,,,B,B,KB,GB/s,,,,,,
465.87,26.016,,,,,,,,,,262.144,9.3842,"Pageable","Device","Tesla T4 (0)","1","7","[CUDA memcpy HtoD]"
466.21,4.992,64,1,1,1024,1,1,16,0,0,,,,,"Tesla T4 (0)","1","13","vectorAdd(int const *, int const *, int*, int) [130]"
`,
    ],
  ])('%s gives events on their streams', (_, given) => {
    const trace = readNsysStats(given, null);
    expect([...trace.work.kind]).toEqual([workKinds.copy, workKinds.kernel]);
    expect(trace.work.end[0]! - trace.work.start[0]!).toBe(26_016);
    expect(trace.work.bytes[0]).toBe(262_144);
    expect(trace.routes[0]).toMatchObject({ direction: 'HtoD', from: 'pageable' });
    expect(trace.shapes[0]).toMatchObject({ grid: [64, 1, 1], block: [1024, 1, 1], registers: 16 });
    expect(trace.names).toContain('vectorAdd(int const *, int const *, int*, int)');
  });
});

it('moments and page faults in a list of events are no work', () => {
  const text = `   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*           Device   Context    Stream        Unified Memory  Virtual Address  Name
1.18208s         -                    -               -         -         -         -                -         -         -           PC 0x4034d6   0x7f8cc0000000  [Unified Memory CPU page faults]
1.28140s  398.85us                    -               -         -         -         -     TITAN Xp (0)         -         -                    49   0x7f8cc0080000  [Unified Memory GPU page faults]
1.28174s  5.7920us                    -               -         -         -         -     TITAN Xp (0)         -         -           48.000000KB   0x7f8cc0080000  [Unified Memory Memcpy HtoD]
1.28200s  24.000us             (10 1 1)       (128 1 1)        16        0B        0B     TITAN Xp (0)         1         7                     -                -  visit(int*) [12]
`;
  const trace = readNsysStats(text, null);
  expect([...trace.work.kind]).toEqual([workKinds.copy, workKinds.kernel]);
  expect(trace.routes[0]!.direction).toBe('UVM_HtoD');
  expect(trace.work.bytes[0]).toBe(48 * 1024);
});

describe('whatever is cut or changed', () => {
  it('ends in nothing but its own error', () => {
    const whole = [recent, old, csv, oldCsv].join('\n');
    fc.assert(
      fc.property(
        fc.nat(whole.length),
        fc.nat(whole.length),
        fc.array(fc.tuple(fc.nat(whole.length), fc.string({ maxLength: 4 })), { maxLength: 8 }),
        (from, to, changes) => {
          let text = whole.slice(Math.min(from, to), Math.max(from, to));
          for (const [at, part] of changes) text = text.slice(0, at) + part + text.slice(at + part.length);
          try {
            const { sums } = readNsysStats(text, null);
            for (const { totalNs, count } of sums?.kernels ?? []) expect(totalNs >= 0 && count >= 0).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(TraceUnreadable);
          }
        },
      ),
    );
  });
});
