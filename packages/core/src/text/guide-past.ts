import type { Line } from '../model/document.ts';

// What was quoted from an earlier time, and what its writer holds for right.

/** Words that set a sentence well into the past. */
const longAgo =
  /\b(?:last (?:week|month|year|spring|summer|autumn|fall|winter)|(?:\d{1,3}|two|three|four|five|six|few|couple of|some|several) (?:days|weeks|months|years) ago|(?:back )?in (?:January|February|March|April|May|June|July|August|September|October|November|December|20\d\d))\b/i;

/** What tells that nothing of it is left. */
const settled =
  /\b(?:never (?:again|since|came back|seen (?:it )?(?:again|since))|not (?:again|since|come back|seen since)|(?:was|were|been|got|is) (?:replaced|swapped|repaired|fixed|resolved|solved|reseated|closed|ok|fine)|since then|all (?:clean|good|fine|ok)|(?:runs?|works?|all nodes) (?:are |is )?(?:ok|fine|clean|well)|closing\b)/i;

const quoted = /^(?:>|\||\s{2,}|```)/;

/** Marks quotations that a sentence of the past opens (`we had it last year on rack 3:`) and whose end is told around them. */
export function pastQuotations(lines: readonly Line[], mark: (index: number) => void): void {
  for (const line of lines) {
    const text = line.clean.trimEnd();
    if (!text.endsWith(':') || text.length > 400 || !longAgo.test(text)) continue;
    let at = line.index + 1;
    while (at < lines.length && at < line.index + 60 && quoted.test(lines[at]!.clean)) at++;
    if (at === line.index + 1) continue;
    const around = [text, ...lines.slice(at, at + 6).map((each) => each.clean)];
    if (!around.some((each) => each.length < 600 && settled.test(each))) continue;
    for (let each = line.index + 1; each < at; each++) mark(each);
  }
}

/** A remark by which its writer says that what stands above is meant to be so. */
const intended =
  /^#+ .{0,120}\b(?:as expected|as intended|on purpose|intended|intentional(?:ly)?|by design|that is (?:fine|ok|right)|no gpu (?:here|in this|on this))\b(?! (?:but|to))/i;
const pythonIntended = /^python: #+ /;
const denied = /\b(?:not|isn't|never|but|should(?:n't)?|unexpected)\b/i;

/** Marks the output above a remark that calls it intended, up to the remark or the gap before. */
export function intendedOutput(lines: readonly Line[], mark: (index: number) => void): void {
  for (const line of lines) {
    const text = line.told
      ? line.clean
      : line.prompt && pythonIntended.test(line.command ?? '')
        ? line.command!.slice(8)
        : '';
    if (text === '' || !intended.test(text) || denied.test(text)) continue;
    for (let at = line.index - 1; at >= 0 && at > line.index - 40; at--) {
      const above = lines[at]!;
      if (above.told || above.clean.trim() === '') break;
      mark(at);
    }
  }
}
