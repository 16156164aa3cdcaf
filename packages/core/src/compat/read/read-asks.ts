import type { Asked } from '../question.ts';
import type { Draft } from './draft.ts';
import { find, take } from './reading.ts';
import type { Reading } from './reading.ts';

/** A word that asks for a version or bounds it must be there. */
const signs =
  /(?<![a-z])(?:which|wich|whats?|how|minimum|minimal|min|maximum|max|lowest|oldest|least|required|needed|newest|latest|highest|last|any|there)(?![a-z])|drivers?(?: version| branch)? (?:do|does|is|are|would) /;
const between =
  '(?: (?:is|are|was|the|a|of|minimum|minimal|min|maximum|max|lowest|oldest|newest|latest|highest|last|least|required|needed|right|correct|supported|possible|recommended|compatible|nvidia|gpu|host|linux|windows|kernel|official|version|versions|release|releases)\\.?){0,6}';
const lead =
  "(?<![a-z])(?:which|wich|what|whats|what's|minimum|minimal|min\\.?|maximum|max\\.?|lowest|oldest|newest|latest|highest|least|required|needed)";

const driverWords = new RegExp(
  `${lead}${between} (?:nvidia )?(?:drivers?|driver[- ]version)(?![a-z])|(?<![a-z])drivers?(?: version| branch)? (?:is |are |do (?:i|we|you) |would (?:i|we) |does it |that is )?(?:needed|need|required|necessary|require)(?![a-z])|how (?:old|new|recent|low|far back)[^?;]{0,30}drivers?`,
  'g',
);
const cudaWords = new RegExp(`${lead}${between} (?:cuda(?:[- ]toolkit)?|toolkit)(?![a-z])`, 'g');
const wheelWords = new RegExp(
  `${lead}${between} (?:(?:py)?torch|wheels?|builds?|variants?|index(?:[- ]url)?|cu version)(?![a-z])`,
  'g',
);
const torchWords = new RegExp(`${lead}${between} (?:py)?torch`);
const libraryWords = new RegExp(`${lead}${between} (cudnn|nccl)(?![a-z])`, 'g');

/**
 * What a line asks for where it wants a version rather than yes or no: `which driver for CUDA 12.8`. Null where it asks
 * whether something runs: what is asked for must not be given already.
 */
export function readAsked(reading: Reading, draft: Draft): Asked | null {
  if (!signs.test(reading.lower) || isTold(reading)) return null;
  const host = draft.driver !== undefined || draft.gpu !== undefined || draft.computeCapability !== undefined;
  if (draft.cudnn === undefined && draft.nccl === undefined) {
    const library = take(reading, libraryWords)?.[1];
    if (library === 'cudnn' || library === 'nccl') return library;
  }
  const about =
    host ||
    draft.toolkit !== undefined ||
    draft.wheel !== undefined ||
    draft.image !== undefined ||
    draft.binary !== undefined ||
    draft.nccl !== undefined ||
    draft.cudnn !== undefined;
  if (about && draft.driver === undefined && !isRule(reading) && take(reading, driverWords) !== null) return 'driver';
  const program = draft.image !== undefined || draft.binary !== undefined;
  if (host && !program && draft.toolkit === undefined && draft.wheel === undefined && take(reading, cudaWords) !== null)
    return 'cuda';
  // `any torch newer than 2.0`: the version bounds what is looked for, it names none.
  if (host && !program && draft.wheel?.name === 'torch' && anyTorch.test(reading.lower)) {
    draft.wheel = { name: 'torch', ...(draft.wheel.variant === undefined ? {} : { variant: draft.wheel.variant }) };
    return 'wheel';
  }
  if (host && !program && (draft.wheel === undefined || draft.wheel.name === 'torch')) {
    const open = draft.wheel?.version === undefined || draft.wheel.variant === undefined;
    if (open && take(reading, wheelWords) !== null) return 'wheel';
    if (open && draft.wheel !== undefined && find(reading, cudaWords) !== null) return 'wheel';
    // The name of the wheel is taken already: `which torch runs on driver 470`.
    if (draft.wheel !== undefined && draft.wheel.version === undefined && torchWords.test(reading.lower))
      return 'wheel';
  }
  return null;
}

/** `does not change the minimum driver`: it is said what becomes of it, and not asked which one it is. */
function isTold(reading: Reading): boolean {
  const { lower } = reading;
  if (lower.trimEnd().endsWith('?')) return false;
  return (
    /(?<![a-z])(?:changes?|decides?|determines?|defines?|tells?|says|shows?|affects?|matters|depends on|controls?|sets?|picks|chooses|influences?|dictates?) (?:of |on )?(?:which|what|how)(?![a-z])/.test(
      lower,
    ) ||
    /(?<![a-z])(?:change|raise|lower|lift|increase|reduce|affect|alter|move|keep|leave|touch|push|share|meet|satisf(?:y|ie)|reach|have|has)(?:s|d|ed|es)? (?:to )?(?:the |its |their |our |a |same |any ){0,3}(?:minimum|minimal|lowest|oldest|required|needed)(?: \w{1,10}){0,2} drivers?(?![a-z])/.test(
      reading.lower,
    )
  );
}

const anyTorch =
  /(?<![a-z])(?:is there|are there|any|some|a) (?:any |a |other |working ){0,3}(?:py)?torch(?: version| build| release| wheel)?s? (?:newer|later|higher|above|that|which|i can|we can|for|>)/;

/** A rule about drivers in general names no program: `the minimum driver of each major`. */
function isRule(reading: Reading): boolean {
  return /(?<![a-z])(?:each|every|per|all) (?:cuda )?(?:major|minor|toolkit|release|version)/.test(reading.lower);
}
