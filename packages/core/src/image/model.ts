// The nouns of an image: what was read of its layers (`ScannedImage`), what is in it (`Inventory`), what happens on a
// node (`Prediction`), and the report that carries all of it (`culprit/image@1`).
import type { FileFacts } from '../binary/model.ts';
import type { Clause } from '../compat/judgement.ts';
import type { Status } from '../model/layer.ts';
import type { Finding } from '../model/verdict.ts';

/** One path of a layer that matters to the inventory. Paths are absolute and normal (`/usr/lib/libcuda.so.1`). */
export interface ScannedEntry {
  readonly path: string;
  readonly type: 'file' | 'symlink' | 'hardlink' | 'directory';
  /** Bytes of the content; 0 for what has none. */
  readonly bytes: number;
  /** Where a link leads, as written (of a hard link: the absolute path in the same layer). */
  readonly target?: string;
  /** Content of a small text file that the inventory reads. */
  readonly text?: string;
  /** What the file itself says, of ELF files that the inventory reads. */
  readonly binary?: FileFacts;
}

/** What one pass over a layer found. */
export interface LayerScan {
  /** Digest of the layer as it is stored; of a plain root file system, null. */
  readonly digest: string | null;
  /** Digest of the unpacked tar; null where it was not computed. */
  readonly diffId: string | null;
  /** Bytes as stored, and unpacked. */
  readonly bytes: number;
  readonly unpackedBytes: number;
  readonly entries: readonly ScannedEntry[];
  /** Paths that the layer deletes from lower layers (`.wh.NAME`). */
  readonly whiteouts: readonly string[];
  /** Folders whose lower content the layer hides (`.wh..wh..opq`). */
  readonly opaque: readonly string[];
  /** What was not read, and why, in words with the place: `layer sha256:…: entry 3 …`. Empty when all was read. */
  readonly left: readonly string[];
}

/** The configuration of an image (OCI image-spec config.md), as far as it is used. */
export interface ImageConfig {
  readonly os: string | null;
  readonly architecture: string | null;
  readonly variant: string | null;
  readonly created: string | null;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly user: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Instructions, oldest first; `empty` ones made no layer. */
  readonly history: readonly { readonly createdBy: string; readonly empty: boolean }[];
}

/** All that was read of an image; layers from the lowest to the highest. */
export interface ScannedImage {
  readonly reference: string;
  /** Digest of the manifest; null where the source has none (root file system, old archives: the configuration's digest). */
  readonly digest: string | null;
  /** `linux/amd64`, `linux/arm64`, `linux/arm/v7`. */
  readonly platform: string;
  /** Null where there is none (plain root file system). */
  readonly config: ImageConfig | null;
  readonly layers: readonly LayerScan[];
  /** Layers were left unread because the configuration was enough (`--quick`). */
  readonly quick: boolean;
  readonly left: readonly string[];
}

/** What is done with a path when a layer is read. `list`: only that it is there. */
export type Interest = 'no' | 'list' | 'text' | 'binary';

export type LibcudaKind = 'stub' | 'compat' | 'baked' | 'ghost';

export interface ImageLibcuda {
  readonly path: string;
  readonly kind: LibcudaKind;
  /** Driver release of the file; null where it does not tell. */
  readonly version: string | null;
  /** CUDA version it brings; null where not known. */
  readonly cuda: string | null;
  /** Driver branches that its `.note.cuda.fwd_compatibility` lists; null without a note. */
  readonly note: readonly number[] | null;
}

/** `inventory` of `culprit/image@1`. */
export interface Inventory {
  readonly os: { readonly id: string | null; readonly version: string | null };
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly entrypoint: readonly string[];
  readonly toolkits: readonly {
    readonly version: string | null;
    readonly path: string;
    readonly cudart: string | null;
  }[];
  readonly libcuda: readonly ImageLibcuda[];
  readonly libraries: readonly {
    readonly name: string;
    readonly version: string | null;
    readonly path: string;
    readonly wins: boolean;
  }[];
  readonly packages: readonly {
    readonly name: string;
    readonly version: string | null;
    readonly environment: string;
  }[];
  readonly code: readonly {
    readonly path: string;
    readonly sass: readonly string[];
    readonly ptx: readonly string[];
  }[];
}

/** Node that an image is asked about; the keys of `--on`. A key that is missing is not known, never a default. */
export interface Node {
  readonly name?: string;
  readonly driver?: string;
  readonly gpu?: string;
  readonly flavour?: 'open' | 'proprietary';
  /** Version of the NVIDIA Container Toolkit. */
  readonly toolkit?: string;
  readonly mode?: 'legacy' | 'csv' | 'cdi' | 'jit-cdi' | 'auto' | 'none';
  /** Version of the Docker engine. */
  readonly docker?: string;
  readonly start?: 'runtime' | 'gpus' | 'cdi';
  readonly cudaCompatMode?: 'ldconfig' | 'mount' | 'hook' | 'disabled';
  readonly disableRequire?: boolean;
  /** Folder of the driver libraries on the host. */
  readonly libdir?: string;
  readonly entrypoint?: 'kept' | 'replaced';
  readonly platform?: string;
  /** Driver libraries on disk, where they are another release than the module that is loaded (`driver`). */
  readonly library?: string;
  /** Driver release that the node's CDI specification file names. */
  readonly cdiSpec?: string;
  /** Was the container started before or after the driver's files changed? */
  readonly started?: 'before' | 'after';
  /** Runtime that starts the container: by default or by its runtime class. */
  readonly runtime?: 'nvidia' | 'runc';
  /** How the device plugin of Kubernetes passes devices (DEVICE_LIST_STRATEGY). */
  readonly deviceList?: 'envvar' | 'volume-mounts' | 'cdi-annotations' | 'cdi-cri';
}

export type CompatBy =
  'mount' | 'ldconfig' | 'hook' | 'elf-note' | 'major' | 'entrypoint' | 'ld.so.conf' | 'LD_LIBRARY_PATH';

/** One of `predictions` of `culprit/image@1`. */
export interface Prediction {
  readonly on: Readonly<Record<string, string | boolean>>;
  readonly mode: 'legacy' | 'csv' | 'cdi' | 'jit-cdi' | 'none' | null;
  readonly requirement: {
    readonly checked: boolean | null;
    readonly holds: boolean | null;
    /** `inCsv`: by the evaluator of CSV mode, where it says otherwise. */
    readonly terms: readonly {
      readonly term: string;
      readonly holds: boolean | null;
      readonly inCsv?: boolean | null;
    }[];
  };
  readonly starts: boolean | null;
  readonly compat: { readonly used: boolean | null; readonly by: CompatBy | null };
  readonly libcuda: {
    readonly kind: 'host' | 'compat' | 'baked' | 'stub' | 'none' | null;
    readonly version: string | null;
    readonly path: string | null;
  };
  readonly answer: 'runs' | 'runs-if' | 'does-not-run' | 'cannot-tell';
  readonly rule: string | null;
  readonly errorSeen: string | null;
  readonly unknown: readonly string[];
  /** The answer in a sentence. */
  readonly message: string;
  /** What has to hold for `runs-if`. */
  readonly conditions: readonly string[];
  /** What would make it run, or what has to be known. */
  readonly needs: string | null;
  /** Conditions with their truth, in the order in which they are asked. */
  readonly clauses: readonly Clause[];
  /** What the start puts into the container; null where nothing or not known. */
  readonly injects: Injected | null;
  /** Name of the node, where it has one. */
  readonly node?: string;
}

/** What an injection mode brings of the host. */
export interface Injected {
  /** Folder of the image in which the driver libraries appear; null where the host's decides and is not known. */
  readonly folder: string | null;
  /** Driver capabilities that were asked for; null where the mode injects all. */
  readonly capabilities: readonly string[] | null;
  /** Beginnings of the libraries' names (`libcuda.so`), each followed by the driver release; `*.so` for all. */
  readonly libraries: readonly string[];
}

/** The schema `culprit/image@1`. */
export interface ImageReport {
  readonly schema: 'culprit/image@1';
  readonly reference: string;
  readonly digest: string | null;
  readonly platform: string;
  readonly status: Status;
  readonly inventory: Inventory;
  readonly findings: readonly Finding[];
  readonly predictions: readonly Prediction[];
}
