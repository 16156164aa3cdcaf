import type { Command } from './command.ts';

export const knowledge: Command = {
  name: 'knowledge',
  summary: 'show or export the tables that every verdict rests on',
  arguments: '',
  details: [
    'Lists the tables with the number of their rows, the day they stand for and their digest. With --export, writes each table as a JSON file; --knowledge DIR reads such a folder again, so that a site without network can update its tables.',
  ],
  flags: [{ name: 'export', value: 'DIR', summary: 'write the tables as JSON files to this folder' }],
  formats: ['text', 'json'],
  examples: [{ command: 'culprit knowledge --export tables', does: 'write the tables' }],
  exits: [{ status: 0, when: 'done' }],
  load: async () => (await import('./knowledge.ts')).run,
};
