import { formatCudaMinor, parseCuda } from '../../versions/cuda.ts';
import type { WheelQuestion } from '../question.ts';
import type { Draft } from './draft.ts';
import { find, isFree, mark, take, takeAll } from './reading.ts';
import type { Reading } from './reading.ts';

const names =
  'torch|pytorch|jaxlib|jax|tensorflow-gpu|tensorflow-cpu|tensorflow|tf|cupy|vllm|flash[- _]?attn|flash[- _]?attention|onnxruntime-gpu|onnxruntime|bitsandbytes|xformers|triton|torchvision|torchaudio|mxnet|paddlepaddle-gpu|paddlepaddle|rapids|cudf|numba|sglang|deepspeed';
const version = String.raw`(\d{1,3}(?:\.\d{1,5}){0,3}(?:\.?(?:a|b|rc|dev|post)\d{0,8}){0,2}(?:\+[a-z0-9][a-z0-9.]{0,30})?)`;
const wheel = new RegExp(
  String.raw`(?<![a-z0-9_/-])(${names})(?![a-uw-z])(-cuda\d{2}x?|-cu\d{2,3})?(\[[a-z0-9_,-]{1,40}\])?(?:\s{0,2}(?:==|>=|~=|=)\s{0,2}|[ _-]{1,2}(?:version |release |wheel |nightly |v)?|v?(?=\d{1,2}\.\d))${version}(?![\d.]*\d)`,
  'g',
);
const bareWheel = new RegExp(
  String.raw`(?<![a-z0-9_./-])(${names})(?![a-z._])(-cuda\d{2}x?|-cu\d{2,3})?(\[[a-z0-9_,-]{1,40}\])?`,
  'g',
);
const variantWord = String.raw`(cu\d{2,3}|cuda\d{2}x?|cpu(?:-only)?|rocm\d?(?:\.\d)?)`;

const nearVariant = new RegExp(
  String.raw`(?:\(|for |, ?|with |\+ ?)?(?<![a-z0-9])${variantWord}(?![a-z0-9.])(?: (?:wheel|build|variant|index|version|plugin))?\)?`,
  'g',
);

/** A wheel with its version and variant. */
export function readWheel(reading: Reading, draft: Draft): void {
  const short = reading.lower.includes('fa') ? take(reading, /(?<![a-z0-9])fa[ -]?v?([234])(?![\d.]*\d|[a-z])/g) : null;
  if (short !== null) {
    draft.wheel = { name: 'flash-attn', version: short[1] as string };
    return;
  }
  const match = take(reading, wheel) ?? (find(reading, bareWheel) === null ? null : bareWithVersion(reading));
  if (match === null) {
    // `the 2.13 cu126 wheel`: a variant of that form is one of torch.
    const torch = take(
      reading,
      /(?<![\d.a-z])([12]\.\d{1,2}(?:\.\d{1,2})?)[ +-](cu\d{3})(?![0-9])(?: (?:wheels?|builds?|variant))?/g,
    );
    if (torch !== null) draft.wheel = { name: 'torch', version: torch[1] as string, variant: torch[2] as string };
    return;
  }
  const version = (movedTo(reading, match) ?? match[4] ?? match[5])?.replace(/\.$/, '');
  const name = `${match[1] as string}${match[2] ?? ''}`.replace(/^flash[-_ ]?att(?:n|ention)/, 'flash-attn');
  const extra = match[3]?.slice(1, -1).split(',')[0];
  const variant = variantOfText(reading, version, name, extra);
  const project = splitCupy(name);
  const question: WheelQuestion = {
    name: project.name === 'pytorch' ? 'torch' : project.name === 'tf' ? 'tensorflow' : project.name,
    ...(version === undefined ? {} : { version: version.split('+')[0] as string }),
    ...(variant === null && project.variant === null ? {} : { variant: (project.variant ?? variant) as string }),
  };
  draft.wheel = question;
}

/** `bumping torch==2.10.0 to torch==2.12.0`: the version after the move is what is to run. */
function movedTo(reading: Reading, match: RegExpExecArray): string | null {
  const from = match.index + match[0].length;
  const next =
    /^\s{0,2}(to|->|-->|=>|→)\s{0,2}(?:(?:py)?torch|jax|tensorflow|vllm)?[ =]{0,3}v?(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?(?:\+[a-z]{2,3}\d{2,3})?)(?![\d.]*\d)/.exec(
      reading.lower.slice(from, from + 60),
    );
  if (next === null || !isFree(reading, from, from + next[0].length)) return null;
  const moves =
    next[1] !== 'to' ||
    /(?<![a-z])(?:bump|upgrad|updat|mov|switch|chang|going|go|migrat|downgrad|pin|from)[a-z]{0,4}(?![a-z])/.test(
      reading.lower.slice(Math.max(0, match.index - 60), match.index),
    );
  if (!moves) return null;
  mark(reading, from, from + next[0].length);
  return next[2] as string;
}

function splitCupy(name: string): { readonly name: string; readonly variant: string | null } {
  const match = /^(.+?)-(cuda\d{2}x?|cu\d{2,3})$/.exec(name);
  return match === null ? { name, variant: null } : { name: match[1] as string, variant: match[2] as string };
}

/** The name and the version stand apart: `cu128 wheel of torch`, `pip install torch gives me 2.12`. */
function bareWithVersion(reading: Reading): RegExpExecArray | null {
  const match = take(reading, bareWheel);
  if (match === null || !/^(?:py)?torch$/.test(match[1] as string)) return match;
  const from = match.index + match[0].length;
  const later =
    /^(?: (?!cuda|cudnn|nccl|driver|on|with|for|and|than|to)[a-z']{1,12}){1,4} v?([12]\.\d{1,2}(?:\.\d{1,2})?)(?![\d.]*\d)/.exec(
      reading.lower.slice(from, from + 60),
    );
  if (later === null || !isFree(reading, from, from + later[0].length)) return match;
  mark(reading, from, from + later[0].length);
  match[4] = later[1] as string;
  return match;
}

function variantOfText(
  reading: Reading,
  version: string | undefined,
  name: string,
  extra: string | undefined,
): string | null {
  const local = version?.split('+')[1];
  if (local !== undefined) return local.startsWith('cu') ? (/^cu\d{2,3}/.exec(local)?.[0] ?? null) : local;
  if (extra !== undefined && extra !== 'gpu' && extra !== 'and-cuda') return extra.replace(/[-_](?:local|pip)$/, '');
  const near = take(reading, nearVariant);
  if (near !== null) return (near[1] as string).replace('-only', '');
  if (take(reading, /(?:the )?(?:cpu[- ]only|cpu) (?:wheel|build|version|variant)/g) !== null) return 'cpu';
  if (
    take(
      reading,
      /(?:\(|as served |installed |straight |plain )?(?:from|by|via|on|with) (?:the )?(?:plain |default )?(?:pypi|pip(?: install)?(?! list))(?: default)?\)?/g,
    ) !== null
  )
    return 'pypi';
  if (
    take(reading, /(?:plain |default )(?:pip|pypi|wheel|build)(?: (?:install|build|wheel))?/g) !== null ||
    (version !== undefined &&
      take(reading, /(?<![a-z])default(?: one| variant)?(?![a-z])(?! (?:mode|runtime|entry|setting|config))/g) !==
        null) ||
    take(reading, /(?:pip3? install|pypi)(?: default| wheel| build)?/g) !== null
  )
    return 'pypi';
  return name.startsWith('tensorflow') && !name.endsWith('cpu') ? 'gpu' : null;
}

/** Machine code and PTX in a binary. `hasGpu`: another word already names the GPU. */
export function readBinary(reading: Reading, draft: Draft): void {
  const list = take(
    reading,
    /torch_cuda_arch_list(?:\s{0,2}[=:]\s{0,2}| (?:is|was|set to|were|being) )["']?([\d. ;,+afptx]{1,100})["']?/g,
  );
  const sass: string[] = [...(draft.binary?.sass ?? [])];
  const ptx: string[] = [...(draft.binary?.ptx ?? [])];
  if (list !== null) {
    for (const entry of (list[1] as string).split(/[ ;,]+/)) {
      const one = /^(\d{1,2})\.(\d)([af]?)(\+ptx)?$/.exec(entry);
      if (one === null) continue;
      sass.push(`sm_${one[1] as string}${one[2] as string}${one[3] as string}`);
      if (one[4] !== undefined) ptx.push(`compute_${one[1] as string}${one[2] as string}${one[3] as string}`);
    }
  }
  const hasWords =
    /(?:binary|binaries|compiled?|kernels?|cuobjdump|sass|ptx|cubin|fatbin|machine code|code for|gencode|-arch|shared object|\.so\b|extension|library with|built for)/.test(
      reading.lower,
    );
  const isCode =
    /(?<![a-z0-9])sm[_ -]?\d{2,3}[af]?[- ]only(?![a-z])|(?<![a-z])only (?:[a-z]{1,8} ){0,2}sm[_ -]?\d|(?<![a-z0-9])sm[_ -]?\d{2,3}[af]? (?:[a-z]{1,12} )?(?:librar(?:y|ies)|libs?|plugins?|builds?|objects?|modules?|engines?|exes?|executables?|programs?|apps?|images?)(?![a-z])/.test(
      reading.lower,
    );
  const targets = find(reading, /(?<![a-z0-9])sm[_ -]?\d{2,3}[af]?(?![a-z0-9])/g) !== null;
  const isGpu =
    draft.binary === undefined &&
    !hasWords &&
    !isCode &&
    draft.gpu === undefined &&
    find(reading, /compute_\d/g) === null;
  if (targets && isGpu) {
    const match = take(reading, /(?<![a-z0-9])sm[_ -]?(\d{2,3})([af]?)(?![a-z0-9])/g);
    if (match !== null) draft.gpu = `sm_${match[1] as string}`;
    return;
  }
  for (const match of takeAll(reading, /(?<![a-z0-9])compute[_-](\d{2,3})([af]?)(?![a-z0-9])(?: ptx)?/g))
    ptx.push(`compute_${match[1] as string}${match[2] as string}`);
  for (const match of takeAll(
    reading,
    /(?<![a-z0-9])sm[_-]?(\d{2,3})([af]?)(?![a-z0-9])( ptx)?(?: (?:sass|code|cubins?|machine code))?/g,
  )) {
    const name = `${match[1] as string}${match[2] as string}`;
    if (match[3] === undefined) sass.push(`sm_${name}`);
    else ptx.push(`compute_${name}`);
  }
  for (const match of takeAll(
    reading,
    /(?<![a-z])ptx[ -](?:for |of |compute[ _]|sm[ _])?([3-9]\d|1[0-2]\d)([af]?)(?![\d.]*\d|[a-z])/g,
  ))
    ptx.push(`compute_${match[1] as string}${match[2] as string}`);
  for (const match of takeAll(reading, /(?:ptx|jit) (?:for|of) (\d{1,2})\.(\d)(?![\d.])/g))
    ptx.push(`compute_${match[1] as string}${match[2] as string}`);
  for (const match of takeAll(reading, /(?:sass|code|cubins?|machine code) (?:for|of) (\d{1,2})\.(\d)(?![\d.])/g))
    sass.push(`sm_${match[1] as string}${match[2] as string}`);
  take(reading, /(?:and |but |with )?(?:no|without)(?: any)? ptx/g);
  if (
    sass.length === 0 &&
    ptx.length === 0 &&
    reading.lower.includes('ptx') &&
    take(
      reading,
      /(?<![a-z])(?:ptx[- ]only|only ptx|just ptx|nothing but ptx|ptx (?:and|but|with) no (?:sass|cubins?|machine code))(?![a-z])/g,
    ) !== null
  )
    ptx.push('compute_any');
  // `our PTX`, without a target: some PTX.
  if (
    sass.length === 0 &&
    ptx.length === 0 &&
    reading.lower.includes('ptx') &&
    draft.toolkit === undefined &&
    draft.wheel === undefined &&
    take(
      reading,
      /(?<![a-z])(?:our|my|their|his|her|your|this|that|some|these) (?:own |old |shipped )?ptx(?![a-z])/g,
    ) !== null
  )
    ptx.push('compute_any');
  if (sass.length > 0 || ptx.length > 0) draft.binary = { sass: [...new Set(sass)], ptx: [...new Set(ptx)] };
}

/** `a cubin for 8.6`, `compiled for cc 9.0`, `PTX of 8.0`: targets, and no CUDA versions. Read before those. */
export function readNumberedTargets(reading: Reading, draft: Draft): void {
  const sass: string[] = [];
  const ptx: string[] = [];
  // `PTX of 12.8` names the toolkit that made it.
  const target = String.raw`(?:for (?:cc |compute capability |capability )?(?=[3-9]\.\d|10\.[037]|11\.0|12\.[01])|of (?:cc |compute capability |capability |(?=[3-9]\.))|(?<=sass |cubins? )(?=[3-9]\.))(\d{1,2})\.(\d)(?![\d.]*\d)`;
  for (const match of takeAll(reading, new RegExp(String.raw`(?<![a-z])(?:ptx|jit)(?: code)? ${target}`, 'g')))
    ptx.push(`compute_${match[1] as string}${match[2] as string}`);
  for (const match of takeAll(
    reading,
    new RegExp(
      String.raw`(?<![a-z])(?:sass|code|cubins?|machine code|(?:compiled|built|kernels?|binary|targets?|targeting|generated)(?: only| just)?(?= for (?:cc|comp|cap))) ${target}`,
      'g',
    ),
  ))
    sass.push(`sm_${match[1] as string}${match[2] as string}`);
  if (sass.length + ptx.length > 0) draft.binary = { sass, ptx };
}

/** `compute capability 8.6`, `cc 9.0`. */
export function readCapability(reading: Reading, draft: Draft): void {
  const match = take(
    reading,
    /(?:a gpu (?:of|with) )?(?<![a-z])(?:compute[- ]capability|capability|cc)[ :=]{1,3}(?:of )?(\d{1,2}\.\d)(?![\d.])(?: gpu)?/g,
  );
  if (match !== null) draft.computeCapability = match[1] as string;
}

/** A call that only drivers of a CUDA version have. */
export function readDriverCall(reading: Reading, draft: Draft): void {
  const match =
    take(
      reading,
      /(?:that |which |and |it )?(?:calls?|uses?|needs?|requires?|with|relies on|depends on)(?: an?| the| some)?(?: new)?(?: cuda)?(?: driver)? (?:functions?|apis?|features?|calls?|entry points?|symbols?)[^,;.]{0,50}?(\d{2}\.\d)(?: and newer| or newer)?(?: cuda)?(?: drivers?)?(?: only)?/g,
    ) ??
    take(
      reading,
      /(?:calls?|uses?|needs?|requires?|with|relies on) (?:an? |some |the )?(\d{2}\.\d)[- ]only (?:cuda )?(?:driver )?(?:functions?|apis?|features?|calls?|entry points?|symbols?)/g,
    ) ??
    take(
      reading,
      /(?:needs|requires|calls for) (?:a |the )?(?:cuda )?(\d{2}\.\d) drivers?(?: feature| function| api| call)?/g,
    );
  if (match !== null) draft.needsDriverCuda = match[1] as string;
}

const number = String.raw`(\d{1,2}\.\d{1,2}(?:\.\d{1,3})?)`;

const toolkitPatterns = [
  new RegExp(
    String.raw`(?:nvcc|cuda[- ]?toolkit|cuda[- ]runtime|cudart|cuda[- ]version|toolkit|cuda)(?: toolkit| version| release| sdk)?["'\s:=(v-]{0,4}${number}(?![\d.]*\d)`,
    'g',
  ),
  new RegExp(
    String.raw`(?<![\d.])${number}(?![\d.]*\d) (?:cuda[- ])?(?:toolkit|program|application|app|binary|build|wheel|image|runtime)`,
    'g',
  ),
];

/** CUDA version of the program. */
export function readToolkit(reading: Reading, draft: Draft): void {
  for (const pattern of toolkitPatterns) {
    const match = take(reading, pattern);
    if (match !== null) {
      draft.toolkit = match[1] as string;
      return;
    }
  }
  const short = take(reading, /(?<![a-z0-9])(cu\d{3})(?![a-z0-9])/g);
  if (short !== null) {
    const cuda = parseCuda(short[1] as string);
    if (cuda !== null) draft.toolkit = formatCudaMinor(cuda);
    return;
  }
  const major =
    take(
      reading,
      /(?<![a-z0-9])cuda[- ]?(\d{1,2})(?:\.(?:x|y|n|z|something|whatever|\?{1,2}|unknown)(?![a-z0-9])|(?![\d.]))/g,
    ) ?? (draft.wheel === undefined ? take(reading, /(?<![a-z0-9])cu(\d{2})(?![a-z0-9])/g) : null);
  if (major !== null) {
    draft.toolkit = major[1] as string;
    return;
  }
  const bare = take(reading, /(?<![\w.])((?:[7-9]|1[0-9])\.\d{1,2}(?:\.\d{1,3})?)(?![\w.]*\d|\w)/g);
  if (bare !== null) draft.toolkit = bare[1] as string;
}

const library = String.raw`(\d{1,3}(?:\.\d{1,5}){0,3})(?![\d.]*\d)`;

/** How cuDNN and NCCL are named with a version, and what a program was built with. */
const libraryPatterns = (['cudnn', 'nccl'] as const).map((name) => ({
  name,
  // `a cuDNN 8 program`, `needs cuDNN 8`.
  wanted: new RegExp(
    String.raw`(?:(?<![a-z])(?:needs?|wants?|expects?|looks? for|asks? for|made for) (?:lib)?${name}[ v]{0,2}${library}|(?<![a-z])(?:lib)?${name}[ v]{0,2}${library} (?:program|application|app|binary|model|code|code ?base|build of (?:the|our|my))(?![a-z]))`,
    'g',
  ),
  built: new RegExp(
    String.raw`(?:program |application |app |framework |code )?(?:was |is |that was )?(?:built|compiled|linked)(?: for| with| against)(?: lib)? ?(?:${name}) ?v?${library}`,
    'g',
  ),
  named: new RegExp(
    String.raw`(?:nvidia-)?(?:lib)?${name}-?(cu\d{2})?(?:\d)?(?:-cuda-(\d{2}))?(?: version| release| library| package| wheel)?[\s=:v_(]{1,4}${library}(?:\+cuda(\d{2})(?:\.\d{1,2})?)?`,
    'g',
  ),
  after: new RegExp(String.raw`(?<![\d.])()()${library} (?:version )?of ${name}`, 'g'),
}));

/** cuDNN and NCCL with their builds. */
export function readLibraries(reading: Reading, draft: Draft): void {
  for (const { name, wanted, built, named, after } of libraryPatterns) {
    if (!reading.lower.includes(name)) continue;
    const builtFor = take(reading, wanted) ?? take(reading, built);
    const match = take(reading, named) ?? take(reading, after);
    if (match === null) continue;
    const build =
      match[1] ??
      (match[4] === undefined ? null : `cu${match[4]}`) ??
      (match[2] === undefined || match[2] === '' ? null : `cu${match[2]}`) ??
      null;
    const near =
      build === null || build === ''
        ? take(reading, /(?:\(|the |as |, ?)?(?<![a-z0-9])(cu1\d)(?![0-9])(?:[- ](?:build|package|wheel|variant))?\)?/g)
        : null;
    const cudaBuild =
      near === null ? take(reading, /(?:\()?(?:the )?cuda[- ](1\d) (?:build|package|variant)\)?/g) : null;
    const found =
      build === '' || build === null
        ? (near?.[1] ?? (cudaBuild === null ? null : `cu${cudaBuild[1] as string}`))
        : build;
    draft[name] = {
      version: match[3] as string,
      ...(found === null ? {} : { build: found }),
      ...(builtFor === null ? {} : { programBuiltFor: (builtFor[1] ?? builtFor[2]) as string }),
    };
  }
  if (
    take(
      reading,
      /(?:on |with |behind |an? )?(?:nv ?switch(?:es)?|hgx|nvl72|nvl36)(?: (?:node|machine|system|server|board|baseboard))?s?/g,
    ) !== null
  )
    draft.nvswitch = true;
  if (take(reading, /(?:no|without) nv ?switch(?:es)?/g) !== null) draft.nvswitch = false;
}
