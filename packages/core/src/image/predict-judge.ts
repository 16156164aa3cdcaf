// The judge's clauses for what an image runs, with the libcuda that it ends up with.
import { parseDriver, compareDriver } from '../versions/driver.ts';
import { forwardCompatSteps, compatOfDriver } from '../compat/forward-compat.ts';
import type { Gpu } from '../compat/gpu-name.ts';
import { gpuSupportStep } from '../compat/gpu-support.ts';
import { driverLabel } from '../compat/host-driver.ts';
import type { HostDriver } from '../compat/host-driver.ts';
import { merge, outcomeOf } from '../compat/outcome.ts';
import type { Outcome } from '../compat/outcome.ts';
import type { Question } from '../compat/question.ts';
import { ruleOf, stepsOf } from '../compat/run.ts';
import type { Situation } from '../compat/situations.ts';
import { holds, isOpen, toClause } from '../compat/step.ts';
import type { Step } from '../compat/step.ts';
import type { Tables } from '../compat/tables.ts';
import type { Prediction } from './model.ts';
import type { LibcudaCase } from './predict-cases.ts';
import type { Runnable } from './predict-programs.ts';

/** The part of a prediction that says whether the image runs. */
export type Ruling = Pick<
  Prediction,
  'answer' | 'rule' | 'errorSeen' | 'unknown' | 'message' | 'conditions' | 'needs' | 'clauses'
>;

/** What a ruling is about. */
export interface Asked {
  readonly question: Question;
  readonly gpu: Gpu | null;
  readonly driver: HostDriver | null;
  readonly tables: Tables;
  readonly runnables: readonly Runnable[];
  /** Clauses of the start: the requirement. */
  readonly start: readonly Step[];
}

/** A ruling by one cause, before any program is asked. */
export function ruled(
  answer: Ruling['answer'],
  rule: string,
  message: string,
  more: { readonly errorSeen?: string; readonly needs?: string; readonly unknown?: readonly string[] } = {},
): Ruling {
  return {
    answer,
    rule,
    message,
    errorSeen: more.errorSeen ?? null,
    needs: more.needs ?? null,
    unknown: more.unknown ?? [],
    conditions: [],
    clauses: [],
  };
}

/** Judges all that is to run with one libcuda. */
export function rulingOf(asked: Asked, libcuda: LibcudaCase): Ruling {
  const early = withoutDriver(asked, libcuda);
  if (early !== null) return early;
  const compat = libcuda.kind === 'compat' ? libcuda.compat : null;
  if (libcuda.kind === 'compat' && compat === null)
    return ruled('cannot-tell', 'forward-compat', 'the release of the compat library that is used is not known', {
      needs: 'a compat library whose release can be read',
      unknown: [`release of ${libcuda.path ?? 'the compat library'}`],
    });
  const steps = compat === null ? [] : compatSteps(asked, libcuda);
  const situation: Situation = { steps: [...asked.start, ...steps], compat, hint: libcuda.hint, name: null };
  const outcomes = asked.runnables.map((runnable) => ({ runnable, outcome: judged(runnable, situation, asked) }));
  const [first] = outcomes;
  if (first === undefined) return toRuling(nothingToRun(situation, asked));
  return toRuling(combined(outcomes));
}

/** A libcuda with which nothing runs, or of which nobody can say it. */
function withoutDriver(asked: Asked, libcuda: LibcudaCase): Ruling | null {
  const cpuOnly =
    asked.runnables.length > 0 && asked.runnables.every((each) => each.builds.every((build) => build.cpuOnly));
  if (cpuOnly) return null;
  if (libcuda.kind === 'none')
    return ruled(
      'does-not-run',
      'container-runtime/container-toolkit-not-configured',
      'no libcuda is found in the container: none is injected, and the image has none',
      {
        errorSeen: 'libcuda.so.1: cannot open shared object file',
        needs: 'a start that injects the driver: docker --gpus, the nvidia runtime, or CDI',
      },
    );
  if (libcuda.kind === 'stub')
    return ruled(
      'does-not-run',
      'host-os/libcuda-stub-on-path',
      `the loader finds the stub ${libcuda.path ?? ''} before the driver's libcuda`,
      {
        errorSeen: '34',
        needs: 'no folder with a stub of libcuda.so.1 on the search path',
      },
    );
  return libcuda.kind === 'baked' ? baked(asked, libcuda) : null;
}

/** A driver library of the image. Null: it is of the host's own release and works. */
function baked(asked: Asked, libcuda: LibcudaCase): Ruling | null {
  const rule = 'image/driver-files-baked-into-image';
  if (libcuda.path === null && libcuda.version === null)
    return ruled(
      'cannot-tell',
      'image-layers',
      'the layers were not read: whether the image has a libcuda of its own is not known',
      {
        needs: 'culprit image without --quick',
        unknown: ['libcuda of the image'],
      },
    );
  const inside = parseDriver(libcuda.version ?? '');
  const { driver, gpu, tables } = asked;
  const name = `${libcuda.path ?? 'a driver library of the image'}${libcuda.version === null ? '' : ` (${libcuda.version})`}`;
  if (inside === null || driver === null || driver.version.partial)
    return ruled(
      'cannot-tell',
      rule,
      `the loader finds ${name}; whether it pairs with the kernel module is not known`,
      {
        needs: 'an image without driver libraries',
        unknown: ['release of the driver library in the image, or of the host driver'],
      },
    );
  const order = compareDriver(inside, driver.version);
  if (order === 0) return null;
  const mismatch = ruled(
    'does-not-run',
    rule,
    `the loader finds ${name} of the image, the kernel module is ${driver.version.text}`,
    {
      errorSeen: '803',
      needs: 'an image without driver libraries',
    },
  );
  if (libcuda.regular)
    return ruled(
      'cannot-tell',
      rule,
      `the regular file ${name} stands where the driver's link belongs; what a program then sees was not confirmed`,
      {
        needs: 'an image without driver libraries',
        unknown: ['what happens at run time with a regular file libcuda.so.1'],
      },
    );
  const compat = order > 0 ? compatOfDriver(inside.text, tables) : null;
  if (compat === null) return mismatch;
  const refused = forwardCompatSteps(compat, gpu, driver, tables).some((step) => step.holds === false);
  return refused
    ? mismatch
    : ruled(
        'cannot-tell',
        rule,
        `the loader finds ${name} of the image, newer than ${driverLabel(driver)}: it may act as a compat library here`,
        {
          needs: 'an image without driver libraries',
          unknown: ['whether a baked-in library of a newer branch works on this base'],
        },
      );
}

/** May the library be used on this host? A base that only its own note lists was not confirmed by the published matrix. */
function compatSteps(asked: Asked, libcuda: LibcudaCase): readonly Step[] {
  const { driver, gpu, tables } = asked;
  const compat = libcuda.compat;
  if (compat === null) return [];
  if (driver === null) return [driverOpen('forward-compat')];
  const published = compat.package === null ? undefined : tables.matrix.get(compat.package);
  if (published === undefined || compat.note === null) return forwardCompatSteps(compat, gpu, driver, tables);
  const steps = forwardCompatSteps({ ...compat, note: null }, gpu, driver, tables);
  const branch = driver.branch?.branch;
  if (branch === undefined || !compat.note.includes(branch)) return steps;
  return steps.map((step, at) =>
    at === steps.length - 1 &&
    step.holds === false &&
    step.error === '803' &&
    !isOlder(compat.driver?.text ?? null, driver)
      ? isOpen(
          'forward-compat',
          `the compat library lists R${branch} itself, the published matrix does not`,
          ['cuda-forward-compat'],
          {
            as: 'cannot-tell',
            needs: 'a base of the published matrix',
            missing: `${compat.package ?? 'the compat library'} on R${branch}`,
          },
        )
      : step,
  );
}

function isOlder(version: string | null, driver: HostDriver): boolean {
  const inside = version === null ? null : parseDriver(version);
  return inside !== null && compareDriver(inside, driver.version) < 0;
}

function judged(runnable: Runnable, situation: Situation, asked: Asked): Outcome {
  const outcomes = runnable.builds.map((program) => {
    const setting = {
      question: asked.question,
      gpu: asked.gpu,
      driver: asked.driver,
      program,
      situation,
      tables: asked.tables,
    };
    return outcomeOf(stepsOf(setting), ruleOf(setting), runnable.builds.length > 1 ? program.label : null);
  });
  return merge(outcomes);
}

/** Nobody said which driver the node has. */
function driverOpen(rule: 'forward-compat' | 'minimum-driver'): Step {
  return isOpen(rule, 'the driver is not given', [], {
    as: 'cannot-tell',
    needs: 'the driver version: nvidia-smi --query-gpu=driver_version --format=csv,noheader',
    missing: 'driver version',
  });
}

function nothingToRun(situation: Situation, asked: Asked): Outcome {
  const support =
    asked.driver === null
      ? [driverOpen('minimum-driver')]
      : asked.gpu === null
        ? []
        : [gpuSupportStep(asked.gpu, asked.driver, asked.tables)];
  const nothing = holds('backward', 'nothing that was found in the image asks for a CUDA version', []);
  return outcomeOf(
    [...support, ...situation.steps, nothing],
    situation.compat === null ? 'backward' : 'forward-compat',
    null,
  );
}

interface Judged {
  readonly runnable: Runnable;
  readonly outcome: Outcome;
}

const badness = ['runs', 'runs-if', 'cannot-tell', 'does-not-run'] as const;

/**
 * One outcome for an image. What decides are its frameworks; code beside them that fails, and one of several libraries of
 * an image without framework, is a condition.
 */
function combined(all: readonly Judged[]): Outcome {
  const frames = all.filter((each) => each.runnable.as !== 'beside');
  const worst = (list: readonly Judged[]): Outcome =>
    list.reduce((a, b) => (badness.indexOf(b.outcome.answer) > badness.indexOf(a.outcome.answer) ? b : a), list[0]!)
      .outcome;
  const libraries = frames.length > 1 && frames.every((each) => each.runnable.as === 'code');
  const fine = frames.filter((each) => each.outcome.answer !== 'does-not-run');
  const deciding = libraries && fine.length > 0 ? fine : frames.length > 0 ? frames : all;
  const outcome = worst(deciding);
  const failing = all.filter((each) => !deciding.includes(each) && each.outcome.answer === 'does-not-run');
  const [side] = failing;
  const shown = failing.flatMap((each) => each.outcome.steps.filter((step) => step.holds === false));
  const steps = [...outcome.steps, ...shown.map((step) => ({ ...step, decides: false }))];
  if (side === undefined || outcome.answer === 'does-not-run' || outcome.answer === 'cannot-tell')
    return { ...outcome, steps };
  return {
    ...outcome,
    answer: 'runs-if',
    rule: side.outcome.rule,
    message: side.outcome.message,
    conditions: [...outcome.conditions, ...failing.map((each) => `${each.runnable.label} is not needed on this GPU`)],
    needs: outcome.needs ?? side.outcome.needs,
    steps,
  };
}

function toRuling(outcome: Outcome): Ruling {
  return {
    answer: outcome.answer,
    rule: outcome.rule,
    errorSeen: outcome.error,
    unknown: [...new Set(outcome.unknown)],
    message: outcome.message,
    conditions: [...new Set(outcome.conditions)],
    needs: outcome.needs,
    clauses: outcome.steps.map(toClause),
  };
}
