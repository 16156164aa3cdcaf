import type { Flag } from './command.ts';

/** Flags of what `util` asks itself instead of reading files. */
export const serverFlags: readonly Flag[] = [
  {
    name: 'prometheus',
    value: 'URL',
    summary: 'ask this server (Prometheus, VictoriaMetrics, Thanos, Mimir …) for the counters of dcgm-exporter',
  },
  { name: 'node', value: 'NODE', multiple: true, summary: 'only this node; gpu[01-16] names several' },
  { name: 'pod', value: 'NS/POD', multiple: true, summary: 'only the GPUs of this pod' },
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
