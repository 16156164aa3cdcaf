import type { Command } from './command.ts';

export const trace: Command = {
  name: 'trace',
  summary: 'say what limits the kernels of a profile, and whose it is',
  arguments: 'FILE…|-',
  details: [
    'Reads profiles of Nsight Compute as CSV (ncu --csv), raw and details pages, a row for each metric or for each kernel, with the decimal and thousands signs of any locale. Which kind a file is, is told from its content.',
    'The verdict names the kernel that costs the most time and what is wrong with it: divergence, few warps, scattered memory access, bank conflicts, a grid that does not fill the GPU. What is at the limit of the hardware is healthy. Its numbers are facts named trace.….',
  ],
  flags: [
    { name: 'top', value: 'N', summary: 'kernels to list, those with the most time first; 5 without it' },
    { name: 'output', short: 'o', value: 'FILE', summary: 'write the report into a file, redacted' },
    { name: 'no-redact', summary: 'leave names in a file of --output as they are' },
  ],
  formats: ['text', 'json', 'markdown', 'junit', 'sarif', 'github', 'html'],
  examples: [
    { command: 'ncu --set full --csv --page raw ./app | culprit trace -', does: 'profile and explain at once' },
    { command: 'culprit trace profile.csv', does: 'a saved profile' },
    {
      command: 'ncu --import report.ncu-rep --csv --page raw | culprit trace -',
      does: 'a report in the own format of the tool',
    },
  ],
  exits: [
    { status: 0, when: 'the kernels are at a limit of the hardware' },
    { status: 1, when: 'something makes them slow' },
    { status: 3, when: 'the profile does not tell' },
  ],
  load: async () => (await import('./trace.ts')).run,
};
