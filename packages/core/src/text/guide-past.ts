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
    if (text === '' || text.length > 400) continue;
    const opens = text.endsWith(':') ? text : wrapped(lines, line.index);
    if (opens === null || !longAgo.test(opens)) continue;
    let at = line.index + 1;
    if (!text.endsWith(':')) while (lines[at]?.clean.trim() === '') at++;
    while (at < lines.length && at < line.index + 60 && quoted.test(lines[at]!.text)) at++;
    if (at === line.index + 1) continue;
    const around = [opens, ...lines.slice(at, at + 6).map((each) => each.clean)];
    if (!around.some((each) => each.length < 600 && settled.test(each))) continue;
    for (let each = line.index + 1; each < at; each++) mark(each);
  }
}

/** Sentences of somebody that lead without a colon into an indented block behind a gap; null where a line does not. */
function wrapped(lines: readonly Line[], end: number): string | null {
  if (lines[end + 1]?.clean.trim() !== '' || !/^(?: {4}|\t)\S/.test(lines[end + 2]?.text ?? '')) return null;
  const said: string[] = [];
  for (let at = end; at >= 0 && at > end - 6; at--) {
    const { clean, told, prompt } = lines[at]!;
    if (clean.trim() === '') break;
    if (told || prompt || /^\s|[{}=<>|[\]]/.test(clean)) return null;
    said.unshift(clean);
  }
  const text = said.join(' ');
  return (text.match(/(?:^|\s)[a-z’'-]{1,20}(?=[\s,.;:])/g)?.length ?? 0) >= 8 ? text : null;
}

/** Marks the older mail below an answer which says that all is well again. */
export function answeredMail(lines: readonly Line[], mark: (index: number) => void): void {
  const at = lines.findIndex((line) => line.clean.length < 200 && wrote.test(line.clean.trim()));
  if (at < 1) return;
  const answer = lines.slice(Math.max(0, at - 40), at).filter((line) => !line.clean.startsWith('>'));
  if (answer.some((line) => line.prompt)) return;
  const text = answer
    .map((line) => line.clean)
    .join(' ')
    .slice(0, 4000);
  if (!solved.test(text) || unsolved.test(text)) return;
  for (let each = at; each < lines.length; each++) if (each === at || lines[each]!.clean.startsWith('>')) mark(each);
}

const wrote =
  /^(?:On .{4,120} wrote:|Am .{4,120} schrieb.{0,80}:|Le .{4,120} a écrit ?:|El .{4,120} escribi[óo]:|-{2,12} ?(?:Original Message|Ursprüngliche Nachricht|Forwarded message) ?-{2,12})$/;
const solved =
  /\b(?:(?:is|was|has been|got|now|it'?s) (?:now )?(?:fixed|solved|resolved|repaired|replaced)|works (?:again|now|fine)|please (?:resubmit|try again|retry)|behoben|gelöst|résolu|resuelto|solucionado)\b/i;
const unsolved =
  /\b(?:not (?:fixed|solved|resolved|yet)|still (?:fails|happens|broken|the same)|came back|again broken)\b/i;

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
