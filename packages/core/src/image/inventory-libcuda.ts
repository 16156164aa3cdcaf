// Every libcuda of an image and what it is, and all else that belongs to a host and not into an image.
import type { HostThing, LibcudaFile, Origin } from './contents.ts';
import type { ImageTree, TreeFile, TreeLink } from './tree.ts';
import { driverTools } from './interest.ts';
import { folderOf, nameOf } from './paths.ts';

/** `libcuda.so`, `libcuda.so.1`, `libcuda.so.535.104.05`, and the name that a repaired wheel gives a copy. */
const libcudaName = /^libcuda(?:-[0-9a-f]{6,16})?\.so(?:\.\d{1,4}){0,4}$/;
const releaseAtEnd = /\.(\d{3}\.\d{1,3}(?:\.\d{1,3})?)$/;
/** No image has as many; a folder full of them is somebody's game. */
export const mostLibcudas = 300;
/** A real libcuda has 15 MiB and more, a stub some tens of KiB. */
const leastReal = 1 << 20;

/** @param cudaOf CUDA version that a driver release brings */
export function libcudasOf(
  tree: ImageTree,
  files: readonly TreeFile[],
  links: readonly TreeLink[],
  origins: readonly Origin[],
  cudaOf: (driver: string) => string | null,
): readonly LibcudaFile[] {
  const named = links
    .filter((link) => libcudaName.test(nameOf(link.path)))
    .slice(0, mostLibcudas * 4)
    .map((link) => ({ folder: folderOf(link.path), name: nameOf(link.path), file: tree.file(link.path)?.path }));
  return files
    .filter((file) => libcudaName.test(nameOf(file.path)))
    .slice(0, mostLibcudas)
    .map((file) => {
      const facts = file.binary?.libcuda ?? null;
      const kind = kindOf(file);
      const version = facts?.version ?? releaseAtEnd.exec(file.path)?.[1] ?? null;
      const folder = folderOf(file.path);
      const toolkit = /\/cuda-(\d{1,2}\.\d{1,2})\//.exec(file.path)?.[1] ?? null;
      return {
        path: file.path,
        origin: originOf(origins, file),
        kind,
        version: kind === 'ghost' || kind === 'stub' ? (kind === 'stub' ? null : version) : version,
        cuda:
          kind === 'ghost'
            ? null
            : (facts?.cuda ??
              facts?.note?.cuda ??
              (kind === 'stub'
                ? toolkit
                : ((version === null ? null : cudaOf(version)) ?? (kind === 'compat' ? toolkit : null)))),
        note: facts?.note == null ? null : facts.note.drivers,
        bytes: file.bytes ?? 0,
        names: [
          nameOf(file.path),
          ...named.filter((each) => each.file === file.path && each.folder === folder).map((each) => each.name),
        ].sort(),
        folders: [
          ...new Set(
            named.filter((each) => each.file === file.path && each.folder !== folder).map((each) => each.folder),
          ),
        ],
        namedIn: [
          ...(nameOf(file.path) === 'libcuda.so.1' ? [folder] : []),
          ...named.filter((each) => each.file === file.path && each.name === 'libcuda.so.1').map((each) => each.folder),
        ],
        unversioned: nameOf(file.path) === 'libcuda.so.1',
      };
    });
}

function kindOf(file: TreeFile): LibcudaFile['kind'] {
  const facts = file.binary?.libcuda ?? null;
  if (file.bytes === 0) return 'ghost';
  if (facts?.stub === true) return 'stub';
  if (facts?.note != null || isCompatFolder(folderOf(file.path))) return 'compat';
  const real = facts !== null && facts.version !== null;
  if (!real && (file.path.includes('/stubs/') || (file.bytes !== null && file.bytes < leastReal))) return 'stub';
  return 'baked';
}

/** `/usr/local/cuda-12.6/compat`, NGC's `compat/lib.real`, Orin's `compat_orin`, conda-forge's `cuda-compat`. */
export function isCompatFolder(folder: string): boolean {
  return /\/(?:cuda-)?compat(?:_orin)?(?:\/lib(?:\.real)?)?$/.test(folder);
}

/** Libraries that carry the release of the driver in their name and must be that of the host. */
const driverLibrary =
  /^lib(?:cuda|cudadebugger|nvcuvid|nvoptix|GLX_nvidia|EGL_nvidia|GLESv1_CM_nvidia|GLESv2_nvidia|vdpau_nvidia|nvidia-(?!container|nscq|egl-)[\w-]{1,40})\.so(?:\.(?:1|\d{3}\.\d{1,3}(?:\.\d{1,3})?))?$/;
const toolkitTools =
  /^(?:nvidia-container-(?:cli|runtime|runtime-hook|toolkit)|nvidia-ctk|nvidia-cdi-hook|libnvidia-container(?:-go)?\.so.{0,20})$/;

const mostThings = 3000;

/** What belongs to a host: driver libraries beside libcuda, tools, modules, firmware, sources, the container toolkit. */
export function hostThingsOf(
  files: readonly TreeFile[],
  folders: readonly string[],
  origins: readonly Origin[],
): readonly HostThing[] {
  const things: HostThing[] = [];
  for (const file of files) {
    if (things.length >= mostThings) break;
    const kind = hostKindOf(file.path);
    if (kind === null || file.bytes === null) continue;
    things.push({
      path: file.path,
      origin: originOf(origins, file),
      kind,
      bytes: file.bytes,
      version:
        releaseAtEnd.exec(file.path)?.[1] ??
        /\/firmware\/nvidia\/(\d{3}\.\d{1,3}(?:\.\d{1,3})?)\//.exec(file.path)?.[1] ??
        file.binary?.libcuda?.version ??
        null,
    });
  }
  for (const folder of folders) {
    const version = /^\/usr\/src\/nvidia-(?:open-|current-|kernel-[\w-]{1,20}-)?(\d{3}\.[\d.]{1,12})$/.exec(
      folder,
    )?.[1];
    if (version !== undefined)
      things.push({ path: folder, origin: originOf(origins, { layer: -1 }), kind: 'module-source', bytes: 0, version });
  }
  return things;
}

function hostKindOf(path: string): HostThing['kind'] | null {
  const name = nameOf(path);
  const folder = folderOf(path);
  if (toolkitTools.test(name)) return 'container-toolkit';
  if (driverLibrary.test(name)) {
    // Stubs for the linker and the parts of forward compatibility are the toolkit's, libcuda is told apart elsewhere.
    if (folder.includes('/stubs') || isCompatFolder(folder) || name.startsWith('libcuda.so')) return null;
    return 'driver-library';
  }
  if (driverTools.has(name) && /\/s?bin$/.test(folder)) return 'driver-tool';
  if (name.startsWith('nvidia') && /\.ko(?:\.(?:xz|zst|gz))?$/.test(name) && folder.includes('/modules/'))
    return 'kernel-module';
  return name.startsWith('gsp') && folder.includes('/firmware/nvidia/') ? 'firmware' : null;
}

/** Origin of what a layer brought. */
export function originOf(origins: readonly Origin[], at: { readonly layer: number }): Origin {
  return origins[at.layer] ?? { layer: at.layer, digest: null, instruction: null };
}
