// Matrices of p2pBandwidthLatencyTest (CUDA samples).
//
// Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)
//    D\D     0      1
//      0 673.20  20.15
//      1  19.99 673.20
// Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
//    D\D     0      1
//      0 673.49   2.60
//      1   2.12 672.33
// P2P=Enabled Latency (P2P Writes) Matrix (us)
import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';

const heading = /P2P=(Enabled|Disabled) (Bandwidth|Latency)\b.{0,40}Matrix \((GB\/s|us)\)/;
const row = /^\s{0,12}\d{1,3}((?:\s{1,16}\d{1,9}\.\d{1,4}){2,32})\s*$/;
/** A direct copy that takes this many microseconds does not go directly. */
const slowLatency = 1000;

interface Matrix {
  readonly enabled: boolean;
  readonly kind: string;
  readonly cells: number[];
  readonly lines: Line[];
}

/** Peer traffic that is slower than the way through the host, or takes a thousand times as long: `said.p2p-symptom`. */
export const peerMatrix: Parser = {
  id: 'p2p-bandwidth-latency',
  literals: ['p2p=enabled', 'p2p=disabled'],
  keep: { before: 0, after: 20 },
  parse(document, hits, sink) {
    const matrices: Matrix[] = [];
    for (const hit of hits) {
      const match = heading.exec(hit.clean);
      if (match === null || hit.prompt || hit.scope === 'after-fix') continue;
      const cells: number[] = [];
      const lines: Line[] = [hit];
      for (let at = hit.index + 1, r = 0; at < hit.index + 36; at++) {
        const line = document.lines[at];
        if (line === undefined) break;
        if (/\b[DG]\w{0,3}\\?D?\s{1,10}0\b/.test(line.clean) || /^\s{1,8}(?:GPU|CPU)\b/.test(line.clean)) continue;
        const values = row.exec(line.clean)?.[1]?.trim().split(/\s+/).map(Number);
        if (values === undefined) break;
        values.forEach((value, column) => {
          if (column !== r) cells.push(value);
        });
        lines.push(line);
        r++;
      }
      if (cells.length > 0) matrices.push({ enabled: match[1] === 'Enabled', kind: match[2]!, cells, lines });
    }
    const least = (matrix: Matrix): number => Math.min(...matrix.cells);
    const slow = matrices.find(
      (each) => each.enabled && each.kind === 'Latency' && Math.max(...each.cells) >= slowLatency,
    );
    const direct = matrices.find((each) => each.enabled && each.kind === 'Bandwidth');
    const through = matrices.find((each) => !each.enabled && each.kind === 'Bandwidth');
    const worse = direct !== undefined && through !== undefined && least(direct) < least(through) / 2;
    const shown = worse ? direct : slow;
    if (shown !== undefined)
      sink.add(
        'said.p2p-symptom',
        { signature: 'p2p-symptom', captures: { measured: worse ? 'bandwidth' : 'latency' }, count: 1 },
        shown.lines.slice(0, 4),
      );
  },
};

const perfCommand = /\bib_(?:write|read|send)_bw\b/;
const perfRow =
  /^\s{0,8}\d{1,9}\s{1,12}\d{1,9}\s{1,16}\d{1,4}\.\d{1,4}\s{1,16}(\d{1,4}\.\d{1,4})\s{1,16}\d{1,4}\.\d{1,8}\s*$/;

/** perftest run with GPU memory and with host memory: the GPU's part is much slower. `said.gdr-symptom`. */
export const perftest: Parser = {
  id: 'perftest',
  literals: ['ib_write_bw', 'ib_read_bw', 'ib_send_bw'],
  keep: { before: 0, after: 30 },
  parse(document, _hits, sink) {
    let gpu: { readonly rate: number; readonly line: Line } | null = null;
    let host: { readonly rate: number; readonly line: Line } | null = null;
    for (const block of blocksOf(document)) {
      if (!perfCommand.test(block.command) || block.prompt.scope === 'after-fix') continue;
      let best: { readonly rate: number; readonly line: Line } | null = null;
      for (const line of filled(block.output)) {
        const rate = perfRow.exec(line.clean)?.[1];
        if (rate !== undefined && (best === null || Number(rate) > best.rate)) best = { rate: Number(rate), line };
      }
      if (best === null) continue;
      if (/--use_cuda/.test(block.command)) gpu = best;
      else host = best;
    }
    if (gpu === null || host === null || gpu.rate >= host.rate * 0.6) return;
    sink.add('said.gdr-symptom', { signature: 'gdr-symptom', captures: { measured: 'bandwidth' }, count: 1 }, [
      gpu.line,
      host.line,
    ]);
  },
};
