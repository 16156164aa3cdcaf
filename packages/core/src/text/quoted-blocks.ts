import type { Line } from '../model/document.ts';

// Parts of a text whose lines are data, program text or a quotation: a diff, a commit, a table of meanings, a data set,
// a search's hits, a block of a manifest, the output of tests that passed. What stands in them was not printed now.

/** Lines that a block may reach. */
const longestBlock = 4000;
const longestLook = 600;

/** Takes the place of each line that belongs to such a part. */
type Mark = (index: number) => void;

/**
 * Finds the lines that stand in such a part.
 * @returns null where there are none
 */
export function quotedBlocks(lines: readonly Line[]): ReadonlySet<number> | null {
  const marked = new Set<number>();
  const mark: Mark = (index) => void marked.add(index);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.prompt || line.told) continue;
    const text = line.clean;
    if (text === '') continue;
    at = Math.max(at, endOfBlock(lines, at, text, mark));
  }
  return marked.size === 0 ? null : marked;
}

/** The last line of the block that begins at a line, by the first character that it has; `at` where none begins. */
function endOfBlock(lines: readonly Line[], at: number, text: string, mark: Mark): number {
  const line = lines[at]!;
  if (line.command !== null && searches.test(line.command) && isHit(text)) mark(at);
  if (line.command !== null && writings.test(line.command)) mark(at);
  switch (text.charCodeAt(0)) {
    case 0x64: // d
      if (text.startsWith('diff --git ')) return diff(lines, at, mark);
      break;
    case 0x2d: // -
      if (text.startsWith('--- ') && lines[at + 1]?.clean.startsWith('+++ ') === true) return diff(lines, at, mark);
      break;
    case 0x40: // @
      if (/^@@ -\d{1,7}(?:,\d{1,7})? \+\d{1,7}/.test(text)) return diff(lines, at, mark);
      break;
    case 0x63: // c
      if (/^commit [0-9a-f]{7,40}\b/.test(text) && /^(?:Author|Merge|Date|tree):? /.test(lines[at + 1]?.clean ?? ''))
        return commit(lines, at, mark);
      break;
    case 0x5b: // [
      if (text.startsWith('[ RUN ')) return googleTest(lines, at, mark);
      break;
    case 0x52: // R
      if (/^Ran \d{1,7} tests? in /.test(text)) unitTests(lines, at, mark);
      break;
    case 0x3d: // =
      if (
        /^=+ .{0,100}\b\d{1,7} passed\b.{0,100} in [\d.:]{1,12}s?\b/.test(text) &&
        !/\b(?:failed|errors?)\b/.test(text)
      )
        pytest(lines, at, mark);
      break;
    case 0x73: // s
      // Ansible shows what a task would have said.
      if (text.startsWith('skipping: [')) mark(at);
      break;
    case 0x3c: // <
      if (/^<testsuites?\b/.test(text) && isPassedSuite(text)) return upTo(lines, at, '</testsuite>', mark);
      break;
    case 0x41: // A
      if (/^A[).] \S/.test(text)) return choices(lines, at, mark);
      break;
    case 0x7b: // {
      if (isSample(text) || isResolved(text)) mark(at);
      return at;
    default:
      break;
  }
  const end = text.trimEnd();
  const last = end.charCodeAt(end.length - 1);
  // `key: |`, `key: >-`, `key:`
  if (end.length < 100 && (last === 0x7c || last === 0x3e || last === 0x2d || last === 0x2b || last === 0x3a)) {
    const scalar = blockScalar(lines, at, end, mark);
    if (scalar > at) return scalar;
    if (last === 0x3a) {
      listOfSettings(lines, at, end, mark);
      return at;
    }
  }
  if (end.length < 300 && isRegisterHead(end)) return register(lines, at, end, mark);
  return end.length < 160 && isCatalogueHead(end) ? catalogue(lines, at, end, mark) : at;
}

/** From a diff's head to the first line that is none of it. */
function diff(lines: readonly Line[], start: number, mark: Mark): number {
  const most = Math.min(lines.length, start + longestBlock);
  let at = start;
  for (; at < most; at++) {
    const { clean, prompt } = lines[at]!;
    const part =
      /^(?:[ +\-@\\]|diff |index |new file|deleted file|similarity|rename |old mode|new mode|Binary files)/.test(clean);
    if (prompt || !(part || clean === '')) break;
    mark(at);
  }
  return at - 1;
}

/** The indented message of a commit. */
function commit(lines: readonly Line[], start: number, mark: Mark): number {
  let at = start + 1;
  const most = Math.min(lines.length, start + longestLook);
  for (; at < most; at++) {
    const { clean, prompt } = lines[at]!;
    if (prompt || (clean !== '' && !/^(?: {4}|\t|Author|Commit|Date|Merge|AuthorDate|CommitDate)/.test(clean))) break;
    mark(at);
  }
  return at - 1;
}

/** What a test of GoogleTest printed that passed. */
function googleTest(lines: readonly Line[], start: number, mark: Mark): number {
  const most = Math.min(lines.length, start + longestLook);
  for (let at = start + 1; at < most; at++) {
    const { clean } = lines[at]!;
    if (clean.startsWith('[ RUN ') || clean.startsWith('[  FAILED')) return at - 1;
    if (!/^\[ {3,8}OK \]|^\[ {1,3}SKIPPED/.test(clean)) continue;
    for (let each = start; each <= at; each++) mark(each);
    return at;
  }
  return start;
}

const testDone = /\.\.\. ?(?:ok|skipped\b.{0,80}|expected failure)$|^[.sx]{1,200}$/;

/** What tests of Python's own runner printed, where all of them passed. */
function unitTests(lines: readonly Line[], end: number, mark: Mark): void {
  const outcome = lines.slice(end + 1, end + 4).find((line) => line.clean.trim() !== '');
  if (outcome === undefined || !/^OK\b/.test(outcome.clean)) return;
  let first = end;
  for (let at = end - 1; at >= 0 && at > end - longestBlock; at--) {
    if (lines[at]!.prompt) break;
    if (testDone.test(lines[at]!.clean)) first = at;
  }
  for (let at = first; at < end; at++) mark(at);
}

/** What tests of pytest printed, where all of them passed. */
function pytest(lines: readonly Line[], end: number, mark: Mark): void {
  for (let at = end - 1; at >= 0 && at > end - longestBlock; at--) {
    const { clean, prompt } = lines[at]!;
    if (!prompt && !/^=+ test session starts =+/.test(clean)) continue;
    for (let each = at + 1; each < end; each++) mark(each);
    return;
  }
}

/** The head of a JUnit report in which nothing failed. */
function isPassedSuite(text: string): boolean {
  const head = text.slice(0, 1000);
  return /\bfailures="0"/.test(head) && !/\b(?:errors|failures)="[1-9]/.test(head);
}

/** Marks all lines up to one that holds an end. */
function upTo(lines: readonly Line[], start: number, end: string, mark: Mark): number {
  const last = lines.slice(start, start + longestBlock).findIndex((line) => line.clean.includes(end));
  const to = last < 0 ? start : start + last;
  for (let at = start; at <= to; at++) mark(at);
  return to;
}

/** The answers of a question that one is to choose from. */
function choices(lines: readonly Line[], start: number, mark: Mark): number {
  let at = start;
  while (at < lines.length && at < start + 8 && lines[at]!.clean.startsWith(String.fromCharCode(0x41 + at - start))) {
    if (!/^[A-H][).] \S/.test(lines[at]!.clean)) break;
    at++;
  }
  if (at - start < 3) return start;
  for (let each = start; each < at; each++) mark(each);
  return at - 1;
}

/** A record of a data set that models are trained or tested with. */
function isSample(text: string): boolean {
  return (
    text.startsWith('{"') &&
    /"(?:instruction|prompt|completion|question|answer|chosen|rejected|input|conversations?|label|expected|dialogue)": ?["[{]/.test(
      text.slice(0, 600),
    ) &&
    !/"(?:time|ts|timestamp|@timestamp|level|severity|levelname|asctime|stream)": ?/.test(text)
  );
}

/** An alert that is over. */
function isResolved(text: string): boolean {
  return (
    /"(?:status|state)": ?"(?:resolved|inactive|normal|ok)"/i.test(text) &&
    /"(?:labels|alertname|annotations)"/.test(text)
  );
}

/** Keys below which the output of a program may stand. */
const outputs =
  /err|exception|messages?$|msg|reason|logs?$|output|note|status|std|fail|stack|trace|caus|detail|body|event|text|result|dmesg|kernel|journal|console|actual|response|smi|says?$|said|got|seen|shows?$|prints?$|symptoms?|conditions?|observed|happened|screen|terminal/i;

/** The text of a manifest's key that holds no program's output: a script, a runbook, a query. */
function blockScalar(lines: readonly Line[], start: number, text: string, mark: Mark): number {
  const match = /^(\s{0,60}(?:- )?)["']?([\w./-]{1,80})["']?: [|>][+-]?\d?$/.exec(text);
  if (match === null || (outputs.test(match[2]!) && !/\.\w{2,4}$/.test(match[2]!))) return start;
  return indented(lines, start, match[1]!.length, mark);
}

/** Marks the lines that stand deeper than `indent`; gives the last of them. */
function indented(lines: readonly Line[], start: number, indent: number, mark: Mark): number {
  const most = Math.min(lines.length, start + longestBlock);
  let at = start + 1;
  for (; at < most; at++) {
    const { clean, prompt } = lines[at]!;
    const body = clean.trimStart();
    if (prompt || (body !== '' && clean.length - body.length <= indent)) break;
    mark(at);
  }
  return at - 1;
}

/** Tasks of Ansible that say something when their condition holds. */
const tasks = /^(?:ansible\.builtin\.)?(?:fail|debug|assert|pause|set_fact|lineinfile|blockinfile|copy|wait_for)$/;

/** A list of strings below a key, or the text that a task would say. */
function listOfSettings(lines: readonly Line[], start: number, text: string, mark: Mark): void {
  const match = /^(\s{0,60}(?:- )?)["']?([a-z][\w.-]{1,60})["']?:$/.exec(text);
  if (match === null) return;
  const indent = match[1]!.length;
  if (tasks.test(match[2]!)) {
    indented(lines, start, indent, mark);
    return;
  }
  if (outputs.test(match[2]!)) return;
  const notes = match[2] === 'annotations';
  for (let at = start + 1; at < Math.min(lines.length, start + longestLook); at++) {
    const { clean, prompt } = lines[at]!;
    const body = clean.trimStart();
    const depth = clean.length - body.length;
    if (prompt || body === '' || depth < indent) return;
    if (notes) {
      if (depth === indent) return;
      if (/^(?:message|description|summary|runbook\w{0,8}|title|text|body): /.test(body)) mark(at);
    } else {
      if (!body.startsWith('- ') || /^- ["']?[a-z][\w./-]{0,60}["']?:(?: |$)/.test(body)) return;
      mark(at);
    }
  }
}

const catalogueWords =
  /\b(?:xid|error code|failure|description|meaning|patterns?|regex|(?:recommended |suggested |required )?actions?|remedy|remedies|resolution|solution|explanation|what to do|fix|expected|possible causes?|runbook|response|mitigation|playbook|category|example)\b/i;
const eventWords =
  /\b(?:time|date|timestamp|last seen|age|host|hostname|node|object|pid|when|count|result|status|state)\b/i;

/** The head of a table that tells what messages mean, or what to do about them. */
function isCatalogueHead(text: string): boolean {
  if (!catalogueWords.test(text) || eventWords.test(text)) return false;
  const cells = cellsOf(text);
  return (
    cells !== null &&
    cells.length <= 8 &&
    cells.every((cell) => /^["'*_`]{0,3}[A-Za-z][\w ()/#-]{0,30}["'*_`]{0,3}$/.test(cell))
  );
}

/** Cells between pipes, tabs, commas or two spaces. */
function cellsOf(text: string): readonly string[] | null {
  const trimmed = text.trim().replace(/^\|/, '').replace(/\|$/, '');
  for (const separator of ['|', '\t', ';', ',']) {
    if (trimmed.includes(separator)) return filled(trimmed.split(separator));
  }
  return trimmed.includes('  ') ? filled(trimmed.split('  ')) : null;
}

function filled(cells: readonly string[]): readonly string[] | null {
  const some = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  return some.length >= 2 ? some : null;
}

/** The head of a register: numbers of incidents or tickets, and how each of them ended. */
function isRegisterHead(text: string): boolean {
  const cells = cellsOf(text)?.map((cell) => cell.toLowerCase());
  return (
    cells !== undefined &&
    cells.length >= 3 &&
    cells.some((cell) => /^(?:id|key|ticket|incident|case|issue|number|#|no\.?)$/.test(cell)) &&
    cells.some((cell) => /^(?:status|state|resolution|closed|resolved)(?: (?:at|on|date))?$/.test(cell))
  );
}

/** Marks the rows of a register that are closed; an open one speaks of now. */
function register(lines: readonly Line[], start: number, head: string, mark: Mark): number {
  const separator = ['|', '\t', ';', ',', '  '].find((each) => head.includes(each))!;
  let at = start + 1;
  for (; at < Math.min(lines.length, start + longestBlock); at++) {
    const { clean, prompt } = lines[at]!;
    if (prompt || !(clean.includes(separator) || /^[-=+| ]{3,}$/.test(clean))) break;
    if (
      /(?:^|[|,;\t"]|\s{2})\s{0,20}(?:closed|resolved|done|fixed|completed?|verified)\s{0,20}(?:$|[|,;\t"]|\s{2})/i.test(
        clean,
      )
    )
      mark(at);
  }
  return at - 1;
}

function catalogue(lines: readonly Line[], start: number, head: string, mark: Mark): number {
  const separator = ['|', '\t', ';', ',', '  '].find((each) => head.includes(each))!;
  const most = Math.min(lines.length, start + longestBlock);
  let at = start + 1;
  for (; at < most; at++) {
    const { clean, prompt } = lines[at]!;
    if (prompt || !(clean.includes(separator) || /^[-=+| ]{3,}$/.test(clean))) break;
    mark(at);
  }
  return at - 1;
}

/** Commands whose output is what people wrote: the history of a source tree, the help of a program. */
const writings =
  /^(?:sudo )?(?:git (?:-C \S{1,200} )?(?:log|show|blame|diff|shortlog|reflog|tag|branch)\b|(?:hg|svn) (?:log|diff)\b|man \w|(?:kubectl|oc) explain\b)|^[^|;&]{1,200} (?:--help|-h)$/;

const searches = /^(?:sudo )?(?:git grep|grep|[ef]grep|rg|ag|ack)\b/;
const sourceLike = /(?:^|[/_.-])(?:tests?|fixtures?|docs?|examples?|samples?|src|source|testdata|spec)[/_.-]/i;

/** The hit of a search in program text, documents or the data of tests; one in a log is what was logged. */
function isHit(text: string): boolean {
  const path = /^(?:\.\/)?([^\s:]{1,300}\.\w{1,10})[:-](?:\d{1,7}[:-])?/.exec(text)?.[1];
  if (path === undefined) return false;
  return sourceLike.test(path) || !/\.(?:log|out|err|txt|\d|gz|stderr|stdout)$/.test(path);
}
