import { formatCudaMinor } from '../../versions/cuda.ts';
import type { Gpu } from '../gpu-name.ts';
import { gpuLabel } from '../gpu-name.ts';
import { driversIn, drivesAll } from './can-run.ts';
import type { Claim, ClaimDriver } from './claim-parts.ts';
import { isDenied, isNegated, says } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';
import { word } from './words.ts';
import { subjectOf } from './topic-run.ts';

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

/** `R590 still serves Turing, it is Volta that is gone`: each part has its GPU and its own predicate. */
function ofParts(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const parts = main.split(/[,;] (?:but |and |while |whereas )?| but (?!not )| while | whereas /);
  const named = parts.map((part) =>
    claim.gpus.filter(
      (gpus) => part.includes((gpus[0]?.printed ?? ' ').toLowerCase()) && (relates.test(part) || leaves.test(part)),
    ),
  );
  if (parts.length < 2 || named.filter((gpus) => gpus.length === 1).length < 2 || named.some((gpus) => gpus.length > 1))
    return null;
  const found: ClaimVerdict[] = [];
  for (const [at, gpus] of named.entries()) {
    if (gpus.length === 0) continue;
    const one = gpuDriverClaim({ ...claim, gpus, text: { ...claim.text, main: ` ${parts[at] ?? ''} ` } });
    if (one === null) return null;
    found.push(one);
  }
  return found.find((one) => one.answer === 'false') ?? found.find((one) => one.answer !== 'true') ?? found[0] ?? null;
}

/** `we lose Pascal and Turing`: said of both, so it has to hold for both. */
function forEach(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const parts = ofParts(claim);
  if (parts !== null) return parts;
  const named = claim.gpus.filter((gpus) => main.includes((gpus[0]?.printed ?? ' ').toLowerCase()));
  if (named.length < 2 || !/\band\b|, /.test(main) || /\b(?:not|no|never|only|but|except|unlike|while|or)\b/.test(main))
    return null;
  const found = named.map((gpus) => gpuDriverClaim({ ...claim, gpus: [gpus] }));
  if (found.some((one) => one === null)) return null;
  return (
    found.find((one) => one?.answer === 'false') ?? found.find((one) => one?.answer !== 'true') ?? found[0] ?? null
  );
}

/** Words that say something about a GPU and a driver together. */
const relates =
  /\b(?:runs?|running|works?|working|drives?|driven|driving|supports?|supported|supporting|knows?|known|recogni[sz]es?|recogni[sz]ed|detects?|detected|sees?|seen|handles?|uses?|used|using|usable|fits?|goes?|going|comes?|starts?|fine|ok|okay|good|enough|compatible|incompatible|unsupported|loses?|lost|drops?|dropped|stops?|stopped|gone|ends?|ended|keeps?|serves?|lists?|listed|shows?|covers?|covered|accepts?|finds?|found|available|includes?|included|excluded|replace|retire|install(?:s|ed)?|put|takes?|old|new|breaks?|fails?|dead|away|vanish(?:es)?|disappears?|lacks?|lacking|misses|missing|removed|detect|support)\b/;

/** Words that say that a driver leaves a GPU behind. */
const leaves =
  /\b(?:drops?|dropped|lost|loses?|lacks?|lacking|misses|missing|gone|removed|stops?(?! (?:working|running|to work|to run))|leaves? (?:out|behind)|goes away|going away|taken away|takes? away|vanish(?:es)?|disappears?|phased out|retired?|cut off|locks? out|(?:have|has|need|needs|ought) to (?:be )?(?:replaced?|retired?|swap(?:ped)?|decommission(?:ed)?|throw(?:n)? out|get rid|remov(?:e|ed)|sold|sell)|must (?:be )?(?:replaced?|retired?|swap(?:ped)?|decommission(?:ed)?|remov(?:e|ed)|go\b))\b/;

/** `B200 needs driver 570`, `R590 does not drive Volta`, `R580 is the last branch for Pascal`. */
export function gpuDriverClaim(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const each = forEach(claim);
  if (each !== null) return each;
  const [gpus] = claim.gpus;
  const [named0] = claim.drivers;
  // `was removed from driver 590` starts no span of drivers.
  const phrase: ClaimDriver | undefined =
    named0?.reach === 'from' &&
    /\b(?:removed|dropped|gone|missing|deleted|absent|cut|taken out|thrown out|disappeared|vanished) from\b/.test(main)
      ? { ...named0, reach: 'exact' }
      : named0;
  if (gpus === undefined || phrase === undefined || subjectOf(claim) !== null) return null;
  const tables = claim.tables;
  const rows = gpus.map((gpu) => gpu.row);
  const [row] = rows;
  const named = phrase.driver.version.branch;
  if (
    row != null &&
    /\b(?:last|final|newest)\b|\b(?:stops?|stopped|ceases?|finishes?) (?:at|with|after)\b|\bends? (?:with|at|after)\b|\bended (?:with|at)\b/.test(
      main,
    )
  ) {
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
    (/\b(?:first|oldest|starts? with|begins? with|needs?|needed|requires?|required|necessary|at least|minimum|must have)\b/.test(
      main,
    ) ||
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
  if (!relates.test(main)) return null;
  const drivers = driversIn(phrase, tables);
  const truths = drivers.map((driver) => drivesAll(driver, gpus, tables)).filter((one) => one !== null);
  const [any] = truths;
  if (any === undefined) return null;
  const drops = leaves.test(main);
  const denies = isDenied(main) !== drops;
  if (truths.every((one) => one.is === any.is)) return answer(any, denies);
  if (/\b(?:every|all|any|each|always)\b/.test(main))
    return answer(truths.find((one) => one.is === false) ?? any, denies);
  return answer({ ...any, is: 'depends', needs: 'the driver version' }, denies);
}
