import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../../knowledge/knowledge.ts';
import { lintBuildFiles } from './lint.ts';

function told(services: unknown, platform: string | null = null, gpuBuild: boolean | null = null): readonly string[] {
  const compose = {
    file: 'compose.yaml',
    value: { services },
    lines: [],
    lineOf: (path: readonly (string | number)[]) => path.length,
    gpuBuild: () => gpuBuild,
  };
  return lintBuildFiles([{ kind: 'compose', compose }], platform, defaultKnowledge).findings.map(
    (each) => `${each.certainty === 'possible' ? '?' : ''}${each.cause}:${each.evidence[0]?.line ?? 0}`,
  );
}

const image = 'nvidia/cuda:12.6.3-devel-ubuntu22.04';
const reserved = {
  deploy: { resources: { reservations: { devices: [{ driver: 'nvidia', count: 1, capabilities: ['gpu'] }] } } },
};

describe('a compose file', () => {
  it.each([
    ['a GPU image that asks for none', { a: { image } }, ['container-started-without-gpus:3']],
    [
      'a reservation without capabilities',
      { a: { image, deploy: { resources: { reservations: { devices: [{ driver: 'nvidia', count: 1 }] } } } } },
      ['container-started-without-gpus:7'],
    ],
    [
      'count and device_ids',
      {
        a: {
          image,
          deploy: {
            resources: { reservations: { devices: [{ count: 1, device_ids: ['0'], capabilities: ['gpu'] }] } },
          },
        },
      },
      ['container-started-without-gpus:7'],
    ],
    [
      'capabilities without compute',
      { a: { image, ...reserved, environment: { NVIDIA_DRIVER_CAPABILITIES: 'utility' } } },
      ['driver-capabilities-lack-compute:4'],
    ],
    [
      'stubs on the path',
      { a: { image, ...reserved, environment: ['LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs'] } },
      ['libcuda-stub-on-path:4'],
    ],
    [
      'the check switched off',
      { a: { image, gpus: 'all', environment: ['NVIDIA_DISABLE_REQUIRE=true'] } },
      ['image-gate-lower-than-content:4'],
    ],
    [
      'an entrypoint over that of NVIDIA',
      { a: { image: 'nvcr.io/nvidia/tritonserver:24.10-py3', gpus: 'all', entrypoint: 'tritonserver' } },
      ['compat-entrypoint-replaced:3'],
    ],
    [
      'the runtime with devices that only the image may name',
      { a: { image: 'team/app', runtime: 'nvidia' } },
      ['?visible-devices-not-set:3'],
    ],
    [
      'an image with a default',
      { a: { image: '${IMAGE:-nvidia/cuda:12.6.3-base-ubuntu22.04}' } },
      ['container-started-without-gpus:3'],
    ],
  ] as const)('%s', (_, services, expected) => expect(told(services)).toEqual(expected));

  it.each([
    ['a reservation', { a: { image, ...reserved } }],
    ['gpus', { a: { image, gpus: 'all' } }],
    ['the runtime', { a: { image, runtime: 'nvidia' } }],
    ['a CDI device', { a: { image, devices: ['nvidia.com/gpu=all'] } }],
    ['another image', { a: { image: 'postgres:17' }, b: { image: 'redis' } }],
    [
      'a value that is not known',
      { a: { image, gpus: 'all', environment: { NVIDIA_DRIVER_CAPABILITIES: '${CAPS}' } } },
    ],
    ['nothing', {}],
    ['a service that extends another', { a: { image, extends: { service: 'b' } } }],
  ] as const)('nothing wrong: %s', (_, services) => expect(told(services)).toEqual([]));

  it('knows of a build for the GPU', () => {
    expect(told({ a: { build: '.' } }, null, true)).toEqual(['container-started-without-gpus:2']);
    expect(told({ a: { build: '.' } }, null, false)).toEqual([]);
  });

  it('is held against the platform of the nodes', () => {
    expect(told({ a: { image, gpus: 'all', platform: 'linux/arm64' } }, 'linux/amd64')).toEqual([
      'image-wrong-platform:3',
    ]);
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (service, all) => (told({ a: service }), told(all), true)));
  });
});
