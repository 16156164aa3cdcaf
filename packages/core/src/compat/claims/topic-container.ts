import { compareCudaMinor, formatCudaMinor, parseCuda } from '../../versions/cuda.ts';
import type { CudaVersion } from '../../versions/cuda.ts';
import { driverLabel } from '../host-driver.ts';
import type { Claim } from './claim-parts.ts';
import { isNegated, says } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';
import { word } from './words.ts';

const because = 'image-requirement';
const restsOn = ['container-toolkit-constraints', 'container-toolkit-source'];

/** Statements about NVIDIA_REQUIRE_CUDA and what the container start refuses. */
export function requirementClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  const check =
    says(all, word.check) ||
    says(all, word.disable) ||
    (says(all, word.startRefused) && says(all, word.container)) ||
    (/\brequires?\b.{0,40}\b(?:newer|higher)\b/.test(all) && says(all, word.container) && says(all, word.refuse));
  const guarantee =
    says(all, word.container) &&
    /\bstarts?\b|\bstarted\b/.test(all) &&
    /\bguarantee[sd]?\b|\bproves?\b|\bproof\b/.test(all);
  if (!check && !guarantee) return null;
  const seen = /\bunsatisfied condition:? ?cuda ?>= ?(\d{1,2}\.\d{1,2})\b/.exec(all)?.[1];
  const host = claim.drivers[0]?.driver;
  if (
    seen !== undefined &&
    host?.serves != null &&
    (compareCudaMinor(host.serves, parseCuda(seen) as CudaVersion) ?? 0) < 0
  ) {
    const message = `the image asks for CUDA ${seen}; ${driverLabel(host)} serves ${formatCudaMinor(host.serves)}`;
    return answer(truth(true, because, message, restsOn), false);
  }
  if (says(all, word.disable)) return disabled(main);
  if (
    /\bngc\b|\bnvcr\.io\/nvidia\/(?!cuda\b)/.test(all) &&
    (says(main, word.startRefused) ||
      says(main, word.refuse) ||
      /\b(?:long|strict|full|brand)\b|\bcuda ?>=|\bdeclares?\b/.test(main))
  ) {
    const lenient = /\bcuda ?>= ?9(?:\.0)?\b|\b(?:never|not|hardly|only a|harmless|low|trivial|always passes)\b/.test(
      main,
    );
    return answer(
      truth(
        true,
        because,
        'framework images of NGC carry only cuda>=9.0: the start check does not refuse them; nvidia/cuda images carry the long list',
        restsOn,
      ),
      !lenient,
    );
  }
  if (/\bcuda_version\b/.test(all) && /\b(?:without|no|not|but)\b[^,;]{0,30}\bnvidia_require/.test(all)) {
    const checked = truth(
      claim.mode !== 'jit-cdi' && claim.mode !== 'cdi',
      because,
      'an image with CUDA_VERSION and no NVIDIA_REQUIRE_CUDA gets the implied requirement cuda>= that version in legacy mode',
      restsOn,
    );
    return answer(
      checked,
      isNegated(main.replace(/\b(?:without|no|not)\b[^,;]{0,30}\bnvidia_require\w*/g, ' ')) !==
        /\bignored?\b|\bskip/.test(main),
    );
  }
  if (guarantee)
    return answer(
      truth(
        false,
        because,
        'passing the start check proves little: it admits old branches by name and does not look at compat libraries or code',
        restsOn,
      ),
      isNegated(main),
    );
  if (
    /\bpass(?:es|ing|ed)?\b|\bstarts?\b.{0,30}\b(?:so|proves?|means?|guarantees?)\b|\bproves?\b|\bguarantees?\b|\bgets? (?:through|past)\b/.test(
      all,
    )
  ) {
    if (/\b(?:proves?|guarantees?|means?|will (?:run|work)|runs?|works?|enough|sure|certain)\b/.test(main)) {
      return answer(
        truth(
          false,
          because,
          'passing the start check proves little: it admits old branches by name and does not look at compat libraries or code',
          restsOn,
        ),
        isNegated(main),
      );
    }
  }
  if (/\bgeforce\b|\bconsumer\b/.test(all) && /\b12\.[5-9]\b|\b13\b|\bsince\b|\bfrom\b|\bnames?\b|\blist/.test(all)) {
    return answer(
      truth(false, because, 'from the 12.5 images on the requirement names no GeForce or TITAN brand', restsOn),
      isNegated(main) || /\b(?:refused|rejected|absent|left out|gone|missing|dropped)\b/.test(main),
    );
  }
  if (/\b(?:space|comma)s?\b/.test(main)) {
    const right =
      /\bspaces?\b[^,;]{0,30}\b(?:or|alternatives?|either)\b|\bcommas?\b[^,;]{0,30}\b(?:and|all|both)\b/.test(main);
    return answer(truth(right, because, 'a space means or, a comma means and', restsOn), isNegated(main));
  }
  if (
    /\bcompat\b/.test(main) &&
    /\b(?:counts?|considers?|takes? into account|looks? at|includes?|knows?)\b/.test(main)
  ) {
    return answer(
      truth(false, because, 'the check looks at the host driver; compat libraries of the image do not count', restsOn),
      isNegated(main),
    );
  }
  const both = eachMode(main);
  if (both !== null) return both;
  const mode = claim.mode;
  const version = claim.containerToolkit;
  const real =
    mode === 'default' || (mode === null && version !== null)
      ? version === null
        ? /\b(?:current|recent|new(?:er|est)?|latest|today)\b/.test(all)
          ? 'jit-cdi'
          : null
        : (version[0] ?? 0) > 1 || (version[1] ?? 0) >= 18
          ? 'jit-cdi'
          : 'legacy'
      : mode;
  const t = modeTruth(real);
  const ignores =
    /\b(?:ignores?|ignored|skips?|skipped|unchecked|unread|unevaluated|starts? anyway|still starts?|nevertheless starts?|lets? (?:it|them|every|any)|admits)\b/.test(
      main,
    );
  const onlyLegacy = says(main, word.only) && real === 'legacy';
  if (onlyLegacy)
    return answer(
      truth(true, because, 'legacy mode checks in full, CSV mode in part, cdi and jit-cdi not at all', restsOn),
      isNegated(main),
    );
  if (
    /\b(?:every|all|any|each|whatever|regardless|always|no matter)\b.{0,40}\b(?:modes?|containers?|toolkits?|versions?|images?)\b/.test(
      main,
    ) &&
    real === null
  )
    return answer(
      truth(
        false,
        because,
        'only legacy mode checks in full; jit-cdi, the default since 1.18.0, does not check',
        restsOn,
      ),
      isNegated(main),
    );
  return answer(t, isNegatedStart(main) !== ignores);
}

/** `legacy mode enforces it, cdi does not`: each part has its mode. */
function eachMode(main: string): ClaimVerdict | null {
  const parts = main.split(/[,;] (?:but |and |while |whereas )?| but | while | whereas /);
  const seen = parts.flatMap((part) => {
    const legacy = /\blegacy\b/.test(part);
    const cdi = /\bcdi\b/.test(part);
    if (legacy === cdi) return [];
    const ignores = /\b(?:ignores?|skips?|unchecked|bypass(?:es)?)\b/.test(part);
    return [{ legacy, checks: isNegatedStart(part) === ignores }];
  });
  if (seen.length < 2 || seen.every((one) => one.legacy) || !seen.some((one) => one.legacy)) return null;
  return answer(
    truth(
      seen.every((one) => one.legacy === one.checks),
      because,
      'legacy mode evaluates NVIDIA_REQUIRE_* before the container starts, cdi and jit-cdi do not',
      restsOn,
    ),
    false,
  );
}

/** `will not start` and `is not started` assert the refusal. */
function isNegatedStart(text: string): boolean {
  return isNegated(
    text.replace(
      /\b(?:will|does|do|did|would|can|could) not (?:even )?start\b|\bnot (?:be )?started\b|\bnever starts?\b/g,
      ' refused ',
    ),
  );
}

function modeTruth(mode: string | null): ReturnType<typeof truth> {
  switch (mode ?? 'unknown') {
    case 'legacy':
      return truth(true, because, 'legacy mode evaluates NVIDIA_REQUIRE_* before the container starts', restsOn);
    case 'cdi':
    case 'jit-cdi':
      return truth(
        false,
        because,
        `${mode} mode does not evaluate NVIDIA_REQUIRE_CUDA: the container starts and the program fails later`,
        restsOn,
      );
    case 'csv':
      return truth(
        'depends',
        because,
        'CSV mode evaluates cuda and arch only',
        restsOn,
        'which terms the requirement has',
      );
    default:
      return truth(
        'depends',
        because,
        'legacy mode checks; jit-cdi, the default since container toolkit 1.18.0, does not',
        restsOn,
        'injection mode and container toolkit version',
      );
  }
}

function disabled(main: string): ClaimVerdict {
  const runs =
    /\b(?:runs?|works?|fix(?:es)?|compatible|solves?|cures?|makes?)\b/.test(main) &&
    !/\b(?:check|start)s?\b/.test(main);
  if (runs)
    return answer(
      truth(
        false,
        because,
        'NVIDIA_DISABLE_REQUIRE only skips the start check; whether the program runs is another question',
        restsOn,
      ),
      isNegated(main),
    );
  return answer(
    truth(true, because, 'NVIDIA_DISABLE_REQUIRE=1 or true skips the start check', restsOn),
    isNegated(main),
  );
}

/** Which injection mode is the default. */
export function modeClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  if (claim.containerToolkit === null || !/\bdefault\b/.test(all) || !/\b(?:jit-?cdi|legacy|cdi)\b/.test(all))
    return null;
  const [major, minor] = claim.containerToolkit;
  const is18 = (major ?? 0) > 1 || (minor ?? 0) >= 18;
  const says18 = /\bjit-?cdi\b/.test(main) || (/\bcdi\b/.test(main) && !/\blegacy\b/.test(main));
  return answer(
    truth(says18 === is18, because, 'auto mode is legacy up to 1.17 and jit-cdi from 1.18.0 on', restsOn),
    isNegated(main),
  );
}
