import type { Evidence } from '../model/document.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import { readingOf } from './reading.ts';
import type { Reading } from './reading.ts';

export const mismatchRule = 'driver/kmod-userspace-mismatch-after-upgrade';

/** A finding whose evidence stands in these lines of the probe's text. */
export function finding(lines: readonly number[], more: Partial<Finding> = {}): Finding {
  return {
    rule: mismatchRule,
    layer: 'driver',
    cause: 'kmod-userspace-mismatch-after-upgrade',
    owner: 'operator',
    certainty: 'proved',
    message: 'the loaded kernel module is 570.124.06, but the driver library is 570.133.20',
    evidence: lines.map((line): Evidence => ({ subject: 'host', file: null, source: 'x', line, column: 1, text: 'x' })),
    restsOn: [],
    explains: [],
    remedies: [],
    ...more,
  };
}

export function verdict(findings: readonly Finding[], more: Partial<Verdict> = {}): Verdict {
  const [first] = findings;
  return {
    schema: 'culprit/verdict@1',
    status: first === undefined ? 'ok' : 'fault',
    headline: first?.message ?? 'nothing is wrong here',
    layer: first?.layer ?? null,
    cause: first?.cause ?? null,
    owner: first?.owner ?? 'none',
    certainty: first?.certainty ?? null,
    findings,
    cleared: [],
    unknown: [],
    facts: [],
    knowledge: { asOf: '2026-11-30', digest: 'sha256:0' },
    ...more,
  };
}

/** Lines 3 and 6 are of the module, 9 of the libraries, 12 of the kernel log; `rollout` stands last. */
export function probeText(
  rollout: readonly string[] = ['uptime 90000.10'],
  end = '@culprit-end sections=5 ms=40',
): string {
  return [
    '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=yes',
    '@ proc-driver-version cat /proc/driver/nvidia/version',
    '|NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06',
    '@= exit=0 ms=0',
    '@ sys-module-version cat /sys/module/nvidia/version',
    '|570.124.06',
    '@= exit=0 ms=0',
    '@ library-files ls -l */libcuda.so*',
    '|-rw-r--r-- 1 0 0 1 Nov 30 09:20 /usr/lib/x86_64-linux-gnu/libcuda.so.570.133.20',
    '@= exit=0 ms=0',
    '@ kernel-log dmesg',
    '|NVRM: API mismatch',
    '@= exit=0 ms=0',
    '@ rollout cat /proc/uptime',
    ...rollout.map((line) => `|${line}`),
    '@= exit=0 ms=0',
    end,
    '',
  ].join('\n');
}

export function reading(of: Verdict, rollout?: readonly string[], end?: string): Reading {
  return readingOf(probeText(rollout, end), of);
}
