// What variables of a build file or a compose file do to the GPU.
import type { Remedy } from '../../model/rule.ts';
import { withoutSlashes } from '../node.ts';
import type { Notice, Place } from './finding.ts';

export interface VariableSetting {
  /** The image is meant for a GPU. */
  readonly gpu: boolean;
  /** CUDA release of the base; null where not known. */
  readonly cuda: string | null;
  /** The image has a folder of stubs; false: its base has none, and nothing brings it. */
  readonly stubs: boolean;
  /** The entrypoint of the base checks the driver itself. */
  readonly checksItself: boolean;
}

/** @param value null where it depends on what only the build knows */
export function variableNotices(
  name: string,
  value: string | null,
  place: Place,
  setting: VariableSetting,
): readonly Notice[] {
  if (value === null) return [];
  switch (name) {
    case 'LD_LIBRARY_PATH':
      return ofSearchPath(value, place, setting);
    case 'LD_PRELOAD':
      return /(?:^|[\s:])\S{0,200}\/stubs\/libcuda\.so/.test(value)
        ? [stub(place, 'LD_PRELOAD names the stub of libcuda', 'likely')]
        : [];
    case 'NVIDIA_DRIVER_CAPABILITIES':
      return ofCapabilities(value, place, setting);
    case 'NVIDIA_DISABLE_REQUIRE':
      return setting.gpu && ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(value)
        ? [
            notice(
              'image-gate-lower-than-content',
              'likely',
              'NVIDIA_DISABLE_REQUIRE switches the check of the driver off: the image starts where it cannot run',
              place,
              [remedy('leave it out, and state what the image needs in NVIDIA_REQUIRE_CUDA')],
            ),
          ]
        : [];
    case 'NVIDIA_REQUIRE_CUDA':
      return ofRequirement(value, place, setting);
    case 'NVIDIA_VISIBLE_DEVICES':
      return setting.gpu && ['void', 'none'].includes(value.trim())
        ? [
            notice(
              'visible-devices-not-set',
              'likely',
              `NVIDIA_VISIBLE_DEVICES=${value} keeps GPUs out of every container of the image`,
              place,
              [remedy('set it to all, or leave it out', 'NVIDIA_VISIBLE_DEVICES=all')],
            ),
          ]
        : [];
    default:
      return [];
  }
}

function ofSearchPath(value: string, place: Place, setting: VariableSetting): readonly Notice[] {
  const folders = value.split(':').map(withoutSlashes);
  const notices: Notice[] = [];
  if (folders.some((each) => each.endsWith('/stubs')))
    notices.push(
      stub(
        place,
        'LD_LIBRARY_PATH names a folder of stubs: the loader may take the stub for the driver',
        setting.stubs ? 'likely' : 'possible',
      ),
    );
  // NVIDIA's images name compat/lib, a link that exists only where their entrypoint made it.
  const compat = folders.find((each) => /\/compat$/.test(each) || /\/compat\/lib\.real$/.test(each));
  if (compat !== undefined)
    notices.push(
      notice(
        'compat-registered-for-every-host',
        'likely',
        `LD_LIBRARY_PATH puts ${compat} in front on every host, newer ones too`,
        place,
        [remedy('leave it out: the container toolkit takes compat libraries where they help')],
      ),
    );
  return notices;
}

const driverCapabilities: ReadonlySet<string> = new Set([
  'all',
  'compute',
  'compat32',
  'display',
  'graphics',
  'ngx',
  'utility',
  'video',
]);

function ofCapabilities(value: string, place: Place, setting: VariableSetting): readonly Notice[] {
  const words = value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const refused = words.filter((each) => !driverCapabilities.has(each));
  if (refused.length > 0)
    return [
      notice(
        'driver-capabilities-lack-compute',
        'likely',
        `NVIDIA_DRIVER_CAPABILITIES names ${refused.join(', ').slice(0, 80)}, which is no capability: the container does not start in legacy mode`,
        place,
        [remedy(`name of them: ${[...driverCapabilities].join(', ')}`)],
      ),
    ];
  if (words.length === 0 || words.includes('all') || words.includes('compute') || !setting.gpu) return [];
  return [
    notice(
      'driver-capabilities-lack-compute',
      'likely',
      `NVIDIA_DRIVER_CAPABILITIES is ${words.join(',')}: without compute there is no libcuda`,
      place,
      [remedy('name compute too', `NVIDIA_DRIVER_CAPABILITIES=${['compute', ...words].join(',')}`)],
    ),
  ];
}

function ofRequirement(value: string, place: Place, setting: VariableSetting): readonly Notice[] {
  const floor = /\bcuda>=(\d{1,2})(?:\.(\d{1,2}))?/i.exec(value);
  const own = /^(\d{1,2})\.(\d{1,2})/.exec(setting.cuda ?? '');
  if (floor === null || own === null || setting.checksItself) return [];
  if (Number(floor[1]) >= Number(own[1])) return [];
  return [
    notice(
      'image-gate-lower-than-content',
      'likely',
      `NVIDIA_REQUIRE_CUDA asks for ${floor[0]}, the base image is of CUDA ${setting.cuda ?? ''}`,
      place,
      [remedy('ask for what is inside', `NVIDIA_REQUIRE_CUDA="cuda>=${own[1]!}.0"`)],
    ),
  ];
}

function stub(place: Place, message: string, certainty: Notice['certainty']): Notice {
  return notice('libcuda-stub-on-path', certainty, message, place, [
    remedy('give the stub to the linker alone: LIBRARY_PATH, or -L', 'LIBRARY_PATH=/usr/local/cuda/lib64/stubs'),
  ]);
}

function notice(
  cause: string,
  certainty: Notice['certainty'],
  message: string,
  place: Place,
  remedies: readonly Remedy[],
): Notice {
  return { cause, certainty, message, places: [place], remedies, restsOn: ['container-toolkit-source'] };
}

function remedy(text: string, command?: string): Remedy {
  return { actor: 'developer', do: text, ...(command === undefined ? {} : { command }) };
}
