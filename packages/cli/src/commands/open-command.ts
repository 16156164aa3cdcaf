import type { Command } from './command.ts';

export const open: Command = {
  name: 'open',
  summary: 'serve the page on this machine, for this user, with a verdict on it',
  arguments: '[FILE…|-]',
  details: [
    'Serves the page on the loopback address alone, behind a token in its address: login nodes are shared, and others on this machine must not read what is on it. Nothing is sent anywhere: what is pasted or dropped is judged in the browser.',
    'With files it diagnoses them first, as culprit diagnose does, and the page opens with that verdict. It serves until Ctrl-C. From another machine: ssh -L PORT:127.0.0.1:PORT HOST, then open the same address there. --redact masks names in that verdict and in the text around it.',
  ],
  flags: [
    { name: 'port', value: 'N', summary: 'serve on this port; without it any free one' },
    { name: 'browser', summary: "open the address in this machine's browser" },
  ],
  formats: [],
  examples: [
    { command: 'culprit open', does: 'the page alone' },
    { command: 'culprit open job.log', does: 'with the verdict on a log' },
    { command: 'kubectl logs trainer-0 | culprit open --port 8123 -', does: 'from a pipe, on a port to forward' },
  ],
  exits: [{ status: 0, when: 'it was ended by Ctrl-C' }],
  load: async () => (await import('./open.ts')).run,
};
