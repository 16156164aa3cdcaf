import { ImageError } from './errors.ts';

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant: string | null;
}

const aliases: Readonly<Record<string, readonly [string, string | null]>> = {
  x86_64: ['amd64', null],
  'x86-64': ['amd64', null],
  aarch64: ['arm64', null],
  armhf: ['arm', 'v7'],
  armel: ['arm', 'v6'],
  i386: ['386', null],
};

/**
 * Reads `linux/amd64`, `linux/arm/v7`, `arm64`, `aarch64`.
 * @throws ImageError where it is none
 */
export function parsePlatform(text: string): Platform {
  const parts = text.toLowerCase().split('/');
  if (parts.length > 3 || !parts.every((part) => /^[a-z0-9_.-]{1,40}$/.test(part)))
    throw new ImageError(
      'bad-option',
      `${JSON.stringify(text.slice(0, 100))} is no platform`,
      'for example linux/arm64',
    );
  if (parts.length === 1) return platformOf('linux', parts[0]!, null);
  return platformOf(parts[0]!, parts[1]!, parts[2] ?? null);
}

/** The usual form of a platform: `arm64` has no variant `v8`, `amd64` none `v1`. */
export function platformOf(os: string, architecture: string, variant: string | null): Platform {
  const alias = Object.hasOwn(aliases, architecture) ? aliases[architecture] : undefined;
  const name = alias?.[0] ?? architecture;
  const wanted = variant ?? alias?.[1] ?? null;
  const usual = (name === 'arm64' && (wanted === 'v8' || wanted === '8')) || (name === 'amd64' && wanted === 'v1');
  return { os, architecture: name, variant: usual || wanted === '' ? null : wanted };
}

export function platformText({ os, architecture, variant }: Platform): string {
  return `${os}/${architecture}${variant === null ? '' : `/${variant}`}`;
}

/** What this machine would run. */
export function ownPlatform(): Platform {
  // A browser does not tell.
  const arch = typeof process === 'undefined' ? 'x64' : process.arch;
  const names: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
  return platformOf('linux', names[arch] ?? arch, arch === 'arm' ? 'v7' : null);
}

/** Whether an image for `has` is what is asked for; without a variant any will do. */
export function suits(has: Platform, asked: Platform): boolean {
  return (
    has.os === asked.os &&
    has.architecture === asked.architecture &&
    (has.variant === asked.variant || asked.variant === null || has.variant === null)
  );
}
