// Counters of RDMA ports and network interfaces, one reading or several, and how they went between readings.
//
// $ grep -r . /sys/class/infiniband/mlx5_0/ports/1/counters
// /sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:12
// $ cat /sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence
// 99121
// $ perfquery -x -C mlx5_0 -P 1
// # Port extended counters: Lid 1719 port 1 (CapMask: 0x5300 CapMask2: 0x0000002)
// SymbolErrorCounter:..............12
// $ rdma statistic show link mlx5_0/1
// link mlx5_0/1 rx_write_requests 0 out_of_buffer 0 packet_seq_err 4 …
// $ ethtool -S ens1f0np0
//      rx_prio3_pause: 4711
// node_infiniband_symbol_error_total{device="mlx5_0",port="1"} 12
//
// Sources: perfquery(8), rdma-statistic(8), the kernel's Documentation/ABI/stable/sysfs-class-infiniband, node_exporter's
// infiniband collector; meanings of the counters: knowledge/port-counters.rows.ts.
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import type { CounterKind } from '../knowledge/port-counters.rows.ts';
import { counterNamed } from '../knowledge/port-counters.ts';
import { blocksOf, filled } from './blocks.ts';
import { momentOf } from '../text/when.ts';

interface Reading {
  readonly value: number;
  readonly line: Line;
  readonly at: number | null;
}

interface Series {
  readonly device: string;
  readonly port: number | null;
  readonly counter: string;
  readonly kind: CounterKind;
  readonly host: string | undefined;
  readonly readings: Reading[];
}

const mostSeries = 4096;
/** Facts of one kind that the store keeps; a host has few ports. */
const mostFacts = 160;

const path = /(?:^|[\s/>])([a-z][\w-]{1,31}\d)\/ports\/(\d{1,3})\/(?:hw_)?counters\/(\w{2,48})(?=$|[\s:=])/;

const perfqueryHead = /^\s{0,4}# ?Port (?:extended )?counters: (?:Lid )?(\S{1,24}) port (\d{1,3})/;

export const netCounters: Parser = {
  id: 'net-counters',
  literals: [
    '/counters/',
    '/hw_counters/',
    'port counters:',
    'port extended counters:',
    'nic statistics:',
    'ethtool -s',
    'rx_write_requests',
    'node_infiniband_',
    'packet_seq_err',
    'symbolerrorcounter',
  ],
  keep: { before: 1, after: 45 },
  parse(document, hits, sink) {
    const found = new Map<string, Series>();
    const done = new Set<number>();
    const clock = new Clock(document);
    const places = new Places(document);
    const put = (
      device: string,
      port: number | null,
      name: string,
      value: number,
      line: Line,
      at?: number,
      place = '',
    ): void => {
      const counter = counterNamed(name);
      if (counter === null || !Number.isSafeInteger(value)) return;
      const host = line.origin.host;
      const key = `${host ?? ''} ${line.scope} ${places.of(line)} ${place} ${device} ${port ?? ''} ${counter.name}`;
      let series = found.get(key);
      if (series === undefined) {
        if (found.size >= mostSeries) return;
        series = { device, port, counter: counter.name, kind: counter.kind, host, readings: [] };
        found.set(key, series);
      }
      const last = series.readings.at(-1);
      // A device with several rows of one name (per queue, per lane) is no second reading.
      if (last !== undefined && line.index - last.line.index < 1) return;
      series.readings.push({ value, line, at: at ?? clock.at(line) });
    };
    for (const hit of hits) {
      // perfquery's own head begins like a remark.
      const head = perfqueryHead.test(hit.clean);
      if ((hit.told && !head) || done.has(hit.index)) continue;
      if (!hit.prompt) readLine(document, hit, put, done);
    }
    for (const block of blocksOf(document)) readCommand(block.command, filled(block.output), put);
    emit(found, sink);
  },
};

/** @param place what else tells one port from another of the same name: its address, the labels of a metric */
type Put = (
  device: string,
  port: number | null,
  name: string,
  value: number,
  line: Line,
  at?: number,
  place?: string,
) => void;

function readLine(document: Document, line: Line, put: Put, done: Set<number>): void {
  const text = line.clean;
  const named = path.exec(text);
  if (named !== null) {
    const value = /^[:=\s]{1,8}(\d{1,19})\s{0,8}$/.exec(text.slice(named.index + named[0].length))?.[1];
    if (value !== undefined) return put(named[1]!, Number(named[2]), named[3]!, Number(value), line);
    // head, tail -n +1: `==> path <==`, and the value below.
    const next = document.lines[line.index + 1];
    if (/^==> \S{1,200} <==$/.test(text.trim()) && next !== undefined && /^\d{1,19}$/.test(next.clean.trim()))
      put(named[1]!, Number(named[2]), named[3]!, Number(next.clean.trim()), next);
    return;
  }
  const port = perfqueryHead.exec(text);
  if (port !== null) return readPerfquery(document, line, port[1]!, Number(port[2]), put, done);
  const rdma = /^(?:\d{1,4}: {1,4})?link ([\w-]{2,40})\/(\d{1,3})(?: (.{0,8000}))?$/.exec(text.trim());
  if (rdma !== null) {
    readPairs((rdma[3] ?? '').split(' '), rdma[1]!, Number(rdma[2]), line, put);
    return;
  }
  // As a table (-p) the link stands on a line of its own.
  if (/^\s{1,16}rx_write_requests \d/.test(text)) {
    const above = document.lines
      .slice(Math.max(0, line.index - 2), line.index)
      .map((each) => /^(?:\d{1,4}: {1,4})?link ([\w-]{2,40})\/(\d{1,3})$/.exec(each.clean.trim()))
      .find((each) => each !== null);
    if (above == null) return;
    for (const each of document.lines.slice(line.index, line.index + 48)) {
      const pair = /^\s{1,16}(\w{2,48}) (\d{1,19})\s{0,4}$/.exec(each.clean);
      if (pair === null) break;
      put(above[1]!, Number(above[2]), pair[1]!, Number(pair[2]), each);
    }
    return;
  }
  const metric = /^node_infiniband_(\w{2,64})\{([^}]{1,400})\} ([\d.]{1,24}(?:e[+-]?\d{1,3})?)(?: (\d{10,13}))?$/i.exec(
    text.trim(),
  );
  if (metric !== null) {
    const device = /\bdevice="([\w.-]{1,40})"/.exec(metric[2]!)?.[1];
    const number = /\bport="(\d{1,3})"/.exec(metric[2]!)?.[1];
    const value = Math.round(Number(metric[3]));
    if (device !== undefined)
      put(
        device,
        number === undefined ? null : Number(number),
        metric[1]!,
        value,
        line,
        metric[4] === undefined ? undefined : Number(metric[4].padEnd(13, '0')),
        metric[2],
      );
    return;
  }
  if (/^NIC statistics:$/i.test(text.trim())) {
    const device =
      /\bethtool\b.{0,40}? -S {1,4}([\w.-]{1,40})/.exec(line.command ?? '')?.[1] ?? interfaceAbove(document, line);
    for (const each of document.lines.slice(line.index + 1, line.index + 1500)) {
      const pair = /^\s{1,16}([\w.[\]]{2,64}): {1,4}(\d{1,19})\s{0,4}$/.exec(each.clean);
      if (pair === null) break;
      put(device, null, pair[1]!, Number(pair[2]), each);
    }
  }
}

/** `for i in eth2 eth3; do echo $i; ethtool -S $i; done`: the name stands on the line above. */
function interfaceAbove(document: Document, line: Line): string {
  const above = document.lines[line.index - 1]?.clean.trim() ?? '';
  return /^[a-z][\w.-]{1,20}:?$/.test(above) ? above.replace(/:$/, '') : 'the interface';
}

function readPerfquery(document: Document, head: Line, lid: string, port: number, put: Put, done: Set<number>): void {
  // perfquery -C names the adapter; without it only the address in the fabric is known.
  const asked = document.lines.slice(Math.max(0, head.index - 2), head.index + 1).map((line) => line.command ?? '');
  const adapter = asked
    .map((command) => /\bperfquery\b.{0,80}? (?:-C|--Ca) ?([\w-]{2,40})/.exec(command)?.[1])
    .find((name) => name !== undefined);
  const device = adapter ?? `lid ${lid}`;
  for (const line of document.lines.slice(head.index + 1, head.index + 60)) {
    const pair = /^\s{0,8}(\w{4,48}):\.{1,60}(0x[0-9a-f]{1,16}|\d{1,19})\s{0,4}(?:#.{0,120})?$/i.exec(line.clean);
    if (pair === null) break;
    done.add(line.index);
    put(device, port, pair[1]!, Number(pair[2]), line, undefined, lid);
  }
}

function readPairs(cells: readonly string[], device: string, port: number, line: Line, put: Put): void {
  for (let at = 0; at + 1 < cells.length && at < 400; at++) {
    if (/^[a-z]\w{2,47}$/.test(cells[at]!) && /^\d{1,19}$/.test(cells[at + 1]!))
      put(device, port, cells[at]!, Number(cells[at + 1]!), line);
  }
}

/** A command that prints one value for each file it was given, and ethtool cut down by grep. */
function readCommand(command: string, output: readonly Line[], put: Put): void {
  if (command.includes('counters/') && output.length > 0) {
    const words = command.split(/[|;&]/, 1)[0]!.split(/\s{1,8}/);
    const files = words.flatMap((word) => {
      const match = path.exec(` ${word}`);
      return match === null ? [] : [match];
    });
    if (
      files.length > 0 &&
      files.length === output.length &&
      output.every((line) => /^\d{1,19}$/.test(line.clean.trim()))
    )
      files.forEach((file, at) => {
        const line = output[at]!;
        put(file[1]!, Number(file[2]), file[3]!, Number(line.clean.trim()), line);
      });
    return;
  }
  const device = /\bethtool\b.{0,40}? -S {1,4}([\w.-]{1,40})/.exec(command)?.[1];
  if (device === undefined || output.some((line) => /^NIC statistics:/i.test(line.clean.trim()))) return;
  for (const line of output) {
    const pair = /^\s{0,16}([\w.[\]]{2,64}): {1,4}(\d{1,19})\s{0,4}$/.exec(line.clean);
    if (pair !== null) put(device, null, pair[1]!, Number(pair[2]), line);
  }
}

/**
 * Where a reading was taken: two nodes have adapters of one name. The node is named by the command (ssh, srun, kubectl
 * exec), the prompt or a heading; a command that goes over several nodes by itself has a place for each of its lines.
 */
class Places {
  private readonly marks: { readonly index: number; readonly place: string }[] = [];
  constructor(document: Document) {
    for (const each of document.lines) {
      const text = each.clean.trim();
      if (each.prompt) {
        const prompt = /^\[?[\w.-]{1,32}@([\w-]{1,63})/.exec(each.text.trim())?.[1] ?? '';
        const remote =
          /\b(?:ssh|srun|pdsh|clush|kubectl|oc|docker|podman|nsenter|ansible)\b.{0,200}?(?=(?:cat|grep|head|tail|perfquery|rdma|ethtool|sh|bash)\b|$)/.exec(
            each.command ?? '',
          )?.[0] ?? '';
        this.marks.push({ index: each.index, place: `${prompt} ${remote}` });
      } else if (text.length < 80 && heading.test(text)) this.marks.push({ index: each.index, place: text });
    }
  }
  of(line: Line): string {
    const place = lastBefore(this.marks, line.index)?.place ?? '';
    const several = /\b(?:pdsh|clush|ansible|pssh|parallel-ssh)\b|\bfor\b.{0,400}\bssh\b/.test(line.command ?? '');
    return several ? `${place} ${line.index}` : place;
  }
}

/** The last mark at or above a line; marks are in the order of the lines. */
function lastBefore<Mark extends { readonly index: number }>(marks: readonly Mark[], index: number): Mark | undefined {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle]!.index <= index) low = middle + 1;
    else high = middle;
  }
  return marks[low - 1];
}

/** `== gpu-node-7 ==`, `[n12]`, `host: n12`, `n12:`; a name with a number in it. */
const heading =
  /^(?:[=*#[\]-]{1,40} {0,2})?(?:host(?:name)?|node)?:? {0,2}(?!mlx|ib|eth|en|bond|port|lid)[a-z][a-z.-]{0,40}\d[\w.-]{0,40}(?: {0,2}[=*#[\]-]{1,40}|:)$/i;

/** The time of a reading: its own, or that of the last line above it that holds nothing but a time (`date`). */
class Clock {
  private readonly stamps: { readonly index: number; readonly ms: number }[] = [];
  constructor(document: Document) {
    for (const line of document.lines) {
      if (line.told || line.clean.length > 60 || !/\d\d:\d\d:\d\d/.test(line.clean)) continue;
      const ms = dateOf(line.clean.trim());
      if (ms !== null) this.stamps.push({ index: line.index, ms });
    }
  }
  at(line: Line): number | null {
    const own = momentOf(line);
    if (own !== null) return own.ms;
    return lastBefore(this.stamps, line.index)?.ms ?? null;
  }
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** `Tue Mar 11 07:52:38 UTC 2025`, `Tue Mar 11 07:52:38 AM UTC 2025`, `2025-03-11T07:52:38Z`: read as if in one zone. */
function dateOf(text: string): number | null {
  const iso = /^(?:=+ ?)?(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)/.exec(text);
  if (iso !== null) {
    const [year, month, day, hour, minute, second] = iso.slice(1, 7).map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }
  const unix =
    /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)(?: (AM|PM))?(?: [A-Z+\d-]{1,6})? (\d{4})$/.exec(
      text,
    );
  if (unix === null) return null;
  const hour = (Number(unix[3]) % (unix[6] === undefined ? 24 : 12)) + (unix[6] === 'PM' ? 12 : 0);
  return Date.UTC(
    Number(unix[7]),
    monthNames.indexOf(unix[1]!.toLowerCase()),
    Number(unix[2]),
    hour,
    Number(unix[4]),
    Number(unix[5]),
  );
}

/** Of counters that were read once, those that are not 0 and the most telling ones; of others how they went. */
function emit(found: ReadonlyMap<string, Series>, sink: FactSink): void {
  let growths = 0;
  let singles = 0;
  const order: readonly CounterKind[] = [
    'link',
    'loss',
    'remote-link',
    'receiver',
    'pause',
    'congestion',
    'order',
    'traffic',
  ];
  const all = [...found.values()].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  for (const series of all) {
    const { device, port, counter, readings } = series;
    const first = readings[0]!;
    const last = readings.at(-1)!;
    if (readings.length > 1) {
      // A counter that went back was set to zero in between: what it counted since then is all that is known.
      let from = first;
      for (let at = 1; at < readings.length; at++)
        if (readings[at]!.value < readings[at - 1]!.value) from = readings[at]!;
      if (from === last || growths >= mostFacts) continue;
      growths++;
      const span = from.at === null || last.at === null ? null : (last.at - from.at) / 1000;
      sink.add(
        'net.counter-growth',
        {
          device,
          port,
          counter,
          from: from.value,
          to: last.value,
          readings: readings.length,
          seconds: span === null || span <= 0 ? null : span,
        },
        [from.line, last.line],
      );
    } else if ((first.value > 0 || series.kind === 'link') && series.kind !== 'traffic' && singles < mostFacts) {
      singles++;
      sink.add('net.counter', { device, port, counter, reading: 0, value: first.value, at: first.at }, first.line);
    }
  }
}
