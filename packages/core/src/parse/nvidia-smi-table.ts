// The default table of nvidia-smi. Up to R525 it is 79 characters wide, from R530 on 91; R610 prints `KMD Version` and
// `CUDA UMD Version`. Rows of a GPU take two lines, three where MIG has a line.
//
// +-----------------------------------------------------------------------------------------+
// | NVIDIA-SMI 580.105.08             Driver Version: 580.105.08     CUDA Version: 13.0     |
// +-----------------------------------------+------------------------+----------------------+
// | GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
// | Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
// |                                         |                        |               MIG M. |
// |=========================================+========================+======================|
// |   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |
// | N/A   47C    P0            512W /  700W |   61204MiB /  81559MiB |    100%      Default |
// |                                         |                        |             Disabled |
// +-----------------------------------------+------------------------+----------------------+
// | Processes:                                                                              |
// |  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
// |        ID   ID                                                               Usage      |
// |=========================================================================================|
// |    0   N/A  N/A         1840021      C   /usr/bin/python3                      61190MiB |
// +-----------------------------------------------------------------------------------------+
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import type { GpuCells } from './gpu-state.ts';
import { addGpu } from './gpu-state.ts';
import { cudaMinor, driverRelease } from './releases.ts';
import { integer, known, quantity, words } from './values.ts';

const banner =
  /NVIDIA-SMI {1,8}(\S{1,40}) {1,40}(?:Driver|KMD) Version: {0,8}(\S{1,40})(?: {1,40}CUDA (?:UMD )?Version: {0,8}(\S{1,40}))?/;
/** The third title is the persistence mode on Linux, the driver model on Windows. */
const gpuHeader = /^\s{0,8}\|\s{1,4}GPU {2}Name {1,60}(?:Persistence-M|TCC\/WDDM|Driver-Model)/;
/** A table of many GPUs with three lines each ends well before this. */
const longestTable = 2000;

export const nvidiaSmiTable: Parser = {
  id: 'nvidia-smi',
  literals: ['nvidia-smi ', '| gpu  name', '| processes:', '| mig devices:'],
  keep: { before: 2, after: 80 },
  parse(document, hits, sink) {
    let done = -1;
    for (const line of hits) {
      const isBanner = readBanner(line, sink);
      if (line.index <= done) continue;
      // The titles may have been left out of a paste.
      if (isBanner || gpuHeader.test(line.clean)) done = readGpus(document, line, sink);
      else if (/\| MIG devices:/.test(line.clean)) done = readMig(document, line, sink);
      else if (line.clean.includes('| Processes:')) done = readProcesses(document, line, sink);
    }
  },
};

/** True for the banner. */
function readBanner(line: Line, sink: FactSink): boolean {
  if (line.prompt) return false;
  const match = banner.exec(line.clean);
  if (match === null) return false;
  const driver = driverRelease(match[2]);
  if (driver !== null) {
    sink.add('driver.version', driver, line);
    sink.add('driver.answers', true, line);
  }
  const shown = match[3];
  if (shown === undefined) return true;
  const cuda = cudaMinor(shown);
  if (cuda !== null) sink.add('driver.cuda', cuda, line);
  else if (known(shown.replace(/\|$/, '')) === null) sink.add('driver.cuda-missing', true, line);
  return true;
}

function cellsOf(line: Line): readonly string[] | null {
  const text = line.clean.trim();
  if (!text.startsWith('|') || !text.endsWith('|') || text.length < 20) return null;
  return text.slice(1, -1).split('|');
}

function readGpus(document: Document, header: Line, sink: FactSink): number {
  let at = gpuHeader.test(header.clean) ? header.index : header.index + 1;
  const last = Math.min(document.lines.length, at + longestTable);
  let cells: GpuCells | null = null;
  let lines: Line[] = [];
  let count = 0;
  const flush = (): void => {
    if (cells !== null) addGpu(cells, lines, sink);
    cells = null;
  };
  for (; at < last; at++) {
    const line = document.lines[at]!;
    if (line.prompt || line.told) break;
    const row = cellsOf(line);
    if (row === null) {
      if (/^\s{0,8}(?:\+|\|[-=]{8})/.test(line.clean)) continue;
      break;
    }
    if (/TCC\/WDDM|Driver-Model/.test(row[0]!)) sink.add('os.platform', 'windows', line);
    if (row[0]!.startsWith('=') || row[0]!.startsWith('-')) continue;
    if (row.length !== 3) break;
    const [left, middle, right] = row as [string, string, string];
    const first = /^ {0,4}(\d{1,3}) {1,4}(?=\S)/.exec(left);
    if (first !== null) {
      flush();
      const rest = left.slice(first[0].length).trimEnd();
      const gap = rest.lastIndexOf(' ');
      cells = { index: first[1]!, name: (gap < 0 ? rest : rest.slice(0, gap)).trim(), eccUncorrected: right.trim() };
      lines = [line];
      count++;
      continue;
    }
    const current: GpuCells | null = cells;
    if (current === null) continue;
    lines.push(line);
    if (left.includes('/') || left.trim() !== '') readSecond(current, left, middle, right);
    else if (right.trim() !== '') current.mig = right.trim();
  }
  flush();
  // A table of MIG devices may stand between.
  const processes = document.lines.slice(at, at + 200).find((line) => line.prompt || line.clean.includes('Processes:'));
  if (count > 0) {
    sink.add('driver.answers', true, header);
    if (processes?.prompt === false) sink.add('gpu.count', count, header);
  }
  return at - 1;
}

/** The table of MIG devices: `|  0    1   0   0  |    37MiB / 40192MiB    | 42      0 |`. */
function readMig(document: Document, header: Line, sink: FactSink): number {
  let at = header.index + 1;
  for (; at < Math.min(document.lines.length, header.index + longestTable); at++) {
    const line = document.lines[at]!;
    const text = line.clean.trim();
    if (line.prompt || line.told || text.includes('Processes:') || !/^[|+]/.test(text)) break;
    const row = cellsOf(line);
    const ids = /^ {0,4}(\d{1,3}) {1,8}(\d{1,3}) {1,8}(\d{1,3}) {1,8}\d{1,3} {0,4}$/.exec(row?.[0] ?? '');
    if (row === null || ids === null) continue;
    const [used, total] = (row[1] ?? '').split('/');
    sink.add(
      'gpu.mig-instance',
      {
        gpu: Number(ids[1]),
        gi: Number(ids[2]),
        ci: Number(ids[3]),
        memoryUsedMiB: quantity(used),
        memoryTotalMiB: quantity(total),
        multiprocessors: integer(words(row[2] ?? '')[0]),
      },
      line,
    );
  }
  return at - 1;
}

function readSecond(cells: GpuCells, left: string, middle: string, right: string): void {
  const parts = words(left);
  if (parts[1] !== undefined) cells.temperature = parts[1];
  const slash = parts.indexOf('/');
  const power = slash > 0 ? parts[slash - 1] : undefined;
  if (power !== undefined) cells.power = power;
  const [used, total] = middle.split('/');
  if (used !== undefined && total !== undefined) {
    cells.memoryUsed = used.trim();
    cells.memoryTotal = total.trim();
  }
  const load = words(right);
  if (load[0] !== undefined) cells.utilization = load[0];
  if (load.length > 1) cells.computeMode = load.slice(1).join(' ');
}

function readProcesses(document: Document, header: Line, sink: FactSink): number {
  const names: string[] = [];
  const lines: Line[] = [header];
  let body = false;
  let closed = false;
  let at = header.index + 1;
  const last = Math.min(document.lines.length, at + longestTable);
  for (; at < last; at++) {
    const line = document.lines[at]!;
    if (line.prompt || line.told) break;
    const text = line.clean.trim();
    if (text.startsWith('|=')) {
      body = true;
      continue;
    }
    if (text.startsWith('+-')) {
      closed = body;
      break;
    }
    if (!text.startsWith('|')) break;
    if (!body) continue;
    if (text.includes('No running processes found')) continue;
    const name = processName(text.slice(1, text.endsWith('|') ? -1 : undefined));
    if (name !== null) {
      names.push(name);
      lines.push(line);
    }
  }
  // A table that was cut before its end does not show that there are no processes.
  if (names.length > 0 || closed) sink.add('gpu.processes', names, lines);
  return at - 1;
}

/** Name of a row: what stands between the type and the memory. */
function processName(row: string): string | null {
  const parts = words(row);
  const type = parts.findIndex((word, index) => index > 0 && /^(?:C|G|M)(?:\+[CG])?$/.test(word));
  if (type < 0 || parts.length < type + 2) return null;
  const end = /MiB$|^N\/A$/.test(parts[parts.length - 1]!) ? parts.length - 1 : parts.length;
  const name = parts.slice(type + 1, end).join(' ');
  return name === '' ? null : name;
}
