import type { Evidence } from '../../model/document.ts';
import type { Fact } from '../../model/facts.ts';
import type { Certainty } from '../../model/layer.ts';
import type { Missing, RuleContext } from '../../model/rule.ts';
import { parseSoname } from '../../versions/soname.ts';
import { cudaReleases, libraryPathFact, own, packagesNamed, placesOf, quote, saidOf } from '../framework/_stack.ts';

/** Why a library of the toolkit is not found. */
export interface MissingLibrary {
  readonly side: 'path' | 'other-major' | 'open';
  readonly certainty: Certainty;
  readonly message: string;
  readonly seen: readonly Evidence[];
  readonly missing: readonly Missing[];
  readonly library: string;
}

/** Messages that name a library that could not be opened. */
export const missingMessages = [
  'ld-missing-cuda-runtime-lib',
  'cuda-lib-not-found',
  'cudnn8-could-not-load',
  'cudnn9-unable-to-load',
  'ort-provider-load',
  'tf-cannot-dlopen',
  'bnb-missing-binary',
  'cupy-import-failed',
] as const;

/** CUDA majors that ship a soname; by library and first number. cuDNN, NCCL and TensorRT count on their own. */
const majors: Readonly<Record<string, Readonly<Record<number, readonly number[]>>>> = {
  cufft: { 9: [9], 10: [10, 11], 11: [12], 12: [13] },
  curand: { 9: [9], 10: [10, 11, 12, 13] },
  cusolver: { 10: [10, 11], 11: [11, 12], 12: [13] },
  cusparse: { 10: [10], 11: [11], 12: [12, 13] },
  cusparseLt: { 0: [11, 12, 13] },
  nvToolsExt: { 1: [10, 11, 12] },
  cufile: { 0: [11, 12, 13] },
};
const ownCount = new Set(['cudnn', 'nccl', 'nvinfer', 'cusparseLt', 'cufile', 'nvToolsExt', 'curand']);

/** Decides between "there, but not on the loader's path" and "only another major is there". */
export function missingLibrary(context: RuleContext): MissingLibrary | null {
  const wanted = wantedOf(context);
  if (wanted.length === 0) return statedMajors(context);
  let open: MissingLibrary | null = null;
  for (const want of wanted) {
    const answer = decide(want, context);
    if (answer.side !== 'open') return answer;
    open ??= answer;
  }
  return open;
}

/** A provider that names the majors it was built for, without the file that it did not find. */
function statedMajors(context: RuleContext): MissingLibrary | null {
  for (const fact of saidOf(context, 'ort-provider-load')) {
    const cuda = Number.parseInt(fact.value.captures['cuda'] ?? '', 10);
    const cudnn = Number.parseInt(fact.value.captures['cudnn'] ?? '', 10);
    const have = ownRelease('cudnn', context);
    if (cudnn > 0 && have !== null && have.major !== cudnn) {
      return {
        side: 'other-major',
        certainty: have.fact.told ? 'likely' : 'proved',
        message: `cuDNN ${cudnn} is needed, and ${have.text} is installed`,
        seen: quote(5, fact, have.fact),
        missing: [],
        library: `cuDNN ${cudnn}`,
      };
    }
    const releases = cudaReleases(context);
    const foreign = releases[0];
    if (cuda > 0 && foreign !== undefined && releases.every((each) => each.cuda.major !== cuda)) {
      return {
        side: 'other-major',
        certainty: foreign.fact.told ? 'likely' : 'proved',
        message: `CUDA ${cuda} is needed, and what is there is CUDA ${text(foreign.cuda)}`,
        seen: quote(5, fact, foreign.fact),
        missing: [],
        library: `CUDA ${cuda}`,
      };
    }
  }
  return null;
}

interface Want {
  readonly name: string;
  /** Family: cudnn_ops and cudnn_cnn count as cudnn. */
  readonly library: string;
  readonly version: readonly number[];
  readonly fact: Fact;
}

function wantedOf(context: RuleContext): readonly Want[] {
  const found: Want[] = [];
  const add = (text: string | undefined, fact: Fact): void => {
    const name = text?.slice(text.lastIndexOf('/') + 1).trim();
    const soname = name === undefined ? null : parseSoname(name);
    if (
      name === undefined ||
      soname === null ||
      !/^(?:cu|nv|nccl)/.test(soname.library) ||
      (/^(?:cuda|nvidia|nvrtc-builtins)/.test(soname.library) && soname.library !== 'cudart')
    )
      return;
    if (found.some((each) => each.name === name)) return;
    found.push({ name, library: familyOf(soname.library), version: soname.version, fact });
  };
  for (const fact of saidOf(context, ...missingMessages)) {
    const { lib, dep, err, why } = fact.value.captures;
    // cuDNN 8 names the part that it loads first, and then what that part did not find.
    if (why !== undefined && /undefined symbol|not defined/.test(why)) continue;
    if (dep !== undefined) add(dep, fact);
    else if (lib !== undefined && (err === undefined || /No such file|cannot open/.test(err))) add(lib, fact);
  }
  // A report that names what it could not read is no program that failed for it.
  const cells = new Set(saidOf(context, 'benign-report-cell').flatMap((fact) => fact.seen.map((each) => each.line)));
  for (const fact of own(context, 'loader.resolved')) {
    if (fact.value.path === null && !fact.seen.every((each) => cells.has(each.line))) add(fact.value.soname, fact);
  }
  return found;
}

function familyOf(library: string): string {
  return library.startsWith('cudnn') ? 'cudnn' : library.startsWith('nvinfer') ? 'nvinfer' : library;
}

function decide(want: Want, context: RuleContext): MissingLibrary {
  const { name, library, version } = want;
  const base = library === 'cudnn' ? 'cudnn\\w{0,40}' : library === 'nvinfer' ? 'nvinfer\\w{0,40}' : library;
  const there = placesOf(context, new RegExp(`^lib${base}\\.so\\.\\d`)).filter(
    (each) => !each.path.endsWith(`/${name}`) || each.fact !== want.fact,
  );
  const same = there.find((each) => fitsVersion(each.path, version));
  const variable = libraryPathFact(context);
  const emptyPath = own(context, 'env').find((fact) => fact.value.name === 'LD_LIBRARY_PATH');
  if (same !== undefined) {
    return {
      side: 'path',
      certainty: 'proved',
      message: `${name} is there (${same.path}), but the loader does not look in its folder`,
      seen: quote(6, want.fact, same.fact, emptyPath),
      missing: [],
      library: name,
    };
  }
  const other = there.find((each) => version.length > 0 && !fitsVersion(each.path, version));
  if (other !== undefined) {
    return {
      side: 'other-major',
      certainty: 'proved',
      message: `${name} is needed, and what is installed is ${other.path.slice(other.path.lastIndexOf('/') + 1)}`,
      seen: quote(6, want.fact, other.fact),
      missing: [],
      library: name,
    };
  }
  if (ownCount.has(library)) {
    const installed = ownRelease(library, context);
    if (installed !== null && version[0] !== undefined && library !== 'cusparseLt' && library !== 'curand') {
      if (installed.major !== version[0])
        return {
          side: 'other-major',
          certainty: installed.fact.told ? 'likely' : 'proved',
          message: `${name} is needed, and ${installed.text} is installed`,
          seen: quote(5, want.fact, installed.fact),
          missing: [],
          library: name,
        };
      return {
        side: 'path',
        certainty: installed.fact.told ? 'likely' : 'proved',
        message: `${installed.text} is installed, but the loader does not find ${name}`,
        seen: quote(5, want.fact, installed.fact, emptyPath),
        missing: [],
        library: name,
      };
    }
  } else if (version[0] !== undefined) {
    const needs = majors[library]?.[version[0]] ?? [version[0]];
    const releases = cudaReleases(context);
    // What the program itself names decides before the toolkits that lie around.
    const fits = releases.filter(
      (each) =>
        needs.includes(each.cuda.major) &&
        (version.length < 2 ||
          library !== 'cudart' ||
          each.cuda.minor === null ||
          each.cuda.major > 10 ||
          each.cuda.minor === version[1]),
    );
    const others = releases.filter((each) => !needs.includes(each.cuda.major) || !fits.includes(each));
    const toolkit = fits.find((each) => each.what !== 'torch');
    if (toolkit !== undefined) {
      return {
        side: 'path',
        certainty: toolkit.fact.told || toolkit.what === 'path' ? 'likely' : 'proved',
        message: `CUDA ${text(toolkit.cuda)} is installed, but the loader does not find ${name}`,
        seen: quote(5, want.fact, toolkit.fact, emptyPath),
        missing: [],
        library: name,
      };
    }
    const foreign = others[0];
    if (foreign !== undefined && fits.length === 0) {
      return {
        side: 'other-major',
        certainty: foreign.fact.told || foreign.what === 'path' ? 'likely' : 'proved',
        message: `${name} is of CUDA ${needs.at(-1)}, and what is there is CUDA ${text(foreign.cuda)}`,
        seen: quote(5, want.fact, foreign.fact),
        missing: [],
        library: name,
      };
    }
  }
  const family = library.replace(/^nv(?=infer)/, 'nv');
  const missing = [
    {
      fact: 'file.exists',
      ask: `find / -name 'lib${family}*.so*' 2>/dev/null; ldconfig -p | grep lib${family}; echo $LD_LIBRARY_PATH`,
    },
  ];
  // A search path that names a toolkit is where somebody meant the library to be.
  const printedPath = want.fact.seen.some((each) => /LD_LIBRARY_PATH: ?\S/.test(each.text));
  if (variable !== undefined || printedPath) {
    return {
      side: 'path',
      certainty: 'likely',
      message: `${name} is not in any folder that the loader looks in`,
      seen: quote(5, want.fact, variable),
      missing,
      library: name,
    };
  }
  return {
    side: 'open',
    certainty: endedOver(context, want.fact) ? 'likely' : 'possible',
    message: `the loader does not find ${name}`,
    seen: quote(4, want.fact),
    missing,
    library: name,
  };
}

/** The program itself ended over the library, or goes without a GPU that is there; it did not load it another way. */
function endedOver(context: RuleContext, fact: Fact): boolean {
  if (fact.told || context.all('works').some((each) => each.order > fact.order)) return false;
  const text = fact.seen[0]?.text ?? '';
  if (
    /^\s{0,8}(?:\w{1,60}Error|ImportError|OSError)\b|is not found or cannot be loaded|^Unable to load any of/.test(text)
  )
    return true;
  // The second line of an exception names the file.
  if (context.all('program.exception').some((each) => fact.order - each.order >= 0 && fact.order - each.order <= 2))
    return true;
  return /Could not load dynamic library/.test(text) && gpuAnswers(context);
}

function gpuAnswers(context: RuleContext): boolean {
  return own(context, 'driver.answers').length > 0 || own(context, 'gpu.name').some((fact) => !fact.told);
}

function fitsVersion(path: string, version: readonly number[]): boolean {
  const have = parseSoname(path)?.version ?? [];
  const length = Math.min(have.length, version.length);
  return length > 0 && version.slice(0, length).every((part, at) => have[at] === part);
}

function ownRelease(
  library: string,
  context: RuleContext,
): { readonly major: number; readonly text: string; readonly fact: Fact } | null {
  if (library === 'cudnn') {
    for (const id of ['cudnn.loaded'] as const) {
      const fact = own(context, id)[0];
      if (fact !== undefined) return { major: Number.parseInt(fact.value, 10), text: `cuDNN ${fact.value}`, fact };
    }
    const wheel = packagesNamed(context, /^nvidia-cudnn(?:-cu\d\d)?$|^cudnn$|^libcudnn\d?/)[0];
    return wheel === undefined
      ? null
      : {
          major: Number.parseInt(wheel.value.version, 10),
          text: `${wheel.value.name} ${wheel.value.version}`,
          fact: wheel,
        };
  }
  if (library === 'nvinfer') {
    const wheel = packagesNamed(context, /^tensorrt(?:-cu\d\d)?(?:-libs)?$|^libnvinfer\d{0,2}$/)[0];
    return wheel === undefined
      ? null
      : {
          major: Number.parseInt(wheel.value.version, 10),
          text: `${wheel.value.name} ${wheel.value.version}`,
          fact: wheel,
        };
  }
  if (library === 'nccl') {
    const wheel = packagesNamed(context, /^nvidia-nccl-cu\d\d$|^nccl$|^libnccl2$/)[0];
    return wheel === undefined
      ? null
      : {
          major: Number.parseInt(wheel.value.version, 10),
          text: `${wheel.value.name} ${wheel.value.version}`,
          fact: wheel,
        };
  }
  return null;
}

function text(cuda: { readonly major: number; readonly minor: number | null }): string {
  return cuda.minor === null ? String(cuda.major) : `${cuda.major}.${cuda.minor}`;
}
