import type { Tables } from '../tables.ts';
import type { Draft } from './draft.ts';
import { isFree, mark, take } from './reading.ts';
import type { Reading } from './reading.ts';

const dotted = String.raw`(\d{3}\.\d{1,3}(?:\.\d{1,3})?)`;

/** Platform and kernel module flavour. */
export function readPlatform(reading: Reading, draft: Draft): void {
  if (
    take(reading, /(?:on |under )?(?:(?:ms[- ])?windows(?: (?:10|11|server(?: 20\d\d)?))?|win ?1[01])(?![a-z0-9])/g) !==
      null ||
    take(reading, /(?:on |under |in )?wsl ?2?(?![a-z0-9])/g) !== null
  )
    draft.os = 'windows';
  else if (take(reading, /(?:on |under )linux(?![a-z])/g) !== null) draft.os = 'linux';
  if (
    take(
      reading,
      /(?:on |for )?(?:\()?(?:aarch64|arm64|sbsa|arm(?= (?:host|server|node|machine|cpu|build|wheel)))(?:\))?(?![a-z0-9])/g,
    ) !== null ||
    take(reading, /(?:on|for) arm(?![a-z0-9])/g) !== null
  )
    draft.arch = 'aarch64';
  else if (take(reading, /(?:on )?(?:x86[-_]64|amd64)(?![a-z0-9])/g) !== null) draft.arch = 'x86_64';
  if (take(reading, /(?:ppc64le|power ?9)(?![a-z0-9])/g) !== null) draft.arch = 'ppc64le';
  readFlavour(reading, draft);
}

function readFlavour(reading: Reading, draft: Draft): void {
  const unknown =
    take(
      reading,
      /(?:either|any|some|which(?:ever)?) (?:module |kernel )?flavou?r[,:;( -]{1,3}(?:it )?(?:depends|differs|varies|unknown|not known|nobody|no idea|who knows)[^.;?]{0,40}/g,
    ) ??
    take(
      reading,
      /(?:kernel )?(?:module )?flavou?rs? (?:is |are )?(?:unknown|not known|not given|unclear|differs?|var(?:y|ies)|mixed|depends?)/g,
    ) ??
    take(
      reading,
      /(?<![a-z])(?:open|proprietary|closed)(?:[- ]source)?(?: or |\/| vs\.? )(?:the )?(?:open|proprietary|closed)(?:[- ]source)?(?: (?:gpu )?(?:kernel )?(?:modules?|flavou?rs?|ones?|drivers?|variants?))?(?![a-z])/g,
    );
  if (unknown !== null) {
    draft.moduleFlavour = 'unknown';
    return;
  }
  const license = take(reading, /(?<![a-z])licen[sc]e["'\s:=]{1,4}(nvidia|dual mit\/gpl)(?![a-z])/g);
  const notOpen = take(
    reading,
    /(?<![a-z])(?:not|without|no) (?:the |an? )?(?:nvidia)?-?open(?:[- ]source)?(?: (?:gpu )?(?:kernel )?(?:ones?|modules?|flavou?r|variant|drivers?))?(?![a-z])/g,
  );
  if (license !== null || notOpen !== null) {
    draft.moduleFlavour = license?.[1] === 'nvidia' || (license === null && notOpen !== null) ? 'proprietary' : 'open';
    take(
      reading,
      /(?:the )?(?:proprietary|closed)(?:[- ]source)? (?:modules?|flavou?r|ones?|drivers?|variant)(?![a-z])/g,
    );
    return;
  }
  const match =
    take(
      reading,
      /(?:with |using |and |on )?(?:the |its )?(open|proprietary|closed)(?:[- ]source)?[- ](?:gpu )?(?:nvidia )?(?:kernel[- ]?)?(?:modules?|drivers?|flavou?r|kmods?|variant|ones?|\.ko)(?: flavou?r)?(?![a-z])/g,
    ) ??
    take(
      reading,
      /(?:kernel )?(?:module|kmod)s?(?: flavou?r)?[ =:]{1,3}(?:is |are )?(open|proprietary|closed)(?![a-z])/g,
    ) ??
    take(
      reading,
      /(?:the )?(open|proprietary|closed)(?:[- ]source)?(?= (?:nvidia |kernel )?r?\d{3}[\d.]{0,8} (?:kernel )?(?:drivers?|modules?))/g,
    ) ??
    take(reading, /nvidia[- ](open)(?:-dkms)?(?![a-z])/g) ??
    take(reading, /\((open|proprietary|closed)\)/g) ??
    take(
      reading,
      /(?<=\d{3}\.\d{1,3}(?:\.\d{1,3})?,? )(open|proprietary|closed)(?= ?(?:[,;.?!)/+]|$| (?:on|and|with|installed|loaded)(?![a-z])))/g,
    );
  if (match !== null) draft.moduleFlavour = match[1] === 'open' ? 'open' : 'proprietary';
}

const namedDriver = new RegExp(
  String.raw`(?:nvidia[- ])?(?:(?:kernel |host |gpu |display )?drivers?|kmd|kernel module)(?: version| release| branch| build)?["'\s:=(]{1,4}(?:version |is |was |of |at |v)?["']?(?:r|v)?${dotted}(?![\d.]?\d)`,
  'g',
);
const dottedDriver = new RegExp(
  String.raw`(?<![\d.a-z])(?:r|v|nvidia )?${dotted}(?![\d.]?\d)(?: (?:nvidia )?(?:host |kernel )?drivers?)?`,
  'g',
);

/** `the latest driver`, where it does not ask which one that is. */
const newestDriver =
  /(?<!(?:which|what)(?: is)?(?: the)? )(?<![a-z])(?:latest|newest|current|most recent) (?:nvidia |gpu |data ?cent(?:er|re) )?drivers?(?![a-z])(?! (?:for|that|version|on)\b)/g;

/**
 * `nvidia-smi says CUDA 12.2`: a driver of the branch that serves it. Taken before the CUDA version of a program is
 * looked for, as it is none.
 */
export function readServed(reading: Reading, draft: Draft, tables: Tables): void {
  if (
    draft.driver !== undefined ||
    !/nvidia-smi|drivers? (?:only )?(?:support|report|serve|show|goes|is capped)/.test(reading.lower)
  )
    return;
  const match =
    take(reading, /nvidia-smi[^,;.\d]{0,40}?cuda(?: version)?[ :=]{1,3}(\d{1,2}\.\d)(?![\d.]*\d)/g) ??
    take(
      reading,
      /(?:host|our|the|my|nvidia|gpu)?(?: ?nvidia)? ?drivers? (?:only )?(?:supports?|reports?|serves?|shows?|goes up to|is capped at)(?: only| up to| at most| max)? cuda(?: version)?[ :=]{1,3}(\d{1,2}\.\d)(?![\d.]*\d)/g,
    );
  if (match === null) return;
  for (const row of tables.branches.values()) if (row.cuda === match[1]) draft.driver = String(row.branch);
}

/** Driver version or branch. */
export function readDriver(reading: Reading, draft: Draft, tables: Tables): void {
  if (/latest|newest|current|recent/.test(reading.lower) && take(reading, newestDriver) !== null) {
    const newest = tables.branchNumbers.findLast((one) => tables.branches.get(one)?.confirmedFields.cuda === true);
    if (newest !== undefined) draft.driver = String(newest);
    return;
  }
  const packaged = take(
    reading,
    /nvidia-(?:driver|utils|dkms|kernel(?:-source)?)-(\d{3})(?:-server)?(-open)?(?:[ =]{1,3}(\d{3}\.\d{1,3}(?:\.\d{1,3})?)(?:-[\w.]{1,30})?)?/g,
  );
  if (packaged !== null) {
    draft.driver = packaged[3] ?? (packaged[1] as string);
    if (packaged[2] !== undefined) draft.moduleFlavour ??= 'open';
    return;
  }
  const file = take(reading, /(?<![\d.])(\d{2}\.\d\.1\d\.\d{4})(?![\d.])/g);
  if (file !== null) {
    draft.driver = file[1] as string;
    draft.os ??= 'windows';
    return;
  }
  const named = take(reading, namedDriver) ?? take(reading, dottedDriver);
  if (named !== null) {
    draft.driver = named[1] as string;
    take(reading, /"driver"|"(?=\s|$)/g);
    return;
  }
  const branch =
    take(
      reading,
      /(?:nvidia[- ])?(?:driver|host driver|kernel driver)s?(?: version| release| branch| series)?["'\s:=(]{1,4}(?:is |was |of )?["']?(?:branch )?r?(\d{3,4})(?!\.?\d)["')]{0,2}(?: branch| series|\.x{1,2}|\.\*)?/g,
    ) ??
    take(reading, /(?<![a-z0-9])r(\d{3})(?!\d)(?: (?:driver|branch))?s?/g) ??
    take(reading, /(?<![a-z0-9.])(\d{3})(?:\.xx?|\.\*)?(?: nvidia)? (?:driver|branch|series)s?/g);
  if (branch !== null) {
    draft.driver = branch[1] as string;
    return;
  }
  bareBranch(reading, draft, tables);
}

/** `cuda 12.4 on 535`: a number of three digits that is a known branch and stands alone. */
function bareBranch(reading: Reading, draft: Draft, tables: Tables): void {
  const pattern = /(?<![\w.])(\d{3})(?![\w.]*\d|\w)/g;
  for (let match = pattern.exec(reading.lower); match !== null; match = pattern.exec(reading.lower)) {
    const to = match.index + match[0].length;
    if (!tables.branches.has(Number(match[1])) || !isFree(reading, match.index, to)) continue;
    if (isOtherNumber(reading.lower, match.index, to)) continue;
    mark(reading, match.index, to);
    draft.driver = match[1] as string;
    return;
  }
}

/** A number of something else: `no. 580-2211`, `ticket 535`, `580 GB`. */
export function isOtherNumber(lower: string, from: number, to: number): boolean {
  return (
    /^(?:[-/#:]\d|\s?(?:w|watts?|gb|gib|mb|mib|gpus?|tokens?|steps?|samples?|ms|sec(?:onds)?|minutes|hours|days|x|%|k|m|b|€|\$|euros?|dollars?|people|cores|nodes|jobs|files|rows|lines|users|km|m2)(?![a-z0-9]))/.test(
      lower.slice(to, to + 10),
    ) ||
    /(?:(?<![a-z])(?:no|nr)\.|#|[$€]|(?<![a-z])(?:number|ticket|issue|room|order|quote|page|line|row|step|port|case|invoice|po|epoch|rank|job|pr|build)) {0,2}$/.test(
      lower.slice(Math.max(0, from - 12), from),
    )
  );
}

/** Compat libcuda in use. */
export function readCompat(reading: Reading, draft: Draft): void {
  if (!reading.lower.includes('compat')) return;
  if (
    take(
      reading,
      /(?:\(?(?:with )?(?:no|without|not using) (?:any )?(?:cuda[- ])?(?:forward[- ])?compat(?:ibility)?(?:[- ](?:package|librar(?:y|ies)|libs?|stuff|things?|tricks?))?\)?)/g,
    ) !== null ||
    take(
      reading,
      /(?:cuda[- ])?(?:forward[- ])?compat(?:ibility)?(?:[- ](?:package|librar(?:y|ies)|libs?))?(?: is| are| was)?(?: not|n't) (?:installed|present|active|used|in use|there|on|an option|allowed|possible|available)(?: (?:and|or|nor) (?:is )?(?:not |never )?(?:on|in|used|active)[^,;.?!]{0,30})?/g,
    ) !== null
  )
    return;
  if (
    take(
      reading,
      /(?:cuda[- ])?compat(?:ibility)?(?:[- ](?:package|librar(?:y|ies)|libs?))? of (?:an? )?(?:unknown|unclear|some) (?:age|version|origin|release)|(?:some|an? unknown|whatever|which(?:ever)?) (?:cuda[- ])?compat(?:ibility)?[- ](?:package|librar(?:y|ies)|libs?)|(?:cuda[- ])?compat(?:ibility)?[- ](?:package|librar(?:y|ies)|libs?)[^.?!;]{0,40}(?:number|version|which one|age) (?:is )?(?:unknown|not known|unclear)/g,
    ) !== null
  ) {
    draft.compatPackage = 'a package of unknown version';
    return;
  }
  const path = take(
    reading,
    /(?:(?:ld_library_path|search path)[^,;/]{0,40}?)?\/usr\/local\/cuda-(\d{1,2})\.(\d{1,2})\/compat\/?(?:lib)?(?: (?:first|in front|on (?:the )?(?:search path|ld_library_path)))?/g,
  );
  if (path !== null) {
    draft.compatPackage = `cuda-compat-${path[1] as string}-${path[2] as string}`;
    draft.compatOnPath = true;
    return;
  }
  const named =
    take(
      reading,
      /(?:the )?cuda[- ]compat(?:ibility)?(?:[- ](?:package|libs?))?[- ](orin[- ])?(\d{1,2})[-.](\d{1,2})(?!\d)(?: package| libraries| libs)?/g,
    ) ??
    take(
      reading,
      /(?:forward[- ])?compat(?:ibility)? (?:package|librar(?:y|ies)|libs?)(?: for| of)?(?: cuda)? (orin )?(\d{1,2})[-.](\d{1,2})(?![\d.])/g,
    ) ??
    take(reading, /(?<![a-z-])()compat[- ](\d{1,2})[-.](\d{1,2})(?![\d.]*\d)/g) ??
    take(
      reading,
      /(?<![\d.])()(\d{1,2})\.(\d{1,2}) (?:forward[- ])?compat(?:ibility)?(?: (?:package|librar(?:y|ies)|libs?))?(?![a-z])/g,
    );
  const driver = take(
    reading,
    /(?:with )?(?:the |a )?(?:cuda[- ]?)?compat(?:ibility)? (?:libcuda|driver|librar(?:y|ies)|libs?)(?:\.so)?(?: version| of| from| is)?[ .(]{1,2}(\d{3}\.\d{1,3}(?:\.\d{1,3})?)\)?/g,
  );
  if (driver !== null) draft.compatDriver = driver[1] as string;
  if (named === null) return;
  const unused = take(
    reading,
    /(?:is )?(?:installed )?(?:but )?(?:not|never) (?:in use|used|on (?:the )?(?:search path|ld_library_path|path)|in front|enabled|active)/g,
  );
  if (unused !== null) return;
  draft.compatPackage = `cuda-compat-${named[1] === undefined || named[1] === '' ? '' : 'orin-'}${named[2] as string}-${named[3] as string}`;
  const where = take(
    reading,
    /(?:is )?(?:put |placed |set )?(?:first |in front )?(?:on|in|at the (?:front|head|start) of) (?:the )?(?:library )?(?:search path|ld_library_path|loader path|path)/g,
  );
  if (where?.[0].includes('ld_library_path') === true) draft.compatOnPath = true;
}
