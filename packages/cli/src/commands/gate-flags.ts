import type { Command, Flag } from './command.ts';

/** What `check` takes with `--gate`. */
export const gateFlags: readonly Flag[] = [
  {
    name: 'gate',
    summary:
      'for prologs, health checks and init containers: one line, an exit status, nothing else; --format is then line, npd, prometheus or json',
  },
  {
    name: 'policy',
    value: 'FILE',
    summary: 'with --gate: which rules are off, told or enforced (culprit/gate-policy@1)',
  },
  {
    name: 'breaker',
    value: 'FILE',
    summary: 'with --gate: enforce only while this file allows it (culprit/gate-breaker@1)',
  },
  { name: 'state', value: 'FILE', summary: 'with --gate: keep what was seen, as first reading for the next run' },
  {
    name: 'output',
    short: 'o',
    value: 'FILE',
    summary: 'with --gate: write the report to this file, replaced as a whole',
  },
];

/** The command line of a gate, which is read apart: whatever is wrong with it must not fail. */
export const gateCommand: Command = {
  name: 'check --gate',
  summary: 'one line and an exit status for prologs and health checks',
  arguments: '',
  details: [],
  flags: [
    ...gateFlags,
    { name: 'budget', value: 'SECONDS', summary: 'most time for all of it (1)' },
    { name: 'root', value: 'DIR', summary: 'look at another root file system' },
  ],
  formats: ['line', 'npd', 'prometheus', 'json'],
  examples: [],
  exits: [],
  load: async () => (await import('./gate.ts')).runGate,
};

/** Variable that tells the process that does the work when it has to be done: milliseconds since 1970. */
export const deadlineVariable = 'CULPRIT_GATE_DEADLINE';

/** Seconds of `--budget`; null where it is none. */
export function budgetOf(text: string | undefined): number | null {
  if (text === undefined) return 1;
  return /^\d{1,3}(?:\.\d{1,3})?$/.test(text) && Number(text) >= 0.2 && Number(text) <= 600 ? Number(text) : null;
}
