import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';

/*
 * Epoch: [0][ 10/625]  Time 3.912 (4.105)  Data 3.471 (3.660)  Loss 6.98
 * iter: 50  time: 1.012  data_time: 0.911
 * Host to Device Bandwidth, 1 Device(s)
 *  PAGEABLE Memory Transfers
 *    32000000   6.1
 * pageable H2D: 5.8 GB/s, pinned H2D: 12.1 GB/s
 */

const step: readonly RegExp[] = [
  // `Time: 0.402s, 2547.54/s  (0.612s, 1672.08/s)  LR: 1.000e-06  Data: 0.011 (0.182)` (timm)
  /\btime: (?<total>\d{1,6}\.\d{1,6})s, {1,4}[\d.]{1,12}\/s {1,4}\( {0,4}(?<totalMean>\d{1,6}\.\d{1,6})s, .{0,80}\bdata: (?<data>\d{1,6}\.\d{1,6}) \( {0,4}(?<dataMean>\d{1,6}\.\d{1,6})\)/i,
  // `2.81s/it, loss=6.92, data_time=2.52` (a progress bar with what the program adds)
  /\b(?<total>\d{1,6}\.\d{1,6})s\/(?:it|batch|step)\b.{0,160}\bdata(?:_time|_wait|_load\w{0,4})?=(?<data>\d{1,6}\.\d{1,6})s?\b/i,
  // `data_time 0.811 | fwd_bwd 0.092 | total 0.904`
  /\bdata(?:_time|_wait|_load\w{0,4})?[:= ]{1,3}(?<data>\d{1,6}\.\d{1,6}) ?s?.{0,80}\b(?:total|step|iter)(?:_time)?[:= ]{1,3}(?<total>\d{1,6}\.\d{1,6})\b/i,
  // average in parentheses where it is printed
  /\b(?:batch[_ ]?)?time[:= ]{1,3}(?<total>\d{1,6}\.\d{1,6})(?:s| s)?(?: ?\( {0,6}(?<totalMean>\d{1,6}\.\d{1,6})\))?.{0,80}\bdata(?:[_ ]?time)?[:= ]{1,3}(?<data>\d{1,6}\.\d{1,6})(?: ?\( {0,6}(?<dataMean>\d{1,6}\.\d{1,6})\))?/i,
  /\bdata(?:[_ ]?(?:time|loading|load|wait))?[:= ]{1,3}(?<data>\d{1,6}\.\d{1,6})(?:s| s)?(?: ?\( {0,6}(?<dataMean>\d{1,6}\.\d{1,6})\))?.{0,80}\b(?:batch|step|iter|total)?[_ ]?time[:= ]{1,3}(?<total>\d{1,6}\.\d{1,6})(?: ?\( {0,6}(?<totalMean>\d{1,6}\.\d{1,6})\))?/i,
];

/** Rows of profilers that name the wait for data and its share of the time. */
const shares: readonly RegExp[] = [
  /\b(?:train_dataloader_next|get_train_batch|dataloader_next|data_?loader(?:\.__next__)?|load_batch|IteratorGetNext|_next_data|data_(?:loading|wait|time)|host_?input|fetch_next)\b.{0,200}?(?<share>\d{1,2}(?:\.\d{1,3})?) {0,30}(?:%|\|)\s{0,8}$/i,
  /\b(?<share>\d{1,2}(?:\.\d{1,2})?) ?% of (?:the )?(?:total )?(?:step |training |epoch )?time .{0,80}\b(?:input|data)\b/i,
];

export const stepTimes: Parser = {
  id: 'step-times',
  literals: [
    'data_time',
    'data time',
    ' data ',
    'data  ',
    'data:',
    'data=',
    'dataloader',
    'get_train_batch',
    'load_batch',
    'iteratorgetnext',
    '_next_data',
    'data_loading',
    'data_wait',
    'input-bound',
    'waiting for input',
    'for input',
  ],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    let last: Line | undefined;
    let value: { total: number; data: number } | undefined;
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      for (const pattern of shares) {
        const share = Number(pattern.exec(line.clean.slice(0, 400))?.groups?.['share'] ?? Number.NaN);
        if (share >= 1 && share <= 100) sink.add('profile.step', { total: 100, data: share }, line);
      }
      if (!/time|step|total/i.test(line.clean)) continue;
      for (const pattern of step) {
        const groups = pattern.exec(line.clean.slice(0, 600))?.groups;
        if (groups === undefined) continue;
        const total = Number(groups['totalMean'] ?? groups['total']);
        const data = Number(groups['dataMean'] ?? groups['data']);
        if (total > 0 && data >= 0 && data <= total * 1.05) {
          last = line;
          value = { total, data };
        }
        break;
      }
    }
    // Means settle with time: the last line speaks for the run.
    if (last !== undefined && value !== undefined) sink.add('profile.step', value, last);
  },
};

const rate =
  /(?<value>\d{1,4}(?:\.\d{1,3})?)(?: ?(?:-|–|to) ?(?<high>\d{1,4}(?:\.\d{1,3})?))? ?(?<unit>GB\/s|GiB\/s|MB\/s|MiB\/s)/gi;

function directionOf(text: string): 'h2d' | 'd2h' | 'unknown' {
  if (/host[- ]to[- ]device|\bh(?:ost)?2d(?:evice)?\b|htod|\bupload/i.test(text)) return 'h2d';
  if (/device[- ]to[- ]host|\bd(?:evice)?2h(?:ost)?\b|dtoh|\bdownload|spill/i.test(text)) return 'd2h';
  return 'unknown';
}

function memoryOf(text: string): 'pinned' | 'pageable' | 'managed' | 'unknown' {
  if (/pinned|page-?locked/i.test(text)) return 'pinned';
  if (/pageable|malloc\b|numpy|not pinned|unpinned/i.test(text)) return 'pageable';
  return /managed|unified/i.test(text) ? 'managed' : 'unknown';
}

export const copyRates: Parser = {
  id: 'copy-rates',
  literals: ['gb/s', 'gib/s', 'mb/s', 'memory transfers', 'bandwidth(gb', 'bandwidth(mb'],
  keep: { before: 4, after: 4 },
  parse(document, hits, sink) {
    for (const line of hits.slice(0, 2000)) {
      if (line.prompt) continue;
      if (/(?:PINNED|PAGEABLE) Memory Transfers/.test(line.clean)) bandwidthTest(document.lines, line, sink);
      else if (/pinned|page-?locked|pageable|unpinned|managed/i.test(line.clean)) sentence(line, sink);
    }
  },
};

function bandwidthTest(lines: readonly Line[], head: Line, sink: FactSink): void {
  const title = lines[head.index - 1]?.clean ?? '';
  if (/device to device/i.test(title)) return;
  const unit = /MB\/s/.test(lines[head.index + 1]?.clean ?? '') ? 1000 : 1;
  const row = /^\s{0,8}\d{1,12}\s{1,40}(\d{1,6}(?:\.\d{1,3})?)\s{0,8}$/.exec(lines[head.index + 2]?.clean ?? '');
  if (row === null) return;
  const value = Number(row[1]) / unit;
  if (value > 0)
    sink.add('profile.bandwidth', { memory: memoryOf(head.clean), direction: directionOf(title), gbPerSecond: value }, [
      lines[head.index + 2]!,
      head,
    ]);
}

/** Rates in one line, each with the nearest word for the memory around it. */
function sentence(line: Line, sink: FactSink): void {
  const text = line.clean.slice(0, 1000);
  let before = 0;
  let pinned = false;
  const unnamed: { readonly value: number; readonly direction: 'h2d' | 'd2h' | 'unknown' }[] = [];
  for (const match of text.matchAll(rate)) {
    const end = match.index + match[0].length;
    const around = `${text.slice(before, match.index)} ${text.slice(end, text.indexOf(',', end) < 0 ? end + 40 : Math.min(text.indexOf(',', end), end + 40))}`;
    before = end;
    const memory = memoryOf(around);
    const mega = match.groups!['unit']!.toLowerCase().startsWith('m');
    const value = Number(match.groups!['high'] ?? match.groups!['value']) / (mega ? 1000 : 1);
    if (memory === 'unknown' && value > 0) unnamed.push({ value, direction: directionOf(around) });
    if (memory === 'pinned') pinned = true;
    if (memory !== 'unknown' && value > 0)
      sink.add('profile.bandwidth', { memory, direction: directionOf(around), gbPerSecond: value }, line);
  }
  // "copies run at 5 GB/s; into pinned memory at 12 GB/s": the rate without a word is that of ordinary memory.
  const other = unnamed[0];
  if (pinned && other !== undefined && unnamed.length === 1)
    sink.add('profile.bandwidth', { memory: 'pageable', direction: other.direction, gbPerSecond: other.value }, line);
}

/** One by one against a graph: `32000 direct launches 1354.9 ms, … 2000 graph replays 244.8 ms`, `eager 12.1 ms, cuda graph 3.0 ms`. */
const gain =
  /\b(?:direct|eager|without (?:cuda )?graphs?|no graphs?|individual|plain)\b[^.;]{0,60}?(?<direct>\d{1,9}(?:\.\d{1,4})?) ?(?<unit>ms|us|s)\b.{0,80}\b(?:graph|replay)\w{0,8}\b[^.;]{0,40}?(?<replayed>\d{1,9}(?:\.\d{1,4})?) ?(?<unit2>ms|us|s)\b/i;

export const graphGain: Parser = {
  id: 'graph-gain',
  literals: ['graph'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 2000)) {
      const groups = gain.exec(line.clean.slice(0, 500))?.groups;
      if (groups === undefined || groups['unit'] !== groups['unit2']) continue;
      sink.add('profile.graph-gain', { direct: Number(groups['direct']), replayed: Number(groups['replayed']) }, line);
    }
  },
};

/** `512 steps: 118.42 s with, 118.31 s without`, in a text that speaks of profiling metrics. */
const overhead =
  /(?<on>\d{1,9}(?:\.\d{1,4})?) ?(?<unit>ms|s|min|it\/s)? with\b.{0,60}?(?<off>\d{1,9}(?:\.\d{1,4})?) ?(?:ms|s|min|it\/s)? without\b/i;

export const profilingOverhead: Parser = {
  id: 'profiling-overhead',
  literals: [' without'],
  keep: { before: 2, after: 0 },
  parse(document, hits, sink) {
    for (const line of hits.slice(0, 200)) {
      const groups = overhead.exec(line.clean.slice(0, 400))?.groups;
      if (groups === undefined || groups['unit'] === 'it/s') continue;
      const around = document.lines
        .slice(Math.max(0, line.index - 3), line.index + 2)
        .map((each) => each.clean.slice(0, 400))
        .join(' ');
      if (!/DCGM_FI_PROF|profiling metric|SM_ACTIVE|dcgm|profiler/i.test(around)) continue;
      sink.add('profile.overhead', { with: Number(groups['on']), without: Number(groups['off']) }, line);
    }
  },
};
