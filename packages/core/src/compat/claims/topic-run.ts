import { compareCudaMinor, formatCudaMinor } from '../../versions/cuda.ts';
import { driverAtLeast, parseDriver } from '../../versions/driver.ts';
import type { Gpu } from '../gpu-name.ts';
import { gpuLabel } from '../gpu-name.ts';
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
  const cuda = claim.cudas[0] ?? claim.torchCuda ?? claim.nvccCuda;
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
    /\bnot compiled with cuda\b|\bcpu[- ](?:only )?(?:build|wheel|version|torch)\b|\bbuilt without cuda\b/.test(
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
    if (isNeed(claim, phrase)) return needClaim(subject, phrase, claim);
    if (
      !says(main, word.run) &&
      !says(main, word.can) &&
      !/\b(?:too (?:old|new)|new enough|good enough|will do|does the job|breaks?|fails?|stops?)\b/.test(main)
    )
      return null;
    return onDrivers(subject, phrase, gpus, claim);
  }
  if (subject !== null && gpus.length > 0 && subject.programs.length > 0) {
    const code = allOf(gpus.map((gpu) => codeForGpu(subject, gpu, claim.tables)));
    const denies = isDenied(main) || says(main, /\b(?:drops?|dropped|lost|loses|lacks?|misses|missing|ended)\b/);
    return code === null ? null : answer(quantified(code, main, denies), denies);
  }
  if (subject !== null && gpus.length > 0) return toolkitOnGpu(subject, gpus, claim);
  return null;
}

/** `nothing newer than 12.2 can run there`: the next minor of the major stands for all of them. */
function newerThan(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const match =
    /\b(?:newer|later|higher|above|beyond|more recent)(?: cuda)?(?: versions?)? (?:than )?(?:cuda )?(\d{1,2})\.(\d{1,2})\b/.exec(
      main,
    );
  const driver = claim.drivers[0]?.driver ?? smiDriver(claim);
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
    /\b(?:needs?|requires?|must have|has to have|have to have|demands?|asks for|wants?|minimum|at least|floor|lowest|oldest)\b/.test(
      main,
    )
  )
    return true;
  return says(main, word.only) && (phrase.reach === 'from' || phrase.reach === 'newer');
}

/** `CUDA 12.8 needs driver 570`: true only if that is the lowest driver that runs it. */
function needClaim(subject: Subject, phrase: ClaimDriver, claim: Claim): ClaimVerdict | null {
  const floor = subjectFloor(subject, claim.tables);
  const named = phrase.driver.version;
  const least = floor === null ? null : parseDriver(floor.driver);
  if (floor === null || least === null) return null;
  const denies = isNegated(claim.text.main);
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
  const truths = drivers.map((driver) => withGpu(subject, driver, gpus, claim)).filter((one) => one !== null);
  const [first] = truths;
  if (first === undefined) return null;
  const runs = truths.find((one) => one.is === true);
  const fails = truths.find((one) => one.is === false);
  const open = truths.find((one) => one.is === 'depends');
  const denies = isDenied(main);
  if (phrase.reach === 'exact') return answer(first, denies);
  if (nobody || denies) {
    // `No X runs below Y`: one driver that runs it is enough to be wrong.
    if (runs !== undefined) return answer(runs, true);
    return open === undefined ? answer({ ...first, is: false }, true) : answer(open, true);
  }
  if (fails !== undefined)
    return answer(
      runs === undefined || says(main, word.every) || phrase.reach === 'from' || phrase.reach === 'newer'
        ? fails
        : { ...fails, is: 'depends', needs: 'the full driver version' },
      false,
    );
  return answer(open ?? first, false);
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

function compare(a: Parameters<typeof compareCudaMinor>[0], b: string): number {
  const [major, minor] = b.split('.').map(Number) as [number, number];
  return compareCudaMinor(a, { major, minor, patch: null }) ?? 0;
}

/** `driver 580 serves CUDA 12.8`, `R565 reports 12.7`. */
export function servesClaim(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const [phrase] = claim.drivers;
  const cuda = claim.cudas[0] ?? claim.smiCuda;
  if (phrase === undefined || cuda == null || phrase.driver.serves === null || claim.wheels.length > 0) return null;
  const exact =
    /\b(?:serves?|reports?|shows?|prints?|corresponds?|belongs?|is cuda|means|says|equals?|came with|comes with|ships? with|matches|newest|highest|maximum|max|at most|up to|only supports|supports (?:only|up to|at most)|supports nothing newer)\b/.test(
      main,
    );
  if (!exact) return null;
  const serves = formatCudaMinor(phrase.driver.serves);
  const is = serves === formatCudaMinor(cuda);
  return answer(
    truth(
      is,
      'backward',
      `R${phrase.driver.branch?.branch ?? ''} serves CUDA ${serves}`,
      phrase.driver.branch?.sources ?? [],
    ),
    isNegated(main),
  );
}

/** `B200 needs driver 570`, `R590 does not drive Volta`, `R580 is the last branch for Pascal`. */
export function gpuDriverClaim(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const [gpus] = claim.gpus;
  const [phrase] = claim.drivers;
  if (gpus === undefined || phrase === undefined || subjectOf(claim) !== null) return null;
  const tables = claim.tables;
  const rows = gpus.map((gpu) => gpu.row);
  const [row] = rows;
  const named = phrase.driver.version.branch;
  if (row != null && /\b(?:last|final|newest)\b|\bends? (?:with|at|after)\b|\bended (?:with|at)\b/.test(main)) {
    const last = row.lastBranch ?? null;
    return answer(
      truth(
        last === named,
        'gpu-driver-support',
        last === null
          ? `${gpuLabel(gpus[0] as Gpu)} is still driven by new branches`
          : `R${last} is the last branch for ${gpuLabel(gpus[0] as Gpu)}`,
        row.sources,
      ),
      isNegated(main),
    );
  }
  const first = row?.firstBranch ?? null;
  if (
    row != null &&
    (/\b(?:first|oldest|starts? with|begins? with|needs?|requires?|at least|minimum|must have)\b/.test(main) ||
      (/\b(?:since|from|starting)\b/.test(main) &&
        phrase.reach === 'from' &&
        !/\b(?:every|all|any|each)\b/.test(main) &&
        !isDenied(main)) ||
      (says(main, word.only) && phrase.reach !== 'older'))
  ) {
    if (phrase.reach === 'up-to') {
      const last = row.lastBranch ?? null;
      return answer(
        truth(
          last === named,
          'gpu-driver-support',
          last === null ? 'it is still driven by new branches' : `R${last} is the last branch that drives it`,
          row.sources,
        ),
        isNegated(main),
      );
    }
    if (first === null || phrase.reach === 'older') return null;
    return answer(
      truth(
        first === named,
        'gpu-driver-support',
        `R${first} is the first branch that drives ${gpuLabel(gpus[0] as Gpu)}`,
        row.sources,
      ),
      isNegated(main),
    );
  }
  const other = claim.drivers[1];
  if (
    other !== undefined &&
    phrase.reach === 'exact' &&
    other.reach === 'exact' &&
    /\bbut (?:not|can not|will not|does not|do not|never)\b|\band not\b/.test(main)
  ) {
    const here = drivesAll(phrase.driver, gpus, tables);
    const there = drivesAll(other.driver, gpus, tables);
    if (here === null || there === null || here.is === 'depends' || there.is === 'depends') return null;
    return answer({ ...there, is: here.is && !there.is }, false);
  }
  const drivers = driversIn(phrase, tables);
  const truths = drivers.map((driver) => drivesAll(driver, gpus, tables)).filter((one) => one !== null);
  const [any] = truths;
  if (any === undefined) return null;
  const drops = /\b(?:drops?|dropped|lost|loses|gone|stops?|leaves out)\b/.test(main);
  const denies = isDenied(main) !== drops;
  if (truths.every((one) => one.is === any.is)) return answer(any, denies);
  if (/\b(?:every|all|any|each|always)\b/.test(main))
    return answer(truths.find((one) => one.is === false) ?? any, denies);
  return answer({ ...any, is: 'depends', needs: 'the driver version' }, denies);
}

/** `moving from R580 to R595 is safe`, `going from torch 2.10 to 2.11 raises the driver we need`. */
export function upgradeClaim(claim: Claim): ClaimVerdict | null {
  const { main, all } = claim.text;
  if (!says(all, word.upgrade) && !says(all, /\bfrom\b.{1,40}\bto\b/)) return null;
  const [from, to] = claim.drivers;
  const subject = subjectOf(claim);
  const target = to ?? from;
  const forced =
    /\b(?:have to|has to|must|needs? to|required to|forced to|can not (?:use|run)|necessary)\b/.test(all) &&
    /\b(?:upgrad|updat|mov|switch|go(?:ing)? to|install)/.test(all);
  if (forced && subject !== null && target !== undefined && claim.wheels.length < 2 && claim.cudas.length < 2)
    return needClaim(subject, { ...target, reach: 'from' }, claim);
  if (from !== undefined && to !== undefined) return driverMove(from.driver, to.driver, claim);
  if (from === undefined && claim.wheels.length === 0 && claim.cudas.length === 0) return anyUpgrade(claim);
  const subjects =
    claim.wheels.length > 1
      ? claim.wheels.map((wheel) =>
          wheelSubject({ ...wheel, variant: wheel.variant ?? defaultVariant(claim, wheel.name) }, claim.tables),
        )
      : claim.cudas.length > 1 && claim.wheels.length === 0
        ? claim.cudas.map((cuda) => cudaSubject(cuda, claim.tables))
        : [];
  const [before, after] = subjects;
  if (before == null || after == null || !says(main, /\bdrivers?\b|\bfloor\b/)) return null;
  const a = subjectFloor(before, claim.tables);
  const b = subjectFloor(after, claim.tables);
  const x = a === null ? null : parseDriver(a.driver);
  const y = b === null ? null : parseDriver(b.driver);
  if (a === null || b === null || x === null || y === null) return null;
  const raised = a.driver !== b.driver && y.branch >= x.branch;
  const keeps = /\b(?:same|unchanged|keeps?|stays?)\b/.test(main);
  const message = raised
    ? `the floor goes from driver ${a.driver} to ${b.driver}`
    : `the floor stays at driver ${a.driver}`;
  return answer(
    truth(raised, raised ? 'minimum-driver' : 'minor-version', message, [...new Set([...a.restsOn, ...b.restsOn])]),
    isNegated(main) !== keeps,
  );
}

/** `upgrading the driver never breaks anything`, without numbers. */
function anyUpgrade(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  if (!/\bdrivers?\b/.test(main) || says(main, word.compat)) return null;
  if (!/\b(?:upgrad|updat|mov(?:e|ing)|migrat|switch|replac|roll)/.test(main)) return null;
  const speaks =
    says(main, word.fine) || /\b(?:breaks?|never|always|nothing|harm|hurt|risk|loses?|compatible)\b/.test(main);
  if (!speaks || claim.errors.length > 0 || /\btorch\b|\bcudnn\b|\bcontainer\b/.test(main)) return null;
  return answer(
    truth(
      'depends',
      'gpu-driver-support',
      'older programs keep running on newer drivers, but new branches stop driving old GPUs',
      ['driver-architecture-matrix'],
      'the branches and the GPU models',
    ),
    false,
  );
}

function defaultVariant(claim: Claim, name: string): string | null {
  return name === 'torch' && !says(claim.text.all, /\bcu\d{2,3}\b/) ? 'pypi' : null;
}

function driverMove(from: HostDriver, to: HostDriver, claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const a = from.branch;
  const b = to.branch;
  if (a === null || b === null) return null;
  const harm = says(main, /\b(?:breaks?|risky|dangerous|loses|lose|drops?|stops?|harms?|unsafe|problems?|trouble)\b/);
  if (!harm && !says(main, word.fine) && !says(main, /\b(?:can|works?|nothing|compatible|keeps?|run)\b/)) return null;
  const denies =
    isNegated(
      main
        .replace(/\bnothing (?:breaks|changes|is lost)\b/g, 'safe')
        .replace(/\bwithout (?:any )?(?:risk|problem|trouble)s?\b/g, 'safe'),
    ) !== (harm && !/\bnothing breaks\b|\bno (?:problems?|trouble)\b|\bwithout\b/.test(main));
  const lost = a.architectures.filter((architecture) => !b.architectures.includes(architecture));
  const restsOn = [...new Set([...a.sources, ...b.sources])];
  const named = claim.gpus.flat();
  if (named.length > 0) {
    const driven = drivesAll(to, named, claim.tables);
    return driven === null ? null : answer(driven, denies);
  }
  if (b.branch < a.branch)
    return answer(
      truth(
        'depends',
        'minimum-driver',
        'an older driver serves older CUDA versions: programs above its floor stop running',
        restsOn,
        'the CUDA versions of the programs',
      ),
      denies,
    );
  if (lost.length > 0) {
    return answer(
      truth(
        'depends',
        'gpu-driver-support',
        `programs keep running, but R${b.branch} no longer drives ${lost.join(', ')}`,
        restsOn,
        'the GPU models of the nodes',
      ),
      denies,
    );
  }
  return answer(
    truth(
      true,
      'backward',
      `R${b.branch} drives every architecture that R${a.branch} drives, and older programs run on newer drivers`,
      restsOn,
    ),
    denies,
  );
}
