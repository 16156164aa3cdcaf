import { parseDriver } from '../../versions/driver.ts';
import type { HostDriver } from '../host-driver.ts';
import { cudaSubject, drivesAll, runsOnDriver, subjectFloor, wheelSubject } from './can-run.ts';
import type { Claim } from './claim-parts.ts';
import { isNegated, says } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';
import { word } from './words.ts';
import { subjectOf, needClaim } from './topic-run.ts';

/** `moving from R580 to R595 is safe`, `going from torch 2.10 to 2.11 raises the driver we need`. */
export function upgradeClaim(claim: Claim): ClaimVerdict | null {
  const { main, all } = claim.text;
  if (!says(all, word.upgrade) && !says(all, /\bfrom\b.{1,40}\bto\b/)) return null;
  const [from, to] = claim.drivers;
  const subject = subjectOf(claim);
  const target = to ?? from;
  const forced =
    /\b(?:have to|has to|must|needs? to|required to|forced to|can not (?:use|run)|necessary|otherwise|or else)\b/.test(
      all,
    ) && /\b(?:upgrad|updat|mov|switch|go(?:ing)? to|install)/.test(all);
  if (forced && subject !== null && target !== undefined && claim.wheels.length < 2 && claim.cudas.length < 2)
    return needClaim(subject, { ...target, reach: 'from' }, withoutThreat(claim));
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

/** `upgrade to X, otherwise Y will not run`: what is claimed stands before the threat. */
function withoutThreat(claim: Claim): Claim {
  const at = claim.text.main.search(/[,;]? \b(?:otherwise|or else)\b/);
  return at < 0 ? claim : { ...claim, text: { ...claim.text, main: claim.text.main.slice(0, at) } };
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
        .replace(/\bnothing (?:breaks|changes|is lost)\b|\b(?:breaks|changes|costs|loses) nothing\b/g, 'safe')
        .replace(/\bwithout (?:any )?(?:risk|problem|trouble)s?\b/g, 'safe'),
    ) !== (harm && !/\bnothing breaks\b|\bno (?:problems?|trouble)\b|\bwithout\b/.test(main));
  const lost = a.architectures.filter((architecture) => !b.architectures.includes(architecture));
  const restsOn = [...new Set([...a.sources, ...b.sources])];
  const named = claim.gpus.flat();
  const subject = subjectOf(claim);
  if (subject !== null && (named.length === 0 || subject.programs.length === 0)) {
    const driven = named.length === 0 ? null : drivesAll(to, named, claim.tables);
    if (driven !== null && driven.is !== true) return answer(driven, denies);
    const runs = runsOnDriver(subject, to, named, claim.tables);
    if (runs !== null) return answer(runs, denies);
  }
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
