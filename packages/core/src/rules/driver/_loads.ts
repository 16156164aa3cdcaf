import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { ofHost, own } from './_machine.ts';
import { olderRelease, sameRelease } from './_releases.ts';

// Which libcuda a process of the examined environment loads, and whether it pairs with the module that is in memory.

/** A libcuda that wins, the module that it meets, and the losers. */
export interface LoadedLibcuda {
  readonly load: Fact<'loader.loads'>;
  readonly path: string;
  readonly version: string;
  readonly module: Fact<'driver.module'>;
  readonly order: 'older' | 'same' | 'newer';
  /** A file of the module's own release that loses. */
  readonly right: string | undefined;
  /** Nothing that was not read could let another file win. */
  readonly sure: boolean;
}

/** Null where the loader was not looked at, or one of the two releases is not known. */
export function loadedLibcuda(context: RuleContext): LoadedLibcuda | null {
  const module = ofHost(context, 'driver.module')[0];
  const load = own(context, 'loader.loads').find(
    (fact) => fact.value.soname === 'libcuda.so.1' && fact.value.asker === null && fact.value.path !== null,
  );
  const version = load?.value.version ?? null;
  if (module === undefined || load === undefined || version === null) return null;
  const same = sameRelease(version, module.value);
  const older = olderRelease(version, module.value);
  if (same !== true && older === null) return null;
  return {
    load,
    path: load.value.path!,
    version,
    module,
    order: same === true ? 'same' : older === true ? 'older' : 'newer',
    right: load.value.losers.find(
      (path) => sameRelease(/\.so\.(\d{3}\.[\d.]{1,9})$/.exec(path)?.[1] ?? '', module.value) === true,
    ),
    sure: load.value.rival === null && !load.told && !module.told,
  };
}

/** How the loader came to a file, for a sentence. */
export function byWords(load: Fact<'loader.loads'>): string {
  const { by } = load.value;
  if (by === 'LD_LIBRARY_PATH' || by === 'LD_PRELOAD') return `by ${by}`;
  return by === 'ld.so.cache' ? 'from the loader cache' : 'as the loader searches';
}

/** Inside a container, and the file is none that was brought in from the host. */
export function ofImage(context: RuleContext, path: string): boolean {
  if (own(context, 'container.inside').length === 0) return false;
  const mounts = own(context, 'container.mount');
  if (mounts.some((fact) => fact.value.from === 'host' && fact.value.path === path)) return false;
  // Where no file was brought in alone, a whole folder may have been.
  return mounts.length > 0 || !/^\/(?:usr\/local\/nvidia|run\/nvidia|opt\/nvidia|home\/kubernetes)\//.test(path);
}
