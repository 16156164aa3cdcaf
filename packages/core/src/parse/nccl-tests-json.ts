// What nccl-tests writes with -J (--output_file): one JSON object in one line, versions 1 to 3.
//
// {"version":3,"start_time":"…","args":["./build/all_reduce_perf","-b","8"],"env":["NCCL_DEBUG=INFO"],"nccl_version":22803,
//  "config":{"nthreads":1,"ngpus":8,…,"devices":[{"rank":0,"group":0,"pid":1,"hostname":"node-a","device":0,
//   "device_hex":"0000:19:00","device_info":"NVIDIA H100 80GB HBM3"}]},
//  "results":[{"size":8,"count":2,"type":"float","redop":"sum","root":"    -1","out_of_place":{"time":9.1,"alg_bw":0.0,
//   "bus_bw":0.0,"nwrong":0.0},"in_place":{…},"experiment_name":"AllReduce"}],
//  "out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":235.28,"okay":"unchecked"}}
//
// Of every process only the first device is listed. Source: src/util.cu of nccl-tests.
import type { FactSink, Parser } from './parser.ts';
import type { Tree } from './tree.ts';
import { gpuName } from './gpu-state.ts';
import { operationOf } from './nccl-operation.ts';
import { tests } from './nccl-tests.ts';
import { objectsOf } from './objects.ts';
import { at, listAt, numberAt, textAt } from './tree.ts';

const mostRows = 2000;
const settings = /^((?:NCCL|UCX|FI)_[A-Z0-9_]{1,60}|CUDA_VISIBLE_DEVICES)=(.{0,400})$/;

export const ncclTestsJson: Parser = {
  id: 'nccl-tests-json',
  literals: ['"bus_bw"'],
  keep: { before: 0, after: 0 },
  parse(document, _hits, sink) {
    for (const { root } of objectsOf(document)) {
      const results = listAt(root, 'results');
      if (results.some((row) => at(row, 'out_of_place') !== undefined || at(row, 'in_place') !== undefined))
        read(root, results, sink);
    }
  },
};

function read(root: Tree, results: readonly Tree[], sink: FactSink): void {
  const ranks = readDevices(root, sink);
  const rows = results.slice(0, mostRows).flatMap((row) =>
    (['out_of_place', 'in_place'] as const).flatMap((place) => {
      const side = at(row, place);
      const bytes = decimal(row, 'size');
      const [timeUs, algbw, busbw] = [
        decimal(side, 'time') ?? decimal(side, 'cpu_time'),
        decimal(side, 'alg_bw'),
        decimal(side, 'bus_bw'),
      ];
      if (side === undefined || bytes === null || timeUs === null || algbw === null || busbw === null) return [];
      const redop = textAt(row, 'redop');
      const from = decimal(row, 'root');
      return [
        {
          line: side.line,
          value: {
            place: place === 'in_place' ? ('in-place' as const) : ('out-of-place' as const),
            bytes,
            type: textAt(row, 'type') ?? 'unknown',
            redop: redop === 'none' || redop === '' ? null : redop,
            root: from === -1 ? null : from,
            timeUs,
            algbw,
            busbw,
            wrong: decimal(side, 'nwrong'),
          },
        },
      ];
    }),
  );
  const named = listAt(root, 'args')
    .slice(0, 4)
    .map((arg) => tests.exec(arg.text ?? '')?.[1])
    .find((name) => name !== undefined);
  const collective =
    named ??
    operationOf(
      rows.map(({ value }) => value),
      ranks,
    );
  for (const { value, line } of rows) sink.add('nccl.bandwidth', { collective, ...value }, line);
  const wrong = at(root, 'out_of_bounds', 'count');
  const count = numberAt(wrong);
  if (wrong !== undefined && count !== null) sink.add('nccl.wrong', count, wrong.line);
  const average = at(root, 'average_bus_bandwidth', 'bandwidth');
  const rate = decimal(average);
  if (average !== undefined && rate !== null) sink.add('nccl.average-bandwidth', rate, average.line);
  const release = at(root, 'nccl_version');
  const version = numberAt(release);
  // 22803 is 2.28.3; before 2.9 it was 2804 for 2.8.4.
  if (release !== undefined && version !== null && version >= 20_900 && version < 100_000)
    sink.add(
      'nccl.version',
      `${Math.floor(version / 10_000)}.${Math.floor(version / 100) % 100}.${version % 100}`,
      release.line,
    );
  for (const each of listAt(root, 'env').slice(0, 2000)) {
    const setting = settings.exec(each.text ?? '');
    if (setting !== null) sink.add('env', { name: setting[1]!, value: setting[2]! }, each.line);
  }
}

/** GPUs, nodes and ranks; @returns the number of ranks, null where it does not show */
function readDevices(root: Tree, sink: FactSink): number | null {
  const devices = listAt(root, 'config', 'devices');
  const [first] = devices;
  if (first === undefined) return null;
  const names = new Set<string>();
  const hosts = new Set<string>();
  const listed: number[] = [];
  for (const device of devices) {
    const name = gpuName(textAt(device, 'device_info') ?? undefined);
    if (name !== null && !names.has(name)) {
      names.add(name);
      sink.add('gpu.name', name, device.line);
    }
    const host = textAt(device, 'hostname');
    if (host !== null) hosts.add(host);
    const rank = numberAt(device, 'rank');
    if (rank !== null) listed.push(rank);
  }
  const perProcess = (numberAt(root, 'config', 'nthreads') ?? 0) * (numberAt(root, 'config', 'ngpus') ?? 0);
  if (perProcess < 1 || listed.length !== devices.length || hosts.size === 0) return null;
  const last = Math.max(...listed);
  // One device of each process, or all of them where a release lists all.
  const ranks = perProcess > 1 && listed.length === last + 1 && listed.length > 1 ? listed.length : last + perProcess;
  sink.add('nccl.ranks', ranks, first.line);
  sink.add('nccl.nodes', hosts.size, first.line);
  return ranks;
}

/** A number with or without a point; null for `nan` and whatever else is none. */
function decimal(tree: Tree | undefined, ...path: readonly string[]): number | null {
  const text = textAt(tree, ...path)?.trim() ?? '';
  return /^-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/.test(text) ? Number(text) : null;
}
