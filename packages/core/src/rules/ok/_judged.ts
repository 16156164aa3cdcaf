import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { judge } from '../../compat/judge.ts';
import type { Judgement } from '../../compat/judgement.ts';
import type { Question } from '../../compat/question.ts';
import { readParts } from '../../compat/read/read-parts.ts';
import { parseCuda } from '../../versions/cuda.ts';
import { printed, quiet } from './_healthy.ts';

/** A combination that the text shows or claims, judged by the published rules. */
export interface Judged {
  readonly judgement: Judgement;
  readonly seen: Fact['seen'];
}

/** Driver release that stands for "a driver that serves CUDA X": the first release of its branch that is a floor. */
function driverServing(cuda: string, context: RuleContext): string | undefined {
  const branch = context.knowledge.branches.find((row) => row.cuda === cuda);
  const floor = context.knowledge.minorVersion.find((row) => String(row.major) === cuda.split('.')[0]);
  if (branch === undefined) return undefined;
  const lowest = floor?.minDriverLinux ?? null;
  return lowest !== null && lowest.startsWith(`${branch.branch}.`) ? lowest : (branch.lastKnown ?? undefined);
}

/** What the facts of the text say of driver, build and GPU, as a question; null where one of them is missing. */
function shown(context: RuleContext): { readonly question: Question; readonly seen: Fact['seen'] } | null {
  const driver = printed(context, 'driver.version') ?? printed(context, 'driver.module');
  const cuda = printed(context, 'torch.cuda') ?? printed(context, 'toolkit.runtime');
  if (driver === undefined || cuda === undefined || cuda.value === null || !quiet(context)) return null;
  if (context.all('torch.cuda-available').some((fact) => !fact.value)) return null;
  const platform = context.first('os.platform')?.value;
  // Jetson and WSL number their drivers in their own way.
  if (platform === 'jetson' || platform === 'wsl') return null;
  const gpu = printed(context, 'gpu.name');
  return {
    question: {
      driver: driver.value,
      toolkit: cuda.value,
      ...(gpu === undefined ? {} : { gpu: gpu.value }),
      ...(platform === 'windows' ? { os: 'windows' as const } : {}),
    },
    seen: [...driver.seen.slice(0, 1), ...cuda.seen.slice(0, 1)],
  };
}

/** What a claim says of driver and build, as a question. */
function claimed(context: RuleContext): { readonly question: Question; readonly seen: Fact['seen'] } | null {
  const claim = context.first('claim');
  if (claim === undefined || !quiet(context)) return null;
  const { draft } = readParts(claim.value, context.knowledge);
  const served =
    /\b(?:machine|host|node|server|box|driver|system|cluster)s? (?:has|have|is|with|runs?|serves?|supports?|reports?|shows?|on) (?:at most |only |up to )?CUDA (\d{1,2}\.\d)\b/i.exec(
      claim.value,
    )?.[1];
  const driver =
    draft.driver ?? (served === undefined || parseCuda(served) === null ? undefined : driverServing(served, context));
  if (driver === undefined || (draft.wheel === undefined && draft.toolkit === undefined && draft.image === undefined))
    return null;
  // The CUDA that the machine serves is not the CUDA that the program was built with.
  const { toolkit, ...rest } = draft;
  const question: Question = { ...rest, driver, ...(toolkit === undefined || toolkit === served ? {} : { toolkit }) };
  return { question, seen: claim.seen };
}

const complaint =
  /\b(?:not|cannot|can'?t|won'?t|never|no|unable|broken|inconsistent|wrong|fails?|impossible|incompatible|mismatch)\b/i;

/** A claim that something works and is true, or that something cannot work and is false, by the published rules. */
function saidRightly(context: RuleContext): Judged | null {
  const claim = context.first('claim');
  if (claim === undefined || !quiet(context)) return null;
  const judgement = judge({ claim: claim.value }, context.knowledge);
  const works = complaint.test(claim.value) ? judgement.answer === 'false' : judgement.answer === 'true';
  const rules = [
    'backward',
    'minor-version',
    'ptx-jit',
    'binary-arch',
    'nvcc-is-not-runtime',
    'reading-nvidia-smi',
    'bundled-libraries',
    'host-needs-driver-only',
  ];
  if (!works || judgement.because === undefined || !rules.includes(judgement.because)) return null;
  return {
    judgement: { ...judgement, rule: judgement.because === 'minor-version' ? 'minor-version' : 'backward' },
    seen: claim.seen,
  };
}

/** The clause that was used says more than what is left open. */
function plain(judgement: Judgement): Judgement {
  const used = judgement.clauses.find((clause) => clause.rule === judgement.rule && clause.holds === true);
  return used === undefined ? judgement : { ...judgement, message: used.message };
}

/** The combination of a text and its judgement; null where the text shows none. */
export function judged(context: RuleContext): Judged | null {
  for (const found of [shown(context), claimed(context)]) {
    if (found === null) continue;
    const judgement = judge(found.question, context.knowledge);
    if (judgement.answer === 'runs' || judgement.answer === 'runs-if')
      return { judgement: plain(judgement), seen: found.seen };
    // Where only the GPU is not named, the rule of the driver is answered all the same.
    const served = judgement.clauses.find(
      (clause) => (clause.rule === 'minor-version' || clause.rule === 'backward') && clause.holds === true,
    );
    if (
      judgement.answer === 'cannot-tell' &&
      served !== undefined &&
      judgement.clauses.every((clause) => clause.holds !== false || clause.rule === 'backward')
    ) {
      return { judgement: { ...judgement, rule: served.rule, message: served.message }, seen: found.seen };
    }
  }
  return saidRightly(context);
}
