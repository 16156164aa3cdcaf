import { writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import type { Document } from '@culprit/core/model/document';
import type { Verdict } from '@culprit/core/model/verdict';
import { jsonText } from '@culprit/core/report/json-report';
import { lookupOf } from '@culprit/core/report/lookup';
import { redactorOf } from '@culprit/core/report/redact';
import { maskedWords } from '@culprit/core/report/redact-words';
import type { PackedEvents, TimelineData } from '@culprit/core/report/timeline-data';
import { timelineOf, unpackedTimes } from '@culprit/core/report/timeline-data';
import { timelinePage } from '@culprit/core/report/timeline-page';
import { summaryHtml } from '@culprit/core/report/trace-summary';
import type { RangeEvents } from '@culprit/core/report/timeline-svg';
import { timelineSvg } from '@culprit/core/report/timeline-svg';
import type { Trace, TraceFinding } from '@culprit/core/trace/model';
import type { TraceSummary } from '@culprit/core/trace/summary';
import { toolError, usageError } from '../errors.ts';
import { version } from '../version.ts';
import { timelineScript } from '../view-scripts.ts';
import type { Call } from './command.ts';
import { rangeOf } from './trace-picture-flags.ts';

/** What pictures of a trace are made of. */
export interface PicturedTrace {
  readonly traces: readonly Trace[];
  readonly findings: readonly TraceFinding[];
  readonly documents: readonly Document[];
  readonly verdict: Verdict;
  readonly left: readonly string[];
  readonly knowledge: Knowledge;
  /** Tables below the time line; null where none were made. */
  readonly summary: TraceSummary | null;
}

type Masked = ReturnType<ReturnType<typeof redactorOf>['masked']>;

const packed = (bytes: Uint8Array): string => gzipSync(bytes, { level: 5 }).toString('base64');

/** The page with the verdict and the time line, as `--format html` prints it. */
export function tracePage(pictured: PicturedTrace, redact: boolean): string {
  const { data, verdict, left, summary } = shown(pictured, redact);
  const options = { knowledge: pictured.knowledge, version, color: false, columns: null, left };
  const tables = summary === null ? '' : summaryHtml(summary);
  return timelinePage(verdict, lookupOf(pictured.knowledge, verdict), options, data, timelineScript, tables);
}

/** Writes the files that `--html`, `--svg` and `--timeline` name, redacted unless that is not wanted. */
export function writeTracePictures(call: Call, pictured: PicturedTrace): void {
  const redact = call.flags['no-redact'] !== true;
  const makers: Readonly<Record<string, () => string>> = {
    html: () => tracePage(pictured, redact),
    svg: () => svgOf(call, shown(pictured, redact).data),
    timeline: () => `${jsonText(shown(pictured, redact).data)}\n`,
  };
  for (const [flag, make] of Object.entries(makers)) {
    const file = call.flags[flag];
    if (typeof file !== 'string') continue;
    if (pictured.traces.every(({ work, calls }) => work.count + calls.count === 0))
      throw toolError('no-input', `--${flag} ${file}: there is no event to draw`, 'a summary has none; a trace has');
    const made = make();
    try {
      writeFileSync(file, made);
    } catch (error) {
      throw toolError('not-written', `${file} cannot be written: ${(error as Error).message}`);
    }
    const masked = redact ? maskedWords(shown(pictured, true).masked) : null;
    call.output.note(
      `culprit: wrote ${file}${!redact ? '; nothing in it is masked' : masked === null ? '; nothing in it had to be masked' : `; masked: ${masked}`}`,
    );
  }
}

const made = new WeakMap<PicturedTrace, TimelineData>();

/** What a file shows of a trace, redacted or not. */
interface Shown extends Pick<PicturedTrace, 'verdict' | 'left' | 'summary'> {
  readonly data: TimelineData;
  readonly masked: Masked;
}

function shown(pictured: PicturedTrace, redact: boolean): Shown {
  const data = made.get(pictured) ?? timelineOf(pictured.traces, pictured.findings, packed);
  made.set(pictured, data);
  const { left, summary } = pictured;
  if (!redact) return { data, verdict: pictured.verdict, left, summary, masked: [] };
  const redactor = redactorOf(pictured.documents);
  const verdict = redactor.verdict(pictured.verdict);
  const { tracks, ...rest } = data;
  // The columns are numbers in base64, which no name can be in.
  const masked = redactor.value({ ...rest, tracks: tracks.map(({ events: _events, ...track }) => track) });
  const whole = {
    ...rest,
    ...masked,
    tracks: masked.tracks.map((track, at) => ({ ...track, events: tracks[at]!.events })),
  };
  const told = redactor.value({ left, summary });
  return { data: whole, verdict, ...told, masked: redactor.masked() };
}

function svgOf(call: Call, data: TimelineData): string {
  const [from, to] = drawnRange(call.flags['range'], data.lengthNs);
  const unpacked = (packedEvents: PackedEvents): RangeEvents =>
    unpackedTimes(packedEvents, gunzipSync(Buffer.from(packedEvents.columns, 'base64')));
  return timelineSvg(data, (track) => unpacked(data.tracks[track]!.events), from, to);
}

/** The range that is drawn, in ns; all of it without `--range`. */
function drawnRange(given: unknown, length: number): readonly [number, number] {
  if (typeof given !== 'string') return [0, length];
  const [from, to] = rangeOf(given);
  if (from >= length) throw usageError('bad-value', `--range ${given} begins after the last event`, null);
  return [from, Math.min(to, length)];
}
