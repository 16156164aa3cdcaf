// The probe's own text (probe/README.md, version 1), wherever it stands: in a file, in a paste, behind `> `.
//
// @culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no
// @ proc-driver-version cat /proc/driver/nvidia/version
// |NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build
// @= exit=0 ms=0
// @culprit-end sections=1 ms=310
import type { Observation, Snapshot } from '../model/snapshot.ts';
import { plain } from './clean.ts';

/** How an observation ended. */
export interface Close {
  /** Exit status; null where nothing was run, or it did not end. */
  readonly exit: number | null;
  readonly ms: number | null;
  readonly truncated: boolean;
  /** Why there is no status: `absent`, `denied`, `timeout`, `unfinished`, `skipped` or `skipped:WORD`; null where there is one. */
  readonly why: string | null;
}

/** What one line of a probe's text is. */
export type Framed =
  | {
      readonly kind: 'start';
      /** What the first line says behind the version: time, `root=`, `pid=`, `gate=`. */
      readonly words: string;
    }
  | { readonly kind: 'open'; readonly source: string; readonly command: string }
  | { readonly kind: 'line'; readonly text: string }
  /** The rest of the line before it, which a terminal wrapped. */
  | { readonly kind: 'rest'; readonly text: string }
  | { readonly kind: 'close'; readonly close: Close }
  | { readonly kind: 'end'; readonly words: string };

const head = /^(?<quote>[ \t]{0,8}(?:> ?){0,4}[ \t]{0,8})@culprit-probe 1 (?<words>\S.{0,600})$/;
const open = /^@ (?<source>[a-z][a-z0-9-]{0,60})(?: (?<command>.{0,2000}))?$/;
const close =
  /^@= exit=(?<exit>\d{1,3}|absent|denied|timeout|skipped)(?: ms=(?<ms>\d{1,9}))?(?<rest>(?: [a-z]{1,20}=[\w.-]{1,40}){0,4})$/;
const end = /^@culprit-end (?<words>\S.{0,200})$/;
/** No terminal is narrower: what follows a shorter line is no rest of it. */
const narrowest = 40;

/** Reads a probe's text line by line; every other line is not its own. */
export class FrameReader {
  private active = false;
  private inside = false;
  private quote = '';
  /** Length of the line before, if a rest of it may follow. */
  private length = 0;

  /** Forgets what was open: lines are missing. */
  reset(): void {
    this.active = false;
    this.inside = false;
    this.length = 0;
  }

  /**
   * @param visible a line without control sequences
   * @returns what the line is; null where it is none of a probe's
   */
  take(visible: string): Framed | null {
    if (!this.active && !visible.includes('@culprit-probe 1 ')) return null;
    const start = head.exec(visible);
    if (start !== null) {
      this.active = true;
      this.inside = false;
      this.quote = start.groups!['quote']!;
      this.length = visible.length;
      return { kind: 'start', words: start.groups!['words']!.trimEnd() };
    }
    if (!this.active) return null;
    const text = this.unquoted(visible);
    const framed = this.read(text);
    this.length = framed === null ? 0 : text.length;
    return framed;
  }

  private unquoted(visible: string): string {
    if (this.quote === '') return visible;
    if (visible.startsWith(this.quote)) return visible.slice(this.quote.length);
    const bare = this.quote.trimEnd();
    return bare !== '' && visible.startsWith(bare) ? visible.slice(bare.length) : visible;
  }

  private read(text: string): Framed | null {
    if (text.startsWith('|')) return this.inside ? { kind: 'line', text: text.slice(1) } : null;
    if (text.startsWith('@')) {
      const closed = close.exec(text.trimEnd());
      if (closed !== null) {
        if (!this.inside) return null;
        this.inside = false;
        return { kind: 'close', close: closeOf(closed.groups!) };
      }
      const ended = end.exec(text.trimEnd());
      if (ended !== null) {
        this.reset();
        return { kind: 'end', words: ended.groups!['words']! };
      }
      const opened = open.exec(text.trimEnd());
      if (opened !== null) {
        this.inside = true;
        return { kind: 'open', source: opened.groups!['source']!, command: opened.groups!['command'] ?? '' };
      }
    }
    if (this.length >= narrowest && this.inside) return { kind: 'rest', text };
    this.inside = false;
    return null;
  }
}

function closeOf(groups: Readonly<Record<string, string | undefined>>): Close {
  const word = groups['exit']!;
  const rest = groups['rest'] ?? '';
  const number = /^\d/.test(word) ? Number(word) : null;
  const why = /(?:^| )why=(\S+)/.exec(rest)?.[1];
  return {
    exit: number,
    ms: groups['ms'] === undefined ? null : Number(groups['ms']),
    truncated: / truncated=1\b/.test(rest),
    why: number !== null ? null : why === undefined ? word : `${word}:${why}`,
  };
}

/** An observation that has no end: the probe was stopped in it. */
export const unfinished: Close = { exit: null, ms: null, truncated: true, why: 'unfinished' };

/** What the first and the last line of a probe's text say. */
export interface Frame {
  readonly takenAt: string | null;
  /** `1 root=/ pid=- gate=no end=complete`; the end is `complete`, `budget` or `cut`. */
  readonly probe: string;
}

const mostObservations = 2000;

/**
 * Takes the first probe's text out of a text.
 * @param text any text; quoted, wrapped and carriage-returned lines are understood
 * @param subject what was probed
 * @returns null where no probe's text begins in it
 */
export function snapshotOfFramed(text: string, subject: string): Snapshot | null {
  const reader = new FrameReader();
  const observations: Observation[] = [];
  let words: string | null = null;
  let ended: string | null = null;
  let current: { source: string; command: string; lines: string[] } | null = null;
  const finish = (how: Close): void => {
    if (current === null) return;
    const { source, command, lines } = current;
    current = null;
    if (observations.length >= mostObservations) return;
    observations.push({
      source,
      command,
      exit: how.exit,
      ms: how.ms,
      truncated: how.truncated,
      ...(how.why === null ? {} : { why: how.why }),
      text: lines.length === 0 ? '' : `${lines.join('\n')}\n`,
    });
  };
  for (const raw of text.split('\n')) {
    const framed = reader.take(plain(raw));
    if (framed === null) continue;
    if (framed.kind === 'start') {
      if (words !== null) break;
      words = framed.words;
    } else if (framed.kind === 'open') {
      finish(unfinished);
      current = { source: framed.source, command: framed.command, lines: [] };
    } else if (framed.kind === 'line') current?.lines.push(framed.text);
    else if (framed.kind === 'rest') {
      if (current === null) continue;
      if (current.lines.length === 0) current.command += framed.text;
      else current.lines.push(`${current.lines.pop()!}${framed.text}`);
    } else if (framed.kind === 'close') finish(framed.close);
    else {
      ended = framed.words;
      break;
    }
  }
  if (words === null) return null;
  finish(unfinished);
  const [time = '-', ...settings] = words.split(' ');
  const stopped = ended === null ? 'cut' : ended.includes('stopped=budget') ? 'budget' : 'complete';
  return {
    schema: 'culprit/snapshot@1',
    subject,
    takenAt: /^\d{4}-\d\d-\d\dT/.test(time) ? time : null,
    probe: ['1', ...settings.filter((each) => each.includes('=')), `end=${stopped}`].join(' '),
    observations,
  };
}

/** True where a snapshot was made of a probe's text, so that `framedText` gives that text again. */
export function isProbed(snapshot: Snapshot): boolean {
  return snapshot.probe !== null && /^1 root=/.test(snapshot.probe);
}

/** A snapshot as the probe prints it: one road for what is saved and what is pasted. */
export function framedText(snapshot: Snapshot): string {
  const words = (snapshot.probe ?? '1').split(' ').slice(1);
  const stopped = words.find((word) => word.startsWith('end='))?.slice(4) ?? 'complete';
  const settings = words.filter((word) => !word.startsWith('end='));
  const out: string[] = [['@culprit-probe 1', snapshot.takenAt ?? '-', ...settings].join(' ')];
  let ms = 0;
  for (const each of snapshot.observations) {
    out.push(`@ ${each.source} ${oneLine(each.command ?? '')}`);
    if (each.text !== '')
      for (const line of each.text.replace(/\n$/, '').split('\n')) out.push(`|${line.replaceAll('\r', '')}`);
    ms += each.ms ?? 0;
    if (each.why === 'unfinished') continue;
    const [word, why] = (each.why ?? '').split(':');
    const status = each.exit === null ? word || 'timeout' : String(each.exit);
    out.push(
      `@= exit=${status} ms=${each.ms ?? 0}${why === undefined ? '' : ` why=${why}`}${each.truncated ? ' truncated=1' : ''}`,
    );
  }
  if (stopped === 'complete') out.push(`@culprit-end sections=${snapshot.observations.length} ms=${ms}`);
  else if (stopped === 'budget') out.push('@culprit-end stopped=budget');
  return `${out.join('\n')}\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ');
}
