// Whose limit of locked memory is what.
//
// $ ulimit -l                                         a shell
// 64
// max locked memory           (kbytes, -l) unlimited  (ulimit -a)
// Max locked memory         65536    65536    bytes   /proc/PID/limits
// MEMLOCK    max locked-in-memory address space 65536 65536 bytes          prlimit
// LimitMEMLOCK=infinity  LimitMEMLOCKSoft=8388608     systemctl show, a unit file (DefaultLimitMEMLOCK= of systemd itself)
// PropagateResourceLimits = ALL                       scontrol show config, slurm.conf: the limits of the shell that submits
// PropagateResourceLimitsExcept = MEMLOCK
// docker run --ulimit memlock=-1:-1
// "Ulimits": [{"Name": "memlock", "Hard": -1, "Soft": -1}]                 docker inspect
// "default-ulimits": {"memlock": {"Name": "memlock", "Hard": -1, "Soft": -1}}   daemon.json
// *  soft  memlock  unlimited                         /etc/security/limits.conf
//
// Sources: getrlimit(2), systemd.exec(5), slurm.conf(5), limits.conf(5), dockerd(8).
import type { Document, Line } from '../model/document.ts';
import type { FactValues } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';

type Of = FactValues['os.memlock']['of'];

/** @returns KiB; null: unlimited; undefined: no limit that can be read */
function bytesToKib(text: string): number | null | undefined {
  if (/^(?:unlimited|infinity|-1|18446744073709551615)$/i.test(text)) return null;
  const match = /^(\d{1,18})([KMGT]?)$/i.exec(text);
  if (match === null) return undefined;
  const unit = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 }[match[2]!.toUpperCase()] ?? 1;
  return Math.floor((Number(match[1]) * unit) / 1024);
}

function kibOf(text: string): number | null | undefined {
  return text === 'unlimited' || text === '-1' ? null : /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export const memlock: Parser = {
  id: 'memlock',
  literals: [
    'ulimit -',
    'max locked memory',
    'max locked-in-memory',
    'limitmemlock',
    'memlock=',
    'memlock',
    'propagateresourcelimits',
  ],
  keep: { before: 1, after: 4 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.told) continue;
      if (line.prompt) {
        readFlag(line.command ?? '', line, sink);
        continue;
      }
      readLine(document, line, sink);
    }
    for (const block of blocksOf(document)) {
      if (!/\bulimit -[SH]{0,2}l\b/.test(block.command)) continue;
      const line = filled(block.output)[0];
      const value = line === undefined ? undefined : kibOf(line.clean.trim());
      if (line === undefined || value === undefined) continue;
      // `docker exec`, `kubectl exec`: the shell of a container; `srun`, `salloc`: of a job.
      const of: Of = /\b(?:docker|podman|nerdctl|crictl|kubectl|oc)\b/.test(block.command)
        ? 'container'
        : /\b(?:srun|salloc|sbatch)\b/.test(block.command)
          ? 'slurm'
          : 'shell';
      const hard = /ulimit -\w{0,2}H/.test(block.command);
      sink.add('os.memlock', { of, name: null, softKiB: value, hardKiB: hard ? value : null }, line);
    }
  },
};

function readLine(document: Document, line: Line, sink: FactSink): void {
  const text = line.clean.trim();
  const add = (of: Of, name: string | null, soft: number | null | undefined, hard: number | null | undefined): void => {
    if (soft === undefined && hard === undefined) return;
    sink.add(
      'os.memlock',
      {
        of,
        name,
        softKiB: (soft === undefined ? hard : soft) ?? null,
        hardKiB: (hard === undefined ? soft : hard) ?? null,
      },
      line,
    );
  };
  const all = /^max locked memory {1,20}\(kbytes, -l\) {1,8}(\w{1,20})$/i.exec(text);
  if (all !== null) return add('shell', null, kibOf(all[1]!), undefined);
  const limits = /^(?:\/proc\/(\d{1,9})\/limits:)?Max locked memory {1,20}(\w{1,20}) {1,20}(\w{1,20}) {1,20}bytes/.exec(
    text,
  );
  if (limits !== null) {
    const pid = limits[1] ?? /\/proc\/(\d{1,9})\/limits/.exec(line.command ?? '')?.[1] ?? null;
    return add('process', pid, bytesToKib(limits[2]!), bytesToKib(limits[3]!));
  }
  const prlimit = /^MEMLOCK {1,12}max locked-in-memory address space {1,20}(\w{1,20}) {1,20}(\w{1,20}) bytes/.exec(
    text,
  );
  if (prlimit !== null) {
    const pid = /(?:-p|--pid)[ =]?(\d{1,9})/.exec(line.command ?? '')?.[1] ?? null;
    return add('process', pid, bytesToKib(prlimit[1]!), bytesToKib(prlimit[2]!));
  }
  const unit = /^(Default)?LimitMEMLOCK(Soft)?=([\w-]{1,24})(?::([\w-]{1,24}))?$/.exec(text);
  if (unit !== null) {
    const soft = bytesToKib(unit[3]!);
    const hard = unit[4] === undefined ? undefined : bytesToKib(unit[4]);
    return add('unit', unit[1] === undefined ? unitOf(document, line) : 'system.conf', soft, hard);
  }
  const slurm = /^PropagateResourceLimits(Except)? {0,20}= {0,4}([\w,()]{1,200})$/i.exec(text);
  if (slurm !== null) {
    const names = /^\(?null\)?$/i.test(slurm[2]!) ? [] : slurm[2]!.toUpperCase().split(',');
    sink.add(
      'slurm.propagates',
      { limits: slurm[1] === undefined ? names : [], except: slurm[1] === undefined ? [] : names },
      line,
    );
    return;
  }
  const file = /^([*@\w%.-]{1,64})\s{1,20}(soft|hard|-)\s{1,20}memlock\s{1,20}(\S{1,20})(?:\s{1,8}#.{0,200})?$/.exec(
    text,
  );
  if (file !== null) {
    const value = kibOf(file[3]!);
    return add('limits-file', file[1]!, file[2] === 'hard' ? undefined : value, file[2] === 'soft' ? undefined : value);
  }
  if (/"Name": ?"memlock"/.test(text)) {
    const soft = /"Soft": ?(-?\d{1,18})/.exec(text)?.[1];
    const hard = /"Hard": ?(-?\d{1,18})/.exec(text)?.[1];
    if (soft !== undefined || hard !== undefined)
      return add(
        inDefaults(document, line) ? 'engine' : 'container',
        null,
        soft === undefined ? undefined : bytesToKib(soft),
        hard === undefined ? undefined : bytesToKib(hard),
      );
  }
  if (/^"?Name"?: "?memlock"?,?$/.test(text) || /^"?memlock"?: ?\{?$/.test(text)) readObject(document, line, sink);
  else readFlag(text, line, sink);
}

/** `Soft` and `Hard` on the lines around a name, as JSON and YAML are laid out. */
function readObject(document: Document, line: Line, sink: FactSink): void {
  const near = document.lines.slice(Math.max(0, line.index - 2), line.index + 5);
  const value = (name: string): number | null | undefined => {
    for (const each of near) {
      const match = new RegExp(`^\\s{0,80}"?${name}"?: ?(-?\\d{1,18}),?\\s{0,4}$`, 'i').exec(each.clean);
      if (match !== null) return bytesToKib(match[1]!);
    }
    return undefined;
  };
  const soft = value('soft');
  const hard = value('hard');
  const one = /^\s{0,80}"?memlock"?: ?(-?\d{1,18})$/i.exec(line.clean);
  if (soft === undefined && hard === undefined && one === null) return;
  const only = one === null ? undefined : bytesToKib(one[1]!);
  sink.add(
    'os.memlock',
    {
      of: inDefaults(document, line) ? 'engine' : 'container',
      name: null,
      softKiB: soft ?? only ?? null,
      hardKiB: hard ?? only ?? null,
    },
    line,
  );
}

function inDefaults(document: Document, line: Line): boolean {
  return document.lines
    .slice(Math.max(0, line.index - 4), line.index + 1)
    .some((each) => each.clean.includes('default-ulimits'));
}

/** `--ulimit memlock=-1:-1` of a container engine. */
function readFlag(text: string, line: Line, sink: FactSink): void {
  const flag = /(?:--ulimit|--default-ulimit)[ =]"?memlock=(-?\d{1,18})(?::(-?\d{1,18}))?/.exec(text);
  if (flag === null) return;
  const soft = bytesToKib(flag[1]!);
  const hard = flag[2] === undefined ? soft : bytesToKib(flag[2]);
  if (soft === undefined || hard === undefined) return;
  sink.add(
    'os.memlock',
    { of: text.includes('--default-ulimit') ? 'engine' : 'container', name: null, softKiB: soft, hardKiB: hard },
    line,
  );
}

/** The unit that `systemctl show`, `systemctl cat` or the path of a file names. */
function unitOf(document: Document, line: Line): string | null {
  const asked = /\bsystemctl\b.{1,120}?\b(?:show|cat)\b(.{1,160})/.exec(line.command ?? '')?.[1];
  const name = asked
    ?.split(/\s{1,8}/)
    .find((word) => /^[a-z][\w@.-]{1,60}$/i.test(word) && !/^(?:LimitMEMLOCK|value)/.test(word));
  if (name !== undefined) return name.replace(/\.service$/, '');
  for (const each of document.lines.slice(Math.max(0, line.index - 30), line.index).reverse()) {
    const path = /\/systemd\/system\/([\w@.-]{1,60})\.service/.exec(each.clean)?.[1];
    if (path !== undefined) return path;
  }
  return null;
}
