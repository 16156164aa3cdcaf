// What the host's access control says: SELinux, AppArmor, the modes of device nodes.
//
// $ getenforce
// Enforcing
// type=AVC msg=audit(1611137309.671:5406): avc:  denied  { read } for  pid=2077683 comm="nvidia-smi" name="params" dev="tmpfs" … scontext=system_u:system_r:container_t:s0:c10,c25 tcontext=… tclass=file permissive=0
// audit: type=1400 audit(1716191113.203:186): apparmor="DENIED" operation="open" profile="docker-default" name="/dev/nvidia0" pid=17728 comm="python3" requested_mask="r" denied_mask="r"
// $ ls -l /dev/nvidia*
// crw-rw-rw- 1 root root 195,   0 Mar  3 10:11 /dev/nvidia0
import type { Line } from '../model/document.ts';
import type { FactValues } from '../model/facts.ts';
import type { Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';

export const selinuxMode: Parser = {
  id: 'selinux',
  literals: ['getenforce', 'selinux status', 'current mode:', 'selinux='],
  keep: { before: 0, after: 2 },
  parse(document, hits, sink) {
    const add = (word: string, line: Line): void => {
      const mode = word.toLowerCase();
      if (mode === 'enforcing' || mode === 'permissive' || mode === 'disabled') sink.add('os.selinux', mode, line);
    };
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const mode =
        /^(?:Current mode: {1,30}|SELinux status: {1,30}(?=disabled)|SELINUX=)(enforcing|permissive|disabled)\s*$/.exec(
          line.clean,
        );
      // The file says what the next start will bring; what runs now is asked for otherwise.
      if (mode !== null && !line.clean.startsWith('SELINUX=')) add(mode[1]!, line);
    }
    for (const block of blocksOf(document)) {
      const line = filled(block.output)[0];
      if (/^getenforce\b/.test(block.command) && line !== undefined) add(line.clean.trim(), line);
    }
  },
};

function quoted(text: string, name: string): string | null {
  const at = text.indexOf(` ${name}="`);
  if (at < 0) return null;
  const from = at + name.length + 3;
  const end = text.indexOf('"', from);
  return end < 0 || end - from > 300 ? null : text.slice(from, end);
}

function bare(text: string, name: string): string | null {
  const at = text.indexOf(` ${name}=`);
  return at < 0 ? null : (/^[^\s"]{1,200}/.exec(text.slice(at + name.length + 2, at + name.length + 202))?.[0] ?? null);
}

export const deniedAccess: Parser = {
  id: 'audit',
  literals: ['avc:  denied', 'avc: denied', 'apparmor="denied"', 'type=avc', 'selinux is preventing'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 2000)) {
      if (line.prompt || line.told) continue;
      const text = ` ${line.clean}`;
      const denied = /\bavc: {1,2}denied {1,2}\{ ([\w ]{1,100}?) ?\}/.exec(text);
      if (denied !== null) {
        // In permissive mode it is only noted.
        if (/\bpermissive=1\b/.test(text)) continue;
        sink.add(
          'os.access-denied',
          {
            by: 'selinux',
            process: quoted(text, 'comm'),
            operation: denied[1]!,
            target: quoted(text, 'path') ?? quoted(text, 'name'),
            profile: bare(text, 'scontext'),
          },
          line,
        );
      } else if (/\bapparmor="DENIED"/.test(text)) {
        sink.add(
          'os.access-denied',
          {
            by: 'apparmor',
            process: quoted(text, 'comm'),
            operation: quoted(text, 'operation') ?? 'unknown',
            target: quoted(text, 'name'),
            profile: quoted(text, 'profile'),
          },
          line,
        );
      } else {
        const told =
          /\bSELinux is preventing (\S{1,200}?) from (.{2,60}?) access on the .{2,80}? (\/?[\w./:-]{1,200})\.(?:\s|$)/.exec(
            text,
          );
        if (told !== null)
          sink.add(
            'os.access-denied',
            { by: 'selinux', process: told[1]!, operation: told[2]!, target: told[3]!, profile: null },
            line,
          );
      }
    }
  },
};

const node =
  /^(c[rwxsStT-]{9})[.+]?\s{1,4}\d{1,4}\s{1,8}([\w.-]{1,40})\s{1,12}([\w.-]{1,40})\s{1,12}(\d{1,5}),\s{1,8}(\d{1,7})\s.{6,40}?\s(\S{1,120})$/;

export const deviceNodes: Parser = {
  id: 'device-nodes',
  literals: ['nvidia', 'nvmap', 'nvhost', 'nvgpu', 'infiniband', 'uverbs', 'renderd', ' dxg', '/dxg', 'imex'],
  keep: { before: 1, after: 0 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told || !line.clean.startsWith('c')) continue;
      const match = node.exec(line.clean.trimEnd());
      if (match === null) continue;
      const [, mode, owner, group, major, minor, name] = match as unknown as [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ];
      const folder = folderOf(document.lines, line);
      const value: FactValues['device.node'] = {
        path: name.startsWith('/') ? name : `${folder ?? '/dev/'}${name}`,
        mode,
        owner,
        group,
        major: Number(major),
        minor: Number(minor),
      };
      sink.add('device.node', value, line);
    }
  },
};

/** `crw-r-----` of `640`. */
function modeOf(octal: string): string {
  const letters = 'rwx';
  return `c${Array.from(octal.slice(-3))
    .map((digit) => [4, 2, 1].map((bit, at) => ((Number(digit) & bit) === 0 ? '-' : letters[at]!)).join(''))
    .join('')}`;
}

/** `stat` of device nodes, in the forms that are usual: all of it, or mode, owner, group and name. */
export const deviceStat: Parser = {
  id: 'device-nodes',
  literals: ['/dev/nvidia', '/dev/dri', '/dev/infiniband'],
  keep: { before: 1, after: 3 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const short =
        /^0?([0-7]{3})[ ,;|]{1,4}([a-z_][\w.-]{0,31})[ :,;|]{1,4}([a-z_][\w.-]{0,31})[ ,;|]{1,4}(\/dev\/[\w./-]{2,80})\s{0,4}$/.exec(
          line.clean,
        );
      if (short !== null && /\bstat\b/.test(line.command ?? '')) {
        const [, mode, owner, group, path] = short as unknown as [string, string, string, string, string];
        sink.add('device.node', { path, mode: modeOf(mode), owner, group, major: null, minor: null }, line);
        continue;
      }
      const path = /^\s{0,4}File: ['‘]?(\/dev\/[\w./-]{2,80})/.exec(line.clean)?.[1];
      if (path === undefined) continue;
      for (const below of document.lines.slice(line.index + 1, line.index + 4)) {
        const access =
          /^Access: \(0?[0-7]{3,4}\/(c[rwxsStT-]{9})\)\s{1,4}Uid: \(\s{0,8}\d{1,9}\/\s{0,12}([\w.-]{1,40})\)\s{1,4}Gid: \(\s{0,8}\d{1,9}\/\s{0,12}([\w.-]{1,40})\)/.exec(
            below.clean,
          );
        if (access === null) continue;
        const [, mode, owner, group] = access as unknown as [string, string, string, string];
        sink.add('device.node', { path, mode, owner, group, major: null, minor: null }, [line, below]);
        break;
      }
    }
  },
};

/** The folder that a listing stands under: `/dev/nvidia-caps:`. */
function folderOf(lines: readonly Line[], line: Line): string | null {
  for (let index = line.index - 1; index >= Math.max(0, line.index - 300); index--) {
    const before = lines[index]!;
    const folder = /^(\/dev(?:\/[\w.-]{1,60}){0,3}):$/.exec(before.clean.trim())?.[1];
    if (folder !== undefined) return `${folder}/`;
    if (before.prompt) return null;
  }
  return null;
}
