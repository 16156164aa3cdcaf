// A job of Kubernetes (Job, JobSet, RayJob, the jobs of the training operator): its pods with rank and node, what they
// print, and the probe in each.
import type { Section } from './frame.ts';
import type { Cluster } from './kubectl.ts';
import type { Transport } from './transport.ts';
import { failureOf } from './failures.ts';
import { failed, sectionOf } from './frame.ts';
import { ask, get, inNamespace, itemsOf, textAt } from './kubectl.ts';
import { kubernetesName, mostTargets } from './names.ts';
import { podTransport } from './pod.ts';
import { run } from './run.ts';
import { fixed } from './slurm-job.ts';
import { TargetError } from './transport.ts';

const questionMs = 10_000;
const logsMs = 30_000;

/** Kind of a job → the label that its pods carry. */
const kinds = {
  job: 'batch.kubernetes.io/job-name',
  jobset: 'jobset.sigs.k8s.io/jobset-name',
  rayjob: 'ray.io/cluster',
  trainjob: 'jobset.sigs.k8s.io/jobset-name',
  pytorchjob: 'training.kubeflow.org/job-name',
  mpijob: 'training.kubeflow.org/job-name',
} as const;
type Kind = keyof typeof kinds;

/** Labels and annotations that hold the place of a pod in its job, the narrowest last. */
const rankLabels = [
  'training.kubeflow.org/replica-index',
  'jobset.sigs.k8s.io/global-replicas-index',
  'jobset.sigs.k8s.io/job-global-index',
  'jobset.sigs.k8s.io/job-index',
  'batch.kubernetes.io/job-completion-index',
] as const;

export interface JobName {
  /** Null where it is looked for among all kinds. */
  readonly kind: Kind | null;
  readonly namespace: string | null;
  readonly name: string;
}

/**
 * Reads `NAME`, `NS/NAME`, `jobset/NAME`, `jobset/NS/NAME`.
 * @throws TargetError where it is none of them
 */
export function jobOf(text: string, cluster: Cluster): JobName {
  const parts = text.split('/');
  const kind = parts.length > 1 && Object.hasOwn(kinds, parts[0]!) ? (parts.shift() as Kind) : null;
  if (parts.length > 2 || parts.length === 0)
    throw new TargetError(
      `no job: ${JSON.stringify(text.slice(0, 80))}`,
      `a job is a number of Slurm, NAMESPACE/NAME or KIND/NAMESPACE/NAME (${Object.keys(kinds).join(', ')})`,
    );
  const name = kubernetesName(parts.at(-1)!, 'job');
  return { kind, namespace: parts.length === 2 ? kubernetesName(parts[0]!, 'namespace') : cluster.namespace, name };
}

/** The job itself first, then each of its pods. A job that cannot be asked for is one transport that says why. */
export async function clusterJob(cluster: Cluster, job: JobName, since: string | null): Promise<readonly Transport[]> {
  const where = job.namespace === null ? job.name : `${job.namespace}/${job.name}`;
  const subject = `job ${where}`;
  const found = await podsOfJob(cluster, job);
  if (typeof found === 'string') return [{ subject, probe: () => Promise.resolve(failed(found)) }];
  const { selector, section, pods } = found;
  const logs = await logsOf(cluster, job, selector, since);
  const own = fixed(subject, [section, tableOf(pods), ...logs.sections], null, logs.stderr);
  return [
    own,
    ...pods.map((pod) =>
      podTransport(cluster, { namespace: pod.namespace ?? job.namespace, pod: pod.name, container: null }),
    ),
  ];
}

interface JobPod {
  readonly name: string;
  readonly namespace: string | null;
  readonly node: string | null;
  readonly rank: string | null;
  readonly phase: string;
}

interface Found {
  readonly selector: string;
  readonly section: Section;
  readonly pods: readonly JobPod[];
}

async function podsOfJob(cluster: Cluster, job: JobName): Promise<Found | string> {
  const namespace = inNamespace(job.namespace);
  const selectors: string[] = [];
  for (const kind of job.kind === null ? (['job', 'jobset', 'pytorchjob'] as const) : [job.kind])
    if (kind !== 'rayjob') selectors.push(`${kinds[kind]}=${job.name}`);
  if (job.kind === 'job') selectors.push(`job-name=${job.name}`);
  let why: string | null = null;
  if (job.kind === null || job.kind === 'rayjob') {
    const ray = await ask(
      cluster,
      [...namespace, 'get', 'rayjobs.ray.io', job.name, '--output=jsonpath={.status.rayClusterName}'],
      questionMs,
    );
    if (ray.ended === 'missing') return failureOf('kubectl', 'kubectl', ray, questionMs);
    if (ray.exit === 0 && /^[a-z0-9][a-z0-9.-]{0,252}$/.test(ray.stdout))
      selectors.unshift(`${kinds.rayjob}=${ray.stdout}`);
    else if (job.kind === 'rayjob')
      return ray.exit === 0
        ? 'the RayJob has no cluster: it was not started yet, or its cluster is gone'
        : failureOf('kubectl', 'kubectl', ray, questionMs);
  }
  for (const selector of selectors) {
    const pods = await get(cluster, 'kubectl-job-pods', [...namespace, 'pods', `--selector=${selector}`], questionMs);
    why ??= pods.failure;
    const items = pods.value === null ? [] : itemsOf(pods.value);
    if (items.length > 0)
      return { selector, section: pods.section, pods: items.slice(0, mostTargets).flatMap(readPod) };
  }
  return (
    why ??
    `no pods of such a job${job.namespace === null ? '' : ` in the namespace ${job.namespace}`}: it was not started, or its pods are gone`
  );
}

function readPod(item: unknown): readonly JobPod[] {
  const name = textAt(item, 'metadata', 'name');
  if (name === null || !/^[a-z0-9][a-z0-9.-]{0,252}$/.test(name)) return [];
  const labels = rankLabels.map(
    (label) => textAt(item, 'metadata', 'labels', label) ?? textAt(item, 'metadata', 'annotations', label),
  );
  const ray = textAt(item, 'metadata', 'labels', 'ray.io/node-type');
  const places = labels.slice(0, 4).find((each) => each !== null) ?? null;
  const completion = labels[4] ?? null;
  const rank = places !== null && completion !== null ? `${places}.${completion}` : (completion ?? places ?? ray);
  return [
    {
      name,
      namespace: textAt(item, 'metadata', 'namespace'),
      node: textAt(item, 'spec', 'nodeName'),
      rank,
      phase: textAt(item, 'status', 'phase') ?? 'Unknown',
    },
  ];
}

function tableOf(pods: readonly JobPod[]): Section {
  const rows = [
    ['NAME', 'STATUS', 'RANK', 'NODE'],
    ...pods.map((pod) => [pod.name, pod.phase, pod.rank ?? '<none>', pod.node ?? '<none>']),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const text = rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]! + 3))
        .join('')
        .trimEnd(),
    )
    .join('\n');
  return { source: 'job-ranks', command: 'kubectl get pods -o wide', text: `${text}\n`, exit: 0, ms: 0 };
}

async function logsOf(
  cluster: Cluster,
  job: JobName,
  selector: string,
  since: string | null,
): Promise<{ readonly sections: readonly Section[]; readonly stderr: string }> {
  const sections: Section[] = [];
  let stderr = '';
  const args = [
    ...inNamespace(job.namespace),
    'logs',
    `--selector=${selector}`,
    '--all-containers',
    '--prefix',
    '--ignore-errors',
    '--tail=-1',
    `--since=${since ?? '24h'}`,
    '--max-log-requests=1000',
  ];
  const ran = await run({ argv: ['kubectl', ...cluster.options, ...args], limitMs: logsMs });
  sections.push(sectionOf('job-log', ['kubectl', ...args].join(' '), ran));
  if (ran.exit !== 0) stderr = failureOf('kubectl', 'kubectl', ran, logsMs);
  return { sections, stderr };
}

/** A time as kubectl takes it (`90m`, `24h`), else a TargetError. */
export function sinceOf(text: string): string {
  if (/^(?:\d{1,6}[smh]){1,3}$/.test(text)) return text;
  throw new TargetError(`no span of time: ${JSON.stringify(text.slice(0, 40))}`, 'such as 90m or 24h');
}
