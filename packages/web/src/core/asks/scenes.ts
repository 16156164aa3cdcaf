import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import { memoryHierarchy } from '@culprit/core/occupancy/memory-levels';
import type { Trace } from '@culprit/core/trace/model';
import { workKinds } from '@culprit/core/trace/model';
import { copyProgram, copySetups } from '@culprit/core/trace/scenes/copy-scenes';
import { managedPlay } from '@culprit/core/trace/scenes/managed-scene';
import { pictureOf } from '@culprit/core/trace/scenes/picture';
import { traceOfScene } from '@culprit/core/trace/scenes/scene-trace';
import { played } from '@culprit/core/trace/scenes/scheduler';
import { streamProgram, streamSetups } from '@culprit/core/trace/scenes/stream-scenes';
import { traceVerdict } from '@culprit/core/trace/verdict';
import { sceneVerdict } from '../scene-verdict.ts';
import type { GpuChoice, SceneAnswer } from '../figure-asks.ts';
import type { Answerer } from '../protocol.ts';

/** Steps of a scene of streams, batches of a scene of copies: enough for habits to show. */
const steps = 60;
const batches = 40;
/** Steps that are drawn. */
const drawn = 4;
/** Of the peak of a link, what large copies reach. */
const reached = 0.85;
/** Managed memory is played this many times smaller: all times but those of faults shrink with it, and so do their numbers. */
const scale = 1000;

/** The same work in six ways to use streams. */
export const streams: Answerer<'streams'> = ({ kernelUs, sharePercent }) => {
  const share = Math.min(1, Math.max(0.01, sharePercent / 100));
  const traces = streamSetups.map((setup) => traceOfScene(played(streamProgram({ setup, kernelUs, share, steps }))));
  const shown = (drawn * longest(traces)) / steps;
  return Promise.resolve(traces.map((trace, at) => ({ setup: streamSetups[at]!, ...judged(trace, 0, shown) })));
};

/** Four ways to bring batches to a GPU. */
export const copies: Answerer<'copies'> = ({ batchMB, kernelUs, pageablePercent, ...choice }) => {
  const link = linkOf(choice);
  if (link === null) return Promise.resolve({ problem: 'the link of this GPU is not known' });
  const traces = copySetups.map((setup) =>
    traceOfScene(
      played(
        copyProgram({
          setup,
          batchBytes: batchMB * 1e6,
          linkRate: link.rate,
          pageableShare: pageablePercent / 100,
          kernelUs,
          batches,
        }),
      ),
    ),
  );
  const shown = (drawn * longest(traces)) / batches;
  return Promise.resolve({
    scenes: traces.map((trace, at) => ({ setup: copySetups[at]!, ...judged(trace, 0, shown) })),
    linkGBps: link.rate / 1e9,
  });
};

/** Managed memory that fits, or does not. */
export const managed: Answerer<'managed'> = ({ dataPercent, reuse, how, hostPercent, ...choice }) => {
  const link = linkOf(choice);
  if (link === null) return Promise.resolve({ problem: 'the memory of this GPU is not known' });
  if (link.coherent)
    return Promise.resolve({
      problem:
        'this GPU reads the memory of its host in place, over NVLink-C2C: pages need not move, and how they do is not simulated',
    });
  const dataBytes = (link.memoryBytes * dataPercent) / 100;
  const count = 200;
  const play = managedPlay({
    memoryBytes: link.memoryBytes / scale,
    workingBytes: dataBytes / scale,
    memoryRate: link.memoryRate,
    linkRate: link.rate,
    reuse,
    how,
    hostShare: hostPercent / 100,
    steps: count,
  });
  const answer = judged(play.trace, ...stretchOf(play.trace, play.toDevice > (count * dataBytes) / scale / 2));
  return Promise.resolve({
    ...answer,
    spanNs: play.spanNs,
    neededNs: play.neededNs,
    toDevice: (play.toDevice * scale) / count,
    toHost: (play.toHost * scale) / count,
    scale,
    memoryGB: link.memoryBytes / 1e9,
    dataGB: dataBytes / 1e9,
    linkGBps: link.rate / 1e9,
  });
};

/** Two steps in the midst where each moves pages, else the first and the begin of the next. */
function stretchOf(trace: Trace, steady: boolean): readonly [from: number, to: number] {
  const { work } = trace;
  const sweeps: number[] = [];
  for (let row = 0; row < work.count && sweeps.length < 5; row++)
    if (work.kind[row] === workKinds.kernel) sweeps.push(row);
  const [first] = sweeps;
  if (first === undefined) return [0, 1];
  return steady && sweeps.length === 5 ? [work.start[sweeps[3]!]!, work.end[sweeps[4]!]!] : [0, work.end[first]! * 1.3];
}

function linkOf({ gpu, variant }: GpuChoice): {
  readonly rate: number;
  readonly memoryBytes: number;
  readonly memoryRate: number;
  /** The GPU reads the memory of its host in place. */
  readonly coherent: boolean;
} | null {
  const found = memoryHierarchy(gpu, variant, defaultKnowledge);
  if ('problem' in found) return null;
  const host = found.levels.find(({ id }) => id === 'host')?.bytesPerSecond ?? null;
  const device = found.levels.find(({ id }) => id === 'device');
  if (host === null || device?.bytes == null || device.bytesPerSecond === null) return null;
  const row = defaultKnowledge.gpuMemory.find((each) => each.gpu === found.gpu);
  const coherent = row?.host === 'NVLink-C2C';
  return { rate: host * reached, memoryBytes: device.bytes, memoryRate: device.bytesPerSecond, coherent };
}

function longest(traces: readonly Trace[]): number {
  return Math.max(...traces.map((trace) => trace.work.end.reduce((most, each) => Math.max(most, each), 0)));
}

function judged(trace: Trace, from: number, to: number): SceneAnswer {
  const { verdict, numbers } = traceVerdict([trace], defaultKnowledge);
  const number = (name: string): number | null => {
    const value = numbers.get(name);
    return typeof value === 'number' ? value : null;
  };
  return {
    verdict: sceneVerdict(verdict),
    picture: pictureOf(trace, from, to),
    spanNs: number('gpu.span_ns') ?? 0,
    numbers: {
      serialisedNs: number('serialised_ns'),
      idleShare: number('gpu.idle_share'),
      gapMedianNs: number('gap.median_ns'),
      launches: number('launch.count'),
      exposedCopiesNs: number('copies.exposed_ns'),
    },
  };
}
