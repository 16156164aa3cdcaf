import { compatChoice } from '../injection.ts';
import { parseDriver } from '../../versions/driver.ts';
import { onHost } from './topic-compat-host.ts';
import { gpuLabel } from '../gpu-name.ts';
import { runsOnDriver } from './can-run.ts';
import type { Claim } from './claim-parts.ts';
import { subjectOf } from './topic-run.ts';
import { isNegated, says } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict, Truth } from './verdict.ts';
import { word } from './words.ts';

const because = 'forward-compat';
const restsOn = ['cuda-forward-compat'];

/** Statements about forward compatibility and the cuda-compat packages. */
export function forwardCompatClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  if (!says(all, word.compat) || (says(all, word.minorCompat) && !/\bforward|\bcuda[- ]compat/.test(main))) return null;
  const text = says(main, word.compat) || claim.text.premise === '' ? main : all;
  if (says(all, word.minorCompat)) return twoThings(main);
  return (
    majors(text) ??
    toolkitUses(claim) ??
    entrypoint(text) ??
    neededOn(claim) ??
    onHost(claim) ??
    classes(claim, text) ??
    stays(text) ??
    older(text) ??
    path(text) ??
    drivers(text) ??
    purpose(text)
  );
}

/** Forward and minor version compatibility are two things. */
function twoThings(text: string): ClaimVerdict | null {
  const same =
    /\b(?:same(?: thing)?|synonyms?|identical|equal|another (?:name|word)|interchangeable|one and the same)\b/.test(
      text,
    );
  const differ = /\b(?:different|differ|distinct|two things|not the same|confus)/.test(text);
  if (!same && !differ) return null;
  return answer(
    truth(
      false,
      because,
      'forward compatibility brings a newer libcuda, on some GPUs and bases; minor version compatibility needs no package and stays inside a major',
      restsOn,
    ),
    isNegated(text) || differ,
  );
}

/** Does it cross CUDA majors? The matrix is the rule, and crossing majors is what it is for. */
function majors(text: string): ClaimVerdict | null {
  if (
    !says(text, word.major) &&
    !/\bsame (?:cuda )?(?:\d+\.x|family|series|branch)\b|\bfrom cuda 1\d(?:\.\d)? to (?:cuda )?1\d\b|\bwithin cuda 1\d\b|\binside cuda 1\d\b/.test(
      text,
    )
  )
    return null;
  const t = truth(
    true,
    because,
    'forward compatibility crosses CUDA majors: 13-x packages are supported on R535 and R570; only the matrix decides',
    restsOn,
  );
  const restricted =
    says(text, word.only) || /\b(?:must|has to|have to|limited|restricted|stays?|stay|needs? to)\b/.test(text);
  const inside = /\b(?:inside|within|same|one|single)\b/.test(text);
  if (inside && !/\b(?:cross(?:es|ing)?|across|different|another|other|beyond|outside)\b/.test(text)) {
    // That it works there is said, and not that it ends there.
    if (!restricted && !isNegated(text) && /\b(?:jumps?|steps?|works?|serves?|covers?|allows?)\b/.test(text))
      return answer(t, false);
    // `not limited to the same major` asserts the crossing.
    return answer(t, !(isNegated(text) && restricted) || /\bnot (?:work )?(?:outside|beyond)\b/.test(text));
  }
  return answer(t, isNegated(text));
}

/** `without cuda-compat it can not run`, `the package is needed`: only where the driver alone does not do. */
function neededOn(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const says1 =
    /\bneed(?:s|ed)?\b|\brequire[sd]?\b|\bnecessary\b|\bmust\b|\bhas to\b|\bonly (?:with|thanks|because|way)\b|\bwhat (?:lets|makes|allows|enables)\b|\bwithout\b|\bunless\b|\bthanks to\b/.test(
      main,
    );
  const [phrase] = claim.drivers;
  const subject = subjectOf(claim);
  if (!says1 || phrase?.reach !== 'exact' || subject === null) return null;
  const gpus = claim.gpus.flat();
  const alone = runsOnDriver(subject, phrase.driver, [], claim.tables);
  if (alone === null) return null;
  const denies = isNegated(main);
  if (alone.is === true) return answer({ ...alone, is: false }, denies);
  // `can not run without it`: true where nothing makes it run, too.
  if (alone.is === false && /\b(?:can|does|do|will|would) not\b[^;]{0,80}\b(?:without|unless)\b/.test(main))
    return answer({ ...alone, is: true }, false);
  const refused =
    gpus.length > 0 &&
    gpus.every((gpu) => gpu.class !== null && claim.tables.classes.get(gpu.class)?.status === 'not-allowed');
  if (alone.is === 'depends' && !refused) return answer({ ...alone, is: true }, denies);
  return answer({ ...alone, is: false }, denies);
}

/** Which GPUs may use it? */
function classes(claim: Claim, text: string): ClaimVerdict | null {
  const tables = claim.tables;
  const named = claim.gpus.flat();
  if (named.length > 0) {
    const states = named.map((gpu) => (gpu.class === null ? null : (tables.classes.get(gpu.class)?.status ?? null)));
    const [first] = states;
    const label = gpuLabel(named[0] as (typeof named)[number]);
    if (/\bnew(?:er)? gpu|\bunknown\b|\bknow\b|\bdoes not drive\b|\bnot driven\b/.test(text)) return newGpu(text);
    if (first !== null && first !== undefined && states.every((one) => one === first)) {
      const is: Truth['is'] = first === 'allowed' ? true : first === 'not-allowed' ? false : 'depends';
      return answer(
        truth(
          is,
          because,
          `compat libraries on ${label}: ${first.replace('-', ' ')}`,
          restsOn,
          'whether the board is on the list of named boards',
        ),
        isNegated(text) !== /\b(?:refuses?|804|forbidden|barred|excluded)\b/.test(text),
      );
    }
    return answer(
      truth('depends', because, 'products of this architecture are of different classes', restsOn, 'the GPU model'),
      false,
    );
  }
  if (newGpuWords.test(text)) return newGpu(text);
  if (
    /\b(?:jetson|tegra|orin|xavier)s?\b/.test(text) &&
    !says(text, word.only) &&
    /\b(?:has|have|exists?|works?|supports?|supported|available|offers?|offered|gets?|there is|can|possible|knows?|allowed|brings?)\b/.test(
      text,
    )
  )
    return answer(
      truth(true, because, 'Jetson has forward compatibility, with packages of its own', restsOn),
      isNegated(text),
    );
  const consumer = says(text, word.geforce);
  const server = says(text, word.datacenter);
  if (
    /\b(?:every|all|any|each|whatever|whichever|regardless of the) (?:nvidia )?(?:kinds? of |types? of |class(?:es)? of )?(?:gpus?|cards?|boards?)\b|\bon (?:every|all|any) gpu/.test(
      text,
    )
  ) {
    return answer(
      truth(false, because, 'only data-center GPUs and named boards may use it; GeForce gets error 804', restsOn),
      isNegated(text),
    );
  }
  if (
    server &&
    says(text, word.only) &&
    /\b(?:listed|named|selected|some|few|certain|jetson)\b[^,;]{0,30}\b(?:boards?|cards?|rtx|workstations?|gpus?|skus?)\b|\bjetson\b/.test(
      text,
    )
  ) {
    return answer(
      truth(
        true,
        because,
        'data-center GPUs, named NGC-Server-Ready RTX boards, and Jetson with its own packages',
        restsOn,
      ),
      isNegated(text),
    );
  }
  if (server && says(text, word.only)) {
    return answer(
      truth(
        false,
        because,
        'data-center GPUs, and also named NGC-Server-Ready RTX boards and Jetson with its own packages',
        restsOn,
      ),
      isNegated(text),
    );
  }
  if (consumer && !server)
    return answer(
      truth(false, because, 'GeForce and TITAN boards may not use compat libraries: cuInit gives 804', restsOn),
      isNegated(text.replace(spares, ' ')) !==
        /\b(?:refuses?|refused|804|forbidden|barred|excluded|fails?)\b/.test(text),
    );
  if (server && consumer)
    return answer(
      truth(true, because, 'allowed on data-center GPUs, not on GeForce', restsOn),
      /\bgeforce\b.{0,60}\b(?:too|also|as well)\b/.test(text),
    );
  if (says(text, word.workstation))
    return answer(
      truth(
        'depends',
        because,
        'only workstation boards on the list may use it',
        restsOn,
        'whether the board is listed',
      ),
      false,
    );
  if (server)
    return answer(truth(true, because, 'data-center GPUs may use compat libraries', restsOn), isNegated(text));
  return null;
}

/** What the package spares: said as a denial, it asserts that the package does its work. */
const spares =
  /\b(?:needs? no|no need for|do(?:es)? not need|spares?|saves?|without|no) (?:an? |the |any |more )?(?:new(?:er)? |other |further )?(?:host )?drivers?(?: (?:updates?|upgrades?|branch|version))?\b/g;

const newGpuWords =
  /\bnew(?:er)? (?:gpus?|hardware|cards?|boards?|architectures?|generations?)\b|\b(?:gpus?|hardware|cards?) (?:that|which) the (?:old |base |host )?driver\b|\bunknown gpus?\b|\bunsupported gpus?\b/;

function newGpu(text: string): ClaimVerdict {
  return answer(
    truth(
      false,
      'gpu-driver-support',
      'the package brings user-mode libraries only: a GPU that the host module does not know stays unknown',
      restsOn,
    ),
    isNegated(text),
  );
}

/** What stays with the host: kernel module, graphics. */
function stays(text: string): ClaimVerdict | null {
  if (
    says(text, word.kernelModule) ||
    /\bkernel drivers?\b|\breboot\b|\bupgrades? the driver\b|\breplaces? the (?:host )?driver\b|\bnew driver\b/.test(
      text,
    )
  ) {
    if (says(text, word.userMode) && !/\bkernel modules? (?:too|as well|also)\b|\band the kernel/.test(text)) {
      return answer(
        truth(
          true,
          because,
          'the package holds libcuda and its user-mode companions; the kernel module stays that of the host',
          restsOn,
        ),
        isNegated(text.replace(/\bnot (?:a |the )?kernel[^,;]{0,30}/g, ' ')),
      );
    }
    const keeps = /\b(?:keeps?|stays?|unchanged|existing|untouched|remains?|old(?:er)? kernel module|talks? to)\b/.test(
      text,
    );
    const is = keeps || (/\bwithout\b/.test(text) && /\breboot|\bkernel module|\bupgrad|\breplac|\bchang/.test(text));
    const negated = isNegated(text.replace(/\bwithout\b/g, ' '));
    return answer(
      truth(is, because, 'the package brings user-mode libraries; the kernel module stays that of the host', restsOn),
      negated,
    );
  }
  if (/\b(?:opengl|vulkan|interop|graphics|nvenc|opencl)\b/.test(text)) {
    return answer(
      truth(
        false,
        because,
        'interop with OpenGL and Vulkan does not work with compat libraries, and graphics libraries stay those of the host',
        restsOn,
      ),
      isNegated(text),
    );
  }
  if (says(text, word.ptx)) {
    return answer(
      truth(true, because, 'the package carries its own JIT, so newer PTX compiles', restsOn),
      isNegated(text),
    );
  }
  return null;
}

/** A package that is older than the driver. */
function older(text: string): ClaimVerdict | null {
  const age =
    /\b(?:old(?:er)?|stale|outdated|lower|leftover)\b.{0,40}\b(?:compat|package|librar|libcuda)|\bcompat\b.{0,60}\b(?:older|lower) than\b|\bdriver (?:is |that is )?(?:already )?newer than\b|\bnewer (?:host )?driver\b|\bafter (?:a |the )?(?:driver )?upgrade\b|\bdriver (?:is|was|gets) upgraded\b|\bupgrading the driver\b/;
  if (!age.test(text)) return null;
  const message =
    'with an older libcuda in front of a newer kernel module the two do not pair: error 803. Remove the package from the search path when the driver is upgraded';
  const harmful =
    /\b(?:803|breaks?|fails?|mismatch|error|remove|removed|must go|problem|harm(?:s|ful)?|has to be removed|should be removed|taken off|take off|causes?)\b/.test(
      text,
    );
  const harmless =
    /\b(?:harmless|fine|ok|okay|safe|ignored|no effect|does no harm|not matter|works|keeps working|can stay|may stay|leave)\b/.test(
      text,
    );
  if (!harmful && !harmless) return null;
  return answer(
    truth(harmful && !harmless, because, message, restsOn),
    isNegated(text.replace(/\b(?:does )?no (?:harm|effect)\b|\bnot matter\b/g, ' ')),
  );
}

/** It must be on the search path. */
function path(text: string): ClaimVerdict | null {
  if (
    !/\bld_library_path\b|\bsearch path\b|\binstall\w{0,6}\b.{0,60}\b(?:enough|sufficient|suffices|automatically|activat\w{1,4})\b|\bautomatically\b/.test(
      text,
    )
  )
    return null;
  if (/\b(?:enough|sufficient|suffices|automatically|by itself|on its own|activat\w{1,4})\b/.test(text)) {
    return answer(
      truth(
        false,
        because,
        'the libraries count only when their folder comes first on the search path (by hand, by the container toolkit or by the image)',
        restsOn,
      ),
      isNegated(text),
    );
  }
  return answer(
    truth(true, because, 'the compat folder has to come first on the search path', restsOn),
    isNegated(text),
  );
}

/** Which base drivers? */
function drivers(text: string): ClaimVerdict | null {
  if (!/\bdrivers?\b|\bbranch|\bhosts?\b/.test(text)) return null;
  if (
    /\b(?:every|all|any|each|whatever|arbitrary|however old)\b[^,;]{0,30}\b(?:drivers?|branch(?:es)?|hosts?|versions?)\b/.test(
      text,
    )
  ) {
    return answer(
      truth(
        false,
        because,
        'only the base branches of the matrix are supported, and no base newer than the package',
        restsOn,
      ),
      isNegated(text),
    );
  }
  if (/\b(?:matrix|list(?:ed)?|certain|some|selected|specific|particular|lts|production)\b/.test(text)) {
    return answer(truth(true, because, 'the matrix of package and base branch decides', restsOn), isNegated(text));
  }
  if (
    /\bnew(?:er)? (?:cuda|toolkit|programs?|applications?|versions?)\b.{0,50}\bold(?:er)? (?:base )?drivers?\b|\bold(?:er)? (?:base )?drivers?\b.{0,60}\bnew(?:er)? (?:cuda|toolkit|programs?|applications?|versions?)\b/.test(
      text,
    )
  ) {
    return answer(
      truth(true, because, 'that is what it is for: a newer CUDA on an older base driver', restsOn),
      isNegated(text),
    );
  }
  return null;
}

/** What it is for. */
function purpose(text: string): ClaimVerdict | null {
  if (/\bolder (?:cuda|toolkit|programs?|applications?)\b.{0,40}\bnewer drivers?\b/.test(text)) {
    return answer(
      truth(
        false,
        because,
        'older programs on newer drivers are backward compatibility; forward compatibility is the reverse',
        restsOn,
      ),
      isNegated(text),
    );
  }
  return null;
}

/** What a container toolkit version does with the compat libraries of an image. */
function toolkitUses(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  const version = claim.containerToolkit;
  if (version === null || !/\bcompat\b|\bcuda-compat\b/.test(all)) return null;
  const mode =
    claim.mode === null || claim.mode === 'default' ? ((version[1] ?? 0) >= 18 ? 'jit-cdi' : 'legacy') : claim.mode;
  const compat = parseDriver('580.82.07');
  const host = parseDriver('570.195.03');
  if (compat === null || host === null) return null;
  const choice = compatChoice(version, mode, compat, host, [570]);
  if (choice.used === null)
    return answer(truth('depends', because, choice.because, ['container-toolkit-source']), false);
  return answer(
    truth(choice.used, because, choice.because, ['container-toolkit-source']),
    isNegated(main) !== /\b(?:ignores?|disables?|skips?|off)\b/.test(main),
  );
}

/** NGC images switch it on in their entrypoint. */
function entrypoint(text: string): ClaimVerdict | null {
  if (!/\bentry[- ]?point\b/.test(text)) return null;
  const loses =
    /\b(?:loses?|lost|disables?|off|without|breaks?|switch(?:es)? off|not used|gone|drops?)\b/.test(text) ||
    isNegated(text);
  const replaced = /\b(?:replac|overrid|overwrit|chang|own command|bypass|skip)/.test(text);
  const on = truth(
    true,
    because,
    "an NGC image's own entrypoint switches the compat libraries on; replacing it loses them",
    ['ngc-frameworks-matrix', 'triton-server-compatibility'],
  );
  if (replaced) return answer(on, !loses);
  return answer(on, loses);
}
