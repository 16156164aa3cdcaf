// Images made in tests: tar archives byte by byte, layouts and registries in memory.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TarPart {
  readonly name: string;
  readonly content?: string | Uint8Array;
  /** Flag of the type; a plain file without it. */
  readonly type?: string;
  readonly link?: string;
  /** What the size field says, where it is to lie. */
  readonly size?: number | Uint8Array;
}

/** One member of a tar. */
export function tarMember({ name, content = '', type = '0', link = '', size }: TarPart): Buffer {
  const bytes = Buffer.from(content as string);
  const head = Buffer.alloc(512);
  head.write(name, 0, 100, 'latin1');
  head.write('0000644\0', 100);
  if (size instanceof Uint8Array) head.set(size, 124);
  else head.write(`${(size ?? bytes.length).toString(8).padStart(11, '0')}\0`, 124);
  head.write('00000000000\0', 136);
  head.write(type, 156);
  head.write(link, 157, 100, 'latin1');
  head.write('ustar\u000000', 257);
  return Buffer.concat([withSum(head), bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

export function withSum(head: Buffer): Buffer {
  head.write('        ', 148);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

export function tarOf(...parts: readonly (TarPart | Uint8Array)[]): Buffer {
  return Buffer.concat([
    ...parts.map((part) => (part instanceof Uint8Array ? part : tarMember(part))),
    Buffer.alloc(1024),
  ]);
}

/** A pax header with such records before the next member. */
export function pax(records: Readonly<Record<string, string>>, type: string = 'x'): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = Buffer.byteLength(rest);
    while (length !== Buffer.byteLength(`${length}${rest}`)) length = Buffer.byteLength(`${length}${rest}`);
    return `${length}${rest}`;
  });
  return tarMember({ name: 'pax', type, content: lines.join('') });
}

export function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export interface MadeLayer {
  readonly tar: Uint8Array;
  /** As it is stored; the tar itself without it. */
  readonly stored?: Uint8Array;
  readonly mediaType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Lies, for tests. */
  readonly diffId?: string;
  readonly digest?: string;
}

export interface Made {
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  readonly manifest: { readonly mediaType: string; readonly digest: string; readonly size: number };
}

/** Manifest, configuration and layers of an image. */
export function makeImage(
  layers: readonly MadeLayer[],
  config: Readonly<Record<string, unknown>> = { os: 'linux', architecture: 'amd64' },
): Made {
  const blobs = new Map<string, Uint8Array>();
  const put = (bytes: Uint8Array, mediaType: string): Made['manifest'] => {
    const digest = sha256(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const described = layers.map((layer) => ({
    ...put(layer.stored ?? layer.tar, layer.mediaType ?? 'application/vnd.oci.image.layer.v1.tar'),
    ...(layer.digest === undefined ? {} : { digest: layer.digest }),
    ...(layer.annotations === undefined ? {} : { annotations: layer.annotations }),
  }));
  layers.forEach((layer) => {
    if (layer.digest !== undefined) blobs.set(layer.digest, layer.stored ?? layer.tar);
  });
  const rootfs = { type: 'layers', diff_ids: layers.map((layer) => layer.diffId ?? sha256(layer.tar)) };
  const type = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = put(
    Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: type,
        config: put(Buffer.from(JSON.stringify({ ...config, rootfs })), 'application/vnd.oci.image.config.v1+json'),
        layers: described,
      }),
    ),
    type,
  );
  return { blobs, manifest };
}

/** Writes an OCI layout. */
export function writeLayout(folder: string, images: readonly Made[], index?: unknown): void {
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  for (const { blobs } of images)
    for (const [digest, bytes] of blobs) writeFileSync(join(folder, 'blobs', digest.replace(':', '/')), bytes);
  writeFileSync(
    join(folder, 'index.json'),
    JSON.stringify(index ?? { schemaVersion: 2, manifests: images.map(({ manifest }) => manifest) }),
  );
}
