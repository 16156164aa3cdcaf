import { writeSync } from 'node:fs';
import { visible, visiblePage } from '@culprit/core/report/visible';
import { toolError } from './errors.ts';

/** Where a command prints: data to standard output, notes to standard error. */
export interface Output {
  /** True where colour is wanted. */
  readonly color: boolean;
  /** Columns of the terminal; null where the output is none. */
  readonly columns: number | null;
  data(text: string): void;
  note(text: string): void;
  /** Shows how far a long work is, on a terminal only; null takes it away. */
  progress(text: string | null): void;
  /** What went wrong; `quiet` does not silence it. */
  error(text: string, hint?: string | null): void;
}

/** The process's own output. A reader that has gone away ends the writing quietly. */
export function processOutput(options: {
  readonly color: 'auto' | 'always' | 'never';
  readonly quiet: boolean;
}): Output {
  const terminal = process.stdout.isTTY;
  let shown = false;
  return {
    color: options.color === 'always' || (options.color === 'auto' && terminal && colorWanted(process.env)),
    columns: terminal ? (process.stdout.columns ?? null) : null,
    data: (text) => write(1, text),
    note: (text) => {
      if (!options.quiet) write(2, `${visiblePage(text)}\n`);
    },
    progress: (text) => {
      if (options.quiet || !process.stderr.isTTY || (text === null && !shown)) return;
      shown = text !== null;
      write(2, `\r\u001b[K${text ?? ''}`);
    },
    // File names and values come from strangers: one line each, no control characters.
    error: (text, hint) => write(2, errorLines(text, hint ?? null)),
  };
}

/** An error and its hint as they stand on standard error. */
export function errorLines(text: string, hint: string | null): string {
  return `culprit: ${visible(text)}\n${hint === null ? '' : `  ${visible(hint)}\n`}`;
}

/** https://no-color.org: any value that is not empty means no. */
function colorWanted(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

let closed = false;

/** True once the reader of standard output has gone away. */
export function outputClosed(): boolean {
  return closed;
}

/** Writes all of it before the process goes on; pipes may take a text in parts. */
export function write(fd: 1 | 2, text: string): void {
  if (closed && fd === 1) return;
  const bytes = Buffer.from(text, 'utf8');
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EAGAIN') {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
        continue;
      }
      if (code === 'EPIPE') {
        closed ||= fd === 1;
        return;
      }
      if (fd === 2) return;
      throw toolError('not-written', `standard output cannot be written: ${(error as Error).message}`);
    }
  }
}
