import type { Document, Line } from '../model/document.ts';

/** Who printed a line: a rank of a distributed job, a node, a pod or an actor, as far as the text tells. */
export interface Speaker {
  readonly rank?: number;
  readonly host?: string;
  readonly pid?: number;
  readonly unit?: string;
}

/** Marks inside a message that stay where they are, since signatures use them. */
const inner = {
  // [Rank 3], [PG ID 0 PG GUID 0(default_pg) Rank 3], [rank: 3] of Lightning
  rank: /^(?:\[[EWIF]\d{0,4} ?[\d:. ]{0,24}\S{1,60}\] ?)?\[(?:PG [^\]]{0,80}?)?[Rr]ank:? ?(\d{1,6})\]/,
  // node1:410:460 [3] NCCL INFO …
  nccl: /^([A-Za-z0-9][\w.-]{0,63}):(\d{1,9}):\d{1,9} \[(\d{1,3})\] /,
} as const;

/** Files of one rank: attempt_0/3/stderr.log of torchrun's log folder, rank_3.log, worker-3.err, job.4711.task3.out, out.rank12 */
const filePatterns: readonly RegExp[] = [
  /(?:^|[/\\])attempt_\d{1,4}[/\\](\d{1,6})[/\\](?:stderr|stdout|error)\.\w{1,8}$/,
  /(?:^|[^a-z])(?:rank|task|proc|worker)[-_.=]?0{0,6}(\d{1,6})(?=$|[^\d])/i,
];

/** The rank that a file's name tells; torchrun's folders number the ranks of one node. */
export function rankOfFile(file: string | null): number | undefined {
  if (file === null || file === '-') return undefined;
  for (const pattern of filePatterns) {
    const match = pattern.exec(file);
    if (match !== null) return Number(match[1]);
  }
  return undefined;
}

/** The node that a file's name tells: `gn07.log`, `logs/node-12.err`. */
export function hostOfFile(file: string | null): string | undefined {
  if (file === null) return undefined;
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  return /^(?:dmesg|journal|syslog|kern|messages)?[-_.]?((?:node|host|gn|gpu|dgx|hgx|worker-node|cn|n|compute|ip)[a-z]{0,12}[-_]?\d[\w-]{0,40})\.(?:log|err|out|txt|dmesg|json)$/i.exec(
    name,
  )?.[1];
}

/** Who printed a line, by its prefixes, its own marks and the name of its file. */
export function speakerOf(document: Document, line: Line): Speaker {
  const { origin, clean } = line;
  let { rank, host, pid } = origin;
  const own = /[Rr]ank/.test(clean.slice(0, 120)) ? inner.rank.exec(clean) : null;
  // What the program says of itself outranks the number that a launcher gave the process on its node.
  if (own !== null) rank = Number(own[1]);
  const nccl = clean.includes(' NCCL ') ? inner.nccl.exec(clean) : null;
  if (nccl !== null) {
    host ??= nccl[1]!;
    pid ??= Number(nccl[2]);
  }
  rank ??= rankOfFile(document.file);
  host ??= hostOfFile(document.file);
  return {
    ...(rank === undefined ? {} : { rank }),
    ...(host === undefined ? {} : { host }),
    ...(pid === undefined ? {} : { pid }),
    ...(origin.unit === undefined || origin.unit === 'kernel' ? {} : { unit: origin.unit }),
  };
}

/** A key for the stream of one process within a document. */
export function streamOf(line: Line): string {
  const { rank, host, pid, unit } = line.origin;
  if (rank === undefined && unit === undefined && host === undefined) return '';
  return `${rank ?? ''}|${unit ?? ''}|${unit === undefined ? '' : (pid ?? '')}|${host ?? ''}`;
}
