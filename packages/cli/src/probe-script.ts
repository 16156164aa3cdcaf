import { readFileSync } from 'node:fs';

/** The probe (`probe/probe.sh`), to be given to `sh -s`. The bundle has its text embedded. */
export const probeScript: string = readFileSync(new URL('../../../probe/probe.sh', import.meta.url), 'utf8');
