import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { Judgement } from '../judgement.ts';
import { formatCudaMinor } from '../../versions/cuda.ts';
import { driverLabel } from '../host-driver.ts';
import { tablesOf } from '../tables.ts';
import { readClaim } from './claim-parts.ts';
import type { Claim } from './claim-parts.ts';
import { joinedParts, putRight, withoutContrast } from './joined.ts';
import { plainForm } from './plain-form.ts';
import { saidOf } from './said-of.ts';
import { holdsTurn, unreadTurn } from './turns.ts';
import { codeClaim } from './topic-code.ts';
import { backwardClaim } from './topic-backward.ts';
import { forwardCompatClaim } from './topic-compat.ts';
import { modeClaim, requirementClaim } from './topic-container.ts';
import { errorClaim } from './topic-errors.ts';
import { cudnnClaim, ncclClaim } from './topic-library.ts';
import { ncclGateClaim } from './topic-nccl-gates.ts';
import { gpuDriverClaim, servesClaim } from './topic-driver.ts';
import { lifecycleClaim } from './topic-lifecycle.ts';
import { minorVersionClaim } from './topic-minor-version.ts';
import { moduleClaim } from './topic-module.ts';
import { pageClaim } from './topic-page.ts';
import { wholeClaim } from './topic-whole.ts';
import { runClaim } from './topic-run.ts';
import { upgradeClaim } from './topic-upgrade.ts';
import { wslClaim } from './topic-wsl.ts';
import { bundledClaim, hostToolkitClaim, nvccClaim, smiClaim, wheelBuildClaim } from './topic-stack.ts';
import { notUnderstood } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';

type Topic = (claim: Claim) => ClaimVerdict | null;

/** From the narrow to the wide: the first topic that understands the claim decides. */
const topics: readonly Topic[] = [
  errorClaim,
  wslClaim,
  ncclGateClaim,
  requirementClaim,
  modeClaim,
  moduleClaim,
  lifecycleClaim,
  forwardCompatClaim,
  upgradeClaim,
  bundledClaim,
  conclusionRuns,
  nvccClaim,
  smiClaim,
  hostToolkitClaim,
  minorVersionClaim,
  cudnnClaim,
  ncclClaim,
  codeClaim,
  wheelBuildClaim,
  servesClaim,
  gpuDriverClaim,
  runClaim,
  backwardClaim,
  pageClaim,
];

/** Says which parts were read, so that it is plain that what is said of them was not. */
function notUnderstoodOf(claim: Claim): ClaimVerdict {
  const parts = [
    ...claim.drivers.map(({ driver }) => driverLabel(driver)),
    ...claim.gpus.map((gpus) => gpus[0]?.printed ?? ''),
    ...claim.cudas.map((cuda) => `CUDA ${formatCudaMinor(cuda)}`),
    ...claim.wheels.map((wheel) => [wheel.name, wheel.version, wheel.variant].filter((one) => one !== null).join(' ')),
    ...claim.targets.map((target) => `${target.kind === 'sass' ? 'sm' : 'compute'}_${target.name}`),
    claim.compatPackage,
    claim.image,
  ].filter((part) => part !== null && part !== '');
  return parts.length === 0
    ? notUnderstood
    : {
        ...notUnderstood,
        message: `not understood: what the statement says of ${[...new Set(parts)].slice(0, 6).join(', ')}`,
      };
}

/** `nvidia-smi says CUDA 12.8, so our cu130 wheel can't run`: what is claimed is that something runs or not. */
function conclusionRuns(claim: Claim): ClaimVerdict | null {
  if (claim.text.premise === '' || claim.smiCuda === null || claim.wheels.length + claim.cudas.length === 0)
    return null;
  return /\b(?:runs?|works?|use|used|start|starts|crash|crashes|fail|fails|break|breaks)\b/.test(claim.text.main)
    ? runClaim(claim)
    : null;
}

/** The answer of the readers to one statement in plain words. */
function readStatement(text: string, knowledge: Knowledge): ClaimVerdict {
  const claim = readClaim(text, tablesOf(knowledge));
  let verdict: ClaimVerdict = notUnderstoodOf(claim);
  for (const topic of topics) {
    const found = topic(claim);
    if (found !== null) {
      verdict = found;
      break;
    }
  }
  // A topic knows a part of a whole combination; the rules for questions know all of it.
  if (verdict.answer !== 'depends') {
    const whole = wholeClaim(text, claim, knowledge);
    if (whole !== null && whole.answer !== verdict.answer) verdict = whole;
  }
  return verdict;
}

/** Most statements inside one another: `it is a myth that neither A nor B works`. */
const deepest = 3;

/**
 * The answer to a text: what it says of another statement is turned, several statements are answered one by one, and
 * an answer that does not rest on every word that turns the meaning is withdrawn.
 */
function readWhole(text: string, knowledge: Knowledge, depth: number): ClaimVerdict {
  if (depth < deepest) {
    const of = saidOf(text);
    if (of !== null) return turned(readWhole(of.statement, knowledge, depth + 1), of.denied);
  }
  const plain = plainForm(text);
  const right = depth < deepest ? putRight(plain) : null;
  if (right !== null) return readWhole(right, knowledge, depth + 1);
  const joined = depth < deepest ? joinedParts(plain) : null;
  if (joined !== null) {
    const read = joined.parts.map((part) => readWhole(part, knowledge, depth + 1));
    const found = joined.said === 'none' ? read.map((one) => turned(one, true)) : read;
    const sure = found.every((one) => one.answer !== 'cannot-tell');
    if (sure || (joined.loose !== true && found.some((one) => one.answer === 'false'))) return together(found);
    // What no part says by itself the parts can say together.
    if (joined.said === 'all') {
      const whole = gated(plain, knowledge);
      const plainly = found.every((one) => one.answer === 'cannot-tell') && !joined.parts.some(holdsTurn);
      if (plainly || whole.answer === 'cannot-tell' || joined.loose === true) return whole;
    }
    return unread(joined.parts[found.findIndex((one) => one.answer === 'cannot-tell')] ?? '');
  }
  const bare = withoutContrast(plain);
  if (bare !== null && depth < deepest) return readWhole(bare, knowledge, depth + 1);
  return gated(plain, knowledge);
}

/** The answer of the readers, if it rests on every word that turns the meaning. */
function gated(text: string, knowledge: Knowledge): ClaimVerdict {
  const verdict = readStatement(text, knowledge);
  const turn = unreadTurn(text, verdict.answer, (other) => readStatement(other, knowledge).answer);
  return turn === null ? verdict : unread(turn);
}

function turned(verdict: ClaimVerdict, denied: boolean): ClaimVerdict {
  if (!denied) return verdict;
  const { answer } = verdict;
  return { ...verdict, answer: answer === 'true' ? 'false' : answer === 'false' ? 'true' : answer };
}

/** All that is said has to hold; one part that does not is enough. */
function together(found: readonly ClaimVerdict[]): ClaimVerdict {
  return (
    found.find((one) => one.answer === 'false') ??
    found.find((one) => one.answer === 'depends') ??
    (found[0] as ClaimVerdict)
  );
}

/** The answer where a word or a part was not taken in. */
function unread(words: string): ClaimVerdict {
  return {
    ...notUnderstood,
    message: `not understood: what '${words.trim().slice(0, 80)}' does to the statement`,
    needs: 'the plain question: what is to run, on which driver and which GPU',
  };
}

/**
 * Judges a statement in a developer's words: true, false, depends, or cannot-tell where it is not understood or no
 * published fact decides. `because` names the rule or the reason.
 */
export function judgeClaim(text: string, knowledge: Knowledge): Judgement {
  const tables = tablesOf(knowledge);
  const verdict = readWhole(text.replace(/^\s*claim:\s*/i, ''), knowledge, 0);
  return {
    schema: 'culprit/judgement@1',
    answer: verdict.answer,
    rule: 'claim',
    because: verdict.because,
    message: verdict.message,
    conditions: [],
    clauses: [
      {
        rule: 'claim',
        holds: verdict.answer === 'true' ? true : verdict.answer === 'false' ? false : null,
        message: verdict.message,
        restsOn: verdict.restsOn,
      },
    ],
    errorSeen: null,
    needs: verdict.needs ?? null,
    unknown: verdict.answer === 'cannot-tell' ? ['what the statement is about'] : [],
    asOf: tables.asOf,
  };
}
