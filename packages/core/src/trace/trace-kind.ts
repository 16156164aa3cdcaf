import { isNcuHeader } from './ncu.ts';
import { jsonHeadAt } from './nsys-stats/json-tables.ts';
import { isProfilerOutput } from './nsys-stats/console.ts';
import { isNvprofHead } from './nsys-stats/nvprof.ts';
import { headAt } from './nsys-stats/tables.ts';

/** What a profile is; `foreign` ones are known and cannot be read here. */
export type TraceKind =
  /** A table of Nsight Compute. */
  | 'ncu-csv'
  /** JSON of events: PyTorch, JAX, TensorFlow. */
  | 'events'
  /** An SQLite database, as Nsight Systems exports them. */
  | 'sqlite'
  /** Tables of Nsight Systems and nvprof: `nsys stats`, `nsys profile --stats=true`, `nsys analyze`. */
  | 'nsys-stats'
  /** What these print where they recorded nothing, or wrote no table. */
  | 'profiler-output'
  | { readonly foreign: string; readonly hint: string };

const exported = 'export it: nsys export -t sqlite -o FILE.sqlite FILE';

/** Kinds that are known but not read, and how to get one that is. */
const foreign: readonly { readonly is: (head: string) => boolean; readonly foreign: string; readonly hint: string }[] =
  [
    {
      // `NVRM version:` begins what the driver says of itself.
      is: (head) => head.startsWith('NVR') && !head.startsWith('NVRM'),
      foreign: 'a report of Nsight Compute in its own format',
      hint: 'export it: ncu --import FILE --csv --page raw > profile.csv',
    },
    {
      is: (head) => head.startsWith('QDSTRM') || head.slice(0, 4096).includes('NsightSystems'),
      foreign: 'a report of Nsight Systems in its own format',
      hint: exported,
    },
  ];

const ownFormat = /\.(?:nsys-rep|qdrep|qdstrm)$/i;

/**
 * What kind of profile an input is, by its content; by its name only where the content is not its own word.
 * @param head the first 64 KiB or more, bytes as text; a table may begin behind the program's own output
 * @param name of the file; null where it has none
 * @returns null where it is none of the known kinds
 */
export function traceKindOf(head: string, name: string | null = null): TraceKind | null {
  if (head.startsWith('SQLite format 3\0')) return 'sqlite';
  const known = foreign.find((each) => each.is(head));
  if (known !== undefined) return { foreign: known.foreign, hint: known.hint };
  if (name !== null && ownFormat.test(name))
    return { foreign: 'a report of Nsight Systems in its own format', hint: exported };
  const start = head.slice(0, 65_536);
  if (
    /^[\s\u{feff}]{0,100}[{[]/u.test(start) &&
    /"(?:traceEvents|schemaVersion|deviceProperties|ph)"\s{0,10}:/.test(start)
  )
    return 'events';
  const lines = head.split('\n');
  if (lines.some((line) => isNcuHeader(line))) return 'ncu-csv';
  if (lines.some((line, at) => headAt(lines, at) !== null || jsonHeadAt(lines, at) || isNvprofHead(line)))
    return 'nsys-stats';
  return isProfilerOutput(lines) ? 'profiler-output' : null;
}
