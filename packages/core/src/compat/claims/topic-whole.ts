import type { Knowledge } from '../../knowledge/knowledge.ts';
import { readParts } from '../read/read-parts.ts';
import { judgeQuestion } from '../run.ts';
import type { Claim } from './claim-parts.ts';
import { isDenied, says } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';
import { word } from './words.ts';

const runs =
  /\b(?:runs?|running|works?|working|starts?|loads?|executes?|can|will|use|used|usable|supports?|supported|compatible|enough|sufficient|suffices|does|too (?:old|new)|good enough|fine|ok|okay)\b/;
/** What is said is not only that it runs. */
const more =
  /\b(?:every|all|any|each|only|always|never|needs?|needed|requires?|required|must|has to|have to|at least|minimum|because|lets?|thanks|without|if|when|unless|until|after|before|instead|upgrad\w*|updat\w*|mov(?:e|ing)|switch\w*|from|to)\b/;

/** What is inside the program, and who made it. */
const contents =
  /-only\b|\bonly (?=sm|compute|ptx|sass|cubin|machine)|\bnothing but\b|\b(?:has|holds|contains|is) only\b|\bonly (?:has|holds|contains)\b|\bfrom (?:a |the )?(?=cuda|nvcc|toolkit|\d)|\bwithout (?:any )?(?=ptx|sass)/g;

/**
 * A statement that names the program, one driver and one GPU and says that it runs or not: the rules for questions know
 * all three at once. Null where it says something else, or where the rules do not decide.
 */
export function wholeClaim(text: string, claim: Claim, knowledge: Knowledge): ClaimVerdict | null {
  const { all, main, premise } = claim.text;
  const [phrase, ...others] = claim.drivers;
  if (premise !== '' || phrase?.reach !== 'exact' || others.length > 0 || claim.errors.length > 0) return null;
  if (!runs.test(main) || more.test(main.replace(contents, ' ')) || says(all, word.compat) || says(all, word.check))
    return null;
  const { draft, gpus } = readParts(text, knowledge, true);
  const program = draft.toolkit ?? draft.wheel ?? draft.binary;
  const gpu = draft.gpu ?? draft.computeCapability;
  if (program === undefined || draft.driver === undefined || gpu === undefined || gpus.length > 1) return null;
  if (draft.cudnn !== undefined || draft.nccl !== undefined || draft.image !== undefined) return null;
  const judgement = judgeQuestion(draft, knowledge);
  if (judgement.answer !== 'runs' && judgement.answer !== 'does-not-run') return null;
  const restsOn = [...new Set(judgement.clauses.flatMap((clause) => clause.restsOn))];
  return answer(truth(judgement.answer === 'runs', judgement.rule, judgement.message, restsOn), isDenied(main));
}
