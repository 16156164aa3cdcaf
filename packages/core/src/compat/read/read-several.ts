import type { Question } from '../question.ts';
import type { Tables } from '../tables.ts';
import type { Draft } from './draft.ts';
import { isOtherNumber } from './read-host.ts';
import type { Reading } from './reading.ts';

/** Most hosts or programs of one line. */
const mostParts = 64;

interface Named {
  readonly text: string;
  readonly at: number;
}

const driverNumber = /(?<![\w.])r?(\d{3}(?:\.\d{1,3}){0,2})(?:\.x{1,2})?(?![\w.]*\d|\w)/g;
/** What stands before a number that is asked for, not loaded. */
const wanted =
  /(?:needs?|requires?|required|requiring|wants?|asks? for|minimum|min\.?|at least|>=|>|recommends?|recommended|ships? with|shipped with|came with|comes with|packaged|bundled|below|under|older than|newer than|above|than|not|no longer)(?: (?:is|of|the|an?|nvidia|gpu|driver|drivers|version|branch|r)){0,4}[ :=]{0,2}$/;
const moves = /^\s{0,2}(?:->|=>|→|to|-->)\s{0,2}$/;

/**
 * A line about several hosts or programs: what each of them has of its own. A number of GPUs equal to that of drivers
 * makes pairs in their order; else each goes with each. Where a line names a driver that is wanted and one that is
 * loaded, or an old and a new one, the draft gets the one that the question is about. Empty: nothing is several.
 */
export function readSeveral(
  reading: Reading,
  draft: Draft,
  gpus: readonly Named[],
  tables: Tables,
): readonly Question[] {
  const drivers = draft.driver === undefined ? [] : loadedDrivers(reading, draft, tables);
  const hosts = pairs(distinct(gpus), drivers);
  if (hosts.length > 1) return hosts.slice(0, mostParts);
  return severalPrograms(reading, draft);
}

function distinct(named: readonly Named[]): readonly Named[] {
  return named.filter(
    (one, at) => named.findIndex((other) => other.text.toLowerCase() === one.text.toLowerCase()) === at,
  );
}

/** Drivers in their order; sets the draft's where only one of several counts. */
function loadedDrivers(reading: Reading, draft: Draft, tables: Tables): readonly Named[] {
  const { lower } = reading;
  const all: Named[] = [];
  driverNumber.lastIndex = 0;
  for (let match = driverNumber.exec(lower); match !== null; match = driverNumber.exec(lower)) {
    const text = match[1] as string;
    if (text === draft.compatDriver) continue;
    const end = match.index + match[0].length;
    if (!text.includes('.') && !isBranch(lower, text, match.index, end, tables)) continue;
    all.push({ text, at: match.index });
  }
  // A branch and a release of it are one driver.
  const found = distinct(all).filter(
    (one) => one.text.includes('.') || !all.some((other) => other.text.startsWith(`${one.text}.`)),
  );
  const [first, second] = found;
  if (first === undefined || second === undefined) return [];
  if (found.length === 2 && moves.test(lower.slice(first.at + first.text.length, second.at).replace(/^r/, ''))) {
    draft.driver = second.text;
    return [];
  }
  const loaded = found.filter(({ at }) => !wanted.test(lower.slice(Math.max(0, at - 60), at)));
  const [only, ...others] = loaded;
  if (only !== undefined && others.length === 0) {
    draft.driver = only.text;
    return [];
  }
  return loaded;
}

/** A bare number that is meant as a branch: after a word for a driver or in a list, and no measure of something else. */
function isBranch(lower: string, text: string, from: number, to: number, tables: Tables): boolean {
  if (!tables.branches.has(Number(text))) return false;
  if (isOtherNumber(lower, from, to)) return false;
  return /(?:(?:drivers?|branch(?:es)?|hosts?|nodes?|on|and|or|vs\.?|to|from|are|is|at)[ :=]{1,2}|[,/;>→] ?|^|r)$/.test(
    lower.slice(Math.max(0, from - 12), from) + (lower.charAt(from) === 'r' ? 'r' : ''),
  );
}

function pairs(gpus: readonly Named[], drivers: readonly Named[]): readonly Question[] {
  if (gpus.length < 2 && drivers.length < 2) return [];
  if (gpus.length === drivers.length)
    return gpus.map((gpu, at) => ({ gpu: gpu.text, driver: (drivers[at] as Named).text }));
  if (drivers.length < 2) return gpus.map((gpu) => ({ gpu: gpu.text }));
  if (gpus.length < 2) return drivers.map((driver) => ({ driver: driver.text }));
  return gpus.flatMap((gpu) => drivers.map((driver) => ({ gpu: gpu.text, driver: driver.text })));
}

const joint = '(?:\\s{0,2}(?:,|/|vs\\.?|versus|or|and|&)\\s{0,2}){1,2}(?:the )?';
const variants = new RegExp(
  `(?<![a-z0-9])(cu\\d{3})(?: wheels?| builds?)?${joint}(cu\\d{3}|cpu)(?![0-9a-z])(?:${joint}(cu\\d{3}|cpu)(?![0-9a-z]))?`,
);
const toolkits = new RegExp(
  `(?<![a-z])cuda (\\d{1,2}\\.\\d{1,2})${joint}(?:cuda )?(\\d{1,2}\\.\\d{1,2})(?![\\d.]*\\d)(?:${joint}(?:cuda )?(\\d{1,2}\\.\\d{1,2})(?![\\d.]*\\d))?`,
);

/** `jax[cuda12] or jax[cuda13]`. */
const plugin =
  /(cuda1\d)(?:x|-local|-pip|_local|_pip)?\]?(?: wheels?| builds?| plugins?)?\s{0,2}(?:,|\/|or|vs\.?)\s{0,2}(?:the )?(?:[a-z-]{2,20}\[|[a-z]{2,20}-)?(cuda1\d)/;

/** `cu121 or cu118`, `CUDA 12.4 and 12.6`: a list of the same kind. */
function severalPrograms(reading: Reading, draft: Draft): readonly Question[] {
  const { lower } = reading;
  const list = lower.includes('cu') ? (variants.exec(lower) ?? null) : null;
  if (list !== null) {
    const names = list.slice(1).filter((one) => one !== undefined);
    const wheel = draft.wheel ?? { name: 'torch' };
    if (new Set(names).size > 1 && wheel.name === 'torch') {
      return wheel.version === undefined
        ? names.filter((name) => name !== 'cpu').map((name) => ({ toolkit: `${name.slice(2, -1)}.${name.slice(-1)}` }))
        : names.map((variant) => ({ wheel: { ...wheel, variant } }));
    }
  }
  const plugins = lower.includes('cuda1') ? plugin.exec(lower) : null;
  if (plugins !== null && draft.wheel !== undefined && draft.wheel.name !== 'torch' && plugins[1] !== plugins[2]) {
    const { name } = draft.wheel;
    return [plugins[1] as string, plugins[2] as string].map((variant) => ({ wheel: { name, variant } }));
  }
  const cudas = lower.includes('cuda ') ? toolkits.exec(lower) : null;
  if (cudas === null || draft.wheel !== undefined || draft.image !== undefined) return [];
  const names = [...new Set(cudas.slice(1).filter((one) => one !== undefined))];
  return names.length > 1 ? names.map((toolkit) => ({ toolkit })) : [];
}
