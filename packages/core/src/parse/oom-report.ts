// A report of the kernel's OOM killer, from the line that asks for memory to the line of the kill.
//
// python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=984
// Mem-Info:
// active_anon:1024 inactive_anon:61203881 isolated_anon:0
//  unevictable:47104 dirty:0 writeback:0
// Node 0 active_anon:4096kB … unevictable:188416kB …
// Node 0 Normal free:61440kB … present:67108864kB managed:66060288kB mlocked:188416kB …
// 16777216 pages RAM
// memory: usage 67108864kB, limit 67108864kB, failcnt 3109
// Memory cgroup stats for /kubepods.slice/…:
// anon 61203881984
// [  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name
// [ 771203]     0 771203 33554432 14941200 122490880        0           984 python3
// oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),…,oom_memcg=/…,task_memcg=/…,task=python3,pid=771203,uid=0
// Memory cgroup out of memory: Killed process 771203 (python3) total-vm:134217728kB, anon-rss:59764800kB, …
//
// Before Linux 5.0 there is no oom-kill line, and the kill takes two:
// Task in /slurm/uid_1000/job_4711/step_0 killed as a result of limit of /slurm/uid_1000/job_4711
// Memory cgroup out of memory: Kill process 8102 (python) score 1000 or sacrifice child
// Killed process 8102 (python) total-vm:233384kB, anon-rss:51228kB, file-rss:384kB
//
// Sources: mm/oom_kill.c (dump_header, dump_tasks, __oom_kill_process), lib/show_mem.c and mm/memcontrol.c of Linux.
import type { Document, Line } from '../model/document.ts';
import type { FactValues } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';
import { ownerOf } from './oom-groups.ts';
import type { Numbers } from './oom-memory.ts';
import { groupMemory, hostMemory, newNumbers, readMemoryLine } from './oom-memory.ts';
import { TaskTable } from './oom-tasks.ts';
import { integer } from './values.ts';

type Report = FactValues['os.oom-report'];

/** Lines of a report that are read at most; a node with thousands of tasks lists them all. */
const longest = 6000;
/** Lines after a kill in which the same report may name another. */
const near = 60;

const constraints: Readonly<Record<string, Report['constraint']>> = {
  CONSTRAINT_NONE: 'none',
  CONSTRAINT_MEMCG: 'memcg',
  CONSTRAINT_CPUSET: 'cpuset',
  CONSTRAINT_MEMORY_POLICY: 'memory-policy',
};

interface Kill {
  readonly line: Line;
  readonly pid: number;
  readonly process: string;
  readonly memcg: boolean;
  /** Only the first of the two lines that older kernels print. */
  readonly announced: boolean;
}

/** What is known of a report so far. */
interface Draft {
  readonly from: number;
  readonly host: string | undefined;
  readonly head: Line | null;
  readonly invoker: string | null;
  readonly numbers: Numbers;
  readonly tasks: TaskTable;
  inGroup: boolean;
  constraint: { readonly text: string; readonly line: Line } | null;
  groups: { readonly own: string | null; readonly limit: string | null; readonly line: Line } | null;
  usage: {
    readonly used: number;
    readonly limit: number;
    readonly failures: number | null;
    readonly line: Line;
  } | null;
  announced: Kill | null;
  unevictable: Line | null;
}

function newDraft(from: number, head: Line | null): Draft {
  return {
    from,
    host: head?.origin.host,
    head,
    invoker: head === null ? null : invokerOf(head.clean),
    numbers: newNumbers(),
    tasks: new TaskTable(),
    inGroup: false,
    constraint: null,
    groups: null,
    usage: null,
    announced: null,
    unevictable: null,
  };
}

/** The name of the task that asked, which may hold blanks; what stands before it is a prefix of the log. */
function invokerOf(text: string): string | null {
  const before = text.slice(0, text.indexOf(' invoked oom-killer'));
  const ends = ['] ', 'kernel: ', '>'].map(
    (mark) => before.lastIndexOf(mark) + (before.includes(mark) ? mark.length : 1),
  );
  const name = before.slice(Math.max(...ends)).trim();
  return name === '' || name.length > 32 ? null : name;
}

function killOf(line: Line): Kill | null {
  const text = line.clean;
  const at = text.search(/Kill(?:ed)? process \d/);
  if (at < 0) return null;
  const match = /^(Kill(?:ed)?) process (\d{1,9})(?:, UID \d{1,10},)? {0,2}\(([^)]{1,60})\)/.exec(text.slice(at));
  if (match === null) return null;
  const before = text.slice(0, at);
  const reason = /(Memory cgroup out of memory|Out of memory)[^:]{0,60}: {0,2}$/i.exec(before.slice(-120));
  const sized = /total-vm:\d/.test(text);
  // Without its reason the line is the second of two; anything else that speaks of a killed process is none.
  if (reason === null && (!sized || match[1] !== 'Killed')) return null;
  return {
    line,
    pid: Number(match[2]),
    process: match[3]!,
    memcg: reason?.[1]?.toLowerCase().startsWith('memory') === true,
    announced: match[1] === 'Kill',
  };
}

export const oomKills: Parser = {
  id: 'kernel-log-oom',
  failures: true,
  literals: ['killed process', 'kill process', 'invoked oom-killer', 'oom-kill:constraint='],
  keep: { before: 60, after: 45 },
  parse(document, hits, sink) {
    let done = -1;
    // Reports that never end, one in the other: what is read of them together is bounded.
    const budget = { lines: 100_000 + 8 * document.lines.length };
    let last: { readonly draft: Draft; readonly end: number; readonly memcg: boolean } | null = null;
    for (const hit of hits) {
      if (hit.index <= done || hit.prompt || hit.told) continue;
      if (hit.clean.includes('invoked oom-killer: gfp_mask=') || hit.clean.includes('oom-kill:constraint=')) {
        const draft = newDraft(hit.index, hit.clean.includes(' invoked oom-killer') ? hit : null);
        const end = readOn(document, draft, sink, budget);
        if (end !== null) last = { draft, end: (done = end.index), memcg: end.memcg };
        continue;
      }
      const kill = killOf(hit);
      if (kill === null) continue;
      done = hit.index;
      // A group whose tasks go together, and two kills of one report.
      const same: { readonly draft: Draft; readonly end: number; readonly memcg: boolean } | null =
        last !== null && hit.index - last.end <= near && hit.origin.host === last.draft.host ? last : null;
      if (kill.announced) {
        const draft = newDraft(hit.index, null);
        const end = readOn(document, draft, sink, budget);
        if (end !== null) last = { draft, end: (done = end.index), memcg: end.memcg };
      } else addKill(kill, same?.draft ?? null, same?.memcg ?? kill.memcg, sink, same === null);
    }
  },
};

/** Reads to the kill; of a report that is cut before it nothing is told. */
function readOn(
  document: Document,
  draft: Draft,
  sink: FactSink,
  budget: { lines: number },
): { readonly index: number; readonly memcg: boolean } | null {
  const until = Math.min(document.lines.length, draft.from + longest);
  for (let at = draft.from; at < until; at++) {
    const line = document.lines[at]!;
    if ((line.prompt && at > draft.from) || budget.lines-- < 0) break;
    if (line.told || (draft.host !== undefined && line.origin.host !== undefined && line.origin.host !== draft.host))
      continue;
    const text = line.clean;
    if (at > draft.from && text.includes(' invoked oom-killer: gfp_mask=')) break;
    if (draft.constraint !== null && text.includes('oom-kill:constraint=')) break;
    const kill = text.includes('Kill') ? killOf(line) : null;
    if (kill?.announced === true) {
      if (draft.announced !== null) break;
      draft.announced = kill;
      continue;
    }
    if (kill !== null) {
      const memcg = kill.memcg || draft.announced?.memcg === true;
      addKill(kill, draft, memcg, sink, true);
      return { index: at, memcg };
    }
    if (draft.announced !== null && at > draft.announced.line.index + 5) break;
    readLine(line, draft);
  }
  const { announced } = draft;
  if (announced === null) return null;
  addKill(announced, draft, announced.memcg, sink, true);
  return { index: announced.line.index, memcg: announced.memcg };
}

/** Without a time in brackets that no prefix is known for: dmesg -T in another language. */
function bare(text: string): string {
  const end = text.startsWith('[') ? text.slice(0, 48).indexOf('] ') : -1;
  return end > 0 && text.slice(0, end).includes(':') ? text.slice(end + 2) : text;
}

function readLine(line: Line, draft: Draft): void {
  const text = bare(line.clean);
  if (text.includes('oom-kill:constraint=')) {
    const reason = /oom-kill:constraint=(CONSTRAINT_[A-Z_]{2,20})/.exec(text)?.[1];
    if (reason !== undefined) draft.constraint = { text: reason, line };
    const own = /,task_memcg=([^,]{1,500})/.exec(text)?.[1] ?? null;
    const limit = /,oom_memcg=([^,]{1,500})/.exec(text)?.[1] ?? null;
    if (own !== null || limit !== null) draft.groups = { own, limit, line };
    return;
  }
  const old = /\bTask in (\/[^ ]{0,500}) killed as a result of limit of (\/[^ ]{0,500})/.exec(text);
  if (old !== null) {
    draft.groups = { own: old[1]!, limit: old[2]!, line };
    return;
  }
  const usage = /\bmemory: usage (\d{1,15})kB, limit (\d{1,18})kB(?:, failcnt (\d{1,15}))?/.exec(text);
  if (usage !== null) {
    draft.usage = { used: Number(usage[1]), limit: Number(usage[2]), failures: integer(usage[3]), line };
    return;
  }
  if (draft.tasks.line(text)) {
    draft.inGroup = false;
    return;
  }
  const part = readMemoryLine(text, draft.numbers, draft.inGroup);
  if (part === 'group' && text.includes('Memory cgroup stats for ')) draft.inGroup = true;
  if (part !== null && draft.unevictable === null && /\bunevictable[: ]\d/.test(text)) draft.unevictable = line;
}

/** A limit this high is none. */
const unlimited = 9_007_199_254_740_000;

function addKill(kill: Kill, draft: Draft | null, memcg: boolean, sink: FactSink, whole: boolean): void {
  const text = kill.line.clean;
  const kib = (name: string): number | null => {
    const at = text.indexOf(name);
    const digits =
      at < 0 ? undefined : /^\d{1,15}(?=kB)/.exec(text.slice(at + name.length, at + name.length + 18))?.[0];
    return digits === undefined ? null : Number(digits);
  };
  const limit = draft?.usage == null || draft.usage.limit > unlimited ? null : draft.usage.limit;
  const group = draft?.groups?.own ?? null;
  const lines = [
    kill.line,
    ...(draft === null
      ? []
      : [draft.usage?.line, draft.constraint?.line ?? draft.groups?.line, draft.unevictable, draft.head].filter(
          (line) => line != null,
        )),
  ];
  sink.add(
    'os.oom-kill',
    {
      process: kill.process,
      pid: kill.pid,
      memcg,
      limitKiB: limit,
      anonKiB: kib('anon-rss:'),
      shmemKiB: kib('shmem-rss:'),
      group,
    },
    lines,
  );
  if (!whole) return;
  const row = draft?.tasks.row(kill.pid) ?? null;
  const totalVm = kib('total-vm:');
  const pageKiB = draft === null ? 4 : pageSize(draft, totalVm, row?.totalVm ?? null);
  const memory = draft === null ? null : hostMemory(draft.numbers, pageKiB);
  const tasks = draft?.tasks.summary(pageKiB) ?? null;
  const path = group ?? draft?.groups?.limit ?? null;
  sink.add(
    'os.oom-report',
    {
      constraint:
        draft?.constraint == null
          ? memcg
            ? 'memcg'
            : null
          : memcg
            ? 'memcg'
            : (constraints[draft.constraint.text] ?? null),
      invoker: draft?.invoker ?? null,
      process: kill.process,
      pid: kill.pid,
      uid: integer(/\bUID[: ](\d{1,10})\b/.exec(text)?.[1]) ?? row?.uid ?? null,
      totalVmKiB: totalVm,
      anonKiB: kib('anon-rss:'),
      fileKiB: kib('file-rss:'),
      shmemKiB: kib('shmem-rss:'),
      pageTablesKiB: kib('pgtables:'),
      score: integer(/ score (\d{1,6})\b/.exec(draft?.announced?.line.clean ?? text)?.[1]),
      scoreAdjust: integer(/ oom_score_adj:(-?\d{1,5})\b/.exec(text)?.[1]) ?? row?.adjust ?? null,
      group,
      limitGroup: draft?.groups?.limit ?? null,
      owner: path === null ? null : ownerOf(path),
      usageKiB: draft?.usage?.used ?? null,
      limitKiB: limit,
      failures: draft?.usage?.failures ?? null,
      swapTotalKiB: draft?.numbers.swapTotalKiB ?? null,
      swapFreeKiB: draft?.numbers.swapFreeKiB ?? null,
      memory,
      groupMemory: draft === null ? null : groupMemory(draft.numbers),
      nodes: [...(draft?.numbers.freeByNode ?? [])].slice(0, 16).map(([node, freeKiB]) => ({ node, freeKiB })),
      tasks,
      cut: [
        ...(draft?.head == null ? (['head'] as const) : []),
        ...(memory === null && !memcg ? (['memory'] as const) : []),
        ...(tasks === null ? (['tasks'] as const) : []),
        ...(draft?.constraint == null ? (['constraint'] as const) : []),
      ],
    },
    lines,
  );
}

/** The table of tasks counts pages, the line of the kill kB: the two give the size of a page. Else that of a node's lists. */
function pageSize(draft: Draft, totalVmKiB: number | null, totalVmPages: number | null): number {
  const pages: readonly (readonly [number | null | undefined, number | null | undefined])[] = [
    [totalVmKiB, totalVmPages],
    ...['inactive_anon', 'active_anon', 'inactive_file'].map(
      (name) => [draft.numbers.nodes.get(name), draft.numbers.host.get(name)] as const,
    ),
  ];
  for (const [kib, count] of pages) {
    if (kib == null || count == null || count === 0) continue;
    const size = kib / count;
    for (const known of [4, 16, 64]) if (Math.abs(size - known) < known * 0.02) return known;
  }
  return 4;
}
