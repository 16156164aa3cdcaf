import type { Evidence } from '../../model/document.ts';
import type { Fact, SaidId } from '../../model/facts.ts';
import type { Certainty } from '../../model/layer.ts';
import type { Missing, RuleContext } from '../../model/rule.ts';
import { sassRunsOn, toolkitReach } from '../../compat/binary-arch.ts';
import { cudaRange } from '../../compat/cuda-range.ts';
import { gpuLabel } from '../../compat/gpu-name.ts';
import type { Tables } from '../../compat/tables.ts';
import { tablesOf } from '../../compat/tables.ts';
import { wheelPrograms } from '../../compat/wheel-lookup.ts';
import { compareCudaMinor, parseCuda } from '../../versions/cuda.ts';
import { parseComputeCapability } from '../../versions/compute-capability.ts';
import { capabilityNumber, captured, gpusIn, own, quote, saidOf } from './_stack.ts';
import type { NamedGpu } from './_stack.ts';

/** Messages that say no code was found; the GPU has to be told by other facts. */
const noCode = ['cuda-no-kernel-image', 'no-code-for-gpu', 'ggml-arch-not-compiled'] as const;
/** Messages of a library that refuses a GPU by its own list or floor. */
const refusals = ['pt-arch-not-compatible', 'gpu-outside-library', 'fa-ampere-only', 'xf-no-operator'] as const;

export const archMessages: readonly SaidId[] = [...noCode, 'cuda-invalid-device-function' as const, ...refusals].map(
  (id): SaidId => `said.${id}`,
);

/** What the code in the build means for the GPU. `open`: the facts do not tell which side it is. */
export interface ArchAnswer {
  readonly direction: 'newer' | 'older' | 'runs' | 'open';
  readonly certainty: Certainty;
  readonly message: string;
  readonly seen: readonly Evidence[];
  readonly missing: readonly Missing[];
}

const askGpu: Missing = { fact: 'gpu.compute-capability', ask: 'nvidia-smi --query-gpu=name,compute_cap --format=csv' };
const askList: Missing = {
  fact: 'torch.arch-list',
  ask: 'python -c "import torch; print(torch.__version__, torch.cuda.get_arch_list())"',
};
const askBinary: Missing = {
  fact: 'the architectures in the library that failed',
  ask: 'cuobjdump --list-elf --list-ptx LIBRARY.so',
};

interface CodeList {
  readonly targets: readonly string[];
  readonly ptx: readonly string[];
  readonly label: string;
  readonly fact: Fact;
  /** Said by the program itself, not looked up for a version. */
  readonly printed: boolean;
}

/** Decides whether the GPU is newer or older than the code, or is served by it; null where nothing speaks of it. */
export function archAnswer(context: RuleContext): ArchAnswer | null {
  const stated = attentionAnswer(context) ?? tensorrtAnswer(context) ?? refusedPtx(context);
  if (stated !== null) return stated;
  const messages = spoken(context, ...noCode, ...refusals);
  const weak = messages.length === 0 ? saidOf(context, 'cuda-invalid-device-function') : [];
  const lead = messages[0] ?? weak[0];
  if (lead === undefined) return unsaid(context);
  const tables = tablesOf(context.knowledge);
  const gpus = gpusIn(
    context,
    spoken(context, ...refusals, 'no-code-for-gpu', 'ggml-arch-not-compiled', 'kernels-from-ptx'),
  );
  const all = [...messages, ...weak];

  const floor = floorAnswer(context, gpus, all);
  if (floor !== null) return floor;
  if (gpus.length === 0) {
    return {
      direction: 'open',
      certainty: 'possible',
      message: 'the program has no code for this GPU, and the GPU is not named',
      seen: quote(4, ...all),
      missing: [askGpu, askList],
    };
  }
  const lists = codeLists(context, tables);
  for (const list of lists) {
    for (const named of gpus) {
      const side = sideOf(list, named.gpu.sm);
      if (side === 'runs' || side === null) continue;
      return {
        direction: side,
        certainty:
          // Another GPU of the machine that the list serves: which one failed is then not said.
          named.gpu.confirmed && weak.length === 0 && gpus.every((each) => sideOf(list, each.gpu.sm) === side)
            ? 'proved'
            : 'likely',
        message:
          side === 'newer'
            ? `${label(named)} is newer than every architecture in ${list.label} (${shown(list)})`
            : `${label(named)} is older than every architecture in ${list.label} (${shown(list)})`,
        seen: quote(5, lead, list.fact, named.fact),
        missing: [],
      };
    }
  }
  if (lists.length === 0) {
    const reached = byToolkit(context, gpus, tables);
    if (reached !== null && weak.length === 0) {
      return { ...reached, certainty: 'likely', seen: quote(5, lead, reached.fact, gpus[0]?.fact), missing: [askList] };
    }
  }
  const runs = lists.length > 0;
  if (
    runs &&
    messages.every((fact) => (refusals as readonly string[]).includes(fact.value.signature)) &&
    weak.length === 0
  ) {
    return {
      direction: 'runs',
      certainty: 'likely',
      message: `${lists[0]!.label} has code that serves ${label(gpus[0]!)}`,
      seen: quote(4, lists[0]!.fact, gpus[0]!.fact),
      missing: [],
    };
  }
  // The generation alone: code for the newest GPUs is still rare, that for the oldest is being taken out.
  const { gpu } = gpus[0]!;
  const generation = gpu.sm >= 100 ? 'newer' : gpu.sm <= 62 ? 'older' : null;
  if (generation !== null && weak.length === 0) {
    return {
      direction: generation,
      certainty: 'likely',
      message: `the program has no code for ${label(gpus[0]!)}, a GPU that is ${generation} than most builds`,
      seen: quote(4, lead, gpus[0]!.fact),
      missing: [runs ? askBinary : askList],
    };
  }
  return {
    direction: 'open',
    certainty: 'possible',
    message: `the program has no code for ${label(gpus[0]!)}`,
    seen: quote(4, lead, gpus[0]!.fact),
    missing: [runs ? askBinary : askList, askBinary],
  };
}

/** Messages, without those of an attention call that its operators refuse for its inputs: then one of them does not matter. */
function spoken(context: RuleContext, ...signatures: readonly string[]): ReturnType<typeof saidOf> {
  const said = saidOf(context, ...signatures);
  const refused = own(context, 'attention.refused');
  if (refused.length === 0 || refused.some((fact) => !/^(?:cpu|inputs)$/.test(fact.value.by))) return said;
  return said.filter(
    (fact) =>
      !fact.seen.some((each) => /requires device with capability|memory_efficient_attention|too old/.test(each.text)),
  );
}

/** Every operator of xFormers ends below the GPU. */
function attentionAnswer(context: RuleContext): ArchAnswer | null {
  const fact = own(context, 'attention.refused').find((each) => each.value.by === 'newer');
  if (fact === undefined || fact.value.have === null) return null;
  return {
    direction: 'newer',
    certainty: fact.told ? 'likely' : 'proved',
    message: `the attention operators of this build end at compute capability ${fact.value.limit ?? '?'}, and the GPU has ${fact.value.have}`,
    seen: fact.seen.slice(0, 4),
    missing: [],
  };
}

/** TensorRT refuses a GPU: it is newer than the release, or of a generation that the release dropped. */
function tensorrtAnswer(context: RuleContext): ArchAnswer | null {
  const said = saidOf(context, 'trt-sm-unsupported');
  const lead = said[0];
  if (lead === undefined) return null;
  const hex = captured(said, 'hex')?.value;
  const named = captured(said, 'sm')?.value;
  const other = gpusIn(context, [])[0];
  const sm =
    named !== undefined
      ? Number(named)
      : hex !== undefined
        ? (Number.parseInt(hex, 16) >> 8) * 10 + (Number.parseInt(hex, 16) & 0xff)
        : (other?.gpu.sm ?? null);
  if (sm === null)
    return {
      direction: 'open',
      certainty: 'possible',
      message: 'this release of TensorRT has no kernels for the GPU, which is not named',
      seen: quote(4, ...said),
      missing: [askGpu],
    };
  // Pascal left with TensorRT 10.0, Volta with 10.5; what is newer than those was never dropped.
  const side = sm >= 75 ? 'newer' : sm <= 62 ? 'older' : 'open';
  return {
    direction: side,
    certainty: side === 'open' ? 'possible' : lead.told || (named ?? hex) === undefined ? 'likely' : 'proved',
    message: `this release of TensorRT has no kernels for compute capability ${Math.floor(sm / 10)}.${sm % 10}${side === 'newer' ? ', a GPU that is newer than it' : side === 'older' ? ', a generation that it dropped' : ''}`,
    seen: quote(4, ...said, named === undefined && hex === undefined ? other?.fact : undefined),
    missing:
      side === 'open'
        ? [{ fact: 'release of TensorRT', ask: 'python -c "import tensorrt; print(tensorrt.__version__)"' }]
        : [],
  };
}

/** A framework says that it has PTX only for the GPU, and the driver does not take that PTX. */
function refusedPtx(context: RuleContext): ArchAnswer | null {
  const [only] = saidOf(context, 'kernels-from-ptx');
  const refused = saidOf(context, 'cuda-invalid-ptx');
  const cc = only?.value.captures['cc'];
  if (refused.length === 0) return null;
  if (context.all('works').some((fact) => fact.order > (refused.at(-1)?.order ?? 0))) return null;
  if (only === undefined || cc === undefined) return unlistedPtx(context, refused);
  return {
    direction: 'newer',
    certainty: 'likely',
    message: `the framework has no machine code for compute capability ${cc}, and what it compiles from PTX instead is refused`,
    seen: quote(4, only, ...refused),
    missing: [],
  };
}

/** The build prints for what it was compiled, the GPU is newer than all of it, and PTX that should fill the gap is refused. */
function unlistedPtx(context: RuleContext, refused: ReturnType<typeof saidOf>): ArchAnswer | null {
  const lists = codeLists(context, tablesOf(context.knowledge)).filter((list) => list.printed);
  const [named] = gpusIn(context, []);
  const list = named === undefined ? undefined : lists.find((each) => beyond(each, named.gpu.sm));
  const served = own(context, 'driver.cuda')[0]?.value ?? null;
  const built = own(context, 'toolkit.runtime')[0]?.value ?? null;
  // A driver that is older than the compiler has a rule of its own.
  if (list === undefined || named === undefined || (served !== null && built !== null && isBelow(served, built)))
    return null;
  return {
    direction: 'newer',
    certainty: 'likely',
    message: `${label(named)} is newer than every architecture in ${list.label} (${shown(list)}), and PTX that is compiled for it instead is refused`,
    seen: quote(5, ...refused, list.fact, named.fact),
    missing: [],
  };
}

function beyond(list: CodeList, sm: number): boolean {
  const targets = list.targets.map((target) => capabilityNumber(target.replace(/[af]$/, '')) ?? 0);
  return targets.length > 0 && Math.max(...targets) < sm;
}

function isBelow(a: string, b: string): boolean {
  const [left, right] = [parseCuda(a), parseCuda(b)];
  return left !== null && right !== null && (compareCudaMinor(left, right) ?? 0) < 0;
}

/** No message speaks of it: every GPU is newer than all code of every build that is known for certain. */
function unsaid(context: RuleContext): ArchAnswer | null {
  if (own(context, 'works').length > 0) return null;
  const gpus = gpusIn(context, []);
  const lists = codeLists(context, tablesOf(context.knowledge));
  const [list, named] = [lists[0], gpus[0]];
  if (list === undefined || named === undefined) return null;
  if (!lists.every((each) => gpus.every((gpu) => sideOf(each, gpu.gpu.sm) === 'newer'))) return null;
  return {
    direction: 'newer',
    certainty: 'likely',
    message: `${label(named)} is newer than every architecture in ${list.label} (${shown(list)})`,
    seen: quote(4, list.fact, named.fact),
    missing: [],
  };
}

function label(named: NamedGpu): string {
  return gpuLabel(named.gpu);
}

function shown(list: CodeList): string {
  const names = list.targets.map((target) => `sm_${target}`);
  return names.length > 8 ? `${names.slice(0, 3).join(' ')} … ${names.at(-1)}` : names.join(' ');
}

/** `newer` or `older` where no code serves the GPU; null where the list says nothing. */
function sideOf(list: CodeList, sm: number): 'newer' | 'older' | 'runs' | null {
  const numbers: number[] = [];
  for (const target of list.targets) {
    const parsed = parseComputeCapability(`sm_${target}`);
    if (parsed === null) continue;
    if (sassRunsOn(parsed, sm) !== false) return 'runs';
    numbers.push(parsed.major * 10 + parsed.minor);
  }
  if (numbers.length === 0) return null;
  for (const target of list.ptx) {
    const number = capabilityNumber(target);
    if (number !== null && number <= sm) return 'runs';
  }
  if (sm < Math.min(...numbers)) return 'older';
  // Between two entries: a build that skips the generation; nearer to dropped than to unknown if newer ones are there.
  return sm > Math.max(...numbers) ? 'newer' : sm <= 75 ? 'older' : 'newer';
}

/** Lists of code that the program printed, else that its version has by the table. */
function codeLists(context: RuleContext, tables: Tables): readonly CodeList[] {
  const lists: CodeList[] = [];
  for (const fact of saidOf(
    context,
    'pt-arch-not-compatible',
    'ggml-arch-not-compiled',
    'no-code-for-gpu',
    'gpu-outside-library',
  )) {
    const text = fact.value.captures['archs'];
    if (text !== undefined) lists.push({ ...targetsOf(text.split(/[ ,;]+/)), label: 'the build', fact, printed: true });
  }
  for (const fact of own(context, 'torch.arch-list'))
    lists.push({ ...targetsOf(fact.value), label: 'this torch build', fact, printed: true });
  for (const fact of own(context, 'torch.capability-range')) {
    const [low, high] = [...fact.value.matchAll(/\d{1,2}\.\d/g)].map((match) => match[0].replace('.', ''));
    if (low !== undefined && high !== undefined)
      lists.push({ targets: [low, high], ptx: [], label: 'this torch build', fact, printed: true });
  }
  if (lists.length > 0) return lists.filter((list) => list.targets.length > 0);
  const flags = saidOf(context, 'build-arch-flags');
  for (const fact of flags) {
    const { flags: gencode, cmake, torch, elf, list } = fact.value.captures;
    const text =
      gencode === undefined
        ? (cmake ?? torch ?? elf ?? list)
        : [...gencode.matchAll(/code=["'[]{0,2}([\w,"' ]{3,60})/g)].map((match) => match[1]).join(' ');
    if (text === undefined) continue;
    const targets = targetsOf(
      text
        .replaceAll(/-(?:real|virtual)/g, '')
        .replaceAll('+PTX', '')
        .split(/[ ,;"']+/),
    );
    if (targets.targets.length > 0)
      lists.push({
        ...targets,
        ptx: /PTX|virtual/.test(text) ? targets.targets.slice(-1) : targets.ptx,
        label: 'the build',
        fact,
        printed: true,
      });
  }
  if (lists.length > 0) return lists;
  const aarch64 = own(context, 'os.arch').some((fact) => fact.value === 'aarch64');
  for (const fact of own(context, 'torch.version')) {
    const cuda = own(context, 'torch.cuda').find((each) => each.value !== null)?.value;
    const variant = fact.value.includes('+') || cuda == null ? undefined : `cu${cuda.replace('.', '')}`;
    const programs = wheelPrograms(
      { name: 'torch', version: fact.value, ...(variant === undefined ? {} : { variant }) },
      { aarch64 },
      tables,
    );
    // Every build that the version can mean has to lack the GPU.
    const codes = programs.map((program) => program.code);
    if (codes.length === 0 || codes.some((code) => code === null || !code.confirmed)) continue;
    const sass = [...new Set(codes.flatMap((code) => code!.sass))];
    lists.push({
      targets: sass,
      ptx: [...new Set(codes.flatMap((code) => code!.ptx))],
      label: programs[0]!.label,
      fact,
      printed: false,
    });
  }
  return lists;
}

function targetsOf(names: readonly string[]): { readonly targets: readonly string[]; readonly ptx: readonly string[] } {
  const targets: string[] = [];
  const ptx: string[] = [];
  for (const name of names) {
    const match = /^(?<kind>sm_|compute_)?(?<number>\d{1,4}(?:\.\d)?[af]?)$/.exec(name.trim());
    const number = match === null ? null : capabilityNumber(match.groups!['number']!.replace(/[af]$/, ''));
    if (match === null || number === null || number < 10) continue;
    const suffix = /[af]$/.exec(match.groups!['number']!)?.[0] ?? '';
    (match.groups!['kind'] === 'compute_' ? ptx : targets).push(`${number}${suffix}`);
  }
  return { targets, ptx };
}

const families: Readonly<Record<string, number>> = { turing: 75, ampere: 80, ada: 89, hopper: 90, blackwell: 100 };

/** A library that names the lowest GPU it takes: the message decides when the GPU is below. */
function floorAnswer(context: RuleContext, gpus: readonly NamedGpu[], all: readonly Fact<SaidId>[]): ArchAnswer | null {
  const floors = spoken(context, 'gpu-outside-library', 'fa-ampere-only', 'xf-no-operator');
  for (const fact of floors) {
    const captures = fact.value.captures;
    const text = captures['min'] ?? captures['need'];
    const family = captures['family'] ?? captures['what'];
    const floor = text !== undefined ? capabilityNumber(text) : (families[(family ?? '').toLowerCase()] ?? null);
    if (floor === null) continue;
    const below = gpus.find((each) => each.gpu.sm < floor);
    const message = `the library needs compute capability ${Math.floor(floor / 10)}.${floor % 10} or newer`;
    if (below !== undefined) {
      return {
        direction: 'older',
        certainty: 'proved',
        message: `${message}, and the GPU is ${label(below)}`,
        seen: quote(5, fact, below.fact),
        missing: [],
      };
    }
    if (gpus.length === 0)
      return {
        direction: 'older',
        certainty: 'likely',
        message: `${message}, and the GPU is older`,
        seen: quote(4, fact),
        missing: [askGpu],
      };
  }
  if (spoken(context, 'gpu-outside-library').length > 0) {
    const tooOld = all.find((fact) => fact.seen.some((each) => /too old/.test(each.text)));
    if (tooOld !== undefined)
      return {
        direction: 'older',
        certainty: gpus.length > 0 ? 'proved' : 'likely',
        message: `${gpus.length > 0 ? label(gpus[0]!) : 'the GPU'} is older than what the library supports`,
        seen: quote(5, tooOld, gpus[0]?.fact),
        missing: gpus.length > 0 ? [] : [askGpu],
      };
  }
  return null;
}

/** What the CUDA release of the build can hold at all for the GPU. */
function byToolkit(
  context: RuleContext,
  gpus: readonly NamedGpu[],
  tables: Tables,
): { readonly direction: 'newer' | 'older'; readonly message: string; readonly fact: Fact } | null {
  for (const id of ['torch.cuda', 'toolkit.runtime', 'toolkit.nvcc', 'image.cuda'] as const) {
    for (const fact of own(context, id)) {
      const range = fact.value === null ? null : cudaRange(fact.value, tables);
      const named = gpus[0];
      if (range === null || named === undefined) continue;
      const reach = toolkitReach(range, named.gpu, tables);
      if (reach === 'nothing')
        return { direction: 'older', message: `CUDA ${fact.value} no longer makes code for ${label(named)}`, fact };
      if (reach === 'ptx-only')
        return { direction: 'newer', message: `CUDA ${fact.value} does not know ${label(named)} yet`, fact };
    }
  }
  return null;
}

/** A value that a message captured; for the text of a finding. */
export function capturedText(context: RuleContext, signature: string, ...names: readonly string[]): string | undefined {
  return captured(saidOf(context, signature), ...names)?.value;
}
