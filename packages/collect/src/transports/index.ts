// The ways to what is examined: one interface, no agent on the other side.
import type { EngineName } from './engines.ts';
import type { ClusterFlags } from './kubectl.ts';
import type { Transport } from './transport.ts';
import { clusterJob, jobOf, sinceOf } from './cluster-job.ts';
import { container, engineNames } from './engines.ts';
import { clusterOf, podOf } from './kubectl.ts';
import { local, processTransport } from './local.ts';
import { expandAll, mostTargets } from './names.ts';
import { nodeTransport } from './node.ts';
import { throughPod } from './node-pods.ts';
import { podTransport } from './pod.ts';
import { isSlurmJob, slurmJob } from './slurm-job.ts';
import { slurmNode } from './slurm.ts';
import { sshHost } from './ssh.ts';
import { TargetError } from './transport.ts';

export type { Probed, Transport } from './transport.ts';
export { probeAll, usualParallel } from './probe-all.ts';
export { clusterNodes } from './cluster-nodes.ts';
export { expandAll } from './names.ts';
export { endingEarly } from './run.ts';
export { TargetError } from './transport.ts';

/** What the command line names. Every list may hold several; lists of hosts and nodes take ranges and `@FILE`. */
export interface TargetFlags extends ClusterFlags {
  readonly pid?: readonly string[] | undefined;
  /** Names or ids of containers; `podman:ID` names the engine. */
  readonly docker?: readonly string[] | undefined;
  /** The engine of all of them; without one, the first that knows the container. */
  readonly engine?: string | undefined;
  readonly pod?: readonly string[] | undefined;
  readonly node?: readonly string[] | undefined;
  /** Start a pod on a node (`kubectl debug`) and remove it again. */
  readonly debug?: boolean | undefined;
  readonly debugImage?: string | undefined;
  /** Enter a pod of a node that has all its GPUs (exporter, driver, device plugin) instead of asking the API server. */
  readonly throughPods?: boolean | undefined;
  readonly ssh?: readonly string[] | undefined;
  readonly slurm?: readonly string[] | undefined;
  /** Numbers of Slurm jobs; `NS/NAME` and `KIND/NS/NAME` of Kubernetes. */
  readonly job?: readonly string[] | undefined;
  /** How far back logs of jobs of Kubernetes are read: `24h`. */
  readonly since?: string | undefined;
}

/**
 * The transports to what the flags name, in their order; to this machine where they name nothing. Only jobs are asked for
 * here; everything else is first touched by `probe`. What cannot be reached is a transport that says so.
 * @throws TargetError where a name is none
 */
export async function transportsOf(flags: TargetFlags): Promise<readonly Transport[]> {
  const cluster = clusterOf(flags);
  const engine = flags.engine === undefined ? null : engineOf(flags.engine);
  const debug = { debug: flags.debug === true, image: flags.debugImage ?? null };
  const since = flags.since === undefined ? null : sinceOf(flags.since);
  const jobs = (flags.job ?? []).map((text) => (isSlurmJob(text) ? text : jobOf(text, cluster)));
  const transports: Transport[] = [
    ...(flags.pid ?? []).map(processTransport),
    ...(flags.docker ?? []).map((text) => containerOf(text, engine)),
    ...(flags.pod ?? []).map((text) => podTransport(cluster, podOf(text, cluster))),
    ...expandAll(flags.node ?? []).map((name) =>
      flags.throughPods === true ? throughPod(cluster, name) : nodeTransport(cluster, name, debug),
    ),
    ...expandAll(flags.ssh ?? []).map(sshHost),
    ...expandAll(flags.slurm ?? []).map((name) => slurmNode(name)),
  ];
  for (const job of jobs)
    transports.push(...(typeof job === 'string' ? await slurmJob(job) : await clusterJob(cluster, job, since)));
  if (transports.length > mostTargets) throw new TargetError(`more than ${mostTargets} targets`);
  return transports.length === 0 && !namesAny(flags) ? [local()] : transports;
}

function namesAny(flags: TargetFlags): boolean {
  const lists = [flags.pid, flags.docker, flags.pod, flags.node, flags.ssh, flags.slurm, flags.job];
  return lists.some((list) => list !== undefined && list.length > 0);
}

function engineOf(text: string): EngineName {
  const found = engineNames.find((name) => name === text);
  if (found === undefined)
    throw new TargetError(
      `no container engine: ${JSON.stringify(text.slice(0, 40))}`,
      `known: ${engineNames.join(', ')}`,
    );
  return found;
}

function containerOf(text: string, engine: EngineName | null): Transport {
  const colon = text.indexOf(':');
  return colon < 0 ? container(text, engine) : container(text.slice(colon + 1), engineOf(text.slice(0, colon)));
}
