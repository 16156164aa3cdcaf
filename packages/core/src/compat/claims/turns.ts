import type { ClaimAnswer } from '../judgement.ts';
import { readClaimText, unlessCut } from './claim-text.ts';

/** A kind of words that turn or limit what a sentence says. */
interface Turn {
  readonly kind: 'negation' | 'failure' | 'limit' | 'exception' | 'contrast' | 'scope' | 'doubt' | 'reason';
  /** In lower case, with contractions written out. */
  readonly words: RegExp;
  /**
   * What the sentence is asked with in place of the word: where the answer stays as it was, no reader took the word
   * in. Null: no reader knows the word.
   */
  readonly without: string | null;
}

/**
 * The closed class of words that can turn or limit a statement. An answer stands only if its reader took in each of
 * them that the statement holds: the statement is read once more without the word, and has to be answered differently.
 */
const turns: readonly Turn[] = [
  { kind: 'negation', words: /\b(?:not|never|hardly|barely|scarcely|seldom|rarely)\b/g, without: '' },
  { kind: 'negation', words: /\bno\b/g, without: '' },
  { kind: 'negation', words: /\bnothing\b/g, without: 'something' },
  { kind: 'negation', words: /\b(?:nobody|no one)\b/g, without: 'we' },
  { kind: 'negation', words: /\b(?:neither|nor|none)\b/g, without: null },
  { kind: 'negation', words: /\bwithout\b/g, without: 'with' },
  {
    kind: 'negation',
    words: /\bun(?:read|checked|driven|detected|seen|served|evaluated|touched|affected|noticed|recogni[sz]ed)\b/g,
    without: '',
  },
  {
    kind: 'scope',
    words:
      /\b(?:some|certain|several|most|many|(?<!\ba )few)\b(?= (?:\S+ ){0,3}(?:drivers?|branches|gpus?|cards?|boards?|toolkits?|releases?|versions?|wheels?|builds?)\b)/g,
    without: 'every',
  },
  {
    kind: 'failure',
    words: /\b(?:refuses|rejects|rules out|forbids|excludes|prevents|prohibits|blocks)\b/g,
    without: 'accepts',
  },
  {
    kind: 'failure',
    words: /\b(?:refuse|reject|rule out|forbid|exclude|prevent|prohibit|block)\b/g,
    without: 'accept',
  },
  { kind: 'failure', words: /\btoo (?:old|new|recent|young|low|high)\b/g, without: 'good' },
  {
    kind: 'failure',
    words:
      /\b(?:dispos(?:e|es|ing) of|anything but|far from|short of|no more than|keeps? .{1,60}? from|stops? .{1,60}? from)\b/g,
    without: null,
  },
  {
    kind: 'failure',
    words: /\b(?:pointless|useless|futile|worthless|needless|superfluous|unnecessary)\b/g,
    without: 'useful',
  },
  { kind: 'failure', words: /\bbeyond\b/g, without: 'within' },
  { kind: 'failure', words: /\bceases? to\b/g, without: 'goes on to' },
  { kind: 'failure', words: /\btakes? [^,;]{1,40}? away\b/g, without: 'keeps' },
  {
    kind: 'reason',
    words: /\b(?:no|hardly (?:a|any)|little) (?:reason|point|sense) (?:to|in|for)\b(?! worry)/g,
    without: null,
  },
  { kind: 'contrast', words: /\b(?:before|ahead of|over|in place of) (?:its|their) own\b/g, without: null },
  { kind: 'limit', words: /\b(?:merely|simply|purely|alone|at most|at best|by itself)\b/g, without: null },
  {
    kind: 'exception',
    words: /\b(?:except|other than|apart from|aside from|save for|bar|excluding|but for|unlike)\b/g,
    without: null,
  },
  { kind: 'contrast', words: /\b(?:rather than|instead of|as opposed to)\b/g, without: null },
  {
    kind: 'doubt',
    words:
      /\b(?:myth|misconception|belief|doubt|doubts|deny|denies|dispute|untrue|nonsense|contrary to|allegedly|supposedly)\b/g,
    without: null,
  },
  {
    kind: 'reason',
    words: /\b(?:(?:not|hardly) (?:because|due to|the (?:reason|cause|culprit))|is (?:why|the (?:reason|cause)))\b/g,
    without: null,
  },
];

/** Set phrases in which the word turns nothing, or that a reader takes as one: in a sentence about `where`, or anywhere. */
const phrases: readonly { readonly words: RegExp; readonly where: RegExp | null }[] = [
  { words: /\b(?:whether or not|no matter|no doubt|not only|not necessarily)\b/g, where: null },
  // What the error says is not what is said of it.
  {
    words:
      /\b(?:may|can|is|are|was|do(?:es)?|has|have) not (?:be |been )?(?:used?|allowed|support(?:ed)?|match|pair|agree|fit|built|compiled|contain|have)\b|\bno (?:code|sass|kernel|machine code|cubin|ptx)\b|\btoo (?:old|new)\b/g,
    where:
      /\b(?:error|code|status) (?:34|35|36|209|222|803|804)\b|\b80[34]\b|\bno kernel image\b|\bdriver version is insufficient\b/,
  },
  // A start that is refused is what the check does, and the requirement that is not met is what it is about.
  {
    words:
      /\b(?:did|do(?:es)?|will|would|can|could) not (?:even )?start\b|\bnever starts?\b|\b(?:refuses|rejects)\b|\b(?:do(?:es)?|is|are) not (?:met|meet|satisf(?:y|ied)|fulfil(?:led)?)\b|\bwithout\b(?= nvidia_require)/g,
    where: /\bnvidia_require|\bstart check\b|\bcuda requirement\b/,
  },
  { words: /\bat most\b/g, where: /\b(?:supports?|serves?|reports?|shows?|serve)\b[^,;]{0,20}\bat most\b/ },
  // A version that another one stands for is read with it.
  { words: /\b(?:instead of|rather than) (?=(?:version |torch |cuda )?\d)/g, where: null },
  {
    words: /\bwithout (?:any |a |an )?(?:re-?build|re-?compil|re-?install|chang|modif|problem|trouble|touching)\w*/g,
    where: null,
  },
  {
    words: /\bdo(?:es)? not matter\b/g,
    where: /\b(?:containers?|images?) (?:brings?|contains?|ships?|has|have|includes?)\b/,
  },
  { words: /\bdoes no harm\b|\bno more (?:fixes|updates|patches)\b|\bcommand not found\b/g, where: null },
  {
    words:
      /\b(?:needs? no|no need for|do(?:es)? not need|without|no) (?:an? |the |any |more )?(?:new(?:er)? |other |further )?(?:host )?drivers?(?: (?:updates?|upgrades?|branch|version))\b/g,
    where: /\bcompat\b.{0,200}\bgeforce\b|\bgeforce\b.{0,200}\bcompat\b/,
  },
  // The limit that nvidia-smi shows is one.
  { words: /\b(?:merely|simply)\b/g, where: /\bnvidia-smi\b.*\b(?:limit|newest|highest|ceiling)\b/ },
  {
    words: /\bwithout\b(?= (?:an? |any |the )?(?:local |system |separate )?(?:nvcc|cuda toolkit|toolkit)\b)/g,
    where: /\b(?:runs?|works?|starts?) (?:fine |well |ok )?without\b/,
  },
  // `not before`: what is waited for is needed. `not without`: what is left out is needed.
  { words: /\b(?:can|could|will|would|do|does|is|are|may) not\b(?=[^,;]{0,80}\buntil\b)/g, where: null },
  { words: /\bnot\b/g, where: /\bnot\b[^,;]{0,80}\b(?:unless|without)\b[^,;]{0,12}\bcompat\b/ },
  // A relative clause describes what is spoken of.
  {
    words:
      /\b(?:that|which|who)\b [^,;]{0,60}?\b(?:has|have|holds?|contains?|calls?|uses?|needs?) (?:no|nothing|none)\b|\b(?:that|which|who) (?:do(?:es)?|is|are|can|has|have|was|were|will) not\b|\bwhose\b[^,;]{0,40}? (?:is|are|was|do(?:es)?) not\b/g,
    where: null,
  },
];

/**
 * The first word of a statement that can turn its meaning and that the answer does not rest on. `read` answers a
 * statement by its readers alone.
 */
export function unreadTurn(text: string, answer: ClaimAnswer, read: (text: string) => ClaimAnswer): string | null {
  if (answer !== 'true' && answer !== 'false') return null;
  const { all, main } = readClaimText(text);
  const start = Math.max(0, all.indexOf(main.trim()));
  const end = all.includes(main.trim()) ? start + main.trim().length : all.length;
  // `can not run unless X`: the readers leave the exception out, and so does this.
  const cut = unlessCut(main);
  const to = cut === main ? end : start + cut.trim().length;
  const whole = cut === main ? all : all.slice(0, to);
  const paired = cut !== main && read(whole) !== answer;
  if (paired) return unreadIn(all, start, end, answer, read, true);
  return unreadIn(whole, start, to, answer, read, /\bwithout\b.*\bnot\b/.test(whole));
}

/** With `paired`, `not … without` is one turn, which its first word stands for. */
function unreadIn(
  whole: string,
  start: number,
  to: number,
  answer: ClaimAnswer,
  read: (text: string) => ClaimAnswer,
  paired: boolean,
): string | null {
  const known = knownPlaces(whole);
  let tries = 0;
  for (const turn of turns) {
    for (const match of whole.matchAll(turn.words)) {
      if (match.index < start || match.index >= to || known.has(match.index)) continue;
      if (paired && match[0] === 'without') continue;
      if (turn.without === null || tries === mostTries) return match[0];
      tries += 1;
      const other = whole.slice(0, match.index) + turn.without + whole.slice(match.index + match[0].length);
      if (read(other) === answer) return match[0];
    }
  }
  return null;
}

/** Does the text hold a word of the table that no reader takes as a part of a phrase? */
export function holdsTurn(text: string): boolean {
  const { all } = readClaimText(text);
  const known = knownPlaces(all);
  return turns.some((turn) => [...all.matchAll(turn.words)].some((match) => !known.has(match.index)));
}

function knownPlaces(all: string): ReadonlySet<number> {
  const known = new Set<number>();
  for (const { words, where } of phrases) {
    if (where !== null && !where.test(all)) continue;
    for (const match of all.matchAll(words))
      for (let place = match.index; place < match.index + match[0].length; place += 1) known.add(place);
  }
  return known;
}

/** Does the text hold a word that turns a predicate? `told`: it is a statement, so that a plain negation does too. */
export function hasTurn(lower: string, told: boolean): boolean {
  return turnsPredicate.test(lower) || (told && plainNegation.test(lower));
}

const turnsPredicate =
  /(?<![a-z])(?:cannot|can not|can't|won't|will not|(?:does not|doesn't|do not|don't|never|hardly|barely) (?:runs?|works?|starts?|loads?|needs?)|too (?:old|new|recent|young) (?:for|by|to)|anything but|far from|refuses|rejects|rules out|unless|neither|nor|keeps? [^,;]{1,60} from|myth|leaves? (?:out|behind)|takes? [^,;]{1,40} away|ceases? to|beyond|even if|no [a-z0-9. ]{2,30} (?:can|will|runs?|works?|starts?|loads?))(?![a-z])/;
const plainNegation =
  /(?<![a-z])(?:not|isn't|aren't|never|no|nothing|nobody|none|hardly|barely|except|other than|apart from|rather than|alone|merely|too (?:old|new|recent|young))(?![a-z])/;

/** Most times that a statement is read again: one with more such words is not understood. */
const mostTries = 8;
