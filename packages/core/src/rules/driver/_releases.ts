import type { Fact, FactId } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { parseDriver } from '../../versions/driver.ts';
import { parseSoname } from '../../versions/soname.ts';
import { captured, ofHost, saidOf, seenOf } from './_machine.ts';

// Releases of the driver's parts: the module in memory, the module on disk, the libraries.

export interface Release {
  readonly text: string;
  readonly fact: Fact<FactId>;
}

/** Messages that say that module and libraries are of two releases. */
export const mismatchMessages: readonly string[] = [
  'nvml-driver-library-mismatch',
  'nvrm-api-mismatch',
  'tf-kernel-dso-mismatch',
];

const libraryPackage =
  /^(?:libnvidia-(?:compute|ml|cfg|decode|encode|gl)(?:1|-\d{3})?\S{0,12}|nvidia-(?:utils|smi|compute-utils|driver-libs|driver-cuda|driver-cuda-libs|alternative)(?:-\d{3})?(?:-server)?|libcuda1|libnvidia-ml1|xorg-x11-drv-nvidia-cuda(?:-libs)?)$/;
const modulePackage =
  /^(?:nvidia-(?:dkms|kernel-dkms|open-kernel-dkms|open-dkms|kernel-source|kernel-common|kmod|open-kmod)(?:-\d{3})?(?:-server|-open)?|kmod-nvidia\S{0,40}|akmod-nvidia\S{0,20}|linux-(?:modules|objects|signatures)-nvidia-\S{1,60})$/;

/** Driver release at the start of a package version: `525.85.12-1`, `3:535.183.01-1.el9`. Null for anything else. */
export function releaseOfPackage(version: string): string | null {
  return /^(?:\d{1,2}:)?(\d{3}\.\d{1,3}(?:\.\d{1,3})?)(?![\d.])/.exec(version)?.[1] ?? null;
}

function installedPackages(context: RuleContext, names: RegExp): readonly Release[] {
  const found: Release[] = [];
  for (const fact of ofHost(context, 'package')) {
    const { manager, name, version, build } = fact.value;
    if ((manager !== 'dpkg' && manager !== 'rpm') || !names.test(name)) continue;
    if (manager === 'dpkg' && build !== undefined && !/^[ih]i/.test(build)) continue;
    const text = releaseOfPackage(version);
    if (text !== null) found.push({ text, fact });
  }
  return found;
}

/** Releases of the packages that bring the driver's own libraries or module: not of what is released beside it. */
export function driverPackages(context: RuleContext): readonly Release[] {
  return [...installedPackages(context, libraryPackage), ...installedPackages(context, modulePackage)];
}

/** Releases of the user-space libraries, the one in use first, then what packages say. */
export function libraryReleases(context: RuleContext): readonly Release[] {
  const found: Release[] = [];
  const said = saidOf(context, ...mismatchMessages);
  const client = captured(said, 'clientVersion', 'clientVersionOld', 'dso', 'nvml');
  for (const fact of ofHost(context, 'driver.library')) found.push({ text: fact.value, fact });
  if (client !== undefined) found.push({ text: client.value.replace(/\.$/, ''), fact: client.fact });
  return [...found, ...installedPackages(context, libraryPackage)];
}

/** Releases of the module in memory. */
export function moduleReleases(context: RuleContext): readonly Release[] {
  const found: Release[] = ofHost(context, 'driver.module').map((fact) => ({ text: fact.value, fact }));
  const kernel = captured(saidOf(context, ...mismatchMessages), 'kernelVersion', 'kernel');
  if (kernel !== undefined) found.push({ text: kernel.value.replace(/\.$/, ''), fact: kernel.fact });
  return found;
}

/** Releases of the module on disk: what the next load would bring. */
export function moduleFileReleases(context: RuleContext): readonly Release[] {
  const files = ofHost(context, 'driver.module-file').map((fact) => ({ text: fact.value, fact }));
  const dkms = saidOf(context, 'dkms-state').flatMap((fact) => {
    const { version, state } = fact.value.captures;
    return version === undefined || (state !== 'installed' && state !== 'built') ? [] : [{ text: version, fact }];
  });
  return [...files, ...dkms, ...installedPackages(context, modulePackage)];
}

/** Driver libraries that are listed on this host, by release. */
export function listedLibraries(context: RuleContext): readonly Release[] {
  const found: Release[] = [];
  const add = (path: string | null, version: string | undefined, fact: Fact<FactId>): void => {
    if (path !== null && /\/compat|\/stubs\//.test(path)) return;
    const text = version ?? (path === null ? null : (parseSoname(path)?.versionText ?? null));
    if (text !== null && text !== undefined && /^\d{3}\.\d/.test(text)) found.push({ text, fact });
  };
  for (const id of ['loader.resolved', 'loader.cache'] as const) {
    for (const fact of ofHost(context, id)) {
      if (/^libcuda|^libnvidia-/.test(fact.value.soname))
        add(fact.value.path ?? fact.value.soname, fact.value.version, fact);
    }
  }
  for (const fact of ofHost(context, 'file.exists')) {
    if (/\/lib(?:cuda|nvidia-[\w-]{1,40})\.so\./.test(fact.value)) add(fact.value, undefined, fact);
  }
  return found;
}

/** Same release as far as both are printed: NVML prints two of three numbers. Null where one is no version. */
export function sameRelease(a: string, b: string): boolean | null {
  const x = parseDriver(a);
  const y = parseDriver(b);
  if (x === null || y === null) return null;
  const length = Math.min(x.parts.length, y.parts.length);
  if (length < 2) return x.branch === y.branch ? null : false;
  for (let i = 0; i < length; i++) if (x.parts[i] !== y.parts[i]) return false;
  return true;
}

/** Is release `a` older than `b`? Null where one is no version or they are the same as far as printed. */
export function olderRelease(a: string, b: string): boolean | null {
  const x = parseDriver(a);
  const y = parseDriver(b);
  if (x === null || y === null || sameRelease(a, b) !== false) return null;
  for (let i = 0; i < Math.max(x.parts.length, y.parts.length); i++) {
    const difference = (x.parts[i] ?? 0) - (y.parts[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return null;
}

/** How the module in memory and the libraries stand to each other. */
export interface Pair {
  readonly relation: 'same' | 'library-newer' | 'library-older' | 'told-by-message' | 'unknown';
  readonly module: Release | undefined;
  readonly library: Release | undefined;
  readonly messages: readonly Fact[];
}

/** Compares module and libraries of the host. A message alone is `told-by-message`. */
export function pairOf(context: RuleContext): Pair {
  // The line with NVML's own version stands beside every NVML failure; it says nothing of a mismatch.
  const messages = saidOf(context, ...mismatchMessages).filter(
    (fact) =>
      fact.value.captures['nvml'] === undefined &&
      fact.value.captures['lc'] === undefined &&
      fact.value.captures['kr'] === undefined,
  );
  const modules = moduleReleases(context);
  const libraries = libraryReleases(context);
  const module = modules[0];
  if (module === undefined || libraries.length === 0) {
    const library = libraries[0];
    return { relation: messages.length > 0 ? 'told-by-message' : 'unknown', module, library, messages };
  }
  // The library in use is printed first; where a message says that they differ, the one that does is meant.
  const library =
    (messages.length > 0 ? libraries.find((each) => sameRelease(each.text, module.text) === false) : undefined) ??
    libraries[0]!;
  const same = sameRelease(module.text, library.text);
  if (same === true) return { relation: messages.length > 0 ? 'told-by-message' : 'same', module, library, messages };
  const older = olderRelease(library.text, module.text);
  return {
    relation: older === null ? 'unknown' : older ? 'library-older' : 'library-newer',
    module,
    library,
    messages,
  };
}

/** CUDA messages that a compat libcuda gives: then a second release of libcuda is meant to be there. */
export function compatInPlay(context: RuleContext): boolean {
  return (
    saidOf(context, 'compat-libcuda-in-use', 'ngc-compat-enabled', 'cuda-forward-compat-unsupported-hw').length > 0
  );
}

/** Lines of a pair, for evidence. */
export function pairSeen(pair: Pair): ReturnType<typeof seenOf> {
  return seenOf(...pair.messages, pair.module?.fact, pair.library?.fact);
}

/** Does the input say that a restart did not help? */
export function rebootInVain(context: RuleContext): readonly Fact[] {
  return context.all('said.reboot-did-not-help');
}
