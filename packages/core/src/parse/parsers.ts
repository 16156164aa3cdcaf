import type { Parser } from './parser.ts';

/** Every parser, in the order in which they run. */
export const parsers: readonly Parser[] = [];
