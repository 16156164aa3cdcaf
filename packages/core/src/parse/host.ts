// The machine and its operating system.
//
// $ uname -a
// Linux gn077 5.15.0-119-generic #129-Ubuntu SMP Fri Aug 2 19:25:20 UTC 2024 x86_64 x86_64 x86_64 GNU/Linux
// $ ldd --version | head -1
// ldd (GNU libc) 2.28
// $ cat /etc/os-release
// PRETTY_NAME="Ubuntu 22.04.5 LTS"
// $ mokutil --sb-state
// SecureBoot enabled
// $ systemctl status nvidia-fabricmanager
// Unit nvidia-fabricmanager.service could not be found.
// $ df -h /dev/shm
// shm              64M     0   64M   0% /dev/shm
// $ ulimit -l
// 65536
// $ cat /etc/nv_tegra_release
// # R32 (release), REVISION: 4.3, GCID: 0, BOARD: t210ref, EABI: aarch64
import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';
import { addKernel } from './platform.ts';
import { unquoted, words } from './values.ts';

export const uname: Parser = {
  id: 'uname',
  literals: [
    'uname',
    'gnu/linux',
    'linux version ',
    '(gnu libc)',
    'glibc) ',
    'ldd (',
    'gnu libc',
    'musl libc',
    'kernel version:',
  ],
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean;
      const full =
        /^(?:uname: )?Linux \S{1,80} (\d{1,2}\.\d{1,4}\S{0,100}) .{0,200}?\b(x86_64|aarch64|ppc64le)\b.{0,60}GNU\/Linux/.exec(
          text,
        );
      if (full !== null) {
        addKernel(full[1]!, line, sink);
        sink.add('os.arch', full[2] as 'x86_64' | 'aarch64' | 'ppc64le', line);
        continue;
      }
      const docker = /^Kernel Version: {1,24}(\d{1,2}\.\d{1,4}\S{0,100})$/.exec(text.trim());
      if (docker !== null) addKernel(docker[1]!, line, sink);
      const boot = /\bLinux version (\d{1,2}\.\d{1,4}\S{0,100}) \(/.exec(text);
      if (boot !== null) addKernel(boot[1]!, line, sink);
      const glibc =
        /^ldd \((?:GNU libc|[^)]{0,60}GLIBC[^)]{0,60}|Debian GLIBC[^)]{0,60})\) (2\.\d{1,3})/.exec(text)?.[1] ??
        /^GNU C Library .{0,100}(?:release|stable release) version (2\.\d{1,3})/.exec(text)?.[1];
      if (glibc !== undefined) sink.add('os.glibc', glibc, line);
    }
    for (const block of blocksOf(document)) {
      if (!/^uname\b/.test(block.command)) continue;
      for (const line of filled(block.output).slice(0, 1)) {
        const text = line.clean.trim();
        if (!/\s/.test(text)) addKernel(text, line, sink);
        if (text === 'x86_64' || text === 'aarch64' || text === 'ppc64le') sink.add('os.arch', text, line);
      }
    }
  },
};

export const osRelease: Parser = {
  id: 'os-release',
  literals: [
    'pretty_name=',
    'operating system:',
    'distributor id',
    'description:',
    '(release), revision:',
    'microsoft-standard',
    'microsoft windows',
    'os image:',
  ],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const text = line.clean.trim();
      const pretty = /^PRETTY_NAME=(.{1,100})$/.exec(text)?.[1];
      const name =
        pretty === undefined
          ? /^(?:Operating System|Description|OS Image): {1,24}(\S.{2,80})$/.exec(text)?.[1]
          : unquoted(pretty);
      if (name !== undefined && /\d/.test(name) && /[A-Za-z]{3}/.test(name)) sink.add('os.name', name, line);
      // The file begins with `# `, which looks like a remark.
      if (/^# R\d{2} \(release\), REVISION: \d/.test(text)) sink.add('os.platform', 'jetson', line, { told: false });
      else if (/\bmicrosoft-standard(?:-WSL2)?\b/i.test(text) && !line.told) sink.add('os.platform', 'wsl', line);
      else if (/^(?:Microsoft Windows \[Version|OS Name: {1,24}Microsoft Windows)/.test(text))
        sink.add('os.platform', 'windows', line);
    }
  },
};

export const secureBoot: Parser = {
  id: 'mokutil',
  literals: ['secureboot ', 'secure boot enabled', 'secure boot disabled', 'secure boot: '],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const state = /\bSecure ?Boot:? (enabled|disabled)\b/i.exec(line.clean)?.[1]?.toLowerCase();
      if (state === 'enabled' || state === 'disabled') sink.add('secure-boot', state, line);
    }
  },
};

function unitName(text: string): string {
  return text.replace(/\.service$/, '');
}

export const systemdUnits: Parser = {
  id: 'systemctl',
  literals: [
    'could not be found',
    'active: ',
    'loaded active',
    'loaded failed',
    'loaded inactive',
    'systemctl is-active',
    'main process exited',
    'failed with result',
    'not-found',
  ],
  keep: { before: 4, after: 2 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean.trim();
      const missing = /^Unit (\S{1,100}?)(?:\.service)? (?:could not be found|not found)/.exec(text);
      if (missing !== null) sink.add('os.service', { unit: unitName(missing[1]!), state: 'missing' }, line);
      const active = /^Active: (active|failed|inactive|activating)/.exec(text);
      if (active !== null) {
        const unit = unitAbove(document.lines, line);
        if (unit !== null) sink.add('os.service', { unit: unit.name, state: stateOf(active[1]!) }, [line, unit.line]);
      }
      const listed = /^[●*×]? {0,2}(\S{1,100})\.service {1,80}(loaded|not-found) {1,20}(active|failed|inactive) /.exec(
        text,
      );
      if (listed !== null)
        sink.add(
          'os.service',
          { unit: listed[1]!, state: listed[2] === 'not-found' ? 'missing' : stateOf(listed[3]!) },
          line,
        );
      const ended = /^(\S{1,100})\.service: (?:Main process exited|Failed with result)/.exec(text);
      if (ended !== null) sink.add('os.service', { unit: ended[1]!, state: 'failed' }, line);
    }
    for (const block of blocksOf(document)) {
      const asked = /\bsystemctl is-active (?:--\S{1,20} )?(\S{1,100})/.exec(block.command)?.[1];
      const line = filled(block.output)[0];
      const state = line?.clean.trim();
      if (asked === undefined || line === undefined) continue;
      if (state === 'active' || state === 'inactive' || state === 'failed')
        sink.add('os.service', { unit: unitName(asked), state }, line);
    }
  },
};

function stateOf(word: string): 'active' | 'failed' | 'inactive' {
  return word === 'failed' ? 'failed' : word === 'active' ? 'active' : 'inactive';
}

function unitAbove(lines: readonly Line[], line: Line): { readonly name: string; readonly line: Line } | null {
  for (let back = 1; back < 8; back++) {
    const before = lines[line.index - back];
    if (before === undefined) return null;
    const match = /^[●*×○↻] {1,2}(\S{1,100}?)\.service\b/.exec(before.clean.trim());
    if (match !== null) return { name: match[1]!, line: before };
    if (before.prompt) {
      const asked = /\bsystemctl (?:status|show) (?:-\S{1,20} )?(\S{1,100})/.exec(before.command ?? '')?.[1];
      return asked === undefined ? null : { name: unitName(asked), line: before };
    }
  }
  return null;
}

const sizes: Readonly<Record<string, number>> = { K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 };

function mebibytes(text: string, unit: number | null): number | null {
  const match = /^(\d{1,15}(?:\.\d{1,3})?)([KMGT])?i?B?$/.exec(text);
  if (match === null) return null;
  const factor = match[2] === undefined ? unit : (sizes[match[2]] ?? null);
  return factor === null ? null : Math.round(Number(match[1]) * factor * 1000) / 1000;
}

export const hostLimits: Parser = {
  id: 'limits',
  literals: ['/dev/shm', 'max locked memory', 'ulimit -l', 'acsctl:', 'shmsize', '"shmsize"', '--shm-size'],
  keep: { before: 2, after: 1 },
  parse(document, hits, sink) {
    let unit: number | null = 1 / 1024;
    for (const line of hits) {
      const text = line.clean.trim();
      if (line.told) continue;
      const acs = /\bACSCtl:/.test(text) && /\b(?:ReqRedir|CmpltRedir|UpstreamFwd)\+/.test(text);
      if (acs && /\bReqRedir\+/.test(text)) sink.add('pci.acs-redirect', text.replaceAll(/\s+/g, ' '), line);
      if (line.prompt) {
        if (/\bdf\b/.test(line.command ?? ''))
          unit = /-\w{0,3}m/.test(line.command ?? '') ? 1 : /-\w{0,3}g/i.test(line.command ?? '') ? 1024 : 1 / 1024;
        continue;
      }
      const parts = words(text);
      if (parts[parts.length - 1] === '/dev/shm' && parts.length >= 6) {
        const header = document.lines[line.index - 1]?.clean ?? '';
        const factor = header.includes('1M-blocks') ? 1 : header.includes('1G-blocks') ? 1024 : unit;
        const size = mebibytes(parts[parts.length - 5]!, factor);
        if (size !== null) sink.add('os.shm-mib', size, line);
      }
      const mount =
        / \/dev\/shm \S{1,200} .{0,40}- tmpfs \S{1,40} \S{0,100}\bsize=(\d{1,12})k\b/.exec(text) ??
        /\bon \/dev\/shm type tmpfs \(\S{0,100}\bsize=(\d{1,12})k\b/.exec(text);
      if (mount !== null) sink.add('os.shm-mib', Number(mount[1]) / 1024, line);
      const inspect = /"ShmSize": (\d{1,15})/.exec(text);
      if (inspect !== null) sink.add('os.shm-mib', Number(inspect[1]) / 1048576, line);
      const locked = /^max locked memory {1,20}\(kbytes, -l\) (\d{1,15})$/.exec(text);
      if (locked !== null) sink.add('os.memlock-kib', Number(locked[1]), line);
      const limits = /^Max locked memory {1,20}(\d{1,18}) {1,20}\d{1,18} {1,20}bytes/.exec(text);
      if (limits !== null) sink.add('os.memlock-kib', Math.floor(Number(limits[1]) / 1024), line);
    }
    for (const block of blocksOf(document)) {
      if (!/\bulimit -[SH]?l\b/.test(block.command)) continue;
      const line = filled(block.output)[0];
      if (line !== undefined && /^\d{1,15}$/.test(line.clean.trim()))
        sink.add('os.memlock-kib', Number(line.clean.trim()), line);
    }
  },
};

// $ sudo fuser -v /dev/nvidia*
//                      USER        PID ACCESS COMMAND
// /dev/nvidia0:        root       1187 F...m nvidia-persiste
// $ lsof /dev/nvidia*
// COMMAND    PID USER   FD   TYPE DEVICE SIZE/OFF NODE NAME
// Xorg      1402 root  mem    CHR 195,255          640 /dev/nvidiactl
export const deviceHolders: Parser = {
  id: 'device-holders',
  literals: ['/dev/nvidia'],
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      const program = /\b(fuser|lsof)\b[^|;&]{0,200}\/dev\/nvidia/.exec(block.command)?.[1];
      if (program === undefined) continue;
      const names: string[] = [];
      const lines: Line[] = [];
      for (const line of filled(block.output)) {
        const name = program === 'lsof' ? lsofRow(line) : fuserRow(line);
        if (name === null) continue;
        if (!names.includes(name)) names.push(name);
        lines.push(line);
      }
      if (names.length > 0) sink.add('gpu.holders', names, lines);
      else if (filled(block.output).length === 0 && !/2>/.test(block.command))
        sink.add('gpu.holders', [], block.prompt);
    }
  },
};

function lsofRow(line: Line): string | null {
  const parts = words(line.clean);
  return parts.length >= 8 && /^\d{1,9}$/.test(parts[1]!) && parts[parts.length - 1]!.startsWith('/dev/nvidia')
    ? parts[0]!
    : null;
}

function fuserRow(line: Line): string | null {
  const verbose = /^(?:\/dev\/\S{1,60}:)? {1,60}\S{1,40} {1,20}(\d{1,9}) [A-Za-z.]{4,8} (\S.{0,60})$/.exec(line.clean);
  if (verbose !== null) return verbose[2]!.trim();
  const plain = /^\/dev\/nvidia\S{0,40}:\s{1,40}(\d{1,9})/.exec(line.clean);
  return plain === null ? null : `pid ${plain[1]!}`;
}

/** Which commands of a text show that it was taken in a container. */
export const containerMarks: Parser = {
  id: 'container-marks',
  literals: ['/.dockerenv', '/run/.containerenv', ' / rw,relatime - overlay', ' / / rw', 'overlay on / type overlay'],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.told || (line.prompt && !/\bls\b/.test(line.command ?? ''))) continue;
      if (line.prompt) continue;
      const text = line.clean.trim();
      if (/^(?:-\S{9,11}\.? .{0,80})?\/(?:\.dockerenv|run\/\.containerenv)$/.test(text))
        sink.add('container.inside', true, line);
      else if (
        /^\d{1,9} \d{1,9} \d{1,4}:\d{1,9} \/ \/ \S{1,200} .{0,60}- overlay /.test(text) ||
        text.startsWith('overlay on / type overlay')
      ) {
        sink.add('container.inside', true, line);
      }
    }
  },
};
