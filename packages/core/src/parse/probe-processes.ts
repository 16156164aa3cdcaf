// What running processes have of the GPU stack in their memory and open, as the probe lists it.
//
// @ maps-of-all grep -E 'libcuda|…' /proc/*/maps
// |/proc/4711/maps:7f21a4000000-7f21a4181000 r-xp 00000000 103:02 7341288 /usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15 (deleted)
// @ holder-processes ps -o pid,user,comm,cgroup
// |4711 python3 uid=1000 cgroup=0::/system.slice/slurmstepd.scope/job_991/step_0/user/task_0
import type { Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';
import { fileVersion } from './loader.ts';

const mapped =
  /^(?:\/proc\/(\d{1,9})\/maps:)?[0-9a-f]{6,16}-[0-9a-f]{6,16} r-xp [0-9a-f]{1,16} [0-9a-f]{2,4}:[0-9a-f]{2,6} \d{1,20} {1,60}(\/\S{1,1000})( \(deleted\))?$/;

export const probeProcesses: Parser = {
  id: 'processes',
  literals: [' r-xp ', ' uid='],
  keep: { before: 0, after: 0 },
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      const one = /\/proc\/(\d{1,9})\/maps$/.exec(block.command)?.[1];
      if (one !== undefined || block.command.endsWith('/proc/*/maps')) {
        for (const line of filled(block.output)) {
          const match = mapped.exec(line.clean.trimEnd());
          const pid = match?.[1] ?? one;
          if (match === null || pid === undefined) continue;
          const path = match[2]!;
          sink.add(
            'process.library',
            { pid: Number(pid), path, version: fileVersion(path) ?? null, deleted: match[3] !== undefined },
            line,
          );
        }
      } else if (block.command === 'ps -o pid,user,comm,cgroup') {
        const names: string[] = [];
        const lines = [];
        for (const line of filled(block.output)) {
          const match = /^(\d{1,9}) (.{1,40}?)(?: uid=(\d{1,9}))?(?: user=\S{1,64})?(?: cgroup=(\S{1,600}))?$/.exec(
            line.clean.trimEnd(),
          );
          if (match === null) continue;
          const group = match[4] ?? '';
          sink.add(
            'process.holder',
            {
              pid: Number(match[1]),
              name: match[2]!,
              uid: match[3] === undefined ? null : Number(match[3]),
              pod:
                /pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12})/
                  .exec(group)?.[1]
                  ?.replaceAll('_', '-') ?? null,
              job: /\/job_(\d{1,12})(?:\/|$)/.exec(group)?.[1] ?? null,
            },
            line,
          );
          if (!names.includes(match[2]!)) names.push(match[2]!);
          lines.push(line);
        }
        if (lines.length > 0) sink.add('gpu.holders', names, lines);
      }
    }
  },
};
