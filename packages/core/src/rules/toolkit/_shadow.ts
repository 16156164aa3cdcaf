import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { isBundled, libraryPathFact, placesOf } from '../framework/_stack.ts';

/** A copy of a library that comes before the one that a package brings. */
export interface Shadow {
  readonly what: string;
  readonly fact: Fact;
  /** A loader tool resolved it, rather than that a path only could bring it. */
  readonly resolved: boolean;
}

/** What puts a foreign copy of the library in front: what the loader resolved outside the packages, else a search path. */
export function shadowOf(context: RuleContext, soname: RegExp): Shadow | null {
  const places = placesOf(context, soname);
  const resolved = places.find((each) => each.resolved && !isBundled(each.path));
  if (resolved !== undefined) return { what: resolved.path, fact: resolved.fact, resolved: true };
  const variable = libraryPathFact(context);
  if (variable !== undefined)
    return { what: `${variable.value.name}=${short(variable.value.value)}`, fact: variable, resolved: false };
  const cached = places.find((each) => !each.resolved && !isBundled(each.path));
  return cached === undefined ? null : { what: cached.path, fact: cached.fact, resolved: false };
}

/** The copy inside a package, where the loader took that one. */
export function bundledOf(context: RuleContext, soname: RegExp): { readonly path: string; readonly fact: Fact } | null {
  return placesOf(context, soname).find((each) => each.resolved && isBundled(each.path)) ?? null;
}

function short(text: string): string {
  return text.length > 100 ? `${text.slice(0, 97)}…` : text;
}
