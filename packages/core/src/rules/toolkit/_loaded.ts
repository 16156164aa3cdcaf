import type { Fact } from '../../model/facts.ts';
import type { Outcome, RuleContext } from '../../model/rule.ts';
import { isBundled } from '../framework/_stack.ts';
import { own } from '../container-runtime/_container.ts';
import { compareDotted } from '../image/_scan.ts';

// Which copy of a library the loader gives to a framework, as it follows from files, search paths and tags.

/** A framework's load of a library whose own copy loses. */
interface Passed {
  readonly fact: Fact<'loader.loads'>;
  readonly taken: string;
  readonly version: string | null;
  readonly bundled: string;
  readonly brought: string | null;
  /** The package that tells the release of the bundled copy, where its file name does not. */
  readonly by: Fact | undefined;
}

/** Release at the end of a file's name. */
function versionIn(path: string): string | null {
  return /\.so\.(\d{1,3}\.\d[\d.]{0,20})$/.exec(path)?.[1] ?? null;
}

/**
 * Says whether an older copy comes before the one that a framework brings; null where the loader was not looked at, or
 * where what it takes is not known to be older.
 * @param name of the library in words: `libcudnn`
 * @param wheel the package that brings it
 */
export function olderLoaded(context: RuleContext, soname: RegExp, name: string, wheel: RegExp): Outcome | null {
  const loads = own(context, 'loader.loads').filter(
    (fact) => fact.value.asker !== null && fact.value.path !== null && soname.test(fact.value.soname),
  );
  const passed = loads.flatMap((fact): readonly Passed[] => {
    const { path, losers, rival } = fact.value;
    const first = path!;
    // Where a tag was not read, either of two may win.
    const own_ = isBundled(first) ? first : losers.find(isBundled);
    const taken = isBundled(first) ? rival : first;
    if (own_ === undefined || taken === null || isBundled(taken)) return [];
    const ofFile = versionIn(own_);
    const by = ofFile === null ? own(context, 'package').find((each) => wheel.test(each.value.name)) : undefined;
    return [
      { fact, taken, version: versionIn(taken), bundled: own_, brought: ofFile ?? by?.value.version ?? null, by },
    ];
  });
  const older = passed.find((each) => (compareDotted(each.version, each.brought) ?? 0) < 0);
  if (older !== undefined) {
    const { asker, by, rival } = older.fact.value;
    const { taken, version, bundled, brought } = older;
    const minor = (text: string | null): string => (text ?? '').split('.').slice(0, 2).join('.');
    return {
      kind: 'fault',
      // Releases of one minor version usually go together.
      certainty: rival !== null || minor(version) === minor(brought) ? 'possible' : 'likely',
      message:
        rival === null
          ? `${asker ?? 'a program'} gets ${name} ${version ?? ''} from ${taken} by ${by ?? 'the loader'}; its own ${brought ?? ''} in ${bundled} loses`
          : `${asker ?? 'a program'} may get ${name} ${version ?? ''} from ${taken} instead of its own ${brought ?? ''} in ${bundled}`,
      seen: [...older.fact.seen, ...(older.by?.seen.slice(0, 1) ?? [])],
      remedies: [
        {
          actor: 'developer',
          do: `take the folder of the other copy out of ${by === 'LD_LIBRARY_PATH' ? 'LD_LIBRARY_PATH' : 'the search path'}`,
          command: by === 'LD_LIBRARY_PATH' ? 'unset LD_LIBRARY_PATH' : `ldconfig -p | grep ${name}`,
        },
        { actor: 'image-owner', do: 'or install the same release in both places' },
      ],
      ...(rival === null
        ? {}
        : { missing: [{ fact: 'library.tags', ask: `readelf -d LIBRARY | grep -E "RPATH|RUNPATH"` }] }),
      weight: 2,
    };
  }
  const own_ = loads.find((fact) => isBundled(fact.value.path!) && fact.value.rival === null);
  return own_ === undefined || passed.length > 0
    ? null
    : {
        kind: 'cleared',
        because: `${own_.value.asker ?? 'the program'} gets its own ${name}, ${own_.value.path ?? ''}${own_.value.losers.length === 0 ? '' : `; ${own_.value.losers[0]!} loses`}`,
        seen: own_.seen.slice(0, 2),
      };
}
