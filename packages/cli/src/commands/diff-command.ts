import type { Command } from './command.ts';

export const diff: Command = {
  name: 'diff',
  summary: 'find the smallest set of facts that separates two logs, or failing machines from passing ones',
  arguments: 'A… [--against B…]',
  details: [
    'Two files are compared with each other. With --against, the names before it are one group and those after it the other: failing and passing nodes, ranks or jobs, before and after. More than two names without --against are divided by what diagnose says of each.',
    'A name is a log, a saved snapshot, the output of any usual command, or a folder. A folder of logs is a group with one subject for each file; a sub-folder is one subject with all its files, and so is a folder whose files are named after what they are from (dmesg.txt, nvidia-smi.txt). --each says it where the names do not tell. --by takes one log of many ranks or hosts apart.',
    'What could not be read counts as unknown, never as different. Names of machines, process numbers, identifiers, addresses and times do not count. A fact that separates is not thereby the cause: the report says whether a rule rests on it, and how likely such a division is by chance.',
    'Results of nccl-tests are compared with each other and with what the platform should reach (table nccl-bandwidth, replaceable with --knowledge). A single log of nccl-tests is only held against that table.',
  ],
  flags: [
    { name: 'against', value: 'B…', summary: 'the other group: every name after this flag', rest: true },
    {
      name: 'each',
      value: 'WHAT',
      summary: 'what one subject is in a folder of files: each file, or the folder as a whole',
      choices: ['file', 'folder'],
    },
    { name: 'by', value: 'WHAT', summary: 'take logs apart by the prefixes of their lines', choices: ['rank', 'host'] },
    {
      name: 'platform',
      value: 'NAME',
      summary: 'what nccl-tests ran on: hgx-h100, p5.48xlarge, gb200-nvl72, or adapters of a node: 8xNDR, 4x200',
    },
  ],
  formats: ['text', 'json', 'markdown', 'csv'],
  examples: [
    { command: 'culprit diff good.log bad.log', does: 'two runs' },
    { command: 'culprit diff failing/*.log --against passing/*.log', does: 'failing nodes against passing ones' },
    { command: 'culprit diff after/ --against before/', does: 'folders: a subject for each file or sub-folder' },
    { command: 'culprit diff job.log --by rank', does: 'the ranks of one job' },
    { command: 'culprit diff all_reduce.txt --platform 8xNDR', does: 'a benchmark against what it should reach' },
  ],
  exits: [
    { status: 0, when: 'no difference that separates' },
    { status: 1, when: 'something separates them, or a benchmark is too slow or wrong' },
    { status: 3, when: 'cannot tell: too little was read in both groups' },
  ],
  load: async () => (await import('./diff.ts')).run,
};
