import type { Line } from '../model/document.ts';
import { ncuMetrics } from '../knowledge/ncu-metrics.rows.ts';
import { isNcuHeader, readNcu } from '../trace/ncu.ts';
import type { Place } from '../trace/ncu.ts';
import { kernelsOfProfile } from '../trace/ncu-kernels.ts';
import type { FactSink, Parser } from './parser.ts';

/** Kernels of a CSV profile whose numbers become facts: those with the most time. */
const mostKernels = 8;

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
    const lines = document.lines.slice(Math.max(0, first - 40), Math.min(last + 40, first + 20_000));
    const table = lines.find((line) => !line.prompt && isNcuHeader(line.clean));
    // Its rows may hold none of the literals.
    if (table !== undefined) fromCsv(document.lines.slice(table.index, table.index + 20_000), sink);
    for (const line of lines) {
      if (line.prompt || (table !== undefined && line.clean.startsWith('"'))) continue;
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

/** Kernels of the tool's CSV output, in a row of which every line of the text may stand. */
function fromCsv(lines: readonly Line[], sink: FactSink): void {
  const whole = wholeLines(lines);
  const profile = readNcu(whole.map((each) => each.text).join('\n'), { ncuMetrics });
  if (profile === null) return;
  for (const kernel of kernelsOfProfile(profile).slice(0, mostKernels)) {
    const put = (name: string, value: number, places: readonly Place[]): void =>
      sink.add(
        'profile.metric',
        { name, value, kernel: kernel.name },
        places.map((place) => lineAt(whole, place)),
      );
    if (kernel.share !== null)
      put('time-share', Math.round(kernel.share * 1e4) / 100, kernel.numbers.get('duration-ns')!.places);
    for (const [name, { value, places }] of kernel.numbers) put(name, value, places);
  }
}

interface WholeLine {
  readonly text: string;
  /** Its slices, in order; one where the line is not long. */
  readonly slices: readonly Line[];
}

/** Lines as they were printed: slices of a long one are put together again. */
function wholeLines(lines: readonly Line[]): readonly WholeLine[] {
  const whole: { text: string; slices: Line[] }[] = [];
  for (const line of lines) {
    const last = whole.at(-1);
    if (last === undefined || line.column === 1 || last.slices[0]!.number !== line.number)
      whole.push({ text: line.column === 1 ? line.clean : line.text, slices: [line] });
    else {
      last.text = last.text.slice(0, line.column - 1) + line.text;
      last.slices.push(line);
    }
  }
  return whole;
}

function lineAt(whole: readonly WholeLine[], place: Place): Line {
  const { slices } = whole[place.line - 1] ?? whole[0]!;
  return slices.findLast((slice) => slice.column <= place.cell) ?? slices[0]!;
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
