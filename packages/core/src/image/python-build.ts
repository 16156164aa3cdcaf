// For which CUDA a Python package was built, and what it pins.
import type { Origin, PackageCopy } from './contents.ts';
import type { ImageTree, TreeFile } from './tree.ts';

interface Asked {
  readonly name: string;
  readonly version: string | null;
  readonly root: string;
  /** Folder that holds the package. */
  readonly parent: string;
  readonly info: { readonly folder: string; readonly file: TreeFile | null };
  /** `x86_64`, `aarch64`: for the markers of requirements. */
  readonly machine: string;
  readonly origin: Origin;
}

/** A distribution as its dist-info and the records of its build describe it. */
export function buildOf(tree: ImageTree, asked: Asked): PackageCopy {
  const head = headersOf(asked.info.file?.text ?? '');
  const stated = head.version ?? asked.version;
  const pins = pinsOf(head.requires, asked.machine, asked.name === 'cuda-toolkit');
  const build = recordOf(tree, asked) ?? ofVersion(stated) ?? ofName(asked.name) ?? ofPins(pins);
  // torch of PyPI says 2.7.0 in its metadata and 2.7.0+cu126 in version.py.
  const full = build?.full;
  return {
    path: asked.info.file?.path ?? asked.info.folder,
    origin: asked.origin,
    name: asked.name,
    version: full !== undefined && stated !== null && full.startsWith(`${stated}+`) ? full : (stated ?? full ?? null),
    environment: asked.root,
    manager: 'pip',
    cuda: build?.cuda ?? null,
    cudaBy: build?.by ?? null,
    pins,
  };
}

interface Build {
  readonly cuda: string;
  readonly by: string;
  readonly full?: string;
}

/** What the build left in the package itself. */
function recordOf(tree: ImageTree, asked: Asked): Build | null {
  const text = (path: string): string => (tree.file(`${asked.parent}/${path}`)?.text ?? '').slice(0, 65_536);
  if (asked.name === 'torch') {
    const record = text('torch/version.py');
    if (record === '') return null;
    const full = /^__version__ {0,2}(?:: ?\w{1,20} )?= {0,2}['"]([\w.+]{1,80})['"]/m.exec(record)?.[1];
    const line = /^cuda(?: ?: ?Optional\[str\])? {0,2}= {0,2}(None|['"](\d{1,2}\.\d{1,2})['"])/m.exec(record);
    const cuda = line === null ? ofVersion(full ?? null)?.cuda : line[1] === 'None' ? 'none' : line[2]!;
    // Builds for GPUs of other makers have no CUDA and are no CPU builds.
    const hip = /^(?:hip|rocm|xpu)(?: ?: ?Optional\[str\])? {0,2}= {0,2}['"]\d/m.test(record);
    if (cuda === undefined || hip) return null;
    return { cuda, by: 'version.py', ...(full === undefined ? {} : { full }) };
  }
  if (/^(?:tensorflow|tf-nightly)(?:-cpu|-gpu|-intel)?$/.test(asked.name)) {
    const record = text('tensorflow/python/platform/build_info.py');
    if (record === '') return null;
    const cuda = /['"]cuda_version['"] {0,2}[,:] {0,2}['"](\d{1,2}(?:\.\d{1,2})?)/.exec(record)?.[1];
    if (cuda !== undefined) return { cuda, by: 'build_info.py' };
    return /['"]is_cuda_build['"] {0,2}[,:] {0,2}False/.test(record) ? { cuda: 'none', by: 'build_info.py' } : null;
  }
  if (asked.name === 'xformers') {
    const cuda = /"cuda": {0,2}"?(\d{1,2})(?:\.(\d)|0(\d)|(\d{2}))/.exec(text('xformers/cpp_lib.json'));
    return cuda === null ? null : { cuda: `${cuda[1]}.${Number(cuda[2] ?? cuda[3] ?? cuda[4])}`, by: 'cpp_lib.json' };
  }
  if (asked.name.startsWith('cupy')) {
    const cuda = /"cuda": {0,2}"(\d{1,2})(?:\.(\d{1,2}))?/.exec(text('cupy/.data/_wheel.json'));
    return cuda === null
      ? null
      : { cuda: cuda[2] === undefined ? cuda[1]! : `${cuda[1]}.${cuda[2]}`, by: 'wheel record' };
  }
  return null;
}

/** `2.7.0+cu128`, `0.4.30+cuda12.cudnn89`, `2.8.3+cu12torch2.6cxx11abitrue`, `2.7.0+cpu`. */
function ofVersion(version: string | null): Build | null {
  const local = version === null ? undefined : version.split('+')[1];
  if (local === undefined) return null;
  const by = 'local version';
  if (/^cpu\b/.test(local)) return { cuda: 'none', by };
  const match = /^cu(?:da)?(\d{2})(\d)?(?!\d)/.exec(local);
  if (match === null) return null;
  return { cuda: match[2] === undefined ? match[1]! : `${match[1]}.${match[2]}`, by };
}

/** `cupy-cuda12x`, `jax-cuda12-plugin`, `nvidia-cudnn-cu12`, `tensorflow-cpu`. */
function ofName(name: string): Build | null {
  const by = 'name';
  if (/^(?:tensorflow-cpu|faiss-cpu|tf-nightly-cpu|intel-tensorflow)$/.test(name)) return { cuda: 'none', by };
  const match = /(?:-cu|-cuda)(\d{2})x?(?:-|$)/.exec(name) ?? /^cupy-cuda(\d{2})(\d)$/.exec(name);
  if (match === null) return null;
  return { cuda: match[2] === undefined ? match[1]! : `${match[1]}.${match[2]}`, by };
}

/** The runtime that is pinned is that of the build. */
function ofPins(pins: PackageCopy['pins']): Build | null {
  const by = 'pins';
  const runtime = pins.find((each) => /^nvidia-cuda-runtime(?:-cu\d{2})?$/.test(each.name));
  const release = runtime === undefined ? undefined : /^\d{2}\.\d{1,2}/.exec(runtime.version)?.[0];
  if (release !== undefined) return { cuda: release, by };
  for (const each of pins) {
    const major = /-cu(\d{2})$/.exec(each.name)?.[1];
    if (major !== undefined) return { cuda: major, by };
  }
  return null;
}

interface Head {
  readonly version: string | null;
  readonly requires: readonly string[];
}

/** Headers of METADATA (core metadata, an RFC 822 head); the description behind the empty line is not read. */
function headersOf(text: string): Head {
  const requires: string[] = [];
  let version: string | null = null;
  let at = 0;
  while (at < text.length) {
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    const line = text.slice(at, Math.min(end, at + 2000)).trimEnd();
    at = end + 1;
    if (line === '') break;
    if (line.startsWith('Version: ')) version ??= line.slice(9).trim().slice(0, 100);
    else if (line.startsWith('Requires-Dist: ') && requires.length < 500) requires.push(line.slice(15).trim());
  }
  return { version, requires };
}

const requirement = /^([A-Za-z0-9][\w.-]{0,100}) ?(?:\[[^\]]{0,100}\])? ?\(?==([\w.+!*]{1,60})\)?(?: ?;|$)/;

/** Exact pins on packages of the GPU stack that apply on Linux and this machine. */
function pinsOf(requires: readonly string[], machine: string, collection: boolean): PackageCopy['pins'] {
  const pins: PackageCopy['pins'][number][] = [];
  for (const line of requires) {
    const match = requirement.exec(line);
    if (match === null) continue;
    const name = normalName(match[1]!);
    if (!name.startsWith('nvidia-') && !/^(?:pytorch-)?triton$|^cuda-toolkit$/.test(name)) continue;
    const cut = line.indexOf(';');
    const marker = cut < 0 ? '' : line.slice(cut + 1);
    // cuda-toolkit only collects packages: one of each belongs to its release, and those that nobody asked for are not there.
    const all = collection && /\bextra ?== ?['"]all['"]/.test(marker);
    if (collection !== all || (cut >= 0 && !all && !applies(marker, machine))) continue;
    pins.push({ name, version: match[2]!.replace(/\.\*$/, ''), ...(all ? { optional: true as const } : {}) });
  }
  return pins;
}

/** Whether a marker (PEP 508) can hold here; only what is surely false is passed over. */
function applies(marker: string, machine: string): boolean {
  if (/\bextra\b/.test(marker)) return false;
  const has = (pattern: RegExp): boolean => pattern.test(marker);
  if (has(/\b(?:sys_platform|platform_system|os_name) ?== ?['"](?:win32|Windows|nt|darwin|Darwin)/)) return false;
  if (has(/\b(?:sys_platform|platform_system) ?!= ?['"](?:linux|Linux)/)) return false;
  if (has(/ or /)) return true;
  const equal = /\bplatform_machine ?== ?['"](\w{1,20})['"]/.exec(marker)?.[1];
  if (equal !== undefined) return equal.toLowerCase() === machine;
  return !new RegExp(`\\bplatform_machine ?!= ?['"]${machine}['"]`).test(marker);
}

/** PEP 503. */
export function normalName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
