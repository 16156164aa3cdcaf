// Slurm's controller and its accounting.
//
// $ scontrol show node gn077
// NodeName=gn077 Arch=x86_64 CoresPerSocket=56
//    Gres=gpu:h100:8(S:0-1)
//    GresUsed=gpu:h100:5(IDX:0-3,6)
//    State=MIXED+DRAIN ThreadsPerCore=2
//    Reason=Xid 79 on GPU 4 [root@2025-07-11T09:12:44]
// $ sacct -P -o JobID,JobName,State,ExitCode,AllocTRES,NodeList
// JobID|JobName|State|ExitCode|AllocTRES|NodeList
// 441207.0|python|OUT_OF_MEMORY|0:125|cpu=256,gres/gpu=16|gn[077-078]
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { addKernel } from './platform.ts';

/** Tables or documents of one kind that are read in one text; each is read over many lines. */
const mostTables = 40;

/** Values of `Key=Value` lines below a head line; the last key of a line may hold blanks. */
function fieldsOf(
  document: Document,
  head: Line,
): ReadonlyMap<string, { readonly value: string; readonly line: Line }> {
  const fields = new Map<string, { readonly value: string; readonly line: Line }>();
  for (let at = head.index; at < Math.min(document.lines.length, head.index + 80); at++) {
    const line = document.lines[at]!;
    if (line.prompt || (at > head.index && !/^\s{1,8}\S/.test(line.clean))) break;
    const text = line.clean.trim().slice(0, 2000);
    const starts = [...text.matchAll(/(?:^| )([A-Z][A-Za-z/:]{1,40})=/g)];
    starts.forEach((start, index) => {
      const from = start.index + start[0].length;
      const next = starts[index + 1];
      const value = text.slice(from, next === undefined ? undefined : next.index).trim();
      if (!fields.has(start[1]!)) fields.set(start[1]!, { value, line });
    });
  }
  return fields;
}

/** GPUs of a Gres or TRES text: `gpu:h100:8(S:0-1)`, `gres/gpu=16`. */
export function gpusOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const tres = /\bgres\/gpu=(\d{1,6})/.exec(text);
  if (tres !== null) return Number(tres[1]);
  let sum: number | null = null;
  for (const match of text.matchAll(/\bgpu(?::[A-Za-z][\w.-]{0,40})?:(\d{1,5})/g)) sum = (sum ?? 0) + Number(match[1]);
  return sum;
}

export const scontrol: Parser = {
  id: 'scontrol',
  literals: ['nodename=', 'jobid='],
  keep: { before: 0, after: 40 },
  parse(document, hits, sink) {
    for (const hit of hits.slice(0, mostTables)) {
      if (hit.prompt || hit.told) continue;
      if (/^\s{0,4}NodeName=\S/.test(hit.clean)) readNode(document, hit, sink);
      else if (/^\s{0,4}JobId=\d/.test(hit.clean)) readJob(document, hit, sink);
    }
  },
};

function readNode(document: Document, hit: Line, sink: FactSink): void {
  const fields = fieldsOf(document, hit);
  const state = fields.get('State');
  if (state === undefined) return;
  // A line of slurm.conf: what the node is set to at the start, not what it is.
  if (state.value.startsWith('UNKNOWN') && state.line === hit && !fields.has('Arch') && !fields.has('CPUTot')) return;
  const reason = fields.get('Reason');
  const lines = [state.line, hit, ...(reason === undefined ? [] : [reason.line])];
  sink.add(
    'slurm.node',
    {
      name: (fields.get('NodeName')?.value ?? '').split(' ')[0]!,
      state: state.value.split(' ')[0]!,
      reason: reason === undefined ? null : reason.value.replace(/ \[[^\]]{1,80}\]$/, ''),
      gpus: gpusOf(fields.get('Gres')?.value),
      gpusUsed: gpusOf(fields.get('GresUsed')?.value),
    },
    lines,
  );
  const used = fields.get('GresUsed');
  if (used !== undefined && indexesOf(used.value).length > 0) {
    const name = (fields.get('NodeName')?.value ?? '').split(' ')[0]!;
    sink.add(
      'slurm.allocation',
      { of: 'node', name, nodes: name, gpus: gpusOf(used.value), indexes: indexesOf(used.value) },
      used.line,
    );
  }
  const os = /^Linux (\S{1,100})/.exec(fields.get('OS')?.value ?? '');
  if (os !== null) addKernel(os[1]!, fields.get('OS')!.line, sink);
}

/** Indexes in `gpu:h100:5(IDX:0-3,6)`. */
function indexesOf(text: string): readonly number[] {
  const list = /\(IDX:([\d,-]{1,200})\)/.exec(text)?.[1] ?? '';
  return list.split(',').flatMap((part) => {
    const ends = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part);
    if (ends === null) return [];
    const from = Number(ends[1]);
    const to = Math.min(Number(ends[2] ?? ends[1]), from + 1023);
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
  });
}

function readJob(document: Document, hit: Line, sink: FactSink): void {
  const fields = fieldsOf(document, hit);
  const state = fields.get('JobState');
  if (state === undefined) return;
  for (const line of document.lines.slice(hit.index + 1, hit.index + 80)) {
    if (line.prompt || !/^\s/.test(line.clean)) break;
    const held = /^\s{1,12}Nodes=(\S{1,200}) CPU_IDs=\S{1,400} Mem=\S{1,20} GRES=(gpu\S{1,200})/.exec(line.clean);
    if (held !== null)
      sink.add(
        'slurm.allocation',
        {
          of: 'job',
          name: fields.get('JobId')?.value ?? '',
          nodes: held[1]!,
          gpus: gpusOf(held[2]),
          indexes: indexesOf(held[2]!),
        },
        [line, hit],
      );
  }
  const gpus =
    gpusOf(fields.get('AllocTRES')?.value) ??
    gpusOf(fields.get('JOB_GRES')?.value) ??
    gpusOf(fields.get('TresPerNode')?.value);
  sink.add(
    'slurm.job',
    {
      id: fields.get('JobId')?.value ?? '',
      state: state.value.split(' ')[0]!,
      exit: fields.get('ExitCode')?.value ?? null,
      gpus,
    },
    [state.line, hit],
  );
}

export const sacct: Parser = {
  id: 'sacct',
  literals: ['jobid|', 'jobidraw|', 'oom_kill event', 'oom-kill event'],
  keep: { before: 0, after: 200 },
  parse(document, hits, sink) {
    for (const hit of hits.slice(0, mostTables)) {
      const step = /\bDetected \d{1,6} oom[-_]kill events? in (?:StepId=)?(\S{1,60})/i.exec(hit.clean);
      if (step !== null && !hit.told) {
        const process = `step ${step[1]!.replace(/\.$/, '')}`;
        sink.add(
          'os.oom-kill',
          { process, pid: null, memcg: true, limitKiB: null, anonKiB: null, shmemKiB: null, group: null },
          hit,
        );
      }
      if (!/^JobID(?:Raw)?\|/.test(hit.clean) || hit.told) continue;
      const columns = hit.clean.trim().split('|');
      for (let at = hit.index + 1; at < Math.min(document.lines.length, hit.index + 2000); at++) {
        const line = document.lines[at]!;
        const cells = line.clean.split('|');
        if (line.prompt || cells.length < columns.length) break;
        const cell = (name: string): string | undefined => {
          const index = columns.indexOf(name);
          return index < 0 ? undefined : cells[index];
        };
        const state = cell('State');
        if (state === undefined || state === '') continue;
        const exit = cell('ExitCode') ?? null;
        sink.add('slurm.job', { id: cells[0]!, state, exit, gpus: gpusOf(cell('AllocTRES')) }, line);
        const code = exit === null ? null : /^(\d{1,3}):(\d{1,3})$/.exec(exit);
        if (state.startsWith('OUT_OF_MEMORY')) {
          const process = cell('JobName') ?? cells[0]!;
          sink.add(
            'os.oom-kill',
            { process, pid: null, memcg: true, limitKiB: null, anonKiB: null, shmemKiB: null, group: null },
            line,
          );
        } else if (code !== null && (code[1] !== '0' || code[2] !== '0')) {
          // The part behind the colon is the signal that ended it.
          sink.add('program.exit', { code: code[1] === '0' ? 128 + (Number(code[2]) % 128) : Number(code[1]) }, line);
        }
      }
    }
  },
};
