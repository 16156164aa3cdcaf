import { formatCudaMinor } from '../../versions/cuda.ts';
import type { BranchRow } from '../../knowledge/branches.types.ts';
import type { Claim } from './claim-parts.ts';
import { isNegated } from './claim-text.ts';
import { answer, truth } from './verdict.ts';
import type { ClaimVerdict } from './verdict.ts';

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** Statements about kinds of branches, their ends, and which toolkits came out. */
export function lifecycleClaim(claim: Claim): ClaimVerdict | null {
  return toolkitExists(claim) ?? afterEnd(claim) ?? branchKind(claim) ?? branchEnd(claim);
}

function onlyBranch(claim: Claim): BranchRow | null {
  const [phrase, ...others] = claim.drivers;
  if (phrase === undefined || others.length > 0 || claim.wheels.length > 0 || claim.gpus.length > 0) return null;
  return phrase.driver.branch;
}

/** `after its end of life the programs stop working`: an end of support ends fixes, and nothing that runs. */
function afterEnd(claim: Claim): ClaimVerdict | null {
  const { all, main } = claim.text;
  if (
    !/\bend[- ]of[- ](?:life|support)\b|\beol(?:'?ed)?\b|\bout of (?:support|life)\b|\b(?:lost|loses|lose) (?:its )?support\b|\bsupport (?:has )?(?:ended|ends|expired|ran out)\b|\bunmaintained\b/.test(
      all,
    )
  )
    return null;
  const parts = main.split(/[,;]| and /);
  const keeps =
    /\b(?:(?:keeps?|goes on|go on|continues?|carry on|carries on) (?:on )?(?:running|working|to (?:run|work))|still (?:runs?|works?)|runs? on|(?:runs?|works?|behaves?) (?:as before|as ever|the same)|unaffected)\b/;
  const stops =
    /\b(?:stops?|stopped|ceases?|quits?|breaks?|broken|fails?|refuses?|dies)\b|\b(?:not|never) (?:run|work|start|load|be used|be usable)\b|\bnot (?:\w+ ){0,2}(?:run|work|start)\b|\b(?:that is|that's|this is|hence|which is) (?:the reason|why)\b/;
  const part = parts.find((one) => keeps.test(one) || stops.test(one));
  if (part === undefined) return null;
  const t = truth(
    true,
    'backward',
    'an end of support means no more fixes: what ran on the branch goes on running',
    claim.drivers[0]?.driver.branch?.sources ?? ['driver-architecture-matrix'],
  );
  if (keeps.test(part)) return answer(t, isNegated(part.replace(/\bno more\b/g, ' ')));
  return answer(t, !/\b(?:nothing|no program|none)\b|\b(?:not|never) (?:stop|break|cease|fail)/.test(part));
}

const kindWords: readonly (readonly [BranchRow['kind'], RegExp])[] = [
  ['lts', /\blts\b|\blong[- ]term(?: support)?\b/],
  ['production', /\bproduction\b/],
  ['new-feature', /\bnew[- ]feature\b/],
];

/** `R580 is an LTS branch`. */
function branchKind(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const row = onlyBranch(claim);
  const kind = /\blts\b|\blong[- ]term(?: support)?\b/.test(main)
    ? 'lts'
    : /\bproduction\b/.test(main)
      ? 'production'
      : /\bnew[- ]feature\b/.test(main)
        ? 'new-feature'
        : null;
  if (row === null || kind === null || claim.cudas.length > 0) return null;
  // `production and not LTS`: each kind is asserted or denied by itself.
  const kinds = kindWords.filter(([, pattern]) => pattern.test(main));
  if (kinds.length > 1) {
    const right = kinds.every(([name, pattern]) => {
      const before = main.slice(0, main.search(pattern));
      return (row.kind === name) !== /\b(?:not|never|no|rather than|instead of)(?: \w{1,8}){0,3} ?$/.test(before);
    });
    return answer(truth(right, 'gpu-driver-support', `R${row.branch} is of kind ${row.kind}`, row.sources), false);
  }
  return answer(
    truth(row.kind === kind, 'gpu-driver-support', `R${row.branch} is of kind ${row.kind}`, row.sources),
    isNegated(main),
  );
}

/** `R535 is end of life`, `R595 is supported until March 2027`. Ends that were only computed decide nothing. */
function branchEnd(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const row = onlyBranch(claim);
  const ended =
    /\bend[- ]of[- ]life\b|\beol\b|\bout of support\b|\bunsupported\b|\bnot supported any ?more\b|\bretired\b/.test(
      main,
    );
  const lives =
    /\b(?:supported|support|maintained|security updates|updates|updated|(?:bug ?|security )?fixes|patches|patched|fixed|serviced|alive|lives) (?:until|till|to|through|ends?)\b|\bstill supported\b/.test(
      main,
    );
  if (
    row === null ||
    (!ended && !lives) ||
    row.endOfLife === null ||
    row.endOfLifeBasis !== 'vendor' ||
    claim.cudas.length > 0
  )
    return null;
  const message = `the end of support of R${row.branch} is ${row.endOfLife}`;
  const date = new RegExp(`\\b(${months.join('|')}) (20\\d\\d)\\b`).exec(main);
  if (date !== null) {
    const month = `${date[2] as string}-${String(months.indexOf(date[1] as string) + 1).padStart(2, '0')}`;
    return answer(truth(row.endOfLife.startsWith(month), 'gpu-driver-support', message, row.sources), isNegated(main));
  }
  const over = row.endOfLife.slice(0, 7) < claim.tables.asOf.slice(0, 7);
  return answer(
    truth(ended ? over : !over, 'gpu-driver-support', message, row.sources),
    isNegated(main.replace(/\bnot supported any ?more\b/g, ' ')),
  );
}

/** `CUDA 12.7 was never released as a toolkit`. */
function toolkitExists(claim: Claim): ClaimVerdict | null {
  const { main } = claim.text;
  const [cuda, ...others] = claim.cudas;
  if (cuda === undefined || cuda.minor === null || others.length > 0 || claim.drivers.length > 0) return null;
  if (
    !/\btoolkit\b/.test(main) ||
    !/\b(?:released|published|exists?|came out|available|there (?:is|was)|no such|skipped)\b/.test(main)
  )
    return null;
  const text = formatCudaMinor(cuda);
  const known = claim.tables.newestMinor.get(cuda.major);
  if (known === undefined || cuda.minor > known) return null;
  return answer(
    truth(
      claim.tables.toolkits.has(text),
      'backward',
      claim.tables.toolkits.has(text) ? `toolkit ${text} was published` : `no toolkit ${text} was published`,
      ['cuda-release-notes'],
    ),
    isNegated(main) !== /\bskipped\b/.test(main),
  );
}
