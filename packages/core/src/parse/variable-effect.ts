import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import type { Block } from './blocks.ts';
import { blocksOf } from './blocks.ts';

/*
 * The same command, once with a variable and once without:
 *   $ CUDA_LAUNCH_BLOCKING=1 python bench.py
 *   1200/1200 [09:31<00:00, 2.1it/s]
 *   $ env -u CUDA_LAUNCH_BLOCKING python bench.py
 *   1200/1200 [02:02<00:00, 9.8it/s]
 */

const setting = /(?:^|\s)(?:export )?([A-Z][A-Z0-9_]{3,50})=(\S{0,200})(?=\s|$)/g;
const dropped = /(?:\benv )?-u ([A-Z][A-Z0-9_]{3,50})\b|\bunset ([A-Z][A-Z0-9_]{3,50})\b;?/g;
const rates =
  /(\d{1,9}(?:\.\d{1,6})?) {0,2}(it\/s|iters?\/s|steps?\/s|samples?\/s(?:ec)?|images?\/s(?:ec)?|img\/s|tok(?:ens?)?\/s(?:ec)?|tokens per second|GB\/s|TFLOPS?|fps)\b/gi;
const times = /(\d{1,9}(?:\.\d{1,6})?) {0,2}(s\/it|ms\/step|ms\/it|s\/step|ms per step|ms)\b/gi;
const busBandwidth = /Avg bus bandwidth {0,6}: {0,4}(\d{1,6}(?:\.\d{1,4})?)/;

interface Measured {
  readonly value: number;
  readonly unit: string;
  readonly rate: boolean;
  readonly line: Line;
}

/** The last measure that a command printed. */
function measured(block: Block): Measured | null {
  let found: Measured | null = null;
  for (const line of block.output.slice(-200)) {
    const text = line.clean.slice(0, 600);
    const bus = busBandwidth.exec(text);
    if (bus !== null) {
      found = { value: Number(bus[1]), unit: 'bus', rate: true, line };
      continue;
    }
    const rate = [...text.matchAll(rates)].at(-1);
    const time = rate === undefined ? [...text.matchAll(times)].at(-1) : undefined;
    const match = rate ?? time;
    if (match === undefined || Number(match[1]) <= 0) continue;
    found = { value: Number(match[1]), unit: match[2]!.toLowerCase(), rate: rate !== undefined, line };
  }
  return found;
}

/** A command without the variables that it sets or drops, and what it sets. */
function split(command: string): {
  readonly bare: string;
  readonly set: ReadonlySet<string>;
  readonly without: readonly string[];
} {
  const set = new Set<string>();
  const without = [...command.slice(0, 2000).matchAll(dropped)].map((match) => match[1] ?? match[2] ?? '');
  for (const match of command.slice(0, 2000).matchAll(setting)) set.add(match[1]!);
  for (const match of command.slice(0, 2000).matchAll(dropped)) set.delete(match[1] ?? match[2] ?? '');
  const bare = command
    .slice(0, 2000)
    .replace(dropped, ' ')
    .replace(setting, ' ')
    .replace(/(?:^|\s)env(?=\s)/, ' ')
    .replace(/\s{1,200}/g, ' ')
    .replace(/^[;& ]{1,8}/, '')
    .trim();
  return { bare, set, without };
}

export const variableEffect: Parser = {
  id: 'variable-effect',
  literals: [
    '-u ld_',
    '-u cuda_',
    '-u nccl_',
    'unset ',
    'ld.so.preload',
    'it/s',
    'iter/s',
    'iters/s',
    'step/s',
    'steps/s',
    's/it',
    'tok/s',
    'tokens/s',
    'sample/s',
    'samples/s',
    'image/s',
    'images/s',
    'img/s',
    'gb/s',
    'tflop',
    'tokens per second',
    'avg bus bandwidth',
    'ms/step',
    'ms/it',
    's/step',
    'ms per step',
  ],
  keep: { before: 0, after: 0 },
  parse(document, _hits, sink) {
    const runs = new Map<string, { readonly set: ReadonlySet<string>; readonly measured: Measured }[]>();
    let last: Measured | null = null;
    for (const block of blocksOf(document).slice(0, 400)) {
      const { bare, set, without } = split(block.prompt.command ?? block.command);
      for (const name of removedBy(block, without))
        if (wentWell(block)) sink.add('program.runs-without', { name }, [block.prompt, ...block.output.slice(0, 1)]);
      const result = measured(block);
      if (result === null) continue;
      const before = runs.get(bare) ?? [];
      const name = without[0];
      // Another command, told to run without the variable.
      if (name !== undefined && before.length === 0 && last !== null && last.unit === result.unit) {
        const value = { name, with: last.value, without: result.value, rate: result.rate, same: false };
        sink.add('profile.variable-effect', value, [last.line, result.line]);
      }
      last = result;
      compare(before, { set, measured: result }, sink);
      if (before.length < 8) runs.set(bare, [...before, { set, measured: result }]);
    }
  },
};

/** Variables that a command runs without, and `/etc/ld.so.preload` where it is moved away. */
function removedBy(block: Block, without: readonly string[]): readonly string[] {
  const command = (block.prompt.command ?? block.command).slice(0, 2000);
  const empty = [...command.matchAll(/(?:^|\s)([A-Z][A-Z0-9_]{3,50})=(?:''|"")?(?=\s)/g)].map((match) => match[1]!);
  const moved = /\b(?:mv|rm)\b(?: -\w{1,3})? \/etc\/ld\.so\.preload/.test(command) ? ['/etc/ld.so.preload'] : [];
  return [...without, ...empty, ...moved].filter((name) => name !== '');
}

/** Something was printed, and nothing of it speaks of a failure. */
function wentWell(block: Block): boolean {
  return (
    block.output.some((line) => /\w/.test(line.clean)) &&
    !block.output
      .slice(0, 400)
      .some((line) =>
        /error|exception|traceback|fail|fault|abort|core dumped|killed|cannot|unable|not found/i.test(
          line.clean.slice(0, 400),
        ),
      )
  );
}

type Run = { readonly set: ReadonlySet<string>; readonly measured: Measured };

/** Two runs of one command that differ in one variable. */
function compare(before: readonly Run[], now: Run, sink: FactSink): void {
  for (const earlier of before) {
    if (earlier.measured.unit !== now.measured.unit) continue;
    const differing = [...new Set([...earlier.set, ...now.set])].filter(
      (name) => earlier.set.has(name) !== now.set.has(name),
    );
    const name = differing[0];
    if (name === undefined || differing.length > 1) continue;
    const [withIt, without] = now.set.has(name) ? [now, earlier] : [earlier, now];
    sink.add(
      'profile.variable-effect',
      { name, with: withIt.measured.value, without: without.measured.value, rate: now.measured.rate, same: true },
      [withIt.measured.line, without.measured.line],
    );
  }
}

const slow =
  /\b(?:\d{1,3}(?:\.\d{1,2})?x|times|much|far|significantly|\d{1,3} ?%) slower\b|\bslower than (?:expected|before|usual|the|on)\b|\b(?:very|too|extremely|so|really) slow\b|\bslowdown\b|\bthroughput (?:has )?(?:dropped|fell|halved|collapsed)\b|\b(?:expected|should be|used to be|was) (?:about |around |~)?\d{1,6}(?:\.\d{1,3})? ?(?:GB\/s|it\/s|tokens\/s|samples\/s|img\/s)/i;

/** Sentences of a program, a benchmark or a person that something is slow. */
export const slowness: Parser = {
  id: 'slowness',
  literals: ['slow', 'throughput ', 'expected ', 'should be ', 'used to be'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 500)) {
      if (line.prompt || /\bnot? (?:too |very |any )?slow|\bno slowdown/i.test(line.clean.slice(0, 400))) continue;
      const match = slow.exec(line.clean.slice(0, 400));
      if (match !== null) sink.add('program.slow', { words: match[0] }, line);
    }
  },
};

/** Whether a GPU drives a display: `Run time limit on kernels: Yes`, `display_active` columns, `Disp.A` of the table. */
export const display: Parser = {
  id: 'display',
  literals: ['run time limit on', 'enabled', 'disabled', '.0  on |', '.0 off |', 'display active', 'display_active'],
  keep: { before: 1, after: 0 },
  parse(document, hits, sink) {
    for (const line of hits.slice(0, 2000)) {
      if (line.prompt || line.told) continue;
      const limit = /Run time limit on kernels: {1,40}(Yes|No)\b/i.exec(line.clean);
      const shown = /\| {1,4}[0-9A-F]{4,8}:[0-9A-F]{2}:[0-9A-F]{2}\.0 {1,3}(On|Off) \|/i.exec(line.clean);
      const active = /Display Active {1,40}: (Enabled|Disabled)/i.exec(line.clean);
      const value = limit?.[1] ?? shown?.[1] ?? active?.[1];
      if (value !== undefined) sink.add('gpu.display', /^(?:yes|on|enabled)$/i.test(value), line);
    }
    for (const block of blocksOf(document)) {
      if (!block.command.includes('display_active')) continue;
      for (const line of block.output.slice(0, 40)) {
        const value = /\b(Enabled|Disabled)\b/.exec(line.clean);
        if (value !== null) sink.add('gpu.display', value[1] === 'Enabled', line);
      }
    }
  },
};
