import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Trace } from '../model.ts';
import { workKinds } from '../model.ts';
import { traceKindOf } from '../trace-kind.ts';
import { TraceUnreadable } from '../unreadable.ts';
import { readNsysStats } from './read-stats.ts';

type Row = Readonly<Record<string, string | number>>;

const kernels: readonly Row[] = [
  {
    'Time (%)': 55.1,
    'Total Time (ns)': 141_202_330,
    Instances: 20_480,
    'Avg (ns)': 6894.6,
    'Med (ns)': 6816,
    'Min (ns)': 6400,
    'Max (ns)': 9120,
    'StdDev (ns)': 312.5,
    Name: 'void add<float, (int)4>(int, T1, const T1 *, T1 *)',
  },
  {
    'Time (%)': 44.9,
    'Total Time (ns)': 115_061_770,
    Instances: 10_240,
    'Avg (ns)': 11_236.5,
    'Med (ns)': 5600,
    'Min (ns)': 5216,
    'Max (ns)': 7872,
    'StdDev (ns)': 260.8,
    Name: 'sm80_xmma_gemm_f16f16',
  },
];
const calls: readonly Row[] = [
  {
    'Time (%)': 61.2,
    'Total Time (ns)': 812_334_110,
    'Num Calls': 40_960,
    'Avg (ns)': 19_832.4,
    'Med (ns)': 8120,
    'Min (ns)': 3911,
    'Max (ns)': 9_411_200,
    'StdDev (ns)': 81_232.7,
    Name: 'cudaLaunchKernel',
  },
];

const cell = (value: string | number, grouped: boolean): string =>
  typeof value === 'string' ? value : grouped ? value.toLocaleString('en-US') : String(value);
const quote = (text: string): string => (/[",]/.test(text) ? `"${text}"` : text);
const csv = (rows: readonly Row[], grouped = false): string =>
  [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row).map((value) => quote(cell(value, grouped))))]
    .map((cells) => cells.join(','))
    .join('\n');
const table = (
  rows: readonly Row[],
  grouped: boolean,
  edge: string,
): { readonly head: string; readonly rule: string; readonly body: readonly string[] } => {
  const names = Object.keys(rows[0]!);
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => cell(row[name]!, grouped).length)));
  const line = (cells: readonly string[], last: 'start' | 'end'): string =>
    edge +
    cells
      .map((each, at) =>
        at === cells.length - 1 && last === 'start' ? each.padEnd(widths[at]!) : each.padStart(widths[at]!),
      )
      .join(edge === ' ' ? '  ' : edge) +
    edge;
  return {
    head: line(names, 'end'),
    rule: widths.map((width) => '-'.repeat(width)).join(edge === ' ' ? '  ' : '-+-'),
    body: rows.map((row) =>
      line(
        Object.values(row).map((value) => cell(value, grouped)),
        'start',
      ),
    ),
  };
};
const columns = (rows: readonly Row[], grouped = true): string => {
  const { head, rule, body } = table(rows, grouped, ' ');
  return [head, ` ${rule}`, ...body].join('\n');
};
const box = (rows: readonly Row[]): string => {
  const { head, rule, body } = table(rows, true, ' | ');
  return [` +-${rule}-+`, head, ` +-${rule}-+`, ...body, ` +-${rule}-+`].join('\n');
};
const tsv = (rows: readonly Row[]): string =>
  [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))].map((cells) => cells.join('\t')).join('\n');
const json = (rows: readonly Row[]): string => `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]`;

const sumsOf = (trace: Trace): unknown => ({
  kernels: trace.sums?.kernels?.map(({ name, count, totalNs, medianNs, maxNs }) => [
    name,
    count,
    totalNs,
    medianNs,
    maxNs,
  ]),
  calls: trace.sums?.calls?.map(({ name, count, totalNs }) => [name, count, totalNs]),
});
const expected = {
  kernels: [
    ['void add<float, (int)4>(int, T1, const T1 *, T1 *)', 20_480, 141_202_330, 6816, 9120],
    ['sm80_xmma_gemm_f16f16', 10_240, 115_061_770, 5600, 7872],
  ],
  calls: [['cudaLaunchKernel', 40_960, 812_334_110]],
};

const forms: readonly (readonly [string, (rows: readonly Row[]) => string])[] = [
  ['CSV', (rows) => csv(rows)],
  ['CSV with commas between the thousands', (rows) => csv(rows, true)],
  ['columns over dashes', (rows) => columns(rows)],
  ['columns without commas in numbers', (rows) => columns(rows, false)],
  ['a box', (rows) => box(rows)],
  ['tabs', (rows) => tsv(rows)],
  ['JSON', (rows) => json(rows)],
];

describe('summaries', () => {
  it.each(forms)('as %s give the same sums', (_, form) => {
    const text = `Generating SQLite file run.sqlite from run.nsys-rep\nProcessing [run.sqlite] with [/opt/reports/cuda_api_sum.py]... \n\n ** CUDA API Summary (cuda_api_sum):\n\n${form(calls)}\n\nSKIPPED: run.sqlite does not contain NV Tools Extension (NVTX) data.\n\n${form(kernels)}\n\nloss 0.25\n`;
    expect(traceKindOf(text)).toBe('nsys-stats');
    const trace = readNsysStats(text, 'stats.txt');
    expect(sumsOf(trace)).toEqual(expected);
    const { line, text: quoted } = trace.sums!.kernels![1]!.quote;
    expect(text.split('\n')[line - 1]).toBe(quoted);
    expect(quoted).toContain('sm80_xmma_gemm_f16f16');
  });

  it.each([
    ['us', 1e3],
    ['ms', 1e6],
    ['s', 1e9],
  ] as const)('in %s are told in nanoseconds', (unit, factor) => {
    const text = csv([
      { 'Time (%)': 100, [`Total Time (${unit})`]: 2.5, Instances: 4, [`Med (${unit})`]: 0.5, Name: 'k' },
    ]);
    expect(readNsysStats(text, null).sums!.kernels![0]).toMatchObject({
      totalNs: 2.5 * factor,
      medianNs: 0.5 * factor,
    });
  });

  it('of 2020 have no median and blanks nowhere in their names', () => {
    const text =
      ' Time(%)  Total Time (ns)  Instances  Average  Minimum  Maximum  Name \n -------  ---------------  ---------  -------  -------  -------  -----\n   100.0           91,203        240    380.0      365      441  gemv \n';
    expect(readNsysStats(text, null).sums!.kernels![0]).toMatchObject({
      name: 'gemv',
      count: 240,
      totalNs: 91_203,
      medianNs: null,
      maxNs: 441,
    });
  });

  it('of 2020 call copies operations, name no unit of time and count sizes in KiB', () => {
    const text = `Generating CUDA API Statistics...
CUDA API Statistics (nanoseconds)

Time(%)  Total Time  Calls      Average   Minimum    Maximum  Name
-------  ----------  -----  -----------  --------  ---------  ----------------
   72.3   294859478      2  147429739.0    675112  294184366  cudaMalloc
    4.5    18405301      2    9202650.5     25789   18379512  cudaLaunchKernel
CUDA Kernel Statistics (nanoseconds)

Time(%)  Total Time   Instances  Average  Minimum    Maximum  Name
-------  ----------  ----------  -------  -------  ---------  --------------------
  100.0        3360           2   1680.0     1664       1696  conv_forward_kernel

CUDA Memory Operation Statistics (nanoseconds)

Time(%)  Total Time  Operations     Average   Minimum   Maximum  Name
-------  ----------  ----------  ----------  --------  --------  ------------------
  100.0    89602913           2  44801456.5  41565528  48037385  [CUDA memcpy HtoD]

CUDA Memory Operation Statistics (KiB)

   Total  Operations   Average     Minimum   Maximum  Name
--------  ----------  --------  ----------  --------  ------------------
538906.0           2  269453.0  250000.000  288906.0  [CUDA memcpy HtoD]
`;
    const { sums } = readNsysStats(text, null);
    expect(sums!.calls).toMatchObject([{ name: 'cudaMalloc' }, { name: 'cudaLaunchKernel', count: 2 }]);
    expect(sums!.kernels).toMatchObject([{ name: 'conv_forward_kernel', count: 2, totalNs: 3360 }]);
    expect(sums!.copies).toMatchObject([{ name: 'HtoD', count: 2, totalNs: 89_602_913 }]);
    expect(sums!.copyBytes).toMatchObject([{ direction: 'HtoD', count: 2, bytes: 538_906 * 1024 }]);
  });

  it('of operations on memory have the labels of both ages', () => {
    const head = 'Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation\n';
    const row = (label: string, at: number): string => `10.0,${at}000,${at},1,1,1,1,0,${label}\n`;
    const labels = [
      '[CUDA memcpy HtoD]',
      '[CUDA memcpy Device-to-Host]',
      '[CUDA Unified Memory memcpy HtoD]',
      '[CUDA memcpy Unified Device-to-Host]',
      '[CUDA memset]',
      '[CUDA memcpy Peer-to-Peer]',
    ];
    const trace = readNsysStats(head + labels.map(row).join(''), null);
    expect(trace.sums!.copies!.map(({ name }) => name)).toEqual([
      'HtoD',
      'DtoH',
      'UVM_HtoD',
      'UVM_DtoH',
      'memset',
      'PtoP',
    ]);
  });

  it('of sizes are bytes of 10^6, and faults of managed memory are counted', () => {
    const text = `Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation\n9663.676,384,25.166,25.166,0.004,25.166,1.284,[CUDA memcpy Host-to-Device]\n\nTotal HtoD Migration Size (MB),Total DtoH Migration Size (MB),Total CPU Page Faults,Total GPU PageFaults,Minimum Virtual Address,Maximum Virtual Address\n40.5,,98122,"2,110,443",0x7F0A20000000,0x7F13FFFFFFFF\n`;
    const { sums } = readNsysStats(text, null);
    expect(sums!.copyBytes).toMatchObject([
      { direction: 'HtoD', count: 384, bytes: 9_663_676_000 },
      { direction: 'UVM_HtoD', bytes: 40_500_000 },
    ]);
    expect(sums!.faults).toMatchObject({ gpu: 2_110_443, cpu: 98_122 });
  });

  it('of several kinds in one table are told apart by their category', () => {
    const head =
      ' Time (%)  Total Time (ns)  Instances   Category           Operation         \n --------  ---------------  ---------  -----------  ---------------------------\n';
    const text = `${head}     66.2          2003000          2  CUDA_API     cudaMemcpy                 \n     33.4          1010731          1  MEMORY_OPER  [CUDA memcpy HtoD]         \n      0.2             6816          1  CUDA_KERNEL  void axpy<float>(int,  T1)  \n`;
    const { sums } = readNsysStats(text, null);
    expect(sums!.calls).toMatchObject([{ name: 'cudaMemcpy', count: 2 }]);
    expect(sums!.copies).toMatchObject([{ name: 'HtoD', totalNs: 1_010_731 }]);
    expect(sums!.kernels).toMatchObject([{ name: 'void axpy<float>(int,  T1)', totalNs: 6816 }]);
  });

  it('of other libraries are no calls of CUDA', () => {
    const { sums } = readNsysStats(
      csv([{ 'Time (%)': 1, 'Total Time (ns)': 5, 'Num Calls': 2, Name: 'poll' }]),
      'osrt.csv',
    );
    expect(sums).toMatchObject({ calls: null, notes: [{ kind: 'other-table' }] });
  });
});

describe('a list of events', () => {
  const head =
    'Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n';
  const rows = `${head}1203344112,1010731,2211,,,,,,,,,,25.166,24898.880,Pageable,Device,NVIDIA H100 80GB HBM3 (1),1,,7,[CUDA memcpy Host-to-Device]\n1204360010,6816,2214,1024,1,1,256,1,1,18,0.000,0.016,,,,,NVIDIA H100 80GB HBM3 (1),1,,13,"void axpy<float>(int, T1, const T1 *, T1 *)"\n`;

  it('gives events on their streams', () => {
    const trace = readNsysStats(rows, 'trace.csv');
    expect([...trace.work.kind]).toEqual([workKinds.copy, workKinds.kernel]);
    expect([...trace.work.end]).toEqual([1_204_354_843, 1_204_366_826]);
    expect(trace.work.bytes[0]).toBe(25_166_000);
    expect(trace.routes[0]).toMatchObject({ direction: 'HtoD', from: 'pageable', to: 'device' });
    expect(trace.shapes[0]).toMatchObject({
      grid: [1024, 1, 1],
      block: [256, 1, 1],
      registers: 18,
      dynamicShared: 16_000,
    });
    expect(trace.streams.map(({ id }) => id)).toEqual([7, 13]);
    expect(trace.devices).toMatchObject([{ id: 1, name: 'NVIDIA H100 80GB HBM3' }]);
    expect(trace.sums).toBeNull();
    expect(trace.notRecorded).toContain('calls');
  });

  it('with one of calls joins them', () => {
    const calls =
      'Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n1204350000,5000,cudaLaunchKernel,0,2214,77,78,20,python\n';
    const trace = readNsysStats(`${rows}\n${calls}`, null);
    expect([...trace.work.call]).toEqual([-1, 0]);
    expect(trace.threads).toMatchObject([{ process: 77, thread: 78 }]);
  });
});

describe('whatever is cut or changed', () => {
  it('ends in nothing but its own error', () => {
    const whole = forms.map(([, form]) => `${form(calls)}\n\n${form(kernels)}`).join('\n\n');
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

describe('texts that went through other programs', () => {
  const table = [
    ' Time (%)  Total Time (ns)  Instances    Avg (ns)    Name',
    ' --------  ---------------  ---------  ----------  ---------',
    '     75.0    3,000,000,000        600  5,000,000.0  filter(float *, int)',
    '     25.0    1,000,000,000      1,200    833,333.3  add<a, b>(x)',
  ];
  const kernelsOf = (text: string): unknown =>
    readNsysStats(text, null).sums?.kernels?.map(({ name, count, totalNs }) => [name, count, totalNs]);
  it.each<[string, string]>([
    ['carriage returns alone', table.join('\r')],
    ['colours', table.map((line) => `\u{1b}[32m${line}\u{1b}[0m`).join('\n')],
    ['zeros behind each sign', table.join('\n').replaceAll(/(.)/g, '$1\u{0}')],
    ['blanks of a word processor', table.join('\n').replaceAll(' ', '\u{a0}')],
    ['blanks that were taken away', table.map((line) => line.trim().replaceAll(/ {2,}/g, '  ')).join('\n')],
    [
      'a spreadsheet of another locale',
      'Time (%);Total Time (s);Instances;Name\n75,0;3,000;600;filter(float *, int)\n25,0;1,0;1200;add<a, b>(x)',
    ],
    [
      'dots between thousands',
      'Time (%);Total Time (ns);Instances;Name\n75,0;3.000.000.000;600;filter(float *, int)\n25,0;1.000.000.000;1200;add<a, b>(x)',
    ],
  ])('%s', (_, text) => {
    expect(kernelsOf(text)).toEqual([
      ['filter(float *, int)', 600, 3e9],
      ['add<a, b>(x)', 1200, 1e9],
    ]);
  });

  it('an array that was cut off ends where another begins', () => {
    const whole = '[{"Time (%)":75,"Total Time (ns)":3000000000,"Instances":600,"Name":"filter"}]';
    expect(kernelsOf(`[{"Time (%)":75,"Total Time (ns)":30,\n${whole}`)).toEqual([['filter', 600, 3e9]]);
  });
});
