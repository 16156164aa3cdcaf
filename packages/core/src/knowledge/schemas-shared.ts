import { z } from 'zod';
import { layers } from '../model/layer.ts';
import type { Layer, Owner } from '../model/layer.ts';
import type { Architecture } from './branches.types.ts';
import type { GpuClass } from './forward-compat.types.ts';
import type { VersionRange } from './row.types.ts';

// Pieces that the shapes of rows are made of. Texts and lists have an upper bound each: table files come from outside.

/** Shape of one row, by table name. */
export type RowSchemas = Readonly<Record<string, z.ZodType>>;

export const line: z.ZodString = z.string().min(1).max(400);
export const prose: z.ZodString = z.string().max(4000);
export const note: z.ZodNullable<z.ZodString> = prose.nullable();
export const version: z.ZodString = z.string().regex(/^\d[\w.+-]{0,80}$/, 'not a version');
export const dotted: z.ZodString = z.string().regex(/^\d{1,6}(\.\d{1,6}){0,4}$/, 'not a version of numbers and dots');
export const capability: z.ZodString = z.string().regex(/^\d{1,2}\.\d$/, 'not a compute capability');
export const day: z.ZodString = z.string().regex(/^\d{4}(-\d{2}){0,2}$/, 'not a date');
export const id: z.ZodString = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{0,79}$/, 'not an id: lower case, digits, dots and dashes');
export const whole: z.ZodInt = z.int();
export const count: z.ZodInt = z.int().min(0).max(1_000_000_000);
export const bool: z.ZodBoolean = z.boolean();
export const list = <T extends z.ZodType>(item: T): z.ZodArray<T> => z.array(item).max(2000);
export const cited: { readonly sources: z.ZodArray<z.ZodString>; readonly confirmed: z.ZodBoolean } = {
  sources: list(id).min(1),
  confirmed: bool,
};
export const range: z.ZodType<VersionRange> = z.strictObject({ from: version.nullable(), below: version.nullable() });
export const layer: z.ZodType<Layer> = z.enum(layers);
export const owner: z.ZodType<Owner> = z.enum(['operator', 'developer', 'vendor', 'none']);
export const arch: z.ZodType<Architecture> = z.enum([
  'Fermi',
  'Kepler',
  'Maxwell',
  'Pascal',
  'Volta',
  'Turing',
  'Ampere',
  'Ada',
  'Hopper',
  'Blackwell',
  'Rubin',
]);
export const gpuClass: z.ZodType<GpuClass> = z.enum([
  'data-center',
  'workstation',
  'geforce',
  'titan',
  'jetson',
  'integrated',
]);
export const ruleFields: typeof cited & { readonly id: z.ZodString; readonly what: z.ZodString } = {
  id,
  what: prose,
  ...cited,
};
