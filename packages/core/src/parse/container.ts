// Container engines, the NVIDIA container toolkit and its specifications.
//
// $ docker info | grep -i runtime
//  Runtimes: io.containerd.runc.v2 nvidia runc
//  Default Runtime: runc
// $ nvidia-ctk --version
// NVIDIA Container Toolkit CLI version 1.17.8
// $ cat /etc/nvidia-container-runtime/config.toml
// [nvidia-container-cli]
//   root = "/run/nvidia/driver"
// $ cat /etc/cdi/nvidia.yaml
// cdiVersion: 0.5.0
//   - hostPath: /usr/lib/x86_64-linux-gnu/libcuda.so.550.135
// $ cat /sys/fs/cgroup/devices/devices.list
// c 195:* m
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';
import { fullDriverRelease } from './releases.ts';
import { unquoted } from './values.ts';

export const dockerInfo: Parser = {
  id: 'docker-info',
  literals: ['default runtime', 'default-runtime', 'runtimes:', '"runtime":', 'cgroup driver', 'native.cgroupdriver'],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean.trim();
      const runtime =
        /^Default Runtime: {1,4}(\S{1,60})$/i.exec(text)?.[1] ??
        /"default-runtime"\s{0,4}:\s{0,4}"([^"]{1,60})"/.exec(text)?.[1];
      if (runtime !== undefined) sink.add('container.default-runtime', runtime, line);
      const list = /^Runtimes: {1,4}(\S.{0,200})$/.exec(text)?.[1];
      if (list !== undefined) sink.add('container.setting', { name: 'docker.runtimes', value: list }, line);
      const used = /^"Runtime": "([^"]{1,60})",?$/.exec(text)?.[1];
      if (used !== undefined) sink.add('container.setting', { name: 'container.runtime', value: used }, line);
      const driver =
        /^Cgroup Driver: {1,4}(\S{1,40})$/.exec(text)?.[1] ?? /native\.cgroupdriver=(\w{1,20})/.exec(text)?.[1];
      if (driver !== undefined) sink.add('container.setting', { name: 'docker.cgroup-driver', value: driver }, line);
    }
  },
};

export const containerToolkit: Parser = {
  id: 'container-toolkit',
  literals: [
    'container toolkit',
    'container runtime hook version',
    'nvidia container runtime version',
    'cli-version:',
    'lib-version:',
    'nvidia-container-toolkit version',
  ],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const version =
        /\b(?:NVIDIA Container (?:Toolkit(?: CLI)?|Runtime Hook|Runtime)|nvidia-container-toolkit) version:? {0,2}v?(\d{1,2}\.\d{1,3}\.\d{1,3})/i.exec(
          line.clean,
        )?.[1] ?? /^(?:cli|lib)-version: (\d{1,2}\.\d{1,3}\.\d{1,3})/.exec(line.clean.trim())?.[1];
      if (version !== undefined) sink.add('container.toolkit-version', version, line);
    }
  },
};

export const toolkitConfig: Parser = {
  id: 'toolkit-config',
  literals: ['[nvidia-container', 'disable-require', 'accept-nvidia-visible', 'no-cgroups', '[nvidia-ctk]'],
  keep: { before: 1, after: 30 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      const text = hit.clean.trim();
      const section = /^\[(nvidia-[\w.-]{1,80})\]$/.exec(text)?.[1];
      if (section === undefined) {
        readSetting('', text, hit, sink);
        continue;
      }
      for (let at = hit.index + 1; at < hit.index + 60; at++) {
        const line = document.lines[at];
        if (line === undefined || line.prompt || line.told || line.clean.trim().startsWith('[')) break;
        readSetting(`${section}.`, line.clean.trim(), line, sink);
      }
    }
  },
};

const topSettings: ReadonlySet<string> = new Set([
  'disable-require',
  'accept-nvidia-visible-devices-envvar-when-unprivileged',
  'accept-nvidia-visible-devices-as-volume-mounts',
  'supported-driver-capabilities',
]);

function readSetting(prefix: string, text: string, line: Line, sink: FactSink): void {
  const match = /^([a-z][\w.-]{1,60}) ?= ?(.{1,300})$/.exec(text);
  if (match === null || line.told || line.prompt) return;
  if (prefix === '' && !topSettings.has(match[1]!)) return;
  sink.add('container.setting', { name: `${prefix}${match[1]!}`, value: unquoted(match[2]!) }, line);
}

export const cdiSpec: Parser = {
  id: 'cdi-spec',
  literals: ['hostpath:', 'containerpath:', '/dev/nvidia', 'host-driver-version', '"hostpath"', '"containerpath"'],
  parse(document, hits, sink) {
    const isSpec = document.lines.some((line) => /cdiVersion/.test(line.clean));
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const asked = /\/cdi\/|\.ya?ml\b/.test(line.command ?? '');
      if (!isSpec && !asked) continue;
      const path = /\b(?:hostPath|containerPath|path)"?: {1,4}"?(\/[^\s"',]{1,400})/.exec(line.clean)?.[1];
      if (path !== undefined && !path.endsWith('nvidia-cdi-hook')) sink.add('container.cdi-path', path, line);
      const release = fullDriverRelease(/--host-driver-version=(\d[\d.]{2,20})/.exec(line.clean)?.[1]);
      if (release !== null) sink.add('container.setting', { name: 'cdi.host-driver-version', value: release }, line);
    }
  },
};

export const deviceRules: Parser = {
  id: 'cgroup-devices',
  literals: ['devices.list', 'c 195:', 'c 234:', 'c 235:', 'c 509:', 'c 510:', 'c 511:'],
  keep: { before: 1, after: 4 },
  parse(document, hits, sink) {
    const rule = /^[abc] (?:\d{1,4}|\*):(?:\d{1,7}|\*) [rwm]{1,3}$/;
    for (const line of hits) {
      if (!line.prompt && !line.told && rule.test(line.clean.trim()))
        sink.add('os.device-rule', line.clean.trim(), line);
    }
    for (const block of blocksOf(document)) {
      if (!block.command.includes('devices.list')) continue;
      for (const line of filled(block.output))
        if (rule.test(line.clean.trim())) sink.add('os.device-rule', line.clean.trim(), line);
    }
  },
};

// $ cat /proc/self/mountinfo
// 2291 2214 0:431 / /proc/driver/nvidia rw,nosuid - tmpfs tmpfs rw,mode=555
// 2294 2230 259:2 /usr/lib/x86_64-linux-gnu/libcuda.so.550.135 /usr/lib/x86_64-linux-gnu/libcuda.so.550.135 ro - ext4 /dev/nvme0n1p2 rw
// 2295 2230 0:415 /usr/local/cuda-12.6/compat/libcuda.so.560.35.05 /usr/lib/x86_64-linux-gnu/libcuda.so.560.35.05 ro - overlay overlay rw
const mountLine =
  /^\d{1,9} \d{1,9} \d{1,5}:\d{1,9} (\S{1,1000}) (\S{1,1000}) \S{1,400} .{0,200}?- (\S{1,30}) (\S{1,300}) /;

export const mountinfo: Parser = {
  id: 'mountinfo',
  literals: [
    ' - ext4 ',
    ' - xfs ',
    ' - overlay ',
    ' - tmpfs ',
    ' - btrfs ',
    ' - zfs ',
    '/proc/driver/nvidia',
    ' - erofs ',
  ],
  parse(_document, hits, sink) {
    let rootLine: Line | null = null;
    let injected: Line | null = null;
    let tmpfs: Line | null = null;
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const match = mountLine.exec(line.clean.trim());
      if (match === null) continue;
      const [, root, point, type] = match as unknown as [string, string, string, string];
      if (point === '/' && type === 'overlay') rootLine = line;
      if (point === '/proc/driver/nvidia' && type === 'tmpfs') tmpfs = line;
      const library = /\/lib(?:cuda|nvidia-ml)\.so\.(\d{3}\.[\d.]{1,12}\d)$/.exec(point);
      const release = fullDriverRelease(library?.[1]);
      if (release === null) continue;
      const from = type === 'overlay' || root.includes('/compat/') ? 'image' : 'host';
      sink.add('container.mount', { path: point, from }, line);
      if (from === 'host') {
        injected ??= line;
        sink.add('driver.library', release, line);
        sink.add('file.exists', point, line);
      }
    }
    if (tmpfs !== null) sink.add('container.injection', 'legacy', tmpfs);
    else if (injected !== null && rootLine !== null) sink.add('container.injection', 'cdi', [injected, rootLine]);
  },
};
