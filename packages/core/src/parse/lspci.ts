// PCI devices.
//
// $ lspci -nnk -d 10de:
// 19:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)
//         Kernel driver in use: nvidia
// $ lspci -vv -s 19:00.0
//                 LnkCap: Port #0, Speed 32GT/s, Width x16, ASPM not supported
//                 LnkSta: Speed 16GT/s (downgraded), Width x8 (downgraded)
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf } from './blocks.ts';

const device =
  /^((?:[\da-fA-F]{4,8}:)?[\da-fA-F]{2}:[\da-fA-F]{2}\.[\da-fA-F]) ([A-Z0-9][\w /-]{1,60}?)(?: \[[\da-fA-F]{4}\])?: (\S.{2,200})$/;

export const lspci: Parser = {
  id: 'lspci',
  literals: [
    '3d controller',
    'vga compatible',
    'nvidia corporation',
    'lnksta:',
    'lnkcap:',
    'kernel driver in use',
    'infiniband controller',
    'ethernet controller',
  ],
  keep: { before: 60, after: 12 },
  parse(document, hits, sink) {
    let done = -1;
    const gpus: Line[] = [];
    for (const hit of hits) {
      if (hit.index <= done || hit.prompt || hit.told) continue;
      const match = device.exec(hit.clean);
      if (match === null) continue;
      done = readDevice(document, hit, match, gpus, sink);
    }
    // All devices were listed, and they are as many.
    for (const block of blocksOf(document)) {
      if (!/^lspci\b(?!.{0,200}\|)/.test(block.command) || /-s\b/.test(block.command)) continue;
      const lines = gpus.filter((line) => block.output.includes(line));
      if (lines.length > 0)
        sink.add('gpu.expected', { expected: lines.length, found: null, by: 'lspci' }, lines.slice(0, 6));
    }
  },
};

function readDevice(document: Document, head: Line, match: RegExpExecArray, gpus: Line[], sink: FactSink): number {
  const [, address, kind, rest] = match as unknown as [string, string, string, string];
  const isGpu = /^(?:3D controller|VGA compatible controller|Display controller)$/.test(kind) && /NVIDIA/i.test(rest);
  let driver: string | null = null;
  const lines: Line[] = [head];
  const link = {
    speed: null as number | null,
    speedMax: null as number | null,
    width: null as number | null,
    widthMax: null as number | null,
    downgraded: null as boolean | null,
    lines: [head],
  };
  let index = head.index + 1;
  for (; index < Math.min(document.lines.length, head.index + 200); index++) {
    const line = document.lines[index]!;
    if (line.prompt || !/^\s+\S/.test(line.clean)) break;
    const text = line.clean.trim();
    const used = /^Kernel driver in use: (\S{1,40})$/.exec(text)?.[1];
    if (used !== undefined) {
      driver = used;
      lines.push(line);
    }
    const speed = /^Lnk(Cap|Sta):.{0,40}?\bSpeed (\d{1,3}(?:\.\d)?)GT\/s(.{0,20}?), Width x(\d{1,2})(.{0,20})/.exec(
      text,
    );
    if (speed === null) continue;
    link.lines.push(line);
    if (speed[1] === 'Cap') {
      link.speedMax = Number(speed[2]);
      link.widthMax = Number(speed[4]);
    } else {
      link.speed = Number(speed[2]);
      link.width = Number(speed[4]);
      link.downgraded = /downgraded/.test(speed[3]! + speed[5]!);
    }
  }
  if (isGpu) {
    gpus.push(head);
    sink.add(
      'pci.gpu',
      {
        address,
        name: rest.replace(/ \(rev \w{1,4}\)$/, ''),
        driver,
        revision: /\(rev (\w{1,4})\)$/.exec(rest)?.[1] ?? null,
      },
      lines,
    );
  }
  if (link.speed !== null || link.speedMax !== null) {
    const { lines: seen, ...value } = link;
    sink.add('pci.link', { address, device: `${kind}: ${rest}`.slice(0, 200), ...value }, seen);
  }
  return index - 1;
}
