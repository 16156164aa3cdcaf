// What tools for checking a host print: GPUs counted on the bus, which process uses which GPU, tests of GDRCopy and
// GPUDirect Storage, and pieces of `nvidia-smi -q` that were cut out of the report.
//
// $ lspci | grep -c 'NVIDIA Corporation GH100'
// 8
// $ nvidia-smi --query-compute-apps=pid,gpu_bus_id --format=csv,noheader
// 20114, 00000000:17:00.0
// $ nvidia-smi --query-gpu=index,pci.bus_id --format=csv,noheader
// 0, 00000000:17:00.0
// $ gdrcopy_sanity
// Total: 28, Passed: 26, Failed: 0, Waived: 2
//     GPU Link Info
//         PCIe Generation
//             Max                       : 5
//             Current                   : 1
import type { Document, Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';

/** Chips and classes that only GPUs have; `NVIDIA` alone also counts switches and sound. */
const gpusOnly =
  /3d controller|vga|\b(?:G[ABHKMPV]\d{3}|AD\d{3}|TU\d{3}|GB\d{3})\b|10de::?030[02]|\b(?:[ABHLT]\d{1,3}|V100|P100|RTX|GeForce|Tesla)\b/i;

const counted: readonly RegExp[] = [
  // `7 GPUs found by nvidia-smi, expected 8`, `GPU count 7, should be 8`
  /\b(?<found>\d{1,2}) GPUs? (?:were |was |is |are )?(?:found|detected|visible|seen|present|available|reported)\b.{0,60}?\b(?:expected|expecting|should be|wanted|instead of|but need)\b[: =]{1,3}(?<expected>\d{1,2})\b/i,
  /\bGPUs?(?: count| number)?(?: found| detected| is| was|:| =){0,3} \(?(?<found>\d{1,2})\)?[,;]? .{0,50}?\b(?:expected|expecting|should be|instead of)\b[: =]{1,3}\(?(?<expected>\d{1,2})\b/i,
  /\b(?:expected|expecting|should be) (?<expected>\d{1,2}) (?:NVIDIA )?GPUs?\b.{0,60}?\b(?:found|got|detected|saw|sees|see|only|has|have)\b[: =]{1,3}(?:only )?(?<found>\d{1,2})\b/i,
];

/** What a health check of the node counts, and what it should have counted. */
export const healthCounts: Parser = {
  id: 'health-check',
  literals: ['expected', 'expecting', 'should be', 'instead of'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 400)) {
      if (line.prompt || line.told) continue;
      const groups = counted
        .map((each) => each.exec(line.clean.slice(0, 600))?.groups)
        .find((each) => each !== undefined);
      const [expected, found] = [Number(groups?.['expected']), Number(groups?.['found'])];
      if (groups !== undefined && expected > 0 && found < expected)
        sink.add('gpu.expected', { expected, found, by: 'the health check' }, line);
    }
  },
};

export const busCounts: Parser = {
  id: 'lspci-count',
  literals: ['lspci'],
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      if (!/^lspci\b/.test(block.command) || !gpusOnly.test(block.command)) continue;
      if (!/\|\s{0,4}(?:[ef]?grep\b.{0,40}\s-\w{0,4}c|wc -l)/.test(block.command)) continue;
      const line = filled(block.output)[0];
      const count = line === undefined ? null : /^\d{1,3}$/.exec(line.clean.trim());
      if (line !== undefined && count !== null && Number(count[0]) > 0)
        sink.add('gpu.expected', { expected: Number(count[0]), found: null, by: 'lspci' }, line);
    }
  },
};

export const processGpus: Parser = {
  id: 'nvidia-smi-apps',
  literals: ['--query-compute-apps'],
  parse(document, _hits, sink) {
    const indexes = new Map<string, number>();
    const users: { pid: number; bus: string; line: Line }[] = [];
    for (const block of blocksOf(document)) {
      const query = /--query-(gpu|compute-apps)[= ]"?'?([a-z][a-z0-9_.,]{1,800})/.exec(block.command);
      if (query === null) continue;
      const names = query[2]!.split(',');
      const bus = names.findIndex((name) => /^(?:gpu_bus_id|pci\.bus_id|gpu_uuid|uuid)$/.test(name));
      const key = names.indexOf(query[1] === 'gpu' ? 'index' : 'pid');
      if (bus < 0 || key < 0) continue;
      for (const line of filled(block.output)) {
        const cells = line.clean.split(',').map((cell) => cell.trim());
        const number = Number(cells[key]);
        const place = cells[bus]?.toLowerCase();
        if (cells.length !== names.length || !Number.isInteger(number) || place === undefined) continue;
        if (query[1] === 'gpu') indexes.set(place, number);
        else users.push({ pid: number, bus: place, line });
      }
    }
    for (const { pid, bus, line } of users) {
      const index = indexes.get(bus);
      if (index !== undefined) sink.add('process.gpu', { pid, index }, line);
    }
  },
};

export const directChecks: Parser = {
  id: 'gdr-gds-checks',
  literals: ['platform verification succeeded', ', passed: '],
  keep: { before: 0, after: 0 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const total = /^Total: \d{1,5}, Passed: (\d{1,5}), Failed: 0\b/.exec(line.clean.trim());
      if (total !== null && Number(total[1]) > 0)
        sink.add('works', { what: `gdrcopy_sanity passed ${total[1]} tests`, layer: 'driver' }, line);
      if (/^\s{0,8}Platform verification succeeded/.test(line.clean) && servesNvme(document, line))
        sink.add('works', { what: 'gdscheck finds that GPUDirect Storage is served', layer: 'driver' }, line);
    }
  },
};

function servesNvme(document: Document, end: Line): boolean {
  return document.lines
    .slice(Math.max(0, end.index - 120), end.index)
    .some((line) => /^\s{0,8}[\w ]{2,30}\s{1,24}: (?:Supported|nvfs)\b/.test(line.clean));
}

/** Link, state and utilisation of one GPU, cut out of `nvidia-smi -q` without its head. */
export const linkFragment: Parser = {
  id: 'nvidia-smi-q',
  literals: ['pcie generation'],
  keep: { before: 2, after: 16 },
  parse(document, hits, sink) {
    for (const hit of hits.slice(0, 64)) {
      if (hit.prompt || hit.told || !/^\s{0,24}PCIe Generation\s{0,4}$/.test(hit.clean)) continue;
      // Whole reports, and those that a command names, are read elsewhere.
      if (hit.command !== null && /nvidia-smi/.test(hit.command)) continue;
      if (
        document.lines
          .slice(Math.max(0, hit.index - 400), hit.index)
          .some((line) => line.clean.includes('==NVSMI LOG=='))
      )
        continue;
      readFragment(document, hit, sink);
    }
  },
};

function readFragment(document: Document, head: Line, sink: Parameters<Parser['parse']>[2]): void {
  const read: Record<string, { value: string; line: Line }> = {};
  let section = 'generation';
  for (const line of document.lines.slice(head.index + 1, head.index + 16)) {
    if (line.prompt || line.told || line.clean.trim() === '') break;
    const pair = /^\s{1,32}([A-Z][A-Za-z ]{1,30}?)\s{1,40}: (\S.{0,30})$/.exec(line.clean);
    if (pair === null) {
      section = /^\s{0,24}Link Width\s{0,4}$/.test(line.clean)
        ? 'width'
        : /^\s{0,24}Utilization\s{0,4}$/.test(line.clean)
          ? 'utilization'
          : 'other';
      continue;
    }
    const name = pair[1] === 'Performance State' ? 'state' : `${section} ${pair[1]!.toLowerCase()}`;
    read[name] ??= { value: pair[2]!.trim(), line };
  }
  const number = (name: string): number | null => {
    const text = read[name]?.value;
    const match = text === undefined ? null : /^(\d{1,3})(?:x| %)?$/.exec(text);
    return match === null ? null : Number(match[1]);
  };
  const generation = number('generation current');
  const width = number('width current');
  if (generation === null && width === null) return;
  sink.add(
    'gpu.pcie',
    {
      gpu: null,
      generation,
      generationMax: number('generation max'),
      generationHostMax: number('generation host max'),
      generationDeviceMax: number('generation device max'),
      width,
      widthMax: number('width max'),
      replays: null,
      utilization: number('utilization gpu'),
      performanceState: read['state']?.value ?? null,
    },
    ['generation max', 'generation current', 'width max', 'width current', 'utilization gpu', 'state'].flatMap(
      (name) => read[name]?.line ?? [],
    ),
  );
}
