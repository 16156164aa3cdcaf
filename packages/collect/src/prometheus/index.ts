// Counters of GPUs from any server that speaks the HTTP interface of Prometheus.
export type { ServerOptions } from './client.ts';
export { basicOf, PrometheusClient } from './client.ts';
export { PrometheusError } from './errors.ts';
export type { NamedPeriod, Period } from './period.ts';
export { periodOf, periodsOf, stepOf } from './period.ts';
export type { PrometheusRead } from './read.ts';
export { readPrometheus } from './read.ts';
