import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { cells } from './kernel-profile.ts';

/*
 * nvidia-smi dmon:
 *   # gpu     sm    mem    enc    dec
 *   # Idx      %      %      %      %
 *       0    100      0      0      0
 * nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.width.current --format=csv,noheader
 *   4, 16
 */

interface Column {
  readonly gpu: number;
  readonly sm: number;
  readonly memory: number;
  /** Names of the other columns by their place. */
  readonly others: readonly (readonly [number, string])[];
}

interface Samples {
  readonly sm: number[];
  readonly memory: number[];
  readonly others: Map<string, number[]>;
  readonly lines: Line[];
}

/** Positions of the columns that a dmon header names; null where it is none. */
function header(text: string): Column | null {
  const names = text
    .replace(/^#\s{0,8}/, '')
    .trim()
    .split(/\s+/)
    .map((name) => name.toLowerCase());
  const gpu = names.indexOf('gpu');
  const sm = names.indexOf('sm');
  // pmon has a row for each process, with the same words at its head.
  if (gpu < 0 || !text.trimStart().startsWith('#') || names.includes('pid') || names.length < 2) return null;
  const others = names.flatMap((name, at) =>
    /^(?:gpu|idx|sm|mem|time|date)$/.test(name) ? [] : [[at, name] as const],
  );
  return { gpu, sm, memory: names.indexOf('mem'), others };
}

export const utilisationSamples: Parser = {
  id: 'nvidia-smi-dmon',
  literals: ['# gpu', '#time', 'dmon'],
  keep: { before: 0, after: 40 },
  parse(document, hits, sink) {
    const gpus = new Map<number, Samples>();
    const start = hits[0];
    if (start === undefined) return;
    // `dmon | grep -v '#'` leaves the rows without their header: then the columns of `-s u` are gpu, sm, mem.
    let columns: Column | null = null;
    for (const line of document.lines.slice(start.index, start.index + 20_000)) {
      if (line.prompt) {
        columns = /\bdmon\b.{0,40}-s u\b.{0,40}\bgrep -v/.test(line.command ?? '')
          ? { gpu: 0, sm: 1, memory: 2, others: [] }
          : null;
        continue;
      }
      const named = header(line.clean);
      if (named !== null) columns = named;
      if (columns === null || line.clean.trimStart().startsWith('#')) {
        // The head of another tool's table ends this one.
        if (named === null && /^\s{0,4}#\s{0,8}gpu\b/.test(line.clean)) columns = null;
        continue;
      }
      const row = line.clean.trim().split(/\s+/);
      const gpu = Number(row[columns.gpu]);
      if (row[columns.gpu] === undefined || !Number.isInteger(gpu) || gpu > 1023) continue;
      const known: Samples = gpus.get(gpu) ?? { sm: [], memory: [], others: new Map(), lines: [] };
      const sm = columns.sm < 0 ? Number.NaN : Number(row[columns.sm]);
      let taken = false;
      if (Number.isFinite(sm) && sm <= 100) {
        known.sm.push(sm);
        const memory = Number(row[columns.memory]);
        if (columns.memory >= 0 && Number.isFinite(memory)) known.memory.push(memory);
        taken = true;
      }
      for (const [at, name] of columns.others) {
        const text = row[at];
        if (text === undefined || !/^\d{1,9}(?:\.\d{1,3})?$/.test(text)) continue;
        const list = known.others.get(name) ?? [];
        known.others.set(name, list);
        list.push(Number(text));
        taken = true;
      }
      if (!taken) continue;
      known.lines.push(line);
      gpus.set(gpu, known);
    }
    for (const [gpu, known] of gpus) add(gpu, known, sink);
  },
};

// # gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command
//     0    1840021     C       97      2      -      -      -      -    python3
export const processSamples: Parser = {
  id: 'nvidia-smi-pmon',
  literals: ['# gpu', '#time', '#date'],
  keep: { before: 0, after: 40 },
  parse(document, hits, sink) {
    const found = new Map<string, Line>();
    let headers = 0;
    let first: Line | null = null;
    for (const hit of hits) {
      const names = hit.clean
        .replace(/^#\s{0,8}/, '')
        .trim()
        .split(/\s+/);
      const command = names.indexOf('command');
      const pid = names.indexOf('pid');
      if (!hit.clean.startsWith('#') || pid < 0 || command < 0 || ++headers > 200) continue;
      first ??= hit;
      for (const line of document.lines.slice(hit.index + 1, hit.index + 400)) {
        if (line.prompt || (line.clean.startsWith('#') && /\bpid\b/.test(line.clean))) break;
        const row = line.clean.trim().split(/\s+/);
        if (line.clean.startsWith('#') || row.length <= command || !/^\d{1,9}$/.test(row[pid]!)) continue;
        const name = row.slice(command).join(' ');
        if (!found.has(name)) found.set(name, line);
      }
    }
    if (found.size > 0) sink.add('gpu.processes', [...found.keys()], [...found.values()].slice(0, 6));
  },
};

function add(gpu: number, known: Samples, sink: FactSink): void {
  const mean = (values: readonly number[]): number =>
    Math.round((values.reduce((sum, each) => sum + each, 0) / values.length) * 10) / 10;
  for (const [name, values] of known.others)
    sink.add('util.column', { gpu, name, mean: mean(values), count: values.length }, known.lines.slice(0, 4));
  if (known.sm.length === 0) return;
  sink.add(
    'util.samples',
    {
      gpu,
      count: known.sm.length,
      sm: { mean: mean(known.sm), min: Math.min(...known.sm), max: Math.max(...known.sm) },
      memory: known.memory.length === 0 ? null : { mean: mean(known.memory) },
    },
    known.lines.slice(0, 4),
  );
}

export const pcieLink: Parser = {
  id: 'nvidia-smi-link',
  literals: ['pcie.link.gen'],
  keep: { before: 0, after: 10 },
  parse(document, hits, sink) {
    for (const line of hits.slice(0, 50)) {
      const asked = line.prompt ? /--query-gpu=(\S{1,800})/.exec(line.clean)?.[1] : line.clean;
      if (asked === undefined) continue;
      const columns = cells(asked).map((column) => column.trim().replace(/ \[.*/, ''));
      const generation = columns.findIndex(
        (column) => column === 'pcie.link.gen.current' || column === 'pcie.link.gen.gpucurrent',
      );
      const width = columns.indexOf('pcie.link.width.current');
      if (generation < 0 || width < 0) continue;
      for (const row of document.lines.slice(line.index + 1, line.index + 18)) {
        if (row.prompt) break;
        const values = cells(row.clean).map((cell) => Number(cell.trim()));
        const value = { generation: values[generation] ?? Number.NaN, width: values[width] ?? Number.NaN };
        if (values.length === columns.length && value.generation >= 1 && value.width >= 1)
          sink.add('gpu.pcie-link', value, row);
      }
    }
  },
};

/** A command that makes an error on purpose: `dcgmi test --inject`, `nvidia-smi … --inject`, fault injection of a test. */
export const injection: Parser = {
  id: 'injection',
  literals: ['--inject', '/dev/kmsg', 'injected', 'error injection', 'fault injection'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    const line = hits.find(
      (each) =>
        (each.prompt && /--inject\b|\/dev\/kmsg/.test(each.clean)) ||
        /\bsuccessfully injected\b|\b(?:error|fault) injection (?:enabled|active|test)\b|\(injected\)/i.test(
          each.clean,
        ),
    );
    if (line !== undefined) sink.add('program.injected', true, line);
  },
};

/** `DCGM_FI_DEV_XID_ERRORS{gpu="3",…} 31`: the last Xid an exporter saw, which stays after the GPU recovered. */
export const exporterGauge: Parser = {
  id: 'dcgm-exporter',
  literals: ['dcgm_fi_dev_xid_errors'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 2000)) {
      const match = /^DCGM_FI_DEV_XID_ERRORS(?:\{(?<labels>[^}]{0,1000})\})? (?:=> )?(?<xid>\d{1,4})(?:\.0)?\b/.exec(
        line.clean,
      );
      if (match?.groups === undefined) continue;
      const gpu = /\bgpu="([^"]{1,20})"/.exec(match.groups['labels'] ?? '')?.[1] ?? null;
      sink.add('gpu.last-xid', { gpu, xid: Number(match.groups['xid']) }, line);
    }
  },
};
