// How often and where Xids and SXids came: one fact for each code and device of a log.
//
// NVRM: Xid (PCI:0000:a3:00): 31, pid=88213, name=python3, Ch 00000008, …
// nv_report_error: 41 callbacks suppressed                    (the kernel left out as many messages before the next line)
// message repeated 3 times: [NVRM: Xid (PCI:0000:a3:00): 31, …]                       (rsyslog)
// last message repeated 5 times                                                       (older system logs)
// -- Boot 4f1c…  /  Linux version 6.8.0-51-generic …          (a node that was started again)
// NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.124.06  (the driver was loaded again)
import type { Document, Line } from '../model/document.ts';
import type { FactValues } from '../model/facts.ts';
import type { Parser } from './parser.ts';
import type { Moment } from '../text/when.ts';
import { momentOf, onOneClock } from '../text/when.ts';
import { sxidOf, xidOf } from './kernel-log.ts';

type Events = FactValues['gpu.xid-events'];

interface Tally {
  readonly kind: Events['kind'];
  readonly xid: number;
  readonly pci: string;
  readonly host: string | null;
  count: number;
  suppressed: number;
  first: Line;
  last: Line;
  readonly moments: Moment[];
  undated: boolean;
  readonly programs: Map<string, { readonly process: string | null; readonly pid: number | null; count: number }>;
}

/** Times of one tally that are kept: the first ones and, in place of the last, the newest. */
const mostMoments = 512;
const mostPrograms = 32;

export const xidEvents: Parser = {
  id: 'kernel-log',
  failures: true,
  literals: ['xid (', 'callbacks suppressed', 'message repeated', 'messages repeated'],
  keep: { before: 1, after: 1 },
  parse(document, hits, sink) {
    const tallies = new Map<string, Tally>();
    let previous: Tally | null = null;
    let previousAt = -1;
    /** Messages that were left out before the line that follows. */
    let waiting: { readonly count: number; readonly at: number } | null = null;
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const left = /^(?:\[[^\]]{1,40}\] {0,2})?([\w.]{2,60}): (\d{1,9}) callbacks suppressed$/.exec(line.clean.trim());
      if (left !== null) {
        if (isNext(document, line)) waiting = { count: Number(left[2]), at: line.index };
        else if (previous !== null && line.index - previousAt <= 1 && /nv|xid/i.test(left[1]!))
          previous.suppressed += Number(left[2]);
        continue;
      }
      const again = /\b(?:last )?messages? repeated (\d{1,9}) times?/.exec(line.clean);
      const event = eventOf(line);
      if (event === null) {
        if (again !== null && previous !== null && line.index === previousAt + 1) {
          previous.count += Number(again[1]);
          previous.last = line;
          previousAt = line.index;
        }
        continue;
      }
      const host = line.origin.host ?? null;
      const key = `${event.kind} ${event.xid} ${event.pci} ${host ?? ''}`;
      let tally = tallies.get(key);
      if (tally === undefined) {
        tally = {
          ...event,
          host,
          count: 0,
          suppressed: 0,
          first: line,
          last: line,
          moments: [],
          undated: false,
          programs: new Map(),
        };
        tallies.set(key, tally);
      }
      count(tally, line, event.process, event.pid, again === null ? 1 : Number(again[1]));
      if (waiting !== null && line.index - waiting.at <= 2) tally.suppressed += waiting.count;
      waiting = null;
      previous = tally;
      previousAt = line.index;
    }
    for (const tally of [...tallies.values()].slice(0, 256)) {
      const { kind, xid, pci, host, first, last } = tally;
      sink.add(
        'gpu.xid-events',
        {
          kind,
          xid,
          pci,
          host,
          count: tally.count,
          suppressed: tally.suppressed,
          first: first.origin.time ?? null,
          last: last.origin.time ?? null,
          spanMs: spanOf(tally),
          programs: [...tally.programs.values()],
        },
        first === last ? first : [first, last],
      );
    }
  },
};

function eventOf(line: Line):
  | (Pick<Tally, 'kind' | 'xid' | 'pci'> & {
      readonly process: string | null;
      readonly pid: number | null;
    })
  | null {
  const xid = xidOf(line);
  if (xid !== null) return { kind: 'xid', xid: xid.xid, pci: xid.pci, process: xid.process, pid: xid.pid };
  const sxid = sxidOf(line);
  return sxid === null ? null : { kind: 'sxid', xid: sxid.sxid, pci: sxid.pci, process: null, pid: null };
}

function count(tally: Tally, line: Line, process: string | null, pid: number | null, times: number): void {
  tally.count += times;
  tally.last = line;
  const moment = momentOf(line);
  if (moment === null) tally.undated = true;
  else if (tally.moments.length < mostMoments) tally.moments.push(moment);
  else tally.moments[mostMoments - 1] = moment;
  if (process === null && (pid === null || pid === 0)) return;
  const key = `${process ?? ''} ${pid ?? ''}`;
  const known = tally.programs.get(key);
  if (known !== undefined) known.count += times;
  else if (tally.programs.size < mostPrograms) tally.programs.set(key, { process, pid, count: times });
}

/** Time between the first and the last event; null where clocks differ, run backwards (a new start) or are not printed. */
function spanOf(tally: Tally): number | null {
  if (tally.undated || tally.moments.length === 0) return null;
  const times = onOneClock(tally.moments);
  if (times === null) return null;
  for (let at = 1; at < times.length; at++) if (times[at]! < times[at - 1]! - 1000) return null;
  return times[times.length - 1]! - times[0]!;
}

/** The kernel says what it left out just before the next message that it lets through. */
function isNext(document: Document, line: Line): boolean {
  const next = document.lines[line.index + 1];
  return next !== undefined && eventOf(next) !== null;
}

export const starts: Parser = {
  id: 'kernel-log',
  literals: ['-- boot ', '-- reboot', 'linux version ', 'loading nvidia unix', 'nvidia unix open kernel module'],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean.trim();
      if (
        /^-- (?:Boot [0-9a-f]{4,32}|Reboot) ?(?:--)?$/.test(text) ||
        /^(?:kernel: )?Linux version \d[\w.+~-]{2,60} \(/.test(text)
      )
        sink.add('os.started', { what: 'node' }, line);
      else if (/^NVRM: loading NVIDIA UNIX /.test(text)) sink.add('os.started', { what: 'driver' }, line);
    }
  },
};
