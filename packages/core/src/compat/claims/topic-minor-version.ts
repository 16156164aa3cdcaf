import { relationOf } from '../floors.ts';
import { driverLabel } from '../host-driver.ts';
import type { Claim } from './claim-parts.ts';
import { isNegated, says } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';
import { word } from './words.ts';

/** Statements about minor version compatibility, and about backward compatibility. */
export function minorVersionClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  const named = says(all, word.minorCompat);
  const floors =
    /\b(?:each|every|all|any)\b[^,;]{0,40}\b(?:minor|toolkit|cuda (?:release|version|minor))\b[^,;]{0,60}\b(?:minimum|own|floor|needs?|requires?|driver)\b|\bminimum driver (?:per|for each|for every|of each)\b|\bper (?:cuda )?(?:minor|major\.minor|release)\b/.test(
      main,
    );
  const sources = ['cuda-minor-version-compat', 'cuda-release-notes'];
  const why = 'minor-version';
  if (floors && !/\bshipped|\bpackaged|\bbundled|\bcame with\b/.test(main)) {
    const perMajor = /\b(?:per|each|every|for a whole|one)\b[^,;]{0,20}\bmajor\b(?!\.| ?and minor| ?minor)/.test(main);
    const old = /\bcuda (?:10|9|8)\b|\bbefore (?:cuda )?11\b/.test(main);
    return answer(
      truth(
        perMajor || old,
        why,
        'since CUDA 11 one floor holds for the whole major: 11.x 450.80.02, 12.x 525.60.13, 13.x 580; before, each toolkit had its own',
        sources,
      ),
      isNegated(main),
    );
  }
  if (/\bone (?:driver )?floor\b.{0,40}\bmajor\b|\bfloor\b.{0,30}\bper (?:cuda )?major\b/.test(main))
    return answer(truth(true, why, 'since CUDA 11 one floor holds for the whole major', sources), isNegated(main));
  const shipped =
    /\bdrivers?\b[^,;]{0,30}\b(?:shipped|packaged|bundled|came|comes|delivered|released)\b[^,;]{0,30}\b(?:toolkit|cuda)\b|\btoolkit'?s? (?:own )?driver\b/.test(
      main,
    );
  if (shipped && says(main, word.need)) {
    return answer(
      truth(
        false,
        why,
        'the driver packaged with a toolkit is not what its programs need: one floor holds for the whole major',
        sources,
      ),
      isNegated(main),
    );
  }
  const majorsNamed = new Set(claim.cudas.map((one) => one.major));
  if (
    /\b(?:one|same|common|single|shared?)\b[^,;]{0,30}\b(?:minimum(?: driver)?|floor|driver)\b|\bshares?\b[^,;]{0,30}\b(?:minimum|floor|driver)\b/.test(
      main,
    ) &&
    (majorsNamed.size > 0 || says(main, word.major) || /\bminor (?:versions?|releases?)\b/.test(main)) &&
    claim.drivers.length === 0
  ) {
    const [major] = majorsNamed;
    const is = majorsNamed.size <= 1 && (major === undefined || major >= 11);
    return answer(truth(is, why, 'since CUDA 11 one floor holds for the whole major', sources), isNegated(main));
  }
  const newRelease =
    /\b(?:new|newer|next|every|each|any)\b[^,;]{0,30}\b(minor|major)\b(?: version| release| update| step)?[^,;]{0,40}\b(?:needs?|requires?|raises?|means?|demands?|forces?)\b[^,;]{0,30}\bdriver/.exec(
      main,
    );
  if (newRelease !== null) {
    const isMajor = newRelease[1] === 'major';
    return answer(
      truth(
        isMajor,
        isMajor ? 'minimum-driver' : why,
        'a new minor keeps the floor of its major; a new major raises it',
        sources,
      ),
      isNegated(main),
    );
  }
  if (!named) return null;
  if (says(main, word.ptx) || says(main, word.sass)) {
    const t = truth(
      true,
      why,
      'under minor version compatibility newer PTX can not be compiled by the older driver (error 222): machine code for the GPU has to be inside',
      sources,
    );
    if (says(main, word.sass) && !says(main, word.ptx)) return answer(t, isNegated(main));
    const works =
      /\b(?:can|may|might|will|jit[- ]compile[sd]?|compiles?|compiled|required|needed|needs?|relies|uses?|kicks in|falls back|handled|works?)\b/.test(
        main,
      );
    return works ? answer({ ...t, is: false }, isNegated(main)) : null;
  }
  const spans = new Set(claim.cudas.map((one) => one.major));
  if (
    spans.size > 1 &&
    claim.drivers.length === 0 &&
    /\b(?:spans?|cross(?:es)?|covers?|across|between|from|reach(?:es)?|both|bridges?|over|extends?|includes?|lets|allows?)\b/.test(
      main,
    )
  )
    return answer(truth(false, why, 'minor version compatibility stays inside a CUDA major', sources), isNegated(main));
  if (says(main, word.major)) {
    const inside =
      /\b(?:inside|within|same|one|single|shares?|common|equal|identical)\b/.test(main) &&
      !/\bcross|\bacross\b/.test(main);
    return answer(
      truth(inside, why, 'minor version compatibility stays inside a CUDA major', sources),
      isNegated(main),
    );
  }
  const [cuda] = claim.cudas;
  if (
    cuda !== undefined &&
    /\b(?:since|from|introduced|starts?|began|exists?|applies|apply|available|covers?|for|in|before)\b/.test(main) &&
    claim.drivers.length === 0
  ) {
    if (/\b(?:since|from|introduced (?:with|in)|starts? with|began with)\b/.test(main))
      return answer(
        truth(cuda.major === 11, why, 'minor version compatibility exists since CUDA 11', sources),
        isNegated(main),
      );
    return answer(
      truth(cuda.major >= 11, why, 'minor version compatibility exists since CUDA 11', sources),
      isNegated(main),
    );
  }
  const [phrase] = claim.drivers;
  const [wheel] = claim.wheels;
  if (
    phrase !== undefined &&
    phrase.driver.serves !== null &&
    /\b(?:example|case|is|lets|allows|makes|enables|shows?|demonstrates?|because of|thanks to|by|due to|means|relies|needs?)\b/.test(
      all,
    )
  ) {
    const program = cuda ?? (wheel?.variant == null ? null : parseVariant(wheel.variant));
    if (program !== null) {
      const relation = relationOf(program, phrase.driver, claim.tables);
      const host = driverLabel(phrase.driver);
      if (relation === 'minor-version')
        return answer(
          truth(true, why, 'a newer minor on an older driver of the major: that is it', sources),
          isNegated(main),
        );
      if (relation === 'backward')
        return answer(
          truth(false, 'backward', `${host} serves it already: that is backward compatibility`, sources),
          isNegated(main),
        );
      if (relation === 'none')
        return answer(
          truth(
            false,
            'minimum-driver',
            `${host} does not run it: it is of another major, or below the floor`,
            sources,
          ),
          isNegated(main),
        );
      return null;
    }
  }
  if (/\bdatacenter\b|\bgeforce\b|\bgpu class\b|\bevery gpu\b|\ball gpus\b|\bany gpu\b/.test(main)) {
    const limited = says(main, word.only) && says(main, word.datacenter);
    return answer(
      truth(!limited, why, 'minor version compatibility holds on every GPU class', sources),
      isNegated(main),
    );
  }
  if (/\b(?:extra|separate|additional|package|cuda-compat|compat libraries|compat package)\b/.test(main)) {
    return answer(truth(false, why, 'minor version compatibility needs no package', sources), isNegated(main));
  }
  if (/\bnewer\b.{0,60}\bolder\b.{0,20}\bdriver/.test(main))
    return answer(
      truth(true, why, 'a newer minor runs on an older driver of the same major, from the floor on', sources),
      isNegated(main),
    );
  if (/\bolder\b.{0,60}\bnewer\b.{0,20}\bdriver/.test(main))
    return answer(
      truth(false, 'backward', 'an older program on a newer driver is backward compatibility', sources),
      isNegated(main),
    );
  return null;
}

function parseVariant(
  variant: string,
): { readonly major: number; readonly minor: number | null; readonly patch: null } | null {
  const match = /^cu(\d{2})(\d)$/.exec(variant);
  return match === null ? null : { major: Number(match[1]), minor: Number(match[2]), patch: null };
}
