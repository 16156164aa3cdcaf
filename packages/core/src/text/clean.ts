import type { Origin } from '../model/document.ts';
import { logfmtTime, recordLines, unescaped } from './structured-log.ts';

const escape = '\u001b';

/** Removes terminal control sequences (ECMA-48 CSI, OSC, two-character escapes) and keeps what an overwriting carriage return leaves. */
export function plain(text: string): string {
  let out = text.includes(escape) ? stripEscapes(text) : text;
  if (out.charCodeAt(0) === 0xfeff) out = out.slice(1);
  if (out.endsWith('\r')) out = out.slice(0, -1);
  const overwritten = out.lastIndexOf('\r');
  if (overwritten >= 0) out = out.slice(overwritten + 1) || out.slice(0, overwritten);
  return out.includes('\0') ? out.replaceAll('\0', '') : out;
}

/** Removes terminal control sequences and nothing else. */
export function withoutSequences(text: string): string {
  return text.includes(escape) ? stripEscapes(text) : text;
}

function stripEscapes(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(escape); at >= 0; at = text.indexOf(escape, from)) {
    parts.push(text.slice(from, at));
    from = endOfEscape(text, at);
  }
  parts.push(text.slice(from));
  return parts.join('');
}

function endOfEscape(text: string, at: number): number {
  const kind = text[at + 1];
  let end = at + 2;
  if (kind === '[') {
    while (end < text.length && end < at + 64) {
      const code = text.charCodeAt(end++);
      if (code >= 0x40 && code <= 0x7e) return end;
    }
    return end;
  }
  if (kind === ']') {
    while (end < text.length && end < at + 2048) {
      const code = text.charCodeAt(end++);
      if (code === 7) return end;
      if (code === 0x1b) return text[end] === '\\' ? end + 1 : end;
    }
    return end;
  }
  return Math.min(end, text.length);
}

/** One kind of prefix that a launcher or a logger puts before a program's line. */
interface Prefix {
  readonly name: string;
  /** First characters that it can have: `0` any digit, `a` any letter, else themselves. */
  readonly starts: string;
  readonly pattern: RegExp;
  /** A text that the first part of the line must hold. */
  readonly near?: string;
  /** What the pattern alone would take too long to say. */
  fits?(groups: Readonly<Record<string, string | undefined>>): boolean;
  origin(groups: Readonly<Record<string, string | undefined>>): Origin;
}

const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const days = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';

/**
 * Prefixes in the order in which they are tried; each may stand behind another, and they are peeled until none fits.
 * Only the launcher's and the transport's prefixes are removed: a program's own level and file words stay, since
 * signatures use them.
 */
const prefixes: readonly Prefix[] = [
  {
    // Docker, kubectl logs --timestamps, journalctl -o short-iso, RFC 3339 in general
    name: 'iso-time',
    starts: '0',
    pattern: /^(?<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)(?::|,)?\s{1,4}/,
    origin: (groups) => timeOrigin(groups['time']),
  },
  {
    // Timestamps of Jenkins and other CI servers: [2024-08-09T02:11:40.118Z]
    name: 'ci-time',
    starts: '[',
    pattern: /^\[(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d))\] /,
    origin: (groups) => timeOrigin(groups['time']),
  },
  {
    // containerd / CRI log files: after the time, the stream and a partial tag
    name: 'cri',
    starts: 'a',
    pattern: /^(?:stdout|stderr) [FP] /,
    origin: () => ({}),
  },
  {
    // syslog and journalctl -o short, only before the kernel's or a daemon's tag
    name: 'syslog',
    starts: 'a',
    pattern: new RegExp(
      `^(?<time>(?:${months}) [ \\d]\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,6})?) (?<host>[A-Za-z0-9][\\w.-]{0,63}) (?<unit>[A-Za-z][\\w./@:-]{0,63}?)(?:\\[(?<pid>\\d{1,9})\\])?: `,
    ),
    origin: syslogOrigin,
  },
  {
    name: 'journal-iso',
    starts: '0a',
    pattern:
      /^(?<host>[A-Za-z0-9][\w.-]{0,63}) (?<unit>kernel|systemd|dockerd|containerd|kubelet|nvidia-[\w-]{1,40}|slurmd|slurmstepd)(?:\[(?<pid>\d{1,9})\])?: /,
    origin: syslogOrigin,
  },
  {
    // dmesg -T
    name: 'dmesg-date',
    starts: '[',
    pattern: new RegExp(`^\\[(?<time>(?:${days}) (?:${months}) {1,2}\\d{1,2} \\d\\d:\\d\\d:\\d\\d \\d{4})\\] ?`),
    origin: (groups) => timeOrigin(groups['time']),
  },
  {
    // dmesg and the kernel's own seconds since boot
    name: 'dmesg',
    starts: '[<',
    pattern: /^(?:<\d{1,3}>)?\[ {0,6}(?<time>\d{1,9}\.\d{6})\](?:\[ {0,4}[TC]\d{1,7}\])? ?/,
    origin: (groups) => (groups['time'] === undefined ? {} : { time: groups['time'] }),
  },
  {
    // dmesg -x: facility and level
    name: 'dmesg-level',
    starts: 'a',
    pattern:
      /^(?:kern|user|daemon|syslog) {0,3}:(?:emerg|alert|crit|err|warn|notice|info|debug) {0,3}: (?:\[ {0,6}\d{1,9}\.\d{6}\] )?/,
    origin: () => ({}),
  },
  {
    // /dev/kmsg: priority, sequence, microseconds since boot, flags
    name: 'kmsg',
    starts: '0',
    pattern: /^\d{1,3},\d{1,12},\d{1,16},[-c+](?:,\S{1,60})?;/,
    origin: () => ({}),
  },
  {
    // torchrun: [rank3]: and [default0]:
    name: 'torchrun',
    starts: '[',
    pattern: /^\[(?:rank|default)(?<rank>\d{1,6})\](?::\s?| (?=[a-zA-Z\d{]))/,
    origin: (groups) => rankOrigin(groups['rank']),
  },
  {
    // Open MPI --tag-output, with and without a date; since release 5 with the name of the launcher: [prterun-gn01-44@1,3]<stderr>:
    name: 'mpi',
    starts: '[a',
    pattern:
      /^(?:[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})?\[(?:[\w.-]{1,80}@)?\d{1,9},(?<rank>\d{1,6})\]<(?:stdout|stderr|stddiag)>:\s?/,
    origin: (groups) => rankOrigin(groups['rank']),
  },
  {
    // rank 12 | line, of wrappers that label ranks themselves
    name: 'labelled',
    starts: 'ar[',
    pattern: /^(?:\[?[Rr]ank:? {0,2}(?<rank>\d{1,6})\]? {0,2}\| {0,2})(?=\S)/,
    origin: (groups) => rankOrigin(groups['rank']),
  },
  {
    // srun --label
    name: 'srun',
    starts: ' 0',
    // (`2: eth0: <BROADCAST…` of ip is none)
    pattern: /^ {0,4}(?<rank>\d{1,5}): (?=\S| {2}File ")(?![\w.@-]{1,40}: <[A-Z])/,
    origin: (groups) => rankOrigin(groups['rank']),
  },
  {
    // Ray and vLLM: (RayTrainWorker pid=3011, ip=10.0.0.7), (EngineCore_DP0 pid=77), (Learner pid=6239)
    name: 'actor',
    starts: '(',
    pattern: /^\((?<unit>[A-Za-z_][\w.:\- ]{0,80}?)(?: pid=(?<pid>\d{1,9}))(?:, ip=(?<host>[\w.:]{1,64}))?\)\s?/,
    origin: (groups) => ({
      ...(groups['unit'] === undefined ? {} : { unit: groups['unit'] }),
      ...(groups['pid'] === undefined ? {} : { pid: Number(groups['pid']) }),
      ...(groups['host'] === undefined ? {} : { host: groups['host'] }),
    }),
  },
  {
    // docker compose: service-1  | line
    name: 'compose',
    starts: '0a',
    pattern: /^(?<unit>[A-Za-z0-9][\w.-]{0,62}) {1,20}\| (?=\S)/,
    origin: (groups) => (groups['unit'] === undefined ? {} : { unit: groups['unit'] }),
  },
  {
    // stern: llm-worker-3 pytorch line; only with the usual names of a training job's containers. One run over the name.
    name: 'stern',
    near: '-',
    // A pod's name ends with its number or five letters of its own.
    fits: (groups) => /-(?:\d{1,5}|[a-z0-9]{5})[ /]/.test(groups['unit'] ?? ''),
    starts: 'a',
    pattern:
      /^(?<unit>[a-z][a-z0-9-]{2,80}[ /](?:pytorch|tensorflow|mpi|jax|xgboost|paddle|launcher|master|worker|trainer|train|training|main)) (?=\S)/,
    origin: (groups) => (groups['unit'] === undefined ? {} : { unit: groups['unit'].replace(' ', '/') }),
  },
  {
    // pdsh, which DeepSpeed starts its nodes with: gn01: [rank3]: line
    name: 'pdsh',
    near: ': [',
    fits: (groups) => /\d/.test(groups['host'] ?? ''),
    starts: 'a',
    pattern: /^(?<host>[a-z][a-z0-9.-]{1,62}): (?=\[(?:rank|default|20\d\d-))/,
    origin: (groups) => (groups['host'] === undefined ? {} : { host: groups['host'] }),
  },
  {
    // node-b [rank5]: line
    name: 'node-rank',
    near: ' [',
    fits: (groups) => /\d|-/.test(groups['host'] ?? ''),
    starts: 'a',
    pattern: /^(?<host>[a-z][a-z0-9.-]{1,62}) (?=\[(?:rank|default)\d{1,6}\]:)/,
    origin: (groups) => (groups['host'] === undefined ? {} : { host: groups['host'] }),
  },
  {
    // kubectl logs --prefix: [pod/name/container]
    name: 'kubectl',
    starts: '[',
    pattern: /^\[pod\/(?<unit>[\w./-]{1,200})\] /,
    origin: (groups) => (groups['unit'] === undefined ? {} : { unit: groups['unit'] }),
  },
];

function rankOrigin(rank: string | undefined): Origin {
  return rank === undefined ? {} : { rank: Number(rank) };
}

function syslogOrigin(groups: Readonly<Record<string, string | undefined>>): Origin {
  return {
    ...(groups['time'] === undefined ? {} : { time: groups['time'] }),
    ...(groups['host'] === undefined ? {} : { host: groups['host'] }),
    ...(groups['unit'] === undefined ? {} : { unit: groups['unit'] }),
    ...(groups['pid'] === undefined ? {} : { pid: Number(groups['pid']) }),
  };
}

/** Only a time with its zone is absolute: the zone of the machine that reads a log is not the log's. */
function timeOrigin(time: string | undefined): Origin {
  if (time === undefined) return {};
  const iso = time.replace(',', '.').replace(' ', 'T');
  const at = /(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(at) ? { time } : { time, at };
}

/** Prefixes by the first character that a line may have with them; most lines of a log find none. */
const prefixesByStart: readonly (readonly Prefix[])[] = Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  const kind = /\d/.test(char) ? '0' : /[A-Za-z]/.test(char) ? 'a' : char;
  return prefixes.filter((prefix) => prefix.starts.includes(kind));
});

/** A message of a line, and where the line says it came from. */
export interface Peeled {
  readonly rest: string;
  readonly origin: Origin;
}

const deepestRecord = 3;

/**
 * The messages of a line without the prefixes of launchers, loggers and transports. Most lines hold one; a record of a
 * log (Docker, journald, zap, structlog …) holds the lines of its message and of the stack trace beside it.
 * @param text one line without escapes
 * @returns at least one message
 */
export function messagesOf(text: string, depth = 0): readonly Peeled[] {
  const outer = peelPrefixes(text);
  const records = outer.rest.startsWith('{') && depth < deepestRecord ? recordLines(outer.rest) : null;
  if (records === null) {
    const rest = unescaped(outer.rest);
    return [rest === outer.rest ? outer : { rest, origin: outer.origin }];
  }
  return records.flatMap((record) =>
    messagesOf(plain(record.text), depth + 1).map((inner) => ({
      rest: inner.rest,
      origin: { ...outer.origin, ...record.origin, ...inner.origin },
    })),
  );
}

/** True for a line that is a record of a log, whose messages stand inside. */
export function isRecord(text: string): boolean {
  const { rest } = peelPrefixes(text);
  return rest.startsWith('{') && recordLines(rest) !== null;
}

/**
 * Peels the prefixes of launchers, loggers and transports off a line.
 * @param text one line without escapes
 * @returns the rest of the line (of a record, its first message) and what the prefixes told
 */
export function peel(text: string): Peeled {
  return messagesOf(text)[0]!;
}

/** gh run view --log: job, step and time, parted by tabs. */
const githubRun = /^([\w (),./-]{1,120})\t[^\t]{1,120}\t\ufeff?(?=\d{4}-\d\d-\d\dT)/;

function peelPrefixes(text: string): Peeled {
  let rest = text;
  let origin: Origin = {};
  const run = text.includes('\t') && text.charCodeAt(0) !== 9 ? githubRun.exec(text) : null;
  if (run !== null) {
    origin = { unit: run[1]! };
    rest = text.slice(run[0].length);
  }
  for (let round = 0; round < 6 && rest !== ''; round++) {
    let found = false;
    const stamped = logfmtTime(rest);
    if (stamped !== null) {
      origin = { ...timeOrigin(stamped.time), ...origin };
      rest = stamped.rest;
      continue;
    }
    for (const prefix of prefixesByStart[rest.charCodeAt(0)] ?? []) {
      if (prefix.near !== undefined) {
        const at = rest.indexOf(prefix.near);
        if (at < 0 || at > 100) continue;
      }
      const match = prefix.pattern.exec(rest);
      if (match === null || match[0] === '' || prefix.fits?.(match.groups ?? {}) === false) continue;
      origin = { ...prefix.origin(match.groups ?? {}), ...origin };
      rest = rest.slice(match[0].length);
      found = true;
      break;
    }
    if (!found) break;
  }
  return { rest, origin };
}
