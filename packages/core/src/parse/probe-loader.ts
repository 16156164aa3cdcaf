// Which libraries a process of the probed environment would load, computed from what the probe lists: the loader cache,
// the search path of the environment, the files, and the tags of the libraries that ask (`loader/resolve.ts`).
//
// @ environment env | grep -E …
// |LD_LIBRARY_PATH=/usr/local/nvidia/lib:/usr/local/nvidia/lib64
// @ ldconfig ldconfig -p | grep -E …
// |	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1
// @ library-files ls -l */libcuda.so* …
// |lrwxrwxrwx 1 0 0       20 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import type { Asker, LoaderFile, LoaderView } from '../loader/resolve.ts';
import { normalPath, resolve } from '../loader/resolve.ts';
import { blocksOf, filled } from './blocks.ts';
import type { LibraryTags } from './library-tags.ts';
import { foldersOf, tagsOf } from './library-tags.ts';
import { addDriverLibrary, fileVersion, libraryPath } from './loader.ts';
import { isAbsent } from './probe-observations.ts';

interface Environment {
  readonly folder: string;
  readonly torch: boolean;
  readonly libraries: readonly string[];
}

interface Seen {
  readonly view: LoaderView;
  readonly lines: ReadonlyMap<string, Line>;
  readonly cached: ReadonlyMap<string, Line>;
  readonly variable: Line | null;
  readonly environmentRead: boolean;
  readonly cacheRead: boolean;
  readonly environments: readonly Environment[];
  readonly tags: ReadonlyMap<string, LibraryTags>;
}

const row =
  /^([-l])[rwxsStT-]{9}[.+@]?\s{1,8}\d{1,6}\s{1,8}\S{1,40}\s{1,8}\S{1,40}\s{1,14}(\d{1,15})\s.{6,40}?\s(\/\S{1,400})(?: -> (\S{1,400}))?$/;
const cacheRow = /^\s{0,16}(lib[\w.+-]{3,120}) \(libc6,(?:x86-64|AArch64|64bit)[^)]{0,80}\) => (\/\S{1,400})$/;
const named = /^lib(?:cuda|nvidia-ml|cudart|cudnn|nccl|nvJitLink|cublas|cublasLt|nvrtc|nvinfer)\.so\.\d{1,2}(?:\.0)?$/;
const defaults = [
  '/lib/x86_64-linux-gnu',
  '/usr/lib/x86_64-linux-gnu',
  '/lib/aarch64-linux-gnu',
  '/usr/lib/aarch64-linux-gnu',
  '/lib64',
  '/usr/lib64',
  '/lib',
  '/usr/lib',
];

/** What the observations of a probe say of the loader; null where they do not list the files. */
function seenBy(document: Document): Seen | null {
  const files = new Map<string, LoaderFile>();
  const lines = new Map<string, Line>();
  const cached = new Map<string, Line>();
  const cache: { soname: string; path: string }[] = [];
  const environments: { folder: string; torch: boolean; libraries: string[] }[] = [];
  let variable: Line | null = null;
  let path: string[] | null = null;
  let preload: string[] = [];
  let listed = false;
  let cacheRead = false;
  for (const block of blocksOf(document)) {
    const output = filled(block.output);
    if (block.command.startsWith('ls -l */libcuda.so*')) {
      listed = block.prompt.prompt;
      for (const line of output) {
        const match = row.exec(line.clean.trimEnd());
        if (match === null) continue;
        const [, type, bytes, name, link] = match as unknown as [string, string, string, string, string | undefined];
        const folder = name.slice(0, name.lastIndexOf('/'));
        const target =
          type !== 'l' || link === undefined ? null : normalPath(link.startsWith('/') ? link : `${folder}/${link}`);
        files.set(name, { path: name, target, bytes: target === null ? Number(bytes) : null });
        lines.set(name, line);
      }
    } else if (block.command.startsWith('ldconfig -p')) {
      cacheRead = block.prompt.prompt;
      for (const line of output) {
        const match = cacheRow.exec(line.clean.trimEnd());
        if (match === null) continue;
        cache.push({ soname: match[1]!, path: match[2]! });
        if (!cached.has(match[1]!)) cached.set(match[1]!, line);
      }
    } else if (block.command.startsWith('env | grep -E')) {
      path = [];
      for (const line of output) {
        const match = /^(LD_LIBRARY_PATH|LD_PRELOAD)=(.{0,8000})$/.exec(line.clean.trimEnd());
        if (match === null) continue;
        if (match[1] === 'LD_PRELOAD') preload = match[2]!.split(/[: ]/).filter((each) => each.startsWith('/'));
        else {
          path = match[2]!.split(':').filter((each) => each !== '');
          variable = line;
        }
      }
    } else if (/^ls \/\S{1,400}\/(?:site|dist)-packages$/.test(block.command)) {
      const folder = block.command.slice(3);
      const names = output.map((line) => line.clean.trimEnd());
      const libraries = names.filter((each) => /^(?:nvidia|torch)\/[\w./+-]{1,300}\.so[\w.]{0,30}$/.test(each));
      environments.push({ folder, torch: names.some((each) => /^torch-\d/.test(each)), libraries });
      for (const [at, each] of names.entries()) {
        if (!libraries.includes(each)) continue;
        const full = `${folder}/${each}`;
        files.set(full, { path: full, target: null, bytes: null });
        lines.set(full, output[at]!);
      }
    }
  }
  if (!listed) return null;
  const folders = new Set([...files.keys()].map((each) => each.slice(0, each.lastIndexOf('/'))));
  return {
    view: { files, listed: folders, preload, libraryPath: path ?? [], cache, defaults },
    lines,
    cached,
    variable,
    environmentRead: path !== null,
    // A cache that is not there is known to be empty.
    cacheRead: cacheRead || isAbsent(document, 'ldconfig'),
    environments,
    tags: new Map(tagsOf(document).map((each) => [each.path, each])),
  };
}

/**
 * Libraries that load others by their tags, as they lie below the packages of an environment, in the order in which they
 * are loaded: of two that need the same name the first decides, since what is loaded once is not looked for again.
 */
const askers: readonly { readonly of: string; readonly file: RegExp; readonly needs: RegExp }[] = [
  {
    of: 'torch',
    file: /^torch\/lib\/libtorch_global_deps\.so$/,
    needs: /^lib(?:cudart|cudnn|nccl|cublas|cublasLt|nvrtc)\.so/,
  },
  {
    of: 'torch',
    file: /^torch\/lib\/libtorch_cuda\.so$/,
    needs: /^lib(?:cudart|cudnn|nccl|cublas|cublasLt|nvrtc)\.so/,
  },
  { of: 'torch', file: /^nvidia\/c[\w]{1,20}\/lib\/libcusparse\.so\.\d{1,2}$/, needs: /^libnvJitLink\.so/ },
  {
    of: 'torch',
    file: /^nvidia\/c[\w]{1,20}\/lib\/libcudnn\.so\.\d{1,2}$/,
    needs: /^lib(?:cublas|cublasLt|nvrtc)\.so/,
  },
  {
    of: 'jax',
    file: /^(?:jax_plugins\/xla_cuda\d{1,2}\/xla_cuda_plugin|jaxlib\/xla_extension)\.so$/,
    needs: /^lib(?:cudart|cudnn|nccl|cublas|cublasLt|nvJitLink)\.so/,
  },
  {
    of: 'tensorflow',
    file: /^tensorflow\/libtensorflow_\w{2,12}\.so\.\d{1,2}$/,
    needs: /^lib(?:cudart|cudnn|nccl|cublas|cublasLt)\.so/,
  },
  {
    of: 'onnxruntime',
    file: /^onnxruntime\/capi\/libonnxruntime_providers_cuda\.so$/,
    needs: /^lib(?:cudart|cudnn|cublas|cublasLt|nvrtc)\.so/,
  },
  { of: 'cupy', file: /^cupy_backends\/cuda\/libs\/cudnn\.[\w.-]{1,80}\.so$/, needs: /^libcudnn\.so/ },
  {
    of: 'TensorRT',
    file: /^tensorrt_libs\/libnvinfer\.so\.\d{1,2}$/,
    needs: /^lib(?:cudart|cudnn|cublas|cublasLt)\.so/,
  },
];

export const probeLoader: Parser = {
  id: 'loader',
  literals: ['ls -l */libcuda.so*'],
  parse(document, hits, sink) {
    if (!hits.some((line) => line.prompt)) return;
    const seen = seenBy(document);
    if (seen === null) return;
    const names = new Set<string>();
    for (const each of [...seen.view.files.keys(), ...seen.view.cache.map((entry) => `/${entry.soname}`)]) {
      const name = each.slice(each.lastIndexOf('/') + 1);
      if (named.test(name)) names.add(name);
    }
    for (const soname of [...names].sort()) report(soname, seen, null, sink);
    for (const environment of seen.environments) reportEnvironment(environment, seen, sink);
  },
};

/** What the frameworks of a Python environment load of the libraries that came with it. */
function reportEnvironment(environment: Environment, seen: Seen, sink: FactSink): void {
  const { folder } = environment;
  const own = new Set(
    environment.libraries.map((each) => each.slice(each.lastIndexOf('/') + 1)).filter((each) => named.test(each)),
  );
  const program = seen.tags.get(`${folder.slice(0, Math.max(0, folder.lastIndexOf('/lib')))}/bin/python3`);
  const inherited = program === undefined || program.runpath.length > 0 ? [] : foldersOf(program.rpath, program.path);
  const read = askers.flatMap((asker) =>
    [...seen.tags.values()]
      .filter((each) => each.path.startsWith(`${folder}/`) && asker.file.test(each.path.slice(folder.length + 1)))
      .map((tags) => ({ ...asker, tags })),
  );
  const told = new Set<string>();
  for (const { of, needs, tags } of read) {
    const asker: Asker = {
      name: `${of} in ${folder}`,
      rpath: foldersOf(tags.rpath, tags.path),
      runpath: foldersOf(tags.runpath, tags.path),
      inherited,
    };
    for (const soname of [...own].sort()) {
      if (!needs.test(soname) || told.has(`${of} ${soname}`)) continue;
      told.add(`${of} ${soname}`);
      report(soname, seen, asker, sink, tags.line);
    }
  }
  if (!environment.torch) return;
  // Whose tags were not read: they name the folders of the environment, but not whether before the search path or behind it.
  const folders = [
    ...new Set(environment.libraries.map((each) => `${folder}/${each.slice(0, each.lastIndexOf('/'))}`)),
  ];
  for (const soname of [...own].sort())
    if (!told.has(`torch ${soname}`))
      report(soname, seen, { name: `torch in ${folder}`, rpath: [], runpath: [], either: folders }, sink);
}

function report(soname: string, seen: Seen, asker: Asker | null, sink: FactSink, tags: Line | null = null): void {
  const made = resolve(soname, seen.view, asker);
  const proof = [
    made.by === 'LD_LIBRARY_PATH' ? seen.variable : made.by === 'ld.so.cache' ? seen.cached.get(soname) : null,
    tags,
    made.found === null ? null : seen.lines.get(made.found),
    made.path === null ? null : seen.lines.get(made.path),
    ...made.losers.map((each) => seen.lines.get(each)),
  ].filter((line) => line !== null && line !== undefined);
  const lines = [...new Set(proof)].slice(0, 6);
  if (lines.length === 0) return;
  sink.add(
    'loader.loads',
    {
      soname,
      path: made.path,
      version: made.path === null ? null : (fileVersion(made.path) ?? null),
      kind: made.kind,
      by: made.by,
      asker: asker?.name ?? null,
      rival: made.rival,
      losers: made.losers,
    },
    lines,
  );
  // Where the search path decides, the cache does not matter.
  const sure = seen.cacheRead || made.by === 'LD_LIBRARY_PATH' || made.by === 'LD_PRELOAD';
  if (asker !== null || !seen.environmentRead || !sure || made.path === null) return;
  if (soname !== 'libcuda.so.1' && soname !== 'libnvidia-ml.so.1') return;
  sink.add('loader.resolved', libraryPath(soname, made.path), lines);
  addDriverLibrary(made.path, lines, sink);
}
