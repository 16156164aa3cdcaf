import type { SeriesFinding } from './finding.ts';
import { fields } from './fields.rows.ts';
import type { GpuView } from './view.ts';

/** GPM ids of `nvidia-smi dmon --gpm-metrics` (nvml.h), for metrics that Hopper and later count without DCGM. */
const gpm: Readonly<Record<string, number>> = { gract: 1, smact: 2, smocc: 3, tensor: 5, dram: 10, fp64: 12, fp32: 11 };

/**
 * Names the counters that are missing, and how each tool is told to give them: the exporter by lines of its CSV file,
 * the others by field numbers. Of the metrics asked for, those that the series has are left out.
 */
export function notExported(gpu: GpuView, metrics: readonly string[]): NonNullable<SeriesFinding['missing']> {
  const absent = metrics.filter((metric) => gpu.mean(metric) === null);
  const rows = (absent.length === 0 ? metrics : absent).flatMap((metric) =>
    fields.filter((row) => row.metric === metric),
  );
  const [first] = rows;
  const fact = rows.map(({ what, field, number }) => `${what} (${field}, field ${number})`).join(', ');
  const dmon = `dcgmi dmon -e ${rows.map(({ number }) => number).join(',')} -d 1000`;
  const counted = rows.flatMap(({ metric }) => gpm[metric] ?? []).toSorted((a, b) => a - b);
  const smi = counted.length === 0 ? '' : `; on Hopper and later: nvidia-smi dmon --gpm-metrics ${counted.join(',')}`;
  const exporter =
    gpu.kinds.has('exporter') && first !== undefined
      ? `in the CSV file of dcgm-exporter: ${rows.map(({ csv }) => csv).join(' | ')}; at once on the node: `
      : '';
  return { fact, ask: `${exporter}${dmon}${smi}` };
}

/** What the counters that are there say, in words, where the one that decides is missing. */
export function fromTheOthers(gpu: GpuView): string {
  const parts: string[] = [];
  // Without a utilisation nobody knows which samples are busy: the mean of all is said.
  const busy = (metric: string): number | null => gpu.busy(metric) ?? gpu.mean(metric);
  const say = (value: number | null, words: (rounded: number) => string): void => {
    if (value !== null) parts.push(words(Math.round(value)));
  };
  say(gpu.powerShare, (value) => `power at ${value} % of ${gpu.limitCalled}`);
  if (gpu.powerShare === null) say(busy('power'), (value) => `${value} W, of which limit is not known`);
  say(busy('dram') ?? busy('mem'), (value) => `memory ${value} % busy`);
  say(busy('gract'), (value) => `the engine ${value} % busy`);
  say(busy('smact'), (value) => `${value} % of the SMs`);
  say(busy('tensor'), (value) => `tensor cores ${value} %`);
  say(busy('sm-clock'), (value) => `${value} MHz`);
  say(busy('temperature'), (value) => `${value} °C`);
  if (gpu.mean('util') === null) say(gpu.mean('held'), (value) => `${value} MiB held`);
  const [rx, tx] = [busy('rx'), busy('tx')];
  if (rx !== null && tx !== null) parts.push(`PCIe ${Math.round(rx)} MB/s in and ${Math.round(tx)} MB/s out`);
  return parts.length === 0 ? 'nothing else is counted' : `the others say: ${parts.join(', ')}`;
}
