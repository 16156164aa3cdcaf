// Tables of nccl-tests (all_reduce_perf and its sisters), old and new.
//
// # Collective test starting: all_reduce_perf
// #  Rank  0 Group  0 Pid 919753 on     node-a device  0 [0x18] NVIDIA H100 80GB HBM3
// #                                                              out-of-place                       in-place
// #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
// #        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
//   8589934592    2147483648     float     sum      -1    31935  268.98  470.72      0    31921  269.10  470.92      0
// # Out of bounds values : 0 OK
// # Avg bus bandwidth    : 470.82
//
// Until 2.11 there is no column root (or it stands before type), and the last column is `error`, such as 2e-07.
// The name of the test stands in no line of older releases; what its columns allow is told from the redop, the root and the
// factor between algbw and busbw (doc/PERFORMANCE.md of nccl-tests). -J writes one JSON object in one line.
//
// {"version":3,…,"args":["./all_reduce_perf","-b","8"],"config":{…"devices":[{"rank":0,…"hostname":"node-a","device":0,
//   "device_info":"NVIDIA H100 80GB HBM3"}]},"results":[{"size":8,"count":2,"type":"float","redop":"sum","root":"    -1",
//   "out_of_place":{"time":9.1,"alg_bw":0.0,"bus_bw":0.0,"nwrong":0.0},"in_place":{…}}],"out_of_bounds":{"count":0,…}}
//
// With -T a column timestamp, with -I columns i_min … are added. Source: src/util.cu and src/common.cu of nccl-tests.
import type { Document, Line } from '../model/document.ts';
import type { FactValue } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';
import { gpuName } from './gpu-state.ts';
import { operationOf } from './nccl-operation.ts';
import { words } from './values.ts';

/** Columns of a table: which word of a row is what. */
interface Columns {
  readonly names: readonly string[];
  /** Index of the first column of each side. */
  readonly sides: readonly number[];
}

/** A test by the name of its program. */
export const tests: RegExp =
  /\b(all_reduce|all_gather|reduce_scatter|broadcast|reduce|alltoallv?|sendrecv|scatter|gather|hypercube)_perf(?:_mpi)?\b/;
const mostHosts = 20_000;

export const ncclTests: Parser = {
  id: 'nccl-tests',
  literals: ['busbw', 'avg bus bandwidth', 'out of bounds values'],
  keep: { before: 2, after: 64 },
  parse(document, hits, sink) {
    const devices = devicesOf(document, hits);
    for (const hit of hits) {
      if (hit.prompt) continue;
      const text = hit.clean.replace(/^\s{0,8}# {0,40}/, '');
      if (text.startsWith('Avg bus bandwidth')) {
        const value = numberOf(
          text
            .slice(text.indexOf(':') + 1)
            .trim()
            .split(' ')[0],
        );
        if (value !== null) sink.add('nccl.average-bandwidth', value, hit, { told: false });
      } else if (text.startsWith('Out of bounds values')) {
        const value = numberOf(
          text
            .slice(text.indexOf(':') + 1)
            .trim()
            .split(' ')[0],
        );
        if (value !== null) sink.add('nccl.wrong', value, hit, { told: false });
      } else {
        const columns = columnsOf(text);
        if (columns !== null) readTable(document, hit, columns, devices?.ranks ?? null, sink);
      }
    }
    if (devices === null) return;
    sink.add('nccl.ranks', devices.ranks, devices.lines, { told: false });
    sink.add('nccl.nodes', devices.hosts, devices.lines, { told: false });
    for (const [name, line] of devices.names) sink.add('gpu.name', name, line, { told: false });
  },
};

/** The columns of a heading; null where the line is none. */
function columnsOf(text: string): Columns | null {
  const names = words(text.toLowerCase());
  if (!/^(?:size|bytes)$/.test(names[0] ?? '')) return null;
  const sides = names.flatMap((name, at) => (/^(?:time|cputime)$/.test(name) ? [at] : []));
  if (sides.length === 0 || sides.length > 2) return null;
  return sides.every((at) => names[at + 1] === 'algbw' && names[at + 2] === 'busbw') ? { names, sides } : null;
}

type Row = FactValue<'nccl.bandwidth'>;

function readTable(document: Document, heading: Line, columns: Columns, ranks: number | null, sink: FactSink): void {
  const rows: { readonly row: Row; readonly line: Line }[] = [];
  for (let at = heading.index + 1; at < document.lines.length && at < heading.index + 400; at++) {
    const line = document.lines[at]!;
    const text = line.clean.trim();
    if (line.prompt || /^# {0,40}(?:Out of bounds|Avg bus|size|Collective test concluded)/.test(text)) break;
    if (/^\d/.test(text)) rows.push(...readRow(words(text), columns).map((row) => ({ row, line })));
  }
  const collective =
    collectiveOf(document, heading) ??
    operationOf(
      rows.map(({ row }) => row),
      ranks,
    ) ??
    tests.exec(document.file ?? '')?.[1] ??
    null;
  for (const { row, line } of rows) sink.add('nccl.bandwidth', { ...row, collective }, line);
  // Each row was compared with what it should hold.
  const last = rows.at(-1);
  if (last !== undefined && rows.every(({ row }) => row.wrong === 0))
    sink.add('works', { what: 'nccl-tests found no wrong value', layer: 'nccl' }, last.line);
}

function readRow(cells: readonly string[], columns: Columns): readonly Row[] {
  const bytes = numberOf(cells[0]);
  const cell = (name: string): string | undefined => {
    const at = columns.names.indexOf(name);
    return at < 0 ? undefined : cells[at];
  };
  // Broken rows (two ranks print at once) have too few cells or words where numbers belong.
  if (bytes === null || cells.length < columns.sides[columns.sides.length - 1]! + 3) return [];
  const type = cell('type');
  if (type === undefined || !/^[a-z]\w{1,15}$/.test(type)) return [];
  const redop = cell('redop') ?? cell('op') ?? null;
  const root = numberOf(cell('root'));
  return columns.sides.flatMap((from, side): readonly Row[] => {
    const timeUs = numberOf(cells[from]);
    const algbw = numberOf(cells[from + 1]);
    const busbw = numberOf(cells[from + 2]);
    if (timeUs === null || algbw === null || busbw === null) return [];
    return [
      {
        collective: null,
        place: columns.sides.length === 2 && side === 1 ? 'in-place' : 'out-of-place',
        bytes,
        type,
        redop: redop === 'none' ? null : redop,
        root: root === -1 ? null : root,
        timeUs,
        algbw,
        busbw,
        // `error` is the largest difference, not a count of wrong elements.
        wrong: columns.names[from + 3] === '#wrong' ? numberOf(cells[from + 3]) : null,
      },
    ];
  });
}

/** The test that a table is of, as the lines or the command before it name it. */
function collectiveOf(document: Document, heading: Line): string | null {
  for (let at = heading.index; at >= 0 && at > heading.index - 3000; at--) {
    const line = document.lines[at]!;
    const found = tests.exec(line.prompt ? (line.command ?? '') : line.clean);
    if (found !== null) return found[1]!;
    if (at < heading.index && /^# {0,40}Avg bus bandwidth/.test(line.clean)) break;
  }
  return tests.exec(heading.command ?? '')?.[1] ?? null;
}

const device =
  /^# {1,6}Rank {1,6}\d{1,6}(?: Group {1,4}\d{1,4})? Pid {1,8}\d{1,9} on {1,40}(\S{1,80}) device {1,4}\d{1,3} /;

interface Devices {
  readonly ranks: number;
  readonly hosts: number;
  readonly names: ReadonlyMap<string, Line>;
  readonly lines: readonly Line[];
}

/** Ranks, nodes and GPUs as the last list of devices shows them; null where there is none. */
function devicesOf(document: Document, hits: readonly Line[]): Devices | null {
  if (!hits.some((hit) => hit.clean.includes('busbw'))) return null;
  const hosts = new Set<string>();
  const names = new Map<string, Line>();
  const lines: Line[] = [];
  let ranks = 0;
  for (const line of document.lines) {
    if (!line.clean.startsWith('#')) continue;
    if (/^# {0,4}Using devices/.test(line.clean)) {
      hosts.clear();
      names.clear();
      lines.length = 0;
      ranks = 0;
    }
    const found = device.exec(line.clean);
    if (found === null) continue;
    ranks++;
    if (hosts.size < mostHosts) hosts.add(found[1]!);
    if (lines.length < 2) lines.push(line);
    const name = gpuName(/^\[\S{1,20}\] (\S.{0,99})$/.exec(line.clean.slice(found[0].length))?.[1]);
    if (name !== null && names.size < 8 && !names.has(name)) names.set(name, line);
  }
  return ranks === 0 ? null : { ranks, hosts: hosts.size, names, lines };
}

/** A number as printf writes it: 31935, 470.72, 1e+06, -1; null for N/A and anything else. */
function numberOf(text: string | undefined): number | null {
  if (text === undefined || !/^-?\d{1,20}(?:\.\d{1,9})?(?:e[+-]?\d{1,3})?$/.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
