import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { Judgement } from '../judgement.ts';
import { formatCudaMinor } from '../../versions/cuda.ts';
import { driverLabel } from '../host-driver.ts';
import { tablesOf } from '../tables.ts';
import { readClaim } from './claim-parts.ts';
import type { Claim } from './claim-parts.ts';
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

/**
 * Judges a statement in a developer's words: true, false, depends, or cannot-tell where it is not understood or no
 * published fact decides. `because` names the rule or the reason.
 */
export function judgeClaim(text: string, knowledge: Knowledge): Judgement {
  const tables = tablesOf(knowledge);
  const claim = readClaim(text.replace(/^\s*claim:\s*/i, ''), tables);
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
