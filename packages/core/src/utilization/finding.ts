import type { Certainty } from '../model/layer.ts';
import type { SeriesPlace } from './gpu-series.ts';
import type { GpuView } from './view.ts';

/** A number of a series beside the threshold it is held against. */
export interface Measured {
  readonly name: string;
  readonly value: number;
  readonly is: '>=' | '<=' | '<' | '>';
  readonly threshold: string;
}

/** What a series shows of one cause. */
export interface SeriesFinding {
  readonly cause: string;
  readonly kind: 'fault' | 'healthy' | 'unclear';
  readonly certainty: Certainty;
  /** GPUs it is true of. */
  readonly gpus: readonly string[];
  readonly message: string;
  readonly measured: readonly Measured[];
  readonly places: readonly SeriesPlace[];
  /** What would decide more, and the command that shows it. */
  readonly missing?: { readonly fact: string; readonly ask: string };
}

export interface Detected {
  readonly cause: string;
  readonly kind: SeriesFinding['kind'];
  readonly certainty?: Certainty;
  /** What follows the name of the GPU: `is busy …`. */
  readonly says: string;
  readonly measured: readonly Measured[];
  readonly quote?: readonly string[];
  /** Lines that show it themselves. */
  readonly shows?: readonly SeriesPlace[];
  readonly missing?: SeriesFinding['missing'];
}

/** Shows a number against its threshold. */
export function against(
  name: string,
  value: number | null,
  is: Measured['is'],
  threshold: string,
): readonly Measured[] {
  return value === null ? [] : [{ name, value: Math.round(value * 10) / 10, is, threshold }];
}

/** One finding of what several GPUs show alike. */
export function joined(each: readonly { readonly gpu: GpuView; readonly found: Detected }[]): SeriesFinding {
  const lead = each[0]!;
  const names = each.map(({ gpu }) => gpu.called);
  const many =
    names.length === 1
      ? names[0]!
      : names.length <= 4
        ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`
        : `${names.length} GPUs (${names[0]!} and others)`;
  const { found } = lead;
  return {
    cause: found.cause,
    kind: found.kind,
    certainty: found.certainty ?? 'likely',
    gpus: each.map(({ gpu }) => gpu.id),
    message: `${many}: ${saidTogether(
      each.map((one) => one.found.says),
      names[0]!,
    )}`,
    measured: found.measured,
    places: each
      .slice(0, 3)
      .flatMap(({ gpu, found: own }) => own.shows?.slice(0, 2) ?? gpu.places(...(own.quote ?? []))),
    ...(found.missing === undefined ? {} : { missing: found.missing }),
  };
}

const number = /\d+(?:\.\d+)?/g;
/** Times, addresses and processes make no ranges. */
const noRange = /\d[:/-]\d|\bpid \d/;

/**
 * One sentence for what several GPUs show alike: where only its numbers differ, each is given as a range, so that no GPU
 * is said to have the numbers of another.
 */
function saidTogether(sentences: readonly string[], lead: string): string {
  const [first = ''] = sentences;
  if (sentences.every((each) => each === first)) return first;
  const bare = first.replaceAll(number, '#');
  if (noRange.test(first) || sentences.some((each) => each.replaceAll(number, '#') !== bare))
    return `${first} (the numbers of ${lead})`;
  const columns = sentences.map((each) => each.match(number) ?? []);
  let at = 0;
  return first.replaceAll(number, (text) => {
    const values = columns.map((row) => row[at] ?? text).toSorted((a, b) => Number(a) - Number(b));
    at++;
    const [least = text, most = text] = [values[0], values.at(-1)];
    return least === most ? least : `${least} to ${most}`;
  });
}
