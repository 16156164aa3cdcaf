// Where the ranks of a job stand, as the watchdog of PyTorch's NCCL backend tells when one has waited too long.
//
// [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1234, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.
// [PG 0 (default_pg) Rank 3] Timeout at NCCL work: 1234, last enqueued NCCL work: 1236, last completed NCCL work: 1233.
// [PG ID 0 PG GUID 0(default_pg) Rank 3]  failure detected by watchdog at work sequence id: 1234 PG status: last enqueued work: 1236, last completed work: 1233
// node1:410:460 [0] NCCL INFO comm 0x5591c0 rank 3 nranks 64 cudaDev 3 nvmlDev 3 busId 5d000 commId 0x1 - Init START
import type { JobCollective } from '../model/facts.ts';
import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';

const timeout =
  /\[Rank (\d{1,6})\] Watchdog caught collective operation timeout: WorkNCCL\(SeqNum=(\d{1,15}), OpType=(\w{1,40}),/;
const status =
  /\[(?:PG (?:ID )?(\d{1,6})[^\]]{0,80}? )?Rank (\d{1,6})\] {1,2}(?:Timeout at NCCL work: \d{1,15}|Exception \(either an error or timeout\) detected by watchdog at work: \d{1,15}|failure detected by watchdog at work sequence id: \d{1,15}|Received a dump signal due to a collective timeout from .{1,60}? debug info).{0,20}?[Ll]ast enqueued (?:\w{2,12} )?work: (-?\d{1,15}), last completed (?:\w{2,12} )?work: (-?\d{1,15})/;
const size =
  /\bnranks (\d{1,6})\b|\bworld[_ ]size[=: ]{1,3}(\d{1,6})\b|\bTORCHELASTIC_\w{1,20} .{0,40}world_size=(\d{1,6})|\bwith (\d{1,6}) processes\b/i;
const joined = /\b(\d{1,6})\/(\d{1,6}) clients joined\b/;

interface Stand {
  value: Omit<JobCollective, 'ranks'>;
  ranks: Set<number>;
  lines: Line[];
}

const mostStands = 64;
const mostLines = 6;

export const collectives: Parser = {
  id: 'collective',
  literals: [
    'collective operation',
    'last enqueued',
    ' nranks ',
    'world_size',
    'world size',
    'processes',
    'clients joined',
  ],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    const stands = new Map<string, Stand>();
    let world: { readonly ranks: number; readonly line: Line } | undefined;
    const note = (value: Stand['value'], rank: number, line: Line): void => {
      const key = JSON.stringify(value);
      let stand = stands.get(key);
      if (stand === undefined) {
        if (stands.size >= mostStands) return;
        stands.set(key, (stand = { value, ranks: new Set(), lines: [] }));
      }
      if (!stand.ranks.has(rank) && stand.lines.length < mostLines) stand.lines.push(line);
      stand.ranks.add(rank);
    };
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean;
      const waited = timeout.exec(text);
      if (waited !== null) {
        const [, rank, sequence, operation] = waited;
        note({ kind: 'waits', group: null, sequence: Number(sequence), operation: operation! }, Number(rank), line);
        continue;
      }
      const stands = status.exec(text);
      if (stands !== null) {
        note(
          { kind: 'enqueued', group: stands[1] ?? null, sequence: Number(stands[3]), operation: null },
          Number(stands[2]),
          line,
        );
        continue;
      }
      const clients = joined.exec(text);
      const counted =
        clients?.[2] ??
        size
          .exec(text)
          ?.slice(1)
          .find((each) => each !== undefined);
      const ranks = Number(counted ?? 0);
      if (ranks > 1 && ranks > (world?.ranks ?? 0)) world = { ranks, line };
    }
    for (const { value, ranks, lines } of stands.values())
      sink.add('job.collective', { ...value, ranks: [...ranks].sort((a, b) => a - b) }, lines);
    if (world !== undefined) sink.add('job.size', world.ranks, world.line);
  },
};
