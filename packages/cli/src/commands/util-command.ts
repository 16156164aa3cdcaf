import type { Command } from './command.ts';
import { compareFlags, pictureFlags, liveFlags } from './util-flags.ts';

export const util: Command = {
  name: 'util',
  summary: 'say what GPUs really do, from series of their counters',
  arguments: 'FILE…|-',
  details: [
    'Reads nvidia-smi dmon and pmon (any -s set and order, dates, CSV, GPM columns), query loops (--query-gpu=… --format=csv -l 1), dcgmi dmon and the text of dcgm-exporter, one scrape or many; other texts (nvidia-smi -q, dmesg) are read as diagnose reads them. Several files are joined on GPU and time. Memory does not grow with the length of a series.',
    '--prometheus URL asks a server (Prometheus, VictoriaMetrics, Thanos, Mimir) for the counters of dcgm-exporter in a period, in pages. --node, --pod, --gpu and --selector choose, whatever the labels of the set-up are called. Credentials come from files or the environment (CULPRIT_PROMETHEUS_TOKEN, CULPRIT_PROMETHEUS_PASSWORD).',
    '--compare tells what changed from one file, period or node to another, and since when. With --prometheus the two periods are asked of the server: --compare FROM..TO FROM..TO, --before and --after, or --split. Periods that overlap or are empty are refused, and so are two that have no GPU in common: another board in the same place (by its UUID) or the same number on another node is another GPU.',
    '--for TIME samples now: nvidia-smi dmon, pmon, a query loop and dcgmi dmon, here or where --ssh, --docker, --pod, --node, --slurm or --pid say. It only reads, and ends whatever it started; Ctrl-C ends it early and judges what was sampled.',
    'nvidia-smi -q, --query-compute-apps and the kernel log beside series are joined on GPU (index, UUID, bus address) and time. What cannot be joined is said.',
    'The verdict is the one that diagnose gives for the same text pasted, but for one thing: where no series says how a GPU is used, it ends in "cannot tell" with the command that would tell, whatever else is well. Pauses between kernels that are shorter than the distance of two samples are not seen: --every 100ms samples closer. Every finding shows its numbers against the thresholds they are held to; --threshold changes one, and --thresholds lists them.',
  ],
  flags: [
    {
      name: 'threshold',
      value: 'NAME=VALUE',
      multiple: true,
      summary: 'judge by another threshold; --thresholds lists them',
    },
    { name: 'thresholds', summary: 'list the thresholds and end' },
    ...liveFlags,
    ...pictureFlags,
    ...compareFlags,
    { name: 'output', short: 'o', value: 'FILE', summary: 'write the report into a file, redacted' },
    { name: 'no-redact', summary: 'leave names in a file of --output as they are' },
  ],
  formats: ['text', 'json', 'markdown', 'csv', 'html'],
  examples: [
    { command: 'nvidia-smi dmon -s pucmt -o DT -c 120 | culprit util -', does: 'two minutes of this machine' },
    { command: 'culprit util dmon.log pmon.log metrics.prom', does: 'several tools, joined on GPU and time' },
    { command: 'culprit util --for 30s --ssh gpu-17', does: 'sample another machine now' },
    {
      command: 'culprit util --prometheus https://prom:9090 --pod ml/train-0 --since 6h',
      does: 'what the GPUs of a pod did',
    },
    { command: 'culprit util --compare before.log after.log', does: 'what changed, and since when' },
    { command: 'culprit util --compare --split 14:32 dmon.log', does: 'the same file before and after that time' },
    {
      command: 'culprit util --prometheus URL --compare 2026-11-01T10:00..12:00 2026-11-02T10:00..12:00',
      does: 'two periods of a server, before and after an upgrade',
    },
    { command: 'culprit util --compare --by node node-*.log', does: 'which node differs from the others' },
    { command: 'culprit util --threshold low-sm=20 dmon.log', does: 'another threshold' },
    { command: 'culprit util --html report.html dmon.log', does: 'the verdict with time lines, for a browser' },
    { command: 'culprit util --rules > gpu-rules.yml', does: 'alerts for Prometheus, with the same thresholds' },
    { command: 'culprit util --dashboard > gpus.json', does: 'a dashboard for Grafana' },
  ],
  exits: [
    { status: 0, when: 'the GPUs are well used, or idle with nothing wrong; with --compare, nothing changed' },
    { status: 1, when: 'something is wrong or slow; with --compare, something changed' },
    { status: 3, when: 'the series do not tell' },
  ],
  load: async () => (await import('./util.ts')).run,
};
