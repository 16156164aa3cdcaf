import { metrics } from './metrics.rows.ts';

// What dcgm-exporter's metrics and their labels are called, and what set-ups make of them: relabelling renames what the
// exporter says of a workload (`exported_pod`), and adds where the exporter itself runs (`pod`, `node`, `instance`).
// https://github.com/NVIDIA/dcgm-exporter

/** Names of metrics behind `DCGM_FI_DEV_`, `DCGM_FI_PROF_` and `DCGM_FI_SYSTEM_`, by their place in a row. */
export const exportedNames: ReadonlyMap<string, number> = new Map(
  metrics.flatMap((row, at) => (row.exported ?? []).map((name) => [name, at] as const)),
);

/** What matches the names of all of them, as PromQL anchors it. */
export const exportedPattern: string = `DCGM_FI_(DEV|PROF|SYSTEM)_(${[...exportedNames.keys()].join('|')})`;

/** Place of a metric in a row by its whole name; -1 where it is not read. */
export function exportedMetric(name: string): number {
  const match = /^DCGM_FI_(?:DEV|PROF|SYSTEM)_([A-Z0-9_]{2,80})$/.exec(name);
  return match === null ? -1 : (exportedNames.get(match[1]!) ?? -1);
}

/** A value in the unit of its metric; NaN where it is none: a gap, a blank of DCGM's (numbers near 2^63), more than all. */
export function exportedValue(metric: number, value: number): number {
  const { unit, scale } = metrics[metric]!;
  const scaled = value * (scale ?? 1);
  return scaled >= 0 && scaled < (unit === '%' ? 100.5 : 9e11) ? scaled : Number.NaN;
}

/** Of which GPU a series speaks, and who uses it. */
export interface ExportedGpu {
  readonly host: string | null;
  readonly index: string | null;
  readonly uuid: string | null;
  readonly bus: string | null;
  /** MIG instance. */
  readonly instance: string | null;
  readonly profile: string | null;
  readonly model: string | null;
  /** `ml/train-0`: the workload, never the exporter's own pod. */
  readonly pod: string | null;
}

/** Reads the labels of one series, whatever their set-up calls them. */
export function gpuOfLabels(labels: Readonly<Record<string, string>>): ExportedGpu {
  const first = (...names: readonly string[]): string | null => {
    for (const name of names) {
      const value = labels[name];
      if (value !== undefined && value !== '') return value;
    }
    return null;
  };
  const device = /^nvidia(\d{1,4})$/.exec(first('device') ?? '')?.[1] ?? null;
  const index = first('gpu', 'gpu_index', 'index');
  const host = first('node', 'kubernetes_node', 'nodename');
  const named = first('Hostname', 'hostname');
  // Older exporters take the name of their own pod for that of the host.
  const own = named !== null && !isExporter(named) ? named : null;
  return {
    host: own ?? host ?? named ?? first('instance')?.replace(/:\d{1,5}$/, '') ?? null,
    index: index !== null && /^\d{1,4}$/.test(index) ? index : device,
    uuid: first('UUID', 'uuid', 'gpu_uuid', 'GPU_UUID'),
    bus: first('pci_bus_id', 'PCI_BUS_ID'),
    instance: first('GPU_I_ID', 'gpu_i_id'),
    profile: first('GPU_I_PROFILE', 'gpu_i_profile'),
    model: first('modelName', 'modelname', 'model'),
    pod: podOf(first),
  };
}

function podOf(first: (...names: readonly string[]) => string | null): string | null {
  const exported = first('exported_pod', 'pod_name');
  const pod = exported ?? first('pod');
  if (pod === null || (exported === null && isExporter(pod))) return null;
  const namespace = exported === null ? first('namespace') : first('exported_namespace', 'pod_namespace', 'namespace');
  return namespace === null ? pod : `${namespace}/${pod}`;
}

function isExporter(name: string): boolean {
  return name.includes('dcgm-exporter') || name.includes('dcgm_exporter');
}
