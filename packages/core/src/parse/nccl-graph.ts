// What NCCL_DEBUG=INFO tells of the graph that NCCL laid out, rank by rank.
//
// n1:4120:4188 [0] NCCL INFO NET/Plugin: Loaded net plugin AWS Libfabric (v8)
// n1:4120:4188 [0] NCCL INFO NET/Plugin: No plugin found (libnccl-net.so)
// n1:4120:4188 [0] NCCL INFO NET/IB : Made virtual device [0] name=mlx5_0 speed=400000 ndevs=1
// n1:4120:4188 [0] NCCL INFO NVLS multicast support is available on dev 0
// n1:4120:4188 [0] NCCL INFO comm 0x55d1c2a0 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0
// n1:4120:4188 [0] NCCL INFO Channel 00/24 :    0   7   6   5   4   3   2   1
// n1:4120:4188 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->7
// n1:4120:4188 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read
// n1:4120:4188 [0] NCCL INFO Channel 02/0 : 7[7] -> 8[0] [send] via NET/IB/2/GDRDMA
// n1:4120:4188 [0] NCCL INFO 24 coll channels, 16 nvls channels, 32 p2p channels, 32 p2p channels per peer
// Sources: src/init.cc, src/graph, src/transport of NCCL, 2.7 to 2.30.
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';

const sends =
  /\bChannel \d{1,3}(?:\/\d{1,3})? {0,2}: (\d{1,6})\[\w{1,8}\] -> \d{1,6}\[\w{1,8}\](?: \[(send|receive)\])? via ([A-Za-z][\w/ .-]{0,60})/;
const ring = /\bChannel \d{1,3}\/(\d{1,3}) {0,2}: {1,8}\d{1,6}(?: {1,8}\d{1,6}){0,2}/;
const plugin = /\bNET\/Plugin ?: Loaded net plugin ([\w ./-]{1,60}?) ?(?:\(v\d{1,3}\)|$)/;
const ofi = /\bNET\/OFI (?:Initializing|Using) aws-ofi-nccl ([\w.-]{1,40})/;
const noPlugin =
  /\bNET\/Plugin ?: (?:No plugin found|Could not find: |Plugin load \([^()]{0,200}\) returned \d)|\bNo plugin found \(libnccl-net/;
const channels =
  /\b(\d{1,3}) coll channels(?:, (\d{1,3}) collnet channels)?(?:, (\d{1,3}) nvls channels)?(?:, (\d{1,3}) p2p channels)?/;
const ranks = /\b[nN][rR]anks (\d{1,7})\b/;
const nodes = /\bnNodes (\d{1,6})\b/;
const nvls = /\bNVLS multicast support is (not )?available on dev/;
const adapter = /\bNET\/IB ?: Made virtual device \[\d{1,3}\] name=([\w.+-]{1,80}) speed=(\d{3,8})\b/;
const mostRanks = 256;

interface Paths {
  readonly via: Set<string>;
  network: number;
  gdr: number;
  readonly lines: Line[];
}

export const ncclGraph: Parser = {
  id: 'nccl-graph',
  literals: [
    'nccl info channel',
    'nccl info trees',
    'net/plugin',
    'net/ofi',
    'coll channels',
    ' nranks ',
    'nvls multicast',
    'made virtual device',
  ],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    const paths = new Map<number, Paths>();
    const largest: Record<'nccl.ranks' | 'nccl.nodes', { value: number; line: Line } | null> = {
      'nccl.ranks': null,
      'nccl.nodes': null,
    };
    const note = (id: 'nccl.ranks' | 'nccl.nodes', text: string | undefined, line: Line): void => {
      const value = Number(text);
      if (text !== undefined && value > (largest[id]?.value ?? 0)) largest[id] = { value, line };
    };
    let rings: { count: number; line: Line } | null = null;
    let trees: { count: number; line: Line } | null = null;
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean;
      const send = sends.exec(text);
      if (send !== null) {
        addPath(paths, send, line);
        continue;
      }
      const ringOf = ring.exec(text);
      if (ringOf !== null && Number(ringOf[1]) > (rings?.count ?? 0)) rings = { count: Number(ringOf[1]), line };
      if (text.includes('NCCL INFO Trees [')) {
        const count = text.slice(text.indexOf('Trees [')).split('[').length - 1;
        if (count > (trees?.count ?? 0)) trees = { count, line };
      }
      note('nccl.ranks', ranks.exec(text)?.[1], line);
      note('nccl.nodes', nodes.exec(text)?.[1], line);
      readSettings(text, line, sink);
    }
    for (const id of ['nccl.ranks', 'nccl.nodes'] as const) {
      const found = largest[id];
      if (found !== null) sink.add(id, found.value, found.line);
    }
    if (rings !== null) sink.add('nccl.graph', { kind: 'ring', count: rings.count }, rings.line);
    if (trees !== null) sink.add('nccl.graph', { kind: 'tree', count: trees.count }, trees.line);
    for (const [rank, path] of paths) {
      const via = [...path.via].sort();
      sink.add('nccl.rank-path', { rank, via, network: path.network, gdr: path.gdr }, path.lines);
    }
  },
};

function addPath(paths: Map<number, Paths>, match: RegExpExecArray, line: Line): void {
  // A receiving end prints the same pair again.
  if (match[2] === 'receive') return;
  const rank = Number(match[1]);
  let path = paths.get(rank);
  if (path === undefined) {
    if (paths.size >= mostRanks) return;
    paths.set(rank, (path = { via: new Set(), network: 0, gdr: 0, lines: [] }));
  }
  const words = match[3]!.trim();
  const name = words.replace(/^(NET\/[^/]{1,40})\/\d{1,4}/, '$1').replace(/\/Shared$/, '');
  if (path.via.size < 8 && !path.via.has(name)) {
    path.via.add(name);
    path.lines.push(line);
  }
  if (words.startsWith('NET/')) {
    path.network++;
    if (words.includes('GDRDMA')) path.gdr++;
  }
}

function readSettings(text: string, line: Line, sink: FactSink): void {
  const loaded = plugin.exec(text) ?? ofi.exec(text);
  if (loaded !== null)
    sink.add('nccl.plugin', text.includes('NET/OFI') ? `aws-ofi-nccl ${loaded[1]!}` : loaded[1]!, line);
  else if (noPlugin.test(text)) sink.add('nccl.plugin', 'none', line);
  const multicast = nvls.exec(text);
  if (multicast !== null) sink.add('nccl.nvls', multicast[1] === undefined ? 'available' : 'not available', line);
  const made = adapter.exec(text);
  if (made !== null) sink.add('nccl.adapter', { name: made[1]!, gigabitsPerSecond: Number(made[2]) / 1000 }, line);
  const count = channels.exec(text);
  if (count !== null) {
    const number = (at: number): number | null => (count[at] === undefined ? null : Number(count[at]));
    sink.add('nccl.channels', { collective: Number(count[1]), nvls: number(3), p2p: number(4) }, line);
  }
}
