// Short answers of nvidia-smi.
//
// $ nvidia-smi -L
// GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0b9e41c7-5528-4d1f-8d02-6a7b13cc9f40)
//   MIG 3g.40gb     Device  0: (UUID: MIG-2f6f1c1e-7d9b-5b0e-90c4-55ab1a7782f1)
// $ nvidia-smi --version
// NVIDIA-SMI version  : 590.48.01
// NVML version        : 590.48
// DRIVER version      : 590.48.01
// CUDA Version        : 13.1
// $ nvidia-smi topo -m
//         GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity
// GPU0     X      NV18    PIX     0-47,96-143     0
// $ nvidia-smi nvlink -s
// GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0b9e41c7-5528-4d1f-8d02-6a7b13cc9f40)
//          Link 0: 26.562 GB/s
//          Link 2: <inactive>
// Failed to initialize NVML: Driver/library version mismatch
// NVML library version: 565.57
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';
import { gpuName } from './gpu-state.ts';
import { cudaMinor, driverRelease, fullDriverRelease } from './releases.ts';
import { integer, known, words } from './values.ts';

const gpuLine = /^ {0,4}GPU (\d{1,3}): {0,2}(.{0,120}?) ?\(UUID: ([^()]{1,80})\)/;
const migLine = /^\s{0,8}MIG (\S{1,40}) {1,20}Device {1,4}\d{1,3}: \(UUID: ([^()]{1,90})\)/;

export const nvidiaSmiList: Parser = {
  id: 'nvidia-smi-list',
  literals: ['(uuid: ', 'nvidia-smi -l', 'nvidia-smi --list-gpus'],
  keep: { before: 0, after: 0 },
  parse(document, hits, sink) {
    let gpu: number | null = null;
    let run: Line[] = [];
    const flush = (): void => {
      // One listing; the same GPU may be listed again later.
      if (run.length > 0 && !/\|\s{0,4}(?:head|tail|[ef]?grep|sed|awk)\b/.test(run[0]!.command ?? '')) {
        sink.add('gpu.count', run.length, run);
      }
      run = [];
    };
    for (const line of hits) {
      const found = gpuLine.exec(line.clean);
      if (found !== null) {
        gpu = integer(found[1]);
        if (gpu === 0) flush();
        run.push(line);
        sink.add('driver.answers', true, line);
        sink.add('gpu.state', { index: gpu, name: gpuName(found[2]), uuid: known(found[3]) }, line);
        const name = gpuName(found[2]);
        if (name !== null) sink.add('gpu.name', name, line);
        continue;
      }
      const mig = migLine.exec(line.clean);
      if (mig !== null) sink.add('gpu.mig-device', { gpu, profile: mig[1]!, uuid: known(mig[2]) }, line);
    }
    flush();
    readListed(document, sink);
  },
};

/** `nvidia-smi -L` whose lines carry no UUID, or whose lines were only counted. */
function readListed(document: Document, sink: FactSink): void {
  for (const block of blocksOf(document)) {
    const listed = /\bnvidia-smi (?:-L|--list-gpus)\b/.exec(block.command);
    if (listed === null) continue;
    const rest = block.command.slice(listed.index);
    const output = filled(block.output);
    if (/\| *wc -l/.test(rest)) {
      const count = integer(output[0]?.clean);
      // An error message is one or two lines as well.
      if (count !== null && count > 2) {
        sink.add('gpu.count', count, output[0]!);
        sink.add('driver.answers', true, output[0]!);
      }
      continue;
    }
    const lines = output.filter((line) => /^ {0,4}GPU \d{1,3}: \S/.test(line.clean) && !line.clean.includes('(UUID:'));
    for (const line of lines) {
      sink.add('driver.answers', true, line);
      const name = gpuName(line.clean.slice(line.clean.indexOf(':') + 1));
      if (name !== null) sink.add('gpu.name', name, line);
    }
    if (lines.length > 0 && !rest.includes('|')) sink.add('gpu.count', lines.length, lines);
  }
}

const versionLine = /^\s{0,8}(NVIDIA-SMI|DRIVER|KMD|CUDA UMD|CUDA) [vV]ersion {1,20}: {0,4}(\S{1,60})/;

export const nvidiaSmiVersion: Parser = {
  id: 'nvidia-smi-version',
  literals: [
    'driver version  ',
    'kmd version ',
    'cuda umd version ',
    'nvidia-smi version',
    'nvml library version',
    'nvml version',
  ],
  keep: { before: 1, after: 5 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      const library = /NVML library version: {0,4}(\d[\d.]{1,20})/.exec(hit.clean);
      if (library !== null) {
        const release = fullDriverRelease(library[1]);
        if (release !== null) sink.add('driver.library', release, hit);
        continue;
      }
      if (!/^\s{0,8}NVIDIA-SMI version/.test(hit.clean)) continue;
      for (const line of document.lines.slice(hit.index, hit.index + 8)) {
        const match = versionLine.exec(line.clean);
        if (match === null) continue;
        const kind = match[1]!;
        if (kind === 'DRIVER' || kind === 'KMD') {
          const release = driverRelease(match[2]);
          if (release === null) continue;
          sink.add('driver.version', release, line);
          sink.add('driver.answers', true, line);
        } else if (kind !== 'NVIDIA-SMI') {
          const cuda = cudaMinor(match[2]);
          if (cuda !== null) sink.add('driver.cuda', cuda, line);
        }
      }
    }
  },
};

const paths = /^(?:X|SYS|NODE|PHB|PXB|PIX|NV\d{1,3})$/;

export const nvidiaSmiTopology: Parser = {
  id: 'nvidia-smi-topo',
  literals: ['gpu0\t', 'gpu0 ', 'cpu affinity'],
  keep: { before: 0, after: 40 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      // The header is underlined, and its first cell is empty.
      const names = hit.clean
        .trim()
        .split(/\t| {2,}/)
        .map((name) => name.trim());
      if (!/^\s/.test(hit.clean) || !/^GPU\d{1,3}$/.test(names[0] ?? '')) continue;
      const columns = names.filter((name) => /^(?:GPU|NIC)\d{1,3}$|^mlx\d_\d{1,3}$/.test(name));
      const seen = new Set<string>();
      for (const line of document.lines.slice(hit.index + 1, hit.index + 1 + columns.length)) {
        const cells = line.clean.includes('\t')
          ? line.clean.split('\t').map((cell) => cell.trim())
          : [...words(line.clean)];
        const from = cells[0] ?? '';
        if (!columns.includes(from)) break;
        columns.forEach((to, index) => {
          const path = cells[index + 1] ?? '';
          if (!paths.test(path) || path === 'X' || seen.has(`${to} ${from}`)) return;
          seen.add(`${from} ${to}`);
          sink.add('gpu.topology', { from, to, path }, line);
        });
        addAffinity(names, cells, from, line, sink);
      }
    }
  },
};

/** The last columns of the matrix; rows of adapters end before them. */
function addAffinity(
  names: readonly string[],
  cells: readonly string[],
  from: string,
  line: Line,
  sink: FactSink,
): void {
  if (!from.startsWith('GPU')) return;
  const cell = (name: string): string | null => {
    const at = names.indexOf(name);
    return at < 0 ? null : known(cells[at + 1]);
  };
  const cpus = cell('CPU Affinity');
  const numa = cell('NUMA Affinity');
  if (cells.length > names.indexOf('CPU Affinity') + 1 && names.includes('CPU Affinity'))
    sink.add(
      'gpu.affinity',
      {
        device: from,
        cpus: /^[\d,-]{1,200}$/.test(cpus ?? '') ? cpus : null,
        numa: /^[\d,-]{1,60}$/.test(numa ?? '') ? numa : null,
      },
      line,
    );
}

const errorLine =
  /^\s{0,12}Link (\d{1,3}): (\S.{2,60}? (?:Errors|Count|Counter|Replay|Recovery)[\w ]{0,20}): (\d{1,15})\s*$/;

/** `nvidia-smi nvlink -e`: counters of each link. */
function readLinkErrors(document: Document, hits: readonly Line[], sink: FactSink): void {
  let gpu: number | null = null;
  let left = 0;
  for (const hit of hits) {
    for (const line of document.lines.slice(Math.max(hit.index - 3, left), hit.index + 8)) {
      left = line.index + 1;
      if (line.prompt) gpu = null;
      const head = /^ {0,4}GPU (\d{1,3}):/.exec(line.clean);
      if (head !== null) gpu = Number(head[1]);
      const match = errorLine.exec(line.clean);
      if (match !== null && gpu !== null && Number(match[3]) > 0)
        sink.add(
          'gpu.nvlink-errors',
          { gpu, link: Number(match[1]), counter: match[2]!, count: Number(match[3]) },
          line,
        );
    }
  }
}

export const nvidiaSmiNvlink: Parser = {
  id: 'nvidia-smi-nvlink',
  literals: [
    'link 0:',
    'all links are inactive',
    'all links are in',
    ': crc',
    ': replay',
    ': recovery',
    'errors: ',
    'error count',
  ],
  keep: { before: 3, after: 20 },
  parse(document, hits, sink) {
    readLinkErrors(document, hits, sink);
    for (const hit of hits) {
      let gpu: number | null = null;
      for (let back = 1; back < 4 && gpu === null; back++) {
        const before = document.lines[hit.index - back];
        gpu = before === undefined ? null : integer(/^ {0,4}GPU (\d{1,3}):/.exec(before.clean)?.[1]);
      }
      if (gpu === null) continue;
      for (let at = hit.index; ; at++) {
        const line = document.lines[at];
        const match =
          line === undefined
            ? null
            : /^\s{0,12}Link (\d{1,3}): (?:(\d{1,4}(?:\.\d{1,4})?) GB\/s|<?(inactive)>?)/.exec(line.clean);
        if (line === undefined || match === null) break;
        sink.add(
          'gpu.nvlink',
          { gpu, link: Number(match[1]), gigabytesPerSecond: match[2] === undefined ? null : Number(match[2]) },
          line,
        );
      }
    }
  },
};
