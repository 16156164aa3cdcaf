import { hasDoubt } from './doubt.ts';
import type { Draft } from './draft.ts';

const interrogative = /^(?:do|does|did|can|could|will|would|is|are|was|should|may|what|which|how|why|when|where)\s/;
const asksLater =
  /[,;:.]\s{0,2}(?:do|does|did|can|could|will|would)\s(?!not(?![a-z]))[a-z0-9. ]{2,40} (?:run|work|start|go|fit|load|support|suffice|do)(?![a-z])|[,;:]\s{0,2}(?:do|does|can|could|will|would|is|are|should)\s(?:i|we|it|that|this|they|you|the)\s|(?:can|could|will|does|should) (?:i|we|it|that|this) (?:run|work|use|install|go|start)/;
const predicate =
  /(?<!\w)(?:stops?|stopped|leads?|meets?|carry|carries|satisf(?:y|ies)|demands?|(?:has|have) (?:(?!been)\w{1,10} ){0,2}(?:code|kernels?|cubins?|sass|machine code|support)|removed|sufficient|dead|needed|limited|restricted|stuck at|capped|no longer|any ?more|(?:still|only) (?:has|have|carry|carries)|ha(?:s|ve) no|stop(?:s|ped)? (?:at|with|after)|needs?|requires?|required|must|has to|have to|can't|cannot|can not|won't|doesn't|don't|isn't|aren't|never|means?|supports?|works?|runs?|raises?|bundles?|comes? with|ships|ship with|is|are|was|should|can|will|may|says|reports|prints|serves|equals|checks?|refuses?|drops?|dropped|ends?|ended|lets?|makes?|allows?|breaks?|fixes|solves|causes?|depends|matters?|uses|loads?|brings?|upgrading|crosses|contains?|includes?|replaces?|drives?|belongs?|fails?|decides?|tells?|shows?|copies|holds?|upgrades?|install|reinstall|please|complains?|compiles?|covers?|counts?|matches|equal|exists?|starts?|became|becomes|comes?|gets?|gives?|helps?|hides?|keeps?|knows?|lacks?|loses?|stays?|takes?|turns?|wants?|wins?|gains?|adds?|applies|asks?|bump|bumps|moves?|moving|switching|updating|going)(?!\w)/;

/**
 * Is the sentence a claim rather than a description to judge? A description names what runs where; a claim has a
 * predicate of its own and asks nothing.
 */
export function isClaim(text: string, draft: Draft): boolean {
  const lower = text
    .toLowerCase()
    .replace(/\u2019/g, "'")
    .trim();
  if (isDecidable(draft) && hasDoubt(lower)) return false;
  const chooses =
    /(?<![a-z])(?:which|what) (?:one|of (?:them|these|those|the two))(?![a-z])|(?<![a-z])vs\.? |[,;:.-] {0,2}(?:who|which|what) (?!(?:is|has|have|only|means?|that)(?![a-z]))[a-z]/;
  const confirms =
    /^(?:please |pls |can (?:someone|anyone|you) |could (?:someone|you) ){0,2}(?:confirm|check|advise|verify)(?![a-z])/;
  const asks =
    confirms.test(lower) ||
    chooses.test(lower) ||
    interrogative.test(lower) ||
    asksLater.test(lower) ||
    asksSomewhere.test(lower) ||
    asksBack.test(lower) ||
    asksWhether.test(lower) ||
    lower.endsWith('?');
  // `do we need 570 for cu128`, `does CUDA 13 drop Pascal`: the answer is about the statement, not about running.
  if (asks) return (!isDecidable(draft) && predicate.test(lower)) || stated.test(lower);
  if (isWhole(draft) && !asserts(withoutDescriptions(lower))) return false;
  const bare = withoutDescriptions(
    isDecidable(draft)
      ? lower
          .replace(firstPersonNeed, ' ')
          .replace(plans, ' ')
          .replace(stands, ' ')
          .replace(
            /(?:(?:we|i|they|you|to|and)|^|[,;:] ?) ?(?:want|plan|intend|hope|wish|would like|run|use|have|are running|are using|install|try)(?: to)?(?: (?:run|use|install|try))?|pip3? install|docker run/g,
            ' ',
          )
      : lower,
  );
  if (!predicate.test(bare)) return false;
  return true;
}

/** `need CUDA 12.6 on this box`: what is wanted is a program, and nothing is said of what it takes. */
const firstPersonNeed =
  /(?:^|[,;:.] ?|(?<![a-z])(?:i|we|they|still|also) )needs? (?:to (?:run|use|have|get) )?(?:a |the )?(?:cuda(?! toolkit)|cu1\d\d|(?:py)?torch|tensorflow|tf|jax|vllm|cupy)(?![a-z])(?![^,;]{0,40} install)/g;

/** Questions for a need or a change. */
const stated =
  /(?:^|[,;:.] ?|- ?)(?:do|does|did|must|should|would) [^,;?]{1,60}?(?<![a-z])(?:need|have to|require|drop|remove|end|break|lose|raise|mean|upgrade|update)(?![a-z])|(?:^|[,;:.] ?|- ?)must (?:i|we)(?![a-z])|(?:^|[,;:.] ?|- ?)(?:is|are) [^,;?]{1,80}?(?<![a-z])(?:needed|required|necessary|mandatory|dropped|compulsory)(?![a-z])/;

/** `after the upgrade to 595`, `downgrading to 535`: what is planned, which the parts decide. */
const plans =
  /^(?:(?:after|before|with|we|i|they|planning|plan|want) (?:plan |want |to |an? |the ){0,3})?(?:up|down)grad(?:e|es|ed|ing) (?:to|from)(?![a-z])/;
/** `our nodes have T4`, `the hosts run 535`, `the open modules are loaded`: what is there. */
const stands =
  /(?<![a-z])(?:nodes?|hosts?|box|boxes|machines?|servers?|fleet|we|cluster|pool)(?:'s)? (?:has|have|use|uses|run|runs|are on|is on)(?= (?:an? |the |\d|[a-z]{1,4}\d|rtx|gtx|tesla|quadro|driver|nvidia))|(?:open|proprietary)[a-z -]{0,20} modules? (?:is|are) (?:used|loaded|in use|installed)/g;

/** Relative clauses and set phrases describe the parts; their verbs claim nothing. */
function withoutDescriptions(text: string): string {
  return text
    .replace(
      /(?<!so |[,;:.] |^)(?:that|which) (?:asks?|calls?|uses|needs|requires|has|have|is|was|were|are|contains?|holds?|includes?|runs?|reports?|serves?|shows?|only|we|you)\s/g,
      ' ',
    )
    .replace(
      /(?:gpus?|cards?|boards?|driver|toolkit|host|nodes?|os|system|machine|server|image)(?:'s|s)? (?:is|are|was)(?= (?:an? |the |on |running |still |nvidia |rtx |gtx |[a-z]{0,2}\d))/g,
      ' ',
    )
    .replace(
      /(?:cuobjdump|nvidia-smi|ldd|readelf|file|strings|modinfo|lsmod|dpkg|rpm|pip|conda)(?: (?:list|show|freeze|-[-a-z]{1,20})){0,2} (?:shows|says|prints|lists|reports|gives|finds|tells|has)/g,
      ' ',
    )
    .replace(
      /ld_library_path (?:starts|begins) with|(?:is|are) (?:first )?(?:on|in) (?:the )?(?:search path|ld_library_path|front)/g,
      ' ',
    )
    .replace(
      /(?:our |the |my )?(?:kernels|binary|program|code|application|app) (?:is|are|was|were) (?:compiled|built|made)/g,
      ' ',
    )
    .replace(
      /(?:driver|entrypoint|gpu|mode|module|flavou?r|toolkit|build|version) (?:is|was|are)(?: not)? (?:kept|replaced|overridden|given|known|unknown|loaded|installed|open|proprietary|\d)/g,
      ' ',
    )
    .replace(/(?:gpu|build|driver|mode) (?:is )?(?:not given|unknown|not known)/g, ' ')
    .replace(
      /(?:entrypoint|command|mode|check|compat) (?:is |was )?(?:kept|replaced|overridden|used|set|off|disabled)/g,
      ' ',
    )
    .replace(/with only/g, ' ');
}

/** `he asks whether`, `the question is if`: asked in the words of somebody else. */
const asksWhether =
  /(?<![a-z])(?:ask(?:s|ed|ing)?|wonder(?:s|ed|ing)?|(?:want|need|like|love)(?:s|ed)? to (?:know|find out|see|understand|check)|questions? (?:is|was|are)|not sure|unsure|curious|interested|tell (?:me|us|him|them)|let (?:me|us) know|know|no idea|find out|check|verify|clarify|decide|unclear|doubts?|issue is|point is)(?:,| me| us| you| now)? (?:if|whether)(?![a-z])/;
/** `it would run, wouldn't it`. */
const asksBack =
  /,? (?:is|are|does|do|did|will|would|can|could|should|has|have)(?:n't| not)? (?:it|they|he|she|that|this|we|you|i|there)[ ?.!]{0,3}$/;
/** A sentence of several that asks, with its mark or without. */
const asksSomewhere =
  /\?["')]{0,2}\s|[.?!;:] {1,2}(?:do|does|did|can|could|will|would|is|are|may) (?!not(?![a-z]))(?:i|we|it|that|this|they|you|the|those|these|there|my|our|any|all|[a-z]{1,12})(?![a-z])/;

/** What is to run, the driver and the GPU are all named. */
function isWhole(draft: Draft): boolean {
  const program = draft.toolkit ?? draft.wheel ?? draft.image ?? draft.imageEnv ?? draft.binary;
  return (
    program !== undefined &&
    draft.driver !== undefined &&
    (draft.gpu !== undefined || draft.computeCapability !== undefined)
  );
}

/** `we would like to use it on V100s`: what is planned. */
const intentions =
  /(?<![a-z])(?:would like|'d like|would love|wants?|wanted|plan(?:s|ned|ning)?|intend(?:s|ed)?|hope[sd]?|wish(?:es)?|going|have|has|need) (?:us |them |it |me )?to (?:run|use|start|load|install|put|try|deploy|move|work|get|ship)(?![a-z])|(?<![a-z])(?:we|i) (?:run|use|start|load|install|ship|deploy|activate|get)(?![a-z])/g;

const assertive =
  /(?<![a-z])(?:runs?|running|works?|working|starts?|loads?|needs?|requires?|required|must|has to|have to|can|can't|cannot|won't|will|would|should|never|always|supports?|supported|lets?|makes?|allows?|enough|suffices?|sufficient|fails?|breaks?|refuses?|rejects?|drives?|means?|useless|pointless|compatible|incompatible|keeps?|wants?|gives?|goes|depends|drops?|dropped|ends?|ended|covers?|lost|loses?|lacks?|stops?|stuck|hangs?|crashes|dies|gets? (?:around|rid)|solves?|fixes|helps?|cures?)(?![a-z])/;

/**
 * Does one sentence say of something with a number that it runs, needs or fails? Where what runs, driver and GPU are all
 * named, sentences that only tell what is there (`the binary inside is sm_86`) claim nothing, and one that names no part
 * (`so training should be fine`) speaks about the parts.
 */
function asserts(lower: string): boolean {
  return lower
    .replace(intentions, ' ')
    .split(/[.!;] |; ?/)
    .some((sentence) => assertive.test(sentence) && /\d/.test(sentence));
}

/** The parts are enough for a judgement about running. */
export function isDecidable(draft: Draft): boolean {
  const program =
    draft.toolkit !== undefined ||
    draft.wheel !== undefined ||
    draft.image !== undefined ||
    draft.imageEnv !== undefined ||
    draft.binary !== undefined;
  const library = draft.cudnn !== undefined || draft.nccl !== undefined;
  const host = draft.driver !== undefined || draft.compatPackage !== undefined;
  const gpu = draft.gpu !== undefined || draft.computeCapability !== undefined;
  return (
    (program && (host || gpu)) ||
    (host && gpu) ||
    (draft.driver !== undefined && draft.moduleFlavour !== undefined) ||
    (library &&
      ((host && draft[draft.cudnn === undefined ? 'nccl' : 'cudnn']?.build !== undefined) ||
        draft.toolkit !== undefined ||
        draft.wheel !== undefined ||
        draft[draft.cudnn === undefined ? 'nccl' : 'cudnn']?.programBuiltFor !== undefined ||
        gpu))
  );
}
