import type { Fact, FactId } from '../../model/facts.ts';
import type { Outcome, RuleContext } from '../../model/rule.ts';

// What rules ask of an image that was read layer by layer.

/** The record that an image was read, or any other record of one. */
export function scanOf(context: RuleContext): Fact<'image.scanned'> | undefined {
  return context.first('image.scanned');
}

const records = [
  'image.scanned',
  'image.variable',
  'image.libcuda',
  'image.host-thing',
  'image.search-folder',
  'image.entrypoint',
  'image.toolkit',
  'image.library',
  'image.load',
  'image.mixed-cudnn',
  'image.package',
  'image.pin',
  'image.machine',
] as const satisfies readonly FactId[];

/** True where the input is the inventory of an image: nothing runs, so messages and a host have no say. */
export function isImageInventory(context: RuleContext): boolean {
  return records.some((id) => context.first(id) !== undefined);
}

/** Something of the GPU stack is in the image. */
export function isForGpu(context: RuleContext): boolean {
  return scanOf(context)?.value.gpu === true || context.first('image.toolkit') !== undefined;
}

/** The answer of a rule that found nothing in an image of which a part was not read. */
export function unreadPart(context: RuleContext, fact: string): Outcome | null {
  return scanOf(context)?.value.complete === false
    ? { kind: 'unknown', missing: [{ fact, ask: 'culprit image REFERENCE   # all layers, without --quick' }] }
    : null;
}

/** A variable of the image's configuration; the last of a name counts. */
export function variableIn(context: RuleContext, name: string): Fact<'image.variable'> | undefined {
  return context.all('image.variable').findLast((fact) => fact.value.name === name);
}

/** The image carries NGC's start script, which tests the driver and switches forward compatibility on. */
export function checksDriverItself(context: RuleContext): Fact<'image.entrypoint'> | undefined {
  const entrypoint = context.first('image.entrypoint');
  return entrypoint !== undefined && (entrypoint.value.ngcScript || entrypoint.value.compat === 'nvidia-entrypoint')
    ? entrypoint
    : undefined;
}

/** The image of a driver: to hold one is what it is for. */
export function isDriverImage(context: RuleContext): Fact<'image.entrypoint'> | undefined {
  const entrypoint = context.first('image.entrypoint');
  return entrypoint !== undefined &&
    /^(?:\S{0,100}\/)?(?:nvidia-driver|vgpu-manager|nvidia-vgpu-manager)(?: |$)/.test(entrypoint.value.words)
    ? entrypoint
    : undefined;
}

/** Order of two dotted versions by their numbers; null where one has none. */
export function compareDotted(a: string | null, b: string | null): number | null {
  const numbers = (text: string | null): readonly number[] | null => {
    const head = text === null ? undefined : /^\d{1,9}(?:\.\d{1,9}){0,5}/.exec(text)?.[0];
    return head === undefined ? null : head.split('.').map(Number);
  };
  const [x, y] = [numbers(a), numbers(b)];
  if (x === null || y === null) return null;
  // A version that ends earlier says nothing of the rest: 9.1.0 and 9.1.0.70 are the same release.
  for (let at = 0; at < Math.min(x.length, y.length); at++) if (x[at] !== y[at]) return x[at]! < y[at]! ? -1 : 1;
  return 0;
}
