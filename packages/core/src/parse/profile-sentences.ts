import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';

/*
 * Advice of Nsight Compute, one sentence over several lines:
 *   OPT   Est. Speedup: 93.7%
 *         The memory access pattern for shared loads might not be optimal and causes on average a 32.0 - way bank conflict
 *         across all 1048576 shared load requests.This results in 32505856 bank conflicts,  which represent 96.88% of the
 *         overall 33554432 wavefronts for shared loads.
 *   OPT   This kernel has uncoalesced global accesses resulting in a total of 29360128 excessive sectors (88% of the total
 *         33554432 sectors).
 *   OPT   … This kernel achieves an average of 7.2 threads being active per cycle.
 *   OPT   The difference between calculated theoretical (100.0%) and measured achieved occupancy (34.2%) …
 */

const sentences: readonly { readonly pattern: RegExp; readonly names: Readonly<Record<string, string>> }[] = [
  { pattern: /(?<way>\d{1,3}(?:\.\d{1,2})?) ?- ?way bank conflict/i, names: { way: 'bank-conflict-way' } },
  {
    pattern: /bank conflicts, {1,3}which represent (?<share>\d{1,3}(?:\.\d{1,3})?)%/i,
    names: { share: 'bank-conflict-share' },
  },
  {
    pattern:
      /uncoalesced global accesses resulting in a total of \d{1,18} excessive sectors \((?<share>\d{1,3}(?:\.\d{1,3})?)%/i,
    names: { share: 'excessive-sectors-share' },
  },
  {
    pattern: /only (?<used>\d{1,2}(?:\.\d{1,2})?) of the (?:\d{1,3}) bytes transmitted per sector are utilized/i,
    names: { used: 'sector-bytes-used' },
  },
  {
    pattern: /achieves an average of (?<threads>\d{1,2}(?:\.\d{1,2})?) threads being active per cycle/i,
    names: { threads: 'active-threads-per-warp' },
  },
  {
    pattern:
      /theoretical \((?<theory>\d{1,3}(?:\.\d{1,3})?)%\) and measured achieved occupancy \((?<achieved>\d{1,3}(?:\.\d{1,3})?)%\)/i,
    names: { theory: 'theoretical-occupancy', achieved: 'achieved-occupancy' },
  },
];

/** Numbers that one piece of advice states, by the names that rules use. */
export function sentenceNumbers(text: string): readonly { readonly name: string; readonly value: number }[] {
  const joined = text.replaceAll(/\s+/g, ' ').slice(0, 1600);
  return sentences.flatMap(({ pattern, names }) =>
    Object.entries(pattern.exec(joined)?.groups ?? {}).flatMap(([group, value]) => {
      const name = names[group];
      return name === undefined ? [] : [{ name, value: Number(value) }];
    }),
  );
}

/** Rows of raw metrics that tell the same. */
const raw: readonly { readonly pattern: RegExp; readonly name: string }[] = [
  {
    pattern:
      /smsp__thread_inst_executed_per_inst_executed\.ratio(?:\s{1,20}\S{0,12})?\s{1,60}(\d{1,3}(?:\.\d{1,4})?)\s{0,8}$/,
    name: 'active-threads-per-warp',
  },
  {
    pattern:
      /smsp__sass_average_data_bytes_per_sector_mem_global_op_ld\.(?:pct|ratio)\s{1,20}(?:%|byte\/sector)\s{1,60}(\d{1,3}(?:\.\d{1,4})?)\s{0,8}$/,
    name: 'sector-use-percent',
  },
];

const kernelHead =
  /^ {0,8}(?<kernel>[A-Za-z_][\w:<>,&* ()[\]~.-]{0,400}?) ?\(\d{1,9}(?:, ?\d{1,9}){2}\) ?x ?\(\d{1,5}(?:, ?\d{1,5}){2}\)/;

export const profileSentences: Parser = {
  id: 'nsight-compute-advice',
  literals: [
    'bank conflict',
    'excessive sectors',
    'uncoalesced',
    'bytes transmitted per sector',
    'threads being active',
    'measured achieved',
    'smsp__thread_inst_executed',
    'smsp__sass_average_data',
  ],
  keep: { before: 4, after: 4 },
  parse(document, hits, sink) {
    const done = new Set<string>();
    for (const line of hits.slice(0, 2000)) {
      if (line.prompt || line.told) continue;
      const kernel = kernelAbove(document.lines, line);
      const joined = around(document.lines, line);
      const text = joined
        .map((each) => each.clean.trim())
        .join(' ')
        .slice(0, 1600);
      for (const { pattern, names } of sentences) add(pattern.exec(text)?.groups, names, kernel, joined, done, sink);
      for (const { pattern, name } of raw) {
        const match = pattern.exec(line.clean.slice(0, 300));
        if (match !== null) sink.add('profile.metric', { name, value: Number(match[1]), kernel }, line);
      }
    }
  },
};

function add(
  groups: Readonly<Record<string, string>> | undefined,
  names: Readonly<Record<string, string>>,
  kernel: string | null,
  lines: readonly Line[],
  done: Set<string>,
  sink: FactSink,
): void {
  for (const [group, value] of Object.entries(groups ?? {})) {
    const name = names[group];
    const key = `${name}\u0000${kernel}\u0000${value}`;
    if (name === undefined || done.has(key)) continue;
    done.add(key);
    sink.add('profile.metric', { name, value: Number(value), kernel }, lines);
  }
}

/** A line and its two neighbours before and behind, as far as they are of one paragraph. */
function around(lines: readonly Line[], line: Line): readonly Line[] {
  const found: Line[] = [line];
  for (let at = line.index - 1; at >= Math.max(0, line.index - 2); at--) {
    const each = lines[at];
    if (each === undefined || each.prompt || each.clean.trim() === '' || /^\s{0,8}-{5,}/.test(each.clean)) break;
    found.unshift(each);
  }
  for (let at = line.index + 1; at <= line.index + 3; at++) {
    const each = lines[at];
    if (
      each === undefined ||
      each.prompt ||
      each.clean.trim() === '' ||
      /^\s{0,8}(?:-{5,}|OPT\b|INF\b|WRN\b|Section:)/.test(each.clean)
    )
      break;
    found.push(each);
  }
  return found;
}

function kernelAbove(lines: readonly Line[], line: Line): string | null {
  for (let at = line.index; at >= Math.max(0, line.index - 200); at--) {
    const match = kernelHead.exec(lines[at]?.clean.slice(0, 700) ?? '');
    if (match?.groups !== undefined) return match.groups['kernel']!.trim();
  }
  return null;
}
