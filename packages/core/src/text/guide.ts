import type { Line } from '../model/document.ts';
import { isRetold, linesOfGenre } from './genre.ts';
import { earlierBoots } from './guide-boots.ts';
import { introduced } from './guide-introduced.ts';
import { foreignNodes } from './guide-nodes.ts';
import { answeredMail, intendedOutput, pastQuotations } from './guide-past.ts';
import { notebookLines } from './notebook.ts';
import { quotedBlocks } from './quoted-blocks.ts';

// Texts that speak of failures in general, or of failures that are over: guides, runbooks, readmes, reports of the past.
// What they quote was not printed now, by this machine.

/** Somebody tells how a failure of the past ended. */
const over =
  /\b(?:(?:was|were|got|been|is|it) (?:fixed|solved|resolved|repaired|cured|gone|replaced|swapped)|(?:fixed|solved|resolved|repaired|cured|replaced) (?:in|on|by|with|last|since|after)|(?:fixed|solved|resolved|cured) (?:it|this|that|the (?:problem|issue|error))|went away|(?:turned|proved) out to be|has not (?:come back|happened) since|not seen (?:it )?since)\b/i;
const past =
  /\b(?:last (?:week|month|year|night|time|spring|summer|autumn|fall|winter)|yesterday|on (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|previously|in the past|back (?:in|then)|(?:\d{1,3}|a|one|two|three|few|couple of) (?:days?|weeks?|months?|years?) ago|(?:we|i|they|it|you) (?:had|used to|got|saw|hit|met|ran into|once|were (?:getting|seeing))|in (?:January|February|March|April|May|June|July|August|September|October|November|December|20\d\d))\b/i;
const quick = /fixed|solved|resolved|repaired|cured|gone|went away|out to be|since|replaced|swapped/i;

/** True for a sentence about a failure of the past and its end. */
export function isPastReport(text: string): boolean {
  return quick.test(text) && text.length < 600 && isSentence(text) && over.test(text) && past.test(text);
}

function isSentence(text: string): boolean {
  return (text.match(/(?:^|\s)[A-Za-z'’-]{1,20}(?=[\s,.;:!?]|$)/g)?.length ?? 0) >= 6;
}

const heading = /^#{1,4} \S|^\d{1,2}(?:\.\d{1,2})*\.? [A-Z][a-z]/;
const underline = /^(?:={4,80}|-{4,80}|~{4,80})$/;
/** Words of texts that teach. */
const general =
  /\b(?:you (?:may|might|can|could|will|should|would) (?:see|get|find|notice|encounter|run into)|if you (?:see|get|encounter|run into)|if the (?:driver|gpu|node|kernel|pod|container|job|log|output|message|error)|(?:dmesg|the (?:log|kernel log|output|console|command)) (?:shows|prints|says|reports|contains|looks like)|this (?:error|message|guide|page|document|chapter|section|tutorial|runbook) (?:means|appears|is|shows|describes|explains|indicates|lists|covers)|common (?:errors?|problems?|causes?|failures?|issues?)|typical(?:ly)?|troubleshooting|known issues|runbook|tutorial|how to (?:fix|solve|repair|recognise|recognize))\b/i;
/** Words of somebody who has the failure now. */
const own =
  /\b(?:I|I'm|I've|we|we're|my|our|me)\b|\b(?:describe the bug|bug report|steps to reproduce|expected behaviou?r|what happened|your environment|additional context|issue description)\b/i;
const words = /^[\s>*•-]{0,8}[A-Z][a-z’']{0,20},? (?:[\w’'`,./()-]{1,40} ){3,80}[\w’'`,./()-]{1,40}[.:!]$/;

/** Most lines of a text that teaches; logs are longer. */
const mostLines = 3000;

/**
 * True for a guide: headings and sentences that speak of failures in general, nobody who has one, and no prompt of a
 * machine whose name is told.
 */
function isGuide(lines: readonly Line[]): boolean {
  if (lines.length < 4 || lines.length > mostLines) return false;
  let headings = 0;
  let sentences = 0;
  let teaches = 0;
  for (const line of lines) {
    const text = line.text.trimEnd();
    if (text.length > 600) continue;
    if (heading.test(text) || underline.test(text)) headings++;
    else if (/^\s{0,3}[A-Z>*-]/.test(text) && words.test(text)) sentences++;
    else if (!/^\s{0,3}[A-Z>*-]/.test(text)) continue;
    if (own.test(text)) return false;
    if (general.test(text)) teaches++;
    if (/^\S{1,64}@\S{1,64}[:~].{0,120}[$#] /.test(text)) return false;
  }
  return headings > 0 && sentences >= 2 && teaches > 0;
}

/** Lines whose messages were not printed now are told, and of another machine than the one that is asked about. */
export function spokenOf(given: readonly Line[]): readonly Line[] {
  const lines = notebookLines(given);
  const genre = linesOfGenre(lines);
  if (genre === 'all' || isGuide(lines)) return lines.map(elsewhere);
  const marked = new Set<number>([...genre, ...(quotedBlocks(lines) ?? [])]);
  const mark = (index: number): void => void marked.add(index);
  let past = false;
  let nodes = false;
  let boots = false;
  let remarks = false;
  let introductions = false;
  let mail = false;
  const retold = new Set<number>();
  for (const line of lines) {
    const { text } = line;
    if (line.origin.unit === 'kernel') nodes = true;
    introductions ||= text.length < 400 && (text.trimEnd().endsWith(':') || /^[#* ]{0,5}before\b/i.test(text));
    boots ||= text.startsWith('-- ') || line.clean.startsWith('Linux version ');
    if (line.told || line.prompt) {
      remarks ||= text.includes('#');
      continue;
    }
    past ||= /\b(?:last|ago|in)\b/i.test(text) && text.length < 1000;
    mail ||= /(?:wrote|schrieb|écrit|escribi[óo]|Message|Nachricht|message)\b/.test(text);
    if (quick.test(text) && isPastReport(text)) mark(line.index);
    else if (isRetold(line)) retold.add(line.index);
  }
  if (past) pastQuotations(lines, mark);
  if (mail) answeredMail(lines, mark);
  if (remarks) intendedOutput(lines, mark);
  if (introductions) introduced(lines, mark);
  if (nodes) foreignNodes(lines, mark);
  if (boots) earlierBoots(lines, mark);
  if (marked.size === 0 && retold.size === 0) return lines;
  return lines.map((line) =>
    marked.has(line.index) ? elsewhere(line) : retold.has(line.index) ? { ...line, told: true } : line,
  );
}

function elsewhere(line: Line): Line {
  return { ...line, told: true, scope: 'other-host' };
}
