import type { Run } from './command.ts';
export const run: Run = async () => 0;
