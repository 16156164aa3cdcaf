import { traceKindOf } from '@culprit/core/trace/trace-kind';
import { TraceUnreadable } from '@culprit/core/trace/unreadable';
import { sniff } from '@culprit/core/text/sniff';
import { openBytes } from '../bytes.ts';
import { unpacker } from '../unpack.ts';
import { openSpool } from './spool.ts';
import type { TraceFile, TraceSpool } from './trace-stage.ts';
import { TraceStage } from './trace-stage.ts';

export type { TraceFile } from './trace-stage.ts';

/** Is told how far the reading is: bytes of the file, and of how many where that is known. */
export type TraceProgress = (done: number, size: number | null) => void;

/** From this size on, what unpacks to more than so many times its size is no trace. */
const bombBytes = 4 * 1024 ** 3;
const bombRatio = 400;

class Enough extends Error {}

/**
 * Reads a profile of any kind: a trace of PyTorch or XLA (JSON), an export of Nsight Systems (SQLite), a table of Nsight
 * Compute or Systems; packed by gzip or zstd, and by xz, bzip2, lz4 where the system has the program. Traces of any size
 * are read in pieces. SQLite that comes from a pipe or packed is put into a temporary file, which is taken away.
 * @param name of a file, or `-` for standard input
 * @throws TraceUnreadable where it is a trace of which nothing can be read, and the system's error
 */
export async function readTraceFile(name: string, progress: TraceProgress = () => {}): Promise<TraceFile> {
  const reader = openBytes(name);
  const stage = new TraceStage(name, spooled);
  try {
    let done = 0;
    let first = reader.read();
    if (first === null) return { kind: 'none', what: 'empty', hint: null };
    const sniffed = sniff(first);
    if (name !== '-' && reader.size !== null && traceKindOf(latin(first)) === 'sqlite') {
      const { readNsysExport } = await import('../sqlite/index.ts');
      return { kind: 'trace', trace: await readNsysExport(name) };
    }
    let push = (bytes: Uint8Array): void | Promise<void> => stage.push(bytes);
    let end = async (): Promise<string | null> => null;
    if (sniffed.kind === 'compressed') {
      let unpacked = 0;
      const unpack = await unpacker(sniffed.format, async (bytes) => {
        unpacked += bytes.length;
        if (unpacked > bombBytes && unpacked > bombRatio * done)
          throw new Enough(`it unpacks to more than ${bombRatio} times its size, as no trace does; read up to there`);
        stage.push(bytes);
      });
      push = async (bytes) => unpack.push(bytes);
      end = async () => unpack.end();
    }
    try {
      for (; first !== null; first = reader.read()) {
        done += first.length;
        const pushed = push(first);
        if (pushed !== undefined) await pushed;
        progress(done, reader.size);
        if (stage.enough) break;
      }
      const wrong = stage.enough ? null : await end();
      if (wrong !== null && stage.bytes === 0)
        throw new TraceUnreadable('damaged', `${name} cannot be unpacked: ${wrong}`, 'copy the file again');
      if (wrong !== null) stage.left.push(wrong);
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
      stage.left.push(error.message);
    }
    return await stage.finish();
  } finally {
    reader.close();
    stage.close();
  }
}

function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4096)).toString('latin1');
}

/** SQLite is read from a temporary file. */
function spooled(): TraceSpool {
  const spool = openSpool('export.sqlite');
  return {
    push: (bytes) => spool.push(bytes),
    trace: async (called) => (await import('../sqlite/index.ts')).readNsysExport(spool.path, called),
    close: () => spool.close(),
  };
}
