import type { Command } from './command.ts';

export const diagnose: Command = {
  name: 'diagnose',
  summary: 'say which layer of the GPU stack a log, a stack trace or tool output blames',
  arguments: '[FILE|FOLDER…|-]',
  details: [
    'Takes any text: a job log, a stack trace, nvidia-smi in any form, dmesg, collect_env, pip list, kubectl describe, a saved snapshot, or several of them. Each part is recognised by itself.',
    'Several files, and all texts in a folder or a tar archive, are taken as one incident and give one verdict; the evidence names the file. Without a file, or with -, standard input is read.',
    'Files may be compressed with gzip or zstd, and where the program is installed with xz, bzip2 or lz4. In folders and archives program text and documentation are left out: they quote messages that nobody saw.',
  ],
  flags: [],
  formats: ['text', 'json', 'markdown', 'junit', 'sarif', 'github'],
  examples: [
    { command: 'culprit diagnose job.log', does: 'diagnose a log' },
    { command: 'kubectl logs trainer-0 | culprit diagnose -', does: 'diagnose what a pod said' },
    { command: 'culprit diagnose must-gather/', does: 'one verdict from all logs in a folder' },
    { command: 'culprit diagnose job.log dmesg.txt nvidia-smi.txt', does: 'one verdict from several files' },
  ],
  exits: [
    { status: 0, when: 'nothing is wrong' },
    { status: 1, when: 'a fault, a performance finding, or the program is at fault' },
    { status: 3, when: 'cannot tell' },
  ],
  load: async () => (await import('./diagnose.ts')).run,
};
