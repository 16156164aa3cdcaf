import { formatCudaMinor, parseCuda } from '../../versions/cuda.ts';
import { isDenied, isNegated, says } from './claim-text.ts';
import type { CudaVersion } from '../../versions/cuda.ts';
import { parseWheelVersion } from '../../versions/pep440.ts';
import { inRange } from '../wheel-lookup.ts';
import type { Claim, ClaimWheel } from './claim-parts.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';
import { word } from './words.ts';

/** What the CUDA version in nvidia-smi means. */
export function smiClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  if (!says(all, word.smi) && !/\bcuda version\b.{0,40}\b(?:driver|banner|header|table)\b/.test(all)) return null;
  const because = 'reading-nvidia-smi';
  const message =
    'nvidia-smi shows the newest CUDA version that the loaded libcuda serves; it says nothing of an installed toolkit or of what a program brings';
  const restsOn = ['cuda-forward-compat', 'cuda-minor-version-compat'];
  const installed =
    /\b(?:toolkit|installed|installation|nvcc|cuda runtime|runtime|libcudart|torch uses|pytorch uses|program uses|application uses|container's|in the container|of the container|inside the container|image|compiled with|must be installed|is present)\b/;
  const served =
    /\b(?:newest|highest|latest|maximum|max|most recent|up to|upper|ceiling|supports?|supported|serves?|capable|can serve|driver)\b/;
  if (
    says(main, word.need) &&
    /\b(?:at least|not (?:be )?(?:lower|older|less|below|smaller)|same or newer|newer or equal|as high as|as new as)\b/.test(
      main,
    ) &&
    /\b(?:wheel|program|container|toolkit|build|application|image|torch)\b/.test(main)
  ) {
    return answer(
      truth(
        false,
        'minor-version',
        'inside a CUDA major a program runs on a driver that reports an older minor, from the floor of the major on',
        restsOn,
      ),
      isNegated(main.replace(/\bnot (?:be )?(?:lower|older|less|below|smaller)/g, ' ')),
    );
  }
  // `has to be the one that nvidia-smi shows`
  if (
    says(main, word.need) &&
    /\b(?:the one|the same|same|equal|equals?|match(?:es)?|exactly|identical|what|that)\b/.test(main) &&
    /\b(?:wheel|program|container|toolkit|build|application|image|torch)s?\b/.test(main) &&
    claim.cudas.length === 0
  )
    return answer(truth(false, because, message, restsOn), isNegated(main));
  // `nothing above what nvidia-smi prints`: inside the major newer programs run, from the floor on.
  if (
    /\b(?:above|beyond|over|past|exceed\w*|newer than|higher than|greater than|later than|more than)\b[^,;]{0,50}\bnvidia-smi\b|\bnvidia-smi\b[^,;]{0,50}\b(?:hard |upper )?(?:limit|ceiling|cap|maximum you can)\b(?! (?:of|for) (?:the |that |its |this )?(?:\w+ )?driver)/.test(
      main,
    ) &&
    claim.cudas.length === 0
  ) {
    const ceiling = /\b(?:limit|ceiling|cap|maximum you can)\b/.test(main);
    return answer(
      truth(
        true,
        'minor-version',
        'inside a CUDA major a program runs on a driver that reports an older minor, from the floor of the major on',
        restsOn,
      ),
      isNegated(main) !== ceiling,
    );
  }
  // A difference between nvidia-smi and another number is said to be a fault.
  const other = claim.nvccCuda ?? claim.torchCuda ?? (claim.smiCuda !== null ? (claim.cudas[0] ?? null) : null);
  const twoNumbers =
    other !== null ||
    /\bnvcc\b|\btoolkit\b|\btorch\b|\bcontainer\b|\bno cuda\b|\bno toolkit\b/.test(all.replace(main, ' ')) ||
    /\b(?:differs?|different|disagrees?|does not match|do not match|not match|mismatch)\b/.test(all);
  if (
    twoNumbers &&
    (says(main, word.broken) || says(main, word.fine) || /\b(?:differs?|different|disagree)\b/.test(main))
  ) {
    if (says(main, word.fine) && !/\bnot (?:fine|ok|okay|safe|normal)\b/.test(main))
      return answer(truth(true, because, message, restsOn), false);
    return answer(truth(false, because, message, restsOn), isNegated(main));
  }
  if (
    claim.text.premise !== '' &&
    !says(main, word.smi) &&
    /\b(?:must|has to|have to|needs? to|should|can only)\b/.test(main) &&
    /\b(?:build|version|wheel|toolkit|cuda|\d+\.\d+)\b/.test(main)
  ) {
    return answer(truth(false, because, message, restsOn), isNegated(main));
  }
  const stripped = main.replace(/(?:, |,? and |,? but )?\b(?:not|rather than|instead of)\b[^,;]{0,80}/g, (part) =>
    installed.test(part) ? ' ' : part,
  );
  const deniesInstalled = stripped !== main;
  if (
    served.test(stripped) &&
    !/\b(?:installed|nvcc|toolkit)\b/.test(stripped.replace(/\bno toolkit\b[^,;]{0,40}/g, ' '))
  ) {
    return answer(truth(true, because, message, restsOn), isNegated(stripped));
  }
  if (installed.test(stripped)) return answer(truth(false, because, message, restsOn), isNegated(stripped));
  if (deniesInstalled) return answer(truth(true, because, message, restsOn), false);
  return null;
}

/** nvcc and the CUDA version of a wheel are two things. */
export function nvccClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  if (!/\bnvcc\b/.test(all) && !(claim.torchCuda !== null && /\btoolkit\b/.test(all))) return null;
  const framework =
    claim.torchCuda !== null ||
    claim.wheels.length > 0 ||
    /\btorch|\bwheel|\bjax\b|\btensorflow\b|\bpip\b|\bframework\b|\bruntime\b|\bprogram\b/.test(all);
  if (!framework) return null;
  const because = 'nvcc-is-not-runtime';
  const message =
    'nvcc is the compiler on the path; a wheel brings the CUDA runtime it was built with. The two have to fit only when an extension is compiled';
  const restsOn = ['pytorch-release-matrix', 'cuda-minor-version-compat'];
  const compiles =
    /\b(?:compil(?:e|es|ed|ing)|extensions?|from source|build(?:ing)? (?:an? |the |cuda )?(?:extension|kernels?|flash))\b/.test(
      all,
    );
  if (compiles) return answer(truth(true, because, message, restsOn), isNegated(main) && !says(main, word.fine));
  if (/\binstall/.test(main) && says(main, word.host))
    return answer(truth(false, because, message, restsOn), isNegated(main));
  if (/\bnvcc\b/.test(claim.text.premise) && /\b(?:can not|not) (?:be )?(?:use|used|run|install|work)/.test(main)) {
    return answer(truth(false, because, message, restsOn), false);
  }
  if (says(main, word.fine) && !/\bnot (?:fine|ok|okay|safe|normal)\b/.test(main))
    return answer(truth(true, because, message, restsOn), false);
  if (
    says(main, word.broken) ||
    says(main, word.need) ||
    /\b(?:same|equal|identical|match|tells|decides|determines|is what|uses|used by|shows which|cause|reason|why|wrong|belongs?|the one|runs with)\b/.test(
      main,
    )
  ) {
    return answer(truth(false, because, message, restsOn), isNegated(main));
  }
  return null;
}

/** Is a toolkit needed on the host? */
export function hostToolkitClaim(claim: Claim): ClaimVerdict | null {
  const { all } = claim.text;
  const main = claim.text.main.replace(/\b(?:nvidia )?container[- ]toolkit\b/g, 'container runtime');
  const because = 'host-needs-driver-only';
  const message = 'the host needs the driver only; CUDA libraries come with the image or the wheel';
  const restsOn = ['cuda-minor-version-compat', 'container-toolkit-docs'];
  const inside =
    says(all, word.container) ||
    claim.wheels.length > 0 ||
    /\bwheels?\b|\bpip\b|\bprogram|\bapplication|\bpytorch\b|\btorch\b/.test(all);
  const compiles =
    says(main, /\b(?:compil(?:e|es|ed|ing)|from source|nvcc|extensions?)\b/) && !/\bnot? (?:compil|build)/.test(main);
  if (
    says(main, word.host) &&
    /\btoolkit\b|\bnvcc\b|\bcuda\b/.test(main) &&
    says(all, word.container) &&
    /\b(?:irrelevant|does not matter|do not matter|no matter|plays no role|unimportant)\b/.test(main)
  ) {
    return answer(truth(true, because, message, restsOn), false);
  }
  // `wheels bring their runtime, so only the driver matters`
  if (
    inside &&
    /\bonly (?:the |your |our |a )?(?:nvidia |host |gpu )?drivers?(?: version)? (?:matters?|counts?|is (?:needed|required|relevant|important|what)|has to|needs? to|must)\b|\b(?:the )?drivers? is (?:all|the only)\b/.test(
      main,
    )
  )
    return answer(truth(true, because, message, restsOn), isNegated(main));
  // `the host has no toolkit, so containers will not run`
  if (
    /\b(?:no|without|not have|lacks?|missing|not (?:have )?(?:the )?(?:cuda )?(?:toolkit )?installed)\b/.test(
      claim.text.premise,
    ) &&
    says(claim.text.premise, word.host) &&
    /\btoolkit\b|\bnvcc\b|\bcuda\b/.test(claim.text.premise.replace(/\bcontainer[- ]toolkit\b/g, ' ')) &&
    !/\bdrivers?\b/.test(claim.text.premise) &&
    (says(main, word.container) || claim.wheels.length > 0 || /\b(?:py)?torch\b|\bwheels?\b/.test(main)) &&
    (says(main, word.run) || says(main, word.broken) || says(main, word.refuse))
  )
    return answer(truth(true, because, message, restsOn), isDenied(main));
  // `only the driver is needed on the host`
  if (
    says(main, word.host) &&
    /\bdriver\b/.test(main) &&
    (says(main, word.only) ||
      /\b(?:enough|sufficient|suffices|all (?:you|we|that)|nothing else|nothing more)\b/.test(main))
  ) {
    return answer(
      truth(true, because, message, restsOn),
      isNegated(
        main.replace(
          /\bnothing (?:else|more)\b|\bno (?:cuda )?toolkit\b|,? (?:and |but )?not (?:the )?(?:cuda|toolkit|nvcc)\b[^,;]{0,30}/g,
          ' ',
        ),
      ),
    );
  }
  // The host's CUDA has to equal the container's.
  if (
    says(main, word.container) &&
    says(main, word.host) &&
    /\b(?:same|match(?:es|ing)?|equal|identical|exactly)\b/.test(main) &&
    /\bcuda|toolkit|version/.test(main)
  ) {
    return answer(truth(false, because, message, restsOn), isNegated(main));
  }
  if (
    !says(main, word.toolkit) &&
    !/\bcuda \d[\d.]* (?:on|in) the (?:host|node|machine|server)|\binstall(?:ed|ing)? cuda\b|\b(?:having|have|without) cuda\b|\bcuda (?:toolkit )?on (?:the |your |our |my )?(?:host|node|machine|server|system|box)|\bcuda (?:\d[\d.]* )?(?:has to|must|needs to|should|to) be (?:installed|present|there)\b|\bcuda (?:\d[\d.]* )?(?:is )?(?:installed|needed|required)\b/.test(
      main,
    )
  )
    return null;
  const place = says(main, word.host) || /\binstall(?:ed|ing|s)?\b|\bhave\b|\bpresent\b/.test(main);
  if (!place || !inside) return null;
  if (
    !says(main, word.need) &&
    !/\binstall|\bwithout\b|\bneed|\bshould\b|\bhave to\b|\bonly (?:runs?|works?)\b/.test(main)
  )
    return null;
  if (compiles && !says(main, word.container))
    return answer(
      truth(true, 'nvcc-is-not-runtime', 'compiling an extension needs nvcc; running a wheel does not', restsOn),
      isNegated(main),
    );
  return answer(truth(false, because, message, restsOn), isNegated(main));
}

/** Wheels bring cuDNN and NCCL with them. */
export function bundledClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  if (!says(all, word.bundledLibrary)) return null;
  const wheel = claim.wheels.length > 0 || /\b(?:py)?torch\b|\bwheels?\b|\bpip\b|\bjax\b|\bpytorch\b/.test(all);
  if (!wheel) return null;
  const because = 'bundled-libraries';
  const [torch] = claim.wheels;
  const row =
    torch?.version == null
      ? undefined
      : claim.tables.torch
          .get(torch.version.split('.').slice(0, 2).join('.'))
          ?.find((one) => torch.variant === null || one.variant === torch.variant);
  const pins = row === undefined ? '' : ` (cuDNN ${row.cudnn ?? '?'}, NCCL ${row.nccl ?? '?'})`;
  const message = `a wheel pins and brings its own cuDNN and NCCL${pins}; a copy on the system is not what it loads`;
  const restsOn = row?.sources ?? ['pytorch-release-matrix'];
  const system =
    /\b(?:apt|apt-get|yum|dnf|deb|rpm|system(?:-wide)?|hosts?|nodes?|machines?|servers?|os|cluster|globally|\/usr\/lib|locally installed)\b/;
  const own =
    /\b(?:bundles?|bundled|brings?|brought|ships?|shipped|contains?|carry|carries|includes?|included|comes? with|its own|their own|own cop(?:y|ies)|inside the wheel|packaged|pins?|pinned|site-packages|of the wheel|in the wheel)\b/;
  // `torch 2.7 ships NCCL 2.26.2`: the pin decides.
  const named = claim.nccl ?? claim.cudnn;
  const pin = claim.nccl === null ? row?.cudnn : row?.nccl;
  if (named !== null && pin != null && own.test(main) && !system.test(main)) {
    const rows = (claim.tables.torch.get(torch?.version?.split('.').slice(0, 2).join('.') ?? '') ?? []).filter(
      (one) => torch?.variant == null || one.variant === torch.variant,
    );
    const fits = rows.map((one) => `${(claim.nccl === null ? one.cudnn : one.nccl) ?? ''}.`.startsWith(`${named}.`));
    const is = fits.every((one) => one) ? true : fits.some((one) => one) ? 'depends' : false;
    return answer(truth(is, because, message, restsOn, 'the CUDA variant of the wheel'), isNegated(main));
  }
  // `LD_LIBRARY_PATH can put another copy in front`
  if (/\bld_library_path\b|\bld_preload\b/.test(all)) {
    return answer(
      truth(true, because, 'a library on LD_LIBRARY_PATH goes before the one that the wheel brings', restsOn),
      isNegated(main),
    );
  }
  const acts =
    /\b(?:upgrad(?:e|es|ed|ing)|updat(?:e|es|ed|ing)|install(?:ed|ing|s)?|reinstall|downgrad(?:e|es|ing)|replac(?:e|es|ing)|chang(?:e|es|ing))\b/.test(
      main,
    );
  const uses =
    /\b(?:uses?|used|needed|required|necessary|loads?|loaded|picks?|links?|decides?|matters?|counts?|takes?|effective|running|runs on|relies|what|needs?|requires?|depends|must|has to|have to|finds?)\b/.test(
      main,
    );
  if (
    system.test(main) &&
    /\b(?:irrelevant|does not matter|do not matter|no matter|no effect|no role|not used|unused|ignored)\b/.test(main)
  ) {
    return answer(truth(true, because, message, restsOn), false);
  }
  if (
    own.test(main) &&
    !acts &&
    !(system.test(main) && uses && !/\bits own\b|\btheir own\b|\bbring|\bbundle|\bship/.test(main))
  )
    return answer(truth(true, because, message, restsOn), isNegated(main));
  const anaphoric = !says(main, word.bundledLibrary) && /\b(?:it|that|this|them|those|one|ones|copy)\b/.test(main);
  if (
    acts &&
    (system.test(anaphoric ? all : main) || says(main, word.fix) || /\bplease\b|\bshould\b|\bmust\b|\bneed/.test(main))
  ) {
    return answer(truth(false, because, message, restsOn), isNegated(main));
  }
  if (system.test(main) && /\btoo (?:old|new)\b|\boutdated\b|\bwrong version\b|\bdoes not (?:fit|match)\b/.test(main)) {
    return answer(truth(false, because, message, restsOn), isNegated(main.replace(/\bdoes not (?:fit|match)\b/g, ' ')));
  }
  if (system.test(main) && uses) return answer(truth(false, because, message, restsOn), isNegated(main));
  return null;
}

/** The CUDA version that a wheel is built with. */
export function wheelBuildClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  const [wheel] = claim.wheels;
  const named = claim.wheels.find((one) => one.version === null && one.variant !== null && one !== wheel)?.variant;
  const cuda = claim.cudas[0] ?? claim.torchCuda ?? (named == null ? null : parseCuda(named));
  if (wheel !== undefined && wheel.name !== 'torch' && wheel.version !== null && cuda != null)
    return projectBuild(claim, wheel, cuda);
  if (wheel?.name !== 'torch' || wheel.version === null || cuda == null) return null;
  if (
    !/\b(?:built|builds?|compiled|default|pypi|plain pip|pip install|ships?|comes|is the|is a|brings?|uses|contains)\b/.test(
      main,
    )
  )
    return null;
  const rows = claim.tables.torch.get(wheel.version.split('.').slice(0, 2).join('.'));
  if (rows === undefined) return null;
  const text = formatCudaMinor(cuda);
  const sameMajor = cuda.minor === null ? `${cuda.major}.` : null;
  const isDefault = /\b(?:default|pypi|plain pip|pip install|plain)\b/.test(all);
  const candidates = isDefault
    ? rows.filter((row) => row.default !== false)
    : rows.filter((row) => wheel.variant === null || row.variant === wheel.variant);
  if (candidates.length === 0) return null;
  const sources = candidates[0]?.sources ?? [];
  if (isDefault && candidates.some((row) => row.default === null))
    return answer(
      truth(
        'depends',
        'backward',
        `which build of torch ${wheel.version} is the default is not clear`,
        sources,
        'torch.version.cuda',
      ),
      isNegated(main),
    );
  const fits = (built: string): boolean => (sameMajor === null ? built === text : built.startsWith(sameMajor));
  const hit = candidates.some((row) => fits(row.cuda));
  const all1 = candidates.every((row) => fits(row.cuda));
  const list = candidates.map((row) => row.cuda).join(', ');
  return answer(
    truth(
      hit && !all1 && wheel.variant === null ? (isDefault ? hit : 'depends') : hit,
      'backward',
      `torch ${wheel.version}${isDefault ? ' on PyPI' : ''} is built with CUDA ${list}`,
      sources,
      'the variant of the wheel',
    ),
    isNegated(main),
  );
}

/** `tensorflow 2.18 was built with CUDA 12.5`. */
function projectBuild(claim: Claim, wheel: ClaimWheel, cuda: CudaVersion): ClaimVerdict | null {
  const { main } = claim.text;
  const version = wheel.version === null ? null : parseWheelVersion(wheel.version);
  if (version === null || !/\b(?:built|builds?|compiled|uses|is for|made)\b/.test(main)) return null;
  const row = claim.tables.projects
    .get(wheel.name)
    ?.find((one) => one.builtWith !== null && one.confirmed && inRange(version, one.range));
  if (row?.builtWith == null) return null;
  return answer(
    truth(
      row.builtWith === formatCudaMinor(cuda),
      'backward',
      `${wheel.name} ${wheel.version ?? ''} is built with CUDA ${row.builtWith}`,
      row.sources,
    ),
    isNegated(main),
  );
}
