// The kernel log: what the NVIDIA module and NVSwitch write. (The memory killer's reports: `oom-report.ts`.)
//
// NVRM: Xid (PCI:0000:a3:00): 31, pid=88213, name=python3, Ch 00000008, intr 00000000. MMU Fault: ...
// NVRM: Xid (PCI:0000:41:00 GPU-I:05): 94, pid=61027, name=python3, Contained: CE User Channel (0x9).
// nvidia-nvswitch2: SXid (PCI:0000:c4:00.0): 20034, Fatal, Link 33 LTSSM Fault Up
// NVRM: API mismatch: the client 'nvidia-smi' (pid 12044)
// NVRM: has the version 565.57.01, but this kernel module has
// NVRM: the version 550.135.  Please make sure that this
import { isSpokenOf } from '../text/quoted.ts';
import type { Document, Line } from '../model/document.ts';
import type { FactValues, XidEvent } from '../model/facts.ts';
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
      const xid = xidOf(line);
      if (xid !== null) sink.add('gpu.xid', xid, line);
      const sxid = sxidOf(line);
      if (sxid !== null) {
        sink.add('gpu.sxid', sxid, line);
        sink.add('fabric.nvswitch', true, line);
      }
    }
  },
};

/** What an Xid line says; null for a line that only speaks of one. */
export function xidOf(line: Line): XidEvent | null {
  const text = line.clean;
  const match = /SXid/.test(text) ? null : xidHead.exec(text);
  if (match === null || isSpokenOf(text.slice(0, match.index), match[0], text.slice(match.index + match[0].length)))
    return null;
  let rest = text.slice(match.index + match[0].length);
  const pid = fieldAt(rest, 'pid');
  if (pid !== null) rest = pid.rest;
  const name = fieldAt(rest, 'name');
  if (name !== null) rest = name.rest;
  const process = name === null || /^<?unknown>?$/.test(name.value) || name.value === '' ? null : name.value;
  return {
    xid: Number(match[2]),
    pci: pciAddress(match[1]!),
    pid: pid === null ? null : integer(pid.value),
    process,
    message: rest.trim().slice(0, 500),
    ...placeOf(line),
  };
}

/** What an SXid line of an NVSwitch says. */
export function sxidOf(line: Line): FactValues['gpu.sxid'] | null {
  const match = /\bSXid \(PCI:([0-9A-Fa-f:.]{7,16})\): (\d{1,6}), {0,2}(.{0,500})$/.exec(line.clean);
  return match === null ? null : { sxid: Number(match[2]), pci: pciAddress(match[1]!), message: match[3]!.trim() };
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
