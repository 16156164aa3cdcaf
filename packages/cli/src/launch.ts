import type { LaunchQuestion } from '@culprit/core/occupancy/answer';
import { bestBlockSize } from '@culprit/core/occupancy/best';
import { plainKernel } from '@culprit/core/occupancy/evaluate';
import type { Kernel } from '@culprit/core/occupancy/evaluate';
import { placeOf } from '@culprit/core/occupancy/place';
import type { Place } from '@culprit/core/occupancy/place';
import { noResources } from '@culprit/core/occupancy/ptxas';
import type { KernelResources } from '@culprit/core/occupancy/ptxas';
import { optedIn } from '@culprit/core/occupancy/steps';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import type { Call } from './commands/command.ts';
import { usageError } from './errors.ts';

// Flags that describe a launch, as values. The table of the flags themselves is `launch-flags.ts`.

/** What is asked of one kernel: its own resources, and over them what the flags say. */
export function questionOf(place: Place, resources: KernelResources, call: Call): LaunchQuestion {
  const kernel: Kernel = {
    ...plainKernel,
    registersPerThread: countFlag(call, 'registers') ?? resources.registers ?? 0,
    staticShared: bytesFlag(call, 'shared') ?? resources.staticShared ?? 0,
    dynamicShared: bytesFlag(call, 'dynamic') ?? resources.dynamicShared ?? 0,
    carveout: numberFlag(call, 'carveout', -1, 100) ?? -1,
    barriers: countFlag(call, 'barriers') ?? resources.barriers ?? 1,
    maxThreadsPerBlock: countFlag(call, 'max-threads') ?? resources.maxThreads ?? 1024,
  };
  const given = productFlag(call, 'block', mostBlock) ?? resources.blockSize;
  const best = bestBlockSize(place.limits, optedIn(place.limits, kernel), () => kernel.dynamicShared).blockSize;
  const blockSize = given ?? (best === 0 ? 256 : best);
  const threads = countFlag(call, 'threads');
  if (threads !== undefined && textFlag(call, 'grid') !== undefined)
    throw usageError('bad-value', '--grid and --threads say the same in two ways', 'give one of them');
  const grid =
    productFlag(call, 'grid', mostGrid) ?? (threads === undefined ? resources.grid : Math.ceil(threads / blockSize));
  const cluster = countFlag(call, 'cluster') ?? resources.cluster;
  if (cluster === 0) throw usageError('bad-value', '--cluster is a whole number from 1 on');
  return {
    place:
      place.sms === null && resources.sms !== null
        ? { ...place, sms: resources.sms, smsConfirmed: true, smsNote: null }
        : place,
    kernel: { ...kernel, blockSize },
    name: resources.name === '' ? null : (resources.demangled ?? resources.name),
    grid: grid ?? null,
    clusterSize: cluster === 1 ? null : cluster,
    spilled: resources.spilled,
  };
}

/** Where the flags say that it runs; null where they do not. */
export function placeOfFlags(call: Call, knowledge: Knowledge): Place | null {
  const gpu = textFlag(call, 'gpu');
  const cc = textFlag(call, 'cc');
  if (gpu !== undefined && cc !== undefined)
    throw usageError('bad-value', '--gpu and --cc say the same in two ways', 'give one of them');
  const named = gpu ?? cc;
  return named === undefined ? null : found(named, call, knowledge);
}

/** Where a kernel runs by the architecture that it was compiled for. */
export function ownPlace(resources: KernelResources, call: Call, knowledge: Knowledge): Place {
  if (resources.arch === null)
    throw usageError('missing-argument', 'the file does not say for which GPU the kernel is', 'give --gpu');
  return found(resources.arch.replace(/[af]$/, ''), call, knowledge);
}

function found(name: string, call: Call, knowledge: Knowledge): Place {
  const place = placeOf(name, knowledge);
  if ('problem' in place) throw usageError('bad-value', place.problem, place.hint);
  const sms = numberFlag(call, 'sms', 1, Number.MAX_SAFE_INTEGER);
  return sms === undefined ? place : { ...place, sms, smsConfirmed: true, smsNote: null };
}

/** Stands in where a concept is explained and no GPU is named. */
const usualGpu = 'H100';

/** The launch that flags alone describe. */
export function launchOf(call: Call, knowledge: Knowledge): LaunchQuestion {
  const place = placeOfFlags(call, knowledge) ?? found(usualGpu, call, knowledge);
  if (textFlag(call, 'gpu') === undefined && textFlag(call, 'cc') === undefined)
    call.output.note(`culprit: no GPU was named; ${usualGpu} is taken`);
  return questionOf(place, { ...noResources, name: '' }, call);
}

/** Active threads per warp of `--active-threads`; null without it. */
export function activeThreadsOf(call: Call): number | null {
  const text = textFlag(call, 'active-threads')?.trim().replace(',', '.');
  if (text === undefined) return null;
  const value = /^\d{1,2}(?:\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value > 0 && value <= 32))
    throw usageError('bad-value', `--active-threads is a number up to 32, not ${text.slice(0, 40)}`);
  return value;
}

export function textFlag(call: Call, name: string): string | undefined {
  const value = call.flags[name];
  return typeof value === 'string' ? value : undefined;
}

function numberFlag(call: Call, name: string, from: number, to: number): number | undefined {
  const text = textFlag(call, name)?.trim();
  if (text === undefined) return undefined;
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= from && value <= to))
    throw usageError('bad-value', `--${name} is a whole number from ${from} to ${to}, not ${text.slice(0, 40)}`);
  return value;
}

function countFlag(call: Call, name: string): number | undefined {
  return numberFlag(call, name, 0, Number.MAX_SAFE_INTEGER);
}

/** `48K`, `96KiB`, `49152`, `49152 bytes`. */
function bytesFlag(call: Call, name: string): number | undefined {
  const text = textFlag(call, name)?.trim();
  if (text === undefined) return undefined;
  const match = /^(\d{1,12})\s?(k|kb|kib|b|bytes?)?$/i.exec(text);
  if (match === null)
    throw usageError('bad-value', `--${name} is a number of bytes, not ${text.slice(0, 40)}`, '49152, or 48K');
  return Number(match[1]) * (match[2]?.toLowerCase().startsWith('k') === true ? 1024 : 1);
}

/** Most threads of a block and most blocks of a grid in x, y and z; the same for every compute capability from 5.0 on. */
const mostBlock = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 64] as const;
const mostGrid = [2_147_483_647, 65_535, 65_535] as const;

/** `256`, `16x16`, `(16, 16, 1)`: the product. What no launch can have in one direction is refused. */
function productFlag(call: Call, name: string, most: readonly [number, number, number]): number | undefined {
  const text = textFlag(call, name)?.trim();
  if (text === undefined) return undefined;
  const match = /^\(?\s?(\d{1,10})(?:\s?[x,*]\s?(\d{1,10}))?(?:\s?[x,*]\s?(\d{1,10}))?\s?\)?$/i.exec(text);
  const parts = match === null ? [] : match.slice(1).map((part) => Number(part ?? 1));
  const product = parts.length === 0 ? 0 : parts.reduce((all, part) => all * part, 1);
  if (product < 1 || !Number.isSafeInteger(product))
    throw usageError('bad-value', `--${name} is a whole number or two or three with an x, not ${text.slice(0, 40)}`);
  const beyond = parts.findIndex((part, at) => part > (most[at] ?? 0));
  if (beyond !== -1)
    throw usageError(
      'bad-value',
      `a ${name} has at most ${most[beyond]} in ${'xyz'[beyond]}, not ${parts[beyond]}`,
      'such a launch fails with cudaErrorInvalidConfiguration',
    );
  return product;
}
