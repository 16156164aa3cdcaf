// Loaded kernel modules.
//
// $ lsmod
// Module                  Size  Used by
// nvidia_uvm           1458176  0
// nvidia              56553472  1 nvidia_uvm
// $ lsmod | grep -E 'mlx5_ib|ib_umad' ; echo rc=$?
// rc=1
// $ lsmod | grep -c peermem
// 0
import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import type { Block } from './blocks.ts';
import { blocksOf, commandWords, filled, pipeline } from './blocks.ts';

const row = /^([a-zA-Z][\w-]{1,60}) {1,40}\d{3,12} {1,12}-?\d{1,6}(?: {1,4}\S{0,400})?$/;

/** Modules whose absence says something about a GPU stack. */
const watched: readonly string[] = [
  'nvidia',
  'nvidia_uvm',
  'nvidia_modeset',
  'nvidia_drm',
  'nvidia_peermem',
  'nv_peer_mem',
  'nvidia_fs',
  'gdrdrv',
  'nouveau',
  'nvidiafb',
  'mlx5_core',
  'mlx5_ib',
  'ib_umad',
  'ib_uverbs',
  'ib_core',
];

export const lsmod: Parser = {
  id: 'lsmod',
  literals: ['lsmod', '/proc/modules', 'used by', '  nvidia'],
  keep: { before: 0, after: 150 },
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) readBlock(block, sink);
    // A listing without its prompt.
    for (const line of document.lines) {
      if (!/^Module {1,40}Size {1,8}Used by/.test(line.clean) || line.command !== null) continue;
      const names: string[] = [];
      const lines: Line[] = [line];
      for (let at = line.index + 1; ; at++) {
        const next = document.lines[at];
        const match = next === undefined ? null : row.exec(next.clean.trimEnd());
        if (next === undefined || match === null) break;
        names.push(match[1]!);
        lines.push(next);
      }
      report(names, lines, null, line, sink);
    }
  },
};

function readBlock(block: Block, sink: Parameters<Parser['parse']>[2]): void {
  const parts = pipeline(block.command);
  const at = parts.findIndex(
    (part) => /^(?:sudo )?(?:\/\S{0,30}\/)?lsmod\b/.test(part) || /\/proc\/modules\b/.test(part),
  );
  if (at < 0) return;
  const filters = parts.slice(at + 1).filter((part) => /^(?:[ef]?grep|rg)\b/.test(part));
  const direct =
    /\/proc\/modules\b/.test(parts[at]!) && /^(?:[ef]?grep|rg)\b/.test(parts[at]!) ? [parts[at]!] : filters;
  const names: string[] = [];
  const lines: Line[] = [];
  let count: { readonly value: number; readonly line: Line } | null = null;
  for (const line of filled(block.output)) {
    const text = line.clean.trimEnd();
    const match = row.exec(text) ?? /^([a-z][\w-]{1,60}) \d{3,12} \d{1,6} \S{1,400} (?:Live|Loading)/.exec(text);
    if (match !== null) {
      names.push(match[1]!);
      lines.push(line);
    } else if (/(?:command not found|No such file|cannot open|Permission denied)/.test(text)) {
      sink.unread('list of kernel modules', line);
      return;
    } else if (/^\d{1,4}$/.test(text.trim())) count = { value: Number(text.trim()), line };
  }
  if (parts.slice(at + 1).some((part) => /^(?:head|tail|awk|cut|sed|less)\b/.test(part)) && names.length === 0) return;
  const filter = direct[0];
  if (filter === undefined) {
    // A full list begins with a header; one that was cut does not prove that a module is absent.
    const whole = filled(block.output).some((line) => /^Module\s{1,40}Size/.test(line.clean));
    report(names, lines, whole ? () => true : null, block.prompt, sink);
    return;
  }
  if (direct.some((part) => /\s-\w{0,4}v/.test(part))) return;
  const looked = lookedFor(filter);
  if (looked === null) {
    report(names, lines, null, block.prompt, sink);
    return;
  }
  if (/\s-\w{0,4}c/.test(filter) && count !== null) {
    if (count.value === 0) report([], [count.line], looked.fits, block.prompt, sink, looked.named);
    return;
  }
  report(names, lines, looked.fits, block.prompt, sink, looked.named);
}

/** What a grep would show: the names it fits, and those that it names in full. Null for patterns that are not plain. */
function lookedFor(
  filter: string,
): { readonly fits: (name: string) => boolean; readonly named: readonly string[] } | null {
  const args = commandWords(filter).slice(1);
  const patterns: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!;
    if (word === '-e') patterns.push(args[++i] ?? '');
    else if (!word.startsWith('-') && !/^\d?>/.test(word) && !word.startsWith('/')) patterns.push(word);
  }
  const texts = patterns.flatMap((pattern) => pattern.split(/\\?\|/));
  const plain: { readonly text: string; readonly start: boolean; readonly end: boolean }[] = [];
  for (const raw of texts) {
    let text = raw
      .replace(/^\((.*)\)$/, '$1')
      .replaceAll('\\b', '')
      .replaceAll('.*', '')
      .trim();
    const start = text.startsWith('^');
    if (start) text = text.slice(1);
    const end = text.endsWith('$') || raw.endsWith(' ');
    if (text.endsWith('$')) text = text.slice(0, -1);
    text = text.replaceAll('[-_]', '_').replaceAll('[_-]', '_').replaceAll('-', '_').toLowerCase();
    if (!/^\w{2,60}$/.test(text)) return null;
    plain.push({ text, start, end });
  }
  if (plain.length === 0) return null;
  return {
    fits: (name) =>
      plain.some(({ text, start, end }) =>
        start && end ? name === text : start ? name.startsWith(text) : end ? name.endsWith(text) : name.includes(text),
      ),
    named: plain
      .map(({ text }) => (text === 'peermem' ? 'nvidia_peermem' : text))
      .filter((text) => /^[a-z]\w{2,}/.test(text)),
  };
}

function report(
  names: readonly string[],
  lines: readonly Line[],
  fits: ((name: string) => boolean) | null,
  prompt: Line,
  sink: Parameters<Parser['parse']>[2],
  named: readonly string[] = [],
): void {
  if (names.length > 0) sink.add('modules.loaded', names, lines);
  if (fits === null) return;
  const have = new Set(names.map((name) => name.replaceAll('-', '_')));
  const absent = watched.filter((name) => fits(name) && !have.has(name));
  for (const name of named) {
    if (![...have].some((loaded) => loaded.includes(name)) && !absent.includes(name)) absent.push(name);
  }
  if (absent.length > 0) sink.add('modules.absent', absent, [prompt, ...lines]);
}
