// The memory export service of multi-node NVLink.
//
// $ nvidia-imex-ctl -N
// Node #0   * 10.0.0.1 *   - READY       - Version: 570.133.20
// Domain State: UP
import type { Parser } from './parser.ts';

export const imex: Parser = {
  id: 'nvidia-imex-ctl',
  literals: ['domain state: ', 'node #', 'imex '],
  keep: { before: 1, after: 1 },
  parse(document, hits, sink) {
    const domain = document.lines.some((line) => /\bIMEX\b|imex|Connectivity Table/.test(line.clean));
    if (!domain) return;
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const state = /^Domain State: {1,8}([A-Z][A-Z_]{1,30})\s*$/.exec(line.clean)?.[1];
      if (state !== undefined) sink.add('fabric.imex', { what: 'domain', state }, line);
      const node = /^\s{0,8}Node #(\d{1,5})\s{1,12}[-*] ?(\S{2,60})(?: ?\*)?\s{1,12}- ([A-Z][A-Z_]{1,30})\b/.exec(
        line.clean,
      );
      if (node !== null) sink.add('fabric.imex', { what: `node ${node[2]!}`, state: node[3]! }, line);
    }
  },
};
