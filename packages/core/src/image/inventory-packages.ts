// Python environments of an image and the packages of the GPU stack in them (dist-info METADATA, conda-meta), and what
// dpkg and apk say they installed.
import type { Environment, Origin, PackageCopy } from './contents.ts';
import type { ImageConfig } from './model.ts';
import type { ImageTree, TreeFile } from './tree.ts';
import { buildOf, normalName } from './python-build.ts';
import { folderOf, nameOf } from './paths.ts';
import { originOf } from './inventory-libcuda.ts';
import { variableOf } from './inventory-system.ts';

/** Packages that matter to the GPU stack, by normalised name. */
const wanted =
  /^(?:torch(?:vision|audio|ao|-tensorrt)?|pytorch(?:-cuda|-gpu|-cpu|-mutex|-triton)?|cpuonly|libtorch|triton(?:-.{1,20})?|jax(?:lib)?|jax-cuda.{1,20}|tensorflow(?:-.{1,20})?|tf-nightly(?:-.{1,20})?|cupy(?:-.{1,20})?|vllm(?:-.{1,20})?|flash-attn(?:-.{1,10})?|flashinfer(?:-.{1,20})?|xformers|bitsandbytes|onnxruntime(?:-.{1,20})?|tensorrt(?:-.{1,30})?|transformer-engine(?:-.{1,20})?|deepspeed|sglang|sgl-kernel|mamba-ssm|causal-conv1d|apex|numba(?:-cuda)?|ctranslate2|llama-cpp-python|paddlepaddle(?:-gpu)?|mxnet(?:-.{1,20})?|faiss-(?:cpu|gpu.{0,20})|cuda-(?:python|bindings|cudart|version|nvrtc|compat|toolkit|runtime)|cudatoolkit|cudnn|nccl|libcublas|nvidia-.{1,60}|libnvidia-.{1,40}|libcuda1|libcudnn.{0,30}|libnccl.{0,20}|libnvinfer.{0,30}|cuda-.{1,60}|libcublas-.{1,20}|libnvjitlink-.{1,20}|openmpi-bin|libopenmpi.{0,10}|libucx0|ucx|datacenter-gpu-manager.{0,20})$/;

const packagesFolder =
  /^(.{0,1024}?)\/(?:lib|lib64)\/(?:python(\d{1,2}(?:\.\d{1,2})?)|pypy[\d.]{1,6})\/(site|dist)-packages$/;

/** Bound of the packages that are kept of each kind of manager. */
export const mostPackages = 3000;

interface Found {
  readonly environment: Environment;
  readonly packages: readonly PackageCopy[];
}

/** Environments with their packages, the one that PATH takes first in front. */
export function pythonOf(
  tree: ImageTree,
  files: readonly TreeFile[],
  folders: readonly string[],
  origins: readonly Origin[],
  config: ImageConfig | null,
  machine: string,
): { readonly environments: readonly Environment[]; readonly packages: readonly PackageCopy[] } {
  const infos = new Map<string, { readonly folder: string; readonly layer: number; readonly file: TreeFile | null }>();
  for (const file of files) {
    const name = nameOf(file.path);
    const folder = folderOf(file.path);
    if ((name === 'METADATA' || name === 'PKG-INFO') && /\.(?:dist|egg)-info$/.test(folder))
      infos.set(folder, { folder, layer: file.layer, file });
    else if (name.endsWith('.egg-info')) infos.set(file.path, { folder: file.path, layer: file.layer, file });
  }
  for (const folder of folders)
    if (/\.(?:dist|egg)-info$/.test(folder) && !infos.has(folder))
      infos.set(folder, { folder, layer: tree.layerOf(folder) ?? 0, file: null });

  const found = new Map<
    string,
    { kind: Environment['kind']; python: string | null; folders: Set<string>; packages: PackageCopy[] }
  >();
  const at = (
    root: string,
    kind: Environment['kind'],
    python: string | null,
  ): NonNullable<ReturnType<typeof found.get>> => {
    let known = found.get(root);
    if (known === undefined) found.set(root, (known = { kind, python, folders: new Set(), packages: [] }));
    known.python ??= python;
    return known;
  };
  let count = 0;
  for (const info of infos.values()) {
    const parent = folderOf(info.folder);
    // Caches of package managers hold copies that nobody imports.
    if (/\/(?:\.cache|pkgs|site-packages\/.{1,200}_vendor)(?:\/|$)/.test(parent)) continue;
    const { name, version } = nameAndVersion(nameOf(info.folder));
    if (name === null || !wanted.test(name) || ++count > mostPackages) {
      const place = placeOf(parent);
      if (place !== null) at(place.root, kindOf(tree, place.root, place.dist), place.python).folders.add(parent);
      continue;
    }
    const known = placeOf(parent) ?? { root: parent, python: null, dist: false };
    // A second Python of the same prefix is an environment of its own.
    const other = found.get(known.root)?.python ?? null;
    const second = other !== null && known.python !== null && other !== known.python && known.python.includes('.');
    const place = second ? { ...known, root: parent } : known;
    const home = at(place.root, kindOf(tree, place.root, place.dist), place.python);
    home.folders.add(parent);
    home.packages.push(
      buildOf(tree, { name, version, root: place.root, parent, info, machine, origin: originOf(origins, info) }),
    );
  }
  for (const file of files) {
    if (!file.path.endsWith('.json') || !folderOf(file.path).endsWith('/conda-meta')) continue;
    const root = folderOf(folderOf(file.path));
    if (root.includes('/pkgs/')) continue;
    const home = at(root === '' ? '/' : root, 'conda', null);
    const conda = condaName(nameOf(file.path));
    if (conda === null) continue;
    if (conda.name === 'python') home.python = /^\d{1,2}\.\d{1,2}/.exec(conda.version)?.[0] ?? home.python;
    if (!wanted.test(conda.name) || ++count > mostPackages) continue;
    home.packages.push({
      path: file.path,
      origin: originOf(origins, file),
      name: conda.name,
      version: conda.version,
      environment: root,
      manager: 'conda',
      ...condaCuda(conda),
      pins: [],
    });
  }
  // A virtual environment without packages of note is one too.
  for (const file of files)
    if (nameOf(file.path) === 'pyvenv.cfg') {
      const home = at(folderOf(file.path), 'venv', null);
      home.python ??= /^version(?:_info)?\s?=\s?(\d{1,2}\.\d{1,2})/m.exec(file.text ?? '')?.[1] ?? null;
    }
  const first = firstOf([...found.keys()], config);
  const all: Found[] = [...found].map(([root, home]) => ({
    environment: {
      path: root,
      origin: originOf(origins, { layer: tree.layerOf(root) ?? -1 }),
      kind: home.kind,
      python: home.python,
      uv: usesUv(tree, root, home.folders),
      first: root === first,
      folders: [...home.folders].sort(),
    },
    packages: home.packages,
  }));
  all.sort(
    (a, b) =>
      Number(b.environment.first) - Number(a.environment.first) || (a.environment.path < b.environment.path ? -1 : 1),
  );
  return { environments: all.map((each) => each.environment), packages: all.flatMap((each) => each.packages) };
}

function placeOf(
  folder: string,
): { readonly root: string; readonly python: string | null; readonly dist: boolean } | null {
  if (folder === '/usr/lib/python3/dist-packages') return { root: '/usr', python: null, dist: true };
  const match = packagesFolder.exec(folder);
  if (match === null) return null;
  const dist = match[3] === 'dist';
  const root = match[1] === '' ? '/' : match[1]!;
  // Debian's Python has one prefix and two folders, /usr/local's for what pip installs.
  return { root: dist && root === '/usr/local' ? '/usr' : root, python: match[2] ?? null, dist };
}

function kindOf(tree: ImageTree, root: string, dist: boolean): Environment['kind'] {
  if (dist) return 'debian';
  if (tree.file(`${root}/pyvenv.cfg`) !== null) return 'venv';
  if (tree.isFolder(`${root}/conda-meta`)) return 'conda';
  return root === '/usr' || root === '/usr/local' ? 'system' : 'other';
}

function usesUv(tree: ImageTree, root: string, folders: ReadonlySet<string>): boolean {
  if (/^uv\s?=/m.test(tree.file(`${root}/pyvenv.cfg`)?.text ?? '')) return true;
  for (const folder of folders)
    for (const name of tree.names(folder))
      if (name.endsWith('.dist-info') && tree.file(`${folder}/${name}/INSTALLER`)?.text?.trim() === 'uv') return true;
  return false;
}

function firstOf(roots: readonly string[], config: ImageConfig | null): string | null {
  const own = variableOf(config, 'VIRTUAL_ENV');
  const path = (variableOf(config, 'PATH') ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin').split(
    ':',
  );
  if (own !== undefined && roots.includes(own) && path.includes(`${own}/bin`)) return own;
  for (const folder of path) {
    const root = folder.endsWith('/bin') ? folder.slice(0, -4) : null;
    if (root !== null && roots.includes(root)) return root;
  }
  return roots.length === 1 ? roots[0]! : null;
}

/** `torch-2.7.0+cu128.dist-info`, `apex-0.1-py3.12.egg-info`. */
function nameAndVersion(folder: string): { readonly name: string | null; readonly version: string | null } {
  const text = folder.replace(/\.(?:dist|egg)-info$/, '');
  const cut = text.indexOf('-');
  const name = cut < 0 ? text : text.slice(0, cut);
  const version = cut < 0 ? null : (text.slice(cut + 1).split('-')[0] ?? null);
  return { name: name === '' ? null : normalName(name), version };
}

/** `pytorch-2.5.1-py3.11_cuda12.4_cudnn9.1.0_0.json` */
function condaName(file: string): { readonly name: string; readonly version: string; readonly build: string } | null {
  const parts = file.slice(0, -5).split('-');
  if (parts.length < 3) return null;
  const build = parts.pop()!;
  const version = parts.pop()!;
  return { name: parts.join('-').toLowerCase(), version, build };
}

function condaCuda(conda: { readonly name: string; readonly version: string; readonly build: string }): {
  readonly cuda: string | null;
  readonly cudaBy: string | null;
} {
  const by = 'build string';
  if (/^(?:cudatoolkit|cuda-version|cuda-cudart|pytorch-cuda)$/.test(conda.name))
    return { cuda: /^\d{1,2}(?:\.\d{1,2})?/.exec(conda.version)?.[0] ?? null, cudaBy: 'version' };
  if (
    !/^(?:pytorch|libtorch|torch|tensorflow|jaxlib|cupy|triton|xformers|faiss|torchvision|torchaudio)/.test(conda.name)
  )
    return { cuda: null, cudaBy: null };
  if (conda.name === 'cpuonly' || /(?:^|_)cpu(?:_|$)/.test(conda.build)) return { cuda: 'none', cudaBy: by };
  const dotted = /cuda_?(\d{1,2}\.\d{1,2})/.exec(conda.build)?.[1];
  if (dotted !== undefined) return { cuda: dotted, cudaBy: by };
  const flat = /(?:cuda|_cu|^cu)(\d{2})(\d)(?!\d)/.exec(conda.build);
  return flat === null ? { cuda: null, cudaBy: null } : { cuda: `${flat[1]}.${flat[2]}`, cudaBy: by };
}

/** Packages of the GPU stack that dpkg and apk have installed. */
export function systemPackagesOf(
  tree: ImageTree,
  files: readonly TreeFile[],
  origins: readonly Origin[],
): readonly PackageCopy[] {
  const found: PackageCopy[] = [];
  const add = (name: string, version: string, manager: 'dpkg' | 'apk', file: TreeFile): void => {
    if (found.length >= mostPackages || !wanted.test(name)) return;
    found.push({
      path: file.path,
      origin: originOf(origins, file),
      name,
      version,
      environment: manager,
      manager,
      cuda: null,
      cudaBy: null,
      pins: [],
    });
  };
  for (const file of files) {
    if (file.text === null) continue;
    if (file.path === '/var/lib/dpkg/status' || file.path.startsWith('/var/lib/dpkg/status.d/'))
      for (const { name, version } of debianPackages(file.text)) add(name, version, 'dpkg', file);
    else if (file.path.endsWith('/apk/db/installed'))
      for (const block of file.text.split('\n\n')) {
        const name = /^P:(\S{1,100})$/m.exec(block)?.[1];
        const version = /^V:(\S{1,100})$/m.exec(block)?.[1];
        if (name !== undefined && version !== undefined) add(name, version, 'apk', file);
      }
  }
  return found;
}

/** Installed packages of a dpkg status file (deb-status; `status.d` files of distroless images have no Status). */
function debianPackages(text: string): readonly { readonly name: string; readonly version: string }[] {
  const found: { name: string; version: string }[] = [];
  let name: string | null = null;
  let version: string | null = null;
  let installed = true;
  const close = (): void => {
    if (name !== null && version !== null && installed) found.push({ name, version });
    name = null;
    version = null;
    installed = true;
  };
  for (const line of text.split('\n')) {
    if (line === '') close();
    else if (line.startsWith('Package: ')) name = line.slice(9).trim();
    else if (line.startsWith('Version: ')) version = line.slice(9).trim();
    else if (line.startsWith('Status: ')) installed = line.endsWith(' installed');
  }
  close();
  return found;
}
