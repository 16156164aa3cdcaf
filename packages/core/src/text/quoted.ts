/** Sentences that speak of a message without it having been printed now: advice, conditions, denials. */
const supposed =
  /^[\s>*•-]{0,8}(?:we|i|you|if|when|whenever|note|the|this|that|these|in|it|after|before|once|for|see|please|our|users?|sometimes|otherwise|since|with|without|there) .{0,200}\b(?:no longer|never (?:see|saw|gets?|got)|if (?:you|we|it|they|there|the)|when(?:ever)? (?:you|we|the)|in case|such as|e\.g\.|for example|used to|instead of|should not|shouldn't|don't (?:see|get|have)|do not (?:see|get|have)|did not|didn't|without|to avoid|avoids|is printed when|appears when|means)\b|^[\s>*•-]{0,8}(?:if|whenever|when) (?:you|we|it|they|there) /i;

/** Program text in which a message is a literal: the quote that opens it stands behind one of these words. */
const code =
  /\b(?:return|case|throw|raise|assert\w{0,12}|expect\w{0,8}|match|matches|print(?:f|ln)?|puts|echo|fprintf|log(?:ger)?\.\w{1,12}|console\.\w{1,12}|fmt\.\w{1,12}|errors\.New|regex|pattern|contains|includes|startswith|startsWith|strstr|e?grep|rg|sed|awk)\b[^"'`]{0,60}["'`]$/;

/** What else stands before a message that was not printed now: a search's hit, a table's key, a commit, a question, a rehearsal. */
const elsewhere: readonly RegExp[] = [
  /^\S{1,200}\.(?:md|rst|adoc|html?)[:-]\d{1,6}[:-]/,
  /^\s{0,20}-?\s?(?:description|example|summary|title|runbook|expr|pattern)["']?:\s{0,4}/i,
  /^(?:[0-9a-f]{7,40} )?(?:fix(?:es|ed)?|docs|feat|chore|revert)\b[:(! ]/i,
  /^\s{0,12}["'>]{0,2}(?:can|what|why|how|does|do|is|are|should|could|has|have) (?:[a-z]|$)/i,
  // Container runtimes inject devices; that is no rehearsal.
  /\b(?:inject(?:ing|ed|s)?\b(?! (?:the )?(?:CDI|devices?|edits?|hooks?|mounts?)\b)|feeding|simulat(?:e|ing|ed)|dry.?run|fake|pretend)\b/i,
  /\b(?:no|never saw|never had|never see|without(?: an?)?)\s{0,2}["'`]?$/i,
  /\bno (?:lines?|matches|entries|results|occurrences?) (?:match(?:es|ing)?|of|for|with)\b/i,
  /\bif you (?:see|get|encounter|meet)\b/i,
];

/** Program text up to the quote that opens a literal: an element of a table, an assignment. */
const literal = /^\s{1,40}["'`]$|^\s{0,40}(?:const |let |var |static |char ?\*? ?)?\w{1,40} (?::=|=) ["'`]$/;

/** What stands behind a message that was not printed now: a count of none, an enumeration, a changelog's news. */
const behind =
  /^\s{0,4}(?:: {0,3}0\b|= ?\d{1,5}\b ?,?\s{0,4}(?:$|\/)|(?:is|are) now\b|(?:errors?|messages?|lines?)? ?(?:were|was) (?:not )?(?:found|seen): (?:none|0)\b)/i;

const comment = /^\s{0,40}(?:\/\/|\/\*|\*\s|<!--|--\s|;;)/;

/** The removed line of a diff. */
const removed = /^-(?=[A-Z]\w)/;

/**
 * True when a message in a line is only spoken of: in a sentence of advice or denial, in a comment, as a literal of a
 * program's source, as the argument of a search, between quotation marks of somebody's sentence.
 * @param before the line up to the message
 * @param message the message
 * @param after the rest of the line
 */
export function isSpokenOf(before: string, message = '', after = ''): boolean {
  if (behind.test(after.slice(0, 80)) || removed.test(before === '' ? message.slice(0, 40) : before)) return true;
  if (before === '') return false;
  const text = before.length > 400 ? before.slice(-400) : before;
  const opened = upToQuote(text);
  return (
    comment.test(text) ||
    supposed.test(text) ||
    code.test(opened) ||
    (opened !== text && literal.test(opened)) ||
    literal.test(text) ||
    elsewhere.some((each) => each.test(text)) ||
    openTick(text) ||
    (/["“]$/.test(opened) && isSentence(opened.slice(0, -1)))
  );
}

/** Several plain words and no mark of a program: what a person writes before a quotation. */
function isSentence(text: string): boolean {
  if (/[{}=<>|/\\[\]_]|\b(?:error|err|msg|message|warning|exception|panicked|caused|failed|reason)\b/i.test(text))
    return false;
  const words = text.trim().split(/\s+/);
  return (
    words.length >= 2 && words.filter((word) => /^[\p{L}’'-]{1,24}[,.:;)]?$/u.test(word)).length >= words.length * 0.8
  );
}

/** True inside a code span of Markdown. */
function openTick(text: string): boolean {
  return text.split('`').length % 2 === 0;
}

/** The text up to and with the quote that is still open at its end; the text itself where none is. */
function upToQuote(text: string): string {
  for (const quote of ['"', "'", '`']) {
    const last = text.lastIndexOf(quote);
    if (last < 0) continue;
    let count = 0;
    for (let i = 0; i < text.length; i++) if (text[i] === quote) count++;
    if (count % 2 === 1) return text.slice(0, last + 1);
  }
  return text;
}
