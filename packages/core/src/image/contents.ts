// All that the inventory knows of an image, with where each thing comes from: what the report, the observations and the
// prediction are made of. `Inventory` is the published part of it.
import type { FileFacts } from '../binary/model.ts';
import type { By } from '../loader/resolve.ts';
import type { ImageConfig, ImageLibcuda } from './model.ts';

/** Which layer brought a path. */
export interface Origin {
  /** Place in `ScannedImage.layers`, lowest 0. */
  readonly layer: number;
  readonly digest: string | null;
  /** Instruction of the history that made the layer, as written; null where history and layers do not pair. */
  readonly instruction: string | null;
}

/** A file of the merged view. */
export interface Placed {
  readonly path: string;
  readonly origin: Origin;
}

export interface Toolkit extends Placed {
  /** `12.6`: CUDA release; null where nothing tells. */
  readonly version: string | null;
  readonly cudart: string | null;
  /** Parts with their release, as version.json and the libraries tell: `cublas` `12.6.4.1`. */
  readonly parts: readonly { readonly name: string; readonly version: string }[];
  /** Has a compiler (`bin/nvcc`). */
  readonly nvcc: boolean;
  /** The one that /usr/local/cuda leads to. */
  readonly current: boolean;
}

export interface LibcudaFile extends Placed, ImageLibcuda {
  readonly bytes: number;
  /** Names of the same folder that lead to this file, its own included. */
  readonly names: readonly string[];
  /** Other folders with a name (a link) that leads to this file. */
  readonly folders: readonly string[];
  /** Folders in which its run-time name, `libcuda.so.1`, leads to it. */
  readonly namedIn: readonly string[];
  /** A regular file named `libcuda.so.1`, which ldconfig leaves alone. */
  readonly unversioned: boolean;
}

export interface LibraryCopy extends Placed {
  /** `cudnn`, `nccl`, `cublas`, `cublaslt`, `nvjitlink`, `cudart`, `tensorrt`, `ucx`, `openmpi` … */
  readonly name: string;
  readonly version: string | null;
  readonly soname: string | null;
  /** A process of the image's environment that asks for the SONAME gets this copy. */
  readonly wins: boolean;
  /** Python environment whose wheel it is; null for the system's. */
  readonly environment: string | null;
  /** Package of a manager that installed it, where one is known: `libcudnn9-cuda-12 9.1.0.70-1`. */
  readonly package: string | null;
}

export interface PackageCopy extends Placed {
  readonly name: string;
  readonly version: string | null;
  /** Folder of the Python environment, `dpkg`, `rpm` or `apk`. */
  readonly environment: string;
  readonly manager: 'pip' | 'conda' | 'dpkg' | 'rpm' | 'apk';
  /** CUDA release that it is built for: `12.8`, a major alone `12`, `none` for a CPU build; null where nothing tells. */
  readonly cuda: string | null;
  /** Why `cuda` says what it says: `version.py`, `local version`, `name`, `pins`, `build string`, `wheel record`. */
  readonly cudaBy: string | null;
  /** `Requires-Dist` on nvidia-* packages with an exact version. */
  readonly pins: readonly {
    readonly name: string;
    readonly version: string;
    /** Only if the package is there at all. */
    readonly optional?: true;
  }[];
}

export interface Environment extends Placed {
  readonly kind: 'system' | 'venv' | 'conda' | 'debian' | 'other';
  /** `3.12`; null where not known. */
  readonly python: string | null;
  /** Made by uv (pyvenv.cfg, INSTALLER). */
  readonly uv: boolean;
  /** Its bin folder comes first among the environments of PATH. */
  readonly first: boolean;
  /** Folders with its packages. */
  readonly folders: readonly string[];
}

/** What a library that was read gets for a library it needs, of which the image has several copies. */
export interface Load {
  readonly asker: string;
  readonly layer: number;
  readonly soname: string;
  /** Null where the loader finds none of the copies. */
  readonly path: string | null;
  readonly version: string | null;
  readonly by: By | null;
  readonly others: readonly { readonly path: string; readonly version: string | null }[];
}

/** Parts of cuDNN in one folder that are of several releases. */
export interface MixedParts {
  readonly folder: string;
  readonly origin: Origin;
  readonly versions: readonly { readonly version: string; readonly path: string }[];
}

export interface CodeOf extends Placed {
  readonly sass: readonly string[];
  readonly ptx: readonly string[];
}

/** How the loader searches in a container of the image, before anything is injected. */
export interface Search {
  /** LD_LIBRARY_PATH of the configuration, in order, links not followed. */
  readonly libraryPath: readonly string[];
  /** Folders of ld.so.conf and ld.so.conf.d in the order of ldconfig, with the file and line that names each. */
  readonly configured: readonly {
    readonly folder: string;
    readonly file: string;
    readonly line: number;
    readonly exists: boolean;
  }[];
  /** Entries of the image's ld.so.cache; null where it has none or it was not read. */
  readonly cache: readonly { readonly soname: string; readonly path: string }[] | null;
  readonly hasCache: boolean;
  readonly defaults: readonly string[];
  readonly musl: boolean;
}

export interface Entrypoint {
  readonly words: readonly string[];
  /** What switches compat on when a container starts; null where nothing does, `unread` where the script was not read. */
  readonly compat: 'nvidia-entrypoint' | 'script' | 'unread' | null;
  /** File whose text shows it. */
  readonly file: string | null;
}

/** A tool, module or folder that belongs to a host. */
export interface HostThing extends Placed {
  readonly kind:
    'driver-library' | 'driver-tool' | 'kernel-module' | 'firmware' | 'module-source' | 'container-toolkit';
  readonly bytes: number;
  readonly version: string | null;
}

export interface ImageContents {
  readonly config: ImageConfig | null;
  /** Layers, lowest first. */
  readonly origins: readonly Origin[];
  readonly platform: string;
  readonly os: { readonly id: string | null; readonly version: string | null; readonly name: string | null };
  /** Folder where the container toolkit's legacy mode mounts driver libraries: of Debian the multiarch one, else /usr/lib64. */
  readonly driverFolder: string;
  readonly entrypoint: Entrypoint;
  readonly toolkits: readonly Toolkit[];
  readonly libcuda: readonly LibcudaFile[];
  readonly libraries: readonly LibraryCopy[];
  readonly loads: readonly Load[];
  readonly cudnnParts: readonly MixedParts[];
  readonly environments: readonly Environment[];
  readonly packages: readonly PackageCopy[];
  readonly code: readonly CodeOf[];
  readonly search: Search;
  /** Folders of `search` by the name they are searched under, links followed. */
  readonly realFolders: ReadonlyMap<string, string>;
  /** NGC's start script lies in the image, whether it is started or not. */
  readonly ngcScript: boolean;
  readonly hostThings: readonly HostThing[];
  /** ELF machines of the libraries that were read, with how many there are of each and one of them. */
  readonly machines: readonly {
    readonly machine: NonNullable<FileFacts['machine']>;
    readonly count: number;
    readonly example: Placed;
  }[];
  readonly left: readonly string[];
  readonly quick: boolean;
}
