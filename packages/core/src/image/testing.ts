// Images made by hand, for tests.
import type { FileFacts } from '../binary/model.ts';
import type { ImageConfig, LayerScan, ScannedEntry, ScannedImage } from './model.ts';

/** A number is a file of that size, `-> x` a link, any other text a file with it, an object an ELF file. */
export type Made = Readonly<Record<string, number | string | (Partial<FileFacts> & { readonly bytes?: number })>>;

/** A layer of files. */
export function layer(files: Made, more: Partial<LayerScan> = {}): LayerScan {
  const entries = Object.entries(files).map(([path, what]): ScannedEntry => {
    if (typeof what === 'number') return { path, type: 'file', bytes: what };
    if (typeof what === 'string')
      return what.startsWith('-> ')
        ? { path, type: 'symlink', bytes: 0, target: what.slice(3) }
        : { path, type: 'file', bytes: what.length, text: what };
    const { bytes, ...facts } = what;
    return { path, type: 'file', bytes: bytes ?? 100_000, binary: { ...elf, ...facts } };
  });
  const digest = `sha256:${String(Object.keys(files).length).padStart(64, '0')}`;
  return {
    digest,
    diffId: digest,
    bytes: 1000,
    unpackedBytes: 2000,
    entries,
    whiteouts: [],
    opaque: [],
    left: [],
    ...more,
  };
}

const elf: FileFacts = {
  kind: 'elf',
  machine: 'x86_64',
  soname: null,
  needed: [],
  rpath: [],
  runpath: [],
  glibc: null,
  library: null,
  libcuda: null,
  code: null,
  unread: [],
};

/** An image of layers with an environment. */
export function image(
  layers: readonly LayerScan[],
  env: Readonly<Record<string, string>> = {},
  more: Partial<ImageConfig> & { readonly reference?: string; readonly quick?: boolean } = {},
): ScannedImage {
  const { reference, quick, ...config } = more;
  return {
    reference: reference ?? 'registry.example/team/app:1',
    digest: `sha256:${'a'.repeat(64)}`,
    platform: `linux/${config.architecture ?? 'amd64'}`,
    config: {
      os: 'linux',
      architecture: 'amd64',
      variant: null,
      created: null,
      env: Object.entries(env).map(([name, value]) => ({ name, value })),
      entrypoint: [],
      cmd: ['bash'],
      user: null,
      labels: {},
      history: layers.map((_, at) => ({ createdBy: `RUN step ${at + 1}`, empty: false })),
      ...config,
    },
    layers,
    quick: quick ?? false,
    left: [],
  };
}
