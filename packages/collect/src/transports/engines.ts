// Containers of an engine on this machine: docker, podman, nerdctl and crictl take the same `exec -i`.
import { readFileSync } from 'node:fs';
import type { Ran } from './run.ts';
import type { Probed, Transport } from './transport.ts';
import { failureOf, hasNoShell } from './failures.ts';
import { failed, probedOf } from './frame.ts';
import { probeHere } from './local.ts';
import { containerName } from './names.ts';
import { run } from './run.ts';

export const engineNames = ['docker', 'podman', 'nerdctl', 'crictl'] as const;
export type EngineName = (typeof engineNames)[number];

/** What an engine says of a container. */
interface Inspected {
  readonly engine: EngineName;
  /** Null where the engine does not say. */
  readonly pid: number | null;
  readonly id: string | null;
  readonly state: string | null;
}

const inspectLimitMs = 10_000;
const template = '{{.Id}} {{.State.Pid}} {{.State.Status}}';

/**
 * A container: the probe on the standard input of a shell in it. Where it has no shell and its process is seen from
 * here, that process is examined from outside.
 * @param engine the engine to ask; null for the first that knows the container
 */
export function container(id: string, engine: EngineName | null = null): Transport {
  const name = containerName(id);
  return {
    subject: `container ${name}`,
    async probe(script, args, limitMs) {
      const began = performance.now();
      const left = (): number => Math.max(1000, limitMs - (performance.now() - began));
      const found = await find(name, engine, Math.min(inspectLimitMs, limitMs));
      if (typeof found === 'string') return failed(found, Math.round(performance.now() - began));
      if (found.state !== null && !/^(?:running|CONTAINER_RUNNING)$/i.test(found.state))
        return failed(`the container does not run: its state is ${found.state}`, Math.round(performance.now() - began));
      const ran = await run({
        argv: [found.engine, 'exec', '-i', name, 'sh', '-s', '--', ...args],
        input: script,
        limitMs: left(),
      });
      if (hasNoShell(ran)) return fromOutside(found, ran, script, args, left());
      return probedOf(ran, (each) => failureOf('engine', found.engine, each, limitMs));
    },
  };
}

/** @returns the engine that knows the container, else why none does */
async function find(name: string, engine: EngineName | null, limitMs: number): Promise<Inspected | string> {
  const reasons: string[] = [];
  let installed = 0;
  for (const each of engine === null ? engineNames : [engine]) {
    const ran = await run({ argv: inspectArguments(each, name), limitMs, most: 4 * 1024 * 1024 });
    if (ran.ended === 'missing') continue;
    installed++;
    if (ran.exit === 0) return readInspect(each, ran.stdout);
    reasons.push(`${each}: ${failureOf('engine', each, ran, limitMs)}`);
  }
  if (installed > 0) return reasons.join('; ');
  return engine === null
    ? `no container engine is installed here, or none is in PATH (looked for ${engineNames.join(', ')})`
    : `${engine} is not installed here, or not in PATH`;
}

function inspectArguments(engine: EngineName, name: string): readonly [string, ...string[]] {
  return engine === 'crictl'
    ? [engine, 'inspect', '--output', 'json', name]
    : [engine, 'inspect', '--type', 'container', '--format', template, name];
}

function readInspect(engine: EngineName, text: string): Inspected {
  if (engine === 'crictl') {
    const field = (pattern: RegExp): string | null => pattern.exec(text)?.[1] ?? null;
    const pid = field(/"pid": {0,4}(\d{1,10})/);
    return {
      engine,
      pid: pid === null ? null : Number(pid),
      id: field(/"id": {0,4}"([0-9a-f]{12,64})"/),
      state: field(/"state": {0,4}"(\w{1,40})"/),
    };
  }
  const [id, pid, state] = text.trim().split(/\s+/);
  return { engine, pid: /^[1-9]\d*$/.test(pid ?? '') ? Number(pid) : null, id: id ?? null, state: state ?? null };
}

async function fromOutside(
  found: Inspected,
  ran: Ran,
  script: string,
  args: readonly string[],
  limitMs: number,
): Promise<Probed> {
  const { pid, id } = found;
  if (pid === null || id === null || !isItsProcess(pid, id))
    return {
      ...failed(
        'it has no shell, and its process is not seen from here; run the check on the machine that runs it',
        ran.ms,
      ),
      stderr: ran.stderr,
      exit: ran.exit,
    };
  const probed = await probeHere(script, ['--pid', String(pid), ...args], limitMs);
  return {
    ...probed,
    stderr: [ran.stderr.trim(), ran.stdout.slice(0, 4096).trim(), probed.stderr]
      .filter((text) => text !== '')
      .join('\n'),
  };
}

/**
 * True where the process of that number on this machine is the container's: an engine may run on another machine, or in
 * another name space of processes, and its number then means another process here.
 */
function isItsProcess(pid: number, id: string): boolean {
  const short = id.slice(0, 12);
  return ['cgroup', 'mountinfo'].some((file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(short);
    } catch {
      return false;
    }
  });
}
