// What is wrong with the services of a compose file (compose-spec) that are meant for a GPU.
import type { Remedy } from '../../model/rule.ts';
import { baseImageOf } from './base-image.ts';
import type { BaseImage } from './base-image.ts';
import { samePlatform } from './dockerfile-rules.ts';
import type { Notice, Place } from './finding.ts';
import { variableNotices } from './variables.ts';

/** Keys and list places that lead to a value. */
export type ValuePath = readonly (string | number)[];

/** A compose file that was parsed. */
export interface ComposeFile {
  readonly file: string;
  readonly value: unknown;
  readonly lines: readonly string[];
  /** Line of a value, from 1; null where there is none. */
  readonly lineOf: (path: ValuePath) => number | null;
  /** The Dockerfile of a service is for a GPU; null where it was not read. */
  readonly gpuBuild: (service: string) => boolean | null;
}

type Fields = Readonly<Record<string, unknown>>;

const reservation = 'deploy.resources.reservations.devices: [{ driver: nvidia, count: all, capabilities: [gpu] }]';

/** @param platform of the nodes; null where it is not given */
export function composeNotices(compose: ComposeFile, platform: string | null): readonly Notice[] {
  const services = isFields(compose.value) ? compose.value['services'] : undefined;
  if (!isFields(services)) return [];
  return Object.entries(services).flatMap(([name, service]) =>
    isFields(service) ? serviceNotices(compose, name, service, platform) : [],
  );
}

function serviceNotices(
  compose: ComposeFile,
  name: string,
  service: Fields,
  platform: string | null,
): readonly Notice[] {
  const at = (path: ValuePath): Place => {
    const line = compose.lineOf(['services', name, ...path]) ?? compose.lineOf(['services', name]) ?? 1;
    return { file: compose.file, line, column: 1, text: compose.lines[line - 1] ?? '' };
  };
  const image = typeof service['image'] === 'string' ? withDefaults(service['image']) : null;
  const base: BaseImage | null = image === null ? null : baseImageOf(image);
  const variables = variablesOf(service['environment']);
  const devices = deviceRequests(service);
  const runtime = service['runtime'];
  const asks =
    devices.some((each) => each.gpu) || runtime === 'nvidia' || service['gpus'] !== undefined || hasCdi(service);
  const named = base !== null && base.kind !== 'other';
  const gpu =
    named || compose.gpuBuild(name) === true || variables.some((each) => each.name.startsWith('NVIDIA_')) || asks;
  const notices: Notice[] = [];
  if (gpu && !asks && service['extends'] === undefined)
    notices.push({
      cause: 'container-started-without-gpus',
      certainty: named || compose.gpuBuild(name) === true ? 'likely' : 'possible',
      message: `the service ${name} asks for no GPU: neither a device reservation nor gpus nor runtime: nvidia`,
      places: [at(image === null ? [] : ['image'])],
      remedies: [developer('reserve the devices', reservation)],
      restsOn: ['container-toolkit-source'],
    });
  for (const each of devices) notices.push(...requestNotices(each, name, at(each.path)));
  if (
    runtime === 'nvidia' &&
    !named &&
    compose.gpuBuild(name) !== true &&
    !variables.some((each) => each.name === 'NVIDIA_VISIBLE_DEVICES')
  )
    notices.push({
      cause: 'visible-devices-not-set',
      certainty: 'possible',
      message: `runtime: nvidia passes the GPUs of NVIDIA_VISIBLE_DEVICES, which ${name} does not set; its image may`,
      places: [at(['runtime'])],
      remedies: [developer('set the variable, or reserve devices instead', 'NVIDIA_VISIBLE_DEVICES=all')],
      restsOn: ['container-toolkit-source'],
    });
  for (const each of variables)
    notices.push(
      ...variableNotices(each.name, each.value, at(each.path), {
        gpu,
        stubs: base?.kind !== 'cuda' || base.devel,
        cuda: base?.cuda ?? null,
        checksItself: base?.kind === 'ngc',
      }),
    );
  if (
    base?.kind === 'ngc' &&
    service['entrypoint'] !== undefined &&
    !JSON.stringify(service['entrypoint']).includes('nvidia_entrypoint.sh')
  )
    notices.push({
      cause: 'compat-entrypoint-replaced',
      certainty: 'likely',
      message: `the entrypoint of ${name} takes the place of nvidia_entrypoint.sh, which switches the compat libraries on`,
      places: [at(['entrypoint'])],
      remedies: [developer('give the program as command instead')],
      restsOn: ['cuda-forward-compat'],
    });
  const pinned = service['platform'];
  if (typeof pinned === 'string' && platform !== null && !samePlatform(pinned, platform))
    notices.push({
      cause: 'image-wrong-platform',
      certainty: 'likely',
      message: `the service ${name} is pinned to ${pinned}, the nodes are ${platform}`,
      places: [at(['platform'])],
      remedies: [developer('leave platform out, or name that of the nodes')],
      restsOn: [],
    });
  return notices;
}

interface Request {
  readonly path: ValuePath;
  readonly gpu: boolean;
  readonly value: Fields;
}

function deviceRequests(service: Fields): readonly Request[] {
  const list = fieldsAt(fieldsAt(fieldsAt(service, 'deploy'), 'resources'), 'reservations')['devices'];
  if (!Array.isArray(list)) return [];
  return list.flatMap((value: unknown, place): readonly Request[] => {
    if (!isFields(value)) return [];
    const capabilities = Array.isArray(value['capabilities']) ? value['capabilities'].flat() : [];
    const gpu =
      capabilities.some((each) => each === 'gpu' || each === 'nvidia' || each === 'compute') ||
      value['driver'] === 'nvidia' ||
      value['driver'] === 'cdi';
    return [{ path: ['deploy', 'resources', 'reservations', 'devices', place], gpu, value }];
  });
}

/** What the engine refuses in a reservation. */
function requestNotices(request: Request, name: string, place: Place): readonly Notice[] {
  const { value } = request;
  const wrong =
    value['capabilities'] === undefined
      ? `a device reservation of ${name} has no capabilities, which the engine asks for`
      : value['count'] !== undefined && value['device_ids'] !== undefined
        ? `a device reservation of ${name} has count and device_ids, which exclude each other`
        : null;
  if (wrong === null) return [];
  return [
    {
      cause: 'container-started-without-gpus',
      certainty: 'likely',
      message: wrong,
      places: [place],
      remedies: [developer('reserve the devices', reservation)],
      restsOn: [],
    },
  ];
}

function hasCdi(service: Fields): boolean {
  const devices = service['devices'];
  return (
    Array.isArray(devices) &&
    devices.some(
      (each) => typeof each === 'string' && (each.startsWith('nvidia.com/gpu') || each.startsWith('/dev/nvidia')),
    )
  );
}

interface Variable {
  readonly name: string;
  readonly value: string | null;
  readonly path: ValuePath;
}

/** A map, or a list of `NAME=value`; a value with a variable in it is not known, but for its default. */
function variablesOf(environment: unknown): readonly Variable[] {
  if (Array.isArray(environment)) {
    return environment.flatMap((each: unknown, place): readonly Variable[] => {
      if (typeof each !== 'string') return [];
      const equals = each.indexOf('=');
      const name = equals < 0 ? each : each.slice(0, equals);
      return [{ name, value: equals < 0 ? null : withDefaults(each.slice(equals + 1)), path: ['environment', place] }];
    });
  }
  if (!isFields(environment)) return [];
  return Object.entries(environment).map(([name, value]) => ({
    name,
    value:
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? withDefaults(String(value))
        : null,
    path: ['environment', name],
  }));
}

/** `${NAME:-default}` is its default; null where a variable has none. */
function withDefaults(text: string): string | null {
  const put = text.replaceAll(/\$\{[A-Za-z_]\w{0,100}:?-([^{}]{0,500})\}/g, '$1');
  return /\$[A-Za-z_{]/.test(put) ? null : put.replaceAll('$$', '$');
}

function developer(text: string, command?: string): Remedy {
  return { actor: 'developer', do: text, ...(command === undefined ? {} : { command }) };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsAt(value: Fields, key: string): Fields {
  const found = value[key];
  return isFields(found) ? found : {};
}
