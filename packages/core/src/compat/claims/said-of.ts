/** What a statement says of another one: that it is wrong, a myth, or so. */
export interface SaidOf {
  /** The statement that is spoken of. */
  readonly statement: string;
  /** It is called wrong. */
  readonly denied: boolean;
}

const wrong =
  "(?:wrong|false|untrue|incorrect|nonsense|rubbish|mistaken|a (?:common |widespread |popular )?(?:myth|mistake|misconception|misunderstanding|error|fallacy|lie|rumou?r)|an (?:error|old wives' tale|urban legend)|not (?:true|so|correct|right|the case|a fact)|no longer true|simply (?:wrong|false|not true))";
const right = '(?:true|correct|right|the case|a fact|so)';
const sayings = '(?:to (?:say|think|believe|claim|assume|conclude|expect) )?that ';

/** Forms in which the statement stands behind. */
const before: readonly (readonly [RegExp, boolean])[] = [
  [new RegExp(`^(?:it is|it's|it would be|this is) ${wrong} ${sayings}`, 'i'), true],
  [new RegExp(`^(?:it is|it's) (?:simply |quite |indeed |still )?${right} that `, 'i'), false],
  [
    /^(?:i|we) (?:do not|don't|would not|wouldn't|can not|cannot|can't|no longer) (?:believe|think|accept|buy|agree|say|claim|expect) (?:that )?(?=.{12})/i,
    true,
  ],
  [/^(?:i|we) (?:very much |strongly |really )?(?:doubt|deny|dispute|reject) that /i, true],
  [/^(?:nobody|no one|none) (?:should|must|may|can) (?:believe|think|say|claim|assume|expect) (?:that )?/i, true],
  [/^there is no (?:truth|substance) (?:in|to) (?:the )?(?:claim|saying|idea|belief|story|rumou?r) that /i, true],
  [
    /^(?:the )?(?:claim|idea|belief|statement|story|rumou?r) that (?=.{12,}? is (?:wrong|false|a myth|untrue)[ .]{0,3}$)/i,
    false,
  ],
  [/^(?:i|we) (?:am|are|'m|'re) (?:sure|certain|convinced|told) that /i, false],
];

const quote = /(?<![A-Za-z0-9])(["'])((?:[^"']|(?<=[A-Za-z])'(?=[A-Za-z])){15,400})\1(?![A-Za-z0-9])/;
const wrongBehind = new RegExp(
  `^[,.]? ?(?:is|are|was|sounds|remains) (?:(?:plainly|simply|just|quite|clearly|still) )?${wrong}[ .!]{0,3}$|^ (?:deserves|merits|has) no (?:belief|trust|credit|basis|support|ground)[ .!]{0,3}$|^ (?:does not|doesn't) (?:hold|apply|stand|stand up)[ .!]{0,3}$`,
  'i',
);
const rightBehind = new RegExp(
  `^ (?:is|was) (?:indeed |quite |perfectly )?${right}[ .!]{0,3}$|^ holds(?: true)?[ .!]{0,3}$`,
  'i',
);
const wrongBefore =
  /(?:would not|wouldn't|do not|don't|can not|cannot|can't|never|nobody should|refuse to) (?:sign|believe|buy|trust|underwrite|subscribe to|agree with|support|repeat)(?: (?:the|a|this|that) (?:sentence|statement|claim|line|quote|words?))?:? ?$/i;

/**
 * The statement that a text speaks of, where the text as a whole only says that it is wrong or right: `it is a myth
 * that …`, `'…' is wrong`, `I doubt that …`. Null where it states something itself.
 */
export function saidOf(text: string): SaidOf | null {
  const plain = text
    .trim()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"');
  for (const [pattern, denied] of before) {
    const match = pattern.exec(plain);
    if (match === null) continue;
    return { statement: plain.slice(match[0].length).replace(/^,? ?(?=since |because )/, ''), denied };
  }
  const quoted = quote.exec(plain);
  if (quoted !== null) {
    const ahead = plain.slice(0, quoted.index);
    const behind = plain.slice(quoted.index + quoted[0].length);
    const statement = quoted[2] as string;
    if (ahead.length < 60 && wrongBehind.test(behind)) return { statement, denied: true };
    if (ahead.length < 60 && rightBehind.test(behind)) return { statement, denied: false };
    if (wrongBefore.test(ahead)) return { statement, denied: true };
  }
  const that =
    /^(?:the (?:claim|idea|belief|statement|story|rumou?r|notion) )?that (.{12,300}?)( (?:is|was|remains) [^,;]{3,60})$/i.exec(
      plain,
    );
  if (that === null) return null;
  const [, statement, behind] = that as unknown as readonly [string, string, string];
  if (wrongBehind.test(behind)) return { statement, denied: true };
  return rightBehind.test(behind) ? { statement, denied: false } : null;
}
