import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { cells } from './kernel-profile.ts';

/*
 * nsys stats --report cuda_gpu_trace:
 *  Start (ns)     Duration (ns)  Bytes (MB)  SrcMemKd  DstMemKd  Strm  Name
 *  1,000,012,004      2,611,310      67.109  Pinned    Device      13  [CUDA memcpy Host-to-Device]
 *  1,002,630,400      3,010,220                                    13  filter(float *)
 * nsys stats --report cuda_gpu_kern_sum:
 *  Time (%)  Total Time (ns)  Instances  …  Name
 *      71.2      812,334,110     40,960  …  ampere_sgemm_128x64_tn
 */

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly kind: 'copy' | 'nccl' | 'kernel';
  readonly pinned: boolean;
  readonly line: Line;
}

export const traceOverlap: Parser = {
  id: 'cuda-gpu-trace',
  literals: ['duration (ns)', 'duration (us)', 'duration,'],
  keep: { before: 1, after: 200 },
  parse(document, hits, sink) {
    for (const head of hits.slice(0, 20)) {
      if (head.prompt || head.told || !/^\s{0,4}"?Start\b/i.test(head.clean)) continue;
      const pieces = piecesBelow(document, head);
      report('copies', pieces, sink);
      report('nccl', pieces, sink);
    }
  },
};

function piecesBelow(document: Document, head: Line): readonly Piece[] {
  const csv = head.clean.includes(',') && !head.clean.includes('  ');
  const pieces: Piece[] = [];
  for (const line of document.lines.slice(head.index + 1, head.index + 20_001)) {
    if (line.prompt) break;
    if (/^\s{0,8}-{3,}/.test(line.clean) || line.clean.trim() === '') continue;
    const row = csv ? cells(line.clean) : line.clean.trim().split(/\s{2,}/);
    const from = numberOf(row[0]);
    const duration = numberOf(row[1]);
    const name = (row.at(-1) ?? '').trim();
    if (from === null || duration === null || row.length < 3) break;
    const copy = /^\[CUDA memcpy (?:Host-to-Device|Device-to-Host|HtoD|DtoH)\]/.test(name);
    if (!copy && name.startsWith('[CUDA')) continue;
    const kind = copy ? 'copy' : /^nccl\w{0,4}(?:Dev)?Kernel|^nccl/i.test(name) ? 'nccl' : 'kernel';
    pieces.push({ from, to: from + duration, kind, pinned: /\bPinned\b/.test(line.clean), line });
  }
  return pieces;
}

function numberOf(text: string | undefined): number | null {
  const value = Number((text ?? '').replaceAll(',', '').trim());
  return text === undefined || text.trim() === '' || !Number.isFinite(value) ? null : value;
}

function report(what: 'copies' | 'nccl', pieces: readonly Piece[], sink: FactSink): void {
  const own = pieces.filter((piece) => piece.kind === (what === 'copies' ? 'copy' : 'nccl'));
  const kernels = pieces.filter((piece) => piece.kind === 'kernel').sort((a, b) => a.from - b.from);
  if (own.length === 0 || kernels.length === 0) return;
  const busy = merged(kernels);
  const totalNs = own.reduce((sum, piece) => sum + piece.to - piece.from, 0);
  const hiddenNs = [...own].reduce((sum, piece) => sum + under(piece, busy), 0);
  sink.add(
    'profile.overlap',
    {
      what,
      count: own.length,
      totalNs,
      hiddenNs,
      kernels: kernels.length,
      kernelsNs: kernels.reduce((sum, piece) => sum + piece.to - piece.from, 0),
      pinned: own.every((piece) => piece.pinned),
    },
    [own[0]!.line, kernels[0]!.line],
  );
}

interface Stretch {
  readonly from: number;
  to: number;
}

function merged(kernels: readonly Piece[]): readonly Stretch[] {
  const busy: Stretch[] = [];
  for (const kernel of kernels) {
    const last = busy.at(-1);
    if (last !== undefined && kernel.from <= last.to) last.to = Math.max(last.to, kernel.to);
    else busy.push({ from: kernel.from, to: kernel.to });
  }
  return busy;
}

/** How much of a piece lies under busy stretches, which are in order and apart. */
function under(piece: Piece, busy: readonly Stretch[]): number {
  let low = 0;
  let high = busy.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (busy[middle]!.to <= piece.from) low = middle + 1;
    else high = middle;
  }
  let sum = 0;
  for (let at = low; at < busy.length && busy[at]!.from < piece.to; at++)
    sum += Math.min(piece.to, busy[at]!.to) - Math.max(piece.from, busy[at]!.from);
  return sum;
}

/** Share of the kernels' time that matrix products on the ordinary cores take, in a summary of kernels. */
export const plainProducts: Parser = {
  id: 'cuda-gpu-kern-sum',
  literals: ['sgemm', 'gemv2t', 'ffma'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    let share = 0;
    const proof: Line[] = [];
    for (const line of hits.slice(0, 200)) {
      if (line.prompt || line.told) continue;
      const match =
        /^\s{0,12}"?(\d{1,3}(?:\.\d{1,2})?) {0,2}%?,?\s.{0,300}\b(?:ampere|volta|turing|hopper|maxwell|cutlass\w{0,24}?_simt)_?\w{0,12}sgemm_/.exec(
          line.clean.slice(0, 600),
        );
      if (match === null) continue;
      share += Number(match[1]);
      if (proof.length < 2) proof.push(line);
    }
    if (proof.length > 0 && share <= 100)
      sink.add('profile.metric', { name: 'plain-products-share', value: share, kernel: null }, proof);
  },
};
