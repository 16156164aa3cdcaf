// The names under which nvidia-smi's long report, its XML and its comma lists give the same value of a GPU.
import type { Line } from '../model/document.ts';
import type { HealthCells, HealthName } from './gpu-health.ts';
import { known } from './values.ts';

const exact: Readonly<Record<string, HealthName>> = {
  'mig mode/current': 'mig.current',
  'mig mode/pending': 'mig.pending',
  'mig mode/current mig': 'mig.current',
  'mig mode/pending mig': 'mig.pending',
  'gpu virtualization mode/virtualization mode': 'virtualization',
  'pcie generation/current': 'pcie.generation',
  'pcie generation/max': 'pcie.generation.max',
  'pcie generation/host max': 'pcie.generation.host',
  'pcie generation/device max': 'pcie.generation.device',
  'pcie gen/current link gen': 'pcie.generation',
  'pcie gen/max link gen': 'pcie.generation.max',
  'pcie gen/max host link gen': 'pcie.generation.host',
  'pcie gen/max device link gen': 'pcie.generation.device',
  'link width/current': 'pcie.width',
  'link width/max': 'pcie.width.max',
  'link widths/current link width': 'pcie.width',
  'link widths/max link width': 'pcie.width.max',
  'pci/replays since reset': 'pcie.replays',
  'pci/replay counter': 'pcie.replays',
  'utilization/gpu': 'utilization',
  'utilization/gpu util': 'utilization',
  'clocks/sm': 'clock.sm',
  'clocks/sm clock': 'clock.sm',
  'clocks/memory': 'clock.memory',
  'clocks/mem clock': 'clock.memory',
  'max clocks/sm': 'clock.sm.max',
  'max clocks/sm clock': 'clock.sm.max',
  'max clocks/memory': 'clock.memory.max',
  'max clocks/mem clock': 'clock.memory.max',
  'applications clocks/graphics': 'clock.applications',
  'applications clocks/graphics clock': 'clock.applications',
  'default applications clocks/graphics': 'clock.applications.default',
  'default applications clocks/graphics clock': 'clock.applications.default',
  'temperature/gpu current temp': 'temperature',
  'temperature/gpu temp': 'temperature',
  'temperature/memory current temp': 'temperature.memory',
  'temperature/memory temp': 'temperature.memory',
  'temperature/gpu slowdown temp': 'temperature.slowdown',
  'temperature/gpu temp slow threshold': 'temperature.slowdown',
  'temperature/gpu shutdown temp': 'temperature.shutdown',
  'temperature/gpu temp max threshold': 'temperature.shutdown',
  'temperature/gpu t.limit temp': 'temperature.margin',
  'temperature/gpu temp tlimit': 'temperature.margin',
  'ecc mode/current': 'ecc.current',
  'ecc mode/pending': 'ecc.pending',
  'ecc mode/current ecc': 'ecc.current',
  'ecc mode/pending ecc': 'ecc.pending',
  'aggregate/sram threshold exceeded': 'ecc.threshold',
  'remapped rows/correctable error': 'rows.corrected',
  'remapped rows/uncorrectable error': 'rows.uncorrected',
  'remapped rows/pending': 'rows.pending',
  'remapped rows/remapping failure occurred': 'rows.failed',
  'remapped rows/remapped row corr': 'rows.corrected',
  'remapped rows/remapped row unc': 'rows.uncorrected',
  'remapped rows/remapped row pending': 'rows.pending',
  'remapped rows/remapped row failure': 'rows.failed',
  'retired pages/single bit ecc': 'pages.single',
  'retired pages/double bit ecc': 'pages.double',
  'retired pages/pending page blacklist': 'pages.pending',
  'retired pages/pending retirement': 'pages.pending',
  'retired pages/pending blacklist': 'pages.pending',
  'multiple single bit retirement/retired count': 'pages.single',
  'double bit retirement/retired count': 'pages.double',
  'fabric/state': 'fabric.state',
  'fabric/status': 'fabric.status',
  'fabric/cliqueid': 'fabric.clique',
  'fabric/clusteruuid': 'fabric.cluster',
};

const single: Readonly<Record<string, HealthName>> = {
  'performance state': 'pstate',
  'gpu recovery action': 'recovery',
  'gsp firmware version': 'gsp',
  'persistence mode': 'persistence',
};

/** Keys that stand in one block of the report only, for lines that were cut out of it. */
const loose: Readonly<Record<string, HealthName>> = {
  'power draw': 'power.draw',
  'instantaneous power draw': 'power.draw',
  'current power limit': 'power.limit',
  'enforced power limit': 'power.limit',
  'default power limit': 'power.default',
  'max power limit': 'power.max',
  'gpu current temp': 'temperature',
  'gpu t.limit temp': 'temperature.margin',
  'gpu slowdown temp': 'temperature.slowdown',
  'gpu shutdown temp': 'temperature.shutdown',
  'memory current temp': 'temperature.memory',
};

/** True for a line cut out of the report whose value is known already: it is the next GPU's. */
export function repeats(cells: HealthCells, path: readonly string[]): boolean {
  const name = path.length === 1 ? loose[path[0]!] : undefined;
  return name !== undefined && cells.cell(name) !== undefined && !/draw$/.test(path[0]!);
}

/** True for a reason why clocks are held down, wherever its line stands. */
export function isReason(key: string, value: string): boolean {
  return (
    (value === 'Active' || value === 'Not Active') &&
    /^(?:sw power cap|hw slowdown|hw thermal slowdown|hw power brake slowdown|sw thermal slowdown|sync boost)$/.test(
      key,
    )
  );
}

/**
 * Takes one value of the long report, text or XML.
 * @param path its keys from the outside in, in lower case, `_` as blank
 */
export function takeReported(cells: HealthCells, path: readonly string[], value: string, line: Line): void {
  const key = path[path.length - 1]!;
  const parent = path[path.length - 2] ?? '';
  const name = exact[`${parent}/${key}`] ?? (path.length === 1 ? (single[key] ?? loose[key]) : undefined);
  if (name !== undefined) {
    if (cells.cell(name) === undefined) cells.set(name, value, line);
    return;
  }
  if (/licensed product$/.test(parent)) {
    if (key === 'license status') cells.set('licence.status', value, line);
    else if (key === 'product name' || key === 'licensed product name') cells.set('licence.product', value, line);
  } else if (parent.endsWith('power readings') && !parent.startsWith('module') && !parent.startsWith('memory'))
    takePower(cells, key, value, line);
  else if (path[0] === 'ecc errors') takeCount(cells, path, key, value, line);
  else if (path[0] === 'fabric' && path.length > 2) {
    if (known(value) !== null) cells.health.push({ name: key, value, line });
  } else if (isReason(key, value) || (isReasons(path[0] ?? '') && (value === 'Active' || value === 'Not Active')))
    cells.reasons.push({ name: reasonName(key), active: value === 'Active', line });
}

function isReasons(block: string): boolean {
  return /^clocks (?:throttle|event) reasons$/.test(block);
}

function takePower(cells: HealthCells, key: string, value: string, line: Line): void {
  const name =
    key === 'instantaneous power draw' || key === 'instant power draw' || key === 'power draw'
      ? 'power.draw'
      : key === 'current power limit' || key === 'enforced power limit' || key === 'power limit'
        ? 'power.limit'
        : key === 'default power limit'
          ? 'power.default'
          : key === 'max power limit'
            ? 'power.max'
            : null;
  if (name !== null && cells.cell(name) === undefined) cells.set(name, value, line);
}

function takeCount(cells: HealthCells, path: readonly string[], key: string, value: string, line: Line): void {
  const span = path[1];
  if (span !== 'volatile' && span !== 'aggregate') return;
  // Older GPUs have a block each for single and double bit errors, with a total at its end.
  const block = path.length > 3 ? path[2]! : '';
  if (block !== '' && key !== 'total') return;
  const text = `${block} ${key}`;
  if (/uncorrectable|double bit/.test(text)) cells.set(`ecc.${span}.uncorrected`, value, line);
  else if (/correctable|single bit/.test(text)) cells.set(`ecc.${span}.corrected`, value, line);
}

/** One spelling for the reasons: `SW Power Cap`, `HW Thermal Slowdown`, `Idle`. */
export function reasonName(key: string): string {
  const text = key
    .replace(/^clocks[_ ](?:throttle|event)[_ ]reasons?[_. ]/, '')
    .replaceAll('_', ' ')
    .replace(/^gpu idle$/, 'idle');
  return text
    .replace(/\b([a-z])/g, (letter) => letter.toUpperCase())
    .replace(/\bSw\b/, 'SW')
    .replace(/\bHw\b/, 'HW');
}

const columns: Readonly<Record<string, HealthName>> = {
  'mig.mode.current': 'mig.current',
  'mig.mode.pending': 'mig.pending',
  'ecc.mode.current': 'ecc.current',
  'ecc.mode.pending': 'ecc.pending',
  'pcie.link.gen.current': 'pcie.generation',
  'pcie.link.gen.gpucurrent': 'pcie.generation',
  'pcie.link.gen.max': 'pcie.generation.max',
  'pcie.link.gen.gpumax': 'pcie.generation.device',
  'pcie.link.gen.hostmax': 'pcie.generation.host',
  'pcie.link.width.current': 'pcie.width',
  'pcie.link.width.max': 'pcie.width.max',
  'utilization.gpu': 'utilization',
  pstate: 'pstate',
  'clocks.sm': 'clock.sm',
  'clocks.current.sm': 'clock.sm',
  'clocks.max.sm': 'clock.sm.max',
  'clocks.mem': 'clock.memory',
  'clocks.current.memory': 'clock.memory',
  'clocks.max.mem': 'clock.memory.max',
  'clocks.max.memory': 'clock.memory.max',
  'clocks.applications.graphics': 'clock.applications',
  'clocks.applications.gr': 'clock.applications',
  'clocks.default_applications.graphics': 'clock.applications.default',
  'clocks.default_applications.gr': 'clock.applications.default',
  'power.draw': 'power.draw',
  'power.draw.instant': 'power.draw',
  'power.limit': 'power.limit',
  'enforced.power.limit': 'power.limit',
  'power.default_limit': 'power.default',
  'power.max_limit': 'power.max',
  'temperature.memory': 'temperature.memory',
  'temperature.gpu.tlimit': 'temperature.margin',
  'ecc.errors.corrected.volatile.total': 'ecc.volatile.corrected',
  'ecc.errors.uncorrected.volatile.total': 'ecc.volatile.uncorrected',
  'ecc.errors.corrected.aggregate.total': 'ecc.aggregate.corrected',
  'ecc.errors.uncorrected.aggregate.total': 'ecc.aggregate.uncorrected',
  'ecc.errors.uncorrected.aggregate.sram.threshold_exceeded': 'ecc.threshold',
  'remapped_rows.correctable': 'rows.corrected',
  'remapped_rows.uncorrectable': 'rows.uncorrected',
  'remapped_rows.pending': 'rows.pending',
  'remapped_rows.failure': 'rows.failed',
  'retired_pages.single_bit_ecc.count': 'pages.single',
  'retired_pages.sbe': 'pages.single',
  'retired_pages.double_bit.count': 'pages.double',
  'retired_pages.dbe': 'pages.double',
  'retired_pages.pending': 'pages.pending',
  'fabric.state': 'fabric.state',
  'fabric.status': 'fabric.status',
  'fabric.cliqueid': 'fabric.clique',
  'fabric.clusteruuid': 'fabric.cluster',
  gpu_recovery_action: 'recovery',
  persistence_mode: 'persistence',
};

/** Takes one column of `nvidia-smi --query-gpu` or `--query-remapped-rows`. */
export function takeColumn(cells: HealthCells, column: string, value: string, line: Line): void {
  const name = columns[column.toLowerCase()];
  if (name !== undefined) cells.set(name, value, line);
  else if (
    /^clocks_(?:throttle|event)_reasons\.(?!active$|supported$)\w{3,40}$/.test(column) &&
    (value === 'Active' || value === 'Not Active')
  )
    cells.reasons.push({
      name: reasonName(column.slice(column.indexOf('.') + 1)),
      active: value === 'Active',
      line,
    });
}
