import { describe, expect, it } from 'vitest';
import { managedPlay } from './managed-scene.ts';
import { pictureOf } from './picture.ts';
import { traceOfScene } from './scene-trace.ts';
import { played } from './scheduler.ts';
import { streamProgram } from './stream-scenes.ts';

describe('a picture of a scene', () => {
  it('has the host and each stream, cut to its times', () => {
    const trace = traceOfScene(
      played(streamProgram({ setup: 'default-stream', kernelUs: 100, share: 0.3, steps: 60 })),
    );
    const picture = pictureOf(trace, 50_000, 250_000);
    expect(picture.lanes.map(({ title }) => title)).toEqual(['host', 'stream 13', 'stream 14', 'default stream']);
    for (const { bars } of picture.lanes)
      for (const { from, to } of bars) expect([from >= 50_000, to <= 250_000, to > from]).toEqual([true, true, true]);
    expect(picture.lanes[0]!.bars.every(({ kind }) => kind === 'call')).toBe(true);
  });

  it('tells which way pages go', () => {
    const { trace, spanNs } = managedPlay({
      memoryBytes: 10e6,
      workingBytes: 20e6,
      memoryRate: 1e12,
      linkRate: 50e9,
      reuse: 1,
      how: 'demand',
      hostShare: 0,
      steps: 4,
    });
    const titles = pictureOf(trace, 0, spanNs).lanes.map(({ title }) => title);
    expect(titles).toEqual(['host', 'stream 13', 'pages to the GPU', 'pages to the host', 'faults']);
  });
});
