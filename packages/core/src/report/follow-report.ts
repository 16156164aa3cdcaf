import type { FollowChange } from '../diagnose/follow.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import { paintOf } from './paint.ts';
import { cut, visible, wrap } from './visible.ts';
import { actorWords, placeWords, statusWords } from './words.ts';
import { isShellCommand } from './shell-command.ts';

/** Something to tell while a text is followed. */
export type FollowEvent =
  | FollowChange
  /** What happened to the file: it is not there yet, was opened, replaced by another, cut, or went away. */
  | { readonly event: 'file'; readonly what: 'waiting' | 'opened' | 'replaced' | 'truncated' | 'gone' }
  /** The end: the verdict on everything. */
  | { readonly event: 'verdict'; readonly verdict: Verdict };

/** When and where. */
export interface FollowPlace {
  readonly file: string;
  /** Seconds since the following began. */
  readonly seconds: number;
  /** Lines that were read of the current file. */
  readonly line: number;
}

/** One line of `culprit/follow@1`. */
export type FollowLine = {
  readonly schema: 'culprit/follow@1';
  readonly seconds: number;
  readonly file: string;
  readonly line: number;
} & FollowEvent;

/** An event as it stands in one line of JSON. */
export function followLine(event: FollowEvent, place: FollowPlace): FollowLine {
  const { event: name, ...rest } = event;
  const made = {
    schema: 'culprit/follow@1',
    event: name,
    seconds: Math.round(place.seconds * 1000) / 1000,
    file: place.file,
    line: place.line,
    ...rest,
  };
  return made as unknown as FollowLine;
}

const fileWords = {
  waiting: 'is not there yet; waiting for it',
  opened: 'is there now',
  replaced: 'was replaced by a new file; lines count from 1 again',
  truncated: 'was cut; lines count from 1 again',
  gone: 'is gone; waiting for it to come back',
} as const;

const mostEvidence = 3;
const mostRemedies = 2;

/** An event for a reader: a compact block for a finding, one line for all else. The verdict is reported elsewhere. */
export function followText(
  event: FollowEvent,
  place: FollowPlace,
  options: { readonly color: boolean; readonly columns: number | null },
): string {
  const paint = paintOf(options.color);
  const width = Math.max(40, options.columns ?? 120);
  const time = paint.dim(`+${timeWords(place.seconds)}`);
  switch (event.event) {
    case 'finding': {
      const { finding } = event;
      const lines = [
        `${time} ${paint.bad(wordsOf(event.status, finding))}: ${paint.strong(visible(finding.message))}`,
        paint.dim(`    ${finding.rule}, ${finding.certainty}`),
      ];
      for (const each of finding.evidence.slice(0, mostEvidence)) {
        const where = visible(placeWords(each));
        lines.push(
          `    ${paint.dim(`${where} |`)} ${cut(visible(each.text), Math.max(40, (options.columns ?? 240) - where.length - 7), { start: 0, length: 0 })}`,
        );
      }
      finding.remedies.slice(0, mostRemedies).forEach((remedy, at) => {
        const [first = '', ...more] = wrap(`${actorWords[remedy.actor]}: ${visible(remedy.do)}`, width - 7);
        lines.push(`    ${at + 1}. ${first}`, ...more.map((line) => `       ${line}`));
        if (remedy.command !== undefined)
          lines.push(`         ${isShellCommand(remedy.command) ? '$ ' : ''}${visible(remedy.command)}`);
      });
      if (event.explains.length > 0) lines.push(`    this explains ${event.explains.join(', ')}, told before`);
      return `${lines.join('\n')}\n`;
    }
    case 'certainty':
      return `${time} ${event.finding.rule}: ${event.was} → ${paint.strong(event.now)}: ${visible(event.finding.message)}\n`;
    case 'explained':
      return `${time} ${event.rule} is only a consequence of ${event.by}\n`;
    case 'withdrawn':
      return `${time} ${event.rule} does not hold any more: ${visible(event.because)}\n`;
    case 'file':
      return `${time} ${visible(place.file)} ${fileWords[event.what]}\n`;
    case 'verdict':
      return '';
  }
}

function wordsOf(status: Verdict['status'], finding: Finding): string {
  return statusWords({ status, layer: finding.layer, owner: finding.owner } as Verdict) ?? `possible, ${finding.layer}`;
}

/** `7.2s`, `3m12s`, `5h07m`, `2d03h`. */
function timeWords(seconds: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h${two((seconds % 3600) / 60)}m`;
  return `${Math.floor(seconds / 86_400)}d${two((seconds % 86_400) / 3600)}h`;
}
