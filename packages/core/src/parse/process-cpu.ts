// How much of a core each process uses, as top, pidstat and ps print it.
//
//     PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND          (top -b; with -H a row is a thread)
//    4711 alice     20   0   48.9g   9.1g   1.2g R 100.3   1.8  12:41.20 python3
// 14:02:11      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command      (pidstat)
// 14:02:12     1000      4711   98.00    2.00    0.00    0.00  100.00     7  python3
// USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND              (ps aux: mean since it began)
import type { Parser } from './parser.ts';

interface Table {
  readonly pid: number;
  readonly cpu: number;
  readonly command: number;
  readonly width: number;
  readonly lifetime: boolean;
}

const mostRows = 400;

export const processCpu: Parser = {
  id: 'process-cpu',
  literals: ['%cpu'],
  keep: { before: 1, after: 60 },
  parse(document, hits, sink) {
    let rows = 0;
    for (const hit of hits) {
      const table = tableOf(hit.clean);
      if (table === null) continue;
      const lines = document.lines;
      for (let at = hit.index + 1; at < lines.length && rows < mostRows; at++) {
        const line = lines[at]!;
        if (line.clean.trim() === '' || line.prompt || line.told) break;
        const cells = line.clean.trim().split(/\s+/);
        const [pid, percent] = [cells[table.pid] ?? '', Number(cells[table.cpu]?.replace(',', '.'))];
        if (cells.length < table.width || !/^\d{1,10}$/.test(pid) || !Number.isFinite(percent) || percent < 0) break;
        // What rests says nothing; the loaders that rest are told by being there.
        sink.add(
          'process.cpu',
          {
            pid: Number(pid),
            name: cells.slice(table.command).join(' ').slice(0, 200),
            percent,
            lifetime: table.lifetime,
          },
          line,
        );
        rows++;
      }
    }
  },
};

function tableOf(text: string): Table | null {
  const names = text.trim().split(/\s+/);
  const [thread, task] = [names.indexOf('TID'), names.indexOf('PID')];
  const pid = task >= 0 ? task : thread;
  const cpu = names.indexOf('%CPU');
  const command = names.findIndex((name) => /^(?:command|cmd)$/i.test(name));
  if (pid < 0 || cpu < 0 || command < 0 || names.length > 40) return null;
  const top = names.includes('TIME+') || names.includes('%usr');
  return { pid, cpu, command, width: names.length, lifetime: !top };
}
