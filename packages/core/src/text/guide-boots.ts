import type { Line } from '../model/document.ts';

// Journals that reach over several starts of a node. State of the driver and of the kernel ends with each of them.

const start = /^-- (?:Boot [0-9a-f]{4,32}|Reboot)\b|^Linux version \d/;
const goesOn =
  /\b(?:step|epoch|iter(?:ation)?)s?\b["']?[ :=#[]{1,4}\d{1,9}\b.{0,200}\bloss\b|\btraining (?:finished|complete|completed|done)\b|\bexit code 0\b/i;
const fails = /^Traceback \(most recent call last\)|^[A-Za-z_][\w.]{0,100}(?:Error|Exception): /;

/**
 * Marks what was printed before the node last started, where a program went on well after that and then failed with an
 * error of its own: that error has another cause.
 */
export function earlierBoots(lines: readonly Line[], mark: (index: number) => void): void {
  const last = lines.findLastIndex((line) => !line.told && start.test(line.clean));
  if (last < 1) return;
  let went = false;
  for (let at = last + 1; at < lines.length; at++) {
    const { clean } = lines[at]!;
    went ||= clean.length < 1000 && goesOn.test(clean);
    if (!went || !fails.test(clean)) continue;
    for (let each = 0; each < last; each++) mark(each);
    return;
  }
}
