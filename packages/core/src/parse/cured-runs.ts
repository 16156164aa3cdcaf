// A run that failed or stood still, and the same command with one more variable, which went well.
//
// $ timeout 120 ./all_reduce_perf -g 2
// $ echo $?
// 124
// $ NCCL_P2P_DISABLE=1 ./all_reduce_perf -g 2 | tail -2
// # Out of bounds values : 0 OK
// # Avg bus bandwidth    : 3.11
import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import type { Block } from './blocks.ts';
import { blocksOf } from './blocks.ts';

const assigned = /(?:^|\s)(?:-x |-e |--env[= ]|export )?(NCCL_[A-Z0-9_]{2,40})=(\S{1,100})(?=\s|$)/g;
/** What tells more, and changes nothing. */
const harmless = /^NCCL_(?:DEBUG|DEBUG_SUBSYS|DEBUG_FILE)$/;
const good =
  /Out of bounds values : 0 OK|# Avg bus bandwidth|\bTest PASSED\b|\btraining (?:completed|finished|done)\b|\bsuccess(?:ful|fully)?\b|\ball ?reduce (?:ok|done)\b/i;
const bad =
  /NCCL (?:WARN (?!.{0,80}symbol)|failure)|\bError\b|\berror:|Traceback|\btimed? ?out\b|Aborted|core dumped|\^C|Segmentation fault/;

interface Run {
  readonly bare: string;
  readonly set: ReadonlyMap<string, string>;
  readonly block: Block;
  /** The line that shows that it failed. */
  readonly failed: Line | null;
  readonly went: Line | null;
}

/** A command without variables, time limit, counters of time, and what its output is cut to. */
function bareOf(command: string): string {
  return command
    .replace(assigned, ' ')
    .replace(/(?:^|\s)env(?=\s)/, ' ')
    .replace(/(?:^|\s)timeout (?:-\S{1,20} ){0,3}\d{1,6}[smh]?(?=\s)/, ' ')
    .replace(/(?:^|\s)time(?=\s)/, ' ')
    .replace(/\s{0,20}(?:\d?>{1,2}&?|\|).{0,400}$/, '')
    .replace(/\s{1,200}/g, ' ')
    .trim();
}

/** `echo $?` after a run under `timeout`: 124, or 137 where it had to be killed. */
function ranOut(block: Block, next: Block | undefined): Line | null {
  if (next === undefined || !/(?:^|\s)timeout /.test(block.command) || !/^echo\b.{0,20}\$\?/.test(next.command))
    return null;
  return next.output.find((line) => /\b(?:124|137)\s{0,4}$/.test(line.clean)) ?? null;
}

function runOf(block: Block, next: Block | undefined): Run | null {
  const command = (block.prompt.command ?? block.command).slice(0, 2000);
  const bare = bareOf(command);
  if (bare === '') return null;
  const output = block.output.slice(0, 4000);
  const wrong = output.find((line) => bad.test(line.clean.slice(0, 400)));
  return {
    bare,
    set: new Map(
      [...command.matchAll(assigned)].filter((each) => !harmless.test(each[1]!)).map((each) => [each[1]!, each[2]!]),
    ),
    block,
    failed: wrong ?? ranOut(block, next),
    went: wrong === undefined ? (output.findLast((line) => good.test(line.clean.slice(0, 400))) ?? null) : null,
  };
}

export const curedRuns: Parser = {
  id: 'cured-runs',
  literals: ['nccl_'],
  keep: { before: 0, after: 0 },
  parse(document, hits, sink) {
    if (hits.length === 0) return;
    const blocks = blocksOf(document).slice(0, 400);
    const before = new Map<string, Run[]>();
    for (const [at, block] of blocks.entries()) {
      const run = runOf(block, blocks[at + 1]);
      if (run === null) continue;
      const earlier = before.get(run.bare) ?? [];
      if (run.went !== null && run.set.size > 0) cure(earlier, run, sink);
      if (earlier.length < 8) before.set(run.bare, [...earlier, run]);
    }
  },
};

function cure(earlier: readonly Run[], run: Run, sink: Parameters<Parser['parse']>[2]): void {
  for (const other of earlier) {
    if (other.failed === null) continue;
    const added = [...run.set].filter(([name, value]) => other.set.get(name) !== value);
    const [only] = added;
    if (only === undefined || added.length > 1) continue;
    const [name, value] = only;
    sink.add('program.cured-by', { name, value }, [run.block.prompt, other.failed, run.went!]);
    return;
  }
}
