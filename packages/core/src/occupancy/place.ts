import type { Knowledge } from '../knowledge/knowledge.ts';
import type { OccupancyRow } from '../knowledge/occupancy.types.ts';
import { capabilityText, matchGpu } from '../compat/gpu-name.ts';
import { tablesOf } from '../compat/tables.ts';
import { nearest } from '../text/nearest.ts';

/** Where a launch runs: limits of an SM, and how many of them there are. */
export interface Place {
  readonly limits: OccupancyRow;
  /** GPU by its name in the tables, with the MIG profile where one was named; null where only the capability is known. */
  readonly name: string | null;
  /** Multiprocessors; null where they are not known. */
  readonly sms: number | null;
  /** False where the count was not read in a primary source. */
  readonly smsConfirmed: boolean;
  /** Where the count comes from or why it is not known. */
  readonly smsNote: string | null;
}

/** Why a name leads to no place. */
export interface NoPlace {
  readonly problem: string;
  readonly hint: string | null;
}

const migProfile = /\b([1-7])g\.(\d{1,3})gb\b/i;
/** A slice is meant, whether its profile is whole or not. */
const anyMig = /\bmig\b|\b\d{1,2}g\./i;

/**
 * Finds the limits of a GPU.
 * @param text any usual name, with a MIG profile (`H100 MIG 1g.10gb`, `H100:1g.10gb`), or a compute capability (`9.0`, `sm_90`)
 */
export function placeOf(text: string, knowledge: Knowledge): Place | NoPlace {
  const profile = migProfile.exec(text.slice(0, 200))?.[0]?.toLowerCase() ?? null;
  if (profile === null && anyMig.test(text.slice(0, 200))) return noProfile(text.slice(0, 200), knowledge);
  const name = profile === null ? text : text.slice(0, 200).replace(migProfile, ' ').replaceAll(/[:+]/g, ' ');
  const tables = tablesOf(knowledge);
  const found = matchGpu(name.trim(), tables.gpus);
  const gpu = found[0];
  if (gpu === undefined) {
    const close = nearest(
      name.trim(),
      knowledge.gpus.flatMap((row) => [row.name, ...row.aliases]),
    );
    return {
      problem: `unknown GPU ${text.slice(0, 80)}`,
      hint:
        close.length === 0
          ? 'names are as H100, L40S, V100, RTX 4090, or a compute capability (9.0)'
          : `did you mean ${close.join(', ')}?`,
    };
  }
  if (found.length > 1) {
    return {
      problem: `${text.slice(0, 80)} is a family of several compute capabilities`,
      hint: `name one: ${found.map((each) => capabilityText(each.sm)).join(', ')}`,
    };
  }
  const capability = capabilityText(gpu.sm);
  const limits = knowledge.occupancy.find((row) => row.computeCapability === capability);
  if (limits === undefined) {
    return {
      problem: `the limits of compute capability ${capability} are not in the tables`,
      hint: `known are ${knowledge.occupancy.map((row) => row.computeCapability).join(', ')}`,
    };
  }
  const row = gpu.name === null ? undefined : knowledge.gpus.find((each) => each.name === gpu.name);
  if (row === undefined) {
    return {
      limits,
      name: null,
      sms: null,
      smsConfirmed: false,
      smsNote: 'a compute capability does not tell how many SMs there are',
    };
  }
  if (profile !== null) return instanceOf(row.name, profile, limits, knowledge);
  return {
    limits,
    name: row.name,
    sms: row.sms,
    smsConfirmed: row.confirmedFields.sms,
    smsNote: row.sms === null ? 'it differs by board, or was not read' : null,
  };
}

/** A slice without a profile that is one: never taken for the whole GPU. */
function noProfile(text: string, knowledge: Knowledge): NoPlace {
  const whole = text.split(anyMig)[0]!.replaceAll(/[:+]/g, ' ').trim();
  const [gpu] = whole === '' ? [] : matchGpu(whole, tablesOf(knowledge).gpus);
  const profiles = knowledge.migProfiles.filter((each) => each.gpu === gpu?.name).map((each) => each.profile);
  return {
    problem: `${text.slice(0, 80)} names no MIG profile`,
    hint:
      profiles.length === 0
        ? 'a slice is named with its GPU: H100 MIG 1g.10gb'
        : `profiles of ${gpu!.name} are ${profiles.join(', ')}: ${gpu!.name} MIG ${profiles[0]}`,
  };
}

function instanceOf(gpu: string, profile: string, limits: OccupancyRow, knowledge: Knowledge): Place | NoPlace {
  const rows = knowledge.migProfiles.filter((each) => each.gpu === gpu);
  const row = rows.find((each) => each.profile === profile);
  if (row === undefined && rows.length > 0) {
    return {
      problem: `${gpu} has no MIG profile ${profile} in the tables`,
      hint: `known are ${rows.map((each) => each.profile).join(', ')}; else give --sms, which nvidia-smi mig -lgip prints`,
    };
  }
  const sms = row?.sms ?? null;
  return {
    limits,
    name: `${gpu} MIG ${profile}`,
    sms,
    smsConfirmed: row?.confirmed ?? false,
    smsNote: sms === null ? 'the SMs of this MIG profile were not read; nvidia-smi mig -lgip prints them' : null,
  };
}
