// What container engines say of one container, and what Compose and CDI files ask for.
//
// $ docker inspect trainer
// [ { "Id": "9f2b…", "Name": "/trainer", "State": { "Status": "exited", "OOMKilled": true, "ExitCode": 137 },
//     "Config": { "Image": "nvidia/cuda:12.4.1-base-ubuntu22.04", "Env": ["NVIDIA_VISIBLE_DEVICES=all"] },
//     "HostConfig": { "Runtime": "runc", "ShmSize": 67108864,
//       "DeviceRequests": [ { "Driver": "", "Count": -1, "DeviceIDs": null, "Capabilities": [["gpu"]] } ] } } ]
// $ crictl inspect 9f2b0d1c2e3f4
// { "status": { "metadata": { "name": "main" }, "state": "CONTAINER_EXITED", "exitCode": 137, "reason": "OOMKilled" }, "info": { … } }
// services:
//   trainer:
//     deploy:
//       resources:
//         reservations:
//           devices:
//             - driver: nvidia
//               count: all
//               capabilities: [gpu]
// cdiVersion: 0.5.0
// kind: nvidia.com/gpu
// devices:
//   - name: "0"
import type { FactSink, Parser } from './parser.ts';
import type { Tree } from './tree.ts';
import { addVariable } from './environment.ts';
import { addImage } from './images.ts';
import { objectsOf } from './objects.ts';
import { fullDriverRelease } from './releases.ts';
import { at, entriesAt, listAt, numberAt, textAt, truthAt } from './tree.ts';

const mostContainers = 500;

export const containerInspect: Parser = {
  id: 'container-inspect',
  literals: [
    '"hostconfig"',
    '"devicerequests"',
    '"oomkilled"',
    '"runtimetype"',
    '"repotags"',
    'container_exited',
    'container_running',
    '"serverversion"',
    '"runtimehandlers"',
  ],
  keep: { before: 80, after: 300 },
  parse(document, _hits, sink) {
    for (const { root } of objectsOf(document)) {
      for (const object of (root.list ?? [root]).slice(0, mostContainers)) {
        if (at(object, 'HostConfig') !== undefined || at(object, 'State', 'OOMKilled') !== undefined)
          readDocker(object, sink);
        else if (at(object, 'RepoTags') !== undefined) {
          for (const tag of listAt(object, 'RepoTags'))
            if (typeof tag.text === 'string') addImage(tag.text, tag.line, sink);
          readEnv(listAt(object, 'Config', 'Env'), sink);
        } else if (at(object, 'status', 'metadata') !== undefined) readCri(object, sink);
        else if (at(object, 'ServerVersion') !== undefined && at(object, 'DefaultRuntime') !== undefined)
          readDockerInfo(object, sink);
      }
    }
  },
};

/** `NAME=value` entries of a list. */
function readEnv(list: readonly Tree[], sink: FactSink): void {
  for (const entry of list) {
    const text = entry.text ?? '';
    const cut = text.indexOf('=');
    if (cut > 0) addVariable(text.slice(0, cut), text.slice(cut + 1), entry.line, sink);
  }
}

function readDocker(container: Tree, sink: FactSink): void {
  const name = (textAt(container, 'Name') ?? textAt(container, 'Id') ?? 'container').replace(/^\//, '').slice(0, 64);
  const state = at(container, 'State');
  const status = at(state, 'Status');
  if (typeof status?.text === 'string') {
    const exit = at(state, 'ExitCode');
    const killed = at(state, 'OOMKilled');
    const error = at(state, 'Error');
    sink.add(
      'container.state',
      {
        name,
        status: status.text,
        exit: status.text === 'running' || status.text === 'created' ? null : numberAt(state, 'ExitCode'),
        oomKilled: truthAt(state, 'OOMKilled'),
        error: textAt(state, 'Error') === '' ? null : textAt(state, 'Error'),
      },
      [status, exit, killed, error].flatMap((tree) => (tree === undefined ? [] : [tree.line])),
    );
    if (killed?.text === 'true')
      sink.add(
        'os.oom-kill',
        { process: name, pid: null, memcg: true, limitKiB: null, anonKiB: null, shmemKiB: null, group: null },
        killed.line,
      );
  }
  const runtime = at(container, 'HostConfig', 'Runtime') ?? at(container, 'OCIRuntime');
  if (typeof runtime?.text === 'string' && runtime.text !== '')
    sink.add('container.runtime', runtime.text, runtime.line);
  const image = at(container, 'Config', 'Image');
  if (typeof image?.text === 'string') addImage(image.text, image.line, sink);
  readEnv(listAt(container, 'Config', 'Env'), sink);
  const requests = at(container, 'HostConfig', 'DeviceRequests');
  for (const request of requests?.list ?? []) {
    sink.add(
      'container.device-request',
      {
        driver: textAt(request, 'Driver') ?? '',
        count: numberAt(request, 'Count') === 0 ? null : numberAt(request, 'Count'),
        ids: listAt(request, 'DeviceIDs').flatMap((each) => each.text ?? []),
        capabilities: listAt(request, 'Capabilities').flatMap((set) =>
          (set.list ?? []).flatMap((each) => each.text ?? []),
        ),
      },
      request.line,
    );
  }
  const devices = listAt(container, 'HostConfig', 'Devices');
  const nodes = devices.some((device) => (textAt(device, 'PathOnHost') ?? '').startsWith('/dev/nvidia'));
  if (requests !== undefined && (requests.list ?? []).length === 0 && !nodes)
    sink.add('container.no-device-request', true, requests.line);
  for (const device of devices) {
    const path = at(device, 'PathOnHost');
    if (typeof path?.text === 'string' && path.text.startsWith('/dev/nvidia'))
      sink.add('file.exists', path.text, path.line);
  }
}

function readCri(container: Tree, sink: FactSink): void {
  const status = at(container, 'status');
  const name = textAt(status, 'metadata', 'name') ?? 'container';
  const state = at(status, 'state');
  if (typeof state?.text !== 'string') return;
  const reason = at(status, 'reason');
  const exit = numberAt(status, 'exitCode');
  const exited = /EXITED/.test(state.text);
  sink.add(
    'container.state',
    {
      name,
      status: state.text.replace(/^(?:CONTAINER|SANDBOX)_/, '').toLowerCase(),
      exit: exited ? exit : null,
      oomKilled: exited ? reason?.text === 'OOMKilled' : null,
      error: textAt(status, 'message') === '' ? null : textAt(status, 'message'),
    },
    [state, reason].flatMap((tree) => (tree === undefined ? [] : [tree.line])),
  );
  const runtime = at(container, 'info', 'runtimeOptions', 'BinaryName') ?? at(container, 'info', 'runtimeType');
  if (typeof runtime?.text === 'string') sink.add('container.runtime', runtime.text, runtime.line);
  const image = at(status, 'image', 'image');
  if (typeof image?.text === 'string') addImage(image.text, image.line, sink);
  for (const variable of listAt(container, 'info', 'config', 'envs')) {
    const key = textAt(variable, 'key');
    const value = at(variable, 'value');
    if (key !== null && value !== undefined) addVariable(key, value.text ?? '', value.line, sink);
  }
}

function readDockerInfo(info: Tree, sink: FactSink): void {
  const version = at(info, 'ServerVersion');
  if (typeof version?.text === 'string' && /^\d/.test(version.text))
    sink.add('container.engine', { name: 'docker', version: version.text }, version.line);
  const runtime = at(info, 'DefaultRuntime');
  if (typeof runtime?.text === 'string') sink.add('container.default-runtime', runtime.text, runtime.line);
  const runtimes = entriesAt(info, 'Runtimes');
  if (runtimes.length > 0)
    sink.add(
      'container.runtimes',
      runtimes.map(([name]) => name),
      runtimes.map(([, tree]) => tree.line),
    );
  const cgroup = at(info, 'CgroupVersion');
  const driver = textAt(info, 'CgroupDriver');
  if (cgroup !== undefined)
    sink.add('container.cgroup', { version: numberAt(info, 'CgroupVersion'), driver }, cgroup.line);
}

export const composeFile: Parser = {
  id: 'compose',
  literals: ['reservations:', 'capabilities:', 'gpus:', 'services:'],
  keep: { before: 12, after: 8 },
  parse(document, hits, sink) {
    for (const { root } of objectsOf(document)) {
      for (const [, service] of entriesAt(root, 'services')) {
        for (const device of listAt(service, 'deploy', 'resources', 'reservations', 'devices'))
          readReservation(device, sink);
        const gpus = at(service, 'gpus');
        if (gpus?.text === 'all')
          sink.add('container.device-request', { driver: '', count: -1, ids: [], capabilities: ['gpu'] }, gpus.line);
        for (const device of gpus?.list ?? []) readReservation(device, sink);
        const runtime = at(service, 'runtime');
        if (typeof runtime?.text === 'string') sink.add('container.runtime', runtime.text, runtime.line);
        readEnv(listAt(service, 'environment'), sink);
        for (const [name, value] of entriesAt(service, 'environment'))
          addVariable(name, value.text ?? '', value.line, sink);
      }
    }
    // A piece of such a file.
    for (const hit of hits) {
      if (hit.prompt || hit.told || !/^\s{0,40}(?:- )?capabilities: ?\[/.test(hit.clean)) continue;
      if (objectsOf(document).some(({ root, last }) => hit.index >= root.line.index && hit.index <= last)) continue;
      const capabilities = /\[([^\]]{0,200})\]/
        .exec(hit.clean)?.[1]
        ?.split(',')
        .map((each) => each.trim().replaceAll(/["']/g, ''));
      const near = document.lines.slice(Math.max(0, hit.index - 4), hit.index + 4);
      const driver = near
        .map((line) => /^\s{0,40}(?:- )?driver: ?["']?([\w-]{2,30})/.exec(line.clean)?.[1])
        .find((each) => each !== undefined);
      const count = near
        .map((line) => /^\s{0,40}(?:- )?count: ?["']?(all|\d{1,3})/.exec(line.clean)?.[1])
        .find((each) => each !== undefined);
      if (capabilities?.includes('gpu') === true)
        sink.add(
          'container.device-request',
          {
            driver: driver ?? '',
            count: count === undefined ? null : count === 'all' ? -1 : Number(count),
            ids: [],
            capabilities,
          },
          hit,
        );
    }
  },
};

function readReservation(device: Tree, sink: FactSink): void {
  const count = textAt(device, 'count');
  sink.add(
    'container.device-request',
    {
      driver: textAt(device, 'driver') ?? '',
      count: count === 'all' ? -1 : numberAt(device, 'count'),
      ids: listAt(device, 'device_ids').flatMap((each) => each.text ?? []),
      capabilities: listAt(device, 'capabilities').flatMap(
        (each) => each.text ?? each.list?.flatMap((inner) => inner.text ?? []) ?? [],
      ),
    },
    device.line,
  );
}

/** A CDI specification as YAML or JSON: devices, the libcuda that it mounts, the driver that it was made for. */
export const cdiFile: Parser = {
  id: 'cdi-spec',
  literals: ['cdiversion'],
  keep: { before: 1, after: 400 },
  parse(document, _hits, sink) {
    for (const { root } of objectsOf(document)) {
      const kind = textAt(root, 'kind');
      if (at(root, 'cdiVersion') === undefined || kind === null) continue;
      const devices = listAt(root, 'devices').flatMap((device) => {
        const name = at(device, 'name');
        return typeof name?.text === 'string' ? [{ name: `${kind}=${name.text}`, line: name.line }] : [];
      });
      sink.add(
        'cdi.devices',
        devices.map((device) => device.name),
        devices.length > 0 ? devices.map((device) => device.line).slice(0, 8) : at(root, 'cdiVersion')!.line,
      );
      for (const mount of listAt(root, 'containerEdits', 'mounts')) {
        for (const key of ['hostPath', 'containerPath']) {
          const path = at(mount, key);
          if (typeof path?.text === 'string' && path.text.startsWith('/')) sink.add('cdi.path', path.text, path.line);
        }
      }
      for (const hook of listAt(root, 'containerEdits', 'hooks')) {
        for (const arg of listAt(hook, 'args')) {
          const release = fullDriverRelease(/^--host-driver-version=(\S{3,20})$/.exec(arg.text ?? '')?.[1]);
          if (release !== null)
            sink.add(
              'container.engine-setting',
              { engine: 'cdi', name: 'host-driver-version', value: release },
              arg.line,
            );
        }
      }
    }
  },
};
