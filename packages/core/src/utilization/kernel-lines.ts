import type { KernelEvent } from './beside.ts';
import { logTime } from './times.ts';

// Lines of the kernel log and of lists of processes, as they stand beside series:
//   [Tue Mar 11 07:52:38 2025] NVRM: Xid (PCI:0000:41:00 GPU-I:05): 94, pid=61027, name=python3, Contained: …
//   4711 python3 uid=1000 user=alice cgroup=0::/system.slice/slurmstepd.scope/job_991/step_0

const xid =
  /NVRM: Xid \((?:PCI:)?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?:\.\d)?(?: GPU-I:\d{1,3})?(?: GPU-CI:\d{1,3})?\): (\d{1,4})(?:, pid='?(\d{1,10})?[^,]{0,40})?(?:, name=([^,]{1,80}))?/i;

/** An Xid of a line; null where it has none. */
export function kernelEvent(text: string): (Omit<KernelEvent, 'gpu' | 'place'> & { readonly bus: string }) | null {
  const match = xid.exec(text.slice(0, 2000));
  if (match === null) return null;
  const name = match[4]?.trim() ?? '';
  return {
    bus: match[1]!,
    xid: Number(match[2]),
    time: logTime(text),
    pid: match[3] === undefined ? null : Number(match[3]),
    name: name === '' || /^<?unknown>?$/.test(name) ? null : name,
  };
}

/** Whose a process is, as the probe and a sampling list it; null where the line is another. */
export function processOwner(
  text: string,
): { readonly pid: number; readonly user: string | null; readonly job: string | null } | null {
  const match = /^\s{0,8}(\d{1,9}) .{1,40}? uid=(\d{1,9})(?: user=(\S{1,64}))?(?: cgroup=(\S{1,600}))?\s*$/.exec(text);
  if (match === null) return null;
  const group = match[4] ?? '';
  const slurm = /\/job_(\d{1,12})(?:\/|$)/.exec(group)?.[1];
  const pod = /pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12})/.exec(group)?.[1];
  const box = /(?:docker|libpod|containerd)[-/](?:[\w-]{1,20}\/)?([0-9a-f]{12})[0-9a-f]{52}/.exec(group)?.[1];
  return {
    pid: Number(match[1]),
    user: match[3] ?? `uid ${match[2]!}`,
    job:
      slurm !== undefined
        ? `job ${slurm}`
        : pod !== undefined
          ? `pod ${pod.replaceAll('_', '-')}`
          : box === undefined
            ? null
            : `container ${box}`,
  };
}
