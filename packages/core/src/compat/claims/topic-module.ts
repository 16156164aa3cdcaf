import { moduleFlavourStep } from '../gpu-support.ts';
import type { Gpu } from '../gpu-name.ts';
import type { Claim } from './claim-parts.ts';
import { isNegated, says } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';
import { word } from './words.ts';

const because = 'module-flavour';
const restsOn = ['driver-kernel-modules'];

/** Statements about open and proprietary kernel modules. */
export function moduleClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  const open = says(all, word.open) || (/\bopen\b/.test(all) && /\bmodules?\b|\bflavou?r\b|\bkmod/.test(all));
  const proprietary = says(all, word.proprietary);
  const either =
    /\b(?:both|either)\b[^,;]{0,20}\b(?:flavou?rs?|kinds?|kernel modules?|modules?)\b/.test(main) &&
    claim.gpus.length > 0;
  if (either) return eitherFlavour(claim.gpus.flat(), claim);
  if (!open && !proprietary) return null;
  const gpus = claim.gpus.flat();
  if (gpus.length > 0) return onGpus(gpus, open && !/\bproprietary\b/.test(main), claim);
  if (says(main, /\bgpudirect|\bdma-?buf\b|\bgds\b/))
    return answer(
      truth(true, because, 'DMA-BUF and GPUDirect Storage need the open modules', restsOn),
      isNegated(main),
    );
  if (/\bdefault\b/.test(main)) {
    const branch = claim.drivers[0]?.driver.version.branch;
    if (branch === undefined) return null;
    const since = /\b(?:since|from|starting|onwards?|on\b)/.test(main);
    return answer(
      truth(
        since ? branch === 560 : branch >= 560,
        because,
        'installers choose the open modules by default from R560 on, where the GPU allows',
        restsOn,
      ),
      isNegated(main),
    );
  }
  if (
    open &&
    /\b(?:mandatory|required|needs?|must|only|compulsory|obligatory|requires?)\b/.test(main) &&
    claim.drivers[0] !== undefined
  ) {
    const row = claim.drivers[0].driver.branch;
    if (row === null || (row.openModule === 'only' && !row.confirmedFields.openModule)) return null;
    return answer(
      truth(
        row.openModule === 'only',
        because,
        'from R560 on the open modules are the default where the GPU allows; only GH200 and Blackwell need them',
        restsOn,
      ),
      isNegated(main),
    );
  }
  if (/\b(?:every|all|any|each)\b[^,;]{0,25}\b(?:gpus?|cards?|boards?|architectures?)\b/.test(main)) {
    return answer(
      truth(
        false,
        because,
        'open modules need Turing or newer; Maxwell, Pascal and Volta take the proprietary ones, GH200 and Blackwell the open ones',
        restsOn,
      ),
      isNegated(main),
    );
  }
  return null;
}

function eitherFlavour(gpus: readonly Gpu[], claim: Claim): ClaimVerdict | null {
  const driver = claim.drivers[0]?.driver ?? null;
  const truths = (['open', 'proprietary'] as const).flatMap((flavour) =>
    gpus.map((gpu) => moduleFlavourStep(flavour, gpu, driver, claim.tables)?.holds ?? null),
  );
  if (truths.includes(null)) return null;
  return answer(
    truth(
      truths.every((one) => one),
      because,
      'either flavour drives Turing to Hopper; older GPUs take the proprietary one, GH200 and Blackwell the open one',
      restsOn,
    ),
    isNegated(claim.text.main),
  );
}

function onGpus(gpus: readonly Gpu[], open: boolean, claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const driver = claim.drivers[0]?.driver ?? null;
  const label = gpus[0]?.printed ?? '';
  const works = (flavour: 'open' | 'proprietary'): boolean | null => {
    const truths = gpus.map((gpu) => moduleFlavourStep(flavour, gpu, driver, claim.tables)?.holds ?? null);
    const [first] = truths;
    return first !== undefined && truths.every((one) => one === first) ? first : null;
  };
  const withOpen = works('open');
  const withProprietary = works('proprietary');
  // `open modules need Turing or newer`: the oldest GPU that a flavour drives.
  const beyond = /\b(?:or|and) (?:newer|later|above|up|younger)\b|\bonwards?\b|\bat least\b/.test(main);
  const subjectIsModule =
    /\bmodules?\b|\bflavou?r\b/.test(main) &&
    main.search(/\bopen\b|\bproprietary\b/) < main.search(new RegExp(`\\b${escaped(label)}`));
  if (beyond && subjectIsModule && open) {
    const oldest = gpus.every((gpu) => gpu.architecture === 'Turing');
    return answer(
      truth(oldest, because, 'Turing is the oldest architecture that the open modules drive', restsOn),
      isNegated(main),
    );
  }
  const need =
    /\b(?:needs?|requires?|required|must|only|mandatory|has to|have to|necessary|exclusively|solely|obligatory|compulsory|obliged|forced|inevitable|unavoidable|essential|a must)\b/.test(
      main,
    );
  // `Volta and older`, `Turing or newer`: the rule of the generation that is named and of those beyond it.
  const denies = isNegated(main);
  if (need) {
    const mine = open ? withOpen : withProprietary;
    const other = open ? withProprietary : withOpen;
    // Some product of the name takes the other flavour too: not all of them need this one.
    if (mine === true && other === null)
      return answer(truth(false, because, `not every ${label} needs one flavour`, restsOn), denies);
    if (mine === null || other === null)
      return answer(truth('depends', because, `products of ${label} differ`, restsOn, 'the GPU model'), false);
    const flavour = open ? 'open' : 'proprietary';
    if (/\b(?:can|may) not\b.{0,40}\bonly\b/.test(main)) return null;
    return answer(
      truth(
        mine && !other,
        because,
        mine && !other
          ? `${label} works with the ${flavour} modules only`
          : mine
            ? `${label} works with either flavour`
            : `${label} does not work with the ${flavour} modules`,
        restsOn,
      ),
      denies,
    );
  }
  const mine = open ? withOpen : withProprietary;
  if (mine === null)
    return answer(truth('depends', because, `products of ${label} differ`, restsOn, 'the GPU model'), false);
  const fails = /\b(?:fails?|no devices?|refuses?|unsupported|breaks?|finds? (?:no|nothing))\b/.test(main);
  return answer(
    truth(
      mine,
      because,
      `${label} ${mine ? 'works' : 'does not work'} with the ${open ? 'open' : 'proprietary'} modules`,
      restsOn,
    ),
    isNegated(main.replace(/\bno devices?\b|\bfinds? nothing\b/g, ' ')) !== fails,
  );
}

function escaped(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9 ]/g, '.');
}
