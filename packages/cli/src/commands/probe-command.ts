import type { Command } from './command.ts';

export const probe: Command = {
  name: 'probe',
  summary: 'print the probe script, or run it and print what it sees',
  arguments: '[--run]',
  details: [
    'The probe is one POSIX sh file that reads what a machine, a container or a process has of the GPU stack. It needs no root, no bash, no Python and no temporary file, writes nothing, and ends within its budget whatever hangs. Take it to where culprit is not: culprit probe | ssh node sh -s',
    'What it prints can be pasted into culprit check - or culprit diagnose, through any terminal.',
  ],
  flags: [
    { name: 'run', summary: 'run it here and print what it sees' },
    { name: 'pid', value: 'N', summary: 'with --run: look at this process, its container and its files' },
    { name: 'root', value: 'DIR', summary: 'with --run: look at another root file system; nothing in it is run' },
    { name: 'gate', summary: 'with --run: only what a gate needs; never nvidia-smi' },
    { name: 'budget', value: 'SECONDS', summary: 'with --run: most time for all of it (8)' },
  ],
  formats: [],
  examples: [
    { command: 'culprit probe > probe.sh', does: 'save the script' },
    { command: 'culprit probe --run | tee probe.txt', does: 'see what it sees' },
    { command: 'culprit probe | ssh node17 sh -s | culprit check -', does: 'look at a node where culprit is not' },
  ],
  exits: [{ status: 0, when: 'the script or what it sees was printed' }],
  load: async () => (await import('./probe.ts')).run,
};
