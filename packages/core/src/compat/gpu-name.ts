import { parseComputeCapability, smNumber } from '../versions/compute-capability.ts';
import type { ArchitectureRow, GpuRow } from '../knowledge/architectures.types.ts';
import type { Architecture } from '../knowledge/branches.types.ts';
import type { GpuClass } from '../knowledge/forward-compat.types.ts';

/** A GPU as far as a name or number tells. */
export interface Gpu {
  /** Name of the GPU table; null when only the compute capability is known. */
  readonly name: string | null;
  /** What was typed. */
  readonly printed: string;
  readonly sm: number;
  readonly architecture: Architecture | null;
  readonly row: ArchitectureRow | null;
  /** Null: the name does not decide it. */
  readonly class: GpuClass | null;
  /** The compute capability of this product was read in a source. */
  readonly confirmed: boolean;
}

/** Lookup structure over the GPU and architecture tables. */
export interface GpuIndex {
  readonly byName: ReadonlyMap<string, GpuRow>;
  /** Most words that a name has. */
  readonly longest: number;
  /** Names without the words that tell series and generations apart: `rtx 6000` for two boards. */
  readonly byCore: ReadonlyMap<string, readonly GpuRow[]>;
  readonly bySm: ReadonlyMap<number, ArchitectureRow>;
  readonly byArchitecture: ReadonlyMap<string, readonly ArchitectureRow[]>;
  /** Class that all products of a compute capability share, where they do. */
  readonly classBySm: ReadonlyMap<number, GpuClass>;
  readonly cache: Map<string, readonly Gpu[]>;
}

/** Words of a printed name that do not tell products apart. */
const noise = new Set(
  (
    'nvidia tesla geforce quadro gpu gpus graphics card cards board boards device corporation tensor core sxm sxm2 sxm3 sxm4 ' +
    'sxm5 sxm6 pcie pci nvl nvlink hbm hbm2 hbm2e hbm3 hbm3e gddr5 gddr6 gddr6x gddr7 oem hgx dgx mig generation edition ' +
    'workstation server laptop mobile max q maxq with design founders fe ddr ws module series custom cc single dual x2 x4 x8'
  ).split(' '),
);
/** Words that tell boards of one number apart. */
const qualifiers = new Set([
  'quadro',
  'gtx',
  'geforce',
  'tesla',
  'ada',
  'generation',
  'laptop',
  'gpu',
  'mobile',
  'max',
  'q',
  'with',
  'design',
  'sff',
]);
const glued = ['geforce', 'quadro', 'tesla', 'jetson', 'titan', 'gtx', 'rtx'];
const suffixes = ['ti', 'super'];

/** Words of a GPU name: lower case, glued series and suffixes apart (`RTX4070Ti` is `rtx 4070 ti`). */
export function gpuWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const raw of text.toLowerCase().split(/[^a-z0-9.]+/)) {
    let word = trimmed(raw, '.');
    if (word === '') continue;
    for (const prefix of glued) {
      if (word.length > prefix.length && word.startsWith(prefix) && isDigit(word.charCodeAt(prefix.length))) {
        words.push(prefix);
        word = word.slice(prefix.length);
      }
    }
    for (const suffix of suffixes) {
      if (
        word.length > suffix.length &&
        word.endsWith(suffix) &&
        isDigit(word.charCodeAt(word.length - suffix.length - 1))
      ) {
        words.push(word.slice(0, -suffix.length));
        word = suffix;
      }
    }
    words.push(word);
  }
  return words;
}

/** Without leading and trailing characters of a set. */
export function trimmed(text: string, characters: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && characters.includes(text.charAt(from))) from += 1;
  while (to > from && characters.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Makes the index; once per set of tables. */
export function indexGpus(gpus: readonly GpuRow[], architectures: readonly ArchitectureRow[]): GpuIndex {
  const byName = new Map<string, GpuRow>();
  let longest = 1;
  const add = (name: string, row: GpuRow): void => {
    const words = gpuWords(name);
    longest = Math.max(longest, words.length);
    const key = words.join(' ');
    if (!byName.has(key)) byName.set(key, row);
  };
  for (const row of gpus) {
    add(row.name, row);
    for (const alias of row.aliases) add(alias, row);
  }
  // A GeForce is often called by its number alone: `4090`, `2080 ti`.
  for (const row of gpus) {
    const words = gpuWords(row.name).filter((word) => word !== 'geforce');
    if (row.class === 'geforce' && (words[0] === 'rtx' || words[0] === 'gtx') && /^\d{4}$/.test(words[1] ?? '')) {
      const key = words.slice(1).join(' ');
      if (!byName.has(key)) byName.set(key, row);
    }
  }
  // A series stands for its boards: `RTX 50 series`, `RTX 40xx`.
  for (const row of gpus) {
    const series = row.class === 'geforce' ? /^GeForce (RTX|GTX) (\d\d)\d\d$/.exec(row.name) : null;
    if (series === null) continue;
    for (const ending of ['', 'xx', 'x0']) {
      const key = `${(series[1] as string).toLowerCase()} ${series[2] as string}${ending}`;
      if (!byName.has(key)) byName.set(key, row);
    }
  }
  const byCore = new Map<string, GpuRow[]>();
  for (const row of gpus) {
    const key = gpuWords(row.name)
      .filter((word) => !qualifiers.has(word))
      .join(' ');
    byCore.set(key, [...(byCore.get(key) ?? []), row]);
  }
  const bySm = new Map(architectures.map((row) => [row.sm, row]));
  const byArchitecture = new Map<string, ArchitectureRow[]>();
  for (const row of architectures) {
    const key = row.architecture.toLowerCase();
    const list = byArchitecture.get(key) ?? [];
    if (!row.tegra) byArchitecture.set(key, [...list, row]);
  }
  const classes = new Map<number, Set<GpuClass>>();
  for (const row of gpus) {
    const sm = smOf(row.computeCapability);
    if (sm === null) continue;
    const set = classes.get(sm) ?? new Set<GpuClass>();
    classes.set(sm, set.add(row.class));
  }
  const classBySm = new Map<number, GpuClass>();
  for (const [sm, set] of classes) {
    const [only] = set;
    if (set.size === 1 && only !== undefined) classBySm.set(sm, only);
  }
  return { byName, longest, byCore, bySm, byArchitecture, classBySm, cache: new Map() };
}

function smOf(text: string): number | null {
  const value = parseComputeCapability(text);
  return value === null ? null : smNumber(value);
}

/**
 * The GPUs that a name can mean: one for a product or a compute capability, several for an architecture (`Pascal`),
 * none when the name is not known. Takes any usual form: `H100`, `NVIDIA A100-SXM4-80GB`, `rtx4090`, `sm_90`, `9.0`,
 * MIG and laptop names. A name with a word that is not understood is not known: `RTX 3080 Foo` is no RTX 3080.
 */
export function matchGpu(text: string, index: GpuIndex): readonly Gpu[] {
  const cached = index.cache.get(text);
  if (cached !== undefined) return cached;
  const found = text.length > 200 ? [] : lookUp(text, index);
  if (index.cache.size < 2000) index.cache.set(text, found);
  return found;
}

function lookUp(text: string, index: GpuIndex): readonly Gpu[] {
  const number = byNumber(text, index);
  if (number !== null) return [number];
  const words = gpuWords(text);
  const several = ofOneNumber(words, index);
  if (several.length > 0) return several.map((row) => ofRow(row, text, index));
  const hit = longestName(words, 0, words.length, index);
  if (hit !== null) {
    const rest = [...words.slice(0, hit.at), ...words.slice(hit.at + hit.length)];
    const architecture = index.bySm.get(smOf(hit.row.computeCapability) ?? -1)?.architecture.toLowerCase();
    const understood = rest.every((word) => isNoise(word) || word === architecture || isKin(word, hit.row));
    return understood ? [ofRow(hit.row, text, index)] : [];
  }
  const meaning = words.filter((word) => !isNoise(word));
  const rows = meaning.length === 1 ? index.byArchitecture.get(meaning[0] as string) : undefined;
  return (rows ?? []).map((row) => ofArchitecture(row, text, index));
}

/** `RTX 6000`, `Titan X`: boards of different generations have the number, and no word tells which it is. */
function ofOneNumber(words: readonly string[], index: GpuIndex): readonly GpuRow[] {
  if (words.some((word) => word !== 'gpu' && qualifiers.has(word))) return [];
  const key = words.filter((word) => word === 'x' || !isNoise(word)).join(' ');
  const rows = index.byCore.get(key) ?? [];
  const byCapability = new Map(rows.map((row) => [row.computeCapability, row]));
  return /^(?:rtx|titan) /.test(key) && (byCapability.size > 1 || !index.byName.has(key))
    ? [...byCapability.values()]
    : [];
}

/** `sm_90`, `9.0`, `compute capability 8.6`, `cc 7.5`. A bare `90` is read too. */
function byNumber(text: string, index: GpuIndex): Gpu | null {
  const trimmed = text
    .trim()
    .toLowerCase()
    .replace(/^(?:compute capability|capability|cc)[ :=]{0,3}/, '');
  const value = parseComputeCapability(trimmed);
  if (value === null || (!trimmed.includes('.') && !trimmed.startsWith('sm') && trimmed.length > 3)) return null;
  const row = index.bySm.get(smNumber(value));
  return row === undefined ? null : ofArchitecture(row, text, index);
}

/** The longest known name among the words, the first of equals. */
export function longestName(
  words: readonly string[],
  from: number,
  to: number,
  index: GpuIndex,
): { readonly row: GpuRow; readonly at: number; readonly length: number } | null {
  for (let length = Math.min(index.longest, to - from); length > 0; length -= 1) {
    for (let at = from; at + length <= to; at += 1) {
      const key = words.slice(at, at + length).join(' ');
      // `H100s`, `4090s`: several of them; `L40S` is a name of its own.
      const row =
        index.byName.get(key) ?? (/\d[a-z]{0,2}s$/.test(key) ? index.byName.get(key.slice(0, -1)) : undefined);
      if (row !== undefined) return { row, at, length };
    }
  }
  return null;
}

/** Is this a word that may stand beside a GPU name without telling products apart? */
export function isNoise(word: string): boolean {
  return (
    noise.has(word) ||
    /^\d{1,4}(?:\.\d)?(?:gb|g|gib|w|mb)$/.test(word) ||
    /^\dg\.\d{1,3}gb$/.test(word) ||
    /^\dc\.\dg\.\d{1,3}gb$/.test(word)
  );
}

/** `Ti`, `Super` and `D` boards of the RTX series are of the same chip generation as the board they are named after. */
function isKin(word: string, row: GpuRow): boolean {
  return (
    row.class === 'geforce' && row.name.startsWith('GeForce RTX') && (word === 'ti' || word === 'super' || word === 'd')
  );
}

/** A row of the GPU table as a GPU. */
export function ofRow(row: GpuRow, printed: string, index: GpuIndex): Gpu {
  const sm = smOf(row.computeCapability) ?? 0;
  const architecture = index.bySm.get(sm) ?? null;
  return {
    name: row.name,
    printed,
    sm,
    architecture: architecture?.architecture ?? null,
    row: architecture,
    class: row.class,
    confirmed: row.confirmedFields.computeCapability,
  };
}

/** A compute capability as a GPU without a name. */
export function ofArchitecture(row: ArchitectureRow, printed: string, index: GpuIndex): Gpu {
  return {
    name: null,
    printed,
    sm: row.sm,
    architecture: row.architecture,
    row,
    class: index.classBySm.get(row.sm) ?? (row.tegra ? 'jetson' : null),
    confirmed: true,
  };
}

/** `9.0` for 90. */
export function capabilityText(sm: number): string {
  return `${Math.floor(sm / 10)}.${sm % 10}`;
}

/** How messages call the GPU: name and compute capability. */
export function gpuLabel(gpu: Gpu): string {
  return gpu.name === null
    ? `a GPU of compute capability ${capabilityText(gpu.sm)}`
    : `${gpu.name} (${capabilityText(gpu.sm)})`;
}
