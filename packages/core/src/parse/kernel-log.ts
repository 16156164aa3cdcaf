// The kernel log: what the NVIDIA module, NVSwitch and the memory killer write.
//
// NVRM: Xid (PCI:0000:a3:00): 31, pid=88213, name=python3, Ch 00000008, intr 00000000. MMU Fault: ...
// NVRM: Xid (PCI:0000:41:00 GPU-I:05): 94, pid=61027, name=python3, Contained: CE User Channel (0x9).
// nvidia-nvswitch2: SXid (PCI:0000:c4:00.0): 20034, Fatal, Link 33 LTSSM Fault Up
// NVRM: API mismatch: the client 'nvidia-smi' (pid 12044)
// NVRM: has the version 565.57.01, but this kernel module has
// NVRM: the version 550.135.  Please make sure that this
// Memory cgroup out of memory: Killed process 771203 (python3) total-vm:134217728kB, anon-rss:59764800kB, file-rss:102400kB, shmem-rss:4194304kB
import { isSpokenOf } from '../text/quoted.ts';
import type { Document, Line } from '../model/document.ts';
import type { XidEvent } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';
import { fullDriverRelease } from './releases.ts';
import { integer } from './values.ts';

const xidHead =
  /\bXid \((?:PCI:)?([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2})(?:\.\d)?(?: GPU-I:\d{1,3})?(?: GPU-CI:\d{1,3})?\): (\d{1,4})(?=[,\s]|$)(?:, {0,2})?/;

/** One spelling of a PCI address: four digits of domain, lower case, no function. */
function pciAddress(text: string): string {
  const [domain, bus, device] = text.toLowerCase().split(':');
  return `${(domain ?? '').slice(-4).padStart(4, '0')}:${bus ?? ''}:${(device ?? '').split('.')[0] ?? ''}`;
}

function fieldAt(text: string, name: string): { readonly value: string; readonly rest: string } | null {
  if (!text.startsWith(`${name}=`)) return null;
  const end = text.indexOf(', ');
  const value = text.slice(name.length + 1, end < 0 ? undefined : end);
  return { value: value.replace(/^'(.*)'$/, '$1'), rest: end < 0 ? '' : text.slice(end + 2) };
}

function placeOf(line: Line): Pick<XidEvent, 'host' | 'at'> {
  return {
    ...(line.origin.host === undefined ? {} : { host: line.origin.host }),
    ...(line.origin.at === undefined ? {} : { at: line.origin.at }),
  };
}

export const xids: Parser = {
  id: 'kernel-log',
  failures: true,
  literals: ['xid (', 'xid_errors{', 'xid_error{'],
  keep: { before: 2, after: 3 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      readXid(line, sink);
      const sxid = /\bSXid \(PCI:([0-9A-Fa-f:.]{7,16})\): (\d{1,6}), {0,2}(.{0,500})$/.exec(line.clean);
      if (sxid !== null) {
        sink.add('gpu.sxid', { sxid: Number(sxid[2]), pci: pciAddress(sxid[1]!), message: sxid[3]!.trim() }, line);
        sink.add('fabric.nvswitch', true, line);
      }
    }
  },
};

function readXid(line: Line, sink: FactSink): void {
  const text = line.clean;
  const match = /SXid/.test(text) ? null : xidHead.exec(text);
  if (match === null || isSpokenOf(text.slice(0, match.index), match[0], text.slice(match.index + match[0].length)))
    return;
  let rest = text.slice(match.index + match[0].length);
  const pid = fieldAt(rest, 'pid');
  if (pid !== null) rest = pid.rest;
  const name = fieldAt(rest, 'name');
  if (name !== null) rest = name.rest;
  const process = name === null || /^<?unknown>?$/.test(name.value) || name.value === '' ? null : name.value;
  sink.add(
    'gpu.xid',
    {
      xid: Number(match[2]),
      pci: pciAddress(match[1]!),
      pid: pid === null ? null : integer(pid.value),
      process,
      message: rest.trim().slice(0, 500),
      ...placeOf(line),
    },
    line,
  );
}

export const nvrm: Parser = {
  id: 'kernel-log',
  failures: true,
  literals: ['api mismatch', 'nvidia-nvswitch'],
  keep: { before: 0, after: 6 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      if (/nvidia-nvswitch\d{0,3}:/.test(line.clean)) sink.add('fabric.nvswitch', true, line);
      if (/API mismatch/i.test(line.clean)) readMismatch(document, line, sink);
    }
  },
};

/** The message takes two to five lines; they are joined without their `NVRM:`. */
function readMismatch(document: Document, start: Line, sink: FactSink): void {
  const lines: Line[] = [start];
  let joined = start.clean;
  for (let at = start.index + 1; at < start.index + 8; at++) {
    const line = document.lines[at];
    if (line === undefined || line.prompt || /API mismatch/i.test(line.clean)) break;
    const body =
      /^.{0,60}NVRM: {0,8}(.{0,300})$/.exec(line.clean)?.[1] ??
      (/^\s{1,20}\S/.test(line.clean) ? line.clean.trim() : null);
    if (body === null) {
      if (line.clean.trim() === '') continue;
      break;
    }
    lines.push(line);
    joined += ` ${body}`;
    if (/have the same version/.test(body)) break;
  }
  const client = /(?:client\b.{0,200}?|\bbut this client\b.{0,40}?)has the version {1,4}(\d[\d.]{2,20})/.exec(joined);
  const module = /kernel module {1,4}has {1,4}the version {1,4}(\d[\d.]{2,20})/.exec(joined);
  const library = fullDriverRelease(client?.[1]?.replace(/\.$/, ''));
  const loaded = fullDriverRelease(module?.[1]?.replace(/\.$/, ''));
  if (library !== null) sink.add('driver.library', library, lines);
  if (loaded !== null) sink.add('driver.module', loaded, lines);
}

export const oomKills: Parser = {
  id: 'kernel-log-oom',
  failures: true,
  literals: ['killed process', 'kill process', 'invoked oom-killer'],
  keep: { before: 60, after: 2 },
  parse(document, hits, sink) {
    for (const line of hits) {
      const match =
        /(Memory cgroup out of memory|Out of memory)[^:]{0,60}: Kill(?:ed)? process (\d{1,9}) \(([^)]{1,60})\)/.exec(
          line.clean,
        );
      if (match === null || line.prompt || line.told) continue;
      const kib = (name: string): number | null => {
        const value = new RegExp(`\\b${name}-rss:(\\d{1,15})kB`).exec(line.clean)?.[1];
        return value === undefined ? null : Number(value);
      };
      const around = blockBefore(document, line);
      const limit = firstMatch(around, /memory: usage \d{1,15}kB, limit (\d{1,15})kB/);
      const group = firstMatch(around, /task_memcg=([^,]{1,300})/);
      sink.add(
        'os.oom-kill',
        {
          process: match[3]!,
          pid: integer(match[2]),
          memcg: match[1]!.startsWith('Memory'),
          limitKiB: limit === null ? null : Number(limit.text),
          anonKiB: kib('anon'),
          shmemKiB: kib('shmem'),
          group: group === null ? null : group.text,
        },
        [line, ...[limit, group].filter((found) => found !== null).map((found) => found.line)],
      );
    }
  },
};

function blockBefore(document: Document, line: Line): readonly Line[] {
  const from = Math.max(0, line.index - 200);
  const lines = document.lines.slice(from, line.index);
  for (let at = lines.length - 1; at >= 0; at--) {
    if (lines[at]!.clean.includes('invoked oom-killer')) return lines.slice(at);
  }
  return [];
}

function firstMatch(lines: readonly Line[], pattern: RegExp): { readonly text: string; readonly line: Line } | null {
  for (const line of lines) {
    const text = pattern.exec(line.clean)?.[1];
    if (text !== undefined) return { text, line };
  }
  return null;
}
