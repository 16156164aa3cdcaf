import type { Fact } from '../../model/facts.ts';
import type { Outcome, RuleContext } from '../../model/rule.ts';
import { byPrint, seen } from '../container-runtime/_container.ts';
import { compareDotted, isImageInventory } from './_scan.ts';

// Libraries of an image of which the loader takes the wrong copy.

export interface Shadowed {
  readonly fact: Fact<'image.load'>;
  /** The copy that came with the asking package. */
  readonly own: { readonly path: string; readonly version: string | null };
  readonly order: number | null;
}

/** Folder of a Python environment in a path: what stands before `site-packages`. */
function packagesOf(path: string): string | null {
  const at = /\/(?:site|dist)-packages\//.exec(path);
  return at === null ? null : path.slice(0, at.index + at[0].length);
}

/** Loads in which a package's library gets a copy from outside its environment although one came with it. */
export function shadowedIn(context: RuleContext, soname: RegExp): readonly Shadowed[] {
  return context.all('image.load').flatMap((fact): readonly Shadowed[] => {
    const { asker, path, version, others } = fact.value;
    const home = packagesOf(asker);
    if (!soname.test(fact.value.soname) || home === null || path === null || path.startsWith(home)) return [];
    const own = others.find((each) => each.path.startsWith(home));
    return own === undefined ? [] : [{ fact, own, order: compareDotted(version, own.version) }];
  });
}

/**
 * Says whether an older copy comes before the one that a package brings; null where the input is no inventory.
 * @param name of the library in words: `libnvJitLink`
 */
export function olderShadowInImage(context: RuleContext, soname: RegExp, name: string): Outcome | null {
  if (!isImageInventory(context)) return null;
  const shadowed = shadowedIn(context, soname);
  const older = shadowed.find((each) => each.order !== null && each.order < 0);
  if (older !== undefined) {
    const { fact, own } = older;
    const { by, path, version, asker } = fact.value;
    return {
      kind: 'fault',
      certainty: byPrint(fact),
      message: `${asker} gets ${name} ${version ?? ''} from ${path ?? ''} by ${by ?? 'the loader'}, not the ${own.version ?? ''} that came with it`,
      seen: seen(fact),
      remedies: [
        { actor: 'image-owner', do: 'take the folder of the other copy out of LD_LIBRARY_PATH and ld.so.conf.d' },
        { actor: 'image-owner', do: 'or install the same release in both places' },
      ],
      weight: 3,
    };
  }
  const taken = context.all('image.load').find((fact) => {
    const home = packagesOf(fact.value.asker);
    return soname.test(fact.value.soname) && home !== null && fact.value.path?.startsWith(home) === true;
  });
  return taken === undefined
    ? { kind: 'silent' }
    : { kind: 'cleared', because: `the package gets its own ${name}, ${taken.value.path ?? ''}`, seen: seen(taken) };
}
