import { comparisonMarkdown, comparisonText } from '@culprit/core/report/series-comparison';
import { visiblePage } from '@culprit/core/report/visible';
import type { Side } from '@culprit/core/utilization/compare';
import { sameBoards, sideOf } from '@culprit/core/utilization/compare';
import { nodesOf } from '@culprit/core/utilization/compare-nodes';
import type { SeriesComparison } from '@culprit/core/utilization/comparison';
import { calledIn, comparisonOf } from '@culprit/core/utilization/comparison';
import { SeriesSet } from '@culprit/core/utilization/series-set';
import type { Thresholds } from '@culprit/core/utilization/thresholds.rows';
import { TimeWindow, momentOfText, periodOfText } from '@culprit/core/utilization/time-window';
import { CulpritError, toolError, usageError } from '../errors.ts';
import { reportTarget } from '../report-target.ts';
import type { Call } from './command.ts';
import { checkSources, isLive, readAllInto, readInto } from './util-read.ts';

const statuses: Readonly<Record<SeriesComparison['answer'], number>> = { equal: 0, changed: 1, 'cannot-tell': 3 };

/** Compares two inputs, two periods of the same inputs, or nodes. */
export async function compare(call: Call, limits: Thresholds): Promise<number> {
  if (!['text', 'json', 'markdown'].includes(call.format))
    throw usageError('bad-value', `--compare prints text, JSON and Markdown, not ${call.format}`, null);
  const target = reportTarget(call);
  const by = call.flags['by'];
  if (by !== undefined && by !== 'node') throw usageError('bad-value', `--by takes node, not ${String(by)}`, null);
  if (by !== undefined && ['before', 'after', 'split'].some((name) => call.flags[name] !== undefined))
    throw usageError('bad-value', '--by node compares nodes, --before, --after and --split periods', null);
  const server = by === undefined && call.flags['prometheus'] !== undefined;
  const windows = server ? null : windowsOf(call);
  const found =
    by === 'node'
      ? await ofNodes(call, limits)
      : server
        ? await ofServer(call, limits)
        : windows === null
          ? await ofInputs(call, limits)
          : await ofPeriods(call, limits, windows);
  // Names of hosts and files stand in it.
  const shown = target.redact ? await redacted(found) : found;
  target.write(
    call.format === 'json'
      ? `${JSON.stringify(shown, null, 2)}\n`
      : visiblePage(call.format === 'markdown' ? comparisonMarkdown(shown) : comparisonText(shown)),
  );
  target.done(null);
  return statuses[found.answer];
}

async function redacted(found: SeriesComparison): Promise<SeriesComparison> {
  const { redactorOf } = await import('@culprit/core/report/redact');
  const redactor = redactorOf([]);
  return JSON.parse(JSON.stringify(found), (_key, value: unknown) =>
    typeof value === 'string' ? redactor.text(value) : value,
  ) as SeriesComparison;
}

function settled(set: SeriesSet, name: string): SeriesSet {
  set.settle();
  if (set.gpus.size === 0) throw toolError('no-input', `${name} holds no series`, set.left[0] ?? null);
  return set;
}

async function ofInputs(call: Call, limits: Thresholds): Promise<SeriesComparison> {
  const [before, after] = call.positionals;
  if (before === undefined || after === undefined || call.positionals.length !== 2 || isLive(call))
    throw usageError(
      'bad-value',
      '--compare takes two files, or two periods of the same input',
      'culprit util --compare before.log after.log; culprit util --compare --split 14:32 dmon.log; culprit util --prometheus URL --compare FROM..TO FROM..TO',
    );
  const sets = [new SeriesSet(limits), new SeriesSet(limits)] as const;
  for (const [at, name] of [before, after].entries()) {
    await readInto(sets[at]!, name);
    settled(sets[at]!, name);
  }
  return comparisonOf(
    'input',
    [sideOf(before, sets[0]), sideOf(after, sets[1])],
    limits,
    sets.flatMap(({ left }) => left),
  );
}

interface Period {
  readonly name: string;
  /** Reading counts samples, so that each reading has its own. */
  readonly window: () => TimeWindow;
}

function windowsOf(call: Call): readonly [Period, Period] | null {
  const { before, after, split } = call.flags;
  if (before === undefined && after === undefined && split === undefined) return null;
  if (typeof split === 'string') {
    if (before !== undefined || after !== undefined)
      throw usageError('bad-value', '--split stands for --before and --after', null);
    const at = momentOfText(split);
    if (at === null)
      throw usageError('bad-value', `--split ${split} is no time`, 'culprit util --compare --split 14:32:10 dmon.log');
    return [
      { name: `before ${split}`, window: () => new TimeWindow(null, at) },
      { name: `from ${split}`, window: () => new TimeWindow(at, null) },
    ];
  }
  const [one, other] = [before, after].map((text, at): Period => {
    const period = typeof text === 'string' ? periodOfText(text) : null;
    if (period === null)
      throw usageError(
        'bad-value',
        `--${at === 0 ? 'before' : 'after'} takes FROM..TO`,
        'culprit util --compare --before 14:00..14:30 --after 14:30..15:00 dmon.log',
      );
    return { name: String(text), window: () => new TimeWindow(period.from, period.to) };
  });
  return [one!, other!];
}

async function ofPeriods(
  call: Call,
  limits: Thresholds,
  periods: readonly [Period, Period],
): Promise<SeriesComparison> {
  // The same input is read once for each period.
  if (
    call.flags['for'] !== undefined ||
    call.positionals.includes('-') ||
    (call.positionals.length === 0 && !isLive(call))
  )
    throw usageError(
      'bad-value',
      'periods are taken from files, which are read twice, or from --prometheus URL',
      'culprit util --prometheus URL --compare 2026-11-01T10:00..12:00 2026-11-02T10:00..12:00',
    );
  const sets: SeriesSet[] = [];
  for (const { name, window } of periods) {
    const set = new SeriesSet(limits);
    set.window = window();
    await readAllInto(call, set);
    if (set.gpus.size === 0 && set.window.untimed > 0)
      throw toolError('no-input', `the samples tell no times that ${name} could be held against`, null);
    sets.push(settled(set, `the period ${name}`));
  }
  return comparisonOf(
    'period',
    sets.map((set, at) => sideOf(periods[at]!.name, set)),
    limits,
    [...new Set(sets.flatMap(({ left }) => left))],
  );
}

/** Two periods of one server, each asked for by itself. */
async function ofServer(call: Call, limits: Thresholds): Promise<SeriesComparison> {
  checkSources(call);
  const { comparedPeriods, readServer } = await import('./util-prometheus.ts');
  const periods = comparedPeriods(call);
  const sides: Side[] = [];
  const left: string[] = [];
  for (const period of periods) {
    const set = new SeriesSet(limits);
    // A pod may have been on another node: what has the same number there is another GPU.
    set.nameHosts();
    const named = `the period ${period.name}`;
    try {
      await readServer(call, set, period);
    } catch (error) {
      throw error instanceof CulpritError
        ? new CulpritError(error.code, `${named}: ${error.message}`, error.hint, error.exit)
        : error;
    }
    set.settle();
    if (set.gpus.size === 0)
      throw toolError(
        'no-input',
        `${named} is empty: the server has no sample of a GPU in it`,
        set.exporterAbsent?.text ?? set.left[0] ?? null,
      );
    sides.push(sideOf(period.name, set));
    left.push(...set.left);
  }
  const [before, after] = sameBoards(sides[0]!, sides[1]!);
  if (![...before.gpus.keys()].some((gpu) => after.gpus.has(gpu)))
    throw toolError(
      'no-input',
      `the two periods have no GPU in common: ${listOf(before)} before, ${listOf(after)} after`,
      '--node, --gpu or --selector chooses the same GPUs in both; other nodes are compared by --compare --by node',
    );
  return comparisonOf('period', sides, limits, [...new Set(left)]);
}

function listOf({ gpus }: Side): string {
  const names = [...gpus.keys()].map((gpu) => calledIn('period', gpu));
  return `${names.slice(0, 4).join(', ')}${names.length > 4 ? ` and ${names.length - 4} more` : ''}`;
}

async function ofNodes(call: Call, limits: Thresholds): Promise<SeriesComparison> {
  const sets: { readonly name: string; readonly set: SeriesSet }[] = [];
  const read = async (name: string, into: (set: SeriesSet) => Promise<unknown>): Promise<void> => {
    const set = new SeriesSet(limits);
    set.nameHosts();
    await into(set);
    sets.push({ name, set: settled(set, name) });
  };
  if (isLive(call) || call.positionals.length === 0) await read('-', (set) => readAllInto(call, set));
  else for (const name of call.positionals) await read(name, (set) => readInto(set, name));
  const nodes = nodesOf(sets);
  if (nodes.length < 2)
    throw usageError(
      'bad-value',
      `there is one node only: ${nodes[0]?.name ?? 'none'}`,
      'give a file of each node, or metrics that name their hosts',
    );
  return comparisonOf(
    'node',
    nodes,
    limits,
    sets.flatMap(({ set }) => set.left),
  );
}
