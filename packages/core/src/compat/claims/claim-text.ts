import { startReading } from '../read/reading.ts';

/** A sentence split into what it concludes and what it leans on. */
export interface ClaimText {
  /** Whole sentence: lower case, contractions written out. */
  readonly all: string;
  /** The part that is claimed: after `so` or `therefore`, before `because`. */
  readonly main: string;
  /** The rest. */
  readonly premise: string;
  /** Asked as a question: the answer is about the affirmative. */
  readonly asked: boolean;
}

const contractions: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019]/g, "'"],
  [/[\u2013\u2014]/g, '-'],
  [/\bcan't\b|\bcannot\b|\bcant\b/g, 'can not'],
  [/\bwon't\b/g, 'will not'],
  [/\bdon't\b/g, 'do not'],
  [/\bdoesn't\b/g, 'does not'],
  [/\b(is|are|was|were|has|have|had|did|do|does|would|should|could|must|need)n't\b/g, '$1 not'],
  [/\bit's\b/g, 'it is'],
  [/\bunable to\b|\bnot able to\b|\bimpossible to\b|\bno way to\b/g, 'can not'],
  [/\bfails? to\b|\brefuses? to\b(?= (?:run|work|load|start|execute))/g, 'can not'],
  [/\bneed not\b/g, 'do not need'],
  [/\bno longer\b/g, 'not'],
  [/\bnothing (?:but|except|else than|other than|more than|beyond)\b/g, 'only'],
  [/\bno (?:other|more) than\b/g, 'only'],
  [/\bdata[- ]cent(?:er|re)\b/g, 'datacenter'],
  [/\bcu dnn\b/g, 'cudnn'],
  [/\bnvidia smi\b/g, 'nvidia-smi'],
];

const conclusions =
  /(?:,|;|-)? (?:so(?! that\b(?! (?:is|was|are|were|one|means)\b))|therefore|hence|thus|consequently|which means(?: that)?|that means(?: that)?|this means(?: that)?|meaning(?: that)?)(?: that| please)?,? /g;
const reasons =
  / (?:because|bc|b\/c|cuz|since(?= (?:it|they|we|you|there|our|its|that|this|(?:the )?[a-z]\w{1,20} (?:only|is|are|has|have|supports?|serves?|reports?|can|does)) )|as(?= (?:it|they|we|the (?:driver|host|node|gpu)) (?:only|does|has|have|supports?|serves?|reports?|needs?|requires?|comes?|brings?) )|as long as|so long as|provided(?: that)?|providing|assuming(?: that)?|on (?:the )?condition that|given that|due to|owing to) /g;

/** `X has to be there, or Y will not work`: what is claimed stands before the threat. */
const threat =
  /(?:, |; | - | (?=or (?:else )?(?:\w+ ){1,4}(?:will|does|do|can|would) not |or (?:else )?(?:\w+ ){1,4}(?:fails?|breaks?|crash(?:es)?) ))(?:or(?: else)?|otherwise|else) (?=[^,;]{3,100}$)(?=[^,;]{0,80}\b(?:not|never|nothing|no|fails?|breaks?|crash(?:es)?|dies|errors?|stops?)\b)/;

const contrasts = /,? (?:while|whereas|although|even though) (?=[a-z0-9.]+ [a-z])/g;

/** `since X, Y`: Y is claimed. */
const leading = /^ (?:since|because|as|given that|if|when|now that) [^,;]{5,120}, (?:then )?/;
const leadingBare = /^ (?:since|because|as) [^,;]{5,60}? (?=(?:we|you|they|nothing|nobody) )/;

/** `no need for a new driver, X works with Y`: what is said after it is what has to be true. */
const needless =
  /^ (?:so |well,? )?(?:(?:there is |we have |i see )?no need (?:for|to)|(?:we|you|i|they) do not (?:need|have)(?: to)?)[^,;:\d]{1,50}[,;:] (?=.{8})/;

/** Most characters of a claim that are read: a claim is a sentence. */
const longestClaim = 800;

/** Normalises a claim and finds its conclusion. */
export function readClaimText(input: string): ClaimText {
  let all = ` ${startReading(input.slice(0, longestClaim)).lower} `;
  for (const [pattern, to] of contractions) all = all.replace(pattern, to);
  all = all.replace(/\s+/g, ' ');
  const back =
    /,? (?:is|are|does|do|did|will|would|can|could|should|has|have)(?: not)? (?:it|they|he|she|that|this|we|you|i|there)[ ?.!]{0,3}$/.exec(
      all,
    );
  if (back !== null && back.index > 12) all = `${all.slice(0, back.index)}? `;
  const asked =
    /^ (?:do|does|did|can|could|will|would|is|are|should|must|has|have)\s/.test(all) || all.trimEnd().endsWith('?');
  if (asked)
    all = ` ${all
      .replace(/^ (?:do|does|did|will|would|can we|should) /, ' ')
      .replace(/\?/g, '')
      .trim()} `;
  const threatened = threat.exec(all);
  if (threatened !== null && threatened.index > 12)
    return { ...readMain(all.slice(0, threatened.index) + ' ', asked), all };
  return readMain(all, asked);
}

function readMain(all: string, asked: boolean): ClaimText {
  const so = lastMatch(all, conclusions);
  if (so !== null)
    return { all, main: ` ${all.slice(so.index + so[0].length)}`, premise: all.slice(0, so.index), asked };
  const idle = needless.exec(all);
  if (idle !== null) return { all, main: ` ${all.slice(idle[0].length)}`, premise: idle[0], asked };
  const lead = leading.exec(all) ?? leadingBare.exec(all);
  if (lead !== null)
    return { all, main: ` ${all.slice(lead[0].length).replace(/^then /, '')}`, premise: lead[0], asked };
  for (const pattern of [reasons, contrasts]) {
    pattern.lastIndex = 0;
    const cut = pattern.exec(all);
    if (cut !== null && cut.index > 12) {
      return { all, main: `${all.slice(0, cut.index)} `, premise: all.slice(cut.index + cut[0].length), asked };
    }
  }
  return { all, main: all, premise: '', asked };
}

function lastMatch(text: string, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = 0;
  let last: RegExpExecArray | null = null;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) last = match;
  return last !== null && last.index > 3 ? last : null;
}

const negators = /\b(?:not|no|never|without|nor|neither|none|nothing|nobody|unless|hardly)\b/g;
const failing =
  /\b(?:refused|rejected|refuses|rejects|too (?:old|new|low|recent|young|ancient)|stops? (?:working|running|to work|to run)|stopped working|(?:no longer|ceases? to) (?:work|run)s?|fails?|failing|breaks?|broken|dead|crash(?:es|ed)?|incompatible|unsupported|insufficient|unusable|ruled out|excluded|out of reach|useless)\b/g;

/** Phrases with a negation in them that deny nothing. */
const harmlessPhrases: readonly RegExp[] = [
  /\bwithout (?:any |a |an )?(?:re-?build|re-?compil|chang|problem|trouble|re-?install|modif|further|touching|risk|having to)\w*/g,
  /\bwithout (?:any |the )?(?:ptx|sass|jit)\b/g,
  /\b(?:can|could|does|do|will|would) not (?:hurt|harm|matter|do any harm)\b|\bno (?:harm|effect|danger|risk)\b/g,
  /\bno (?:problem|matter|doubt|issue|trouble)\b|\bnot only\b|\bnot just\b|\bwhether or not\b/g,
  /\bno less than\b|\bno older than\b|\bnot older than\b|\bno newer than\b/g,
  // What is set against the thing that is said: `the driver, not the toolkit`.
  /(?:, (?:and |but )?not| and not| but not| rather than| instead of) (?:just |only )?(?:the |an? |by |on |in |from |that of |its |their )[^,;]{0,80}/g,
  // A negation inside a relative clause describes a part.
  /(?<![,;] |^ )\b(?:that|which|who) (?:does|do|is|are|can|has|have|was|were|will) not\b|\bwhose\b[^,;]{0,40}? (?:is|are|was|does|do) not\b/g,
  /\b(?:that|which|who)\b [^,;]{0,60}?\b(?:has|have|holds?|contains?|calls?|uses?|needs?) (?:no|nothing|none)\b/g,
  // `not before this is there`: what is waited for is needed.
  /\b(?:can|could|will|would|do|does|is|are|may) not\b(?=[^,;]{0,80}\buntil\b)/g,
  /\bnvidia_[a-z_]+/g,
];

/** Does the part deny? An odd number of negations does; set phrases that only look like one do not count. */
export function isNegated(text: string): boolean {
  let bare = text;
  for (const phrase of harmlessPhrases) bare = bare.replace(phrase, ' ');
  return (bare.match(negators) ?? []).length % 2 === 1;
}

/**
 * As `isNegated`, and words that say that something fails count as a denial too: `too old for`, `stops working`. Each
 * part of the sentence is taken by itself: `it is too old, it can not run` denies twice and still denies.
 */
export function isDenied(text: string): boolean {
  return unlessCut(text)
    .split(/[,;]/)
    .some((part) => isNegated(part) !== ((part.match(failing) ?? []).length % 2 === 1));
}

/** `can not run unless X`, `can not run without X`: the one negation denies, the exception does not take it back. */
export function unlessCut(text: string): string {
  for (const word of [' unless ', ' without ']) {
    const at = text.indexOf(word);
    if (at >= 0 && /\b(?:not|no|never|nothing|nobody|none)\b/.test(text.slice(0, at)) && isNegated(text.slice(0, at)))
      return text.slice(0, at);
  }
  return text;
}

/** Tests for a word or phrase, as a whole word. */
export function says(text: string, pattern: RegExp): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}
