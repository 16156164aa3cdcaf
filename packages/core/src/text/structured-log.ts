import type { Origin } from '../model/document.ts';

// Logs whose lines are records: the message inside is what a reader wants to see.
//
// {"log":"NVRM: Xid …\n","stream":"stderr","time":"2026-01-02T03:04:05.1Z"}            Docker json-file, fluent-bit
// {"__REALTIME_TIMESTAMP":"1743599275640812","_HOSTNAME":"n1","MESSAGE":"NVRM: Xid …"}  journalctl -o json
// {"level":"error","ts":1700000000.1,"msg":"start failed","error":"…","stacktrace":"…"} zap, logrus, slog, bunyan, pino
// {"event":"CUDA error","level":"error","timestamp":"…","exception":"Traceback …\n…"}   structlog
// {"severity":"ERROR","textPayload":"…","resource":{"labels":{"pod_name":"train-0"}}}   Google Cloud
// time="2026-01-02T03:04:05Z" level=error msg="… \"nvidia\" …" error="…"                logrus, slog as text

/** A message of a record. */
export interface RecordLine {
  readonly text: string;
  readonly origin: Origin;
}

const longestRecord = 256 * 1024;
const mostLines = 2000;

/** Fields that hold the message, best first. */
const messageFields: readonly string[] = [
  'log',
  'MESSAGE',
  'message',
  'msg',
  '@message',
  'textPayload',
  'event',
  'body',
  'Body',
  'line',
  'Message',
  'text',
  'record.message',
  'jsonPayload.message',
  'jsonPayload.msg',
  'jsonPayload.MESSAGE',
  'fields.message',
];
/** Fields that carry further program text beside the message. */
const textFields: readonly string[] = [
  'error',
  'err',
  'err.message',
  'err.stack',
  'error.message',
  'error.stack',
  'error.stack_trace',
  'errorVerbose',
  'exception',
  'exception.message',
  'exception.stacktrace',
  'exc_info',
  'exc_text',
  'stack',
  'stacktrace',
  'stack_trace',
  'stack_info',
  'traceback',
  'reason',
  'output',
  'stderr',
  'jsonPayload.error',
  'jsonPayload.exception',
  'jsonPayload.stacktrace',
];
const timeFields: readonly string[] = [
  'time',
  'timestamp',
  'ts',
  '@timestamp',
  'asctime',
  'eventTime',
  'date',
  'datetime',
  't',
  '__REALTIME_TIMESTAMP',
];
const levelFields: readonly string[] = [
  'level',
  'severity',
  'lvl',
  'levelname',
  'log.level',
  'loglevel',
  'PRIORITY',
  'stream',
  'logger',
  'v',
];
const hostFields: readonly string[] = [
  '_HOSTNAME',
  'hostname',
  'host',
  'node',
  'nodename',
  'node_name',
  'kubernetes.host',
  'kubernetes.node.name',
  'resource.labels.node_name',
  'host.name',
];
const unitFields: readonly string[] = [
  'kubernetes.pod_name',
  'kubernetes.pod.name',
  'resource.labels.pod_name',
  'pod',
  'pod_name',
  'container',
  'container_name',
  '_SYSTEMD_UNIT',
  'SYSLOG_IDENTIFIER',
];
const rankFields: readonly string[] = ['rank', 'global_rank', 'RANK'];
const pidFields: readonly string[] = ['pid', '_PID', 'process'];

/** Fields that hold what is looked for, asked or configured. */
const settingFields =
  /pattern|regex|match|expr|query|filter|rule|keyword|search|prompt|question|answer|completion|instruction|input|expected|example|description|summary|runbook|config|template|title|annotation|label|action|remedy|arg|param/i;
/** Fields that hold a program's output whatever the level of the record is. */
const printedFields = /err|exception|stack|trace|std|output|reason|log|msg|message|text|line|caus|detail/i;

/** True for a record below the level of a warning. */
function isInformation(record: Fields): boolean {
  for (const name of ['level', 'severity', 'lvl', 'levelname', 'log.level', 'loglevel']) {
    const value = at(record, name);
    if (typeof value === 'string' && value !== '') return /^(?:info|debug|trace|notice|verbose|default)/i.test(value);
    // bunyan and pino
    if (typeof value === 'number') return value >= 10 && value <= 30;
  }
  return false;
}

type Fields = Readonly<Record<string, unknown>>;

/** The value at a dotted name, which may be one key with dots or nested objects. */
function at(record: Fields, name: string): unknown {
  if (Object.hasOwn(record, name)) return record[name];
  if (!name.includes('.')) return undefined;
  let value: unknown = record;
  for (const key of name.split('.')) {
    if (value === null || typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = (value as Fields)[key];
  }
  return value;
}

/** Text of a field; journald prints what is not UTF-8 as a list of bytes. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || value.length === 0 || value.length > 65_536) return null;
  if (value.every((each) => typeof each === 'string')) return (value as readonly string[]).join('\n');
  if (!value.every((each) => typeof each === 'number' && each >= 0 && each < 256)) return null;
  return new TextDecoder().decode(Uint8Array.from(value as readonly number[]));
}

function firstText(record: Fields, names: readonly string[]): string | null {
  for (const name of names) {
    const value = at(record, name);
    if (typeof value === 'string' && value !== '' && value.length <= 200) return value;
  }
  return null;
}

function firstNumber(record: Fields, names: readonly string[]): number | null {
  for (const name of names) {
    const value = at(record, name);
    const number = typeof value === 'number' ? value : typeof value === 'string' && value !== '' ? Number(value) : NaN;
    if (Number.isInteger(number) && number >= 0 && number < 1e9) return number;
  }
  return null;
}

function timeOf(record: Fields): Origin {
  for (const name of timeFields) {
    const value = at(record, name);
    if (typeof value === 'string' && /^\d{10,19}$/.test(value)) return { at: milliseconds(Number(value)) };
    if (typeof value === 'string' && value !== '' && value.length <= 64) {
      const parsed = Date.parse(value.replace(',', '.').replace(/^(\d{4}-\d\d-\d\d) /, '$1T'));
      return Number.isNaN(parsed) ? { time: value } : { time: value, at: parsed };
    }
    if (typeof value === 'number' && Number.isFinite(value) && value > 1e8) return { at: milliseconds(value) };
  }
  return {};
}

/** Seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by their size. */
function milliseconds(value: number): number {
  const factor = value < 1e11 ? 1000 : value < 1e14 ? 1 : value < 1e17 ? 1e-3 : 1e-6;
  return Math.floor(value * factor);
}

function originOf(record: Fields): Origin {
  const host = firstText(record, hostFields);
  const unit = firstText(record, unitFields);
  const rank = firstNumber(record, rankFields);
  const pid = firstNumber(record, pidFields);
  return {
    ...timeOf(record),
    ...(host === null ? {} : { host }),
    ...(unit === null ? {} : { unit }),
    ...(rank === null ? {} : { rank }),
    ...(pid === null ? {} : { pid }),
  };
}

/**
 * The messages of a line that is one JSON record of a log.
 * @param text the line, without the prefixes of what carried it
 * @returns the message and what stands beside it (error, stack trace), cut into lines; null for any other JSON
 */
export function recordLines(text: string): readonly RecordLine[] | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}') || trimmed.length > longestRecord) return null;
  if (
    !/"(?:log|MESSAGE|[Mm]essage|msg|@message|textPayload|event|[bB]ody|line|text|jsonPayload|record)"\s{0,4}:/.test(
      trimmed.slice(0, longestRecord),
    )
  )
    return null;
  let record: Fields;
  try {
    record = JSON.parse(trimmed) as Fields;
  } catch {
    return null;
  }
  // Objects of an API are no log, though they have messages; their own reader takes them.
  if (Object.hasOwn(record, 'kind') || Object.hasOwn(record, 'apiVersion')) return null;
  const message = messageFields.map((name) => textOf(at(record, name))).find((each) => each !== null);
  if (message === undefined || message === null) return null;
  if (![...timeFields, ...levelFields].some((name) => at(record, name) !== undefined)) return null;
  const origin = originOf(record);
  const texts = [message];
  for (const name of textFields) {
    const more = textOf(at(record, name));
    if (more !== null && more.trim() !== '' && !texts.some((each) => each.includes(more))) texts.push(more);
  }
  // Other fields may hold what a program printed, too: not those that name what is looked for, and none of a record
  // that only informs.
  const informs = isInformation(record);
  for (const [name, value] of Object.entries(record)) {
    if (typeof value !== 'string' || value.length < 24 || !/\s/.test(value) || timeFields.includes(name)) continue;
    if (settingFields.test(name) || (informs && !printedFields.test(name))) continue;
    if (!texts.some((each) => each.includes(value))) texts.push(value);
  }
  return texts
    .flatMap((each) => each.replace(/\r?\n$/, '').split('\n'))
    .slice(0, mostLines)
    .map((line) => ({ text: line, origin }));
}

const logfmt =
  /^(?:time|ts|t)=(?:"(?<quoted>[^"]{10,40})"|(?<bare>\d{4}-\S{6,36})) (?=(?:level|lvl|source|msg|logger)=)/;
const klog = /^[EWIF]\d{4} \d\d:\d\d:\d\d\.\d{6}\s{1,8}\d{1,9} \S{1,80}:\d{1,6}\] /;
const messageKey = /"(?:message|note|msg|error|err|reason|log|output|Error|Status|status)"\s{0,4}:\s{0,4}"/;

/** The time that stands before a line of logfmt, and the line without it; null for other lines. */
export function logfmtTime(text: string): { readonly rest: string; readonly time: string } | null {
  if (!text.startsWith('t')) return null;
  const match = logfmt.exec(text);
  const time = match?.groups?.['quoted'] ?? match?.groups?.['bare'];
  return match === null || time === undefined ? null : { rest: text.slice(match[0].length), time };
}

/** Quotes and line ends inside the quoted fields of logfmt, klog and JSON as they were before they were escaped. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const escapes =
    klog.test(text) ||
    (text.includes(' msg="') && /\b(?:level|lvl)=\w{3,8} /.test(text.slice(0, 400))) ||
    /^msg="/.test(text) ||
    messageKey.test(text);
  return escapes ? text.replaceAll(/\\{1,7}"/g, '"').replaceAll(/\\{1,7}[nt]/g, ' ') : text;
}
