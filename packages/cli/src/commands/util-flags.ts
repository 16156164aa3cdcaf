import type { Flag } from './command.ts';

/** Flags of what `util` asks or samples itself instead of reading files. */
export const liveFlags: readonly Flag[] = [
  { name: 'for', value: 'TIME', summary: 'sample the GPUs now for so long: 30s, 5m' },
  { name: 'every', value: 'TIME', summary: 'time between two samples (1s)' },
  { name: 'docker', value: 'ID', multiple: true, summary: 'sample in this container' },
  { name: 'engine', value: 'NAME', summary: 'the engine of --docker' },
  { name: 'ssh', value: 'HOST', multiple: true, summary: 'sample on this host; gpu[01-16] names several' },
  { name: 'slurm', value: 'NODE', multiple: true, summary: 'sample on this node by srun, or ssh where it is drained' },
  { name: 'job', value: 'ID', multiple: true, summary: 'sample on the nodes of this job of Slurm' },
  { name: 'pid', value: 'N', multiple: true, summary: 'sample the machine of this process' },
  { name: 'context', value: 'NAME', summary: 'context of kubectl' },
  { name: 'kubeconfig', value: 'FILE', summary: 'configuration of kubectl' },
  { name: 'namespace', short: 'n', value: 'NS', summary: 'namespace of pods that name none' },
  { name: 'save', value: 'FILE', summary: 'keep what was sampled; a folder where there are several targets' },
  {
    name: 'prometheus',
    value: 'URL',
    summary: 'ask this server (Prometheus, VictoriaMetrics, Thanos, Mimir …) for the counters of dcgm-exporter',
  },
  {
    name: 'node',
    value: 'NODE',
    multiple: true,
    summary: 'only this node, or with --for: sample there, in a pod that has its GPUs',
  },
  { name: 'pod', value: 'NS/POD', multiple: true, summary: 'only the GPUs of this pod, or with --for: sample in it' },
  { name: 'gpu', value: 'GPU', multiple: true, summary: 'only this GPU: its index or its UUID' },
  { name: 'selector', value: 'MATCHERS', summary: `further matchers of labels: 'cluster="a",job=~"dcgm.*"'` },
  { name: 'since', value: 'TIME', summary: 'how far back: 15m, 6h, 2d (1h)' },
  { name: 'from', value: 'TIME', summary: 'from when: 2026-03-03T14:00:00Z, now-2h, seconds since 1970' },
  { name: 'to', value: 'TIME', summary: 'until when (now)' },
  { name: 'step', value: 'TIME', summary: 'seconds between two points (the interval of the scrapes)' },
  { name: 'token-file', value: 'FILE', summary: 'file with a bearer token; else CULPRIT_PROMETHEUS_TOKEN' },
  { name: 'user', value: 'NAME', summary: 'name for basic authentication' },
  { name: 'password-file', value: 'FILE', summary: 'its password; else CULPRIT_PROMETHEUS_PASSWORD' },
  { name: 'tenant', value: 'NAME', summary: 'tenant of Mimir or Thanos' },
  { name: 'tls-ca', value: 'FILE', summary: 'trust the authorities in this file too' },
  { name: 'tls-cert', value: 'FILE', summary: 'certificate to show to the server' },
  { name: 'tls-key', value: 'FILE', summary: 'its key, where it is not in the same file' },
  { name: 'tls-insecure', summary: 'trust any certificate' },
  { name: 'timeout', value: 'SECONDS', summary: 'most time for one answer (30)' },
];

/** Flags of what `util` draws and writes besides the report. */
export const pictureFlags: readonly Flag[] = [
  { name: 'html', value: 'FILE', summary: 'write the verdict with time lines of each GPU, one page for a browser' },
  { name: 'svg', value: 'FILE', summary: 'write the time lines as one SVG picture' },
  {
    name: 'series',
    value: 'FILE',
    summary: 'write the time lines and what is marked on them as JSON (culprit/series@1)',
  },
  { name: 'rules', summary: 'print recording and alerting rules for Prometheus, and end' },
  { name: 'dashboard', summary: 'print a dashboard for Grafana as JSON, and end' },
];

/** Flags of comparisons. */
export const compareFlags: readonly Flag[] = [
  { name: 'compare', summary: 'compare two files, two periods or nodes: what changed, since when, what stayed equal' },
  {
    name: 'before',
    value: 'FROM..TO',
    summary: 'with --compare: the first period (14:00..14:30, 2026-11-01T10:00..12:00)',
  },
  { name: 'after', value: 'FROM..TO', summary: 'with --compare: the second period' },
  { name: 'split', value: 'TIME', summary: 'with --compare: what came before this time against what came after' },
  { name: 'by', value: 'node', summary: 'with --compare: nodes against each other' },
];
