import type { Line } from '../model/document.ts';

// What somebody puts before a block: that it is an example, somebody else's, or how it was before a change.

/** Most lines that one introduction stands for. */
const longest = 200;

/** The block is an example, or of another program than the one that is asked about. */
const foreign =
  /\b(?:(?:yours?|(?:your|actual|real) (?:output|numbers|values|results?|report)) (?:will|may|might|can) (?:differ|vary|be different|look different)|(?:sample|example|illustrative) (?:output|profile|report|log|table|result|listing|run)|example from|(?:should|will|would) look (?:like|similar|something)|not (?:ours|mine|our own|my own)|from (?:the|a|an|this|that|their|his|her) (?:[\w'’-]{1,20} ){0,2}(?:blog|article|guide|manual|tutorial|paper|book|slides|course|talk)|(?:another|a different|some other|somebody else'?s|someone else'?s) (?:project|program|team|company|code))\b/i;
/** The writer says what happens to the writer. */
const own =
  /\b(?:I|we) (?:get|got|see|saw|ran|run|hit|have)\b|\b(?:gives?|gave|fails?|failed|failing|throws?|crash\w{0,3}|error|now|instead|but|still|tried|following|followed)\b/i;

/** A block that a change has made history of, and the heading of what is so since. */
const before = /^(?:[#*]{1,4} ?)?before(?: (?:the|this|that|our|any) [\w -]{1,40}| [\w-]{1,20})?(?:[:*]{1,3})?$/i;
const after = /^(?:[#*]{1,4} ?)?after(?: (?:the|this|that|our) [\w -]{1,40}| [\w-]{1,20})?(?:[:*]{1,3})?$/i;
/** What came between is what broke it. */
const harmful =
  /\b(?:upgrade|update|reboot|suspend|resume|crash|failure|incident|hang|install|install\w{2,6}|migration)\b/i;

/** Marks the blocks below such introductions. */
export function introduced(lines: readonly Line[], mark: (index: number) => void): void {
  for (const line of lines) {
    if (line.prompt || line.origin.host !== undefined || line.origin.unit !== undefined) continue;
    const text = line.clean.trim();
    if (text.length > 200) continue;
    const end =
      text.endsWith(':') && foreign.test(text) && !own.test(text)
        ? blockEnd(lines, line.index)
        : history(lines, line.index, text);
    for (let at = line.index + 1; at < end; at++) mark(at);
  }
}

/** One past the last line of the block below an introduction: it ends at a prompt, at a sentence and at the next introduction. */
function blockEnd(lines: readonly Line[], start: number): number {
  let at = start + 1;
  while (lines[at]?.clean.trim() === '') at++;
  const first = at;
  const most = Math.min(lines.length, start + longest);
  for (; at < most; at++) {
    const { clean, prompt } = lines[at]!;
    if (prompt || (at > first && lines[at - 1]!.clean.trim() === '' && isSentence(clean))) break;
  }
  return at;
}

/** One past the last line of a block of the past, which a heading of what is so now follows; the line's own place else. */
function history(lines: readonly Line[], start: number, text: string): number {
  if (text.length > 60 || !before.test(text) || harmful.test(text)) return start;
  for (let at = start + 1; at < Math.min(lines.length, start + longest); at++) {
    const next = lines[at]!.clean.trim();
    if (next.length <= 60 && after.test(next)) return harmful.test(next) ? start : at;
  }
  return start;
}

/** Words with an end, or that lead to something. */
function isSentence(text: string): boolean {
  const body = text.trim();
  return (
    body.length < 600 &&
    /^[A-Z#*`]/.test(body) &&
    /[.:!?]$/.test(body) &&
    /^\S{1,30}(?::$|(?: \S{1,40}){1,80}$)/.test(body)
  );
}
