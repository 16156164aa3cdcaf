// Copies of the CUDA libraries, their versions, and which one the loader takes; toolkits and their parts.
import type { LibraryCopy, Load, Origin, PackageCopy, Toolkit } from './contents.ts';
import type { ImageLoader } from './loading.ts';
import type { ImageConfig } from './model.ts';
import type { ImageTree, TreeFile } from './tree.ts';
import { sonameByName } from './loading.ts';
import { loadsOf } from './process-loads.ts';
import { nameOf, folderOf } from './paths.ts';
import { originOf } from './inventory-libcuda.ts';
import { variableOf } from './inventory-system.ts';
import { parts } from './toolkit-parts.rows.ts';

/** Bound of the copies that are looked at; beyond it the inventory says that it is not whole. */
export const mostLibraries = 3000;

const byStem: ReadonlyMap<string, (typeof parts)[number]> = new Map(parts.map((part) => [part.stem, part]));
const versionAtEnd = /\.so\.(\d{1,4}(?:\.\d{1,6}){1,4})$/;

/** `libcudnn.so.9.1.0` → the row of cuDNN; parts of a library (`libcudnn_ops`) are none of their own. */
function partOf(path: string): (typeof parts)[number] | null {
  const name = nameOf(path);
  const part = byStem.get(name.slice(0, name.indexOf('.so')));
  return part === undefined || part.ships === 'driver' ? null : part;
}

export function librariesOf(
  tree: ImageTree,
  files: readonly TreeFile[],
  origins: readonly Origin[],
  packages: readonly PackageCopy[],
  loader: ImageLoader,
  config: ImageConfig | null,
): { readonly libraries: readonly LibraryCopy[]; readonly loads: readonly Load[] } {
  const copies: (LibraryCopy & { wins: boolean })[] = [];
  for (const file of files) {
    if (copies.length >= mostLibraries) break;
    const part = partOf(file.path);
    // A plain `.so` that is a file is a linker script or a stub, but for libraries that have no other name.
    if (part === null || file.bytes === 0 || file.path.includes('/stubs/')) continue;
    if (file.binary?.machine === 'i386' || isForeign(file.path, loader)) continue;
    if (/\/(?:\.cache|pkgs)\//.test(file.path)) continue;
    const installed = packageOf(part.name, file.path, packages);
    copies.push({
      path: file.path,
      origin: originOf(origins, file),
      name: part.name,
      version: versionOf(part.name, file, installed, config),
      soname: file.binary?.soname ?? sonameByName(nameOf(file.path)),
      wins: false,
      environment: environmentOf(file.path, packages),
      package: installed === null ? null : `${installed.name} ${installed.version}`,
    });
  }
  const loads = loadsOf(files, copies, loader);
  choose(copies, loads, loader, packages);
  return { libraries: copies, loads };
}

/** Libraries for another machine, of a cross toolkit. */
function isForeign(path: string, loader: ImageLoader): boolean {
  const target = /\/targets\/([\w-]{1,40})\//.exec(path)?.[1];
  const arm = loader.view.defaults.some((each) => each.includes('aarch64'));
  return target !== undefined && target !== 'x86_64-linux' && !arm && target !== 'ppc64le-linux';
}

function versionOf(
  name: string,
  file: TreeFile,
  installed: PackageCopy | null,
  config: ImageConfig | null,
): string | null {
  const told = file.binary?.library;
  const own = versionAtEnd.exec(file.path)?.[1] ?? null;
  if (told?.version != null && `lib${told.name}` === parts.find((part) => part.name === name)?.stem)
    return fuller(told.version, [installed?.version ?? null, own]);
  // The numbers of these two are those of an interface, not of a release.
  if (name === 'ucx' || name === 'openmpi') {
    if (installed?.version != null) return /^\d{1,3}(?:\.\d{1,3}){1,3}/.exec(installed.version)?.[0] ?? null;
    const variable = variableOf(config, name === 'ucx' ? 'OPENUCX_VERSION' : 'OPENMPI_VERSION');
    return variable === undefined || variable === '' ? null : variable;
  }
  // NVRTC and the runtime of CUDA 11 have a name with two numbers that is no version.
  if (own !== null && !/^lib(?:cudart|nvrtc)\.so\.11\.\d$/.test(nameOf(file.path))) return own;
  if (installed?.version != null) return /^\d{1,4}(?:\.\d{1,6}){1,4}/.exec(installed.version)?.[0] ?? null;
  return null;
}

/** The longest of the versions that say the same and more: `13.0` in the file, `13.0.48` in the package. */
function fuller(version: string, others: readonly (string | null)[]): string {
  const numbers = others.map((each) => /^\d{1,4}(?:\.\d{1,6}){1,4}/.exec(each ?? '')?.[0] ?? '');
  return numbers.find((each) => each.startsWith(`${version}.`)) ?? version;
}

/** The wheel or package that a library came with, by the folder or by the manager's name for it. */
function packageOf(name: string, path: string, packages: readonly PackageCopy[]): PackageCopy | null {
  const wheel = /^(.{0,1024}?)\/(?:lib|lib64)\/python[\d.]{1,6}\/(?:site|dist)-packages\/nvidia\/(\w{1,40})\//.exec(
    path,
  );
  if (wheel !== null) {
    const fits = (each: PackageCopy): boolean =>
      each.manager === 'pip' && each.path.startsWith(`${wheel[1]!}/`) && wheels[name]?.test(each.name) === true;
    // CUDA 13's wheels share nvidia/cu13, older ones have a folder each.
    return packages.find(fits) ?? null;
  }
  if (/\/(?:site|dist)-packages\//.test(path)) return null;
  if (/^\/(?:usr\/)?lib/.test(path) || /^\/usr\/local\/cuda/.test(path))
    return packages.find((each) => each.manager === 'dpkg' && debs[name]?.test(each.name) === true) ?? null;
  return null;
}

const wheels: Readonly<Record<string, RegExp>> = {
  cudnn: /^nvidia-cudnn-cu\d\d$/,
  nccl: /^nvidia-nccl-cu\d\d$/,
  cublas: /^nvidia-cublas(?:-cu\d\d)?$/,
  cublaslt: /^nvidia-cublas(?:-cu\d\d)?$/,
  nvjitlink: /^nvidia-nvjitlink(?:-cu\d\d)?$/,
  cudart: /^nvidia-cuda-runtime(?:-cu\d\d)?$/,
  nvrtc: /^nvidia-cuda-nvrtc(?:-cu\d\d)?$/,
  cufft: /^nvidia-cufft(?:-cu\d\d)?$/,
  curand: /^nvidia-curand(?:-cu\d\d)?$/,
  cusolver: /^nvidia-cusolver(?:-cu\d\d)?$/,
  cusparse: /^nvidia-cusparse(?:-cu\d\d)?$/,
  cusparselt: /^nvidia-cusparselt(?:-cu\d\d)?$/,
  nvshmem: /^nvidia-nvshmem-cu\d\d$/,
  cupti: /^nvidia-cuda-cupti(?:-cu\d\d)?$/,
  cufile: /^nvidia-cufile(?:-cu\d\d)?$/,
};

const debs: Readonly<Record<string, RegExp>> = {
  cudnn: /^libcudnn\d{1,2}(?:-cuda-\d\d)?$/,
  nccl: /^libnccl2$/,
  cublas: /^libcublas-?\d/,
  cublaslt: /^libcublas-?\d/,
  nvjitlink: /^libnvjitlink-?\d/,
  cudart: /^(?:cuda-cudart-\d|libcudart\d)/,
  tensorrt: /^libnvinfer\d{1,2}$/,
  ucx: /^libucx0$/,
  openmpi: /^libopenmpi\d/,
};

function environmentOf(path: string, packages: readonly PackageCopy[]): string | null {
  const folder = /^(.{0,1024}?)\/(?:lib|lib64)\/python[\d.]{1,6}\/(site|dist)-packages\//.exec(path);
  if (folder === null) {
    const conda = packages.find((each) => each.manager === 'conda' && path.startsWith(`${each.environment}/lib/`));
    return conda?.environment ?? null;
  }
  return folder[2] === 'dist' && folder[1] === '/usr/local' ? '/usr' : folder[1]!;
}

/** Frameworks whose own library decides which copy a job uses. */
const frameworks = /\/(?:torch\/lib\/|tensorflow\/|jax_plugins\/|jaxlib\/|onnxruntime\/)/;

/** One copy of each SONAME wins: the one a framework of the first environment takes, else what a plain process finds. */
function choose(
  copies: (LibraryCopy & { wins: boolean })[],
  loads: readonly Load[],
  loader: ImageLoader,
  packages: readonly PackageCopy[],
): void {
  const first = packages.find((each) => each.name === 'torch' || each.name === 'tensorflow' || each.name === 'jax');
  for (const soname of new Set(copies.map((each) => each.soname ?? each.path))) {
    const group = copies.filter((each) => (each.soname ?? each.path) === soname);
    const asked = loads.filter((each) => each.soname === soname && each.path !== null);
    const own = asked.filter((each) => first === undefined || inEnvironment(each.asker, first.environment));
    const framework = own.find((each) => frameworks.test(each.asker)) ?? own[0];
    const plain = group[0]?.soname == null ? null : loader.take(group[0].soname, null).path;
    const wheel = group.find((each) => first !== undefined && each.environment === first.environment);
    const winner =
      group.find((each) => each.path === framework?.path) ??
      wheel ??
      group.find((each) => each.path === plain) ??
      (group.length === 1 ? group[0] : undefined);
    if (winner !== undefined) winner.wins = true;
  }
}

function inEnvironment(path: string, root: string): boolean {
  return path.startsWith(`${root === '/usr' ? '/usr/local' : root}/lib`) || path.startsWith(`${root}/lib`);
}

/** Toolkits by their folders: /usr/local/cuda-X.Y, /opt/cuda, Debian's own packages, a toolkit in a conda environment. */
export function toolkitsOf(
  tree: ImageTree,
  files: readonly TreeFile[],
  libraries: readonly LibraryCopy[],
  packages: readonly PackageCopy[],
  origins: readonly Origin[],
): readonly Toolkit[] {
  const roots = new Map<string, number>();
  const rootOf =
    /^(\/usr\/local\/cuda(?:-[\d.]{1,6})?|\/opt\/cuda(?:-[\d.]{1,6})?|\/usr\/lib\/cuda|\/opt\/nvidia\/hpc_sdk\/.{1,60}?\/cuda\/[\d.]{1,6})\//;
  for (const file of files) {
    const root = rootOf.exec(file.path)?.[1];
    if (root === undefined || roots.has(root)) continue;
    if (/\/(?:compat(?:_orin)?|stubs)\//.test(file.path)) continue;
    roots.set(root, file.layer);
  }
  const current = tree.resolve('/usr/local/cuda');
  const found = [...roots].map(([root, layer]): Toolkit => {
    const own = libraries.filter((each) => each.path.startsWith(`${root}/`));
    const record = componentsOf(tree.file(`${root}/version.json`)?.text ?? null);
    const cudart = own.find((each) => each.name === 'cudart')?.version ?? record.get('cuda_cudart') ?? null;
    const named = /\/cuda-(\d{1,2}\.\d{1,2})$/.exec(root)?.[1] ?? null;
    const old = /CUDA Version (\d{1,2}\.\d{1,2})/.exec(tree.file(`${root}/version.txt`)?.text ?? '')?.[1] ?? null;
    const stated = /^\d{1,2}\.\d{1,2}/.exec(record.get('cuda') ?? '')?.[0] ?? null;
    const listed = new Map<string, string>();
    for (const each of own) if (each.version !== null) listed.set(each.name, each.version);
    for (const part of parts) {
      const version = part.component === null ? undefined : record.get(part.component);
      if (version !== undefined && !listed.has(part.name) && part.name !== 'cublaslt') listed.set(part.name, version);
    }
    return {
      path: root,
      origin: originOf(origins, { layer }),
      version: stated ?? named ?? old ?? /^\d{1,2}\.\d{1,2}/.exec(cudart ?? '')?.[0] ?? null,
      cudart,
      parts: [...listed].map(([name, version]) => ({ name, version })),
      nvcc: tree.file(`${root}/bin/nvcc`) !== null,
      current: root === current || `${root}/` === `${current ?? ''}/`,
    };
  });
  const debian = packages.find((each) => each.manager === 'dpkg' && each.name === 'nvidia-cuda-toolkit');
  if (debian?.version != null && !found.some((each) => each.path === '/usr/lib/cuda'))
    found.push({
      path: '/usr/lib/nvidia-cuda-toolkit',
      origin: debian.origin,
      version: /^\d{1,2}\.\d{1,2}/.exec(debian.version)?.[0] ?? null,
      cudart: libraries.find((each) => each.name === 'cudart' && /^\/usr\/lib\//.test(each.path))?.version ?? null,
      parts: [],
      nvcc: true,
      current: false,
    });
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Components and their versions of a toolkit's version.json. */
function componentsOf(text: string | null): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (text === null) return found;
  try {
    const root: unknown = JSON.parse(text);
    if (typeof root !== 'object' || root === null) return found;
    for (const [name, value] of Object.entries(root)) {
      const version: unknown =
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['version'] : null;
      if (typeof version === 'string' && version.length < 40) found.set(name, version);
    }
  } catch {
    // A damaged record tells nothing; folder and library names do.
  }
  return found;
}

/** Folder of the sublibraries of cuDNN that do not all have the same release, as their own files tell. */
export function cudnnPartsOf(files: readonly TreeFile[]): readonly {
  readonly folder: string;
  readonly layer: number;
  readonly versions: readonly { readonly version: string; readonly path: string }[];
}[] {
  const folders = new Map<string, { layer: number; versions: Map<string, string> }>();
  for (const file of files) {
    if (!/^libcudnn(?:_\w{1,40})?\.so\.\d/.test(nameOf(file.path)) || file.bytes === 0) continue;
    const told = file.binary?.library;
    const version =
      told?.name.startsWith('cudnn') === true && told.version !== null
        ? told.version
        : (versionAtEnd.exec(file.path)?.[1] ?? null);
    if (version === null) continue;
    // Two majors live side by side under names of their own.
    const key = `${folderOf(file.path)}\u0000${version.split('.')[0]}`;
    const known = folders.get(key) ?? { layer: file.layer, versions: new Map<string, string>() };
    folders.set(key, known);
    const short = version.split('.').slice(0, 3).join('.');
    if (!known.versions.has(short)) known.versions.set(short, file.path);
    known.layer = Math.max(known.layer, file.layer);
  }
  return [...folders]
    .filter(([, each]) => each.versions.size > 1)
    .map(([key, each]) => ({
      folder: key.slice(0, key.indexOf('\u0000')),
      layer: each.layer,
      versions: [...each.versions].map(([version, path]) => ({ version, path })),
    }));
}
