import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Trace } from './model.ts';
import { TestScene } from './testing-events.ts';
import { traceVerdict } from './verdict.ts';

function judged(...traces: readonly Trace[]): Verdict {
  return traceVerdict(traces, defaultKnowledge).verdict;
}

describe('the verdict of traces', () => {
  it('cannot tell where nothing ran on a GPU', () => {
    const scene = new TestScene().call('cudaMalloc', 5);
    expect(judged(scene.finish())).toMatchObject({ status: 'cannot-tell', cause: 'trace-has-no-gpu-work' });
  });

  it('cannot tell where there is no trace', () => {
    expect(judged()).toMatchObject({ status: 'cannot-tell', cause: 'trace-unreadable' });
  });

  it('cannot tell from a few kernels', () => {
    const scene = new TestScene().kernels(5, 100);
    expect(judged(scene.finish())).toMatchObject({ status: 'cannot-tell', cause: 'series-too-short' });
  });

  it('states every number as a fact', () => {
    const scene = new TestScene().kernels(50, 100);
    const { facts } = judged(scene.finish());
    const value = (id: string): unknown => facts.find((fact) => fact.id === id)?.value;
    expect(value('trace.kernels.count')).toBe(50);
    expect(value('trace.kernels.total_ns')).toBe(5_000_000);
    expect(value('trace.top_kernel.name')).toBe('axpy');
  });
});
