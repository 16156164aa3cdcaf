// How container engines and the NVIDIA container toolkit are set up.
//
// $ docker info
//  Runtimes: io.containerd.runc.v2 nvidia runc
//  Default Runtime: runc
// $ cat /etc/docker/daemon.json
// { "default-runtime": "nvidia", "runtimes": { "nvidia": { "path": "nvidia-container-runtime" } } }
// containerd: default_runtime_name = "nvidia"
//             [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia]
// $ cat /etc/nvidia-container-runtime/config.toml
// [nvidia-container-cli]
// root = "/run/nvidia/driver"
// $ cat /sys/fs/cgroup/devices/devices.list
// c 195:* m
// $ nvidia-ctk cdi list
// nvidia.com/gpu=0
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';
import { unquoted } from './values.ts';

const defaultRuntime =
  /^\s{0,8}Default Runtime: (\S{1,120})|"default-runtime"\s{0,4}:\s{0,4}"([^"]{1,120})"|\bdefault_runtime_name\s{0,4}=\s{0,4}"([^"]{1,120})"|\bdefault_runtime\s{0,4}=\s{0,4}"([^"]{1,120})"/;

export const engineRuntimes: Parser = {
  id: 'container-engine',
  literals: [
    'default runtime:',
    'runtimes:',
    'default-runtime',
    'default_runtime',
    '"runtimes"',
    '.runtimes.',
    'daemon.json',
    '"runc":',
  ],
  keep: { before: 0, after: 12 },
  parse(document, hits, sink) {
    const tables: { name: string; line: Line }[] = [];
    for (const line of hits) {
      if (line.prompt) continue;
      const text = line.clean;
      const match = defaultRuntime.exec(text);
      const name = match?.[1] ?? match?.[2] ?? match?.[3] ?? match?.[4];
      if (name !== undefined) sink.add('container.default-runtime', name, line);
      const listed = /^\s{0,8}Runtimes: (\S.{0,400})$/.exec(text);
      if (listed !== null) sink.add('container.runtimes', listed[1]!.trim().split(/[\s,]+/), line);
      const table = /^\s{0,20}\[plugins\..{1,120}\.runtimes\.["']?([\w.-]{1,60})["']?\]/.exec(text);
      if (table !== null && !table[1]!.endsWith('.options')) tables.push({ name: table[1]!, line });
      if (text.includes('"runtimes"') || /^\s{0,4}\{"[\w.-]{1,60}":\s{0,4}\{/.test(text))
        readJsonRuntimes(document, line, sink);
    }
    if (tables.length > 0) {
      sink.add(
        'container.runtimes',
        tables.map((table) => table.name),
        tables.map((table) => table.line),
      );
    }
    for (const block of blocksOf(document)) {
      if (!/\bcat\b.{0,80}\bdocker\/daemon\.json/.test(block.command)) continue;
      const output = filled(block.output);
      const text = output.map((line) => line.clean).join(' ');
      if (output.length > 0 && !text.includes('"runtimes"'))
        sink.add('container.runtimes', ['runc'], output.slice(0, 4));
    }
  },
};

/** Names of a JSON object of runtimes: `"nvidia": { "path": …`. */
function readJsonRuntimes(document: Document, from: Line, sink: FactSink): void {
  const names: string[] = [];
  const lines: Line[] = [];
  for (let at = from.index; at < Math.min(document.lines.length, from.index + 24); at++) {
    const line = document.lines[at]!;
    if (at > from.index && line.prompt) break;
    for (const match of line.clean.matchAll(/"([\w.-]{1,60})"\s{0,4}:\s{0,4}\{/g)) {
      const name = match[1]!;
      if (name === 'runtimes' || name === 'runtimeArgs' || name === 'options') continue;
      if (/^(?:nvidia|runc|crun|kata|io\.containerd)/.test(name)) {
        names.push(name);
        lines.push(line);
      }
    }
  }
  if (names.length > 0) sink.add('container.runtimes', names, lines);
}

const settingKeys =
  /^\s{0,12}(root|path|ldconfig|no-cgroups|mode|accept-nvidia-visible-devices-envvar-when-unprivileged|accept-nvidia-visible-devices-as-volume-mounts|disable-require|cuda-compat-mode|load-kmods)\s{0,4}=\s{0,4}(\S.{0,200})$/;

export const toolkitConfig: Parser = {
  id: 'container-toolkit-config',
  literals: [
    'ldconfig = ',
    'no-cgroups',
    'accept-nvidia-visible',
    'root = "',
    'root="',
    'mode = "',
    'disable-require',
    'cuda-compat-mode',
  ],
  keep: { before: 12, after: 0 },
  parse(document, hits, sink) {
    for (const line of hits) {
      const match = settingKeys.exec(line.clean.replace(/^\S{0,200}config\.toml:\s{0,8}/, ''));
      if (match === null || line.prompt) continue;
      const key = match[1]!;
      const section = sectionOf(document, line);
      const asked = line.command !== null && line.command.includes('nvidia-container-runtime');
      if (!section.startsWith('nvidia-') && !asked && /^(?:root|path|mode)$/.test(key)) continue;
      sink.add(
        'container.toolkit-setting',
        { section, key, value: unquoted(match[2]!.replace(/\s{1,8}#.{0,200}$/, '')) },
        line,
      );
    }
  },
};

/** `nvidia-ctk cdi generate --driver-root=/run/nvidia/driver`. */
export const toolkitCommands: Parser = {
  id: 'container-toolkit-command',
  literals: ['--driver-root', '--root=', '-driver-root'],
  parse(_document, hits, sink) {
    for (const line of hits) {
      const match = /\bnvidia-(?:ctk|container-cli)\b.{0,200}?--(?:driver-)?root[= ]["']?(\/[\w./-]{0,200})/.exec(
        line.command ?? line.clean,
      );
      if (match !== null && (line.prompt || line.command === null))
        sink.add('container.toolkit-setting', { section: 'nvidia-ctk', key: 'root', value: match[1]! }, line);
    }
  },
};

export const variablesOfToolkit: readonly string[] = ['NVIDIA_VISIBLE_DEVICES', 'NVIDIA_DRIVER_CAPABILITIES'];

/** Variables of an image or container as JSON: `["PATH=/usr/bin","NVIDIA_REQUIRE_CUDA=cuda>=11.2"]`, and those that it lacks. */
export const imageVariables: Parser = {
  id: 'image-env',
  literals: ['["path=', '"env"', '["nvidia_', '["cuda', '["lang=', '.config.env', '[path='],
  keep: { before: 0, after: 60 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const start = line.clean.search(/"Env"\s{0,3}:\s{0,3}\[|^\s{0,8}\[\s{0,3}"?[A-Z][A-Z0-9_]{1,60}=/);
      if (start < 0) continue;
      let text = line.clean.slice(start);
      let last = line;
      // An array over several lines ends at its bracket.
      for (
        let at = line.index + 1;
        !text.includes(']') && at < Math.min(document.lines.length, line.index + 80);
        at++
      ) {
        last = document.lines[at]!;
        if (last.prompt) break;
        text += ` ${last.clean}`;
      }
      const names = new Set<string>();
      for (const match of text.slice(0, 16_000).matchAll(/["[ ]([A-Z][A-Z0-9_]{1,60})=([^"\]]{0,1000})(?=["\] ])/g)) {
        names.add(match[1]!);
        if (/^(?:NVIDIA_|CUDA_|LD_LIBRARY_PATH$|PATH$)/.test(match[1]!))
          sink.add('env', { name: match[1]!, value: match[2]! }, line);
      }
      if (!text.includes(']') || !names.has('PATH')) continue;
      for (const name of variablesOfToolkit)
        if (!names.has(name)) sink.add('env', { name, value: '' }, [line, ...(last === line ? [] : [last])]);
    }
  },
};

/** Heading of a TOML table above a line, empty where none is near. */
function sectionOf(document: Document, line: Line): string {
  for (let at = line.index; at >= Math.max(0, line.index - 40); at--) {
    const match = /^\s{0,8}\[([\w.-]{1,80})\]\s*$/.exec(document.lines[at]!.clean);
    if (match !== null) return match[1]!;
    if (document.lines[at]!.prompt) return '';
  }
  return '';
}

export const deviceRules: Parser = {
  id: 'cgroup-devices',
  literals: [
    'c 195:',
    'a *:*',
    'c 234:',
    'c 235:',
    'c 236:',
    'c 237:',
    'c 238:',
    'c 239:',
    'c 24',
    'c 50',
    'c 51',
    'devices.list',
  ],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const match = /^\s{0,8}[+-]?([ac]) (\d{1,3}|\*):(\d{1,3}|\*) ([rwm]{1,3})\s*$/.exec(line.clean);
      if (match !== null)
        sink.add('container.device-rule', { device: `${match[2]!}:${match[3]!}`, access: match[4]! }, line);
    }
  },
};

const toolkitProgram = 'nvidia-(?:ctk|container-(?:cli|runtime-hook|runtime|toolkit))';
const absentProgram = new RegExp(
  `(?:^|[\\s:'"\`])(${toolkitProgram})['"\`]{0,2}: (?:command )?not found|which: no (${toolkitProgram}) in|[Nn]o packages? found matching (nvidia-container-toolkit)|package (nvidia-container-toolkit) is not installed|Command not found: (${toolkitProgram})|(?:/usr)?(?:/local)?/s?bin/(${toolkitProgram})['"]?: [Nn]o such file`,
);

export const toolkitPresence: Parser = {
  id: 'container-toolkit',
  literals: [
    'nvidia-ctk',
    'nvidia-container-',
    'nvidia container toolkit cli',
    'nvidia container runtime hook',
    'cli-version:',
  ],
  keep: { before: 0, after: 1 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const text = line.clean;
      const absent = absentProgram.exec(text);
      const name = absent?.slice(1).find((each) => each !== undefined);
      if (name !== undefined) {
        sink.add('container.toolkit-absent', name, line);
        continue;
      }
      const version =
        /^ii {1,8}nvidia-container-toolkit(?:-base)?(?::\w{1,8})? {1,60}(\d{1,2}\.\d{1,2}\.\d{1,2})/.exec(text) ??
        /^nvidia-container-toolkit(?:-base)?-(\d{1,2}\.\d{1,2}\.\d{1,2})-/.exec(text.trim()) ??
        /NVIDIA Container (?:Toolkit CLI|Runtime Hook) version (\d{1,2}\.\d{1,2}\.\d{1,2})/i.exec(text) ??
        /^cli-version: (\d{1,2}\.\d{1,2}\.\d{1,2})/.exec(text);
      if (version !== null) sink.add('container.toolkit-version', version[1]!, line);
    }
    for (const block of blocksOf(document)) {
      if (!/\bnvidia-(?:ctk|container)/.test(block.command)) continue;
      const output = filled(block.output);
      const looked = /^(?:which|command -v|type|whereis|(?:dpkg|rpm|apt|yum|dnf)\b.{1,80}\||ls\b)/.test(block.command);
      const asked = /nvidia-(?:ctk|container[\w-]{0,30})/.exec(block.command)![0];
      if (
        looked &&
        (output.length === 0 || (output.length === 1 && /^0$|^whereis: \S+:$/.test(output[0]!.clean.trim())))
      ) {
        sink.add('container.toolkit-absent', asked, [block.prompt, ...output]);
      } else if (
        /^(?:which|command -v)\b/.test(block.command) &&
        /^\/\S{1,200}\/nvidia-c\S{1,60}$/.test(output[0]?.clean.trim() ?? '')
      ) {
        sink.add('file.exists', output[0]!.clean.trim(), output[0]!);
      }
    }
  },
};

export const cdiSpecification: Parser = {
  id: 'cdi',
  literals: ['hostpath:', 'containerpath:', 'nvidia.com/gpu=', 'cdi devices'],
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const path =
        /^\s{0,24}(?:-\s)?(?:\S{0,120}ya?ml:\s{0,24}(?:\d{1,6}:\s{0,24})?(?:-\s)?)?"?(?:hostPath|containerPath)"?:\s{0,4}"?(\/[^\s"]{1,400})/.exec(
          line.clean,
        );
      if (path !== null) sink.add('cdi.path', path[1]!, line);
      if (/\bFound 0 CDI devices\b/.test(line.clean)) sink.add('cdi.devices', [], line);
    }
    for (const block of blocksOf(document)) {
      if (!/\bcdi list\b/.test(block.command)) continue;
      const lines = filled(block.output).filter((line) =>
        /^(?:nvidia|\w[\w.-]{0,40}nvidia)\.com\/\w{1,20}=\S{1,120}$/.test(line.clean.trim()),
      );
      if (lines.length > 0)
        sink.add(
          'cdi.devices',
          lines.map((line) => line.clean.trim()),
          lines,
        );
    }
  },
};
