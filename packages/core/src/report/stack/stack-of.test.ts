import { describe, expect, it } from 'vitest';
import { diagnose } from '../../diagnose/diagnose.ts';
import { defaultKnowledge } from '../../knowledge/knowledge.ts';
import { createDocument } from '../../text/document.ts';
import { stackJoints, stackParts } from './parts.rows.ts';
import type { PartId } from './parts.rows.ts';
import type { Stack } from './stack-of.ts';
import { stackOf } from './stack-of.ts';

function stackFrom(text: string): Stack {
  return stackOf(diagnose([createDocument(text)], defaultKnowledge), defaultKnowledge);
}

const partOf = (stack: Stack, id: PartId): Stack['parts'][number] => stack.parts.find((part) => part.id === id)!;

const mismatch = [
  '$ nvidia-smi',
  'Failed to initialize NVML: Driver/library version mismatch',
  'NVML library version: 570.133',
  '$ cat /proc/driver/nvidia/version',
  'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 02:42:48 UTC 2025',
].join('\n');

describe('the stack with a verdict on it', () => {
  it('marks the joint of module and libraries when their releases differ, and shows both', () => {
    const stack = stackFrom(mismatch);
    const guilty = stack.joints.filter(({ state }) => state === 'guilty');
    expect(guilty.map(({ below, above }) => [below, above])).toEqual([['kernel-module', 'driver-libraries']]);
    expect(partOf(stack, 'kernel-module').versions.map(({ value }) => value)).toContain('570.124.06');
    expect(partOf(stack, 'kernel-module').versions[0]!.origin).toBe('host');
    expect(partOf(stack, 'driver-libraries').state).toBe('guilty');
  });

  it('marks nothing on a stack of which nothing is known', () => {
    const stack = stackFrom('hello');
    expect(stack.joints.every(({ state }) => state === 'quiet')).toBe(true);
    expect(stack.parts.every(({ state }) => state === 'quiet' || state === 'unknown')).toBe(true);
  });

  it('puts a GPU that the wheel has no code for between hardware and framework', () => {
    const stack = stackFrom(
      [
        'NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.',
        'The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.',
        'RuntimeError: CUDA error: no kernel image is available for execution on the device',
      ].join('\n'),
    );
    const guilty = stack.joints.find(({ state }) => state === 'guilty');
    expect(guilty).toMatchObject({ below: 'hardware', above: 'framework' });
  });

  it('names classes of causes that exist, each at one joint', () => {
    const known = new Set(defaultKnowledge.causes.map((row) => row.class));
    const named = stackJoints.flatMap((joint) => joint.classes);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });

  it('has a part for every layer', () => {
    const covered = new Set(stackParts.flatMap((part) => part.layers));
    for (const { layer } of defaultKnowledge.causes) if (layer !== null) expect(covered).toContain(layer);
  });
});
