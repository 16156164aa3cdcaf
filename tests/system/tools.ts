import { spawnSync } from 'node:child_process';
import { entry } from '../run-cli.ts';

/** Why a program is not there, by name; filled by scripts/test-system.mjs. */
const missing = JSON.parse(process.env['CULPRIT_SYSTEM_MISSING'] ?? '{}') as Readonly<Record<string, string>>;

/** Reason to skip: the first of the programs that is not there; null where all are. */
export function lacks(...names: readonly string[]): string | null {
  for (const name of names) {
    if (missing[name] !== undefined) return missing[name];
    if (name !== 'tr_TR' && spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0)
      return `${name} is not installed`;
  }
  return null;
}

export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of the shell; `$culprit` stands for the built program. */
export function shell(
  script: string,
  options: {
    readonly env?: Record<string, string>;
    readonly cwd?: string;
    readonly input?: string | Uint8Array;
    readonly with?: string;
  } = {},
): Ran {
  const ran = spawnSync(options.with ?? 'bash', ['-c', script], {
    env: { ...process.env, node: process.execPath, culprit: `${process.execPath} ${entry}`, entry, ...options.env },
    cwd: options.cwd ?? '/',
    input: options.input ?? '',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 170_000,
  });
  return { status: ran.status, out: ran.stdout.toString('utf8'), err: ran.stderr.toString('utf8') };
}

export const mismatch: string = [
  '$ cat /proc/driver/nvidia/version',
  'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 02:15:01 UTC 2025',
  '$ nvidia-smi',
  'Failed to initialize NVML: Driver/library version mismatch',
  'NVML library version: 570.133',
  '',
].join('\n');
