/** What a person can ask of the judge. A key that is missing is not known; `judge` says what each missing key means. */
export interface Question {
  readonly id?: string;
  /** CUDA version that the program was built with; for cuDNN and NCCL questions that of the process. */
  readonly toolkit?: string;
  /** Full version of the host's kernel driver; a bare branch (`525`) means that no more is known. */
  readonly driver?: string;
  /** Board name as printed or typed. */
  readonly gpu?: string;
  readonly computeCapability?: string;
  readonly wheel?: WheelQuestion;
  readonly binary?: BinaryQuestion;
  /** The program calls something that only drivers of this CUDA version have. */
  readonly needsDriverCuda?: string;
  /** A cuda-compat package that is in use (its libcuda comes first on the search path). */
  readonly compatPackage?: string;
  /** Driver version of the compat libcuda in use. */
  readonly compatDriver?: string;
  /** The compat libraries were put in front by hand, whatever their age. */
  readonly compatOnPath?: boolean;
  /** Host branches that the compat libcuda itself lists (its ELF note). Overrules the published matrix for this library. */
  readonly compatNote?: readonly number[];
  /** Missing: the flavour that the GPU needs is loaded. `unknown`: nobody looked. */
  readonly moduleFlavour?: 'open' | 'proprietary' | 'unknown';
  readonly image?: string;
  /** Environment of an image that no table knows; such images have no compat libraries. */
  readonly imageEnv?: Readonly<Record<string, string>>;
  /** Version of the NVIDIA Container Toolkit. */
  readonly containerToolkit?: string;
  readonly injectionMode?: InjectionMode;
  /** Missing: the image's own entrypoint runs. */
  readonly entrypoint?: 'kept' | 'replaced';
  /** NVIDIA_DISABLE_REQUIRE is set. */
  readonly disableRequire?: boolean;
  readonly cudnn?: LibraryQuestion;
  readonly nccl?: LibraryQuestion;
  /** The GPUs hang on NVSwitches. */
  readonly nvswitch?: boolean;
  /** What is asked for where the answer is a version rather than yes or no: the lowest driver, the newest CUDA, a build. */
  readonly asks?: Asked;
  /** The same asked of several hosts or programs: each part replaces the keys that it has. */
  readonly each?: readonly Question[];
  /** Something besides CUDA that the driver or the GPU is asked for (`MIG`, `vGPU`); no table decides it. */
  readonly feature?: string;
  /** Missing: Linux. */
  readonly os?: 'linux' | 'windows';
  /** Missing: x86_64. */
  readonly arch?: 'x86_64' | 'aarch64' | 'ppc64le';
  /** A sentence to judge; then nothing else counts. */
  readonly claim?: string;
}

export type Asked = 'driver' | 'cuda' | 'wheel' | 'cudnn' | 'nccl';

export type InjectionMode = 'legacy' | 'cdi' | 'jit-cdi' | 'csv' | 'auto';

export interface WheelQuestion {
  readonly name: string;
  readonly version?: string;
  /** `cu128`, `cpu`, `cuda12`, …; `pypi`: the default build on PyPI. Missing: not known. */
  readonly variant?: string;
}

export interface BinaryQuestion {
  /** `sm_80`, `sm_90a`, `sm_100f`. */
  readonly sass: readonly string[];
  /** `compute_80`. */
  readonly ptx: readonly string[];
}

export interface LibraryQuestion {
  readonly version: string;
  /** CUDA major of the package: `cu11`, `cu12`, `cu13`; `unknown`: it was said that nobody knows it. Missing: not said. */
  readonly build?: string;
  /** Version of the library that the program was built against. */
  readonly programBuiltFor?: string;
}
