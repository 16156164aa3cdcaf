import type { Document, Line } from '../model/document.ts';
import type { FactStore } from '../diagnose/fact-store.ts';
import { sentenceNumbers } from '../parse/profile-sentences.ts';
import type { Place } from './ncu.ts';
import type { ProfiledKernel } from './ncu-kernels.ts';

/** Kernels whose numbers become facts: those with the most time. */
const mostKernels = 8;

/** Numbers that a verdict states of the heaviest kernel: name behind `trace.top_kernel.`, metric. */
const stated: readonly (readonly [string, string])[] = [
  ['block_size', 'block-size'],
  ['grid_size', 'grid-size'],
  ['registers_per_thread', 'registers-per-thread'],
  ['waves_per_sm', 'waves-per-sm'],
  ['sms', 'sm-count'],
  ['theoretical_occupancy_percent', 'theoretical-occupancy'],
  ['achieved_occupancy_percent', 'achieved-occupancy'],
  ['active_threads_per_warp', 'active-threads-per-warp'],
  ['not_predicated_threads_per_warp', 'not-predicated-threads-per-warp'],
  ['sm_throughput_percent', 'sm-throughput'],
  ['memory_throughput_percent', 'memory-throughput'],
  ['dram_throughput_percent', 'dram-throughput'],
  ['bank_conflict_share_percent', 'bank-conflict-share'],
  ['excessive_sectors_percent', 'excessive-sectors-share'],
  ['sectors_per_request', 'sectors-per-request'],
  ['sector_use_percent', 'sector-use-percent'],
];

/**
 * Puts what a profile says into a store: `profile.metric` by kernel for the rules, `trace.…` for the verdict.
 * @param launchTimes durations of all launches in ns, where the profile has them
 * @returns the document that the evidence speaks of
 */
export function putNcuFacts(
  kernels: readonly ProfiledKernel[],
  launchTimes: readonly number[],
  file: string | null,
  store: FactStore,
): Document {
  const lines: Line[] = [];
  const known = new Map<Place, Line>();
  const lineOf = (place: Place): Line => {
    const made = known.get(place);
    if (made !== undefined) return made;
    const line: Line = {
      index: lines.length,
      number: place.line,
      column: place.column,
      text: place.text,
      clean: place.text,
      origin: {},
      told: false,
      scope: 'unknown',
      command: null,
      prompt: false,
    };
    known.set(place, line);
    lines.push(line);
    return line;
  };
  const document: Document = { file, source: 'nsight-compute', subject: 'text', lines, left: [] };
  const sink = store.sink(document, 'nsight-compute', 0);
  const state = (name: string, value: number | string, ...places: readonly Place[]): void =>
    sink.add(`trace.${name}`, value, places.map(lineOf));

  const launches = kernels.reduce((sum, kernel) => sum + kernel.launches, 0);
  const top = kernels[0];
  if (top === undefined) return document;
  const everyPlace = kernels.slice(0, 6).map((kernel) => kernel.place);
  state('kernels.count', launches, ...everyPlace);
  const total = kernels.reduce((sum, kernel) => sum + (kernel.totalNs ?? 0), 0);
  if (total > 0) state('kernels.total_ns', Math.round(total), ...kernels.slice(0, 6).map(durationPlace));
  const durations = launchTimes.toSorted((a, b) => a - b);
  const middle = durations.length >> 1;
  if (durations.length > 0)
    state(
      'kernels.median_ns',
      Math.round(durations.length % 2 === 1 ? durations[middle]! : (durations[middle - 1]! + durations[middle]!) / 2),
      ...kernels.slice(0, 6).map(durationPlace),
    );
  state('top_kernel.name', top.name, top.place);
  if (top.totalNs !== null) state('top_kernel.total_ns', Math.round(top.totalNs), durationPlace(top));
  if (top.share !== null) state('top_kernel.share', Math.round(top.share * 1e4) / 1e4, durationPlace(top));
  for (const [name, metric] of stated) {
    const number = top.numbers.get(metric);
    if (number !== undefined) state(`top_kernel.${name}`, number.value, ...number.places);
  }
  const threads = top.numbers.get('active-threads-per-warp');
  const counting = top.numbers.get('not-predicated-threads-per-warp');
  if (threads !== undefined)
    state('top_kernel.warp_execution_efficiency_percent', round(threads.value / 0.32), ...threads.places);
  if (threads !== undefined && counting !== undefined && threads.value >= counting.value)
    state(
      'top_kernel.predicated_off_threads_per_warp',
      round(threads.value - counting.value),
      ...threads.places,
      ...counting.places,
    );
  for (const { reason, share, place } of top.stalls.slice(0, 5))
    state(`top_kernel.stall.${reason}`, Math.round(share * 1e4) / 1e4, place);

  kernels.slice(0, mostKernels).forEach((kernel) => {
    const put = (name: string, value: number, places: readonly Place[]): void =>
      sink.add('profile.metric', { name, value, kernel: kernel.name }, places.map(lineOf));
    if (kernel.share !== null) put('time-share', round(kernel.share * 100), [durationPlace(kernel)]);
    for (const [name, { value, places }] of kernel.numbers) put(name, value, places);
    for (const { rule, text, place } of kernel.advice)
      for (const { name, value } of sentenceNumbers(text))
        if (!kernel.numbers.has(name) || rule === '') put(name, value, [place]);
  });
  return document;
}

function durationPlace(kernel: ProfiledKernel): Place {
  return kernel.numbers.get('duration-ns')?.places[0] ?? kernel.place;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
