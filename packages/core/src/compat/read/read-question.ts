import type { Knowledge } from '../../knowledge/knowledge.ts';
import { trimmed } from '../gpu-name.ts';
import type { Question } from '../question.ts';
import { tablesOf } from '../tables.ts';
import type { Draft } from './draft.ts';
import { isClaim } from './is-claim.ts';
import { readCompat, readDriver, readPlatform } from './read-host.ts';
import { readContainer } from './read-container.ts';
import { readGpu } from './read-gpu.ts';
import { readBinary, readCapability, readDriverCall, readLibraries, readToolkit, readWheel } from './read-program.ts';
import { leftover, startReading } from './reading.ts';
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
  const trimmed = text.trim();
  const { draft, reading } = readParts(trimmed, knowledge);
  if (isClaim(trimmed, draft)) return { question: { claim: trimmed }, unread: [] };
  return { question: draft, unread: unreadWords(reading) };
}

/** The parts of a question that a text names, and what of the text is left. */
export function readParts(text: string, knowledge: Knowledge): { readonly draft: Draft; readonly reading: Reading } {
  const tables = tablesOf(knowledge);
  const reading = startReading(text);
  const draft: Draft = {};
  readContainer(reading, draft);
  readCompat(reading, draft);
  readPlatform(reading, draft);
  readLibraries(reading, draft);
  readWheel(reading, draft);
  readCapability(reading, draft);
  readDriverCall(reading, draft);
  readDriver(reading, draft, tables);
  if (!/(?<![a-z0-9])(?:sm|compute)[_-]?\d/.test(reading.lower)) readToolkit(reading, draft);
  readGpu(reading, draft, tables.gpus);
  readBinary(reading, draft);
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
  return { draft, reading };
}

/** `torch 2.7 with CUDA 12.8`: the CUDA version names the variant of the wheel. */
function settleVariant(draft: Draft): void {
  const [major, minor] = (draft.toolkit ?? '').split('.');
  if (draft.wheel === undefined || major === undefined) return;
  const torch = draft.wheel.name === 'torch';
  if (torch && minor === undefined) return;
  draft.wheel = { ...draft.wheel, variant: torch ? `cu${major}${minor ?? ''}` : `cuda${major}` };
  delete draft.toolkit;
}

function unreadWords(reading: Reading): readonly string[] {
  const words = leftover(reading).split(/[^a-z0-9.+_-]+/);
  return words.map((word) => trimmed(word, '.+_-')).filter((word) => word.length > 0 && !filler.has(word));
}
