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
  return gpu < 0 || sm < 0 || !text.trimStart().startsWith('#') ? null : { gpu, sm, memory: names.indexOf('mem') };
}

export const utilisationSamples: Parser = {
  id: 'nvidia-smi-dmon',
  literals: ['# gpu', '#time', 'dmon'],
  keep: { before: 0, after: 40 },
  parse(document, hits, sink) {
    const gpus = new Map<number, { sm: number[]; memory: number[]; lines: Line[] }>();
    const start = hits[0];
    if (start === undefined) return;
    // `dmon | grep -v '#'` leaves the rows without their header: then the columns of `-s u` are gpu, sm, mem.
    let columns: Column | null = null;
    for (const line of document.lines.slice(start.index, start.index + 20_000)) {
      if (line.prompt) {
        columns = /\bdmon\b.{0,40}-s u\b.{0,40}\bgrep -v/.test(line.command ?? '')
          ? { gpu: 0, sm: 1, memory: 2 }
          : null;
        continue;
      }
      const named = header(line.clean);
      if (named !== null) columns = named;
      if (columns === null || line.clean.trimStart().startsWith('#')) continue;
      const row = line.clean.trim().split(/\s+/);
      const gpu = Number(row[columns.gpu]);
      const sm = Number(row[columns.sm]);
      if (!Number.isInteger(gpu) || gpu > 1023 || !Number.isFinite(sm) || sm > 100) continue;
      const known = gpus.get(gpu) ?? { sm: [], memory: [], lines: [] };
      gpus.set(gpu, known);
      known.sm.push(sm);
      const memory = Number(row[columns.memory]);
      if (columns.memory >= 0 && Number.isFinite(memory)) known.memory.push(memory);
      known.lines.push(line);
    }
    for (const [gpu, known] of gpus) add(gpu, known, sink);
  },
};

function add(gpu: number, known: { sm: number[]; memory: number[]; lines: Line[] }, sink: FactSink): void {
  const mean = (values: readonly number[]): number =>
    Math.round((values.reduce((sum, each) => sum + each, 0) / values.length) * 10) / 10;
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
      const match = /^DCGM_FI_DEV_XID_ERRORS(?:\{(?<labels>[^}]{0,1000})\})? (?<xid>\d{1,4})(?:\.0)?\b/.exec(
        line.clean,
      );
      if (match?.groups === undefined) continue;
      const gpu = /\bgpu="([^"]{1,20})"/.exec(match.groups['labels'] ?? '')?.[1] ?? null;
      sink.add('gpu.last-xid', { gpu, xid: Number(match.groups['xid']) }, line);
    }
  },
};
