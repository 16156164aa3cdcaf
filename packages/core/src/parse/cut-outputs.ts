// Lines of long reports without the head that a reader knows them by: what grep, sed or a person cut out.
//
//     Persistence Mode                      : Disabled
//     MIG Mode
//         Current                           : Disabled
//         Pending                           : Enabled
// $ kubectl describe node gpu-1 | grep nvidia.com/gpu
//   nvidia.com/gpu:     8
//   nvidia.com/gpu:     8
//   nvidia.com/gpu      8           8
// $ kubectl get nodes -o custom-columns=NAME:.metadata.name,GPU:.status.allocatable.nvidia\.com/gpu
// NAME    GPU
// gpu-1   8
// gpu-2   <none>
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf } from './blocks.ts';

const setting = /^\s{0,12}([A-Z][\w .()-]{2,40}?) {1,60}: (Enabled|Disabled)\s{0,4}$/;

/** Settings of a GPU in lines of `nvidia-smi -q` that stand alone. */
export const cutGpuSettings: Parser = {
  id: 'nvidia-smi',
  literals: ['persistence mode  ', 'mig mode'],
  keep: { before: 0, after: 3 },
  parse(document, hits, sink) {
    const whole = document.lines.some((line) => line.clean.includes('NVSMI LOG'));
    if (whole) return;
    for (const hit of hits) {
      // Behind a prompt the reader of the whole report knows them.
      if (hit.prompt || hit.told || hit.command !== null) continue;
      const here = setting.exec(hit.clean);
      if (here?.[1] === 'Persistence Mode') {
        sink.add('gpu.persistence-mode', { gpu: null, on: here[2] === 'Enabled' }, hit);
        continue;
      }
      if (!/^\s{0,12}MIG Mode\s{0,4}$/i.test(hit.clean)) continue;
      const values = new Map<string, { readonly on: boolean; readonly line: Line }>();
      for (const line of document.lines.slice(hit.index + 1, hit.index + 3)) {
        const match = setting.exec(line.clean);
        if (match !== null) values.set(match[1]!, { on: match[2] === 'Enabled', line });
      }
      const current = values.get('Current');
      const pending = values.get('Pending');
      if (current === undefined) continue;
      sink.add('gpu.mig-mode', { gpu: null, current: current.on, pending: pending?.on ?? null }, [
        current.line,
        ...(pending === undefined ? [] : [pending.line]),
      ]);
    }
  },
};

/** What a job prints of its own devices where one command asks for several things. */
export const jobDevices: Parser = {
  id: 'environment',
  literals: ['nodevfiles'],
  keep: { before: 1, after: 2 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      if (
        hit.prompt ||
        hit.told ||
        hit.clean.trim() !== 'NoDevFiles' ||
        !/CUDA_VISIBLE_DEVICES/.test(hit.command ?? '')
      )
        continue;
      sink.add('env', { name: 'CUDA_VISIBLE_DEVICES', value: 'NoDevFiles' }, hit);
      const next = document.lines[hit.index + 1];
      if (
        next !== undefined &&
        /^(?:True|False)$/.test(next.clean.trim()) &&
        /cuda\.is_available\(\)/.test(next.command ?? '')
      )
        sink.add('torch.cuda-available', next.clean.trim() === 'True', next);
    }
  },
};

interface Counts {
  capacity: number | null;
  allocatable: number | null;
  allocated: number | null;
  readonly lines: Line[];
}

/** GPUs of a node in cut descriptions, and in the lists that kubectl prints on demand. */
export const cutNodeResources: Parser = {
  id: 'kubernetes',
  literals: ['nvidia.com/', 'nvidia\\.com/'],
  keep: { before: 40, after: 4 },
  parse(document, hits, sink) {
    const taken = new Set<number>();
    for (const block of blocksOf(document)) {
      if (/nvidia\\?\\?\.com\//.test(block.command) && /custom-columns|jsonpath/.test(block.command))
        for (const line of askedFor(block.command, block.output, sink)) taken.add(line.index);
    }
    for (const line of hits) {
      // `"nvidia.com/gpu": "0",` as jq prints a node's allocatable resources.
      const pair = /^\s{0,12}"(nvidia\.com\/[\w.-]{1,60})": "?(\d{1,6})"?,?\s{0,4}$/.exec(line.clean);
      if (pair === null || line.prompt || line.told || !/allocatable|capacity/.test(line.command ?? '')) continue;
      sink.add(
        'k8s.device-resource',
        resource(null, pair[1]!, { capacity: null, allocatable: Number(pair[2]), allocated: null }),
        line,
      );
      taken.add(line.index);
    }
    cutDescription(document, hits, taken, sink);
    for (const line of hits) {
      if (line.prompt || line.told || taken.has(line.index)) continue;
      // `map[cpu:64 nvidia.com/gpu:8]`, `{"cpu":"64","nvidia.com/gpu":"8"}` as jsonpath prints them.
      if (!/^\s{0,4}(?:\S{1,80}\s{1,8})?(?:map\[|\{")/.test(line.clean) || !/allocatable/.test(line.command ?? ''))
        continue;
      for (const match of line.clean.slice(0, 4000).matchAll(/"?(nvidia\.com\/[\w.-]{1,60})"?:"?(\d{1,6})\b/g))
        sink.add(
          'k8s.device-resource',
          resource(null, match[1]!, { capacity: null, allocatable: Number(match[2]), allocated: null }),
          line,
        );
    }
  },
};

function resource(
  node: string | null,
  name: string,
  counts: Pick<Counts, 'capacity' | 'allocatable' | 'allocated'>,
): {
  node: string | null;
  resource: string;
  capacity: number | null;
  allocatable: number | null;
  allocated: number | null;
} {
  return {
    node,
    resource: name,
    capacity: counts.capacity,
    allocatable: counts.allocatable,
    allocated: counts.allocated,
  };
}

/** Columns or paths that a command asks kubectl for: one resource each line. */
function askedFor(command: string, output: readonly Line[], sink: FactSink): readonly Line[] {
  const name = /(nvidia\\{0,2}\.com\/[\w.-]{1,60})/.exec(command)?.[1]?.replaceAll('\\', '');
  const allocatable = /allocatable/.test(command);
  if (name === undefined || (!allocatable && !/capacity/.test(command))) return [];
  const used: Line[] = [];
  for (const line of output.slice(0, 400)) {
    const match = /^\s{0,4}(?:(\S{1,120})\s{1,60})?(\d{1,5}|<none>)\s{0,8}$/.exec(line.clean);
    if (match === null) continue;
    const count = match[2] === '<none>' ? 0 : Number(match[2]);
    const counts = { capacity: allocatable ? null : count, allocatable: allocatable ? count : null, allocated: null };
    sink.add('k8s.device-resource', resource(match[1] ?? null, name, counts), line);
    used.push(line);
  }
  return used;
}

const sections =
  /^\s{0,4}(Capacity|Allocatable|Allocated resources|Limits|Requests|Labels|Annotations|Name|Environment|Conditions):/;

/** Sections of a description that begin without its name; a list of bare lines is capacity, then allocatable, then what is held. */
function cutDescription(document: Document, hits: readonly Line[], taken: ReadonlySet<number>, sink: FactSink): void {
  const found = new Map<string, Counts>();
  let command: string | null | undefined;
  const flush = (): void => {
    for (const [name, counts] of found) {
      const bare = counts.capacity === null && counts.allocatable === null && counts.allocated === null;
      if (!bare) sink.add('k8s.device-resource', resource(null, name, counts), counts.lines);
    }
    found.clear();
  };
  for (const line of hits) {
    if (line.prompt || line.told || taken.has(line.index)) continue;
    if (line.command !== command) flush();
    command = line.command;
    const pair = /^\s{1,12}(nvidia\.com\/[\w.-]{1,60}): {1,40}(\d{1,6})\s{0,8}$/.exec(line.clean);
    const held = /^\s{1,12}(nvidia\.com\/[\w.-]{1,60}) {2,40}(\d{1,6}) {1,40}(\d{1,6})\s{0,8}$/.exec(line.clean);
    const match = pair ?? held;
    if (match === null) continue;
    const section = sectionOf(document, line);
    // A whole description has a reader of its own, and what a pod asks for is no offer.
    if (section === 'whole' || section === 'Limits' || section === 'Requests' || section === 'Labels') continue;
    const node = /\bdescribe (?:no|nodes?)\b|\bnodes?\b/.test(line.command ?? '');
    if (section === null && !node) continue;
    const counts = found.get(match[1]!) ?? { capacity: null, allocatable: null, allocated: null, lines: [] };
    found.set(match[1]!, counts);
    const value = Number(match[2]);
    if (held !== null) counts.allocated = value;
    else if (section === 'Capacity') counts.capacity = value;
    else if (section === 'Allocatable') counts.allocatable = value;
    else if (counts.capacity === null) counts.capacity = value;
    else counts.allocatable ??= value;
    counts.lines.push(line);
  }
  flush();
}

/** The section that a line stands in; `whole` below the name of a description, null where none is near. */
function sectionOf(document: Document, line: Line): string | null {
  let section: string | null = null;
  for (let at = line.index - 1; at >= Math.max(0, line.index - 120); at--) {
    const before = document.lines[at]!;
    if (before.prompt || before.command !== line.command) break;
    const match = sections.exec(before.clean);
    if (match === null) continue;
    if (match[1] === 'Name' && /^Name: {2,}\S/.test(before.clean)) return 'whole';
    section ??= match[1]!;
  }
  return section;
}
