// What is in an image, from the merged view of its layers.
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { CodeOf, ImageContents } from './contents.ts';
import type { Inventory, ScannedImage } from './model.ts';
import type { TreeFile } from './tree.ts';
import { cudnnPartsOf, librariesOf, mostLibraries, toolkitsOf } from './inventory-libraries.ts';
import { hostThingsOf, libcudasOf, mostLibcudas, originOf } from './inventory-libcuda.ts';
import { mostPackages, pythonOf, systemPackagesOf } from './inventory-packages.ts';
import {
  driverFolderOf,
  entrypointOf,
  hasNgcScript,
  multiarch,
  osOf,
  searchOf,
  variableOf,
} from './inventory-system.ts';
import { loaderOf } from './loading.ts';
import { originsOf } from './origins.ts';
import { ImageTree } from './tree.ts';

/** Everything that is told of an image. */
export function contentsOf(image: ScannedImage, knowledge: Knowledge): ImageContents {
  const tree = new ImageTree(image.layers);
  const origins = originsOf(image);
  const { files, links, folders } = tree.everything();
  const { config, platform } = image;
  const search = searchOf(tree, config, platform);
  const preload = (variableOf(config, 'LD_PRELOAD') ?? '').split(/[ :]/).filter((each) => each.startsWith('/'));
  const loader = loaderOf(tree, files, links, search, preload);
  const machine = multiarch(platform).split('-')[0]!;
  const python = pythonOf(tree, files, folders, origins, config, machine);
  const packages = [...python.packages, ...systemPackagesOf(tree, files, origins)];
  const { libraries, loads } = librariesOf(tree, files, origins, packages, loader, config);
  const libcuda = libcudasOf(tree, files, links, origins, (driver) => cudaOfDriver(driver, knowledge));
  const full =
    libcuda.length >= mostLibcudas || libraries.length >= mostLibraries || python.packages.length >= mostPackages;
  const rpm = files.some((file) => /\/(?:rpmdb\.sqlite|Packages(?:\.db)?)$/.test(file.path));
  return {
    config,
    origins,
    platform,
    os: osOf(tree),
    driverFolder: driverFolderOf(tree, platform),
    entrypoint: entrypointOf(tree, config),
    toolkits: toolkitsOf(tree, files, libraries, packages, origins),
    libcuda,
    libraries,
    loads,
    cudnnParts: cudnnPartsOf(files).map((each) => ({ ...each, origin: originOf(origins, each) })),
    environments: python.environments,
    packages,
    code: codeOf(files).map(({ file, ...code }) => ({ path: file.path, origin: originOf(origins, file), ...code })),
    search,
    realFolders: new Map(
      [...search.libraryPath, ...search.configured.map((each) => each.folder), ...search.defaults].map((folder) => [
        folder,
        tree.resolve(folder) ?? folder,
      ]),
    ),
    ngcScript: hasNgcScript(tree),
    hostThings: hostThingsOf(files, folders, origins),
    machines: machinesOf(files).map(({ file, ...each }) => ({
      ...each,
      example: { path: file.path, origin: originOf(origins, file) },
    })),
    left: [
      ...image.left,
      ...image.layers.flatMap((layer) => layer.left),
      ...(full ? ['more libraries and packages than any image has; only the first were looked at'] : []),
      ...(rpm ? ['the rpm database is not read; versions come from the files themselves'] : []),
    ],
    quick: image.quick,
  };
}

/** CUDA version that a driver release serves, by its branch. */
function cudaOfDriver(driver: string, knowledge: Knowledge): string | null {
  const branch = Number(driver.split('.')[0]);
  return knowledge.branches.find((each) => each.branch === branch && each.confirmed)?.cuda ?? null;
}

function codeOf(files: readonly TreeFile[]): readonly (Pick<CodeOf, 'sass' | 'ptx'> & { readonly file: TreeFile })[] {
  return files.flatMap((file) => {
    const code = file.binary?.code ?? null;
    if (code === null || (code.sass.length === 0 && code.ptx.length === 0)) return [];
    return [{ file, sass: code.sass, ptx: code.ptx }];
  });
}

function machinesOf(files: readonly TreeFile[]): readonly {
  readonly machine: ImageContents['machines'][number]['machine'];
  readonly count: number;
  readonly file: TreeFile;
}[] {
  const found = new Map<string, { count: number; file: TreeFile }>();
  for (const file of files) {
    const machine = file.binary?.machine ?? null;
    // Toolkits for cross compiling hold libraries of other machines on purpose.
    if (machine === null || /\/targets\/|\/stubs\/|-cross|\/compat_orin\//.test(file.path)) continue;
    const known = found.get(machine);
    if (known === undefined) found.set(machine, { count: 1, file });
    else known.count++;
  }
  return [...found].map(([machine, each]) => ({ machine: machine as 'x86_64', ...each }));
}

const shownVariables =
  /^(?:CUDA|NV_|NVARCH|NVIDIA_|_CUDA_|NCCL_|CUDNN_|CUBLAS_|CUFFT_|CURAND_|CUSPARSE_|CUSOLVER_|NVJPEG_|NPP_|TRT_|DALI_|MOFED_|OPENUCX_|OPENMPI_|UCX_|OMPI_|PYTORCH_|TORCH_|TENSORFLOW_|TF_|JAX_|XLA_|VLLM_|TRITON_|LD_LIBRARY_PATH$|LD_PRELOAD$|LIBRARY_PATH$|PATH$|PYTHONPATH$|VIRTUAL_ENV$|CONDA_|BASH_ENV$|ENV$|ENTRYPOINT$)/;
const secret = /TOKEN|SECRET|PASS|CREDENTIAL|(?:^|_)KEY(?:_|$)|AUTH/;

/** True for a variable that is shown: one of the GPU stack or of the search paths, and no secret. */
export function isShownVariable(name: string): boolean {
  return shownVariables.test(name) && !secret.test(name);
}

/** The published part. */
export function inventoryOf(contents: ImageContents): Inventory {
  return {
    os: { id: contents.os.id, version: contents.os.version },
    env: (contents.config?.env ?? []).filter((each) => isShownVariable(each.name)),
    entrypoint: contents.config?.entrypoint ?? [],
    toolkits: contents.toolkits.map(({ version, path, cudart }) => ({ version, path, cudart })),
    libcuda: contents.libcuda.map(({ path, kind, version, cuda, note }) => ({ path, kind, version, cuda, note })),
    libraries: contents.libraries.map(({ name, version, path, wins }) => ({ name, version, path, wins })),
    packages: contents.packages.map(({ name, version, environment }) => ({ name, version, environment })),
    code: contents.code.map(({ path, sass, ptx }) => ({ path, sass, ptx })),
  };
}
