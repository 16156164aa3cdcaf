import type { Line } from '../model/document.ts';

// Whole texts that no program printed: source files, changelogs, minutes, reviews of an incident, answers to common
// questions. Messages that stand in them are their subject, not their output.

/** Most lines of such a text; logs are longer. */
const mostLines = 3000;

/** What only output has: a speaker in front, an exception at the margin, a stamp of the kernel, a full date. */
function isLive(line: Line): boolean {
  const { origin, clean } = line;
  if (line.prompt || origin.host !== undefined || origin.unit !== undefined || origin.rank !== undefined) return true;
  if ((origin.time?.length ?? 0) > 9) return true;
  return /^(?:Traceback \(most recent call last\)|[A-Za-z_][\w.]{0,80}(?:Error|Exception)\b ?[:(]|\[ {0,6}\d{1,8}\.\d{3,6}\]|\w[\w.-]{0,62}:\d{1,9}:\d{1,9} \[\d|\d{4}-\d\d-\d\d[T ]\d\d:)/.test(
    clean,
  );
}

const opener =
  /^(?:#!\/|package \w+;?$|import [\w."'{*]|from [\w.]+ import |#include [<"]|#pragma |FROM \S{2,200}(?: AS \w+)?$|ARG \w+|(?:resource|data|variable|module|provider) "|terraform \{|INSERT INTO |CREATE (?:TABLE|OR )|use (?:strict|std|crate)|<\?php|(?:export |pub )?(?:const|let|static|final|async|fn|func|def|class|struct|enum|namespace|typedef) |\/\*\*?$|\/\/ |"""|filter \{|input \{|using \w)/;
const statement =
  /[{};,([]$|^[)\]}]|[=:]$|^\s{0,60}(?:\/\/|\/?\*|#|--|@\w)|^\s{0,60}(?:def|class|if|elif|else|for|while|return|import|from|func|fn|var|let|const|static|typedef|enum|struct|echo|export|set|unset|RUN|COPY|ADD|ENV|CMD|FROM|ENTRYPOINT|WORKDIR|USER|ARG|fi|done|then|do|esac|case|try|except|finally|raise|throw|with|assert|pass|break|continue|package|print(?:f|ln)?|yield|await|async|public|private|local|readonly|exit)\b|^\s{0,60}[\w.[\]"'-]{1,60} ?(?::=|[+*|-]?=|\+=) ?\S|^\s{0,60}[\w.]{1,60}\(.{0,400}\)$|^\s{4,}\S/;

/**
 * The lines of a source file, a script, a build recipe or a configuration in a language: those that hold program text.
 * Empty where the text is none, or where somebody put output below it.
 */
function programText(lines: readonly Line[]): readonly number[] {
  const first = lines.find((line) => line.clean.trim() !== '');
  if (first === undefined || !opener.test(first.clean.trim())) return [];
  const written = lines.filter((line) => line.clean.trim() !== '');
  if (written.length < 5) return [];
  const parts: number[] = [];
  for (const line of written) {
    // A comment may look like a command that somebody noted.
    if (!line.text.startsWith('#') && isLive(line)) return [];
    if (line.text.startsWith('#') || opener.test(line.clean) || statement.test(line.clean)) parts.push(line.index);
  }
  return parts.length >= written.length * 0.8 ? parts : [];
}

/** Titles of texts that tell of failures in general or of some that are over. */
const title =
  /\b(?:post.?mortem|(?:post.?)?incident (?:review|report|summary)|root cause analysis|lessons learned|retrospective|minutes|meeting notes|weekly sync|infra sync|change.?log|release notes|what'?s new|frequently asked|f\.?a\.?q\.?s?|runbook|playbook|troubleshooting|cheat ?sheet|knowledge base|known (?:issues|errors|problems)|course notes|lecture|slides|syllabus|workshop|exam\b|quiz|handbook|onboarding)\b|\bsync, \d{4}-|fehlersuche|h[äa]ufige fragen|bekannte probleme|fehlerbehebung|st[öo]rungsbericht|protokoll der|preguntas frecuentes|perguntas frequentes|domande frequenti|veelgestelde vragen|resolução de problemas|soluci[óo]n de problemas|d[ée]pannage|questions fr[ée]quentes|risoluzione dei problemi|常见问题|常見問題|故障排(?:除|查)|排错|问题汇总|よくある質問|トラブルシュ|既知の問題|자주 묻는|문제 해결|часто задаваемые|устранение неполадок/iu;
const changes =
  /^#{1,4} \[?v?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?|^(?:#{1,4} )?(?:Added|Changed|Fixed|Removed|Deprecated|Bug ?fixes|Known issues|Highlights|Breaking changes)$|^(?:Present|Attendees|Participants|Agenda):/i;
const closed =
  /^(?:status|state|resolution)\s?[:=]\s?(?:closed|resolved|done|fixed)\b|\b(?:status|state): ?(?:closed|resolved|done)\b.{0,80}\bresolution: ?(?:done|fixed)/i;

/** One person who asks, in some languages; such a text is a report, whatever its title. */
const asks =
  /\b(?:I|I'm|I've|my|me|help|please (?:help|advise)|any (?:idea|hint)s?)\b|\b(?:ich|mein\w{0,2}|mir|bei uns|yo|mi|ayuda|je|mon|moi|aide)\b|我|请问|求助|谢谢|急|教えて|私|助け|у меня|помогите|мой/u;

/** A sentence in any script: words, hardly anything else. */
function isSentence(text: string): boolean {
  if (text.length > 800) return false;
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  if (wide >= 6) return true;
  const body = text.replace(/^\s{0,8}(?:[-*•>]|\d{1,2}[.)]|\[[x ]\])\s{1,4}/, '').trim();
  const tokens = body.split(/\s+/);
  if (tokens.length < 5) return false;
  const plain = tokens.filter((token) => /^["'“(]?[\p{L}’'-]{1,24}[,.:;!?)"'”]{0,2}$/u.test(token)).length;
  return plain >= tokens.length * 0.6;
}

/** True for a text with such a title, or a closed ticket, that holds sentences and no output of now. */
function isAccount(lines: readonly Line[]): boolean {
  const written = lines.filter((line) => line.clean.trim() !== '');
  if (written.length < 3) return false;
  // The names and changes of such texts stand in their first lines.
  const head = written.slice(0, 6).map((line) => line.clean.trim());
  const named =
    (head[0]!.length < 120 && !head[0]!.includes('**') && title.test(head[0]!)) ||
    head.some((text, at) => text.length < 160 && (closed.test(text) || (changes.test(text) && at < 4)));
  if (!named) return false;
  let sentences = 0;
  for (const line of written) {
    const { clean } = line;
    if (isLive(line) || asks.test(clean.slice(0, 400))) return false;
    if (isSentence(clean) || /^\s{0,12}[•–▪◦] ?\S/u.test(clean)) sentences++;
  }
  return sentences >= 2;
}

/** Words of several languages that something was put right. */
const settled =
  /\b(?:(?:was|were|is|are|been|got|all) (?:since )?(?:fixed|solved|resolved|repaired|replaced|swapped|reseated|closed|cleaned)|(?:replaced|swapped|reseated|repaired|rebooted|fixed|resolved) (?:on|in|by|under|with|the same|last|at|and)\b|works again|back in (?:production|service|the pool)|behoben|ersetzt|getauscht|repariert|gelöst|wieder in betrieb|remplacée?s?|réparée?s?|résolue?s?|corrigée?s?|de nouveau en (?:production|service)|reemplazad[oa]s?|reparad[oa]s?|solucionad[oa]s?|cambiad[oa]s?|de nuevo en producción|sostituit[aeio]|riparat[aeio]|substituíd[ao]s?)\b|已(?:经)?(?:更换|修复|解决|恢复)|更换了|修好了|交換(?:しました|済)|復旧|修理済|교체|해결됨|заменен|заменён|исправлен|устранен/iu;
const unsettled =
  /\b(?:still|again|not (?:fixed|solved|resolved|yet)|came back|is back|keeps|immer noch|wieder aufgetreten|encore|toujours|todav[íi]a|sigue|otra vez|ancora|help|now it|today it|what (?:can|should))\b|\?|仍然|还是|又出现|まだ|再発|снова|опять/iu;

/** Sentences that tell of failures and that they were put right, and nobody who still has one. */
function isSettled(written: readonly Line[]): boolean {
  let sentences = 0;
  let ended = false;
  for (const line of written) {
    const text = line.clean.slice(0, 800);
    if (isLive(line) || line.told || unsettled.test(text) || asksAlone.test(text)) return false;
    ended ||= settled.test(text);
    if (isSentence(text)) sentences++;
  }
  return ended && sentences >= 2 && sentences >= written.length * 0.4;
}

/** One person's own trouble; a team that reports what it did may say `we`. */
const asksAlone = /\b(?:I'm|I've|my|help|please)\b|\b(?:mein\w{0,2}|ayuda|mon|ma|aide)\b|请问|求助|教えて|помогите/u;

/** Questions, each with its answer below. */
function isQuestions(written: readonly Line[]): boolean {
  let pairs = 0;
  for (const [at, line] of written.entries()) {
    const text = line.clean.slice(0, 800).trimEnd();
    if (isLive(line) || asksAlone.test(text)) return false;
    const answer = written[at + 1]?.clean.trimEnd();
    if (/[?？]$/u.test(text) && answer !== undefined && !/[?？]$/u.test(answer) && isSentence(answer)) pairs++;
  }
  return pairs >= 2;
}

/** Somebody tells in a sentence what a program says: `gn14 prints …`, `we get …`. */
export function isRetold(line: Line): boolean {
  if (line.clean.length > 600 || line.command !== null || isLive(line)) return false;
  return (
    teller.test(line.clean) &&
    /^[\p{L}"'“(>*•-]/u.test(line.clean) &&
    isSentence(line.clean) &&
    plainStart.test(line.clean)
  );
}

/** Who tells, or what a program does in the words of whoever watches it; programs themselves write `failed with`, `got`. */
const teller =
  /\b(?:I|I'm|we|my|our|(?:is |are )printing|prints|says|said|shows|(?:is |are )showing|reports|gets|getting|throws|gives|complains|(?:fail|crash|stop|end|di)(?:s|es) with)\b/i;
/** Sentences begin with words; messages with a name and a colon, or in brackets. */
const plainStart = /^[>*•\s-]{0,6}["'“(]?[\p{L}’'-]{1,24},? (?:[\p{L}\d’'.-]{1,24},? ){2}/u;

/** Marks of the sources of documentation: reStructuredText, AsciiDoc, manual pages. */
const documentation =
  /^\.\. (?:code-block|literalinclude|note|warning|toctree|contents|highlight)::|^\[source(?:,|\])|^\.TH [A-Z]|^[A-Z][\w.-]{1,40}\(\d\w?\)\s.{0,100}\(\d\w?\)$/;
/** Headings of the description of a change. */
const ofChange =
  /^#{1,4} (?:What(?: (?:does this|changed).{0,40})?|Why|How(?: (?:was (?:it|this) )?tested)?|Motivation|Changes|Testing|Test plan|Implementation|Rollout|Rollback|Checklist|Release note\w?)\??$/i;

function isDocumentation(written: readonly Line[]): boolean {
  const marks = written.filter((line) => documentation.test(line.text.trimEnd())).length;
  const changed = written.filter((line) => ofChange.test(line.text.trimEnd())).length;
  if (marks === 0 && (changed < 2 || !ofChange.test(written[0]!.text.trimEnd()))) return false;
  return !written.some(
    (line) => line.prompt || line.origin.host !== undefined || asksAlone.test(line.clean.slice(0, 400)),
  );
}

/** The lines that belong to such a text: all of an account, the program text of a source file. */
export function linesOfGenre(lines: readonly Line[]): 'all' | readonly number[] {
  if (lines.length < 3 || lines.length > mostLines) return [];
  const written = lines.filter((line) => line.clean.trim() !== '');
  if (written.length < 3) return [];
  return isAccount(lines) || isSettled(written) || isQuestions(written) || isDocumentation(written)
    ? 'all'
    : programText(lines);
}
