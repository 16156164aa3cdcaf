export type { Input, Unreadable } from './input.ts';
export { readInput } from './input.ts';
