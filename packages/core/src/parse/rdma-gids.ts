// The table of addresses (GIDs) of RDMA cards.
//
// $ show_gids mlx5_0
// DEV     PORT    INDEX   GID                                     IPv4            VER     DEV
// mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a0a:0103 10.10.1.3       v2      eth2
// $ cat /sys/class/infiniband/mlx5_0/ports/1/gids/7
// 0000:0000:0000:0000:0000:0000:0000:0000
// $ ibv_devinfo -v
// hca_id: mlx5_0
//                         GID[  3]:               ::ffff:10.10.1.3, RoCE v2
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';

const row =
  /^([a-z][\w.-]{2,30})\s{1,12}(\d{1,2})\s{1,12}(\d{1,3})\s{1,12}([0-9a-f:]{2,45}(?:\.\d{1,3}){0,3})\s{1,40}(?:(\d{1,3}(?:\.\d{1,3}){3})\s{1,20})?(v[12])\b/i;
const place = /\/sys\/class\/infiniband\/([\w.-]{2,40})\/ports\/(\d{1,2})\/gids\/(\d{1,3})\b/;
const bare = /^[0-9a-f]{4}(?::[0-9a-f]{4}){7}$/i;

/** The IPv4 address that a GID stands for; null where it stands for none. */
function mapped(gid: string): string | null {
  const written = /::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(gid)?.[1];
  if (written !== undefined) return written;
  const parts = /^(?:0000:){5}ffff:([0-9a-f]{2})([0-9a-f]{2}):([0-9a-f]{2})([0-9a-f]{2})$/i.exec(gid);
  return parts === null
    ? null
    : parts
        .slice(1)
        .map((part) => Number.parseInt(part, 16))
        .join('.');
}

function add(
  device: string,
  port: number,
  index: number,
  gid: string,
  version: string | null,
  line: Line | readonly Line[],
  sink: FactSink,
): void {
  sink.add(
    'rdma.gid',
    { device, port, index, gid: gid.toLowerCase(), ipv4: mapped(gid), empty: /^[0:]+$/.test(gid), version },
    line,
  );
}

export const rdmaGids: Parser = {
  id: 'rdma-gids',
  literals: ['mlx5_', 'mlx4_', 'bnxt_re', 'roce', 'irdma', 'rocep', '/gids/', 'gid['],
  keep: { before: 1, after: 1 },
  parse(document, hits, sink) {
    let device: string | null = null;
    for (const line of hits.slice(0, 2000)) {
      if (line.prompt || line.told) continue;
      const text = line.clean;
      device = /^hca_id:\s{1,12}([\w.-]{2,40})/.exec(text)?.[1] ?? device;
      const match = row.exec(text);
      if (match !== null) {
        add(match[1]!, Number(match[2]), Number(match[3]), match[4]!, match[6]!.toLowerCase(), line, sink);
        continue;
      }
      // grep names the file before each value.
      const file = place.exec(text);
      const value = file === null ? undefined : /:([0-9a-f]{4}(?::[0-9a-f]{4}){7})\s{0,4}$/i.exec(text)?.[1];
      if (file !== null && value !== undefined) {
        add(file[1]!, Number(file[2]), Number(file[3]), value, null, line, sink);
        continue;
      }
      const listed =
        /^\s{1,40}GID\[\s{0,4}(\d{1,3})\]:\s{1,20}([0-9a-f:.]{2,45})(?:, (?:RoCE|IB\/RoCE|IB) (v[12]))?/i.exec(text);
      if (listed !== null)
        add(device ?? '', 1, Number(listed[1]), listed[2]!, listed[3]?.toLowerCase() ?? null, line, sink);
    }
    for (const block of blocksOf(document)) {
      const file = place.exec(block.command);
      const line = filled(block.output)[0];
      if (
        file !== null &&
        line !== undefined &&
        /^(?:cat|head|more|less)\b/.test(block.command) &&
        bare.test(line.clean.trim())
      )
        add(file[1]!, Number(file[2]), Number(file[3]), line.clean.trim(), null, [block.prompt, line], sink);
    }
  },
};
