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
  // suppose a node prints …; what if it says …; you would see …; asking about …; how would … end
  /\b(?:suppos(?:e|ing)|imagine|what if|let'?s say|hypothetical(?:ly)?|say that)\b(?! that the driver)/i,
  /\b(?:you|we|one|they|users?|(?:the |a )?(?:kernel )?(?:log|output|console|terminal|journal)|dmesg|nvidia-smi) (?:would|might|could|may|will)(?: (?:then|also|just|often))? (?:see|get|show|print|say|find|report|read|contain|throw|log)\b/i,
  /\b(?:asking|asks?|asked|talk(?:s|ing|ed)?|questions?|page|docs?|section|chapter|article|post|paragraph|warns?|wrote|notes?) (?:about|on|of|for|regarding|called|titled)(?: the| a| an| our)?\s?["'`]?$/i,
  // Advice on lines of a kind; who says `we get lines like …` has them.
  /^(?!.{0,400}\b(?:I|we|my|our)\b).{0,400}\b(?:lines?|messages?|errors?|entries|texts?) (?:such as|like|of the form|that (?:say|read)s?|saying)\s?["'`:]{0,2}\s?(?:[\w.]{2,40}: .{0,160})?$/i,
  // A check that lists what it did not find.
  /^\s{0,8}(?:\[ ?(?:PASS(?:ED)?|OK|SKIP(?:PED)?) ?\]|(?:PASS(?:ED)?|SKIP(?:PED)?)\b:?|[✓✔✅]|ok \d{1,5} -)\s/u,
];

/** The same behind a message: `the GPU is lost. The log would show …`. */
const would =
  /\b(?:you|we|log|output|console|dmesg|nvidia-smi) (?:would|might) (?:see|get|show|print|say|find|report|read|contain)\b/i;

/** Verbs by which somebody tells what a program said then. */
const saidThen =
  /\b(?:said|showed|printed|reported|gave|threw|failed|crashed|died|stopped|complained|got|saw|had|hit|logged|read|was|were)\b/i;
const then =
  /\b(?:(?<!since )(?<!from )(?:last (?:time|week|month|year|spring|summer|autumn|fall|winter|quarter))|(?:\d{1,3}|a|two|three|four|five|six|few|couple of|some|several) (?:weeks|months|years|month|year) ago|back (?:then|in)|in the past|in (?:January|February|March|April|May|June|July|August|September|October|November|December|20\d\d))\b/i;
const nowToo = /\b(?:since|still|again|now|today|currently|this (?:morning|week|afternoon)|until now|ever since)\b/i;

/** A sentence that tells what a program said at another time: `last time nvidia-smi said …`. */
function isSaidThen(text: string, after: string): boolean {
  const at = text.search(then);
  if (at < 0) return false;
  const rest = text.slice(at);
  return saidThen.test(rest) && !nowToo.test(text) && !/\b(?:still|again|now|today)\b/i.test(after.slice(0, 120));
}

/** Program text up to the quote that opens a literal: an element of a table, an assignment. */
const literal = /^\s{1,40}["'`]$|^\s{0,40}(?:const |let |var |static |char ?\*? ?)?\w{1,40} (?::=|=) ["'`]$/;

/** What stands behind a message that was not printed now: a count of none, an enumeration, a changelog's news. */
const behind =
  /^\s{0,4}(?:: {0,3}0\b|= ?\d{1,5}\b ?,?\s{0,4}(?:$|\/)|(?:is|are) now\b|(?:errors?|messages?|lines?)? ?(?:were|was) (?:not )?(?:found|seen): (?:none|0)\b)/i;

/** Keys whose values may be what a program printed; the value of any other key is configuration or data. */
const carriers =
  /err|exception|m(?:sg|essage)|reason|log|output|note|status|std|fail|panic|fatal|warn|stack|trace|caus|detail|body|event|text|line|result|payload|said|what|respon|dmesg|kernel|nvrm|journal|condition|^s$|^desc$/i;

/** The key whose value a quotation mark opens: `pattern: "`, `"args": ["grep", "`, `regex="`, `match = '`. */
const keyed =
  /(?:^|[\s{,([&?*])["']?([A-Za-z_][\w./-]{0,60})["']?\s{0,4}(?::=|=>|=~|[|!]=|[:=])\s{0,4}(?:[[({]{1,2}[^\]})]{0,200})?[bru]?["'`]$/;

/** An operator of a query language before a quotation mark. */
const operator = /(?:\|=|\|~|!=|!~|=~|\b(?:LIKE|MATCHES|CONTAINS|REGEXP|RLIKE|GLOB|IN)) ?\(?["'`]$/i;

/** Keys that hold what is looked for, also where no quotation mark follows. */
const wanted =
  /^\s{0,40}(?:- )?["']?(?:\w{0,20}_)?(?:patterns?|regex(?:p|es)?|match(?:es|er|ers)?|expr|query|filters?|keywords?|phrase|needle|contains|grep|search|examples?|expected|description|summary|runbook|value|title|name|label|prompt|question|answer)["']?(?: {1,20}|\s{0,4}[:=]\s{0,4})(?:\S{1,20} )?[("'`]{0,2}$/i;

/** Marks of a regular expression right at a message. */
const regexBefore = /(?:\.[*+]\??|\\[swdbS][*+]?|[\w)\]]\||\(\?[:i=!]\w?|\[\^\w{1,8}\][*+])\(?\s?$|(?:^|\s)\/\^?$/;
const regexAfter = /^(?:\.[*+?]|\\[.swdbS([]|\)?\|(?=\S)|\)[*+?]|\/[gimsu]{1,3}\b)/;
const regexWithin = /\\[.()[\]{}swdbS]|(?<![\d.])\.[*+](?![\d])|%0?\d?[xdsu]\b|\(\?[:i]/;

/** Sentences of programs that look for messages and say so. */
const watching =
  /\b(?:check(?:s|ing|ed)?|look(?:s|ing|ed)?|search(?:es|ing|ed)?|scan(?:s|ning|ned)?|watch(?:es|ing)?|grep(?:s|ping)?|monitor(?:s|ing)?|listen(?:s|ing)?|alert(?:s|ing)?|match(?:es|ing)?|filter(?:s|ing)?|react(?:s|ing)?|wait(?:s|ing)?|page[sd]?|trigger(?:s|ed|ing)?)(?: \w{1,20}){0,3} (?:for|on|against|at|when|by)(?: (?:the|a|an|any|all|new|known))?(?: (?:messages?|lines?|errors?|patterns?|strings?|texts?|words?|events?))? ?[:=]? ?["'`]?$/i;
const loaded =
  /\b(?:load(?:ed|ing)|regist(?:ered|ering)|add(?:ed|ing)|compil(?:ed|ing)|enabl(?:ed|ing)|pars(?:ed|ing)|configur(?:ed|ing)|defin(?:ed|ing)|import(?:ed|ing)|creat(?:ed|ing)|skipp(?:ed|ing)|disabl(?:ed|ing)|deprecated) (?:\w{1,20} ){0,3}(?:rules?|patterns?|match(?:ers?|es)|filters?|alerts?|signatures?|regex(?:es|ps?)?|handlers?|detectors?|classifiers?|keywords?|playbooks?|runbooks?)\b/i;

/** What stands behind a quotation that was looked for in vain, or behind a test's name. */
const inVain =
  /^[^"'`]{0,160}["'`]?\)?[^"'`]{0,60}(?:[:=,] ?|\bis |\bwas |-> ?)(?:not (?:found|seen|present|matched|there|detected)|no (?:match(?:es)?|hits?|occurrences?|lines?)|0 (?:match(?:es)?|hits?|lines?|times|occurrences?)|absent|none|never)\b/i;
const passed =
  /^[^"'`]{0,200}["'`]?\]?\)?\s{0,4}(?:\([^)]{0,200}\)\s)?(?:\.\.\. ?(?:ok|skipped|expected failure)\b|(?:PASSED|SKIPPED|XFAIL)\b)/;

/** A literal that a function is called with; the message of an exception that is shown with its type is none. */
const called =
  /(?:^|[^\w.])([a-z_][\w.:]{0,60}|[A-Z][A-Z\d]{0,20}_[A-Z\d_]{1,40})!?\([^"'`]{0,80}(?:["'`][^"'`]{0,80}["'`][^"'`]{0,20})?["'`]$/;

/** A line of program text that a search found: its file, its number, then indentation, a quotation mark or a comment. */
const found =
  /^(?:\.{0,2}\/)?[\w./@+-]{1,200}\.(?:c|cc|cpp|cxx|h|hpp|cu|cuh|py|pyi|go|rs|js|ts|tsx|java|kt|rb|sh|lua|ya?ml|json|toml|ini|conf|rules|sql|tf|j2|csv)[:-]\d{1,7}[:-](?:\s{2,}|\t|\s?(?:NVRM|\/\/|#|\*|["'`-]|\w{1,20} ?= ?["'`]))/;

/** Who speaks in a sample of a language model's data or output. */
const sample =
  /^\W{0,3}(?:sample|prompt|completion|assistant|user|generated(?: text)?|generation|prediction|question|answer|reference|target|label|hypothesis|instruction)\b[^:\]]{0,20}[\]:]/i;

/** The identifier of a test, in which the message is a parameter. */
const testId = /(?:^|\s)[\w./-]{1,200}::\w[^\s]{0,160}(?:\[[^\]]{0,300})?$/;

const comment = /^\s{0,40}(?:\/\/|\/\*|\*\s|<!--|--\s|;;)/;

/** CMake puts two dashes before what it finds, as a comment of SQL or Lua has them. */
const cmake = /^(?:Could NOT find|Configuring incomplete|CMAKE_|No CMAKE_|Failed to detect)/;

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
  const rest = after.slice(0, 400);
  if (behind.test(rest.slice(0, 80)) || removed.test(before === '' ? message.slice(0, 40) : before)) return true;
  if (would.test(rest.slice(0, 160))) return true;
  if (passed.test(rest) || regexAfter.test(rest) || regexWithin.test(message.slice(0, 200))) return true;
  if (before === '') return false;
  const text = before.length > 400 ? before.slice(-400) : before;
  if (regexBefore.test(text) || isLookedFor(text, rest) || found.test(before.slice(0, 260))) return true;
  const opened = upToQuote(text);
  if (opened !== text || /["'`]$/.test(text)) {
    if (isValueOfSetting(opened, before) || operator.test(opened) || isArgument(opened)) return true;
  }
  return (
    (comment.test(text) && !(/^\s{0,8}-- $/.test(text) && cmake.test(message))) ||
    supposed.test(text) ||
    code.test(opened) ||
    (opened !== text && literal.test(opened)) ||
    literal.test(text) ||
    elsewhere.some((each) => each.test(text)) ||
    isSaidThen(text, rest) ||
    openTick(text) ||
    (/["“]$/.test(opened) && isSentence(opened.slice(0, -1)))
  );
}

/** The value of a key that holds no messages. An alert that fires speaks of now, in whatever field. */
function isValueOfSetting(opened: string, before: string): boolean {
  const key = keyed.exec(opened)?.[1];
  return key !== undefined && !carriers.test(key) && !/"?status"?\s?[:=]\s?"?firing/.test(before);
}

function isArgument(opened: string): boolean {
  const callee = called.exec(opened)?.[1];
  return callee !== undefined && !/(?:err(?:or)?|exception|fail(?:ure)?|warn(?:ing)?|status)$/i.test(callee);
}

/** A message that a program, a test or a sentence looks for. */
function isLookedFor(text: string, rest: string): boolean {
  if (wanted.test(text) || sample.test(text) || testId.test(text) || isAlternative(text)) return true;
  if (loaded.test(text.slice(-200)) && /["'`=:]\s?$/.test(text)) return true;
  const quoted = /["'`]$/.test(text);
  const watched = watching.test(text.slice(-160));
  return watched ? !/^[^:]{0,120}: {0,2}(?:found|detected|yes\b|[1-9])/i.test(rest) : quoted && inVain.test(rest);
}

/** One of several texts in the group of a regular expression: `(NVRM: Xid|fallen off`. */
function isAlternative(text: string): boolean {
  const open = text.lastIndexOf('(');
  return open >= 0 && !text.includes(')', open) && /[\w.]\|\w/.test(text.slice(open));
}

/** Several plain words and no mark of a program: what a person writes before a quotation. */
function isSentence(full: string): boolean {
  // [sample] output: Your log says
  const text = full.replace(/^\[[\w .:-]{1,40}\]\s{0,4}(?:\w{1,20}: )?/, '');
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
