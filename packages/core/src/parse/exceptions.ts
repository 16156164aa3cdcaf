// How programs end.
//
// Traceback (most recent call last):
//   File "/opt/conda/lib/python3.10/site-packages/triton/compiler/compiler.py", line 341, in _init_handles
// RuntimeError: Triton Error [CUDA]: device kernel image is invalid
// terminate called after throwing an instance of 'c10::Error'
//   what():  CUDA error: out of memory
// thread 'main' panicked at src/main.rs:10:5:
// train.py: error: unrecognized arguments: --bf16
// exitcode  : -9 (pid: 4711)
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';

const header = 'Traceback (most recent call last)';
const level = /^(?:ERROR|WARNING|INFO|CRITICAL|DEBUG) \d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})? \[[^\]]{1,80}\] ?/;
const last = /^([A-Za-z_][\w.]{0,150}): (.{0,2000})$/;
const bareName = /^([A-Za-z_][\w.]{0,120}(?:Error|Exception|Interrupt|Exit|Timeout|Failure|Warning))$/;
const standalone =
  /^(?:E {1,8})?([A-Za-z_][\w.]{0,120}(?:Error|Exception|Interrupt|ConnectTimeout|OutOfMemory)): ?(.{0,2000})$/;

function text(line: Line): string {
  return line.clean.replace(level, '');
}

function sameSpeaker(a: Line, b: Line): boolean {
  return a.origin.rank === b.origin.rank && a.origin.pid === b.origin.pid && a.origin.unit === b.origin.unit;
}

/** Package that a source file belongs to: its folder under site-packages, `python` for the standard library, else `user`. */
function moduleOf(path: string): string {
  const clean = path.replaceAll('\\', '/');
  const packages = /\/(?:site|dist)-packages\/([^/]{1,100})/.exec(clean);
  if (packages !== null) return packages[1]!.replace(/\.py$/, '');
  return /\/lib\/python\d(?:\.\d{1,2})?\/|^<frozen /.test(clean) ? 'python' : 'user';
}

export const exceptions: Parser = {
  id: 'exception',
  failures: true,
  literals: [
    'traceback (most recent',
    'error: ',
    'error:',
    'exception: ',
    'exception:',
    'keyboardinterrupt',
    'timeout: ',
    'outofmemory',
    '  file "',
  ],
  keep: { before: 2, after: 60 },
  parse(document, hits, sink) {
    let done = -1;
    for (const line of hits) {
      if (line.index <= done || line.prompt || line.told) continue;
      if (line.clean.includes(header)) {
        done = readTraceback(document, line, line.index + 1, sink) ?? done;
        continue;
      }
      if (/^ {2,6}File "/.test(text(line))) {
        done = readTraceback(document, line, line.index, sink) ?? done;
        continue;
      }
      const match = standalone.exec(text(line));
      // `Error:` by itself is any tool's word.
      if (match === null || /^(?:Error|Exception)$/.test(match[1]!)) continue;
      const next = document.lines[line.index + 1];
      const below =
        match[2]!.trim() === '' && next !== undefined && !next.prompt && !next.told && /\w/.test(next.clean)
          ? text(next).trim()
          : '';
      addException(match[1]!, below === '' ? match[2]! : below, null, below === '' ? [line] : [line, next!], sink);
    }
  },
};

/** Reads frames and the last line; the index of that line, or null where the traceback has none. */
function readTraceback(document: Document, start: Line, from: number, sink: FactSink): number | null {
  let frame: string | null = null;
  for (let at = from; at < Math.min(document.lines.length, from + 400); at++) {
    const line = document.lines[at]!;
    if (line.prompt || line.told) return null;
    if (!sameSpeaker(line, start) && line.column === 1) continue;
    const content = text(line);
    if (content.trim() === '') continue;
    const file = /^\s{1,8}File "([^"]{1,500})", line \d{1,7}/.exec(content);
    if (file !== null) {
      frame = file[1]!;
      continue;
    }
    if (/^\s/.test(content)) continue;
    if (content.includes(header)) return at - 1;
    const match = last.exec(content) ?? bareName.exec(content);
    if (match === null || !isTypeName(match[1]!)) return null;
    let message = match[2] ?? '';
    const next = document.lines[at + 1];
    const lines = [line];
    // A name without a colon has no message.
    if (match[2]?.trim() === '' && next !== undefined && next.clean.trim() !== '' && !next.prompt) {
      message = text(next).trim();
      lines.push(next);
    }
    addException(match[1]!, message, frame === null ? null : moduleOf(frame), lines, sink);
    return at;
  }
  return null;
}

/** `torch.cuda.OutOfMemoryError`, `httpx.ConnectTimeout`; not `INFO`, not `note`. */
function isTypeName(name: string): boolean {
  const short = name.slice(name.lastIndexOf('.') + 1);
  return /^[A-Z]/.test(short) && /[a-z]/.test(short);
}

function addException(
  type: string,
  message: string,
  module: string | null,
  lines: readonly Line[],
  sink: FactSink,
): void {
  sink.add('program.exception', { type, message: message.trim().slice(0, 500), module }, lines);
}

export const nativeExceptions: Parser = {
  id: 'crash',
  failures: true,
  literals: [
    'terminate called',
    "' panicked at",
    'exception in thread',
    'error: loaderror',
    'error: ',
    'panic: ',
    'check failed:',
  ],
  keep: { before: 0, after: 3 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const content = line.clean;
      const next = document.lines[line.index + 1];
      const thrown = /terminate called after throwing an instance of '([^']{1,200})'/.exec(content);
      if (thrown !== null) {
        const what = next === undefined ? null : /what\(\): {1,4}(.{0,1000})$/.exec(next.clean);
        addException(thrown[1]!, what?.[1] ?? '', null, what === null ? [line] : [line, next!], sink);
        continue;
      }
      const panic = /^thread '[^']{0,100}'(?: \(\d{1,9}\))? panicked at (?:'(.{0,600})', \S{1,300}|\S{1,300}:)$/.exec(
        content.trimEnd(),
      );
      if (panic !== null) {
        const message = panic[1] ?? next?.clean.trim() ?? '';
        addException(
          'panic',
          message,
          null,
          panic[1] === undefined && next !== undefined ? [line, next] : [line],
          sink,
        );
        continue;
      }
      const java = /^Exception in thread "[^"]{1,100}" ([\w.$]{3,200})(?:: (.{0,1000}))?$/.exec(content);
      if (java !== null) {
        addException(java[1]!, java[2] ?? '', null, [line], sink);
        continue;
      }
      const julia = /^ERROR: (LoadError|CUDA error|CUDARuntimeError|[A-Z]\w{2,60}Error): (.{1,1000})$/.exec(content);
      if (julia !== null) {
        addException(julia[1]!, julia[2]!, null, [line], sink);
        continue;
      }
      // argparse: the usage stands before.
      const parser = /^([\w.-]{1,80}): error: (.{1,500})$/.exec(content);
      if (parser !== null && hasUsage(document, line)) addException('ArgumentError', parser[2]!, 'user', [line], sink);
    }
  },
};

function hasUsage(document: Document, line: Line): boolean {
  for (let back = 1; back <= 40; back++) {
    const before = document.lines[line.index - back];
    if (before === undefined || before.prompt) return false;
    if (before.clean.startsWith('usage: ')) return true;
  }
  return false;
}

const exitPatterns: readonly RegExp[] = [
  /\bexit(?:ed)?(?: with)?(?: exit)? ?(?:code|status)(?:\s{0,12}[:=]\s{0,12}| )\(?(-?\d{1,3})\b/i,
  /\bexitcode\s{0,6}[:=] {0,4}(-?\d{1,3})\b/i,
  /\bExited \((\d{1,3})\)/,
  /\breturn code (-?\d{1,3})\b/i,
];

export const exits: Parser = {
  id: 'exit',
  failures: true,
  literals: [
    'exit code',
    'exit status',
    'exitcode',
    'exited (',
    'exited with',
    'return code',
    'segmentation fault',
    'killed',
    'core dumped',
    '$?',
  ],
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const content = line.clean.trim();
      if (/^(?:\/\S{1,200}: line \d{1,6}: {1,4}\d{1,9} )?Killed(?: {1,60}\S.{0,200})?$/.test(content)) {
        sink.add('program.exit', { code: 137 }, line);
        continue;
      }
      if (/(?:^|: {0,20}\d{0,9} )Segmentation fault(?: {0,4}\(core dumped\))?/.test(content) && content.length < 300) {
        sink.add('program.exit', { code: 139 }, line);
        continue;
      }
      for (const pattern of exitPatterns) {
        const code = pattern.exec(content)?.[1];
        if (code === undefined) continue;
        sink.add('program.exit', { code: Number(code) }, line);
        break;
      }
    }
    for (const block of blocksOf(document)) {
      if (!/^echo (?:\S{0,20}=?)?"?\$\?/.test(block.command)) continue;
      const line = filled(block.output)[0];
      const code = line === undefined ? null : /^(?:\w{1,10}=)?(\d{1,3})$/.exec(line.clean.trim());
      if (line !== undefined && code !== null) sink.add('program.exit', { code: Number(code[1]) }, line);
    }
  },
};
