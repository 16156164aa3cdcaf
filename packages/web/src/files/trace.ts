import type { TraceFile, TraceSpool } from '@culprit/collect/anywhere/trace';
import { databaseError, described, missingPart, traceOf, TraceStage } from '@culprit/collect/anywhere/trace';
import { SqlError } from '@culprit/core/trace/nsys/database';
import type { Trace } from '@culprit/core/trace/model';
import { TraceUnreadable } from '@culprit/core/trace/unreadable';
import { bytesAt } from './blob-bytes.ts';
import type { SyncSource } from './blob-file.ts';
import { syncSourceOf } from './blob-file.ts';
import { unpackedInto } from './unpacked.ts';

/** Largest unpacked database of a packed file: it has to be put somewhere. */
const mostSpooled = 2 * 1024 ** 3;

/** How the bytes of a file are had at once; tests outside of a browser have another way. */
export type SourceOf = (file: Blob) => SyncSource;

/**
 * Reads a profile of any kind, as `culprit trace` reads it. Of a database of any size only the pages are read that are
 * asked for; traces in JSON pass by in pieces.
 * @throws TraceUnreadable where it is a trace of which nothing can be read
 */
export async function readTrace(
  name: string,
  file: Blob,
  progress: (words: string) => void,
  sourceOf: SourceOf = syncSourceOf,
): Promise<TraceFile> {
  if (file.size === 0) return { kind: 'none', what: 'empty', hint: null };
  const head = await bytesAt(file, 0, 16);
  if (new TextDecoder('latin1').decode(head) === 'SQLite format 3\0') {
    progress(`reading ${name}`);
    return { kind: 'trace', trace: await readExport(name, file, sourceOf) };
  }
  const stage = new TraceStage(name, () => spooled(sourceOf));
  let said = 0;
  try {
    const wrong = await unpackedInto(
      file,
      (bytes) => {
        stage.push(bytes);
        return !stage.enough;
      },
      (done) => {
        if (done - said < 8e6) return;
        said = done;
        progress(`reading ${name}: ${Math.round(done / 1e6)} of ${Math.round(file.size / 1e6)} MB`);
      },
    );
    if (wrong !== null && stage.bytes === 0)
      throw new TraceUnreadable('damaged', `${name} cannot be unpacked: ${wrong}`, 'copy the file again');
    if (wrong !== null) stage.left.push(wrong);
    return await stage.finish();
  } finally {
    stage.close();
  }
}

async function readExport(name: string, file: Blob, sourceOf: SourceOf): Promise<Trace> {
  const cut = missingPart(await bytesAt(file, 0, 100), file.size, name);
  const { openSource } = await import('./sqlite.ts');
  try {
    return traceOf(described(await openSource(sourceOf(file)), cut), name, name);
  } catch (error) {
    if (error instanceof SqlError) throw databaseError(error, name);
    throw error;
  }
}

/** Puts what is unpacked into a Blob: browsers keep large ones on disk. */
function spooled(sourceOf: SourceOf): TraceSpool {
  let parts: Blob[] = [];
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let held = 0;
  let all = 0;
  return {
    push: (bytes) => {
      all += bytes.length;
      if (all > mostSpooled)
        throw new TraceUnreadable('damaged', 'the database unpacks to more than 2 GiB', 'unpack it, and drop that');
      waiting.push(new Uint8Array(bytes));
      held += bytes.length;
      if (held < 16 * 1024 ** 2) return;
      parts.push(new Blob(waiting));
      waiting = [];
      held = 0;
    },
    trace: (called) => readExport(called, new Blob([...parts, ...waiting]), sourceOf),
    close: () => {
      parts = [];
      waiting = [];
    },
  };
}
