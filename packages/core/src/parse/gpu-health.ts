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
