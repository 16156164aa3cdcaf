import type { Knowledge } from '../../knowledge/knowledge.ts';
import { trimmed as withoutEnds } from '../gpu-name.ts';
import { hasProgram } from '../asked-driver.ts';
import type { Question } from '../question.ts';
import { tablesOf } from '../tables.ts';
import { takeDoubts } from './doubt.ts';
import type { Draft } from './draft.ts';
import { judgeClaim } from '../claims/judge-claim.ts';
import { isClaim, isDecidable } from './is-claim.ts';
import { toldClaim } from './told-claim.ts';
import { readAsked } from './read-asks.ts';
import { readSeveral } from './read-several.ts';
import { readCompat, readDriver, readPlatform, readServed } from './read-host.ts';
import { readContainer } from './read-container.ts';
import { readGpu } from './read-gpu.ts';
import {
  readBinary,
  readCapability,
  readDriverCall,
  readLibraries,
  readNumberedTargets,
  readToolkit,
  readWheel,
} from './read-program.ts';
import { respelled } from './respell.ts';
import { leftover, startReading, take } from './reading.ts';
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
  const { draft, reading, gpus } = readParts(trimmed, knowledge, true);
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
  const each = several ?? readSeveral(reading, draft, gpus, tablesOf(knowledge));
  const feature = readFeature(reading);
  if (each.length > 1) draft.each = each;
  if (asked !== null) draft.asks = asked;
  if (feature !== null) draft.feature = feature;
  return { question: draft, unread: unreadWords(reading) };
}

/** Words of a statement about all or none: the parts alone say something else. */
const general = /(?<![a-z])(?:only|exclusively|never|always|every|each|all|none|nobody|any)(?![a-z])/i;

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

/**
 * The parts of a question that a text names, and what of the text is left. With `served` a CUDA version that
 * nvidia-smi is said to show stands for a driver of that branch.
 */
export function readParts(
  text: string,
  knowledge: Knowledge,
  served = false,
): {
  readonly draft: Draft;
  readonly reading: Reading;
  /** Every known GPU that is named. */
  readonly gpus: readonly { readonly text: string; readonly at: number }[];
} {
  const tables = tablesOf(knowledge);
  const reading = startReading(text);
  const draft: Draft = {};
  readContainer(reading, draft);
  readCompat(reading, draft);
  readPlatform(reading, draft);
  readLibraries(reading, draft);
  readWheel(reading, draft);
  readNumberedTargets(reading, draft);
  readCapability(reading, draft);
  readDriverCall(reading, draft);
  readDriver(reading, draft, tables);
  if (served) readServed(reading, draft, tables);
  if (!/(?<![a-z0-9])(?:sm|compute)[_-]?\d/.test(reading.lower)) readToolkit(reading, draft);
  const gpus = readGpu(reading, draft, tables.gpus).map(({ name, at }) => ({ text: name, at }));
  readBinary(reading, draft);
  // `Triton 23.10 (nvcr.io/nvidia/tritonserver:23.10-py3)` names the image twice.
  if (
    draft.image !== undefined &&
    draft.wheel?.version !== undefined &&
    draft.image.includes(`:${draft.wheel.version}`) &&
    draft.wheel.variant === undefined
  )
    delete draft.wheel;
  if (draft.toolkit === undefined) readToolkit(reading, draft);
  if (
    draft.wheel !== undefined &&
    draft.wheel.variant === undefined &&
    draft.toolkit !== undefined &&
    draft.nccl === undefined &&
    draft.cudnn === undefined
  ) {
    settleVariant(draft);
  }
  return { draft, reading, gpus };
}

/** `torch 2.7 with CUDA 12.8`: the CUDA version names the variant of the wheel. */
function settleVariant(draft: Draft): void {
  const [major, minor] = (draft.toolkit ?? '').split('.');
  if (draft.wheel === undefined || major === undefined) return;
  const torch = draft.wheel.name === 'torch';
  if (torch && minor === undefined) return;
  draft.wheel = { ...draft.wheel, variant: torch || minor !== undefined ? `cu${major}${minor ?? ''}` : `cuda${major}` };
  delete draft.toolkit;
}

function unreadWords(reading: Reading): readonly string[] {
  const words = leftover(reading).split(/[^a-z0-9.+_-]+/);
  return words.map((word) => withoutEnds(word, '.+_-')).filter((word) => word.length > 0 && !filler.has(word));
}
