// Container engines: their release and how they are set up.
//
// $ docker info
//  Server Version: 27.3.1
//  Cgroup Driver: systemd
//  Cgroup Version: 2
//  CDI spec directories:
//   /etc/cdi
// $ docker version --format '{{.Server.Version}}'
// $ cat /etc/containerd/config.toml
// version = 2
// [plugins."io.containerd.grpc.v1.cri"]
//   enable_cdi = true
//   [plugins."io.containerd.grpc.v1.cri".containerd]
//     default_runtime_name = "nvidia"
//     [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia.options]
//       BinaryName = "/usr/bin/nvidia-container-runtime"
//       SystemdCgroup = true
// $ cat /etc/crio/crio.conf.d/99-nvidia.conf
// [crio.runtime.runtimes.nvidia]
// runtime_path = "/usr/bin/nvidia-container-runtime"
// $ cat /etc/docker/daemon.json
// { "features": { "cdi": true }, "exec-opts": ["native.cgroupdriver=cgroupfs"] }
// containerd github.com/containerd/containerd v1.7.24 88bf19b…
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { objectsOf } from './objects.ts';
import { at, entriesAt, listAt } from './tree.ts';
import { integer, unquoted } from './values.ts';

export const engineInfo: Parser = {
  id: 'engine-info',
  literals: [
    'server version:',
    'cgroup driver:',
    'cgroup version:',
    'github.com/containerd/containerd',
    'docker version ',
    'podman version ',
    'crio version',
    'containerd version',
    'runtimename:',
    'containerd.io',
  ],
  keep: { before: 2, after: 2 },
  parse(_document, hits, sink) {
    let driver: { value: string; line: Line } | null = null;
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean.trim();
      const server = /^Server Version: {1,24}(\d[\w.+~-]{1,40})$/.exec(text)?.[1];
      if (server !== undefined) sink.add('container.engine', { name: 'docker', version: server }, line);
      const version =
        /^(?:containerd )?github\.com\/containerd\/containerd(?:\/v2)? v?(\d[\w.+~-]{1,40})/.exec(text)?.[1] ??
        /^containerd version:? v?(\d[\w.+~-]{1,40})/.exec(text)?.[1];
      if (version !== undefined) sink.add('container.engine', { name: 'containerd', version }, line);
      const other = /^(Docker|podman|crio) version:? {1,4}v?(\d[\w.+~-]{1,40}?),?(?: build \S{1,20})?$/.exec(text);
      if (other !== null)
        sink.add(
          'container.engine',
          { name: other[1] === 'crio' ? 'cri-o' : other[1]!.toLowerCase(), version: other[2]! },
          line,
        );
      const cgroup = /^Cgroup Driver: {1,24}(systemd|cgroupfs|none)$/.exec(text)?.[1];
      if (cgroup !== undefined) driver = { value: cgroup, line };
      const number = /^Cgroup Version: {1,24}([12])$/.exec(text)?.[1];
      if (number !== undefined) {
        const near = driver !== null && Math.abs(driver.line.index - line.index) < 4 ? driver : null;
        sink.add(
          'container.cgroup',
          { version: integer(number), driver: near?.value ?? null },
          near === null ? line : [line, near.line],
        );
        driver = null;
      }
    }
    if (driver !== null) sink.add('container.cgroup', { version: null, driver: driver.value }, driver.line);
  },
};

const tomlKey = /^\s{0,24}([A-Za-z][\w-]{1,60})\s{0,4}=\s{0,4}(\S.{0,300})$/;
const wantedToml =
  /^(?:default_runtime(?:_name)?|enable_cdi|cdi_spec_dirs|SystemdCgroup|BinaryName|runtime_type|runtime_path|runtime_root|privileged_without_host_devices|snapshotter|disabled_plugins|imports|version|cgroup_manager|hooks_dir|allowed_devices|device_ownership_from_security_context|monitor_path|enable_cdi_devices)$/;

/** containerd's config.toml and CRI-O's files: settings with their table. */
export const engineToml: Parser = {
  id: 'engine-toml',
  literals: [
    '[plugins.',
    '[crio',
    'io.containerd.',
    'enable_cdi',
    'default_runtime',
    'disabled_plugins',
    'systemdcgroup',
    'runtime_path',
  ],
  keep: { before: 2, after: 30 },
  parse(document, hits, sink) {
    let done = -1;
    for (const hit of hits.slice(0, 400)) {
      if (hit.index <= done || hit.prompt || hit.told) continue;
      if (!/^\s{0,24}(?:\[|[A-Za-z]\w{1,60}\s{0,4}=)/.test(hit.clean)) continue;
      done = readToml(document, hit, sink);
    }
  },
};

function readToml(document: Document, start: Line, sink: FactSink): number {
  let table = '';
  let index = start.index;
  for (; index < Math.min(document.lines.length, start.index + 1000); index++) {
    const line = document.lines[index]!;
    const text = line.clean.trim();
    if (line.prompt) break;
    if (text === '' || text.startsWith('#')) continue;
    const head = /^\[([\w."'/:-]{1,200})\]$/.exec(text)?.[1];
    if (head !== undefined) {
      table = head.replaceAll(/["']/g, '');
      continue;
    }
    const setting = tomlKey.exec(line.clean);
    if (setting === null) {
      if (/^[\]}[{"']/.test(text)) continue;
      break;
    }
    const engine = table.startsWith('crio')
      ? 'cri-o'
      : table.startsWith('plugins')
        ? 'containerd'
        : /^(?:default_runtime_name|enable_cdi|disabled_plugins)$/.test(setting[1]!)
          ? 'containerd'
          : null;
    if (engine !== null && wantedToml.test(setting[1]!))
      sink.add(
        'container.engine-setting',
        {
          engine,
          name: table === '' ? setting[1]! : `${table}.${setting[1]!}`,
          value: unquoted(setting[2]!.replace(/\s{1,8}#[^"']{0,200}$/, '')),
        },
        line,
      );
  }
  return index - 1;
}

/** Docker's daemon.json. */
export const dockerDaemon: Parser = {
  id: 'docker-daemon-json',
  literals: ['daemon.json', '"default-runtime"', '"exec-opts"', '"cdi"', '"runtimes"', '"live-restore"'],
  keep: { before: 4, after: 20 },
  parse(document, _hits, sink) {
    for (const { root } of objectsOf(document)) {
      const runtimes = at(root, 'runtimes');
      const daemon =
        runtimes?.map !== undefined ||
        at(root, 'default-runtime') !== undefined ||
        at(root, 'exec-opts') !== undefined ||
        at(root, 'features', 'cdi') !== undefined;
      if (!daemon) continue;
      const put = (name: string, value: string | null | undefined, line: Line): void => {
        if (typeof value === 'string') sink.add('container.engine-setting', { engine: 'docker', name, value }, line);
      };
      for (const [name, value] of entriesAt(root)) put(name, value.text, value.line);
      for (const option of listAt(root, 'exec-opts')) put('exec-opts', option.text, option.line);
      for (const [name, value] of entriesAt(root, 'features')) put(`features.${name}`, value.text, value.line);
      for (const [name, runtime] of runtimes?.map ?? []) {
        const path = at(runtime, 'path');
        if (path !== undefined) put(`runtimes.${name}.path`, path.text, path.line);
      }
    }
  },
};
