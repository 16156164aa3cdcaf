import { parseComputeCapability } from '../../versions/compute-capability.ts';
import { formatCudaMinor } from '../../versions/cuda.ts';
import { impossibleTarget, jitReads, ptxFits, sassRunsOn } from '../binary-arch.ts';
import { rangeOf } from '../cuda-range.ts';
import { capabilityText, gpuLabel } from '../gpu-name.ts';
import type { Gpu } from '../gpu-name.ts';
import { driverLabel } from '../host-driver.ts';
import { targetSm } from './claim-parts.ts';
import type { Claim } from './claim-parts.ts';
import { isDenied, isNegated, says } from './claim-text.ts';
import { answer, quantified, truth } from './verdict.ts';
import type { ClaimVerdict, Truth } from './verdict.ts';
import { word } from './words.ts';

const restsOn = ['blackwell-compatibility-guide', 'nvcc-architectures'];

/** Statements about machine code and PTX on GPUs. */
export function codeClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  const between = ofOneGpu(claim);
  if (between !== null) return between;
  if (
    claim.targets.length === 0 &&
    !says(all, word.ptx) &&
    !says(all, word.sass) &&
    !/\barch(?:itecture)?[- ]specific\b|\bfamily[- ]specific\b|\bcompute capabilit/.test(all)
  )
    return null;
  return toolkitMakes(claim) ?? onGpu(claim) ?? specific(claim) ?? jit(claim) ?? general(main);
}

/** `kernels compiled for B200 run on a 5090`: code of one GPU on another. */
function ofOneGpu(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  // `the same Blackwell generation` says of what kind the two are.
  const [made, run, ...others] = claim.gpus.filter((gpus) => gpus.length === 1);
  if (made === undefined || run === undefined || others.length > 0 || claim.targets.length > 0) return null;
  if (claim.wheels.length + claim.drivers.length > 0) return null;
  if (
    !/\b(?:kernels?|code|cubins?|binar(?:y|ies)|sass|objects?|build|engine|plugin|librar(?:y|ies)|program|executable|extension)\b[^,;]{0,40}\b(?:compiled|built|made|generated|produced|targeted|meant|for|from)\b/.test(
      all,
    ) ||
    !/\b(?:runs?|works?|loads?|starts?|executes?|usable|valid|fits?|good|use|used)\b/.test(main) ||
    says(all, word.ptx)
  )
    return null;
  const truths = made.flatMap((from) =>
    run.map((on) => {
      const target = parseComputeCapability(capabilityText(from.sm));
      return target === null ? null : sassRunsOn(target, on.sm);
    }),
  );
  const [one] = truths;
  const [from] = made;
  const [on] = run;
  if (one == null || from === undefined || on === undefined || truths.some((each) => each !== one)) return null;
  return answer(
    truth(
      one,
      'binary-arch',
      `machine code for ${gpuLabel(from)} ${one ? 'runs' : 'does not run'} on ${gpuLabel(on)}: it serves its own major, from its minor on`,
      restsOn,
    ),
    isDenied(main),
  );
}

/** `nvcc 13.0 can not target sm_70`. */
function toolkitMakes(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const [target, ...others] = claim.targets;
  const cuda = claim.nvccCuda ?? claim.cudas[0];
  if (target === undefined || others.length > 0 || cuda == null || claim.gpus.length > 0 || claim.drivers.length > 0)
    return null;
  if (
    !/\b(?:compil\w*|targets?|targeted|builds?|built|generates?|emits?|knows?|supports?|supported|makes?|produces?|drops?|dropped|removed)\b/.test(
      main,
    )
  )
    return null;
  const made = impossibleTarget(
    target.kind === 'sass'
      ? { sass: [target.name], ptx: [], confirmed: true }
      : { sass: [], ptx: [target.name], confirmed: true },
    rangeOf(cuda, claim.tables),
    claim.tables,
  );
  const row = claim.tables.architectures.get(targetSm(target.name));
  if (row === undefined) return null;
  const span =
    row.lastToolkit === null ? `from ${row.firstToolkit} on` : `from ${row.firstToolkit} to ${row.lastToolkit}`;
  return answer(
    truth(made === null, 'binary-arch', `toolkits ${span} make code for sm_${target.name}`, row.sources),
    isDenied(main) !== /\b(?:drops?|dropped|removed)\b/.test(main),
  );
}

/** `sm_80 code runs on an RTX 3090`, `compute_90a PTX can be compiled for B200`. */
function onGpu(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const [first, ...others] = claim.targets;
  if (first === undefined) return null;
  const named = claim.gpus.flat();
  if (
    named.length > 0 &&
    /\b(?:needs?|requires?|required|must|only runs?|mandatory)\b/.test(main) &&
    !says(main, word.ptx)
  ) {
    return neededTarget(first.name, named, claim);
  }
  const sms =
    named.length > 0
      ? named.map((gpu) => gpu.sm)
      : others.length > 0
        ? [targetSm((others[0] as { name: string }).name)]
        : [];
  if (sms.length === 0) return null;
  const target = parseComputeCapability(first.name);
  if (target === null) return null;
  const truths = sms.map((sm) => (first.kind === 'sass' ? sassRunsOn(target, sm) : ptxFits(target, sm)));
  const [one] = truths;
  const label = named[0] === undefined ? capabilityText(sms[0] as number) : gpuLabel(named[0]);
  const what = `${first.kind === 'sass' ? 'sm' : 'compute'}_${first.name}`;
  const because = first.kind === 'sass' ? 'binary-arch' : target.suffix === '' ? 'ptx-jit' : 'binary-arch';
  if (one == null) return null;
  const is: Truth['is'] = truths.every((truthOne) => truthOne === one) ? one : 'depends';
  const denies = isDenied(main) !== /\b(?:209|no kernel image)\b/.test(main);
  const t = truth(
    is,
    because,
    `${what} ${is === true ? 'serves' : is === false ? 'does not serve' : 'serves some products of'} ${label}`,
    restsOn,
    'the GPU model',
  );
  return answer(quantified(t, main, denies), denies);
}

/** `H100 needs sm_90a`: portable code and PTX do as well, so one target is never the only way. */
function neededTarget(name: string, gpus: readonly Gpu[], claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const target = parseComputeCapability(name);
  const [gpu] = gpus;
  if (target === null || gpu === undefined) return null;
  const serves = sassRunsOn(target, gpu.sm);
  if (
    serves !== null &&
    /\b(?:something|anything|code|targets?|builds?) (?:else|other)\b|\bother than\b|\bdifferent from\b/.test(main)
  )
    return answer(
      truth(!serves, 'binary-arch', `sm_${name} ${serves ? 'serves' : 'does not serve'} ${gpuLabel(gpu)}`, restsOn),
      isNegated(main),
    );
  // Code for a lower minor of the major does as well.
  const lower = [...claim.tables.architectures.values()].find(
    (row) => !row.tegra && Math.floor(row.sm / 10) === target.major && row.sm < targetSm(name) && row.sm <= gpu.sm,
  );
  if (serves === true && target.suffix === '' && lower !== undefined)
    return answer(
      truth(
        false,
        'binary-arch',
        `code for ${capabilityText(lower.sm)} runs on ${gpuLabel(gpu)} too, and so does plain PTX`,
        restsOn,
      ),
      isNegated(main.split(',')[0] ?? main),
    );
  if (serves === true && target.suffix === '')
    return answer(
      truth(
        'depends',
        'binary-arch',
        `code for ${capabilityText(gpu.sm)} or plain PTX that the driver can compile`,
        restsOn,
        'what else is in the program',
      ),
      false,
    );
  return answer(
    truth(
      false,
      'binary-arch',
      `${gpuLabel(gpu)} also runs code for ${capabilityText(gpu.sm)} without a suffix, and plain PTX`,
      restsOn,
    ),
    isNegated(main),
  );
}

/** A target with a suffix, and talk of other GPUs without a name. */
function specific(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const target = claim.targets.find((one) => one.name.endsWith('a'));
  if (target === undefined || !/\b(?:newer|other|later|next|future|any|every|all|portable|anywhere)\b/.test(main))
    return null;
  return answer(
    truth(
      false,
      'binary-arch',
      'architecture-specific code and PTX run on exactly their own compute capability',
      restsOn,
    ),
    isDenied(main) || says(main, word.only),
  );
}

/** `PTX of CUDA 12.8 can be compiled by driver 535`. */
function jit(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  if (!says(all, word.ptx)) return null;
  const [phrase] = claim.drivers;
  const cuda = claim.cudas[0] ?? claim.nvccCuda;
  if (phrase !== undefined && cuda != null && phrase.driver.serves !== null) {
    const reads = jitReads(cuda, phrase.driver.serves, claim.tables);
    if (reads === null) return null;
    return answer(
      truth(
        reads,
        'ptx-jit',
        `${driverLabel(phrase.driver)} compiles PTX up to CUDA ${formatCudaMinor(phrase.driver.serves)}`,
        ['cuda-minor-version-compat', 'cuda-jl-compatibility'],
      ),
      isNegated(main) !== /\b(?:fails?|222|too new|unsupported|rejects?|refuses?|refused|rejected)\b/.test(main),
    );
  }
  const newerPtx =
    /\bnewer ptx\b|\bptx\b.{0,40}\b(?:newer|later) (?:toolkit|cuda|version|than)\b|\bptx (?:of|from|made by|built with) (?:a )?newer\b/.test(
      main,
    ) ||
    (/\bptx\b/.test(main) && /\bolder drivers?\b/.test(main)) ||
    // `PTX of 12.8 is digestible for every driver of the 12.x family`
    (phrase === undefined &&
      /\bptx\b/.test(main) &&
      (/\b(?:every|any|all|each|whatever)\b[^,;]{0,30}\bdrivers?\b/.test(main) ||
        /\bdrivers?\b[^,;]{0,20}\b(?:of the same|within the|of that|in the same) (?:cuda )?(?:major|family|\d+\.x)/.test(
          main,
        )));
  if (
    phrase === undefined &&
    /\bdrivers?\b[^,;]{0,40}\b(?:at least as (?:new|recent)|(?:as|equally) new (?:as|or)|same age|not older|no older|newer or equal|new enough|at or above|up to its own)\b/.test(
      main,
    )
  )
    return answer(
      truth(true, 'ptx-jit', 'a driver compiles PTX up to its own CUDA version; newer PTX gives error 222', [
        'cuda-minor-version-compat',
      ]),
      isNegated(main),
    );
  if (newerPtx) {
    return answer(
      truth(false, 'ptx-jit', 'a driver compiles PTX up to its own CUDA version; newer PTX gives error 222', [
        'cuda-minor-version-compat',
      ]),
      isNegated(main) !== /\b(?:fails?|222|too new|unsupported|rejects?|refuses?)\b/.test(main),
    );
  }
  return null;
}

function general(text: string): ClaimVerdict | null {
  if (
    /\barch(?:itecture)?[- ]specific\b|\bsm_\d+a\b|\b(?:a|the) ['"]?a['"]? suffix\b/.test(text) &&
    /\b(?:newer|other|later|next|portable|forward)\b/.test(text)
  ) {
    return answer(
      truth(
        false,
        'binary-arch',
        'architecture-specific code and PTX run on exactly their own compute capability',
        restsOn,
      ),
      isNegated(text) || says(text, word.only),
    );
  }
  if (
    says(text, word.ptx) &&
    /\b(?:newer|later|future|any|next)\b[^,;]{0,30}\b(?:gpus?|architectures?|generations?|hardware|compute capabilit)/.test(
      text,
    )
  ) {
    return answer(
      truth(true, 'ptx-jit', 'plain PTX compiles for any equal or newer GPU, if the driver knows its version', restsOn),
      isNegated(text),
    );
  }
  if (says(text, word.sass) && /\bmajors?\b/.test(text)) {
    const across = /\bcross|\bacross|\bother\b|\bdifferent\b|\bnext\b|\bany\b/.test(text);
    return answer(
      truth(!across, 'binary-arch', 'machine code runs inside its major, on an equal or higher minor', restsOn),
      isNegated(text),
    );
  }
  return null;
}
