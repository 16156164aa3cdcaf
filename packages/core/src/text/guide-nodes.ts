import type { Line } from '../model/document.ts';

// Logs of a whole cluster: what the kernel of a node says that is not of the job has not ended the job.

const listed =
  /\b(?:nodes?|node ?list|hosts?|SLURM_(?:JOB_|STEP_)?NODELIST)(?: ?[=:] ?| )["']?([a-z][\w.-]{0,60}\[[\d,-]{1,120}\](?:,[a-z][\w.[\]-]{0,80}){0,8}|[a-z][\w.-]{0,60}\d(?:,[a-z][\w.-]{0,60}\d){1,60})(?=["'\s]|$)/i;
const announces = /\b(?:srun|sbatch|salloc|job|slurm|nodelist|allocated|launch)/i;
const most = 4096;

/** The names of a list such as `gpu-[01-03,07],login1`; null where it cannot be read. */
export function nodesOf(list: string): ReadonlySet<string> | null {
  const names = new Set<string>();
  for (const part of list.match(/[^,[\]]+(?:\[[^\]]*\])?/g) ?? []) {
    const match = /^([^[]+)\[([\d,-]+)\]$/.exec(part);
    if (match === null) {
      names.add(part.toLowerCase());
      continue;
    }
    for (const range of match[2]!.split(',')) {
      const [from, to = from] = range.split('-') as [string, string?];
      const width = from.length;
      if (!/^\d{1,6}$/.test(from) || to === undefined || !/^\d{1,6}$/.test(to)) return null;
      for (let number = Number(from); number <= Number(to); number++) {
        if (names.size >= most) return null;
        names.add(`${match[1]!}${String(number).padStart(width, '0')}`.toLowerCase());
      }
    }
  }
  return names.size === 0 ? null : names;
}

/** Marks the kernel's lines of nodes that the job's own list of nodes does not hold. */
export function foreignNodes(lines: readonly Line[], mark: (index: number) => void): void {
  const kernel = lines.filter((line) => line.origin.host !== undefined && line.origin.unit === 'kernel');
  if (kernel.length === 0) return;
  const job = new Set<string>();
  for (const line of lines) {
    if (line.clean.length > 400 || !announces.test(line.clean)) continue;
    const list = listed.exec(line.clean)?.[1];
    const nodes = list === undefined ? null : nodesOf(list);
    if (nodes !== null) for (const each of nodes) job.add(each);
  }
  if (job.size === 0) return;
  const short = new Set([...job].map((name) => name.split('.')[0]!));
  const strangers = new Set<string>();
  for (const line of kernel) {
    const host = line.origin.host!.toLowerCase();
    if (!job.has(host) && !short.has(host.split('.')[0]!)) strangers.add(host);
  }
  const meant = meantHosts(lines, [...strangers]);
  for (const line of kernel) {
    const host = line.origin.host!.toLowerCase();
    if (strangers.has(host) && !meant.has(host)) mark(line.index);
  }
}

const mostStrangers = 16;
const speaksOfNode = /\bnode\b/i;

/** Hosts that somebody asked by name, or that a scheduler speaks of as a node: they belong to the matter. */
function meantHosts(lines: readonly Line[], hosts: readonly string[]): ReadonlySet<string> {
  const meant = new Set<string>();
  if (hosts.length === 0 || hosts.length > mostStrangers) return meant;
  for (const line of lines) {
    if (line.origin.unit === 'kernel' || (!line.prompt && !speaksOfNode.test(line.clean))) continue;
    const words = (line.prompt ? (line.command ?? '') : line.clean).slice(0, 400).toLowerCase();
    for (const host of hosts) {
      const at = words.indexOf(host);
      if (at >= 0 && !/[\w.-]/.test(words.charAt(at - 1)) && !/[\w-]/.test(words.charAt(at + host.length)))
        meant.add(host);
    }
  }
  return meant;
}
