import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';

/*
 * Nsight Compute, text:
 *   gather_kernel (64, 1, 1)x(1, 1, 1), Context 1, Stream 7, Device 0, CC 9.0
 *     Section: Launch Statistics
 *     Block Size                                          1
 *     Registers Per Thread             register/thread   16
 *     Theoretical Occupancy                      %       50
 *     Block Limit SM                         block       32
 * Nsight Compute, CSV (details page): "…","Launch Statistics","Registers Per Thread","register/thread","18"
 */

/** Names of Nsight Compute's metrics, lower case, and the names that rules use. */
const names: Readonly<Record<string, string>> = {
  'block size': 'block-size',
  'grid size': 'grid-size',
  'registers per thread': 'registers-per-thread',
  'threads per warp used': 'threads-per-warp-used',
  'waves per sm': 'waves-per-sm',
  'theoretical occupancy': 'theoretical-occupancy',
  'achieved occupancy': 'achieved-occupancy',
  'theoretical active warps per sm': 'theoretical-active-warps',
  'achieved active warps per sm': 'achieved-active-warps',
  'block limit sm': 'block-limit-sm',
  'block limit registers': 'block-limit-registers',
  'block limit shared mem': 'block-limit-shared-memory',
  'block limit warps': 'block-limit-warps',
  'block limit barriers': 'block-limit-barriers',
  'compute (sm) throughput': 'sm-throughput',
  'sm throughput': 'sm-throughput',
  'memory throughput': 'memory-throughput',
  'dram throughput': 'dram-throughput',
  '# sms': 'sm-count',
  'avg. active threads per warp': 'active-threads-per-warp',
  threads: 'threads',
};

/** Names of the raw page's metrics; which counter stands before the dot depends on the GPU. */
const raw: Readonly<Record<string, string>> = {
  launch__registers_per_thread: 'registers-per-thread',
  launch__waves_per_multiprocessor: 'waves-per-sm',
  launch__block_size: 'block-size',
  launch__grid_size: 'grid-size',
  launch__occupancy_limit_registers: 'block-limit-registers',
  launch__occupancy_limit_shared_mem: 'block-limit-shared-memory',
  launch__occupancy_limit_warps: 'block-limit-warps',
  launch__occupancy_limit_blocks: 'block-limit-sm',
  'sm__warps_active.avg.pct_of_peak_sustained_active': 'achieved-occupancy',
  sm__maximum_warps_per_active_cycle_pct: 'theoretical-occupancy',
  'smsp__thread_inst_executed_per_inst_executed.ratio': 'active-threads-per-warp',
  'sm__throughput.avg.pct_of_peak_sustained_elapsed': 'sm-throughput',
  'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed': 'dram-throughput',
};

const header =
  /^ {0,8}(?<kernel>[A-Za-z_][\w:<>,&* ()[\]~.-]{0,400}?) ?\((?:\d{1,9}|<?[a-z\d/ ]{1,20}>?)(?:, ?\d{1,9}){2}\) ?x ?\((?<x>\d{1,5}), ?(?<y>\d{1,5}), ?(?<z>\d{1,5})\)/;
const row =
  /^\s{0,12}(?<name>#? ?[A-Za-z][A-Za-z .()/]{2,48}?)(?:\s{2,}(?<unit>[A-Za-z%/]{1,24}))?\s{1,80}(?<value>\d[\d,.]{0,20})(?: {0,2}\/ {0,2}\d{1,4})?\s{0,8}$/;

export const kernelProfile: Parser = {
  id: 'nsight-compute',
  literals: [
    'block size',
    'theoretical occupancy',
    'achieved occupancy',
    'block limit',
    'threads per warp used',
    'registers per thread',
    ')x(',
    'maxactiveblocks',
    'waves per sm',
    'active warps',
    'blocks/sm',
    'blocks per sm',
    '"process id"',
    'launch__',
  ],
  keep: { before: 12, after: 40 },
  parse(document, hits, sink) {
    const first = hits[0]?.index;
    const last = hits.at(-1)?.index;
    if (first === undefined || last === undefined) return;
    let kernel: string | null = null;
    let columns: readonly string[] | null = null;
    for (const line of document.lines.slice(Math.max(0, first - 40), Math.min(last + 40, first + 20_000))) {
      if (line.prompt) continue;
      if (line.clean.startsWith('"ID",')) {
        columns = cells(line.clean).map((cell) => cell.toLowerCase());
        continue;
      }
      if (columns !== null && line.clean.startsWith('"')) {
        fromCsv(columns, cells(line.clean), line, sink);
        continue;
      }
      const launch = header.exec(line.clean.slice(0, 700));
      if (launch?.groups !== undefined) {
        kernel = launch.groups['kernel']!.trim();
        const size = Number(launch.groups['x']) * Number(launch.groups['y']) * Number(launch.groups['z']);
        if (size > 0) sink.add('profile.metric', { name: 'block-size', value: size, kernel }, line);
        continue;
      }
      said(line, kernel, sink);
      const match = row.exec(line.clean.slice(0, 200));
      if (match?.groups === undefined) continue;
      const name = names[match.groups['name']!.trim().toLowerCase()];
      const value = Number(match.groups['value']!.replaceAll(',', ''));
      if (name !== undefined && name !== 'threads' && Number.isFinite(value))
        sink.add('profile.metric', { name, value, kernel }, line);
    }
  },
};

/** Occupancy in the words of programs that ask the runtime for it. */
function said(line: Line, kernel: string | null, sink: FactSink): void {
  const text = line.clean.slice(0, 400);
  const active =
    /cudaOccupancyMaxActiveBlocksPerMultiprocessor\b\D{1,30}(\d{1,3})\b/.exec(text) ??
    /\b(?:resident|active) blocks (?:per|\/) ?SM\b\D{1,8}(\d{1,3})\b/i.exec(text);
  if (active !== null) sink.add('profile.metric', { name: 'active-blocks', value: Number(active[1]), kernel }, line);
  const warps = /\bactive warps\D{1,8}(\d{1,3}) ?(?:of|\/) ?(\d{1,3})\b/i.exec(text);
  if (warps !== null && Number(warps[2]) > 0) {
    sink.add(
      'profile.metric',
      { name: 'theoretical-occupancy', value: Math.round((1000 * Number(warps[1])) / Number(warps[2])) / 10, kernel },
      line,
    );
  }
  const size =
    /\bblock(?: size)? {0,3}[:=]? {0,3}(\d{1,4}) threads\b/i.exec(text) ??
    /\bblock size[:=]? {1,3}(\d{1,4})\b(?!\s{0,4}$)/i.exec(text);
  if (size !== null && warps === null && !/ \d{1,3} blocks/.test(text))
    sink.add('profile.metric', { name: 'block-size', value: Number(size[1]), kernel }, line);
  const most = /\b(\d{1,2}) blocks ?(?:\/|per) ?SM\b/i.exec(text);
  if (most !== null) sink.add('profile.metric', { name: 'most-blocks', value: Number(most[1]), kernel }, line);
}

function fromCsv(columns: readonly string[], row: readonly string[], line: Line, sink: FactSink): void {
  const at = (column: string): string | undefined => row[columns.indexOf(column)];
  if (!columns.includes('metric name')) {
    // The raw page: a row for each kernel; the row of units has no id.
    if (!/^\d{1,9}$/.test(row[0] ?? '')) return;
    const size = /^\((\d{1,5}), (\d{1,5}), (\d{1,5})\)$/.exec(at('block size') ?? '');
    const kernel = at('kernel name') ?? null;
    if (size !== null)
      sink.add(
        'profile.metric',
        { name: 'block-size', value: Number(size[1]) * Number(size[2]) * Number(size[3]), kernel },
        line,
      );
    columns.forEach((column, place) => {
      const metric = raw[column];
      const text = (row[place] ?? '').replaceAll(',', '');
      if (metric !== undefined && /^\d{1,12}(?:\.\d{1,9})?$/.test(text))
        sink.add('profile.metric', { name: metric, value: Number(text), kernel }, line);
    });
    return;
  }
  const name = names[(at('metric name') ?? '').toLowerCase()];
  const text = at('metric value');
  if (name === undefined || text === undefined || text === '') return;
  const value = Number(text.replaceAll(',', ''));
  if (Number.isFinite(value)) sink.add('profile.metric', { name, value, kernel: at('kernel name') ?? null }, line);
}

/** Cells of one CSV line (RFC 4180 quotes). */
export function cells(text: string): readonly string[] {
  const out: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === ',') {
      out.push(cell);
      cell = '';
    } else cell += char;
  }
  out.push(cell);
  return out;
}
