// What of an image is to run on the GPU: its frameworks with the code that was read, other code, else its toolkit.
import { cudaRange } from '../compat/cuda-range.ts';
import type { CudaRange } from '../compat/cuda-range.ts';
import type { Code, Program } from '../compat/program.ts';
import type { Tables } from '../compat/tables.ts';
import { wheelPrograms } from '../compat/wheel-lookup.ts';
import type { CodeOf, ImageContents, PackageCopy } from './contents.ts';

/** One thing that is to run, in every build that it can be. */
export interface Runnable {
  readonly label: string;
  readonly builds: readonly Program[];
  /** `beside`: code that some framework may use, or not. */
  readonly as: 'framework' | 'code' | 'beside' | 'toolkit';
}

/** Frameworks that decide whether an image runs; what is built upon them is known by its code. */
const frameworks: Readonly<Record<string, { readonly project: string; readonly code: readonly string[] }>> = {
  torch: { project: 'torch', code: ['/torch/lib/'] },
  tensorflow: { project: 'tensorflow', code: ['/tensorflow/'] },
  'tensorflow-gpu': { project: 'tensorflow', code: ['/tensorflow/'] },
  'tensorflow-cpu': { project: 'tensorflow', code: ['/tensorflow/'] },
  'jax-cuda12-plugin': { project: 'jax[cuda12]', code: ['/jax_plugins/', '/jax_cuda12_plugin/'] },
  'jax-cuda13-plugin': { project: 'jax[cuda13]', code: ['/jax_plugins/', '/jax_cuda13_plugin/'] },
  'cupy-cuda11x': { project: 'cupy-cuda11x', code: ['/cupy/'] },
  'cupy-cuda12x': { project: 'cupy-cuda12x', code: ['/cupy/'] },
  'cupy-cuda13x': { project: 'cupy-cuda13x', code: ['/cupy/'] },
  'onnxruntime-gpu': { project: 'onnxruntime-gpu', code: ['/onnxruntime/'] },
  'paddlepaddle-gpu': { project: 'paddlepaddle-gpu', code: ['/paddle/'] },
};

/** Conda's names of the same. */
const condaNames: Readonly<Record<string, string>> = { pytorch: 'torch', 'pytorch-gpu': 'torch', cupy: 'cupy' };

/**
 * Frameworks first. A CPU build beside a GPU build does not count; alone it is what decides. Code that belongs to no
 * framework decides where there is no framework. Libraries of NVIDIA are not asked: they serve what their release serves.
 */
export function runnablesOf(contents: ImageContents, tables: Tables): readonly Runnable[] {
  const arm = contents.platform.startsWith('linux/arm64');
  const taken = new Set<string>();
  const found: Runnable[] = [];
  for (const copy of chosen(contents)) {
    const framework = frameworks[nameOf(copy)];
    if (framework === undefined) continue;
    const code = contents.code.filter(
      (each) => framework.code.some((part) => each.path.includes(part)) && !isOfNvidia(each, contents),
    );
    for (const each of code) taken.add(each.path);
    found.push({ label: labelOf(copy), builds: buildsOf(copy, framework.project, code, arm, tables), as: 'framework' });
  }
  const gpu = found.filter((each) => !each.builds.every((build) => build.cpuOnly));
  const frames = gpu.length > 0 ? gpu : found;
  const rest = otherCode(contents, taken, tables, frames.length === 0);
  if (frames.length + rest.length > 0) return [...frames, ...rest];
  const cuda = imageCuda(contents, tables);
  if (cuda === null) return [];
  const label = `what CUDA ${cudaText(contents)} made`;
  return [{ label, builds: [{ ...base(label), cuda, kind: 'image' }], as: 'toolkit' }];
}

/** Of a framework that several environments have, the copy of the first environment on PATH; else all. */
function chosen(contents: ImageContents): readonly PackageCopy[] {
  const copies = contents.packages.filter((copy) => copy.manager === 'pip' || copy.manager === 'conda');
  const first = contents.environments.find((each) => each.first)?.path ?? null;
  const byName = new Map<string, PackageCopy[]>();
  for (const copy of copies) {
    const name = nameOf(copy);
    if (frameworks[name] === undefined) continue;
    byName.set(name, [...(byName.get(name) ?? []), copy]);
  }
  return [...byName.values()].flatMap((list) => {
    const own = list.filter((copy) => copy.environment === first);
    const kept = own.length > 0 ? own : list;
    const seen = new Set<string>();
    return kept.filter((copy) => {
      const key = `${copy.version ?? ''} ${copy.cuda ?? ''}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  });
}

function nameOf(copy: PackageCopy): string {
  const name = copy.name.toLowerCase().replaceAll('_', '-');
  return copy.manager === 'conda' ? (condaNames[name] ?? name) : name;
}

function labelOf(copy: PackageCopy): string {
  return `${nameOf(copy)}${copy.version === null ? '' : ` ${copy.version}`}`;
}

function buildsOf(
  copy: PackageCopy,
  project: string,
  code: readonly CodeOf[],
  arm: boolean,
  tables: Tables,
): readonly Program[] {
  const label = labelOf(copy);
  if (copy.cuda === 'none') return [{ ...base(label), cpuOnly: true, restsOn: ['pytorch-release-matrix'] }];
  const read = code.length === 0 ? null : unionOf(code);
  // Builds of NVIDIA's own images are on no index: what the image says of them is all there is.
  const own = /\+.{0,60}nv|a0\+/.test(copy.version ?? '');
  const cuda = copy.cuda === null ? null : cudaRange(copy.cuda, tables);
  if (own || (read !== null && cuda !== null)) {
    return [
      {
        ...base(label),
        cuda,
        code: read,
        codeUnknown: read === null ? `the code in ${label} was not read` : null,
        unknown:
          cuda !== null
            ? null
            : {
                message: `the CUDA version of ${label} is not known`,
                needs: 'torch.version.cuda of the image',
                missing: `CUDA version of ${label}`,
              },
      },
    ];
  }
  const version = copy.version?.split('+')[0];
  const builds = wheelPrograms(
    {
      name: project,
      ...(version === undefined ? {} : { version }),
      ...variantOf(copy, project),
    },
    { aarch64: arm },
    tables,
  );
  return read === null
    ? builds
    : builds.map((build) => (build.cpuOnly ? build : { ...build, code: read, codeUnknown: null }));
}

/** `cu128` of a local version or of the CUDA release that the package names. */
function variantOf(copy: PackageCopy, project: string): { readonly variant?: string } {
  const local = copy.version?.split('+')[1];
  if (local !== undefined && /^(?:cu\d{2,3}|cpu|rocm.{0,12})$/.test(local)) return { variant: local };
  if (copy.cuda === null) return project === 'torch' && copy.manager === 'pip' ? { variant: 'pypi' } : {};
  const digits = copy.cuda.replace('.', '');
  if (project === 'torch') return copy.cuda.includes('.') ? { variant: `cu${digits}` } : {};
  return project.includes('-cuda') || project.includes('[') ? {} : { variant: `cuda${copy.cuda.split('.')[0] ?? ''}` };
}

/** Code of the image's own libraries, each distinct set once. */
function otherCode(
  contents: ImageContents,
  taken: ReadonlySet<string>,
  tables: Tables,
  main: boolean,
): readonly Runnable[] {
  const cuda = imageCuda(contents, tables);
  const seen = new Set<string>();
  const list: Runnable[] = [];
  for (const each of contents.code) {
    if (taken.has(each.path) || isOfNvidia(each, contents)) continue;
    if (each.sass.length + each.ptx.length === 0) continue;
    const key = `${each.sass.join()} ${each.ptx.join()}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const label = each.path.slice(each.path.lastIndexOf('/') + 1);
    list.push({
      label,
      builds: [{ ...base(label), cuda, code: unionOf([each]), kind: cuda === null ? 'wheel' : 'binary' }],
      as: main ? 'code' : 'beside',
    });
  }
  return list;
}

/** CUDA libraries, driver files and what lies beside them. */
function isOfNvidia(code: CodeOf, contents: ImageContents): boolean {
  if (/\/(?:compat|stubs)\/|\/site-packages\/nvidia\/|\/dist-packages\/nvidia\/|\/usr\/local\/cuda/.test(code.path))
    return true;
  return (
    contents.libraries.some((each) => each.path === code.path) ||
    contents.libcuda.some((each) => each.path === code.path) ||
    contents.hostThings.some((each) => each.path === code.path)
  );
}

function unionOf(code: readonly CodeOf[]): Code {
  const names = (pick: 'sass' | 'ptx'): readonly string[] => [
    ...new Set(code.flatMap((each) => each[pick].map((name) => name.replace(/^(?:sm|compute)_/, '')))),
  ];
  return { sass: names('sass'), ptx: names('ptx'), confirmed: true };
}

function cudaText(contents: ImageContents): string {
  return (
    contents.toolkits.find((each) => each.current)?.version ??
    contents.toolkits[0]?.version ??
    envCuda(contents) ??
    runtimeCuda(contents) ??
    ''
  );
}

/** CUDA version of the runtime library that lies in the image; of several, the one that the loader takes. */
function runtimeCuda(contents: ImageContents): string | null {
  const copies = contents.libraries.filter((each) => each.name === 'cudart' && each.version !== null);
  const version = (copies.find((each) => each.wins) ?? copies[0])?.version ?? '';
  return /^\d{1,2}\.\d{1,2}/.exec(version)?.[0] ?? null;
}

function envCuda(contents: ImageContents): string | null {
  const value = contents.config?.env.find((each) => each.name === 'CUDA_VERSION')?.value ?? null;
  return value === null ? null : value.split('.').slice(0, 2).join('.');
}

function imageCuda(contents: ImageContents, tables: Tables): CudaRange | null {
  const text = cudaText(contents);
  return text === '' ? null : cudaRange(text, tables);
}

function base(label: string): Program {
  return {
    label,
    cuda: null,
    unknown: null,
    code: null,
    codeUnknown: null,
    minSm: null,
    cpuOnly: false,
    kind: 'wheel',
    confirmed: true,
    otherBuilds: [],
    restsOn: [],
  };
}
