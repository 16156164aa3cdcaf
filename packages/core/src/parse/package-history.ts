// What package managers logged of their changes, with its time.
//
// Start-Date: 2026-03-02  06:51:12                                                       /var/log/apt/history.log
// Commandline: /usr/bin/unattended-upgrade
// Upgrade: libnvidia-compute-550:amd64 (550.120-0ubuntu1, 550.144.03-0ubuntu1), curl:amd64 (7.81.0-1, 7.81.0-2)
// End-Date: 2026-03-02  06:52:40
// 2026-03-02 06:51:40 upgrade libnvidia-compute-550:amd64 550.120-0ubuntu1 550.144.03-0ubuntu1       dpkg.log
// $ dnf history info 42
// Begin time     : Mon 02 Mar 2026 06:51:12 AM UTC
//     Upgrade  kmod-nvidia-latest-dkms-3:570.124.06-1.el9.x86_64 @cuda
//     Upgraded kmod-nvidia-latest-dkms-3:570.86.15-1.el9.x86_64  @@System
// 2026-03-02T06:51:12+0000 SUBDEBUG Upgraded: nvidia-driver-3:570.86.15-1.el9.x86_64                  dnf.rpm.log
import type { Document, Line } from '../model/document.ts';
import type { FactValues } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';

type Action = FactValues['package.change']['action'];

/** Packages whose change can be why a GPU stack broke. */
const ofStack =
  /nvidia|cuda|cudnn|nccl|tensorrt|nvinfer|^linux-(?:image|headers|modules|generic)|^kernel(?:-core|-devel|-modules)?(?:$|-\d)|dkms|datacenter-gpu|fabricmanager|fabric-manager|nouveau|mlnx|rdma|ofed|docker|containerd|podman|cri-o|runc|kubelet|slurm|^gcc|^libc6$|^glibc$|imex|nvlsm|mesa|systemd$/i;

const mostChanges = 2000;

function timeOf(text: string | undefined): { readonly time: string | null; readonly at: number | null } {
  if (text === undefined) return { time: null, at: null };
  const iso = /^(\d{4})-(\d\d)-(\d\d)[T ]{1,4}(\d\d):(\d\d):(\d\d)/.exec(text);
  if (iso === null) return { time: text, at: null };
  const [year, month, day, hour, minute, second] = iso.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const at = Date.UTC(year, month - 1, day, hour, minute, second);
  return { time: text.replaceAll(/ {2,}/g, ' '), at: Number.isFinite(at) ? at : null };
}

const aptActions: Readonly<Record<string, Action>> = {
  Install: 'install',
  Upgrade: 'upgrade',
  Downgrade: 'downgrade',
  Remove: 'remove',
  Purge: 'remove',
  Reinstall: 'reinstall',
};

export const aptHistory: Parser = {
  id: 'apt-history',
  literals: ['start-date:', 'end-date:', 'commandline: '],
  keep: { before: 1, after: 12 },
  parse(document, hits, sink) {
    let count = 0;
    let done = -1;
    for (const hit of hits) {
      const start = /^Start-Date: (\d{4}-\d\d-\d\d {1,3}\d\d:\d\d:\d\d)/.exec(hit.clean)?.[1];
      if (hit.prompt || start === undefined || hit.index <= done) continue;
      for (let index = hit.index + 1; index < Math.min(document.lines.length, hit.index + 60); index++) {
        const line = document.lines[index]!;
        if (line.prompt || /^(?:End-Date|Start-Date):/.test(line.clean)) break;
        done = index;
        // Long lists are cut into slices; each is read for itself.
        const action = aptActions[/^([A-Z][a-z]{3,12}): /.exec(line.clean)?.[1] ?? ''] ?? sliceAction(document, line);
        if (action === undefined) continue;
        for (const match of line.clean.matchAll(
          /([a-z0-9][a-z0-9.+-]{1,100}):([a-z0-9]{2,10}) \(([^(),]{1,80})(?:, ([^(),]{1,80}))?(?:, automatic)?\)/g,
        )) {
          if (!ofStack.test(match[1]!) || ++count > mostChanges) continue;
          const to = match[4] === undefined || match[4] === 'automatic' ? null : match[4];
          sink.add(
            'package.change',
            {
              action,
              name: match[1]!,
              from: action === 'install' ? null : match[3]!,
              to: action === 'install' ? match[3]! : action === 'remove' ? null : to,
              ...timeOf(start),
            },
            line === hit ? line : [line, hit],
          );
        }
      }
    }
  },
};

/** What the first slice of the line says is done. */
function sliceAction(document: Document, line: Line): Action | undefined {
  if (line.column === 1) return undefined;
  for (let index = line.index - 1; index >= Math.max(0, line.index - 200); index--) {
    const before = document.lines[index]!;
    if (before.number !== line.number) return undefined;
    if (before.column === 1) return aptActions[/^([A-Z][a-z]{3,12}): /.exec(before.clean)?.[1] ?? ''];
  }
  return undefined;
}

const dpkgActions: Readonly<Record<string, Action>> = {
  install: 'install',
  upgrade: 'upgrade',
  remove: 'remove',
  purge: 'remove',
};

export const dpkgLog: Parser = {
  id: 'dpkg-log',
  literals: [' upgrade ', ' install ', ' remove ', 'upgrade lib', 'upgrade nvidia', 'install nvidia', 'remove nvidia'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    let count = 0;
    for (const hit of hits) {
      if (hit.prompt || hit.told) continue;
      // The time is taken off as a prefix where it is one.
      const match =
        /^(?:(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) )?(upgrade|install|remove|purge) ([a-z0-9][a-z0-9.+-]{1,100}):(?:amd64|arm64|all|i386|ppc64el) (\S{1,80}) (\S{1,80})$/.exec(
          hit.clean.trimEnd(),
        );
      if (match === null || !ofStack.test(match[3]!) || ++count > mostChanges) continue;
      const action = dpkgActions[match[2]!]!;
      const version = (text: string): string | null => (text === '<none>' ? null : text);
      sink.add(
        'package.change',
        {
          action: action === 'install' && version(match[4]!) === match[5] ? 'reinstall' : action,
          name: match[3]!,
          from: version(match[4]!),
          to: action === 'remove' ? null : version(match[5]!),
          ...timeOf(match[1] ?? hit.origin.time),
        },
        hit,
      );
    }
  },
};

const dnfActions: Readonly<Record<string, { readonly action: Action; readonly old: boolean }>> = {
  Install: { action: 'install', old: false },
  Installed: { action: 'install', old: false },
  'Dep-Install': { action: 'install', old: false },
  Upgrade: { action: 'upgrade', old: false },
  Update: { action: 'upgrade', old: false },
  Updated: { action: 'upgrade', old: true },
  Upgraded: { action: 'upgrade', old: true },
  Downgrade: { action: 'downgrade', old: false },
  Downgraded: { action: 'downgrade', old: true },
  Erase: { action: 'remove', old: true },
  Erased: { action: 'remove', old: true },
  Removed: { action: 'remove', old: true },
  Reinstall: { action: 'reinstall', old: false },
};
const dnfRow = new RegExp(
  `^\\s{0,12}(?:SUBDEBUG |INFO )?(${Object.keys(dnfActions).join('|')}):?\\s{1,12}(\\S{3,160}?)\\.(?:x86_64|noarch|aarch64|ppc64le)(?:\\s{1,20}@?\\S{0,40})?\\s*$`,
);

export const dnfHistory: Parser = {
  id: 'dnf-history',
  literals: ['.x86_64', '.noarch', '.aarch64'],
  keep: { before: 0, after: 0 },
  parse(document, hits, sink) {
    let count = 0;
    let begin: string | undefined;
    let looked = 0;
    const open = new Map<string, FactValues['package.change'] & { lines: Line[] }>();
    for (const hit of hits) {
      if (hit.prompt || hit.told) continue;
      for (; looked <= hit.index; looked++) {
        const head = /^Begin time {1,12}: (\S.{4,50})$/.exec(document.lines[looked]!.clean)?.[1];
        if (head !== undefined) begin = head.trim();
      }
      const match = dnfRow.exec(hit.clean);
      const kind = match === null ? undefined : dnfActions[match[1]!];
      const parts = /^([A-Za-z][\w.+-]{0,100}?)-(?:\d{1,3}:)?(\d[\w.~^+]{0,50}-[\w.~^+]{1,50})$/.exec(match?.[2] ?? '');
      if (kind === undefined || parts === null || !ofStack.test(parts[1]!) || ++count > mostChanges) continue;
      const key = `${kind.action} ${parts[1]!}`;
      const { time, at } = timeOf(begin ?? hit.origin.time);
      const value = open.get(key) ?? {
        action: kind.action,
        name: parts[1]!,
        from: null,
        to: null,
        time,
        at,
        lines: [],
      };
      // A second new release of the same package begins another change.
      if ((kind.old ? value.from : value.to) !== null) {
        flush(value, sink);
        open.delete(key);
      }
      const into = open.get(key) ?? { action: kind.action, name: parts[1]!, from: null, to: null, time, at, lines: [] };
      open.set(key, { ...into, ...(kind.old ? { from: parts[2]! } : { to: parts[2]! }), lines: [...into.lines, hit] });
    }
    for (const value of open.values()) flush(value, sink);
  },
};

function flush({ lines, ...value }: FactValues['package.change'] & { lines: Line[] }, sink: FactSink): void {
  if (lines.length > 0) sink.add('package.change', value, lines);
}
