// Slurm's tables and files beside scontrol and `sacct -P`.
//
// $ sinfo -R
// REASON               USER      TIMESTAMP           NODELIST
// gres/gpu count repor slurm     2026-03-02T11:03:34 gn077
// $ squeue
//              JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
//             441210       gpu    train      u17 PD       0:00      1 (ReqNodeNotAvail, UnavailableNodes:gn077)
// $ sacct
// JobID           JobName  Partition    Account  AllocCPUS      State ExitCode
// ------------ ---------- ---------- ---------- ---------- ---------- --------
// 441207         pretrain        gpu         ml        256 OUT_OF_ME+    0:125
// gres.conf
// NodeName=gn[077-078] Name=gpu Type=h100 File=/dev/nvidia[0-7]
// AutoDetect=nvml
// slurm.conf
// NodeName=gn077 Gres=gpu:h100:8 CPUs=224 State=UNKNOWN
// [2026-03-02T11:03:34.001] error: Setting node gn077 state to INVAL with reason:gres/gpu count reported lower than configured (3 < 4)
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { gpusOf } from './slurm.ts';

const mostRows = 4000;

export const slurmTables: Parser = {
  id: 'slurm-tables',
  literals: ['reason  ', 'nodelist(reason)', 'jobid   ', 'jobid  ', 'exitcode'],
  keep: { before: 0, after: 100 },
  parse(document, hits, sink) {
    for (const hit of hits.slice(0, 40)) {
      if (hit.prompt || hit.told) continue;
      const text = hit.clean.trimEnd();
      if (/^REASON {2,60}USER {2,40}TIMESTAMP {2,40}NODELIST$/.test(text)) readReasons(document, hit, sink);
      else if (/^\s{0,40}JOBID\b.{0,200}\bNODELIST\(REASON\)$/.test(text)) readQueue(document, hit, sink);
      else if (/^JobID(?:Raw)? {2,40}\S/.test(text)) readJobs(document, hit, sink);
    }
  },
};

function readReasons(document: Document, head: Line, sink: FactSink): void {
  for (const line of document.lines.slice(head.index + 1, head.index + mostRows)) {
    const match = /^(\S.{0,200}?) {1,60}(\S{1,40}) {1,40}(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d) (\S{1,400})\s*$/.exec(
      line.clean,
    );
    if (line.prompt || match === null) return;
    sink.add('slurm.reason', { of: 'node', name: match[4]!, state: null, reason: match[1]! }, line);
  }
}

function readQueue(document: Document, head: Line, sink: FactSink): void {
  for (const line of document.lines.slice(head.index + 1, head.index + mostRows)) {
    const match =
      /^\s{0,40}(\d{1,12}(?:_\S{1,40})?) .{1,200}? (PD|R|CG|CF|S|F|NF|TO|OOM|CA|CD|RQ|SE|BF|DL)\s.{1,100}?\(([^()]{2,300})\)\s*$/.exec(
        line.clean,
      );
    if (line.prompt || !/^\s{0,40}\d/.test(line.clean)) return;
    if (match !== null && !/^(?:None|Priority|Resources|JobArrayTaskLimit|Dependency|BeginTime)$/.test(match[3]!))
      sink.add('slurm.reason', { of: 'job', name: match[1]!, state: match[2]!, reason: match[3]! }, line);
  }
}

/** The columns of sacct stand above a rule of dashes; states are cut and end with `+`. */
function readJobs(document: Document, head: Line, sink: FactSink): void {
  const rule = document.lines[head.index + 1];
  if (rule === undefined || !/^-{3,}(?: -{3,}){2,40}\s*$/.test(rule.clean)) return;
  const spans = [...rule.clean.matchAll(/-+/g)].map((match) => [match.index, match.index + match[0].length] as const);
  const cell = (line: Line, at: number): string => {
    const span = spans[at];
    return span === undefined ? '' : line.clean.slice(span[0], span[1]).trim();
  };
  const names = spans.map((_, at) => cell(head, at));
  const state = names.indexOf('State');
  const exit = names.indexOf('ExitCode');
  const tres = names.findIndex((name) => name.startsWith('AllocTRES'));
  if (state < 0) return;
  const words = ['OUT_OF_MEMORY', 'CANCELLED', 'NODE_FAIL', 'COMPLETED', 'PREEMPTED', 'DEADLINE', 'BOOT_FAIL'];
  for (const line of document.lines.slice(head.index + 2, head.index + mostRows)) {
    if (line.prompt || !/^\d/.test(line.clean)) return;
    const short = cell(line, state);
    if (short === '') continue;
    const whole = short.endsWith('+') ? words.find((word) => word.startsWith(short.slice(0, -1))) : short;
    if (whole === undefined) continue;
    const code = exit < 0 ? '' : cell(line, exit);
    sink.add(
      'slurm.job',
      {
        id: cell(line, 0),
        state: whole,
        exit: code === '' ? null : code,
        gpus: tres < 0 ? null : gpusOf(cell(line, tres)),
      },
      line,
    );
    const parts = /^(\d{1,3}):(\d{1,3})$/.exec(code);
    if (parts !== null && (parts[1] !== '0' || parts[2] !== '0') && whole !== 'OUT_OF_MEMORY')
      sink.add('program.exit', { code: parts[1] === '0' ? 128 + (Number(parts[2]) % 128) : Number(parts[1]) }, line);
    if (whole === 'OUT_OF_MEMORY') {
      const name = names.indexOf('JobName');
      sink.add(
        'os.oom-kill',
        {
          process: name < 0 ? cell(line, 0) : cell(line, name),
          pid: null,
          memcg: true,
          limitKiB: null,
          anonKiB: null,
          shmemKiB: null,
          group: null,
        },
        line,
      );
    }
  }
}

export const slurmFiles: Parser = {
  id: 'slurm-files',
  literals: ['name=gpu', 'autodetect=', 'gres=gpu', 'lower than configured', 'gres[gpu]', 'grestypes'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 4000)) {
      if (line.prompt || line.told || /^\s{0,8}#/.test(line.clean)) continue;
      const text = line.clean.trim();
      const field = (name: string): string | null =>
        new RegExp(`(?:^|\\s)${name}=(\\S{1,200})`, 'i').exec(text)?.[1] ?? null;
      if (/(?:^|\s)Name=gpu\b/i.test(text) || /^AutoDetect=\w{2,12}$/i.test(text)) {
        const files = field('File');
        const count = field('Count');
        sink.add(
          'slurm.gres',
          {
            node: field('NodeName'),
            type: field('Type'),
            count: count !== null && /^\d{1,4}$/.test(count) ? Number(count) : filesIn(files),
            files,
            autodetect: field('AutoDetect')?.toLowerCase() ?? null,
          },
          line,
        );
      }
      // A line of slurm.conf, not the controller's answer, whose lines are parted.
      const configured = /^NodeName=\S{1,200} .{0,400}?\bGres=(gpu\S{0,100})/.exec(text);
      if (configured !== null && /\b(?:CPUs|RealMemory|Sockets|State=UNKNOWN)\b/.test(text) && !/\bArch=/.test(text))
        sink.add(
          'slurm.gres',
          { node: field('NodeName'), type: null, count: gpusOf(configured[1]), files: null, autodetect: null },
          line,
        );
      const lower =
        /gres\/gpu(?::\S{1,40})? count (?:reported lower than configured|too low) \((\d{1,4}) < (\d{1,4})\)/.exec(text);
      if (lower !== null)
        sink.add('gpu.expected', { expected: Number(lower[2]), found: Number(lower[1]), by: 'slurm' }, line);
    }
  },
};

/** How many files `/dev/nvidia[0-3,6]` names; null where it cannot be counted. */
function filesIn(text: string | null): number | null {
  if (text === null) return null;
  let sum = 0;
  for (const part of text.split(/,(?![\d,-]{0,100}\])/)) {
    const range = /\[([\d,-]{1,100})\]$/.exec(part)?.[1];
    if (range === undefined) sum += 1;
    else
      for (const each of range.split(',')) {
        const ends = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(each);
        if (ends === null) return null;
        sum += ends[2] === undefined ? 1 : Math.max(0, Number(ends[2]) - Number(ends[1]) + 1);
      }
  }
  return sum;
}
