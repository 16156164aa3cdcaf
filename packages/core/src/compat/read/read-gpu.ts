import type { GpuIndex } from '../gpu-name.ts';
import { gpuWords, isNoise, longestName } from '../gpu-name.ts';
import type { Draft } from './draft.ts';
import { isFree, leftover, mark, typed } from './reading.ts';
import type { Reading } from './reading.ts';

interface Word {
  readonly words: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** Words of the untaken text with their places. */
function wordsOf(reading: Reading): readonly Word[] {
  const text = leftover(reading);
  const found: Word[] = [];
  const pattern = /[a-z0-9.]+/g;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    // `8xH100`: how many stands before the name.
    const count = /^\d{1,3}x(?=[a-z]{1,3}\d|rtx|gtx|\d{4})/.exec(match[0])?.[0].length ?? 0;
    const words = gpuWords(match[0].slice(count));
    if (words.length > 0) found.push({ words, from: match.index + count, to: match.index + match[0].length });
  }
  return found;
}

/** Most GPUs that one line names. */
const mostGpus = 16;

/** Every GPU that the untaken text names, longest names first; marks them. */
export function takeGpus(reading: Reading, index: GpuIndex): readonly { readonly name: string; readonly at: number }[] {
  const found: { readonly name: string; readonly at: number }[] = [];
  while (found.length < mostGpus) {
    const words = wordsOf(reading);
    const flat: string[] = [];
    const owner: number[] = [];
    words.forEach((word, at) => {
      for (const one of word.words) {
        flat.push(one);
        owner.push(at);
      }
    });
    const hit = longestNear(flat, owner, words, index);
    if (hit === null) break;
    let first = owner[hit.at] as number;
    let last = owner[hit.at + hit.length - 1] as number;
    // A known word that tells no products apart belongs to the name: `NVIDIA A100 80GB PCIe`.
    while (first > 0 && isName(words[first - 1]) && near(reading, words[first - 1], words[first])) first -= 1;
    while (
      last + 1 < words.length &&
      (isName(words[last + 1]) || isSuffix(words[last + 1])) &&
      near(reading, words[last], words[last + 1])
    )
      last += 1;
    const from = (words[first] as Word).from;
    const to = (words[last] as Word).to;
    found.push({ name: typed(reading, from, to), at: from });
    mark(reading, from, to);
  }
  return found.sort((a, b) => a.at - b.at);
}

/** A name whose words stand side by side. Longer names first. */
function longestNear(
  flat: readonly string[],
  owner: readonly number[],
  words: readonly Word[],
  index: GpuIndex,
): { readonly at: number; readonly length: number } | null {
  let best: { readonly at: number; readonly length: number } | null = null;
  for (let start = 0; start < flat.length; start += 1) {
    const end = Math.min(flat.length, start + index.longest);
    for (let stop = end; stop > start && (best === null || stop - start > best.length); stop -= 1) {
      if (!sideBySide(owner[start] as number, owner[stop - 1] as number, words)) continue;
      const hit = longestName(flat.slice(start, stop), 0, stop - start, index);
      if (hit === null || hit.length !== stop - start) continue;
      if (isDoubtful(flat.slice(start, stop))) continue;
      best = { at: start, length: stop - start };
    }
  }
  return best;
}

/** Short names that are also ordinary words or numbers only count beside other signs; a bare `2080` is taken as a GPU. */
function isDoubtful(words: readonly string[]): boolean {
  return (
    words.length === 1 &&
    /^\d+$/.test(words[0] as string) &&
    !/^(?:1060|1070|1080|2060|2070|2080|3050|3060|3070|3080|3090|4060|4070|4080|4090|5060|5070|5080|5090)$/.test(
      words[0] as string,
    )
  );
}

function sideBySide(first: number, last: number, words: readonly Word[]): boolean {
  for (let at = first; at < last; at += 1) {
    if ((words[at + 1] as Word).from - (words[at] as Word).to > 2) return false;
  }
  return true;
}

function near(reading: Reading, a: Word | undefined, b: Word | undefined): boolean {
  if (a === undefined || b === undefined || b.from - a.to > 2) return false;
  return isFree(reading, a.from, b.to) && !/[,;:]/.test(reading.lower.slice(a.to, b.from));
}

function isName(word: Word | undefined): boolean {
  return (
    word?.words.every(
      (one) =>
        isNoise(one) &&
        ![
          'with',
          'x',
          'single',
          'server',
          'cards',
          'card',
          'device',
          'q',
          'max',
          'cc',
          'module',
          'series',
          'board',
          'boards',
          'generation',
          'graphics',
          'gpu',
          'gpus',
          'custom',
          'design',
          'workstation',
        ].includes(one),
    ) === true
  );
}

function isSuffix(word: Word | undefined): boolean {
  return word?.words.every((one) => ['ti', 'super', 'laptop', 'mobile'].includes(one)) === true;
}

/**
 * Reads the GPU of the question: a known name, an architecture, or something that looks like a GPU name. Gives every
 * known name that it took.
 */
export function readGpu(
  reading: Reading,
  draft: Draft,
  index: GpuIndex,
): readonly { readonly name: string; readonly at: number }[] {
  const known = takeGpus(reading, index);
  const [first] = known;
  if (first !== undefined) {
    draft.gpu = first.name;
    return known;
  }
  const text = leftover(reading);
  const unknown =
    /(?<![a-z0-9])(?:nvidia |geforce |tesla |quadro )?(?:(?:rtx|gtx|titan|tesla|quadro|geforce|grid)[ -]?(?:pro )?[a-z]{0,2}\d{1,5}[a-z]{0,3}(?: (?:ti|super|ada|blackwell))?|(?:gh|gb|[abhlmptvr])\d{2,4}[a-z]{0,2}(?![a-z0-9.]))/.exec(
      text,
    );
  if (unknown !== null) {
    draft.gpu = typed(reading, unknown.index, unknown.index + unknown[0].length);
    mark(reading, unknown.index, unknown.index + unknown[0].length);
    return [];
  }
  // `one of our Ada or Turing cards`: either can be meant.
  const either =
    /(?<![a-z0-9])(kepler|maxwell|pascal|volta|turing|ampere|ada|hopper|blackwell|rubin)(?: (?:gpus?|cards?|boards?))?(?: or | ?\/ ?)(?:an? )?(kepler|maxwell|pascal|volta|turing|ampere|ada|hopper|blackwell|rubin)(?![a-z])/.exec(
      text,
    );
  if (either !== null) {
    mark(reading, either.index, either.index + either[0].length);
    draft.gpu = either[1] as string;
    return [either[1], either[2]].map((name) => ({ name: name as string, at: either.index }));
  }
  const architecture =
    /(?<![a-z0-9])(kepler|maxwell|pascal|volta|turing|ampere|ada(?: lovelace)?|hopper|blackwell|rubin)(?: (?:gpus?|cards?|boards?|nodes?|generation))?(?![a-z])/.exec(
      text,
    );
  if (architecture !== null) {
    draft.gpu = (architecture[1] as string).replace(' lovelace', '');
    mark(reading, architecture.index, architecture.index + architecture[0].length);
  }
  return [];
}
