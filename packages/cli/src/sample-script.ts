import { readFileSync } from 'node:fs';

/** The sampling (`probe/sample.sh`), to be given to `sh -s`. The bundle has its text embedded. */
export const sampleScript: string = readFileSync(new URL('../../../probe/sample.sh', import.meta.url), 'utf8');
