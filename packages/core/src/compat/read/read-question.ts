import type { Knowledge } from '../../knowledge/knowledge.ts';
import { trimmed as withoutEnds } from '../gpu-name.ts';
import { hasProgram } from '../asked-driver.ts';
import type { Question } from '../question.ts';
import { tablesOf } from '../tables.ts';
import { isBuildOpen, takeDoubts, withoutOpenChoices } from './doubt.ts';
import type { Draft } from './draft.ts';
import { judgeClaim } from '../claims/judge-claim.ts';
import { hasTurn } from '../claims/turns.ts';
import { isClaim, isDecidable } from './is-claim.ts';
import { toldClaim } from './told-claim.ts';
import { readAsked } from './read-asks.ts';
import { readSeveral } from './read-several.ts';
import { readParts } from './read-parts.ts';
import { respelled } from './respell.ts';
import { leftover, take } from './reading.ts';
import type { Reading } from './reading.ts';

/** A line as it was understood. */
export interface ReadQuestion {
  readonly question: Question;
  /** Words that were not understood, in their order. */
  readonly unread: readonly string[];
}

/** Words that carry no fact. */
const filler = new Set(
  (
    'docker ptx sass pip pip3 nightly want wants let try trying tried deploy deploying like just know tell me about if would plan planning a an the on with and or of for in at to from by using under over plus that this these those it its our your my we i you they he ' +
    'is are was were be been am do does did can could will would should shall may might must has have had having get gets got ' +
    'run runs running work works working start starts use uses used using drive drives driven bring brings install installed installing ' +
    'support supports supported compatible fit fits go goes ok okay fine possible ask asks asking call calls need needs needed ' +
    'program application app binary build built compile compiled compiling code kernels kernel job container image own made host node nodes ' +
    'machine server cluster process card cards gpu gpus board boards system setup environment only also still even just already both there here ' +
    'what which when where how why if then than so but not no yes please nvidia cuda driver drivers version versions toolkit library libraries package ' +
    'given unknown known shows show says say printed prints reports report first path search one have has like such about any as up out ' +
    'available active loaded module modules into onto inside within starts nvcc cuobjdump env set sets ld_library_path wheel wheels'
  ).split(/\s+/),
);

/**
 * Reads a question as a person types it, in any order: `torch 2.7.0+cu128 on driver 550.54.15 with V100`. A sentence
 * that claims something becomes `{ claim }`. Never throws; what was not understood is in `unread`.
 */
export function readQuestion(text: string, knowledge: Knowledge): ReadQuestion {
  const trimmed = respelled(text.trim());
  const told = toldClaim(trimmed);
  if (told !== null) return { question: { claim: told }, unread: [] };
  const given = withoutOpenChoices(trimmed);
  const { draft, reading, gpus } = readParts(given, knowledge, true);
  if (isBuildOpen(trimmed, given)) {
    if (draft.cudnn !== undefined) draft.cudnn = { ...draft.cudnn, build: 'unknown' };
    if (draft.nccl !== undefined) draft.nccl = { ...draft.nccl, build: 'unknown' };
  }
  takeDoubts(reading);
  const asked = readAsked(reading, draft);
  const decidable = isDecidable(draft);
  // What the parts do not decide can still be a statement in a few words; one that no topic understands is judged by
  // the parts that it names.
  const several = gpus.length > 1 ? readSeveral(reading, draft, gpus, tablesOf(knowledge)) : null;
  const pairs = several?.some((part) => part.gpu !== undefined && part.driver !== undefined) === true;
  if (
    asked === null &&
    !(pairs && decidable) &&
    (!decidable || isClaim(trimmed, draft)) &&
    (isUnderstood(trimmed, knowledge) ||
      ((!decidable || general.test(trimmed)) && isClaim(trimmed, draft) && !(isAsking(trimmed) && names(draft))))
  )
    return { question: { claim: trimmed }, unread: [] };
  // A word that turns the statement is left, and nobody read it: the parts alone may say the reverse.
  if (asked === null && !asks(trimmed) && hasTurn(leftover(reading), isClaim(trimmed, draft)))
    return { question: { claim: trimmed }, unread: [] };
  const each = several ?? readSeveral(reading, draft, gpus, tablesOf(knowledge));
  const feature = readFeature(reading);
  if (each.length > 1) draft.each = each;
  if (asked !== null) draft.asks = asked;
  if (feature !== null) draft.feature = feature;
  return { question: draft, unread: unreadWords(reading) };
}

/** Words of a statement about all or none, about a limit or a reason: the parts alone say something else. */
const general =
  /(?<![a-z])(?:only|exclusively|never|always|every|each|all|none|nobody|any|limited|restricted|stuck|capped|ceiling|oldest|lowest|at most|at least|minimum|maximum|therefore|hence|thus|because)(?![a-z])/i;

/** A question about parts: what turns its words does not turn the answer. */
function asks(text: string): boolean {
  return (
    /\?/.test(text) ||
    /^(?:do|does|did|can|could|will|would|is|are|should|may|what|which|how|why|when|where)\s/i.test(text)
  );
}

/** A question that no topic understands is answered by what is missing, where it names a part. */
function isAsking(text: string): boolean {
  return text.endsWith('?');
}

function names(draft: Draft): boolean {
  return draft.gpu !== undefined || draft.driver !== undefined || hasProgram(draft);
}

/** A statement that no topic understands is judged by the parts that it names. */
function isUnderstood(text: string, knowledge: Knowledge): boolean {
  return judgeClaim(text, knowledge).answer !== 'cannot-tell';
}

const features: readonly (readonly [RegExp, string])[] = [
  [/(?<![a-z])mig(?![a-z])(?! \d)(?: mode| support)?/g, 'MIG'],
  [/(?<![a-z])(?:vgpu|grid driver|nvidia ai enterprise)(?![a-z])/g, 'vGPU'],
  [/(?<![a-z])(?:confidential computing|cc mode)(?![a-z])/g, 'confidential computing'],
  [/(?<![a-z])(?:gpudirect storage|gds|cufile)(?![a-z])/g, 'GPUDirect Storage'],
  [/(?<![a-z])(?:nvenc|nvdec|ffmpeg|video codec sdk)(?![a-z])/g, 'video encoding'],
  [/(?<![a-z])(?:vulkan|opengl|optix|dlss|directx)(?: \d[\d.]{0,5})?(?![a-z])/g, 'graphics'],
];

const anyFeature =
  /mig|vgpu|grid|enterprise|confidential|cc mode|gds|storage|cufile|nvenc|nvdec|ffmpeg|codec|vulkan|opengl|optix|dlss|directx/;

/** Something besides CUDA that a driver or GPU is asked for. */
function readFeature(reading: Reading): string | null {
  if (!anyFeature.test(reading.lower)) return null;
  for (const [pattern, name] of features) if (take(reading, pattern) !== null) return name;
  return null;
}

function unreadWords(reading: Reading): readonly string[] {
  const words = leftover(reading).split(/[^a-z0-9.+_-]+/);
  return words.map((word) => withoutEnds(word, '.+_-')).filter((word) => word.length > 0 && !filler.has(word));
}
