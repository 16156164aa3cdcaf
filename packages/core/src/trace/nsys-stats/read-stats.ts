import { TraceBuilder } from '../builder.ts';
import type { RankSums, Trace, TraceQuote } from '../model.ts';
import { TraceUnreadable } from '../unreadable.ts';
import { noteOf } from './console.ts';
import { eventsOf } from './events.ts';
import { jsonTableAt } from './json-tables.ts';
import { nvprofTableAt } from './nvprof.ts';
import type { StatsPart } from './parts.ts';
import { firstSection, keyOf, partsOf, sectionBehind } from './parts.ts';
import { Sums } from './sums.ts';
import type { StatRow } from './tables.ts';
import { headAt, rowsBehind } from './tables.ts';

/** Longer lines are cut where they are quoted. */
const longestQuote = 2048;
/** Rows of summaries that are kept of one table; a program has a few thousand kernels at most. */
const mostRows = 20_000;

/**
 * Reads what `nsys stats`, `nsys profile --stats=true`, `nsys analyze` and `nvprof` print: summaries as sums, lists of events as
 * events, and what the tools say where they recorded nothing. CSV, text in columns, boxes, tab-separated text and JSON, several
 * reports in one text, other output between them, those of several ranks
 * (https://docs.nvidia.com/nsight-systems/UserGuide/index.html, statistical reports, expert systems;
 * https://docs.nvidia.com/cuda/profiler-users-guide/index.html).
 * @param file its name, for the evidence
 * @throws TraceUnreadable where no table of it is there
 */
export function readNsysStats(text: string, file: string | null): Trace {
  const lines = text.split(text.includes('\n') ? /\r?\n/ : '\r');
  const builder = new TraceBuilder('nsys-stats', file);
  const reader = new StatsReader(builder, lines);
  for (const part of partsOf(hasMarks.test(text) ? lines.map(withoutMarks) : lines)) reader.read(part);
  const sums = reader.finish();
  if (reader.tables === 0 && sums === null)
    throw new TraceUnreadable(
      'foreign',
      `${file ?? 'the text'} holds no table of nsys stats or nvprof that is known`,
      'nsys stats --report cuda_gpu_trace,cuda_api_sum --format csv FILE',
    );
  const { work, calls } = builder.size;
  if (work === 0) builder.sums = sums;
  if (calls === 0) builder.notRecorded.add('calls');
  for (const what of ['synchronisations', 'ranges', 'graph-nodes']) builder.notRecorded.add(what);
  if (builder.sums?.faults == null) builder.notRecorded.add('page-faults');
  if ((builder.sums?.ranks ?? []).length === 0)
    for (const each of reader.twice) builder.left.push(`a second summary of ${each} in the same text was left out`);
  return builder.finish();
}

/** Colours of a terminal, zeros, blanks of a word processor. */
const hasMarks = /[\u{0}\u{1b}\u{a0}\u{202f}]/u;

function withoutMarks(line: string): string {
  return hasMarks.test(line)
    ? line
        .replaceAll(/\u{1b}\[[\d;]{0,20}[A-Za-z]|\u{0}/gu, '')
        .replaceAll(/(\d)\u{202f}(?=\d{3})/gu, '$1,')
        .replaceAll(/[\u{a0}\u{202f}]/gu, ' ')
    : line;
}

/** The name of a GPU in what `nvidia-smi -L` prints, or a table of nvprof. */
const gpuLine = /^\s{0,8}GPU \d{1,3}: (.{1,80}?) \(UUID: /;

const cpuFaults = /\bTotal CPU Page faults: (\d{1,15})\b/;

interface Run {
  readonly rank: number | null;
  /** Its number stands in the name of a file, and nothing says what it counts. */
  readonly isBare: boolean;
  /** Of a process among others of one text. */
  readonly isProcess: boolean;
  readonly sums: Sums;
}

/** Gathers the tables of a text: all of them, and those of each run that it tells apart. */
class StatsReader {
  tables = 0;
  #builder: TraceBuilder;
  #lines: readonly string[];
  #all = new Sums();
  #runs = new Map<string, Run>();

  constructor(builder: TraceBuilder, lines: readonly string[]) {
    this.#builder = builder;
    this.#lines = lines;
  }

  get twice(): readonly string[] {
    return this.#all.twice;
  }

  read(part: StatsPart): void {
    const { lines, numbers } = part;
    const quoteOf = (line: number): TraceQuote => {
      const number = numbers?.[line] ?? line + 1;
      return { line: number, text: (this.#lines[number - 1] ?? '').slice(0, longestQuote) };
    };
    const quote = (row: StatRow): TraceQuote => quoteOf(row.line - 1);
    let section = firstSection;
    for (let at = 0; at < lines.length; at++) {
      const line = lines[at]!;
      const run = (): readonly Sums[] => [this.#all, this.#runOf(section, part.rank)];
      const nvprof = nvprofTableAt(lines, at, quoteOf);
      if (nvprof !== null) {
        for (const sums of run()) sums.nvprof(nvprof);
        this.tables++;
        at = nvprof.next - 1;
        continue;
      }
      const head = headAt(lines, at);
      if (head !== null) {
        const take = eventsOf(head, this.#builder, quote);
        const rows: StatRow[] = [];
        const walk = rowsBehind(lines, head);
        let step = walk.next();
        for (; step.done !== true; step = walk.next()) {
          if (take !== null) take(step.value);
          else if (rows.length < mostRows) rows.push(step.value);
        }
        if (take !== null) this.tables++;
        else {
          const known = run().map((sums) => sums.add(head, rows, quote));
          if (known.includes(true)) this.tables++;
          else if (rows[0] !== undefined) this.#all.note('other-table', quote(rows[0]));
        }
        at = Math.max(at, step.value - 1);
        continue;
      }
      const json = jsonTableAt(lines, at);
      if (json !== null) {
        const take = eventsOf(json.head, this.#builder, quote);
        if (take !== null) json.rows.forEach(take);
        else if (
          !run()
            .map((sums) => sums.add(json.head, json.rows, quote))
            .includes(true)
        )
          continue;
        this.tables++;
        at = json.next - 1;
        continue;
      }
      section = this.#said(line, () => quoteOf(at), section);
    }
  }

  /** A line that is no table; @returns where the text is behind it */
  #said(line: string, quote: () => TraceQuote, section: typeof firstSection): typeof firstSection {
    if (line.trim() === '') return section;
    const note = noteOf(line);
    if (note !== null) this.#all.note(note, quote());
    const gpu = gpuLine.exec(line.slice(0, 200))?.[1];
    if (gpu !== undefined) this.#all.named(gpu);
    const faults = cpuFaults.exec(line.slice(0, 200))?.[1];
    if (faults !== undefined) this.#all.faultsOfCpu(Number(faults), quote());
    return sectionBehind(line, section);
  }

  #runOf(section: typeof firstSection, tagged: number | null): Sums {
    const rank = tagged ?? section.rank;
    const id = `${rank ?? ''}\u0000${keyOf(section)}`;
    let run = this.#runs.get(id);
    if (run === undefined) {
      const isBare = tagged === null && section.isBare;
      const isProcess = section.process !== '' && section.file === '';
      this.#runs.set(id, (run = { rank, isBare, isProcess, sums: new Sums() }));
    }
    return run.sums;
  }

  /** All that was gathered; null where there was nothing. */
  finish(): ReturnType<Sums['finish']> {
    const all = this.#all.finish();
    if (all === null) return null;
    const runs = [...this.#runs.values()].filter(({ sums }) => (sums.kernels ?? []).length > 0);
    if (runs.length < 2) return all;
    const ranks = runs.map(({ rank, sums }, place): RankSums => ({ rank: rank ?? place, kernels: sums.kernels! }));
    // Processes without a number are ranks where all of them take part in collectives; files are of one run before another.
    // Tries are counted from 1, ranks from 0.
    const isJob =
      runs.every(
        ({ rank, isProcess, sums }) =>
          rank !== null || (isProcess && sums.kernels!.some(({ name }) => /^nccl/i.test(name))),
      ) &&
      (runs.some(({ isBare }) => !isBare) || runs.some(({ rank }) => rank === 0));
    const distinct = isJob && new Set(ranks.map(({ rank }) => rank)).size === ranks.length;
    const first = runs[0]!.sums.finish();
    // Tables of one run stand together: kernels of one and calls of another are no program.
    return {
      ...(first ?? all),
      notes: all.notes ?? [],
      gpu: all.gpu ?? null,
      ...(distinct ? { ranks } : {}),
    };
  }
}
