// Comma lists of nvidia-smi. Columns come from the header, or from the query in the command.
//
// $ nvidia-smi --query-gpu=index,name,driver_version,memory.total,compute_cap --format=csv
// index, name, driver_version, memory.total [MiB], compute_cap
// 0, NVIDIA H100 80GB HBM3, 580.105.08, 81559 MiB, 9.0
// $ nvidia-smi --query-compute-apps=gpu_uuid,pid,process_name,used_gpu_memory --format=csv
// gpu_uuid, pid, process_name, used_gpu_memory [MiB]
// GPU-93c0d6aa-1f77-4e0b-b5b4-20d8e1f3a7c6, 1840388, [Not Found], [N/A]
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import type { GpuCells } from './gpu-state.ts';
import { blocksOf } from './blocks.ts';
import { HealthCells, addHealth } from './gpu-health.ts';
import { takeColumn } from './gpu-health-names.ts';
import { addGpu } from './gpu-state.ts';
import { capability, cudaMinor, driverRelease } from './releases.ts';
import { integer, known } from './values.ts';

const fields: Readonly<Record<string, keyof GpuCells>> = {
  index: 'index',
  name: 'name',
  gpu_name: 'name',
  uuid: 'uuid',
  gpu_uuid: 'uuid',
  compute_mode: 'computeMode',
  'mig.mode.current': 'mig',
  'utilization.gpu': 'utilization',
  'memory.used': 'memoryUsed',
  'memory.total': 'memoryTotal',
  'ecc.errors.uncorrected.volatile.total': 'eccUncorrected',
  'temperature.gpu': 'temperature',
  'power.draw': 'power',
  'power.draw.instant': 'power',
};

/** NVML's clock event reasons by bit. */
const reasons: readonly (readonly [number, string])[] = [
  [0x1, 'Idle'],
  [0x2, 'Applications Clocks Setting'],
  [0x4, 'SW Power Cap'],
  [0x8, 'HW Slowdown'],
  [0x10, 'Sync Boost'],
  [0x20, 'SW Thermal Slowdown'],
  [0x40, 'HW Thermal Slowdown'],
  [0x80, 'HW Power Brake Slowdown'],
  [0x100, 'Display Clock Setting'],
];

const fieldName = /^[a-z][a-z0-9_.]{1,80}$/;

function columnsOf(text: string): readonly string[] | null {
  const names = text.split(',').map((cell) => cell.trim().replace(/ \[[^\]]{1,10}\]$/, ''));
  return names.length > 0 && names.every((name) => fieldName.test(name)) ? names : null;
}

export const nvidiaSmiCsv: Parser = {
  id: 'nvidia-smi-csv',
  literals: [
    '--query-gpu',
    '--query-compute-apps',
    'driver_version',
    'utilization.gpu',
    'memory.total [',
    'used_gpu_memory [',
    'compute_cap',
    '--query-remapped-rows',
    'pcie.link.',
    'clocks_event_reasons',
    'clocks_throttle_reasons',
    'remapped_rows.',
    'retired_pages.',
    'ecc.mode.',
    'mig.mode.',
    'power.limit',
    'fabric.st',
  ],
  keep: { before: 1, after: 64 },
  parse(document, hits, sink) {
    const taken = new Set<number>();
    for (const block of blocksOf(document)) {
      const query = /--query-(gpu|compute-apps|remapped-rows|retired-pages)[= ]"?'?([a-z][a-z0-9_.,]{1,2000})/.exec(
        block.command,
      );
      if (query === null) continue;
      taken.add(block.prompt.index);
      for (const line of block.output) taken.add(line.index);
      const part = /\s(?:-i|--id)[ =]|\|\s{0,4}(?:head|tail|[ef]?grep|sort|uniq|sed|awk)\b/.test(block.command);
      readRows(
        query[2]!.split(',').filter((name) => name !== ''),
        block.output,
        sink,
        query[1] === 'gpu' && !part,
      );
    }
    for (const hit of hits) {
      if (taken.has(hit.index) || hit.prompt || hit.told) continue;
      const columns = columnsOf(hit.clean);
      if (columns === null || columns.length < 2) continue;
      const rows: Line[] = [];
      for (let at = hit.index + 1; at < hit.index + 200; at++) {
        const line = document.lines[at];
        if (line === undefined || line.prompt || line.told || line.clean.split(', ').length !== columns.length) break;
        rows.push(line);
        taken.add(at);
      }
      readRows(columns, rows, sink, false);
    }
  },
};

/** @param whole the rows are all GPUs that the driver lists */
function readRows(asked: readonly string[], lines: readonly Line[], sink: FactSink, whole: boolean): void {
  // The header may name a field otherwise than the query: `name` is `process_name` there.
  const header = lines
    .slice(0, 3)
    .map((line) => columnsOf(line.clean))
    .find((names) => names?.length === asked.length && !names.some((name) => /^\d/.test(name)));
  const named =
    header !== undefined && header !== null && header.length > 1 && header.some((name) => asked.includes(name));
  const columns = named ? header : asked;
  const gpus: Line[] = [];
  const apps: string[] = [];
  const appLines: Line[] = [];
  for (const line of lines) {
    const cells = line.clean.split(',').map((cell) => cell.trim());
    if (cells.length !== columns.length || line.clean.trim() === '') continue;
    if (cells.every((cell, index) => cell === columns[index] || cell.startsWith(`${columns[index]!} [`))) continue;
    const row = new Map(columns.map((name, index) => [name, cells[index]!]));
    if (row.has('process_name') || row.has('used_gpu_memory') || (row.has('pid') && row.has('used_gpu_memory'))) {
      apps.push(known(row.get('process_name')) ?? `pid ${row.get('pid') ?? 'unknown'}`);
      appLines.push(line);
      continue;
    }
    if (readGpu(row, line, sink)) gpus.push(line);
  }
  if (apps.length > 0) sink.add('gpu.processes', apps, appLines);
  if (whole && gpus.length > 0) sink.add('gpu.count', gpus.length, gpus);
}

/** True where the row is one of a GPU. */
function readGpu(row: ReadonlyMap<string, string>, line: Line, sink: FactSink): boolean {
  const driver = driverRelease(row.get('driver_version') ?? row.get('kmd_version'));
  if (driver !== null && driver.includes('.')) {
    sink.add('driver.version', driver, line);
    sink.add('driver.answers', true, line);
  }
  const cc = capability(known(row.get('compute_cap')));
  if (cc !== null && /^\d{1,2}\.\d$/.test(row.get('compute_cap')!.trim())) sink.add('gpu.compute-capability', cc, line);
  const cuda = cudaMinor(known(row.get('cuda_version')));
  if (cuda !== null) sink.add('driver.cuda', cuda, line);
  const count = integer(row.get('count'));
  if (count !== null) sink.add('gpu.count', count, line);
  const mask = row.get('clocks_event_reasons.active') ?? row.get('clocks_throttle_reasons.active');
  if (mask !== undefined && /^0x[0-9a-f]{1,16}$/i.test(mask)) {
    const bits = Number.parseInt(mask.slice(2), 16);
    sink.add(
      'gpu.throttle',
      reasons.filter(([bit]) => (bits & bit) !== 0).map(([, name]) => name),
      line,
    );
  }
  const health = new HealthCells();
  for (const [name, value] of row) takeColumn(health, name, value, line);
  if (mask !== undefined && /^0x[0-9a-f]{1,16}$/i.test(mask)) {
    const bits = Number.parseInt(mask.slice(2), 16);
    for (const [bit, name] of reasons) health.reasons.push({ name, active: (bits & bit) !== 0, line });
  }
  addHealth(known(row.get('index') ?? row.get('pci.bus_id') ?? row.get('gpu_bus_id') ?? row.get('uuid')), health, sink);
  const cells: GpuCells = {};
  for (const [name, value] of row) {
    const field = fields[name];
    if (field !== undefined && cells[field] === undefined) cells[field] = value;
  }
  // An error text in place of a row has no comma to fool the count only where one column was asked.
  const isGpu = driver !== null || (Object.keys(cells).length > 0 && (row.size > 1 || plausible(cells)));
  if (isGpu && Object.keys(cells).length > 0) addGpu(cells, [line], sink);
  return isGpu;
}

function plausible(cells: GpuCells): boolean {
  if (cells.name !== undefined)
    return /^(?:NVIDIA|Tesla|Quadro|GeForce|GRID|A\d|H\d|L\d|T\d|RTX|GTX|Orin|Xavier)/.test(cells.name);
  return !/[A-Za-z]{4}/.test(Object.values(cells).join(' ')) || cells.computeMode !== undefined;
}
