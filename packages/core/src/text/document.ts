import type { Document, Line, Origin, Scope } from '../model/document.ts';
import { isRecord, messagesOf, plain } from './clean.ts';
import { FoldedText } from './folded.ts';
import type { Framed } from './framed.ts';
import { FrameReader } from './framed.ts';
import { ProbedLines } from './probed-lines.ts';
import { indentedBlocks } from './indented.ts';
import { spokenOf } from './guide.ts';
import { commandAt, commandOfSection, isRemark, scopeOfCommand, scopeOfRemark } from './paste.ts';

/** Longest piece of a line that is matched and quoted; longer lines are cut into overlapping slices. */
export const sliceLength = 2048;
export const sliceOverlap = 256;
/** A line longer than this is cut short, and that is said. */
const longestLine = 8 * 1024 * 1024;

const noOrigin: Origin = {};

/** Builds lines one after the other and carries what a heading, a remark or a prompt says on to the lines below. */
export class LineBuilder {
  readonly lines: Line[] = [];
  readonly left: Set<string> = new Set<string>();
  private scope: Scope = 'unknown';
  private headingScope: Scope = 'unknown';
  private command: string | null = null;
  /** Behind a rule of `_` as reports of several files have it: the next line that holds something names what follows. */
  private framed = false;
  private readonly folded: FoldedText = new FoldedText();
  private readonly frame: FrameReader = new FrameReader();
  /** What the probe's own text says of the lines that stand in it. */
  readonly probed: ProbedLines = new ProbedLines(this.lines, this.left);
  /** Columns by which somebody set off the lines that come now. */
  indent = 0;
  /** Place of the line that the open folded text begins in. */
  private foldedAt = -1;

  /** Lines are missing before the next one: what a prompt said no longer holds. */
  gap(): void {
    this.command = null;
    this.scope = this.headingScope;
    this.folded.reset();
    this.frame.reset();
    this.probed.gap();
  }

  /**
   * @param number line number from 1
   * @param raw the line without its line feed
   */
  push(number: number, raw: string): void {
    if (raw.length <= sliceLength) {
      this.add(number, 1, raw, true);
      return;
    }
    if (this.addRecord(number, raw)) return;
    let text = raw;
    if (text.length > longestLine) {
      this.left.add(`line ${number} is ${text.length} characters long; read up to ${longestLine}`);
      text = text.slice(0, longestLine);
    }
    const step = sliceLength - sliceOverlap;
    for (let at = 0; ; at += step) {
      const start = Math.max(0, Math.min(at, text.length - sliceLength));
      this.add(number, start + 1, text.slice(start, start + sliceLength), start === 0);
      if (start + sliceLength >= text.length) break;
    }
  }

  /** Adds one slice of a line that is too long to be held. @param column its first character in the line, from 1 */
  pushSlice(number: number, column: number, text: string): void {
    this.add(number, column, text, column === 1);
  }

  private add(number: number, column: number, text: string, first: boolean): void {
    const shown = plain(text);
    const visible =
      first && this.indent > 0 && shown.slice(0, this.indent).trim() === '' ? shown.slice(this.indent) : shown;
    if (first) {
      const framed = this.frame.take(visible);
      if (framed !== null) {
        this.addFramed(number, column, text, framed);
        return;
      }
    } else if (this.probed.open) {
      this.probed.push(number, column, text, visible);
      return;
    }
    this.fold(visible);
    if (!first) {
      this.append(number, column, text, visible, noOrigin, false, false);
      return;
    }
    const section = this.section(visible);
    if (section !== null) {
      this.command = section;
      this.scope = scopeOfCommand(visible, section) ?? 'host';
      this.append(number, column, text, visible, noOrigin, false, true);
      return;
    }
    const remark = isRemark(visible);
    if (remark) {
      const heading = scopeOfRemark(visible);
      if (heading !== null) this.headingScope = heading;
      this.scope = this.headingScope;
      this.command = commandAt(visible.slice(1).trimStart(), true);
      this.append(number, column, text, visible, noOrigin, true, false);
      return;
    }
    const prompted = commandAt(visible, false);
    if (prompted !== null) {
      this.command = prompted;
      this.scope = scopeOfCommand(visible, prompted) ?? this.headingScope;
      this.append(number, column, text, visible, noOrigin, false, true);
      return;
    }
    for (const peeled of messagesOf(visible)) {
      this.append(number, column, text, peeled.rest, peeled.origin, false, false);
    }
  }

  private addFramed(number: number, column: number, text: string, framed: Framed): void {
    // What a prompt or a heading above said does not hold in it.
    this.command = null;
    this.folded.reset();
    this.probed.take(number, column, text, framed);
  }

  /** Gives the first line of a folded text the whole of it to be matched. */
  private fold(visible: string): void {
    const whole = this.folded.take(visible);
    const begin = this.lines[this.foldedAt];
    if (whole !== null && begin !== undefined) this.lines[this.foldedAt] = { ...begin, clean: whole };
    else if (this.folded.open) this.foldedAt = this.lines.length;
  }

  /** The command that a section of a report of several files begins with. */
  private section(visible: string): string | null {
    if (visible.length === 44 && /^_{44}$/.test(visible)) {
      this.framed = true;
      this.command = null;
      this.scope = this.headingScope;
      return null;
    }
    if (!this.framed || visible.trim() === '') return null;
    this.framed = false;
    return commandOfSection(visible);
  }

  /** A record of a log that is longer than a slice; each message's evidence is the piece of the line that holds it. */
  private addRecord(number: number, raw: string): boolean {
    const visible = plain(raw);
    if (!visible.endsWith('}') || visible.length > 65_536 || !isRecord(visible)) return false;
    const messages = messagesOf(visible);
    let from = 0;
    for (const message of messages) {
      const shown = JSON.stringify(message.rest.slice(0, 40)).slice(1, -1);
      const found = shown === '' ? -1 : raw.indexOf(shown, from);
      if (found >= 0) from = found;
      const start = Math.max(0, Math.min(from - 40, raw.length - sliceLength));
      for (let at = 0; at === 0 || at < message.rest.length; at += sliceLength) {
        const clean = message.rest.slice(at, at + sliceLength);
        this.append(number, start + 1, raw.slice(start, start + sliceLength), clean, message.origin, false, false);
      }
    }
    return true;
  }

  private append(
    number: number,
    column: number,
    text: string,
    clean: string,
    origin: Origin,
    told: boolean,
    prompt: boolean,
  ): void {
    // Spelt out: a spread costs ten times as much, and logs have many lines.
    const { scope, command } = this;
    this.lines.push({ index: this.lines.length, number, column, text, clean, origin, told, scope, command, prompt });
  }
}

/**
 * Cuts a text into lines and reads their prefixes, prompts and remarks.
 * @param text the whole text; line ends may be LF, CR LF or (where no LF exists) CR
 */
export function createDocument(
  text: string,
  from: { readonly file?: string | null; readonly source?: string; readonly subject?: string } = {},
): Document {
  const builder = new LineBuilder();
  const unix = text.includes('\n') || !text.includes('\r') ? text : text.replaceAll('\r', '\n');
  const blocks = indentedBlocks(unix);
  let number = 1;
  let start = 0;
  while (start <= unix.length) {
    let end = unix.indexOf('\n', start);
    if (end < 0) end = unix.length;
    builder.indent = blocks.find((each) => each.from <= number && number <= each.to)?.indent ?? 0;
    if (!(end === unix.length && start === end)) builder.push(number, unix.slice(start, end));
    number++;
    start = end + 1;
  }
  builder.probed.finish();
  return {
    file: from.file ?? null,
    source: from.source ?? 'text',
    subject: from.subject ?? 'text',
    lines: builder.probed.any ? builder.lines : spokenOf(builder.lines),
    left: [...builder.left],
  };
}
