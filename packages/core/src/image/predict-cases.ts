// Who puts the compat libraries of an image in front, and which libcuda the application ends up with.
import { parseCuda } from '../versions/cuda.ts';
import { compareDriver, parseDriver } from '../versions/driver.ts';
import type { DriverVersion } from '../versions/driver.ts';
import { compatOfDriver, compatOfPackage, forwardCompatSteps, noteOf } from '../compat/forward-compat.ts';
import type { CompatInUse } from '../compat/forward-compat.ts';
import type { Gpu } from '../compat/gpu-name.ts';
import type { HostDriver } from '../compat/host-driver.ts';
import type { ImageContent } from '../compat/image-lookup.ts';
import { compatChoice, toolkitAtLeast } from '../compat/injection.ts';
import type { CompatChoice } from '../compat/injection.ts';
import type { Tables } from '../compat/tables.ts';
import type { ImageContents, LibcudaFile } from './contents.ts';
import type { CompatBy, Node } from './model.ts';
import { findLibcuda, folderOf } from './predict-loader.ts';
import type { Additions, Found } from './predict-loader.ts';
import type { Start } from './predict-start.ts';
import type { ImageTree } from './tree.ts';

/** One libcuda that the application can end up with. */
export interface LibcudaCase {
  readonly kind: 'host' | 'compat' | 'baked' | 'stub' | 'none';
  readonly version: string | null;
  readonly path: string | null;
  readonly by: CompatBy | null;
  /** The library as the judge takes it, where a compat library is used. */
  readonly compat: CompatInUse | null;
  /** A regular file named `libcuda.so.1`. */
  readonly regular: boolean;
  /** What would change if compat were switched on. */
  readonly hint: string | null;
  /** Why this is one of several. */
  readonly unsure: string | null;
}

/** What the cases depend on. */
export interface CasesOf {
  readonly contents: ImageContents;
  readonly tree: ImageTree;
  readonly env: Readonly<Record<string, string>>;
  readonly node: Node;
  readonly driver: HostDriver | null;
  readonly gpu: Gpu | null;
  readonly tables: Tables;
  /** What is known of the image by its name, where its layers were not read. */
  readonly known: ImageContent | null;
  /** Release of the host's libcuda that is injected; null where none is. Empty: one is, of a release not known. */
  readonly host: string | null;
}

/** Every libcuda that a start can lead to: one, or several where the sources or the keys do not decide. */
export function libcudaCases(of: CasesOf, start: Start): readonly LibcudaCase[] {
  if (of.contents.quick) return quickCases(of, start);
  const byEntrypoint = entrypointCase(of);
  if (byEntrypoint.sure && byEntrypoint.case !== null) return [byEntrypoint.case];
  const rest = searched(of, start);
  return byEntrypoint.case === null ? rest : [byEntrypoint.case, ...rest];
}

/** Folder in which the toolkit looks for compat libraries. */
function compatFolder(of: CasesOf, start: Start): string {
  const orin = start.mode === 'csv' && of.gpu?.sm === 87 && toolkitAtLeast(start.toolkit, 1, 19);
  const folder = orin ? '/usr/local/cuda/compat_orin' : '/usr/local/cuda/compat';
  return of.tree.resolve(folder) ?? folder;
}

function searched(of: CasesOf, start: Start): readonly LibcudaCase[] {
  const folder = compatFolder(of, start);
  const visible = of.contents.libcuda.filter((each) => each.kind === 'compat' && folderOf(each.path) === folder);
  const choices = start.mode === 'none' || of.host === null ? [null] : choicesOf(visible, of, start);
  const cases: LibcudaCase[] = [];
  for (const choice of choices) {
    // An older library beside the host's: which of the two the name is linked to, sources disagree on.
    if (choice?.used === null) {
      const file = newestOf(visible);
      if (file !== null)
        cases.push(
          caseOf(
            { kind: 'compat', version: file.version, path: file.path, file, by: 'mount', unsure: choice.because },
            of,
            null,
          ),
        );
      continue;
    }
    const additions: Additions = {
      host: of.host,
      compat: choice?.used === true && choice.by !== null ? { folder, by: choice.by } : null,
      cudaCompatMode: of.node.cudaCompatMode,
    };
    const found = findLibcuda(
      { contents: of.contents, tree: of.tree, preload: of.env['LD_PRELOAD'] },
      start,
      additions,
    );
    const hint = hintOf(choice, visible, of);
    cases.push(caseOf(found, of, hint));
    if (found !== null) cases.push(...rivals(found, of, start, hint));
  }
  return distinct(cases);
}

/** The toolkit's choice; both where it cannot be told. */
function choicesOf(visible: readonly LibcudaFile[], of: CasesOf, start: Start): readonly (CompatChoice | null)[] {
  const newest = newestOf(visible);
  if (visible.length === 0 || start.mode === 'none') return [null];
  const inside = newest === null ? null : parseDriver(newest.version ?? '');
  const { driver } = of;
  if (driver !== null && driver.windows) return [null];
  if (newest === null || inside === null || driver === null) {
    const [off, on] = bothChoices(start);
    return on === null ? [off] : [off, on];
  }
  const copies = visible.filter(
    (each) => each.path.split('/').at(-1)?.startsWith('libcuda.so.') === true && /\.so\.\d{1,6}\./.test(each.path),
  );
  const choice = compatChoice(start.toolkit, start.mode, inside, driver.version, newest.note, {
    ...(of.node.cudaCompatMode === undefined ? {} : { cudaCompatMode: of.node.cudaCompatMode }),
    hasCache: of.contents.search.hasCache,
    copies: copies.length,
    noteCuda: newest.note === null || newest.cuda === null ? null : parseCuda(newest.cuda),
    hostCuda: driver.serves,
  });
  if (choice.used !== null) return [choice];
  const off: CompatChoice = { used: false, by: null, because: choice.because };
  return choice.by === 'mount' ? [choice, off] : [{ ...choice, used: true }, off];
}

/** A toolkit that could use the library of a release that is not known. */
function bothChoices(start: Start): readonly [CompatChoice, CompatChoice | null] {
  const off: CompatChoice = {
    used: false,
    by: null,
    because: 'the releases of compat library and driver are not known',
  };
  const probe = (text: string): DriverVersion => parseDriver(text) as DriverVersion;
  const mode = start.mode === 'none' ? 'legacy' : start.mode;
  const tried = compatChoice(start.toolkit, mode, probe('999.0'), probe('100.0'), [100]);
  return [off, tried.used === true ? { ...tried, because: off.because } : null];
}

function hintOf(choice: CompatChoice | null, visible: readonly LibcudaFile[], of: CasesOf): string | null {
  const inside = parseDriver(newestOf(visible)?.version ?? '');
  if (choice?.used !== false || inside === null || of.driver === null || inside.branch <= of.driver.version.branch)
    return null;
  return of.node.cudaCompatMode === 'disabled'
    ? 'cuda-compat-mode as the container toolkit ships it (it uses the compat libraries of the image)'
    : 'container toolkit 1.17.7 or newer (it uses the compat libraries of the image)';
}

function newestOf(files: readonly LibcudaFile[]): LibcudaFile | null {
  let best: LibcudaFile | null = null;
  for (const file of files) {
    const version = parseDriver(file.version ?? '');
    const other = best === null ? null : parseDriver(best.version ?? '');
    if (best === null || (version !== null && (other === null || compareDriver(version, other) > 0))) best = file;
  }
  return best;
}

/**
 * Outside legacy mode a driver library of the image in another folder than the injected one stands in the cache too; which
 * of the two is first was not confirmed.
 */
function rivals(found: Found, of: CasesOf, start: Start, hint: string | null): readonly LibcudaCase[] {
  if (found.rivals !== undefined) {
    const by = found.by;
    return found.rivals.map((each) =>
      caseOf({ ...each, by: each.kind === 'compat' ? 'mount' : by, unsure: found.unsure }, of, hint),
    );
  }
  const fromCache = found.by === 'ld.so.cache' || found.by === 'ld.so.conf';
  if (start.mode === 'none' || start.mode === 'legacy' || of.host === null || !fromCache) return [];
  if (found.kind !== 'host' && found.kind !== 'baked') return [];
  const searchedFolders = new Set(
    [...of.contents.search.configured.map((each) => each.folder), ...of.contents.search.defaults].map(
      (each) => of.tree.resolve(each) ?? each,
    ),
  );
  const own = start.folder === null ? null : (of.tree.resolve(start.folder) ?? start.folder);
  const unsure = 'which of the injected folder and the folder of the image is first in the cache';
  if (found.kind === 'baked')
    return folderOf(found.path ?? '') === own ? [] : [caseOf({ ...hostFound(of, start), unsure }, of, hint)];
  return of.contents.libcuda
    .filter(
      (each) =>
        each.kind === 'baked' &&
        each.bytes > 0 &&
        folderOf(each.path) !== own &&
        searchedFolders.has(folderOf(each.path)),
    )
    .map((each) =>
      caseOf(
        { kind: 'baked', version: each.version, path: each.path, file: each, by: 'ld.so.cache', unsure },
        of,
        hint,
      ),
    );
}

function hostFound(of: CasesOf, start: Start): Found {
  const version = of.host === '' ? null : of.host;
  return {
    kind: 'host',
    version,
    path: start.folder === null ? null : `${start.folder}/libcuda.so.${version ?? '1'}`,
    file: null,
    by: 'ld.so.cache',
    unsure: null,
  };
}

function caseOf(found: Found | null, of: CasesOf, hint: string | null): LibcudaCase {
  if (found === null)
    return { kind: 'none', version: null, path: null, by: null, compat: null, regular: false, hint, unsure: null };
  const by = found.kind !== 'compat' ? null : found.by === 'ld.so.cache' ? 'ld.so.conf' : found.by;
  return {
    kind: found.kind,
    version: found.version === '' ? null : found.version,
    path: found.path,
    by,
    compat: found.kind === 'compat' && found.file !== null ? compatInUse(found.file, of.tables) : null,
    regular: found.file?.unversioned ?? false,
    hint: found.kind === 'host' ? hint : null,
    unsure: found.unsure,
  };
}

/** A compat library of the image as the judge takes it; null where its release is not known. */
function compatInUse(file: LibcudaFile, tables: Tables): CompatInUse | null {
  const cuda = file.cuda === null ? null : parseCuda(file.cuda);
  const orin = file.path.includes('/compat_orin/');
  const byDriver = file.version === null ? null : compatOfDriver(file.version, tables);
  const ofCuda = cuda === null ? null : compatOfPackage(`${orin ? 'orin-' : ''}${cuda.major}-${cuda.minor ?? 0}`);
  const base = byDriver ?? ofCuda;
  if (base === null) return null;
  const driver = file.version === null ? null : parseDriver(file.version);
  return { ...base, cuda: cuda ?? base.cuda, driver: driver ?? base.driver, note: file.note, orin };
}

/** The entrypoint of NVIDIA's images tries the compat libraries and leaves them off where the GPU or the base refuses. */
function entrypointCase(of: CasesOf): { readonly case: LibcudaCase | null; readonly sure: boolean } {
  const none = { case: null, sure: true };
  const { contents, driver, gpu, tables } = of;
  const logic = contents.entrypoint.compat;
  if (logic === null || of.node.entrypoint === 'replaced' || of.host === null) return none;
  const file = newestOf(contents.libcuda.filter((each) => each.kind === 'compat'));
  if (file === null) return none;
  const made = caseOf(
    { kind: 'compat', version: file.version, path: file.path, file, by: 'entrypoint', unsure: null },
    of,
    null,
  );
  const inside = parseDriver(file.version ?? '');
  if (driver === null || inside === null || made.compat === null) return { case: made, sure: false };
  if (compareDriver(inside, driver.version) <= 0 || inside.branch === driver.version.branch) return none;
  const steps = forwardCompatSteps(made.compat, gpu, driver, tables);
  if (steps.some((step) => step.holds === false)) return none;
  return { case: made, sure: logic === 'nvidia-entrypoint' && steps.every((step) => step.holds === true) };
}

/** Without the layers: what the tables know of an image of this name. */
function quickCases(of: CasesOf, start: Start): readonly LibcudaCase[] {
  const { driver, known, tables } = of;
  const host = { ...(of.host === null ? caseOf(null, of, null) : caseOf(hostFound(of, start), of, null)), path: null };
  const unread: LibcudaCase = { ...host, unsure: 'the layers were not read' };
  if (known === null) return [unread, { ...unread, kind: 'baked', version: null, path: null }];
  const compat = known.compat;
  if (compat === null || driver === null || of.host === null || start.mode === 'none') return [host];
  const inside =
    compat.driver ??
    parseDriver(String(tables.toolkits.get(`${compat.cuda.major}.${compat.cuda.minor ?? 0}`)?.branch ?? ''));
  if (inside === null) return [unread];
  const used = (by: CompatBy): LibcudaCase => ({
    ...host,
    kind: 'compat',
    version: compat.driver?.text ?? null,
    path: null,
    by,
    compat,
  });
  if (known.compatBy === 'entrypoint') {
    if (of.node.entrypoint === 'replaced' || inside.branch <= driver.version.branch) return [host];
    const steps = forwardCompatSteps(compat, of.gpu, driver, tables);
    if (steps.some((step) => step.holds === false)) return [host];
    return steps.every((step) => step.holds === true) ? [used('entrypoint')] : [used('entrypoint'), host];
  }
  const note = compat.note ?? (compat.driver === null ? null : noteOf(compat.driver.text, tables)) ?? undefined;
  const choice = compatChoice(start.toolkit, start.mode, inside, driver.version, note, {
    ...(of.node.cudaCompatMode === undefined ? {} : { cudaCompatMode: of.node.cudaCompatMode }),
    hostCuda: driver.serves,
  });
  const by: CompatBy = choice.by ?? 'hook';
  return choice.used === true ? [used(by)] : choice.used === false ? [host] : [used(by), host];
}

function distinct(cases: readonly LibcudaCase[]): readonly LibcudaCase[] {
  const seen = new Set<string>();
  return cases.filter((each) => {
    const key = `${each.kind} ${each.path ?? ''} ${each.by ?? ''}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
