import type { Claim } from './claim-parts.ts';
import { isDenied, isNegated, says } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';
import { word } from './words.ts';

/** `older CUDA programs run on newer drivers`, `the driver has to match the toolkit`. */
export function backwardClaim(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const sources = ['cuda-minor-version-compat'];
  const why = 'backward';
  // `a driver can not be too new for an old program`
  if (
    /\bdrivers?\b[^,;]{0,40}\btoo (?:new|recent|modern)\b/.test(main) &&
    /\b(?:programs?|applications?|apps?|binar(?:y|ies)|builds?|wheels?|cuda|code)\b/.test(main) &&
    claim.gpus.length === 0 &&
    claim.drivers.length === 0
  )
    return answer(
      truth(false, why, 'older programs run on newer drivers, as long as the branch drives the GPU', sources),
      isNegated(main),
    );
  if (
    /\b(?:programs?|applications?|binar(?:y|ies)|builds?|wheels?|cuda|toolkits?|containers?|images?|code|versions?)\b/.test(
      main,
    ) &&
    /\bolder\b|\bold\b/.test(main) &&
    /\bnew(?:er)?\b.{0,30}\bdrivers?\b|\bdrivers?\b.{0,40}\bnewer\b/.test(main)
  ) {
    if (
      /\bnewer\b.{0,40}\b(?:programs?|cuda|toolkits?|wheels?|builds?)\b.{0,60}\bold(?:er)?\b.{0,20}\bdriver/.test(main)
    )
      return null;
    const breaks = /\b(?:breaks?|stops?|fails?|rebuil[dt]|recompil|problems?|trouble)\b/.test(main);
    return answer(
      truth(
        true,
        why,
        'older programs run on newer drivers, across majors too, as long as the branch drives the GPU',
        sources,
      ),
      isNegated(main.replace(/\bwithout (?:a )?(?:rebuil|recompil)\w*/g, ' ')) !== breaks,
    );
  }
  if (
    /\b(?:needs?|requires?|must|only)\b/.test(main) &&
    /\bdrivers?\b[^,;]{0,60}\b(?:reports?|serves?|supports?|shows?)\b[^,;]{0,40}\b(?:own|same|its|that|at least|equal|newer|higher)\b/.test(
      main,
    )
  ) {
    return answer(
      truth(
        false,
        'minor-version',
        'inside a CUDA major a program runs on a driver that reports an older minor, from the floor of the major on',
        sources,
      ),
      isNegated(main),
    );
  }
  if (
    /\bnewer drivers?\b|\bdrivers?\b[^,;]{0,20}\bnewer than (?:required|needed|necessary|the (?:minimum|toolkit|floor))/.test(
      main,
    ) &&
    says(main, word.fine)
  ) {
    return answer(truth(true, why, 'a driver may be newer than a program asks for', sources), isDenied(main));
  }
  if (/\bdrivers?\b/.test(main) && says(main, word.backward)) {
    return answer(truth(true, why, 'a newer driver runs programs of older CUDA versions', sources), isNegated(main));
  }
  if (
    /\bdrivers?\b/.test(main) &&
    /\b(?:exactly|same|match(?:es|ing)?|equal|identical)\b/.test(main) &&
    /\bcuda|\btoolkit/.test(main) &&
    /\b(?:must|has to|have to|needs? to|should|only|required|always)\b/.test(main)
  ) {
    return answer(
      truth(
        false,
        why,
        'the driver may be newer (backward compatibility), or older inside the major from the floor on (minor version compatibility)',
        sources,
      ),
      isNegated(main),
    );
  }
  return null;
}
