import { compareCudaMinor, formatCudaMinor } from '../../versions/cuda.ts';
import { driverAtLeast, parseDriver } from '../../versions/driver.ts';
import type { ArchitectureRow } from '../../knowledge/architectures.types.ts';
import type { CudaRange } from '../cuda-range.ts';
import type { Gpu } from '../gpu-name.ts';
import { capabilityText, gpuLabel } from '../gpu-name.ts';
import { driverLabel, hostDriver } from '../host-driver.ts';
import type { HostDriver } from '../host-driver.ts';
import { imageContent } from '../image-lookup.ts';
import { codeForGpu, cudaSubject, driversIn, drivesAll, runsOnDriver, subjectFloor, wheelSubject } from './can-run.ts';
import type { Subject } from './can-run.ts';
import type { Claim, ClaimDriver } from './claim-parts.ts';
import { isDenied, isNegated, says } from './claim-text.ts';
import { answer, quantified, truth } from './verdict.ts';
import type { ClaimVerdict, Truth } from './verdict.ts';
import { word } from './words.ts';

/** What the claim says is to run: a wheel, an image, or a CUDA version. */
export function subjectOf(claim: Claim): Subject | null {
  const [wheel] = claim.wheels;
  if (wheel !== undefined && (wheel.variant !== null || wheel.version !== null)) {
    const variant = wheel.variant ?? (says(claim.text.all, /\b(?:pip|pypi|default)\b/) ? 'pypi' : null);
    const subject = wheelSubject({ ...wheel, variant }, claim.tables);
    if (subject !== null) return subject;
  }
  if (claim.image !== null) {
    const [program] = imageContent({ image: claim.image }, claim.tables).programs;
    if (program?.cuda != null) return { label: claim.image, cuda: program.cuda, programs: [] };
  }
  // What the driver serves stands in the premise: `565 serves 12.7, so 12.8 is refused`.
  const { main, premise } = claim.text;
  const claimed =
    premise === '' ? undefined : claim.cudas.find((one) => one.minor !== null && main.includes(formatCudaMinor(one)));
  const cuda = claimed ?? claim.cudas[0] ?? claim.torchCuda ?? claim.nvccCuda;
  return cuda == null ? null : cudaSubject(cuda, claim.tables);
}

/** The driver behind `nvidia-smi says CUDA 12.8`. */
function smiDriver(claim: Claim): HostDriver | null {
  const cuda = claim.smiCuda;
  if (cuda === null) return null;
  for (const row of claim.tables.branches.values()) {
    if (row.cuda === formatCudaMinor(cuda)) return hostDriver(String(row.branch), false, claim.tables);
  }
  return null;
}

/** Every GPU that the claim names, flat. */
function gpusOf(claim: Claim): readonly Gpu[] {
  const named = claim.gpus.flat();
  if (named.length > 0 || !says(claim.text.all, word.geforce)) return named;
  const row = [...claim.tables.gpus.byName.values()].find(
    (one) => one.class === 'geforce' && one.computeCapability === '8.9',
  );
  const architecture = claim.tables.architectures.get(89) ?? null;
  return row === undefined
    ? []
    : [
        {
          name: 'GeForce',
          printed: 'GeForce',
          sm: 89,
          architecture: architecture?.architecture ?? null,
          row: architecture,
          class: 'geforce',
          confirmed: true,
        },
      ];
}

/** `X runs on Y`, `X can not run on Y`, `no X runs on drivers older than Y`, `X runs only on Y or newer`. */
export function runClaim(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const beyond = newerThan(claim);
  if (beyond !== null) return beyond;
  if (
    /\bnot compiled with cuda\b|\bcpu[- ](?:only )?(?:build|wheel|version|torch)\b|\+cpu\b|\bbuilt without cuda\b/.test(
      claim.text.all,
    )
  )
    return cpuClaim(claim);
  const subject = subjectOf(claim);
  const [wheel] = claim.wheels;
  if (wheel?.variant === 'cpu') return cpuClaim(claim);
  const smi = smiDriver(claim);
  const phrase: ClaimDriver | undefined =
    claim.drivers[0] ?? (smi === null ? undefined : { driver: smi, reach: 'exact' });
  const gpus = gpusOf(claim);
  if (subject !== null && phrase !== undefined) {
    // `the wheel needs an upgrade of the driver`: as it is, it does not run.
    if (
      phrase.reach === 'exact' &&
      /\b(?:needs?|requires?|demands?)\b[^,;]{0,12}\b(?:upgrade|update|newer drivers?)\b/.test(main)
    ) {
      return onDriver(subject, phrase.driver, gpus, claim, !isNegated(main));
    }
    if (
      /\b(?:minimum|floor|requirements?|needs?)\b[^,;]{0,40}\b(?:is|are|was|were) (?:not |already )?(?:met|reached|satisfied|fulfilled|ok|fine)\b/.test(
        main,
      )
    )
      return onDriver(subject, phrase.driver, gpus, claim, isNegated(main));
    // `is below the floor`, `meets the minimum`: the driver alone is spoken of.
    if (phrase.reach === 'exact' && toFloor.test(main)) {
      const below =
        /\b(?:below|under|short of|lower than|misses|(?:fails|can not|does not|do not) (?:to )?(?:reach|meet|satisfy))\b/.test(
          main,
        );
      const runs = runsOnDriver(subject, phrase.driver, gpus, claim.tables);
      const negated = isNegated(main.replace(/\b(?:can not|does not|do not|fails to) (?=reach|meet|satisfy)/g, ' '));
      return runs === null ? null : answer(withoutCompat(runs), negated !== below);
    }
    if (isNeed(claim, phrase)) return needClaim(subject, phrase, claim);
    if (
      !says(main, word.run) &&
      !says(main, word.can) &&
      !/\b(?:too (?:old|new)|new enough|good enough|will do|does the job|satisf(?:y|ies)|meets?|fulfils?|refused|rejected|refuses|rejects|takes?|breaks?|fails?|stops?|crash(?:es)?)\b/.test(
        main,
      )
    )
      return null;
    return onDrivers(subject, phrase, gpus, claim);
  }
  if (subject !== null && gpus.length > 0 && subject.programs.length > 0) {
    const code = allOf(gpus.map((gpu) => codeForGpu(subject, gpu, claim.tables)));
    if (/\b209\b|\bno kernel image\b/.test(main)) {
      const said = main.replace(/\b(?:with |because of |error )*(?:209|no kernel image)\b[^,;]{0,20}/g, ' ');
      return code === null ? null : answer(code, !isNegated(said));
    }
    const denies = isDenied(main) || says(main, /\b(?:drops?|dropped|lost|loses|lacks?|misses|missing|ended)\b/);
    return code === null ? null : answer(quantified(code, main, denies), denies);
  }
  if (subject !== null && gpus.length > 0) return toolkitOnGpu(subject, gpus, claim);
  return null;
}

const toFloor =
  /\b(?:below|under|short of|lower than|misses|meets?|satisf(?:y|ies)|reach(?:es)?|exceeds?|above|over|fulfils?)\b[^,;]{0,12}\b(?:floor|minimum|requirements?)\b/;

/** `nothing newer than 12.2 can run there`: the next minor of the major stands for all of them. */
function newerThan(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const match =
    /\b(?:newer|later|higher|above|beyond|more recent)(?: cuda)?(?: versions?)? (?:than )?(?:cuda )?(\d{1,2})\.(\d{1,2})\b/.exec(
      main,
    );
  const driver = claim.drivers[0]?.driver ?? smiDriver(claim);
  const limit =
    /\b(?:limited|restricted|stuck|capped|confined|tied|bound|(?:can|could|may) only (?:use|run)|(?:can|could|may) not (?:use|run|go|get) (?:anything )?(?:beyond|above|past|over|higher than|newer than|more than))\b(?: (?:to|at|with|on|by))? (?:cuda )?(\d{1,2})\.(\d{1,2})\b/.exec(
      main,
    );
  if (limit !== null && driver != null) {
    const next = { major: Number(limit[1]), minor: Number(limit[2]) + 1, patch: null };
    const beyond = claim.tables.newestMinor.get(next.major);
    const runs =
      beyond === undefined || next.minor > beyond
        ? null
        : runsOnDriver(cudaSubject(next, claim.tables), driver, gpusOf(claim), claim.tables);
    if (runs !== null) return answer(runs, true);
  }
  if (match === null || driver === null || driver === undefined) return null;
  const next = cudaSubject({ major: Number(match[1]), minor: Number(match[2]) + 1, patch: null }, claim.tables);
  const runs = runsOnDriver(next, driver, gpusOf(claim), claim.tables);
  if (runs === null) return null;
  return answer(runs, isDenied(main));
}

function cpuClaim(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const t = truth(
    false,
    'cpu-only',
    'a CPU build has no CUDA inside: no driver and no toolkit on the node makes it use the GPU',
    ['pytorch-release-matrix'],
  );
  const text = main.replace(/\btorch not compiled with cuda enabled\b|\bnot compiled with cuda\b/g, ' it ');
  if (says(text, /\b(?:driver|upgrad|toolkit|gpu|cuda|fix|help|run|use)/)) return answer(t, isNegated(text));
  return null;
}

function allOf(truths: readonly (Truth | null)[]): Truth | null {
  const [first] = truths;
  if (first == null || truths.some((one) => one === null)) return null;
  return truths.every((one) => one?.is === first.is) ? first : { ...first, is: 'depends', needs: 'the GPU model' };
}

/** The claim is about the least driver, not about one driver. */
function isNeed(claim: Claim, phrase: ClaimDriver): boolean {
  const { main } = claim.text;
  if (phrase.reach === 'older' || phrase.reach === 'up-to') return false;
  if (
    /\b(?:needs?|needed|requires?|required|must be|has to be|have to be|should be|must have|has to have|have to have|demands?|asks for|wants?|minimum|at least|floor|lowest|oldest)\b/.test(
      main,
    )
  )
    return true;
  return says(main, word.only) && (phrase.reach === 'from' || phrase.reach === 'newer');
}

/** `CUDA 12.8 needs driver 570`: true only if that is the lowest driver that runs it. */
export function needClaim(subject: Subject, phrase: ClaimDriver, claim: Claim): ClaimVerdict | null {
  const floor = subjectFloor(subject, claim.tables, claim.windows);
  const named = phrase.driver.version;
  const least = floor === null ? null : parseDriver(floor.driver);
  if (floor === null || least === null) return null;
  const denies = isNegated(claim.text.main);
  // `nobody needs more than 525.60.13`: whether the floor lies above it.
  if (
    /\b(?:more|newer|higher|later|anything (?:above|over|beyond)|beyond|above) (?:than )?(?:\w+ ){0,3}r?\d{3}/.test(
      claim.text.main,
    )
  ) {
    const above =
      named.branch < least.branch || (named.branch === least.branch && driverAtLeast(named, least) === false);
    return answer(
      truth(
        above,
        floor.perMajor && !above ? 'minor-version' : 'minimum-driver',
        `${subject.label} runs from driver ${floor.driver} on`,
        floor.restsOn,
      ),
      denies,
    );
  }
  const same =
    named.partial || least.partial
      ? named.branch === least.branch
      : driverAtLeast(named, least) === true && driverAtLeast(least, named) === true;
  if (same)
    return answer(
      truth(true, 'minimum-driver', `${subject.label} runs from driver ${floor.driver} on`, floor.restsOn),
      denies,
    );
  const higher = named.branch > least.branch || driverAtLeast(named, least) === true;
  const because = higher && floor.perMajor ? 'minor-version' : 'minimum-driver';
  const message = higher
    ? `${subject.label} runs from driver ${floor.driver} on; a newer one came with the toolkit, it is not needed`
    : `${subject.label} needs driver ${floor.driver} or newer: ${driverLabel(phrase.driver)} is too old`;
  return answer(truth(false, because, message, floor.restsOn), denies);
}

function onDrivers(subject: Subject, phrase: ClaimDriver, gpus: readonly Gpu[], claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const tables = claim.tables;
  const nobody = /\b(?:no|none of the|not a single|not any|never)\b/.test(main) && phrase.reach !== 'exact';
  const drivers = driversIn(phrase, tables);
  const truths = drivers
    .map((driver) => withGpu(subject, driver, gpus, claim))
    .filter((one) => one !== null)
    .map((one) => (isAlone(claim) ? withoutCompat(one) : one));
  const [first] = truths;
  if (first === undefined) return null;
  const runs = truths.find((one) => one.is === true);
  const fails = truths.find((one) => one.is === false);
  const open = truths.find((one) => one.is === 'depends');
  const denies = isDenied(main);
  if (phrase.reach === 'exact') return onDriver(subject, phrase.driver, gpus, claim, denies);
  if (nobody || denies) {
    // `No X runs below Y`: one driver that runs it is enough to be wrong.
    if (runs !== undefined) return answer(runs, true);
    return open === undefined ? answer({ ...first, is: false }, true) : answer(open, true);
  }
  // `any 525+ driver`: only the first builds of the branch that is named lie below the floor.
  const floor = subjectFloor(subject, tables, claim.windows);
  if (
    fails !== undefined &&
    runs !== undefined &&
    phrase.driver.version.partial &&
    floor !== null &&
    parseDriver(floor.driver)?.branch === phrase.driver.version.branch
  )
    return answer({ ...fails, is: 'depends', needs: 'the full driver version' }, false);
  if (fails !== undefined)
    return answer(
      runs === undefined || says(main, word.every) || phrase.reach === 'from' || phrase.reach === 'newer'
        ? fails
        : { ...fails, is: 'depends', needs: 'the full driver version' },
      false,
    );
  const universal =
    /\b(?:any|every|all|each)\b[^,;]{0,30}\b(?:programs?|containers?|applications?|images?|builds?|wheels?|binar(?:y|ies)|code)\b/.test(
      main,
    );
  const byMinor = truths.find((one) => one.because === 'minor-version');
  if (
    universal &&
    byMinor !== undefined &&
    !/\b(?:if|when|with|that (?:carry|contain|have)|provided|as long as)\b[^,;]{0,30}\b(?:sass|code|cubin|kernels?)\b/.test(
      claim.text.all,
    )
  ) {
    return answer({ ...byMinor, is: 'depends', needs: 'machine code (SASS) for the GPU in the program' }, false);
  }
  return answer(open ?? first, false);
}

/** One driver. `as it is` leaves a compat package out. */
function onDriver(
  subject: Subject,
  driver: HostDriver,
  gpus: readonly Gpu[],
  claim: Claim,
  denies: boolean,
): ClaimVerdict | null {
  const runs = withGpu(subject, driver, gpus, claim);
  if (runs === null) return null;
  // `can not run on driver 525`: only its first builds can not.
  if (runs.is === 'depends' && runs.because !== 'forward-compat' && runs.because !== 'binary-arch') {
    return answer(quantified(runs, claim.text.main, denies), denies);
  }
  return answer(isAlone(claim) ? withoutCompat(runs) : runs, denies);
}

/** `as it is`, `unless compat libraries are in play`: the driver alone is spoken of. */
function isAlone(claim: Claim): boolean {
  return /\bunless\b[^,;]{0,60}\bcompat|\bas (?:they are|it is|is)\b|\bout of the box\b|\bunmodified\b|\bjust like that\b|\bwithout (?:a |any |the |anything )?(?:compat|package|else)/.test(
    claim.text.all,
  );
}

/** What only a compat package would make run does not run. */
function withoutCompat(runs: Truth): Truth {
  return runs.is === 'depends' && runs.because === 'forward-compat'
    ? { ...runs, is: false, because: 'minimum-driver' }
    : runs;
}

/** The driver question, then the code for the GPU. */
function withGpu(subject: Subject, driver: HostDriver, gpus: readonly Gpu[], claim: Claim): Truth | null {
  const tables = claim.tables;
  const named = claim.gpus.flat();
  if (named.length > 0) {
    const driven = drivesAll(driver, named, tables);
    if (driven !== null && driven.is !== true) return driven;
  }
  const runs = runsOnDriver(subject, driver, gpus, tables);
  if (runs === null || runs.is === false || named.length === 0 || subject.programs.length === 0) return runs;
  const code = allOf(named.map((gpu) => codeForGpu(subject, gpu, tables)));
  return code !== null && code.is !== true ? code : runs;
}

/** `CUDA 13 does not support Volta`. */
function toolkitOnGpu(subject: Subject, gpus: readonly Gpu[], claim: Claim): ClaimVerdict | null {
  const cuda = subject.cuda;
  const { main } = claim.text;
  if (
    cuda !== null &&
    /\b(?:needs?|requires?|minimum|at least|must)\b/.test(main) &&
    /\b(?:or|and) (?:newer|later|above|up)\b|\bat least\b|\bminimum\b/.test(main)
  ) {
    return oldestGpu(cuda, gpus, claim);
  }
  if (
    cuda === null ||
    !(
      says(main, word.run) ||
      says(main, word.can) ||
      /\b(?:drops?|dropped|ends?|ended|removed|removes|lost|last|gone|compil|build|target)/.test(main)
    )
  )
    return null;
  const truths = gpus.map((gpu): Truth | null => {
    const row = gpu.row;
    if (row === null) return null;
    const first = compare(cuda.high, row.firstToolkit);
    const last = row.lastToolkit === null ? -1 : compare(cuda.low, row.lastToolkit);
    const is = first >= 0 && last <= 0;
    const span =
      row.lastToolkit === null ? `from ${row.firstToolkit} on` : `from ${row.firstToolkit} to ${row.lastToolkit}`;
    return truth(is, 'binary-arch', `toolkits ${span} make code for ${gpuLabel(gpu)}`, row.sources);
  });
  const all = allOf(truths);
  if (all === null) return null;
  if (/\blast\b/.test(main) && gpus[0]?.row != null) {
    const lastToolkit = gpus[0].row.lastToolkit;
    return answer({ ...all, is: lastToolkit !== null && lastToolkit === formatCudaMinor(cuda.high) }, isNegated(main));
  }
  const drops = /\b(?:drops?|dropped|removed|removes|lost|loses|gone|ended)\b/.test(main);
  return answer(all, isNegated(main) !== drops);
}

/** `CUDA 13 needs Turing or newer`: the oldest GPU that the toolkit makes code for. */
function oldestGpu(cuda: CudaRange, gpus: readonly Gpu[], claim: Claim): ClaimVerdict | null {
  let oldest: ArchitectureRow | null = null;
  for (const row of claim.tables.architectures.values()) {
    const made =
      compare(cuda.high, row.firstToolkit) >= 0 &&
      (row.lastToolkit === null || compare(cuda.low, row.lastToolkit) <= 0);
    if (made && !row.tegra && (oldest === null || row.sm < oldest.sm)) oldest = row;
  }
  const named = Math.min(...gpus.map((gpu) => gpu.sm));
  if (oldest === null) return null;
  return answer(
    truth(
      oldest.sm === named || oldest.architecture === gpus[0]?.architecture,
      'binary-arch',
      `${capabilityText(oldest.sm)} (${oldest.architecture}) is the oldest that this toolkit makes code for`,
      oldest.sources,
    ),
    isNegated(claim.text.main),
  );
}

function compare(a: Parameters<typeof compareCudaMinor>[0], b: string): number {
  const [major, minor] = b.split('.').map(Number) as [number, number];
  return compareCudaMinor(a, { major, minor, patch: null }) ?? 0;
}
