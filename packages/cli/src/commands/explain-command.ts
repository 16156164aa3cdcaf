import { launchFlags } from '../launch-flags.ts';
import type { Command } from './command.ts';

export const explain: Command = {
  name: 'explain',
  summary: 'explain a rule, a cause, an error code, an Xid or a concept',
  arguments: 'ID|TOPIC…',
  details: [
    'Takes the id of a rule or a cause, a status by name or number (cudaErrorNoDevice, 804, nccl 3), an Xid or SXid (xid 79), the id of a recognised message, or a concept (forward compatibility).',
    'A number alone that several libraries use lists all of them. Without a topic the concepts are listed.',
    'Thread, warp, block, grid, waves, SM, occupancy, registers, shared memory and divergence are computed for your own launch where flags describe it.',
  ],
  flags: [
    ...launchFlags,
    {
      name: 'active-threads',
      value: 'N',
      summary: 'active threads per warp as a profile counts them, for divergence',
    },
  ],
  formats: ['text', 'markdown', 'json'],
  examples: [
    { command: 'culprit explain 804', does: 'what CUDA error 804 means and who acts' },
    { command: 'culprit explain xid 79', does: 'what an Xid means' },
    { command: 'culprit explain minor-version compatibility', does: 'a concept' },
    { command: 'culprit explain waves --gpu H100 --block 256 --grid 133', does: 'a concept, on your own numbers' },
  ],
  exits: [{ status: 0, when: 'the topic is known' }],
  load: async () => (await import('./explain.ts')).run,
};
