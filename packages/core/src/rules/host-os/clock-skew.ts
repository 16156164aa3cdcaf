import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, said, seen } from '../container-runtime/_container.ts';

export const clockSkew: Rule = defineRule({
  id: 'host-os/clock-skew',
  summary: 'The clocks of two machines differ too much',
  needs: [],
  anyOf: ['said.clock-skew'],
  citations: ['munge-codes'],
  explains: ['said.slurm-*', 'orchestrator/*'],
  check(_facts, context) {
    const all = said(context, 'clock-skew');
    const lead = all[0];
    if (lead === undefined) return { kind: 'silent' };
    const seconds = capture(all, 'seconds');
    const why = capture(all, 'why', 'why2');
    if (seconds !== undefined && Math.abs(Number(seconds)) < 1 && why === undefined) {
      return { kind: 'cleared', because: `the clock is off by ${seconds} s only`, seen: seen(lead) };
    }
    // What make says of files of the future is no fault by itself.
    const build = /Clock skew detected/i.test(lead.seen[0]?.text ?? '');
    return {
      kind: 'fault',
      certainty: why === undefined && seconds === undefined ? (build ? 'possible' : 'likely') : byPrint(lead),
      message:
        seconds !== undefined
          ? `the clock of this machine is off by ${seconds} s`
          : why !== undefined
            ? `a credential was refused as ${why.toLowerCase()}: the clocks of two machines differ`
            : 'the clocks of two machines differ too much',
      seen: seen(...all.slice(0, 2)),
      remedies: [
        {
          actor: 'node-admin',
          do: 'set the clock and keep it in step',
          command: 'systemctl enable --now chronyd && chronyc makestep; chronyc tracking',
        },
        { actor: 'node-admin', do: 'restart munge and the node service', command: 'systemctl restart munge slurmd' },
      ],
      ...(why === undefined && seconds === undefined
        ? { missing: [missing('how far the clocks are apart', 'chronyc tracking; date on both machines')] }
        : {}),
      weight: 2,
    };
  },
});
