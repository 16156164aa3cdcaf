// The inventory as observations: plain lines that a person can read, each with the layer and the instruction that
// brought the thing, which are the evidence of findings. `parse/image-records.ts` reads them back.
import type { Document } from '../model/document.ts';
import type { Observation, Snapshot } from '../model/snapshot.ts';
import type { ImageContents, LibraryCopy, Origin } from './contents.ts';
import type { ScannedImage } from './model.ts';
import { createDocument } from '../text/document.ts';
import { isShownVariable } from './inventory.ts';
import { folderOf, nameOf } from './paths.ts';

type Value = string | number | boolean | null;

/** Names of the observations, in their order. */
const order = [
  'image-config',
  'image-search',
  'image-libcuda',
  'image-host-files',
  'image-libraries',
  'image-packages',
] as const;

const mostLines = 2000;

/** What was left out and is no part of the image, or known otherwise. */
const harmless =
  /^the rpm database|^[^\n]{0,400}?: (?:other file systems|files) that are mounted there \(\d|^nothing tells for which platform|^cache: /;

/** What an image shows, as a snapshot. */
export function snapshotOf(image: ScannedImage, contents: ImageContents): Snapshot {
  const lines = new Map<string, string[]>(order.map((source) => [source, []]));
  const add = (
    source: (typeof order)[number],
    kind: string,
    values: Readonly<Record<string, Value>>,
    origin?: Origin,
  ): void => {
    const list = lines.get(source);
    if (list !== undefined && list.length < mostLines) list.push(lineOf(kind, values, origin));
  };
  const complete = contents.left.every((each) => harmless.test(each)) && !contents.quick;
  add('image-config', 'scanned', {
    reference: image.reference,
    platform: image.platform,
    digest: image.digest,
    complete,
    gpu: isGpuImage(contents),
  });
  for (const { name, value } of contents.config?.env ?? [])
    if (isShownVariable(name)) add('image-config', 'variable', { name, value: value.slice(0, 1500) });
  add('image-config', 'entrypoint', {
    words: contents.entrypoint.words.join(' ').slice(0, 300),
    compat: contents.entrypoint.compat ?? 'none',
    ngcScript: contents.ngcScript,
    file: contents.entrypoint.file,
  });
  for (const each of contents.machines)
    add(
      'image-config',
      'machine',
      { machine: each.machine, count: each.count, example: each.example.path },
      each.example.origin,
    );
  for (const left of contents.left.slice(0, 20)) add('image-config', 'left', { what: left.slice(0, 500) });
  searchLines(contents, (values, origin) => add('image-search', 'search', values, origin));
  for (const each of contents.libcuda)
    add(
      'image-libcuda',
      'libcuda',
      {
        kind: each.kind,
        version: each.version,
        cuda: each.cuda,
        path: each.path,
        bytes: each.bytes,
        note: each.note === null ? null : each.note.slice(0, 40).join(','),
      },
      each.origin,
    );
  for (const each of contents.hostThings)
    add(
      'image-host-files',
      'host-file',
      { kind: each.kind, version: each.version, path: each.path, bytes: each.bytes },
      each.origin.layer < 0 ? undefined : each.origin,
    );
  for (const each of contents.toolkits)
    add(
      'image-libraries',
      'toolkit',
      { version: each.version ?? 'unknown', path: each.path, cudart: each.cudart, nvcc: each.nvcc },
      each.origin,
    );
  for (const each of contents.libraries)
    add(
      'image-libraries',
      'library',
      {
        name: each.name,
        version: each.version,
        path: each.path,
        soname: each.soname,
        wins: each.wins,
        environment: each.environment,
        package: each.package,
      },
      each.origin,
    );
  for (const each of contents.loads)
    add('image-libraries', 'load', {
      asker: each.asker,
      soname: each.soname,
      path: each.path,
      version: each.version,
      by: each.by,
      others: each.others
        .slice(0, 6)
        .map((other) => `${other.path}=${other.version ?? ''}`)
        .join(','),
    });
  for (const each of contents.cudnnParts)
    add(
      'image-libraries',
      'mixed-cudnn',
      { folder: each.folder, versions: each.versions.map((part) => `${nameOf(part.path)}=${part.version}`).join(',') },
      each.origin,
    );
  for (const each of contents.packages)
    add(
      'image-packages',
      'package',
      {
        name: each.name,
        version: each.version,
        environment: each.environment,
        manager: each.manager,
        cuda: each.cuda,
        by: each.cudaBy,
      },
      each.manager === 'dpkg' || each.manager === 'apk' ? undefined : each.origin,
    );
  const versions = new Map<string, string | null>();
  for (const each of contents.packages)
    if (each.manager === 'pip') versions.set(`${each.environment}\u0000${each.name}`, each.version);
  let pins = 0;
  for (const each of contents.packages)
    for (const pin of each.pins) {
      const has = versions.get(`${each.environment}\u0000${pin.name}`) ?? null;
      if ((has === null && pin.optional === true) || ++pins > mostLines) continue;
      add('image-packages', 'pin', {
        by: `${each.name} ${each.version ?? ''}`.trim(),
        name: pin.name,
        wants: pin.version,
        has,
        environment: each.environment,
        elsewhere: has === null && isElsewhere(contents.libraries, pin.name),
      });
    }
  const observations = order.map((source): Observation => ({
    source,
    command: null,
    exit: 0,
    ms: null,
    truncated: lines.get(source)!.length >= mostLines,
    text: lines.get(source)!.join('\n'),
  }));
  return {
    schema: 'culprit/snapshot@1',
    subject: image.reference,
    takenAt: null,
    probe: null,
    observations: observations.filter((each) => each.text !== ''),
  };
}

/** The observations as documents, for the verdict. */
export function documentsOf(snapshot: Snapshot): readonly Document[] {
  return snapshot.observations.map((each) =>
    createDocument(each.text, { source: each.source, subject: snapshot.subject, file: each.source }),
  );
}

/** A library of the pinned package lies somewhere else. */
function isElsewhere(libraries: readonly LibraryCopy[], pin: string): boolean {
  const name = pin
    .replace(/^nvidia-/, '')
    .replace(/-cu\d\d$/, '')
    .replace('cuda-runtime', 'cudart')
    .replace('cuda-', '');
  return libraries.some((each) => each.name === name);
}

/** It holds libraries, packages or settings of the GPU stack. */
export function isGpuImage(contents: ImageContents): boolean {
  return (
    contents.toolkits.length > 0 ||
    contents.libcuda.some((each) => each.kind !== 'ghost') ||
    contents.libraries.some((each) => each.name !== 'ucx' && each.name !== 'openmpi') ||
    contents.packages.some((each) => each.cuda !== null && each.cuda !== 'none') ||
    (contents.config?.env ?? []).some((each) => each.name === 'CUDA_VERSION' || each.name === 'NVIDIA_REQUIRE_CUDA')
  );
}

/** Folders of the search order in which a libcuda lies. */
function searchLines(
  contents: ImageContents,
  add: (values: Readonly<Record<string, Value>>, origin?: Origin) => void,
): void {
  const { search, driverFolder } = contents;
  const folderAt = search.configured.findIndex(
    (each) => each.folder === driverFolder || each.folder === driverFolder.replace('/usr', ''),
  );
  for (const folder of new Set(search.libraryPath)) {
    const held = heldIn(contents, folder);
    if (held !== null)
      add({ by: 'LD_LIBRARY_PATH', folder, holds: held.holds, first: true, libcuda: held.path }, held.origin);
  }
  search.configured.forEach((each, at) => {
    const held = heldIn(contents, each.folder);
    if (held === null) return;
    add(
      {
        by: 'ld.so.conf',
        folder: each.folder,
        file: `${each.file}:${each.line}`,
        holds: held.holds,
        // The default folders come behind all that is configured; what lies in the driver's own folder meets it there.
        first: folderAt < 0 || at <= folderAt,
        libcuda: held.path,
      },
      held.origin,
    );
  });
  // A stub under its run-time name is found in a folder that nobody has to name.
  for (const folder of new Set(search.defaults.map((each) => contents.realFolders.get(each) ?? each))) {
    const held = heldIn(contents, folder);
    if (
      held?.holds === 'stub' &&
      !search.configured.some((each) => (contents.realFolders.get(each.folder) ?? each.folder) === folder)
    )
      add({ by: 'default', folder, holds: held.holds, first: false, libcuda: held.path }, held.origin);
  }
}

/** The libcuda that a search in a folder comes upon: by its run-time name, else one whose name is not asked for. */
function heldIn(
  contents: ImageContents,
  folder: string,
): { readonly holds: string; readonly path: string; readonly origin: Origin } | null {
  const places = contents.realFolders.get(folder) ?? folder;
  const own = contents.libcuda.filter((each) => folderOf(each.path) === places || each.folders.includes(places));
  const named = own.find((each) => each.namedIn.includes(places)) ?? own[0];
  if (named === undefined) return null;
  const holds = named.kind === 'stub' && !named.namedIn.includes(places) ? 'stub-unnamed' : named.kind;
  return { holds, path: named.path, origin: named.origin };
}

const plainValue = /^[\w./:+@,~=<>*-]{1,400}$/;

/** `image libcuda kind=baked version=535.104.05 path=/usr/lib/…  layer=3 digest=sha256:0123456789ab by="RUN …"` */
function lineOf(kind: string, values: Readonly<Record<string, Value>>, origin?: Origin): string {
  const words = [`image ${kind}`];
  for (const [name, value] of Object.entries(values)) {
    if (value === null) continue;
    words.push(`${name}=${shown(String(value))}`);
  }
  if (origin !== undefined) {
    words.push(`layer=${origin.layer + 1}`);
    if (origin.digest !== null) words.push(`digest=${origin.digest.slice(0, 19)}`);
    if (origin.instruction !== null) words.push(`made-by=${JSON.stringify(origin.instruction.slice(0, 160))}`);
  }
  return words.join(' ').slice(0, 2000);
}

function shown(value: string): string {
  return plainValue.test(value) ? value : JSON.stringify(value);
}
