// What tests of images share: services by hand, each in a folder of its own, on loopback, and ended with the tests.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageOptions } from '../../packages/collect/src/image/index.ts';
import { openImage } from '../../packages/collect/src/image/index.ts';
import { shell } from './tools.ts';
import { until } from './transports-services.ts';

export interface Started {
  /** Why it does not run. */
  readonly problem: string | null;
  readonly address: string;
  stop(): void;
}

function started(child: ChildProcess, address: string, up: boolean, name: string): Started {
  return {
    problem: up ? null : `${name} does not start here`,
    address,
    stop: () => void child.kill(),
  };
}

/** A registry without passwords or TLS. */
export async function registryService(folder: string): Promise<Started> {
  const address = `localhost:${5800 + (process.pid % 150)}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'config.yml'),
    [
      'version: 0.1',
      `storage: {filesystem: {rootdirectory: ${folder}/data}}`,
      `http: {addr: ${address}, secret: x}`,
      'log: {level: error, accesslog: {disabled: true}}',
    ].join('\n'),
  );
  const child = spawn('docker-registry', ['serve', join(folder, 'config.yml')], { stdio: 'ignore' });
  const up = await until(() => shell(`curl -sf http://${address}/v2/`).status === 0, 15_000);
  return started(child, address, up, 'docker-registry');
}

/** A Docker engine without networks; `address` is its DOCKER_HOST. */
export async function dockerService(folder: string): Promise<Started> {
  const address = `unix://${folder}/socket`;
  mkdirSync(folder, { recursive: true });
  const child = spawn(
    'dockerd',
    [
      `--data-root=${folder}/data`,
      `--exec-root=${folder}/exec`,
      `--pidfile=${folder}/pid`,
      `--host=${address}`,
      '--bridge=none',
      '--iptables=false',
      '--storage-driver=vfs',
    ],
    { stdio: 'ignore' },
  );
  const up = await until(() => shell('docker version', { env: { DOCKER_HOST: address } }).status === 0, 30_000);
  return started(child, address, up, 'dockerd');
}

/** containerd with a root of its own, `FOLDER/root`; `address` is its socket. */
export async function containerdService(folder: string): Promise<Started> {
  const address = join(folder, 'socket');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'config.toml'),
    [
      'version = 2',
      `root = "${folder}/root"`,
      `state = "${folder}/state"`,
      'disabled_plugins = ["io.containerd.grpc.v1.cri"]',
      `[grpc]\n  address = "${address}"`,
      `[ttrpc]\n  address = "${address}.ttrpc"`,
    ].join('\n'),
  );
  const child = spawn('containerd', ['-c', join(folder, 'config.toml')], { stdio: 'ignore' });
  const up = await until(() => shell(`ctr -a ${address} version`).status === 0, 20_000);
  return started(child, address, up, 'containerd');
}

export interface Read {
  readonly files: readonly (readonly [path: string, type: string, told: string | null])[];
  readonly left: readonly string[];
  readonly digest: string | null;
  readonly platform: string | null;
  readonly env: readonly string[];
  readonly verified: boolean;
  /** Bytes of layers that were read from their beginning on. */
  readonly streamed: number;
}

/** Reads an image as the command does. */
export async function readImage(reference: string, options: ImageOptions = {}): Promise<Read> {
  let streamed = 0;
  const image = await openImage(reference, {
    ...options,
    progress: ({ bytes }) => {
      streamed = bytes;
    },
  });
  return {
    files: image.layers.flatMap((layer) =>
      layer.entries.map(
        ({ path, type, text, target, binary }) => [path, type, text ?? target ?? binary?.machine ?? null] as const,
      ),
    ),
    left: [...image.left, ...image.layers.flatMap((layer) => layer.left)],
    digest: image.digest,
    platform: image.platform,
    env: (image.config?.env ?? []).map(({ name, value }) => `${name}=${value}`),
    verified: image.layers.every((layer) => layer.diffId !== null),
    streamed,
  };
}
