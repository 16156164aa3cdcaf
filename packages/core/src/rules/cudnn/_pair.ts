import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { compareCudnn, formatCudnn, parseCudnn } from '../../versions/cudnn.ts';
import type { CudnnVersion } from '../../versions/cudnn.ts';
import { captured, isBundled, libraryPathFact, own, packagesNamed, placesOf, saidOf } from '../framework/_stack.ts';

/** What a program was built with and what it was given. */
export interface CudnnPair {
  readonly built: CudnnVersion | null;
  readonly have: CudnnVersion | null;
  /** Null: one of them is not known, or they are equal as far as they are printed. */
  readonly order: 'older' | 'newer' | 'equal' | null;
  readonly fact: Fact;
  /** Other facts that the two versions come from. */
  readonly rest: readonly Fact[];
  /** Version pair was stated by the program in one message. */
  readonly stated: boolean;
}

export const pairMessages = [
  'cudnn-pair',
  'cudnn-version-incompatible-pt',
  'cudnn-version-tf',
  'jax-cuda-lib-outdated',
  'trt-cublas-warning',
] as const;

/** The pair that a message states, else the one that facts show beside a failing cuDNN. */
export function cudnnPair(context: RuleContext): CudnnPair | null {
  for (const fact of saidOf(context, 'cudnn-pair', 'cudnn-version-incompatible-pt', 'cudnn-version-tf')) {
    const built = read(fact.value.captures['built'] ?? fact.value.captures['c']);
    const have = read(fact.value.captures['have'] ?? fact.value.captures['r']);
    if (built !== null && have !== null) return pair(built, have, fact, [], true);
  }
  for (const fact of saidOf(context, 'jax-cuda-lib-outdated')) {
    if (fact.value.captures['lib'] !== 'cuDNN') continue;
    const built = read(fact.value.captures['min']);
    const have = read(fact.value.captures['have']);
    if (built !== null && have !== null) return pair(built, have, fact, [], true);
  }
  const outdated = saidOf(context, 'jax-version-check').find((fact) => fact.value.captures['lib'] === 'cuDNN');
  if (outdated !== undefined)
    return { built: null, have: null, order: 'older', fact: outdated, rest: [], stated: false };
  const failing = saidOf(context, 'cudnn-sublibraries-differ', 'cudnn-status').find((fact) =>
    /MISMATCH|NOT_INITIALIZED|symbol/i.test(fact.value.captures['status'] ?? fact.seen[0]?.text ?? ''),
  );
  if (failing === undefined) return null;
  const built = own(context, 'cudnn.built-for')[0];
  const have = own(context, 'cudnn.loaded')[0] ?? packagesNamed(context, /^nvidia-cudnn-cu\d\d$/)[0];
  if (built === undefined || have === undefined) return null;
  const a = read(built.value);
  const b = read(have.id === 'package' ? (have.value as { version: string }).version : have.value);
  return a === null || b === null ? null : pair(a, b, failing, [built, have], false);
}

function pair(built: CudnnVersion, have: CudnnVersion, fact: Fact, rest: readonly Fact[], stated: boolean): CudnnPair {
  // A part that one of them does not print decides nothing.
  const patch = have.patch !== null && built.patch !== null;
  const order = compareCudnn(cut(have, patch), cut(built, patch));
  return { built, have, order: order < 0 ? 'older' : order > 0 ? 'newer' : 'equal', fact, rest, stated };
}

/** Build numbers after the patch do not count. */
function cut(version: CudnnVersion, patch: boolean): CudnnVersion {
  return { ...version, patch: patch ? version.patch : null, build: null };
}

function read(text: string | undefined): CudnnVersion | null {
  if (text === undefined) return null;
  const trimmed = text.trim();
  return parseCudnn(trimmed.includes(',') ? `(${trimmed})` : trimmed);
}

export function cudnnText(version: CudnnVersion | null): string {
  return version === null ? 'the release it needs' : formatCudnn(version);
}

/** What puts a cuDNN of the system in front of the one that the framework brings. */
export function systemCudnn(context: RuleContext): { readonly what: string; readonly fact: Fact } | null {
  const soname = /^libcudnn\w{0,40}\.so/;
  const places = placesOf(context, soname);
  const resolved = places.find((each) => each.resolved && !isBundled(each.path));
  if (resolved !== undefined) return { what: resolved.path, fact: resolved.fact };
  for (const fact of own(context, 'cudnn.file')) {
    if (fact.value.path !== null && !isBundled(fact.value.path)) return { what: fact.value.path, fact };
  }
  const variable = libraryPathFact(context);
  if (variable !== undefined)
    return { what: `${variable.value.name}=${variable.value.value.slice(0, 90)}`, fact: variable };
  const listed = places.find((each) => !isBundled(each.path));
  return listed === undefined ? null : { what: listed.path, fact: listed.fact };
}

/** The cuDNN package that pip or conda shows beside the program. */
export function cudnnPackage(context: RuleContext): { readonly version: CudnnVersion; readonly fact: Fact } | null {
  const pin = saidOf(context, 'incompatible-pin').find((fact) => /cudnn/.test(fact.value.captures['name'] ?? ''));
  const pinned = pin === undefined ? null : read(captured([pin], 'have')?.value);
  if (pin !== undefined && pinned !== null) return { version: pinned, fact: pin };
  for (const fact of packagesNamed(context, /^nvidia-cudnn(?:-cu\d\d)?$|^cudnn$/)) {
    const version = read(/^[\d.]{1,20}\d/.exec(fact.value.version)?.[0]);
    if (version !== null) return { version, fact };
  }
  return null;
}

/** Same release up to the patch. */
export function sameCudnn(a: CudnnVersion, b: CudnnVersion): boolean {
  return a.major === b.major && a.minor === b.minor && (a.patch === b.patch || a.patch === null || b.patch === null);
}
