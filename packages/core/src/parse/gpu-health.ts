import type { Line } from '../model/document.ts';
import type { FactSink } from './parser.ts';
import { integer, known, quantity } from './values.ts';

/** A value of one GPU as printed. */
export interface Cell {
  readonly value: string;
  readonly line: Line;
}

/** Names under which the long report, its XML and the comma lists give the same value. */
export type HealthName =
  | 'mig.current'
  | 'mig.pending'
  | 'virtualization'
  | 'licence.product'
  | 'licence.status'
  | 'pcie.generation'
  | 'pcie.generation.max'
  | 'pcie.generation.host'
  | 'pcie.generation.device'
  | 'pcie.width'
  | 'pcie.width.max'
  | 'pcie.replays'
  | 'utilization'
  | 'pstate'
  | 'clock.sm'
  | 'clock.sm.max'
  | 'clock.memory'
  | 'clock.memory.max'
  | 'clock.applications'
  | 'clock.applications.default'
  | 'power.draw'
  | 'power.limit'
  | 'power.default'
  | 'power.max'
  | 'temperature'
  | 'temperature.memory'
  | 'temperature.slowdown'
  | 'temperature.shutdown'
  | 'temperature.margin'
  | 'ecc.current'
  | 'ecc.pending'
  | 'ecc.volatile.corrected'
  | 'ecc.volatile.uncorrected'
  | 'ecc.aggregate.corrected'
  | 'ecc.aggregate.uncorrected'
  | 'ecc.threshold'
  | 'rows.corrected'
  | 'rows.uncorrected'
  | 'rows.pending'
  | 'rows.failed'
  | 'pages.single'
  | 'pages.double'
  | 'pages.pending'
  | 'fabric.state'
  | 'fabric.status'
  | 'fabric.clique'
  | 'fabric.cluster'
  | 'recovery'
  | 'gsp'
  | 'persistence';

/** Values of one GPU by name; of counts that stand in parts, all parts. */
export class HealthCells {
  private readonly cells = new Map<HealthName, Cell[]>();
  readonly reasons: { readonly name: string; readonly active: boolean; readonly line: Line }[] = [];
  readonly health: { readonly name: string; readonly value: string; readonly line: Line }[] = [];

  set(name: HealthName, value: string, line: Line): void {
    const list = this.cells.get(name);
    if (list === undefined) this.cells.set(name, [{ value, line }]);
    else if (list.length < 12) list.push({ value, line });
  }

  cell(name: HealthName): Cell | undefined {
    return this.cells.get(name)?.[0];
  }

  word(name: HealthName): string | null {
    return known(this.cell(name)?.value);
  }

  number(name: HealthName): number | null {
    return quantity(this.cell(name)?.value);
  }

  /** Sum of the parts that are known; null where none is. */
  sum(name: HealthName): number | null {
    let sum: number | null = null;
    for (const cell of this.cells.get(name) ?? []) {
      const count = quantity(cell.value);
      if (count !== null) sum = (sum ?? 0) + count;
    }
    return sum;
  }

  truth(name: HealthName): boolean | null {
    const value = this.word(name)?.toLowerCase();
    if (value === undefined) return null;
    if (/^(?:yes|enabled|active|true|on)$/.test(value) || (/^\d+$/.test(value) && value !== '0')) return true;
    return /^(?:no|disabled|not active|false|off|0)$/.test(value) ? false : null;
  }

  /** Lines of the named values, each once. */
  lines(...names: readonly HealthName[]): readonly Line[] {
    return [...new Set(names.flatMap((name) => (this.cells.get(name) ?? []).map((cell) => cell.line)))].slice(0, 8);
  }
}

/**
 * Adds what the values of one GPU tell of its health; what no value is there for is left out, what was printed without
 * a value is null.
 * @param gpu its bus id or index as printed
 */
export function addHealth(gpu: string | null, cells: HealthCells, sink: FactSink): void {
  const when = (names: readonly HealthName[], add: (lines: readonly Line[]) => void): void => {
    const lines = cells.lines(...names);
    if (lines.length > 0) add(lines);
  };
  when(['mig.current', 'mig.pending'], (lines) =>
    sink.add('gpu.mig-mode', { gpu, current: cells.truth('mig.current'), pending: cells.truth('mig.pending') }, lines),
  );
  const mode = cells.word('virtualization') ?? (cells.cell('virtualization')?.value.trim() === 'None' ? 'None' : null);
  if (mode !== null) sink.add('gpu.virtualization', { gpu, mode }, cells.lines('virtualization'));
  const status = cells.word('licence.status');
  if (status !== null)
    sink.add(
      'gpu.licence',
      { gpu, product: cells.word('licence.product'), status },
      cells.lines('licence.status', 'licence.product'),
    );
  when(['pcie.generation', 'pcie.width', 'pcie.generation.max', 'pcie.width.max'], (lines) =>
    sink.add(
      'gpu.pcie',
      {
        gpu,
        generation: cells.number('pcie.generation'),
        generationMax: cells.number('pcie.generation.max'),
        generationHostMax: cells.number('pcie.generation.host'),
        generationDeviceMax: cells.number('pcie.generation.device'),
        width: lanes(cells.word('pcie.width')),
        widthMax: lanes(cells.word('pcie.width.max')),
        replays: cells.number('pcie.replays'),
        utilization: cells.number('utilization'),
        performanceState: cells.word('pstate'),
      },
      [...new Set([...lines, ...cells.lines('pcie.replays', 'utilization')])],
    ),
  );
  when(['clock.sm', 'clock.sm.max', 'clock.memory', 'clock.applications'], (lines) =>
    sink.add(
      'gpu.clocks',
      {
        gpu,
        sm: cells.number('clock.sm'),
        smMax: cells.number('clock.sm.max'),
        memory: cells.number('clock.memory'),
        memoryMax: cells.number('clock.memory.max'),
        applications: cells.number('clock.applications'),
        applicationsDefault: cells.number('clock.applications.default'),
      },
      [...new Set([...lines, ...cells.lines('clock.applications.default')])],
    ),
  );
  when(['power.limit', 'power.default', 'power.max'], (lines) =>
    sink.add(
      'gpu.power',
      {
        gpu,
        draw: cells.number('power.draw'),
        limit: cells.number('power.limit'),
        defaultLimit: cells.number('power.default'),
        maxLimit: cells.number('power.max'),
      },
      [...new Set([...cells.lines('power.draw'), ...lines])],
    ),
  );
  when(['temperature', 'temperature.margin', 'temperature.memory'], (lines) =>
    sink.add(
      'gpu.temperature',
      {
        gpu,
        now: cells.number('temperature'),
        memory: cells.number('temperature.memory'),
        slowdown: cells.number('temperature.slowdown'),
        shutdown: cells.number('temperature.shutdown'),
        margin: cells.number('temperature.margin'),
      },
      [...new Set([...lines, ...cells.lines('temperature.slowdown', 'temperature.shutdown')])],
    ),
  );
  addErrors(gpu, cells, sink, when);
  addFabric(gpu, cells, sink, when);
  const recovery = cells.cell('recovery');
  if (recovery !== undefined && known(recovery.value) !== null)
    sink.add('gpu.recovery-action', { gpu, action: recovery.value.trim() }, recovery.line);
  else if (recovery?.value.trim() === 'None') sink.add('gpu.recovery-action', { gpu, action: 'None' }, recovery.line);
  const gsp = cells.cell('gsp');
  if (gsp !== undefined) {
    const version = /^\d{3}\.\d[\d.]{0,12}$/.exec(gsp.value.trim())?.[0] ?? null;
    if (version !== null || gsp.value.trim() === 'N/A') sink.add('gpu.gsp-firmware', { gpu, version }, gsp.line);
  }
  const persistent = cells.truth('persistence');
  if (persistent !== null) sink.add('gpu.persistence-mode', { gpu, on: persistent }, cells.lines('persistence'));
  const { reasons } = cells;
  if (reasons.length > 0) {
    const active = reasons.filter((reason) => reason.active);
    sink.add(
      'gpu.clock-reasons',
      {
        gpu,
        active: active.map((reason) => reason.name),
        inactive: reasons.filter((reason) => !reason.active).map((reason) => reason.name),
      },
      [...new Set((active.length > 0 ? active : reasons).map((reason) => reason.line))].slice(0, 8),
    );
  }
}

type When = (names: readonly HealthName[], add: (lines: readonly Line[]) => void) => void;

function addErrors(gpu: string | null, cells: HealthCells, sink: FactSink, when: When): void {
  when(['ecc.current', 'ecc.pending'], (lines) =>
    sink.add('gpu.ecc-mode', { gpu, current: cells.truth('ecc.current'), pending: cells.truth('ecc.pending') }, lines),
  );
  const counts = [
    'ecc.volatile.corrected',
    'ecc.volatile.uncorrected',
    'ecc.aggregate.corrected',
    'ecc.aggregate.uncorrected',
    'ecc.threshold',
  ] as const;
  when(counts, (lines) =>
    sink.add(
      'gpu.ecc-errors',
      {
        gpu,
        volatileCorrected: cells.sum('ecc.volatile.corrected'),
        volatileUncorrected: cells.sum('ecc.volatile.uncorrected'),
        aggregateCorrected: cells.sum('ecc.aggregate.corrected'),
        aggregateUncorrected: cells.sum('ecc.aggregate.uncorrected'),
        sramThresholdExceeded: cells.truth('ecc.threshold'),
      },
      lines,
    ),
  );
  when(['rows.pending', 'rows.failed', 'rows.uncorrected'], (lines) => {
    const pending = cells.truth('rows.pending');
    const failed = cells.truth('rows.failed');
    sink.add(
      'gpu.remapped-rows',
      {
        gpu,
        correctable: cells.number('rows.corrected'),
        uncorrectable: cells.number('rows.uncorrected'),
        pending,
        failed,
      },
      lines,
    );
  });
  when(['pages.single', 'pages.double', 'pages.pending'], (lines) =>
    sink.add(
      'gpu.retired-pages',
      {
        gpu,
        singleBit: integer(cells.word('pages.single') ?? undefined),
        doubleBit: integer(cells.word('pages.double') ?? undefined),
        pending: cells.truth('pages.pending'),
      },
      lines,
    ),
  );
}

function addFabric(gpu: string | null, cells: HealthCells, sink: FactSink, when: When): void {
  when(['fabric.state', 'fabric.status'], (lines) => {
    const bad = cells.health.filter(
      (each) => !/^(?:healthy|ok|false|no|none|n\/a|not supported|full|normal)?$/i.test(each.value.trim()),
    );
    if (cells.word('fabric.state') === null && cells.word('fabric.status') === null) return;
    sink.add(
      'gpu.fabric',
      {
        gpu,
        state: cells.word('fabric.state'),
        status: cells.word('fabric.status'),
        clique: cells.word('fabric.clique'),
        cluster: cells.word('fabric.cluster'),
        health: Object.fromEntries(bad.slice(0, 12).map((each) => [each.name, each.value.trim()])),
      },
      [...new Set([...lines, ...bad.map((each) => each.line)])].slice(0, 8),
    );
  });
}

function lanes(text: string | null): number | null {
  const match = /^(\d{1,2})x?$/.exec(text ?? '');
  return match === null ? null : Number(match[1]);
}

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
