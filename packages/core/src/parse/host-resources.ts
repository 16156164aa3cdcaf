// What the host has to give: huge pages, room on file systems, the limit of locked memory, names of hosts, and the
// processors that a process may run on.
//
// $ grep -i huge /proc/meminfo
// HugePages_Total:    1024
// HugePages_Free:      900
// Hugepagesize:       2048 kB
// $ df -h /scratch
// Filesystem      Size  Used Avail Use% Mounted on
// /dev/nvme1n1    3.5T  3.5T     0 100% /scratch
// $ ulimit -l
// unlimited
// $ getent hosts node7
// 127.0.1.1       node7.cluster node7
// $ taskset -cp 4711
// pid 4711's current affinity list: 0-55,112-167
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';

export const hugePages: Parser = {
  id: 'meminfo-hugepages',
  literals: ['hugepages_total'],
  keep: { before: 0, after: 6 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      if (hit.told || hit.prompt) continue;
      const total = /^(?:Node \d{1,4} )?HugePages_Total:\s{1,20}(\d{1,12})\s{0,4}$/.exec(hit.clean.trim());
      if (total === null) continue;
      const near = document.lines.slice(hit.index + 1, hit.index + 7);
      const of = (name: string): { value: number; line: Line } | null => {
        for (const line of near) {
          const match = /^(?:Node \d{1,4} )?(\w{1,20}):\s{1,20}(\d{1,12})(?: kB)?\s{0,4}$/.exec(line.clean.trim());
          if (match?.[1] === name) return { value: Number(match[2]), line };
        }
        return null;
      };
      const free = of('HugePages_Free');
      const size = of('Hugepagesize');
      sink.add('os.hugepages', { total: Number(total[1]), free: free?.value ?? null, sizeKiB: size?.value ?? null }, [
        hit,
        ...(free === null ? [] : [free.line]),
      ]);
    }
  },
};

export const fileSystems: Parser = {
  id: 'df',
  literals: ['mounted on', 'df -', 'df /'],
  keep: { before: 0, after: 40 },
  parse(document, hits, sink) {
    const done = new Set<number>();
    for (const hit of hits) {
      const first = hit.index + 1;
      for (const line of document.lines.slice(first, first + 40)) {
        if (line.prompt || line.told || done.has(line.index)) break;
        done.add(line.index);
        const match = /(?:^|\s)(\d{1,3})% {1,8}(\/\S{0,200})\s{0,4}$/.exec(line.clean);
        if (match !== null) sink.add('fs.usage', { mount: match[2]!, usedPercent: Number(match[1]) }, line);
      }
    }
  },
};

export const lockedMemory: Parser = {
  id: 'memlock',
  literals: ['ulimit -l', 'max locked memory', 'limitmemlock='],
  keep: { before: 0, after: 1 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.told || line.prompt) continue;
      const text = line.clean.trim();
      if (
        /^max locked memory {1,20}\(kbytes, -l\) unlimited$/i.test(text) ||
        /^Max locked memory {1,20}unlimited {1,20}\S{1,20}/.test(text) ||
        /^LimitMEMLOCK=infinity$/i.test(text)
      )
        sink.add('os.memlock-unlimited', true, line);
    }
    for (const block of blocksOf(document)) {
      if (!/\bulimit -[SH]?l\b/.test(block.command)) continue;
      const line = filled(block.output).find((each) => each.clean.trim() === 'unlimited');
      if (line !== undefined) sink.add('os.memlock-unlimited', true, line);
    }
  },
};

export const hostAddresses: Parser = {
  id: 'hosts',
  literals: ['getent hosts', 'getent ahosts', '/etc/hosts', 'hostname -i', '127.0.1.1'],
  keep: { before: 0, after: 8 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      readHost(line, sink);
    }
    for (const block of blocksOf(document)) {
      if (/\bgetent a?hosts\b|\bcat \/etc\/hosts\b|\bgrep\b.{1,80}\/etc\/hosts\b/.test(block.command))
        for (const line of filled(block.output)) readHost(line, sink);
      else if (/\bhostname -i\b/.test(block.command)) {
        for (const line of filled(block.output)) {
          const address = line.clean.trim().split(/\s/, 1)[0] ?? '';
          if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) sink.add('host.address', { name: null, address }, line);
        }
      }
    }
  },
};

function readHost(line: Line, sink: FactSink): void {
  const match = /^(\d{1,3}(?:\.\d{1,3}){3})\s{1,40}([A-Za-z][\w.-]{0,80})/.exec(line.clean.trim());
  if (match !== null && !/^(?:localhost|STREAM|DGRAM|RAW)/i.test(match[2]!))
    sink.add('host.address', { name: match[2]!, address: match[1]! }, line);
}

export const processCpus: Parser = {
  id: 'process-cpus',
  literals: ['affinity list:', 'cpus_allowed_list', 'physcpubind:'],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean.trim();
      const match =
        /^pid (\d{1,9})'s (?:current|new) affinity list: ([\d,-]{1,400})$/.exec(text) ??
        /^(?:\/proc\/(\d{1,9})\/status:)?Cpus_allowed_list:\s{1,8}([\d,-]{1,400})$/.exec(text);
      if (match !== null) {
        sink.add('process.cpus', { pid: match[1] === undefined ? null : Number(match[1]), cpus: match[2]! }, line);
        continue;
      }
      const bound = /^physcpubind: ([\d ]{1,800})$/.exec(text);
      if (bound !== null)
        sink.add(
          'process.cpus',
          {
            pid: null,
            cpus: bound[1]!
              .trim()
              .split(/ {1,4}/)
              .join(','),
          },
          line,
        );
    }
  },
};
