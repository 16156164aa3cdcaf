// A node of Slurm: a step on it by srun; ssh where Slurm starts none (drained, down, busy).
import type { Probed, Transport } from './transport.ts';
import type { Section } from './frame.ts';
import { failureOf } from './failures.ts';
import { failed, probedOf, sectionOf, withSections } from './frame.ts';
import { nodeName } from './names.ts';
import { run } from './run.ts';
import { sshHost } from './ssh.ts';

const questionMs = 10_000;

/**
 * A node of Slurm.
 * @param job a running job inside whose allocation the step is to run, null for an allocation of its own
 */
export function slurmNode(text: string, job: string | null = null): Transport {
  const node = nodeName(text);
  return {
    subject: `node ${node}`,
    async probe(script, args, limitMs) {
      const began = performance.now();
      const ms = (): number => Math.round(performance.now() - began);
      const left = (): number => Math.max(1000, limitMs - ms());
      const shown = await run({
        argv: ['scontrol', '--oneliner', 'show', 'node', node],
        limitMs: Math.min(questionMs, limitMs),
      });
      if (shown.exit !== 0) {
        const why = failureOf('slurm', 'scontrol', shown, limitMs);
        if (shown.ended === 'missing')
          return failed(`${why}: ask on a machine of the cluster, or use --ssh ${node}`, ms());
        return failed(why, ms(), shown.stderr);
      }
      const sections = [sectionOf('scontrol-node', `scontrol show node ${node}`, shown)];
      const state = stateOf(shown.stdout);
      const takesSteps =
        job !== null || !/DRAIN|DOWN|FAIL|NOT_RESPONDING|REBOOT|POWER|MAINT|RESERVED|PLANNED/.test(state);
      const first = takesSteps ? await step(node, job, script, args, left()) : null;
      if (first !== null && (first.text !== '' || first.failure === null)) return joined(first, sections, ms());
      const second = await sshHost(addressOf(shown.stdout) ?? node).probe(script, args, left());
      if (second.text !== '') return joined(second, sections, ms());
      const reasons = [
        first === null
          ? `Slurm starts nothing there: its state is ${state}`
          : `srun: ${first.failure ?? 'nothing came back'}`,
        `ssh: ${second.failure ?? 'nothing came back'}`,
      ];
      const stderr = [first?.stderr ?? '', second.stderr].filter((each) => each !== '').join('\n');
      return { ...joined(second, sections, ms()), stderr, failure: reasons.join('; ') };
    },
  };
}

function joined(probed: Probed, sections: readonly Section[], ms: number): Probed {
  return { ...probed, text: withSections(probed.text, sections), ms };
}

async function step(
  node: string,
  job: string | null,
  script: string,
  args: readonly string[],
  limitMs: number,
): Promise<Probed> {
  const minutes = Math.max(1, Math.ceil(limitMs / 60_000));
  const wait = Math.max(1, Math.min(10, Math.floor(limitMs / 2000)));
  const ran = await run({
    argv: [
      'srun',
      ...(job === null
        ? [`--immediate=${wait}`, `--time=${minutes}`, '--job-name=culprit-check']
        : [`--jobid=${job}`, `--time=${minutes}`]),
      '--overlap',
      `--nodelist=${node}`,
      '--nodes=1',
      '--ntasks=1',
      '--mpi=none',
      '--quiet',
      // What the node has is wanted, not what the shell of this machine has set.
      '--export=NONE',
      '--chdir=/',
      '/bin/sh',
      '-s',
      '--',
      ...args,
    ],
    input: script,
    limitMs,
    // srun needs a moment to take its step back.
    graceMs: 3000,
  });
  return probedOf(ran, (each) => failureOf('slurm', 'srun', each, limitMs));
}

/** `IDLE+DRAIN` */
function stateOf(text: string): string {
  return /(?:^|\s)State=(\S{1,200})/.exec(text)?.[1] ?? 'unknown';
}

/** The name under which the node is reached, where it is not its own. */
function addressOf(text: string): string | null {
  const name = /(?:^|\s)NodeHostName=(\S{1,253})/.exec(text)?.[1];
  const address = /(?:^|\s)NodeAddr=(\S{1,253})/.exec(text)?.[1];
  const found = address ?? name ?? null;
  return found !== null && /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,252}$/.test(found) ? found : null;
}
