import type { ProfilerNote, TraceQuote } from '../../model.ts';
import { askFor } from '../asks.ts';
import { openOfAdvice } from './advice.ts';
import type { SumsView } from './view.ts';
import { countOf } from './view.ts';

/** Why sums decide nothing, and what would. */
export interface SumsOpen {
  readonly cause: 'trace-has-no-gpu-work' | 'trace-unreadable' | 'profiling-counters-blind' | null;
  readonly message: string;
  readonly fact: string;
  readonly ask: string;
  readonly quotes: readonly TraceQuote[];
}

const record = 'nsys profile -t cuda,nvtx,osrt --stats=true -o run ./app';

/** What the profiler itself says that it did not record, and what to do. The first that it said counts. */
const sayings: readonly (Omit<SumsOpen, 'quotes'> & { readonly kind: ProfilerNote['kind'] })[] = [
  {
    kind: 'refused',
    cause: 'trace-has-no-gpu-work',
    message:
      'nvprof does not know this GPU (compute capability 8.0 or later, its counters from 7.5 on) and recorded nothing',
    fact: 'a profile by Nsight Systems',
    ask: record,
  },
  {
    kind: 'no-rights',
    cause: 'profiling-counters-blind',
    message: 'the profiler may not read what the GPU records',
    fact: 'the right to profile',
    ask: 'grep RmProfilingAdminOnly /proc/driver/nvidia/params',
  },
  {
    kind: 'no-importer',
    cause: 'trace-unreadable',
    message: 'the recording was not turned into a report: the importer is missing where it was taken, or failed',
    fact: 'a report that can be read',
    ask: 'QdstrmImporter -i FILE.qdstrm   # of the same version, where all of Nsight Systems is installed',
  },
  {
    kind: 'no-kernels',
    cause: 'trace-has-no-gpu-work',
    message: 'the profiler saw no kernel: none ran, or the program ended before its records were written',
    fact: 'a profile in which kernels ran',
    ask: record,
  },
  {
    kind: 'counters',
    cause: null,
    message: 'the text holds counters of single kernels, and no times',
    fact: 'how long kernels and copies run',
    ask: 'nvprof ./app; for GPUs of 8.0 and later nsys profile -t cuda,nvtx --stats=true -o run ./app',
  },
  {
    kind: 'skipped-gpu',
    cause: 'trace-has-no-gpu-work',
    message: 'nothing of a GPU was recorded: its reports are empty',
    fact: 'a profile of the process that uses the GPU',
    ask: record,
  },
];

/** Why sums without a finding decide nothing; null where they hold what is judged. */
export function silenceOf(view: SumsView): SumsOpen | null {
  const { sums, kernels, launches, copies } = view;
  const notes = sums.notes ?? [];
  const has = (kind: ProfilerNote['kind']): ProfilerNote | undefined => notes.find((note) => note.kind === kind);
  const hasWork =
    kernels.length > 0 || (sums.copies ?? []).length > 0 || (sums.copyBytes ?? []).length > 0 || sums.faults !== null;
  const advice = sums.advice ?? [];
  const open = advice.length > 0 ? openOfAdvice(view) : null;
  if (hasWork && open === null) return withoutKernels(view);
  if (advice.length > 0) {
    const fact = 'what the CPU does while the GPU waits';
    const ask = askFor({ format: 'nsys-stats' }, 'host');
    const quotes = advice.slice(0, 3).map(({ quote }) => quote);
    return {
      cause: null,
      message: open ?? 'what the rules list takes little of the time, or is too little to judge by',
      fact,
      ask,
      quotes,
    };
  }
  const quiet = notes.filter(({ kind }) => kind === 'quiet-rule');
  if (quiet.length > 0)
    return {
      cause: null,
      message: `${quiet.length} rule${quiet.length === 1 ? '' : 's'} of nsys analyze found nothing, which proves nothing beyond what ${quiet.length === 1 ? 'it looks' : 'they look'} for`,
      fact: 'the time line itself',
      ask: 'nsys export -t sqlite run.nsys-rep; culprit trace run.sqlite',
      quotes: quiet.slice(0, 3).map(({ quote }) => quote),
    };
  const asked = countOf(launches);
  const said = sayings.find(({ kind }) => has(kind) !== undefined);
  if (said !== undefined) {
    const { kind, ...rest } = said;
    const own = notes.filter((note) => note.kind === kind).slice(0, 3);
    const quotes = [...own.map(({ quote }) => quote), ...launches.slice(0, 2).map(({ quote }) => quote)];
    if (asked === 0 || (kind !== 'skipped-gpu' && kind !== 'no-kernels')) return { ...rest, quotes };
    return {
      ...rest,
      message: `the program launched ${asked} kernel${asked === 1 ? '' : 's'}, and the profiler recorded no work of a GPU: one that is older than the driver, or that may not read the GPU's records, sees the calls only`,
      quotes,
    };
  }
  if (view.calls.length > 0)
    return {
      cause: null,
      message: 'the text lists what the CPU calls, and not how long kernels and copies run',
      fact: 'the kernels and copies',
      ask: 'nsys stats --report cuda_gpu_kern_sum,cuda_gpu_mem_time_sum FILE',
      quotes: view.calls.slice(0, 2).map(({ quote }) => quote),
    };
  const ranges = sums.ranges ?? [];
  const other = has('other-table') ?? has('skipped') ?? notes[0];
  const place = ranges[0]?.quote ?? other?.quote;
  return {
    cause: 'trace-has-no-gpu-work',
    message:
      ranges.length > 0
        ? 'the text holds ranges of the CPU alone, and nothing of a GPU'
        : other?.kind === 'other-table'
          ? 'the text holds times of the CPU alone, and nothing of a GPU'
          : 'the text holds no table of what ran on a GPU',
    fact: 'kernels, copies and the calls that start them',
    ask: copies.length === 0 ? record : askFor({ format: 'nsys-stats' }, 'steps'),
    quotes: place === undefined ? [] : [place],
  };
}

/** Copies were recorded and kernels were not: they stand in graphs, or another profiler took their records. */
function withoutKernels({ kernels, launches, calls, sums }: SumsView): SumsOpen | null {
  const skipped = (sums.notes ?? []).find(
    ({ kind, quote }) => kind === 'no-kernels' || (kind === 'skipped-gpu' && /kernel/i.test(quote.text)),
  );
  const graphs = calls.filter(({ name }) => /GraphLaunch/.test(name));
  if (kernels.length > 0 || skipped === undefined) return null;
  return {
    cause: null,
    message: `${launches.length === 0 ? 'copies were recorded' : `the program launched ${countOf(launches)} times`}, and no kernel was${graphs.length > 0 ? ': those of graphs are only shown one by one where that is asked for' : ''}`,
    fact: 'the kernels',
    ask: `nsys profile -t cuda,nvtx${graphs.length > 0 ? ' --cuda-graph-trace=node' : ''} --stats=true -o run ./app`,
    quotes: [skipped.quote],
  };
}
