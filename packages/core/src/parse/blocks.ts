import type { Document, Line } from '../model/document.ts';

/** A command that was seen at a prompt, and the lines that it printed. */
export interface Block {
  /** The prompt's line, or the first line of a document that is one command's output. */
  readonly prompt: Line;
  /** Without prompt and without `sudo`. */
  readonly command: string;
  readonly output: readonly Line[];
}

/** Commands whose output a snapshot's source holds, so that sources and prompts read alike. */
const commandOfSource: Readonly<Record<string, string>> = {
  'proc-driver-version': 'cat /proc/driver/nvidia/version',
  'proc-driver-nvidia-version': 'cat /proc/driver/nvidia/version',
  'sys-module-version': 'cat /sys/module/nvidia/version',
  'sys-module-nvidia-version': 'cat /sys/module/nvidia/version',
  lsmod: 'lsmod',
  'dev-nvidia': 'ls /dev/nvidia*',
  uname: 'uname -a',
  'uname-r': 'uname -r',
  env: 'env',
  'os-release': 'cat /etc/os-release',
  'ldd-version': 'ldd --version',
  'nvidia-smi': 'nvidia-smi',
  'nvidia-smi-q': 'nvidia-smi -q',
  'nvidia-smi-l': 'nvidia-smi -L',
  mokutil: 'mokutil --sb-state',
  'pip-list': 'pip list',
  'pip-freeze': 'pip freeze',
  'conda-list': 'conda list',
  'version-txt': 'cat /usr/local/cuda/version.txt',
  'version-json': 'cat /usr/local/cuda/version.json',
  'docker-daemon-json': 'cat /etc/docker/daemon.json',
  'shm-size': 'df -m /dev/shm',
  memlock: 'ulimit -l',
};

const cache = new WeakMap<Document, readonly Block[]>();

/** Commands at prompts (or remarks that are commands) with their output, in the order of the document. */
export function blocksOf(document: Document): readonly Block[] {
  const made = cache.get(document);
  if (made !== undefined) return made;
  const blocks: { prompt: Line; command: string; output: Line[] }[] = [];
  const ofSource = commandOfSource[document.source] ?? null;
  let block: { prompt: Line; command: string; output: Line[] } | null = null;
  let running: string | null = null;
  for (const line of document.lines) {
    const command = line.command ?? (line.told ? null : ofSource);
    if (command !== null && (line.prompt || line.told)) {
      block = { prompt: line, command: bareCommand(command), output: [] };
      blocks.push(block);
    } else if (command === null || line.told) {
      block = null;
    } else {
      // An observation's lines carry its command without a prompt.
      if (block === null || command !== running) {
        block = { prompt: line, command: bareCommand(command), output: [] };
        blocks.push(block);
      }
      block.output.push(line);
    }
    running = block === null ? null : command;
  }
  cache.set(document, blocks);
  return blocks;
}

/** Takes `sudo`, variable settings and a leading `time` off a command. */
function bareCommand(command: string): string {
  let rest = command.trim();
  for (let round = 0; round < 8; round++) {
    const match = /^(?:sudo(?: -[a-zA-Z]{1,4})?|time|nice|command|exec|then|do) +/.exec(rest);
    if (match === null) return rest;
    rest = rest.slice(match[0].length);
  }
  return rest;
}

/** Commands of a pipeline or a list: `a | b ; c && d`. Quoted separators are kept. */
export function pipeline(command: string): readonly string[] {
  const parts: string[] = [];
  let quote = '';
  let from = 0;
  for (let at = 0; at < command.length; at++) {
    const char = command.charAt(at);
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") {
      quote = char;
    } else if (char === '|' || char === ';' || (char === '&' && command[at + 1] === '&')) {
      parts.push(command.slice(from, at).trim());
      while (command[at + 1] === '|' || command[at + 1] === '&') at++;
      from = at + 1;
    }
  }
  parts.push(command.slice(from).trim());
  return parts.filter((part) => part !== '');
}

/** Words of a command, quotes taken off. */
export function commandWords(command: string): readonly string[] {
  const found: string[] = [];
  let word = '';
  let quote = '';
  let open = false;
  for (const char of command) {
    if (quote !== '') {
      if (char === quote) quote = '';
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      open = true;
    } else if (char === ' ' || char === '\t') {
      if (open || word !== '') found.push(word);
      word = '';
      open = false;
    } else word += char;
  }
  if (open || word !== '') found.push(word);
  return found;
}

/** Output lines that hold something. */
export function filled(lines: readonly Line[]): readonly Line[] {
  return lines.filter((line) => line.clean.trim() !== '');
}

/**
 * The whole text of the line that `line` is a slice of, and the index of the line after it.
 * Long lines are cut into overlapping slices that start at `column`.
 */
export function wholeLine(document: Document, line: Line): { readonly text: string; readonly next: number } {
  let text = line.clean;
  let index = line.index + 1;
  let end = line.column - 1 + line.text.length;
  for (;;) {
    const slice = document.lines[index];
    if (slice === undefined || slice.number !== line.number || slice.column <= line.column) break;
    const skip = end - (slice.column - 1);
    if (skip < 0) break;
    text += slice.clean.slice(skip);
    end = slice.column - 1 + slice.text.length;
    index++;
  }
  return { text, next: index };
}
