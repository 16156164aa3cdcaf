import type { Line } from '../model/document.ts';
import type { GpuState } from '../model/facts.ts';
import type { FactSink } from './parser.ts';
import { failed, integer, known, quantity } from './values.ts';

/** Cells of one GPU as texts, by the names of `GpuState`; absent where the tool has no such column. */
export interface GpuCells {
  index?: string;
  name?: string;
  uuid?: string;
  computeMode?: string;
  mig?: string;
  utilization?: string;
  memoryUsed?: string;
  memoryTotal?: string;
  eccUncorrected?: string;
  temperature?: string;
  power?: string;
}

/** Name as a fact: cut names (`Tesla V100-SXM2...`) lose their dots and must still tell the model. */
export function gpuName(text: string | undefined): string | null {
  let name = known(text);
  if (name === null || name.startsWith('(')) return null;
  if (name.endsWith('...')) {
    // `GeForce GTX 108...` was cut inside its number.
    if (/ \d{1,3}\.\.\.$/.test(name)) return null;
    name = name.slice(0, -3).trimEnd();
    if (!/\d/.test(name)) return null;
  }
  return name.length < 2 || name.length > 100 || !/[A-Za-z]/.test(name) ? null : name;
}

const modes: Readonly<Record<string, string>> = {
  default: 'Default',
  'e. process': 'Exclusive_Process',
  'e. thread': 'Exclusive_Thread',
  'excl. proc.': 'Exclusive_Process',
  exclusive: 'Exclusive_Process',
  exclusive_process: 'Exclusive_Process',
  exclusive_thread: 'Exclusive_Thread',
  prohibited: 'Prohibited',
};

/** One spelling for the compute modes, which the table abbreviates. */
export function computeMode(text: string | undefined): string | null {
  const value = known(text);
  return value === null ? null : (modes[value.toLowerCase()] ?? null);
}

/** Adds the state of one GPU, its name and its compute mode. */
export function addGpu(cells: GpuCells, lines: readonly Line[], sink: FactSink): void {
  const failedFields = Object.entries(cells)
    .filter(([, text]) => failed(text as string))
    .map(([name]) => name);
  const mode = computeMode(cells.computeMode);
  const state: GpuState = {
    index: integer(cells.index),
    name: known(cells.name),
    ...(cells.uuid === undefined ? {} : { uuid: known(cells.uuid) }),
    ...(cells.computeMode === undefined ? {} : { computeMode: mode }),
    ...(cells.mig === undefined ? {} : { mig: known(cells.mig) }),
    ...(cells.utilization === undefined ? {} : { utilization: quantity(cells.utilization) }),
    ...(cells.memoryUsed === undefined ? {} : { memoryUsedMiB: quantity(cells.memoryUsed) }),
    ...(cells.memoryTotal === undefined ? {} : { memoryTotalMiB: quantity(cells.memoryTotal) }),
    ...(cells.eccUncorrected === undefined ? {} : { eccUncorrected: quantity(cells.eccUncorrected) }),
    ...(cells.temperature === undefined ? {} : { temperature: quantity(cells.temperature) }),
    ...(cells.power === undefined ? {} : { powerWatts: quantity(cells.power) }),
    ...(failedFields.length === 0 ? {} : { failedFields }),
  };
  sink.add('gpu.state', state, lines);
  const name = gpuName(cells.name);
  if (name !== null) sink.add('gpu.name', name, lines);
  if (mode !== null) sink.add('gpu.compute-mode', mode, lines);
}
