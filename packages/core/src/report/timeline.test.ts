import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceFinding } from '../trace/model.ts';
import { TestScene } from '../trace/testing-events.ts';
import { timelineOf, unpackedTimes } from './timeline-data.ts';
import { timelineSchema } from './timeline-schema.ts';
import { timelineSvg } from './timeline-svg.ts';

/** Bytes by key, instead of base64. */
function keeper(): { readonly pack: (bytes: Uint8Array) => string; readonly bytes: (key: string) => Uint8Array } {
  const kept: Uint8Array[] = [];
  return { pack: (bytes) => String(kept.push(bytes.slice()) - 1), bytes: (key) => kept[Number(key)]! };
}

const finding = (marks: TraceFinding['marks']): TraceFinding => ({
  cause: 'default-stream-serialisation',
  kind: 'waste',
  certainty: 'likely',
  message: 'work waits',
  measured: [],
  saving: { upperBoundNs: 1000, how: 'all of it' },
  quotes: [],
  marks,
});

describe('the data of a time line', () => {
  it('gives every start and end back, long pauses and long events included', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 2 ** 40 }), fc.integer({ min: 0, max: 2 ** 36 })), {
          minLength: 1,
          maxLength: 40,
        }),
        (times) => {
          const scene = new TestScene();
          for (const [start, length] of times) scene.at('kernel', start / 1000, (start + length) / 1000);
          const trace = scene.builder.finish();
          const { pack, bytes } = keeper();
          const data = timelineOf([trace], [], pack);
          const first = Math.round(trace.work.start[0]!);
          const track = data.tracks[0]!.events;
          const { start, end } = unpackedTimes(track, bytes(track.columns));
          for (let row = 0; row < trace.work.count; row++) {
            expect(Math.abs(start[row]! + first - trace.work.start[row]!)).toBeLessThanOrEqual(1);
            expect(
              Math.abs(end[row]! - start[row]! - (trace.work.end[row]! - trace.work.start[row]!)),
            ).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });

  it('stacks streams by GPU, then the CPU, and marks findings on the tracks of their streams', () => {
    const scene = new TestScene();
    scene.at('kernel', 10, 20, { stream: 13, called: [0, 5] });
    scene.at('kernel', 20, 40, { stream: 7 });
    scene.at('copy', 5, 9, { stream: 13, device: 1 });
    const trace = scene.builder.finish();
    const data = timelineOf(
      [trace],
      [finding([{ from: 20_000, to: 40_000, streams: [1], label: 'blocks' }])],
      keeper().pack,
    );
    expect(data.tracks.map(({ title, kind }) => [title, kind])).toEqual([
      ['stream 7', 'stream'],
      ['stream 13', 'stream'],
      ['stream 13', 'stream'],
      ['thread 1', 'thread'],
    ]);
    const [mark] = data.findings[0]!.marks;
    const streamOfMark = trace.streams[1]!;
    expect(data.tracks[mark!.tracks[0]!]!.title).toBe(`stream ${streamOfMark.id}`);
    expect(mark!.from).toBe(20_000);
    expect(() => timelineSchema.parse(data)).not.toThrow();
  });

  it('keeps the distance of ranks that count from moments of one clock', () => {
    const rank = (number: number, zero: bigint): ReturnType<TestScene['builder']['finish']> => {
      const scene = new TestScene({ rank: number, ranks: 2, file: `r${number}.json`, zero });
      scene.at('kernel', 0, 10);
      return scene.builder.finish();
    };
    const data = timelineOf([rank(0, 1_000n), rank(1, 501_000n)], [], keeper().pack);
    expect(data.tracks.map(({ events, group }) => [group, events.from])).toEqual([
      ['rank 0, GPU 0', 0],
      ['rank 1, GPU 0', 500_000],
    ]);
  });
});

describe('the picture of a range', () => {
  it('draws what lies in it, marks wastes, and escapes names', () => {
    const scene = new TestScene();
    scene.at('kernel', 0, 10, { name: '<b>' });
    scene.at('kernel', 500, 510);
    const { pack, bytes } = keeper();
    const data = timelineOf(
      [scene.builder.finish()],
      [finding([{ from: 0, to: 10_000, streams: [], label: '<i>' }])],
      pack,
    );
    const events = (track: number): ReturnType<typeof unpackedTimes> =>
      unpackedTimes(data.tracks[track]!.events, bytes(data.tracks[track]!.events.columns));
    const whole = timelineSvg(data, events, 0, data.lengthNs);
    const part = timelineSvg(data, events, 0, 20_000);
    const bars = (svg: string): number => svg.split('height="16"').length - 1;
    expect([bars(whole), bars(part)]).toEqual([2, 1]);
    expect(whole).toContain('&#60;i&#62;');
    expect(whole).not.toContain('<i>');
    expect(part.startsWith('<svg')).toBe(true);
    expect(whole).toContain('>GPU 0</text>');
  });
});
