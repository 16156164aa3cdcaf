import { createDocument } from '../text/document.ts';
import type { Subject } from './subject.ts';
import { subjectOf } from './subject.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';

// For tests: nodes as operators save them, with what differs between any two of them.

/** A subject of one text. */
export function subject(name: string, text: string): Subject {
  return subjectOf({ name, documents: [createDocument(text, { file: `${name}.txt` })] }, defaultKnowledge);
}

/** Numbers that only look random: the same seed gives the same node. */
export function random(seed: number): () => number {
  let state = (seed * 2654435761 + 97) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export interface NodeParts {
  readonly seed: number;
  readonly library?: string;
  readonly module?: string;
  readonly kernel?: string;
  readonly toolkit?: string;
  /** Lines that this node has and others do not. */
  readonly more?: readonly string[];
  /** Parts that were not collected. */
  readonly without?: readonly ('kernel' | 'library' | 'packages' | 'gpus')[];
}

/** What a shell printed on a node: versions, packages, GPUs, with names and numbers of its own. */
export function nodeText(parts: NodeParts): string {
  const next = random(parts.seed);
  const hex = (length: number): string => Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join('');
  const host = `gpu-r${1 + (parts.seed % 4)}-n${String(parts.seed).padStart(3, '0')}`;
  const library = parts.library ?? '570.124.06';
  const module = parts.module ?? '570.124.06';
  const without = new Set(parts.without ?? []);
  const kernel = parts.kernel ?? (next() < 0.5 ? '5.15.0-113-generic' : '5.15.0-116-generic');
  const lines: string[] = [];
  if (!without.has('kernel'))
    lines.push(
      `${host}:~$ uname -a`,
      `Linux ${host} ${kernel} #123-Ubuntu SMP Mon Jun 10 08:16:17 UTC 2024 x86_64 GNU/Linux`,
    );
  lines.push(
    `${host}:~$ cat /proc/driver/nvidia/version`,
    `NVRM version: NVIDIA UNIX x86_64 Kernel Module  ${module}  Wed Feb 26 02:15:01 UTC 2025`,
  );
  if (!without.has('library'))
    lines.push(
      `${host}:~$ ls -l /usr/lib/x86_64-linux-gnu/libcuda.so.*`,
      `lrwxrwxrwx 1 root root       20 Mar  4  2025 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.${library}`,
      `-rw-r--r-- 1 root root 70219224 Mar  4  2025 /usr/lib/x86_64-linux-gnu/libcuda.so.${library}`,
    );
  if (!without.has('packages'))
    lines.push(
      `${host}:~$ dpkg -l | grep -i nvidia`,
      `ii  libnvidia-compute-570:amd64  ${library}-0ubuntu0.22.04.1  amd64  NVIDIA libcompute package`,
      `ii  nvidia-container-toolkit     ${parts.toolkit ?? (next() < 0.5 ? '1.17.4-1' : '1.17.5-1')}  amd64  NVIDIA Container toolkit`,
    );
  if (!without.has('gpus')) {
    lines.push(`${host}:~$ nvidia-smi -L`);
    for (let gpu = 0; gpu < 8; gpu++)
      lines.push(`GPU ${gpu}: NVIDIA H100 80GB HBM3 (UUID: GPU-${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)})`);
    lines.push(
      `${host}:~$ nvidia-smi --query-gpu=index,temperature.gpu,utilization.gpu,memory.used --format=csv`,
      'index, temperature.gpu, utilization.gpu [%], memory.used [MiB]',
      ...Array.from(
        { length: 8 },
        (_, gpu) =>
          `${gpu}, ${30 + Math.floor(next() * 40)}, ${Math.floor(next() * 100)} %, ${Math.floor(next() * 70000)} MiB`,
      ),
    );
  }
  lines.push(...(parts.more ?? []).map((line) => line.replaceAll('HOST', host)));
  return `${lines.join('\n')}\n`;
}

export function node(name: string, parts: NodeParts): Subject {
  return subject(name, nodeText(parts));
}
