import { compareCudnn, formatCudnn, parseCudnn } from '../../versions/cudnn.ts';
import type { CudnnVersion } from '../../versions/cudnn.ts';
import { parseDriver } from '../../versions/driver.ts';
import { cudnnSteps } from '../cudnn.ts';
import { floorOf } from '../floors.ts';
import { ncclSteps } from '../nccl.ts';
import { parseCuda } from '../../versions/cuda.ts';
import { parseWheelVersion } from '../../versions/pep440.ts';
import { inRange } from '../wheel-lookup.ts';
import type { Claim, ClaimWheel } from './claim-parts.ts';
import { isDenied, isNegated, says } from './claim-text.ts';
import { answer, quantified, truth } from './verdict.ts';
import type { ClaimVerdict, Truth } from './verdict.ts';
import { word } from './words.ts';

/** Statements about cuDNN, its CUDA builds, GPUs and ABI. */
export function cudnnClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  if (!/\bcudnn\b/.test(all)) return null;
  const because = 'cudnn';
  const version = claim.cudnn === null ? null : parseCudnn(claim.cudnn);
  const other = claim.cudnnOther === null ? null : parseCudnn(claim.cudnnOther);
  if (/\bsub-?librar|\bsplit\b/.test(main))
    return answer(
      truth(true, because, 'cuDNN 9 is split into sub-libraries that must all be of one version', [
        'cudnn-release-notes',
      ]),
      isNegated(main),
    );
  const mixed = buildInProcess(claim, because);
  if (version === null) return mixed;
  const content = claim.wheels.find((wheel) => wheel.name !== 'torch');
  if (
    content !== undefined &&
    /\b(?:(?:is|are) (?:content|happy|satisfied|fine|ok|okay|good) with|gets? by with|makes? do with|accepts?|(?:is|are) (?:enough|sufficient|good enough|fine) for|suffices? for|works? with|runs? with|contents? itself with)\b/.test(
      main,
    )
  ) {
    const found = wantedCudnn(claim, content);
    if (found !== null && other === null) {
      const enough = found.major === version.major && (version.minor ?? 99) >= (found.minor ?? 0);
      return answer(
        truth(enough, because, `${content.name} wants cuDNN ${formatCudnn(found)} or newer of that major`, [
          'tensorflow-tested-builds',
          'jax-installation',
        ]),
        isNegated(main),
      );
    }
  }
  const wanting = claim.wheels.find((wheel) => wheel.name !== 'torch');
  if (wanting !== undefined && /\b(?:needs?|requires?|wants?|looks for|expects?|minimum|at least)\b/.test(main)) {
    const found = wantedCudnn(claim, wanting);
    if (found !== null) {
      const same = found.major === version.major && (version.minor === null || found.minor === version.minor);
      return answer(
        truth(same, because, `${wanting.name} is built with cuDNN ${formatCudnn(found)}`, [
          'tensorflow-tested-builds',
          'jax-installation',
        ]),
        isNegated(main),
      );
    }
  }
  const project = claim.wheels.find((wheel) => wheel.version !== null && wheel.name !== 'torch');
  if (project?.version != null && other === null) {
    const t = stepTruth(
      cudnnSteps(
        {
          library: { version: claim.cudnn ?? '' },
          process: null,
          gpu: null,
          driver: null,
          wheel: { name: project.name, version: project.version },
        },
        claim.tables,
      ),
    );
    if (t !== null) return answer(t, isDenied(main));
  }
  const ended = /\b(?:drops?|dropped|removed|ended|ends?|lost|no longer|stopped?)\b/.test(main)
    ? /\b(?:with|in|from|since|at|by|as of) (?:version )?v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)\b/.exec(main)?.[1]
    : undefined;
  if (ended !== undefined && claim.cudas[0] !== undefined) {
    const major = claim.cudas[0].major;
    const lacks = (one: string): boolean | null =>
      stepTruth(
        cudnnSteps(
          {
            library: { version: one, build: `cu${major}` },
            process: parseCuda(`${major}.8`),
            gpu: null,
            driver: null,
            wheel: null,
          },
          claim.tables,
        ),
      )?.is === false;
    const before = [...claim.tables.cudnnReleases.keys()]
      .filter(
        (one) =>
          compareCudnn(parseCudnn(one) as CudnnVersion, parseCudnn(ended) as CudnnVersion) < 0 &&
          parseCudnn(one)?.major === parseCudnn(ended)?.major,
      )
      .sort((a, b) => compareCudnn(parseCudnn(a) as CudnnVersion, parseCudnn(b) as CudnnVersion))
      .at(-1);
    const is = lacks(ended) === true && before !== undefined && lacks(before) === false;
    return answer(
      truth(is, because, `CUDA ${major} builds of cuDNN end with the release before they are missed`, [
        'pypi-cudnn-cu11',
      ]),
      isNegated(main.replace(/\bno longer\b/g, ' ')),
    );
  }
  // A program of one major with a library of the other.
  if (
    other !== null &&
    version.major !== other.major &&
    /\b(?:built|compiled|linked|for|against|program|loads?|load|works?|runs?|replace|compatible|instead|drop-in|use|uses|abi|same)\b/.test(
      main,
    )
  ) {
    return answer(
      truth(false, because, 'cuDNN 8 and 9 have different sonames and are not ABI compatible', ['onnxruntime-cuda']),
      isNegated(main) || /\bdiffer(?:s|ent)?\b|\bincompatible\b/.test(main),
    );
  }
  if (
    other !== null &&
    version.major === other.major &&
    /\b(?:built|compiled|against|program|newer|older|loads?)\b/.test(main)
  ) {
    const built = /\bbuilt\b|\bcompiled\b|\bagainst\b/.test(all);
    const [first, second] = [version, other];
    const loadedIsNewer = built ? compareCudnn(second, first) >= 0 : null;
    if (loadedIsNewer !== null)
      return answer(
        truth(loadedIsNewer, because, 'inside a major a program runs with a newer library, not with an older one', [
          'jax-installation',
        ]),
        isNegated(main),
      );
  }
  const gpus = claim.gpus.flat();
  if (gpus.length > 0 && claim.cudas.length === 0) {
    const truths = gpus.map((gpu) =>
      spread(version, claim, (one) =>
        stepTruth(
          cudnnSteps(
            { library: { version: one, build: 'cu12' }, process: null, gpu, driver: null, wheel: null },
            claim.tables,
          ),
        ),
      ),
    );
    const t = agreed(truths);
    return t === null
      ? null
      : answer(
          quantified(t, main, isDenied(main)),
          isDenied(main) !== /\b(?:drops?|dropped|removed|lost|ended)\b/.test(main),
        );
  }
  const cudas = claim.cudas.length > 0 ? claim.cudas : claim.builds.map((major) => ({ major }));
  const [cuda] = cudas;
  if (cuda === undefined) return null;
  const supportFor = (major: number): Truth | null =>
    spread(version, claim, (one) =>
      stepTruth(
        cudnnSteps(
          {
            library: { version: one, build: `cu${major}` },
            process: { major, minor: major === 11 ? 8 : 0, patch: null },
            gpu: null,
            driver: null,
            wheel: null,
          },
          claim.tables,
        ),
      ),
    );
  const majors = cudas.map((one) => one.major);
  const need =
    /\b(?:needs?|requires?|required|must|only|at least|minimum|has to|have to|mandatory|demands?|exclusively)\b/.test(
      main,
    ) && !/\b(?:can|may|also|either|both)\b/.test(main);
  if (need) {
    const exclusive = says(main, word.only) && !/\bor (?:newer|later|above|higher)\b/.test(main);
    const older = supportFor(cuda.major - 1);
    const newer = supportFor(cuda.major + 1);
    if (older === null) return null;
    const olderWorks = older.is === true || older.is === 'depends';
    const newerWorks = exclusive && newer !== null && newer.is !== false;
    const message = olderWorks
      ? `cuDNN ${claim.cudnn ?? ''} also has CUDA ${cuda.major - 1} builds${older.is === 'depends' ? ' up to some release' : ''}`
      : newerWorks
        ? `it has CUDA ${cuda.major + 1} builds as well`
        : `cuDNN ${claim.cudnn ?? ''} has no CUDA ${cuda.major - 1} build`;
    return answer(truth(!olderWorks && !newerWorks, because, message, older.restsOn), isNegated(main));
  }
  const t = agreed([...new Set(majors)].map((major) => supportFor(major)));
  if (t === null) return null;
  const partly = t.is === 'depends' && /\b(?:some|up to|until|partly|early|still)\b/.test(main);
  return answer(
    partly ? { ...t, is: true } : quantified(t, main, isDenied(main)),
    isDenied(main) !== /\b(?:drops?|dropped|removed|ended|lost)\b/.test(main),
  );
}

/** A short version such as `9` stands for its releases: all, none or some of them. */
function spread(version: CudnnVersion, claim: Claim, ask: (version: string) => Truth | null): Truth | null {
  const releases = [...claim.tables.cudnnReleases.values()].filter((row) => {
    const one = parseCudnn(row.version);
    return (
      one !== null &&
      one.major === version.major &&
      (version.minor === null || one.minor === version.minor) &&
      (version.patch === null || one.patch === version.patch)
    );
  });
  if (version.minor !== null && releases.length === 0) return ask(claim.cudnn ?? '');
  const truths = releases.map((row) => ask(row.version)).filter((one) => one !== null);
  const [first] = truths;
  if (first === undefined) return null;
  return truths.every((one) => one.is === first.is)
    ? first
    : {
        ...first,
        is: 'depends',
        message: `it depends on the release of cuDNN ${version.major}`,
        needs: 'the full cuDNN version',
      };
}

function stepTruth(steps: ReturnType<typeof cudnnSteps>): Truth | null {
  const failed = steps.find((step) => step.holds === false);
  if (failed !== undefined) return truth(false, failed.rule, failed.message, failed.restsOn);
  const open = steps.find((step) => step.holds === null && step.open?.as === 'cannot-tell');
  if (open !== undefined) return null;
  const last = steps.at(-1);
  return last === undefined ? null : truth(true, last.rule, last.message, last.restsOn);
}

function agreed(truths: readonly (Truth | null)[]): Truth | null {
  const [first] = truths;
  if (first == null || truths.some((one) => one === null)) return null;
  return truths.every((one) => one?.is === first.is) ? first : { ...first, is: 'depends' };
}

/** `a build for CUDA 12 works in a CUDA 13 process`, without a release. */
function buildInProcess(claim: Claim, because: string): ClaimVerdict | null {
  const [build] = claim.builds;
  const process = claim.cudas.find((one) => one.major !== build) ?? claim.cudas[0];
  if (build === undefined || process === undefined) return null;
  return answer(
    truth(build === process.major, because, 'a build belongs to one CUDA major, that of the process', [
      'cudnn-matrix-9-17-0',
      'nccl-source',
    ]),
    isDenied(claim.text.main),
  );
}

/** Statements about NCCL. */
export function ncclClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  if (!/(?:\b|lib)nccl/.test(all)) return null;
  const because = 'nccl';
  const restsOn = ['nccl-source'];
  const two =
    /\bnccl v?\d[\d.]{2,8}[^.;]{0,40}?(?:\b(?:and|with|vs|against|on one)\b|,|\/)[^;]{0,40}?(?<![\d.])2\.\d{1,2}(?:\.\d{1,2})?\b/.test(
      all,
    );
  if (two && /\b(?:mix(?:ed|ing)?|different|differs?|both|ranks?|nodes?|hosts?|other|together|across)\b/.test(all)) {
    const worse = /\b(?:problem|hangs?|error|fails?|trouble|break|not|wrong|bad)\b/.test(
      main.replace(/\b(?:without|no) (?:any |a )?(?:problems?|trouble|errors?|issues?|hangs?|harm)\b/g, ' '),
    );
    return answer(truth(false, because, 'every rank of a job should load the same NCCL version', restsOn), worse);
  }
  if (
    /\b(?:every|all|each)\b[^,;]{0,20}\branks?\b|\bsame (?:nccl )?version\b|\bmix(?:ed|ing)?\b.{0,30}\bversions?\b|\bdifferent (?:nccl )?versions?\b/.test(
      main,
    )
  ) {
    const same = /\bsame\b|\bidentical\b|\bone version\b/.test(main);
    return answer(
      truth(same, because, 'every rank of a job should load the same NCCL version', restsOn),
      isNegated(main) || (!same && /\b(?:problem|hang|error|fail|trouble|not)\b/.test(main)),
    );
  }
  if (
    /\bdriver\b/.test(main) &&
    /\b(?:own|minimum|floor|requirement|needs?|requires?)\b/.test(main) &&
    claim.nccl === null &&
    claim.drivers.length === 0 &&
    claim.cudas.every((one) => one.minor === null)
  ) {
    return answer(
      truth(false, because, 'NCCL has no driver floor of its own: that of the CUDA major of its build applies', [
        ...restsOn,
        'cuda-minor-version-compat',
      ]),
      isNegated(main),
    );
  }
  const [driverNamed] = claim.drivers;
  if (
    driverNamed !== undefined &&
    claim.nccl === null &&
    /\b(?:needs?|requires?|demands?|must|at least|minimum)\b/.test(main)
  ) {
    const major = claim.builds[0] ?? claim.cudas[0]?.major;
    const floor = major === undefined ? null : floorOf({ major, minor: 0, patch: null }, false, claim.tables);
    const least = floor === null ? null : parseDriver(floor.driver);
    const is = least !== null && least.branch === driverNamed.driver.version.branch;
    return answer(
      truth(is, because, 'NCCL has no driver floor of its own: that of the CUDA major of its build applies', restsOn),
      isNegated(main),
    );
  }
  const process = claim.cudas.find((one) => !claim.builds.includes(one.major)) ?? claim.cudas[0];
  const [build] = claim.builds;
  if (build !== undefined && process !== undefined) {
    const version = claim.nccl ?? '2.28.9';
    const t = stepTruth(
      ncclSteps(
        {
          library: { version, build: `cu${build}` },
          process,
          gpu: null,
          driver: claim.drivers[0]?.driver ?? null,
          nvswitch: undefined,
        },
        claim.tables,
      ),
    );
    return t === null ? null : answer(t, isNegated(main));
  }
  if (/\bcuda major\b|\bmajors?\b/.test(main)) {
    const matches =
      /\b(?:match|same|belongs?|must|fit|within)\b/.test(main) && !/\bcross|\bacross|\bany\b|\bdifferent\b/.test(main);
    return answer(truth(matches, because, 'an NCCL build belongs to one CUDA major', restsOn), isNegated(main));
  }
  const nvls = /\bnvls\b|\bnvlink sharp\b|\binvalid argument\b/.test(all);
  if (nvls && claim.nccl !== null) {
    const [phrase] = claim.drivers;
    const driver = phrase?.driver ?? null;
    const steps = ncclSteps(
      {
        library: { version: claim.nccl, build: 'cu12' },
        process: { major: 12, minor: 6, patch: null },
        gpu: claim.gpus[0]?.[0] ?? null,
        driver,
        nvswitch: true,
      },
      claim.tables,
    );
    const bug = steps.some((step) => step.error !== undefined && step.holds === null);
    return answer(
      truth(
        bug,
        because,
        bug ? 'a known fault of this release on this driver' : 'no such fault is known for this pair',
        ['pytorch-150852'],
      ),
      isNegated(main),
    );
  }
  const [phrase] = claim.drivers;
  if (claim.nccl !== null && phrase !== undefined && process !== undefined) {
    const t = stepTruth(
      ncclSteps(
        {
          library: { version: claim.nccl, build: `cu${process.major}` },
          process,
          gpu: null,
          driver: phrase.driver,
          nvswitch: false,
        },
        claim.tables,
      ),
    );
    return t === null ? null : answer(t, isNegated(main));
  }
  if (/\bnewer\b/.test(main) && /\bolder (?:cuda|toolkit)/.test(main))
    return answer(
      truth(true, because, 'a newer NCCL works with older toolkits of the same CUDA major', restsOn),
      isNegated(main),
    );
  return null;
}

/** The cuDNN that a project's build asks for. */
function wantedCudnn(claim: Claim, wheel: ClaimWheel): CudnnVersion | null {
  const version = wheel.version === null ? null : parseWheelVersion(wheel.version);
  const rows = claim.tables.projects.get(wheel.name) ?? [];
  const row = rows.find(
    (one) =>
      one.cudnn !== null &&
      (version === null || inRange(version, one.range)) &&
      (wheel.variant === null ? version !== null : one.variant === wheel.variant || one.variant === null),
  );
  return row?.cudnn?.from == null ? null : parseCudnn(row.cudnn.from);
}
