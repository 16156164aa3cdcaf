import { metrics } from './metrics.rows.ts';
import type { SeriesSet } from './series-set.ts';

/** A table of samples, as its head says. */
export type Table =
  | {
      readonly kind: 'dmon';
      readonly gpu: number;
      readonly date: number;
      readonly time: number;
      readonly columns: Int16Array;
      readonly csv: boolean;
    }
  | {
      readonly kind: 'pmon';
      readonly gpu: number;
      readonly pid: number;
      readonly command: number;
      readonly type: number;
      readonly sm: number;
      readonly csv: boolean;
    }
  | { readonly kind: 'dcgmi'; readonly from: Int32Array; readonly columns: Int16Array }
  | {
      readonly kind: 'query';
      readonly index: number;
      readonly uuid: number;
      readonly bus: number;
      readonly time: number;
      readonly name: number;
      readonly columns: Int16Array;
      readonly count: number;
    }
  | {
      readonly kind: 'processes';
      readonly uuid: number;
      readonly bus: number;
      readonly pid: number;
      readonly name: number;
      readonly count: number;
    };

function namesOf(pick: (row: (typeof metrics)[number]) => readonly string[] | undefined): ReadonlyMap<string, number> {
  return new Map(metrics.flatMap((row, at) => (pick(row) ?? []).map((name) => [name, at] as const)));
}

/** Metrics in percent, by place: more than 100 is no value. */
export const percents: Uint8Array = Uint8Array.from(metrics, (row) => Number(row.unit === '%'));

export const dmonNames: ReadonlyMap<string, number> = namesOf((row) => row.dmon);
const queryNames = namesOf((row) => row.query);
export const tagNames: ReadonlyMap<string, number> = namesOf((row) => row.tag);

/** The table that a head of `nvidia-smi --query-gpu` begins; null where it is none. */
export function queryTable(text: string, into: SeriesSet): Extract<Table, { kind: 'query' }> | null {
  const names = text.split(',').map((name) => name.replace(/\[.*/, '').trim());
  const columns = names.map((name) => queryNames.get(name) ?? -1);
  const known = columns.filter((at) => at >= 0).length;
  if (known === 0 || names.length < 2 || names.length > 60 || !names.every((name) => /^[a-z][\w.]{1,80}$/.test(name)))
    return null;
  for (const at of columns) if (at >= 0) into.columns.add(metrics[at]!.id);
  return {
    kind: 'query',
    index: names.indexOf('index'),
    uuid: Math.max(names.indexOf('uuid'), names.indexOf('gpu_uuid')),
    bus: Math.max(names.indexOf('pci.bus_id'), names.indexOf('gpu_bus_id')),
    time: names.indexOf('timestamp'),
    name: Math.max(names.indexOf('name'), names.indexOf('gpu_name')),
    columns: Int16Array.from(columns),
    count: names.length,
  };
}

/** The same of `--query-compute-apps`. */
export function processTable(text: string): Extract<Table, { kind: 'processes' }> | null {
  const names = text.split(',').map((name) => name.replace(/\[.*/, '').trim());
  const pid = names.indexOf('pid');
  const name = Math.max(names.indexOf('process_name'), names.indexOf('name'));
  if (pid < 0 || names.length > 12 || (name < 0 && !names.includes('used_gpu_memory'))) return null;
  return {
    kind: 'processes',
    uuid: names.indexOf('gpu_uuid'),
    bus: names.indexOf('gpu_bus_id'),
    pid,
    name,
    count: names.length,
  };
}
