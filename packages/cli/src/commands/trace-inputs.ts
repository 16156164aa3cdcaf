import { isFolder, listFolder } from '@culprit/collect';
import type { TraceFile } from '@culprit/collect/trace';
import { readTraceFile } from '@culprit/collect/trace';
import { whyUnreadable } from '@culprit/collect/unreadable';
import type { Trace } from '@culprit/core/trace/model';
import { hasNoNumbers } from '@culprit/core/trace/numbers';
import { rankTraces } from '@culprit/core/trace/rank-files';
import { TraceUnreadable } from '@culprit/core/trace/unreadable';
import type { Call } from './command.ts';

/** A table of a profiler, and the file it is from. */
export interface Table {
  readonly name: string;
  readonly of: 'ncu-csv';
  readonly text: string;
}

/** An input of which nothing could be read. */
interface Failure {
  readonly message: string;
  readonly hint: string | null;
  /** The input is a trace, and broken; null where it is none. */
  readonly damaged: boolean;
}

/** What the names of the command line gave. */
export interface TraceInputs {
  readonly tables: readonly Table[];
  /** Of all files and folders, ordered by rank: one job. */
  readonly traces: readonly Trace[];
  readonly left: readonly string[];
  readonly failures: readonly Failure[];
}

/** Rows of all traces together; more do not fit into the memory of a usual machine. */
const mostRows = 40_000_000;
const readable =
  'read are traces of Nsight Systems (nsys export -t sqlite), PyTorch and JAX (JSON, also packed), what nsys stats, nsys analyze and nvprof print, and tables of Nsight Compute (ncu --csv --page raw ./app); for logs there is culprit diagnose';

/**
 * Reads all profiles that are named. It does not throw for one of them.
 * @param names files, folders, `-`
 */
export async function readTraces(names: readonly string[], call: Call): Promise<TraceInputs> {
  const tables: Table[] = [];
  const traces: Trace[] = [];
  const left: string[] = [];
  const failures: Failure[] = [];
  let rows = 0;
  const read = async (name: string, inFolder: boolean): Promise<boolean> => {
    const called = name === '-' ? 'standard input' : name;
    if (rows > mostRows) {
      left.push(`${called} is left out: the traces before it fill the room that there is`);
      return true;
    }
    let file: TraceFile;
    try {
      file = await readTraceFile(name, progressOf(called, call));
    } catch (error) {
      failures.push(failureOf(called, error));
      return true;
    } finally {
      call.output.progress(null);
    }
    if (file.kind === 'trace') {
      // In a folder, what a profiler printed stands beside the traces themselves.
      if (inFolder && hasNoNumbers(file.trace)) return false;
      traces.push(file.trace);
      rows += file.trace.work.count + file.trace.calls.count;
    } else if (file.kind === 'table') tables.push({ name, of: file.of, text: file.text });
    else {
      // A folder holds other things too.
      if (inFolder && file.what !== 'empty' && file.hint === null) return false;
      const message = file.what === 'empty' ? `${called} is no profile that is known` : `${called} is ${file.what}`;
      const hint = file.what === 'empty' ? 'it is empty' : (file.hint ?? readable);
      if (inFolder) left.push(`${message}: ${hint}`);
      else failures.push({ message, hint, damaged: false });
      return file.what !== 'empty';
    }
    return true;
  };
  for (const name of new Set(names)) {
    if (!isFolder(name)) {
      await read(name, false);
      continue;
    }
    try {
      const listing = listFolder(name);
      const others: string[] = [];
      let found = 0;
      for (const file of listing.files) {
        if (await read(file, true)) found++;
        else others.push(file);
      }
      left.push(...listing.left);
      for (const { name: closed, error } of listing.closed) left.push(`${closed}: ${whyUnreadable(error).reason}`);
      if (found === 0)
        failures.push({ message: `no profile is in the folder ${name}`, hint: readable, damaged: false });
      else if (others.length > 0)
        left.push(
          `${others.length} ${others.length === 1 ? 'file' : 'files'} of ${name} left out (no profile): ${others.slice(0, 3).join(', ')}${others.length > 3 ? ', …' : ''}`,
        );
    } catch (error) {
      failures.push(failureOf(name, error));
    }
  }
  const ranked = rankTraces(traces);
  return { tables, traces: ranked.traces, left: [...left, ...ranked.left], failures };
}

function failureOf(called: string, error: unknown): Failure {
  if (error instanceof TraceUnreadable)
    return { message: error.message, hint: error.hint, damaged: error.code === 'damaged' };
  const { reason, hint } = whyUnreadable(error);
  return { message: `${called} could not be read: ${reason}`, hint, damaged: false };
}

/** Says how far it is, from the first second on. */
function progressOf(called: string, call: Call): (done: number, size: number | null) => void {
  const started = performance.now();
  let shown = started + 700;
  return (done, size) => {
    const now = performance.now();
    if (now < shown) return;
    shown = now + 300;
    const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
    const share = size === null || size === 0 ? '' : ` of ${megabytes(size)} MB (${Math.floor((done / size) * 100)} %)`;
    call.output.progress(`${called}: ${megabytes(done)}${share === '' ? ' MB' : share}`);
  };
}
