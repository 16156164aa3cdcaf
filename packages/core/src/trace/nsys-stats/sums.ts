import type { AdviceRow, Direction, ProfilerNote, SumRow, TraceQuote, TraceSums } from '../model.ts';
import { adviceOf } from './advice.ts';
import { tripleOf } from './events.ts';
import type { NvprofTable } from './nvprof.ts';
import { operationOf } from './operations.ts';
import type { StatHead, StatRow } from './tables.ts';
import { bytesOf, nanosecondsOf, statNumber } from './tables.ts';

/** Calls of the CUDA and HIP interfaces; the same columns come for other libraries. */
const isCudaCall = /^(?:cuda|cu|hip)[A-Z]/;
/** Calls of libraries whose summary has the columns of that of kernels. */
const isOtherCall = /^(?:P?MPI_|shmem|ucp_|ucs_|nvshmem)/;

/** Rows that rules of `nsys analyze` list, all together. */
const mostAdvice = 20_000;

/** Ranges of all tables together. */
const mostRanges = 20_000;

interface Size {
  readonly direction: Direction;
  readonly count: number;
  readonly bytes: number;
  readonly quote: TraceQuote;
}

/** Gathers the rows of all summaries of a text; the more precise report of two wins. */
export class Sums {
  #kernels: SumRow[] | null = null;
  #calls: SumRow[] | null = null;
  #copies: SumRow[] | null = null;
  #sizes: Size[] | null = null;
  #faults: { gpu: number | null; cpu: number | null; ns: number | null; quote: TraceQuote } | null = null;
  #ranges: SumRow[] | null = null;
  #rangeNames = new Set<string>();
  #advice: AdviceRow[] = [];
  #notes: ProfilerNote[] = [];
  #gpu: string | null = null;
  /** Kernels, calls and copies of reports that list several kinds. */
  #mixed = {
    kernels: [] as SumRow[],
    calls: [] as SumRow[],
    copies: [] as SumRow[],
    sizes: [] as Size[],
    managed: [] as SumRow[],
  };
  #twice = new Set<string>();

  /** Reports that came twice in the text; the first one counts. */
  get twice(): readonly string[] {
    return [...this.#twice];
  }

  /** The kernels of the last table of them, and whether there was one. */
  get kernels(): readonly SumRow[] | null {
    return this.#kernels ?? (this.#mixed.kernels.length > 0 ? this.#mixed.kernels : null);
  }

  /** True where a table told something of a GPU, or of what the program asks of it. */
  get isTold(): boolean {
    return (
      this.kernels !== null ||
      this.#calls !== null ||
      this.#copies !== null ||
      this.#sizes !== null ||
      this.#faults !== null ||
      this.#advice.length > 0 ||
      this.#mixed.calls.length + this.#mixed.copies.length + this.#mixed.sizes.length > 0
    );
  }

  /** What a profiler says of itself; the first lines of each kind are kept. */
  note(kind: ProfilerNote['kind'], quote: TraceQuote): void {
    if (this.#notes.filter((note) => note.kind === kind).length < 12) this.#notes.push({ kind, quote });
  }

  /** Page faults of the CPU, as nvprof counts them in a line of its own. */
  faultsOfCpu(cpu: number, quote: TraceQuote): void {
    this.#faults = {
      gpu: this.#faults?.gpu ?? null,
      cpu,
      ns: this.#faults?.ns ?? null,
      quote: this.#faults?.quote ?? quote,
    };
  }

  /** The name of the GPU, where the text tells one. */
  named(gpu: string): void {
    this.#gpu ??= gpu;
  }

  /** Takes a table of nvprof. */
  nvprof({ kernels, calls, copies, sizes, faults, gpu }: NvprofTable): void {
    if (kernels.length > 0) this.#put('kernels', [...kernels]);
    if (calls.length > 0) this.#put('calls', [...calls]);
    const managed = copies.some(({ name }) => name.startsWith('UVM_'));
    if (managed) this.#mixed.managed.push(...copies);
    else if (copies.length > 0) this.#put('copies', [...copies]);
    this.#mixed.sizes.push(...sizes);
    if (faults !== null) this.#faults = { gpu: null, cpu: null, ...faults };
    if (gpu !== null) this.#gpu = gpu;
  }

  /** Takes a table; @returns false where it is no summary that is known */
  add(head: StatHead, rows: readonly StatRow[], quote: (row: StatRow) => TraceQuote): boolean {
    const at = (name: string): number => head.columns.findIndex((column) => column.name === name);
    const isThere = (...names: readonly string[]): boolean => names.every((name) => at(name) >= 0);
    const advice = adviceOf(head, rows, quote);
    if (advice !== null) this.#advice.push(...advice.slice(0, mostAdvice - this.#advice.length));
    else if (isThere('total time', 'range') || isThere('total range time', 'range')) this.#named(head, rows, quote);
    else if (isThere('kavg', 'kernel name', 'count')) this.#launches(head, rows, quote);
    else if (isThere('total', 'operation') || isThere('total', 'operations', 'name'))
      this.#memorySizes(head, rows, quote);
    else if (isThere('cpu page faults') && head.columns.length <= 6 && at('htod migration size') < 0)
      this.#cpuFaults(head, rows, quote);
    else if (head.columns.some(({ name }) => name.endsWith('migration size'))) this.#managed(head, rows, quote);
    else if (isThere('total time', 'category')) this.#categories(head, rows, quote);
    else if (isThere('total time', 'operations', 'name'))
      this.#put('copies', copiesOf(this.#rows(head, rows, quote, 'name')));
    else if (isThere('total time', 'operation'))
      this.#put('copies', copiesOf(this.#rows(head, rows, quote, 'operation')));
    else if (isThere('total time', 'instances', 'name')) {
      const kernels = this.#rows(head, rows, quote, 'name').filter(({ name }) => !isOtherCall.test(name));
      if (kernels.length === 0 && rows.length > 0) return false;
      this.#put('kernels', kernels);
    } else if (isThere('total time', 'name')) {
      const calls = this.#rows(head, rows, quote, 'name').filter(({ name }) => isCudaCall.test(name));
      if (calls.length === 0) return false;
      this.#put('calls', calls);
    } else return false;
    return true;
  }

  /** All that was gathered; null where there was nothing. */
  finish(): TraceSums | null {
    const mixed = this.#mixed;
    const kernels = this.#kernels ?? (mixed.kernels.length > 0 ? mixed.kernels : null);
    const calls = this.#calls ?? (mixed.calls.length > 0 ? mixed.calls : null);
    const some = this.#copies ?? (mixed.copies.length > 0 ? mixed.copies : null);
    const copies = mixed.managed.length > 0 ? [...(some ?? []), ...mixed.managed] : some;
    const told = this.#sizes ?? [];
    const copyBytes = [
      ...told,
      ...mixed.sizes.filter(({ direction }) => !told.some((size) => size.direction === direction)),
    ];
    const sums = { kernels, calls, copies, copyBytes: copyBytes.length > 0 ? copyBytes : null, faults: this.#faults };
    const [ranges, advice, notes] = [this.#ranges, this.#advice, this.#notes];
    const isEmpty = Object.values(sums).every((each) => each === null);
    if (isEmpty && ranges === null && advice.length + notes.length === 0) return null;
    return { ...sums, ranges, advice, notes, gpu: this.#gpu };
  }

  #put(of: 'kernels' | 'calls' | 'copies', rows: SumRow[]): void {
    const known = of === 'kernels' ? this.#kernels : of === 'calls' ? this.#calls : this.#copies;
    // The same kernels by their grids say more.
    const isFiner = of === 'kernels' && rows.some(({ shape }) => shape !== undefined);
    if (known !== null && !(isFiner && known.every(({ shape }) => shape === undefined))) {
      this.#twice.add(of);
      return;
    }
    if (of === 'kernels') this.#kernels = rows;
    else if (of === 'calls') this.#calls = rows;
    else this.#copies = rows;
  }

  #rows(head: StatHead, rows: readonly StatRow[], quote: (row: StatRow) => TraceQuote, named: string): SumRow[] {
    const find = (...names: readonly string[]): number => head.columns.findIndex(({ name }) => names.includes(name));
    const [total, count, median, most, name] = [
      find('total time', 'total range time'),
      find('instances', 'num calls', 'calls', 'count', 'operations', 'range instances'),
      find('med', 'median'),
      find('max', 'maximum'),
      find(named),
    ];
    const [grid, block] = [find('gridxyz', 'grid'), find('blockxyz', 'block')];
    const timeOf = (row: StatRow, at: number): number | null => {
      const value = at < 0 ? null : statNumber(row.cells[at]);
      return value === null ? null : value * nanosecondsOf(head.columns[at]!.unit ?? head.columns[total]!.unit);
    };
    return rows.flatMap((row): SumRow[] => {
      const [totalNs, times] = [timeOf(row, total), statNumber(row.cells[count])];
      if (totalNs === null || times === null || totalNs < 0 || times < 0) return [];
      const shape = grid < 0 || block < 0 ? null : shapeOf(row.cells[grid], row.cells[block]);
      return [
        {
          ...(shape === null ? {} : { shape }),
          name: row.cells[name]?.trim() ?? '',
          count: times,
          totalNs,
          medianNs: timeOf(row, median),
          maxNs: timeOf(row, most),
          quote: quote(row),
        },
      ];
    });
  }

  /** `nvtx_sum`, `nvtx_pushpop_sum`, `nvtx_startend_sum`, `nvtx_gpu_proj_sum`: stretches that the program named. */
  #named(head: StatHead, rows: readonly StatRow[], quote: (row: StatRow) => TraceQuote): void {
    this.#ranges ??= [];
    const own = this.#rows(head, rows, quote, 'range').filter(({ name }) => !this.#rangeNames.has(name));
    for (const range of own.slice(0, mostRanges - this.#ranges.length)) {
      this.#ranges.push(range);
      this.#rangeNames.add(range.name);
    }
  }

  /** `cuda_gpu_sum`, `cuda_api_gpu_sum`: kernels, operations on memory and calls in one table. */
  #categories(head: StatHead, rows: readonly StatRow[], quote: (row: StatRow) => TraceQuote): void {
    const category = head.columns.findIndex(({ name }) => name === 'category');
    const last = head.columns.at(-1)!.name;
    for (const row of rows) {
      const [sum] = this.#rows(head, [row], quote, last);
      if (sum === undefined) continue;
      const kind = row.cells[category]?.trim().toUpperCase() ?? '';
      if (kind.includes('KERNEL')) this.#mixed.kernels.push(sum);
      else if (kind.includes('API')) this.#mixed.calls.push(sum);
      else this.#mixed.copies.push(...copiesOf([sum]));
    }
  }

  /** `cuda_kern_exec_sum`: what launching and running each kernel took. */
  #launches(head: StatHead, rows: readonly StatRow[], quote: (row: StatRow) => TraceQuote): void {
    const at = (name: string): number => head.columns.findIndex((column) => column.name === name);
    const calls = new Map<string, SumRow>();
    for (const row of rows) {
      const count = statNumber(row.cells[at('count')]);
      const time = (name: string): number | null => {
        const value = statNumber(row.cells[at(name)]);
        return value === null ? null : value * nanosecondsOf(head.columns[at(name)]!.unit);
      };
      const [kernel, call] = [time('kavg'), time('aavg')];
      if (count === null || kernel === null) continue;
      this.#mixed.kernels.push({
        name: row.cells[at('kernel name')]?.trim() ?? '',
        count,
        totalNs: kernel * count,
        medianNs: time('kmed'),
        maxNs: time('kmax'),
        quote: quote(row),
      });
      const name = row.cells[at('api name')]?.trim() ?? '';
      if (call === null || !isCudaCall.test(name)) continue;
      const known = calls.get(name);
      calls.set(name, {
        name,
        count: count + (known?.count ?? 0),
        totalNs: call * count + (known?.totalNs ?? 0),
        medianNs: known === undefined ? time('amed') : null,
        maxNs: Math.max(time('amax') ?? 0, known?.maxNs ?? 0),
        quote: known?.quote ?? quote(row),
      });
    }
    this.#mixed.calls.push(...calls.values());
  }

  #memorySizes(head: StatHead, rows: readonly StatRow[], quote: (row: StatRow) => TraceQuote): void {
    const at = (name: string): number => head.columns.findIndex((column) => column.name === name);
    if (this.#sizes !== null) {
      this.#twice.add('copies');
      return;
    }
    this.#sizes = rows.flatMap((row) => {
      const operation = operationOf(row.cells[at('operation') < 0 ? at('name') : at('operation')] ?? '');
      const counted = at('count') < 0 ? at('operations') : at('count');
      const [total, count] = [statNumber(row.cells[at('total')]), statNumber(row.cells[counted])];
      if (operation === null || operation === 'memset' || total === null || count === null) return [];
      return [
        {
          direction: operation,
          count,
          // Up to 2021 the unit stands in the heading alone, and is KiB.
          bytes: Math.round(total * bytesOf(head.columns[at('total')]!.unit ?? (at('count') < 0 ? 'kib' : null))),
          quote: quote(row),
        },
      ];
    });
  }

  /** `um_total_sum`, `um_sum`: migrations and faults, one row for each device or for all. */
  #managed(head: StatHead, rows: readonly StatRow[], quote: (row: StatRow) => TraceQuote): void {
    const at = (pattern: RegExp): number => head.columns.findIndex(({ name }) => pattern.test(name));
    const [up, down, gpu, cpu] = [
      at(/^(?:total )?htod migration size$/),
      at(/^(?:total )?dtoh migration size$/),
      at(/gpu page ?faults$/),
      at(/cpu page ?faults$/),
    ];
    const [first] = rows;
    if (first === undefined) return;
    const sum = (column: number): number | null => {
      const values = rows.flatMap((row) => statNumber(row.cells[column]) ?? []);
      return column < 0 || values.length === 0 ? null : values.reduce((all, each) => all + each, 0);
    };
    if (this.#faults?.gpu == null)
      this.#faults = { gpu: sum(gpu), cpu: sum(cpu) ?? this.#faults?.cpu ?? null, ns: null, quote: quote(first) };
    if (this.#mixed.sizes.length > 0) return;
    for (const [column, direction] of [
      [up, 'UVM_HtoD'],
      [down, 'UVM_DtoH'],
    ] as const) {
      const bytes = sum(column);
      // How many migrations there were is not told: an average would be made up.
      if (bytes !== null && bytes > 0)
        this.#mixed.sizes.push({
          direction,
          count: 0,
          bytes: Math.round(bytes * bytesOf(head.columns[column]!.unit)),
          quote: quote(first),
        });
    }
  }

  #cpuFaults(head: StatHead, rows: readonly StatRow[], quote: (row: StatRow) => TraceQuote): void {
    const at = head.columns.findIndex(({ name }) => name === 'cpu page faults');
    const [first] = rows;
    if (first === undefined || this.#faults?.cpu != null) return;
    const cpu = rows.reduce((all, row) => all + (statNumber(row.cells[at]) ?? 0), 0);
    this.#faults = {
      gpu: this.#faults?.gpu ?? null,
      cpu,
      ns: this.#faults?.ns ?? null,
      quote: this.#faults?.quote ?? quote(first),
    };
  }
}

/** Operations on memory by what they do; kernels and calls are left out. */
function copiesOf(rows: readonly SumRow[]): SumRow[] {
  return rows.flatMap((row) => {
    const operation = operationOf(row.name);
    return operation === null ? [] : [{ ...row, name: operation }];
  });
}

function shapeOf(grid: string | undefined, block: string | undefined): NonNullable<SumRow['shape']> | null {
  const [one, other] = [tripleOf(grid), tripleOf(block)];
  if ([...one, ...other].some((each) => each === null || each < 1)) return null;
  return { grid: one as [number, number, number], block: other as [number, number, number] };
}
