/**
 * Names that a text gives no value: `"OOMKilled": false`, `"Error": ""`, `oom_kill 0`. Such a name is a field of a
 * report, and says that the thing did not happen.
 */

/** A value that says "not so": `false`, `null`, `none`, `no`, `0`, an empty text or list. */
const nothing = String.raw`(?:false|null|nil|(?:none|no)(?=\s{0,20}(?:$|[,;)}\]]))|n\/a|0{1,4}(?:\.0{1,4})?|""|''|\[ ?\]|\{ ?\})(?![\w.%/:-])`;

/** A quoted key of JSON (also as it stands escaped in a string) with such a value. */
const field = new RegExp(String.raw`\\?"[^"\\]{1,120}\\?"\s{0,4}:\s{0,4}(?:${nothing}|\\"\\")`, 'gi');

/** A field at the end of a long line's slice, cut before its value was over; the next slice has it whole. */
const cutField = /[{,]\s{0,8}\\?"[^"\\]{1,120}(?:\\?"(?:\s{0,4}:\s{0,4}(?:f(?:al?s?)?|n(?:ul?)?)?)?)?$/;
const longLine = 1024;

/** What follows a key: `: false`, `=0`, `" : null`. */
const valueAfter = new RegExp(String.raw`^["'\]]{0,2}\s{0,40}[:=]\s{0,4}${nothing}`, 'i');
/** Two or more blanks and a value, as in tables of names and values; a number ends the line. */
const cellAfter = new RegExp(String.raw`^\s{2,60}(?:false\b|${nothing}\s{0,20}$)`, 'i');
/** The same with one blank, where nothing else stands in the line: `oom_kill 0`. */
const lineAfter = new RegExp(String.raw`^ ${nothing}\s{0,20}$`, 'i');
/** A count before the word that begins its sentence: `0 errors`, `no errors`. */
const countBefore = /(?:^|[,;(])\s{0,8}(?:0|no|none of)\s{1,2}$/i;

/**
 * The text with every quoted field blanked that has no value; places stay as they are.
 * @param text one line, or several joined
 */
export function withoutUnset(text: string): string {
  if (!text.includes('":') && !text.includes('" :')) return text;
  const blank = (found: string): string => ' '.repeat(found.length);
  const whole = text.replace(field, blank);
  if (whole.length < longLine) return whole;
  const end = whole.slice(-160);
  return whole.slice(0, whole.length - end.length) + end.replace(cutField, blank);
}

/**
 * Whether a message is only the name of a field without value.
 * @param before the line before the message
 * @param message what a pattern matched
 * @param after the line behind it
 */
export function isUnset(before: string, message: string, after: string): boolean {
  const name = message.trim();
  if (name.length > 80 || !/^["'\w.\-/[\] ]{1,80}$/.test(name)) return false;
  if (valueAfter.test(after.slice(0, 80))) return true;
  // The name itself is one cell: `train-0   0/1     Evicted   0` is a row of several.
  if (!/\s{2}/.test(name) && cellAfter.test(after.slice(0, 100))) return true;
  if (/^[\w.\-/]{1,80}$/.test(name) && before.trim() === '' && lineAfter.test(after.slice(0, 40))) return true;
  return countBefore.test(before.slice(-24));
}
