import type { Claim } from './claim-parts.ts';
import { isNegated } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';

const installs =
  /\b(?:install(?:s|ed|ing)?|apt(?:-get)?|needs?|needed|required?|requires|must|have to|has to|should|put|add|necessary)\b/;
const linuxDriver = /\b(?:linux|nvidia|gpu|cuda|display)?[ -]?drivers?(?:-\d{3})?\b|\bnvidia-driver\b|\blibcuda\b/;

/** Statements about the driver under WSL: it is that of Windows, and a Linux driver inside breaks it. */
export function wslClaim(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  if (!/\bwsl ?2?\b/.test(all) || !linuxDriver.test(main)) return null;
  if (claim.cudas.length > 0 || claim.wheels.length > 0) return null;
  const statement = truth(
    true,
    'host-needs-driver-only',
    'under WSL the driver is that of Windows: its libcuda is mounted into the distribution, and no Linux driver belongs inside',
    ['cuda-wsl-guide'],
  );
  const fromWindows =
    /\b(?:from|by|of|on) (?:the )?windows\b|\bwindows (?:host )?(?:driver|side)\b|\bwindows driver\b/.test(main);
  const inside =
    /\b(?:inside|in|within|into)\b[^,;]{0,20}\b(?:wsl|distro|distribution|ubuntu|guest|linux)\b|\blinux\b|\bapt\b|\bnvidia-driver-\d{3}\b/.test(
      main,
    );
  if (inside && installs.test(main) && !(fromWindows && /\bnot\b|\bonly\b|\benough\b|\binstead\b/.test(main)))
    return answer(statement, !isNegated(main));
  if (fromWindows) return answer(statement, isNegated(main.replace(/\b(?:and |, )?not\b[^,;]{0,40}/, ' ')));
  return null;
}
