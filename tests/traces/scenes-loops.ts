// Scenes of loops: what stands around the steps, and what is launched how.
import type { Op, Program } from './machine.ts';
import { elementwise, solver, stepOf, trained, usual } from './gpus.ts';
import type { KernelSpec, Thread } from './program.ts';
import type { Build, Setting } from './scene.ts';
import { busy, launchAll, main, processOf, range, total } from './scene.ts';

type Who = 'lightning' | 'transformers' | 'steps' | 'nobody';
const whoAnnotates = ({ work }: Setting): Who => work.pick(['lightning', 'transformers', 'steps', 'nobody']);

/** The wait for the next batch, as who annotates names it. */
function* next(t: Thread, who: Who, ns: number, kind: 'Multi' | 'Single'): Program {
  const wait = (): Program => busy(t, ns);
  const loader = `enumerate(DataLoader)#_${kind}Process${kind === 'Multi' ? 'ing' : ''}DataLoaderIter.__next__`;
  if (who === 'lightning')
    yield* t.range('[pl][profile][_TrainingEpochLoop].train_dataloader_next', () =>
      kind === 'Multi' ? t.range(loader, wait) : wait(),
    );
  else if (who === 'transformers') yield* t.range(loader, wait);
  else if (who === 'steps') yield* t.range('load_batch', wait);
  else yield* wait();
}

function* stepped(t: Thread, who: Who, at: number, body: () => Program): Program {
  if (who === 'lightning') yield* t.range(`ProfilerStep#${at}`, () => t.range('[pl][profile]run_training_batch', body));
  else if (who === 'transformers') yield* t.range(`ProfilerStep#${at}`, body);
  else if (who === 'steps') yield* t.range(`step_${at}`, body);
  else yield* body();
}

/** Large batches: gradients of several parts are added up before the optimizer runs. */
const accumulation: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const who = whoAnnotates(s);
  const parts = s.work.whole(3, 6);
  const steps = s.work.whole(6, 9);
  const specs = stepOf(gpu, s.work, s.work.whole(25, 45), s.work.real(150_000, 300_000), 'training');
  const optimizer = range(8).map(() => elementwise(gpu, s.work, s.work.real(100_000, 250_000)));
  main(process, function* (t) {
    const stream = process.device.legacy;
    for (const at of range(steps)) {
      for (const part of range(parts))
        yield* stepped(t, who, at * parts + part, function* () {
          yield* next(t, who, 70_000, 'Multi');
          yield* t.copy(stream, 'HtoD', 1_500_000);
          yield* launchAll(t, stream, specs, 3500);
        });
      yield* launchAll(t, stream, optimizer, 3500);
      yield* t.copy(stream, 'DtoH', 4, 'pageable');
      yield* t.syncStream(stream);
    }
  });
  return {
    accepted: ['ok-healthy-training', 'ok-any'],
    processes: [process],
    numbers: { 'kernels.count': steps * (parts * specs.length + optimizer.length) },
  };
};

/** Every so many steps the weights are written. */
const checkpoints: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const who = whoAnnotates(s);
  const specs = stepOf(gpu, s.work, s.work.whole(20, 30), s.work.real(200_000, 350_000), 'training');
  const every = s.work.whole(14, 20);
  const steps = every * s.work.whole(2, 3);
  const pause = total(specs) * every * s.work.real(0.04, 0.13);
  const host = s.work.pick(['pinned', 'pageable'] as const);
  main(process, function* (t) {
    const stream = process.device.legacy;
    for (const at of range(steps)) {
      yield* stepped(t, who, at, function* () {
        yield* next(t, who, 80_000, 'Multi');
        yield* t.copy(stream, 'HtoD', 1_500_000);
        yield* launchAll(t, stream, specs, 3500);
      });
      if (at % every !== every - 1) continue;
      const save = function* (): Program {
        for (const _ of range(12))
          yield* t.copy(stream, 'DtoH', Math.round((pause / 36) * gpu[host]), host, host === 'pinned');
        yield* t.syncStream(stream);
        yield* busy(t, (pause * 2) / 3);
      };
      if (who === 'lightning') yield* t.range('[pl][profile][Callback]ModelCheckpoint.on_train_batch_end', save);
      else yield* save();
    }
  });
  return {
    accepted: ['ok-training-with-checkpoints', 'ok-checkpoint-write', 'ok-healthy-training', 'ok-any'],
    processes: [process],
  };
};

/** Training and evaluation take turns; workers start anew for each. */
const evaluations: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const who = whoAnnotates(s);
  const specs = stepOf(gpu, s.work, s.work.whole(20, 30), s.work.real(200_000, 350_000), 'training');
  const forward = specs.slice(0, specs.length >> 1);
  const train = s.work.whole(12, 18);
  const evaluate = s.work.whole(4, 7);
  const start = total(specs) * train * s.work.real(0.03, 0.09);
  main(process, function* (t) {
    const stream = process.device.legacy;
    for (const epoch of range(3)) {
      for (const at of range(train))
        yield* stepped(t, who, epoch * train + at, function* () {
          yield* next(t, who, at === 0 ? start : 80_000, 'Multi');
          yield* t.copy(stream, 'HtoD', 1_500_000);
          yield* launchAll(t, stream, specs, 3500);
        });
      for (const at of range(evaluate)) {
        if (at === 0) yield* busy(t, start);
        yield* t.copy(stream, 'HtoD', 1_500_000);
        yield* launchAll(t, stream, forward, 3500);
        yield* t.copy(stream, 'DtoH', 4096, 'pageable');
        yield* t.syncStream(stream);
      }
    }
  });
  return {
    accepted: ['ok-training-with-evaluation', 'ok-healthy-training', 'ok-any'],
    processes: [process],
  };
};

/** Weights are read and go up, kernels are compiled, then the work begins. */
const longStart: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const specs = stepOf(gpu, s.work, s.work.whole(25, 40), s.work.real(180_000, 300_000), 'training');
  const steps = s.work.whole(25, 40);
  const work = total(specs) * steps;
  const tensors = s.work.whole(80, 160);
  const read = (work * s.work.real(0.3, 0.9)) / tensors;
  const host = s.work.pick(['pageable', 'pageable', 'pinned'] as const);
  main(process, function* (t) {
    const stream = process.device.legacy;
    for (const at of range(tensors)) {
      yield* busy(t, read * 0.7);
      if (at % 3 === 0) yield* t.malloc(150_000);
      yield* t.copy(stream, 'HtoD', Math.max(4096, Math.round(read * 0.3 * gpu[host])), host, s.work.chance(0.5));
    }
    for (const spec of specs.slice(0, 6)) {
      yield* t.call('cuModuleLoadData', 8_000_000);
      yield* launchAll(t, stream, [spec], 4000);
      yield* t.syncStream(stream);
    }
    for (const at of range(steps))
      yield* t.range(`ProfilerStep#${at}`, function* () {
        yield* t.copy(stream, 'HtoD', 800_000);
        yield* launchAll(t, stream, specs, 3500);
        if (at % 5 === 4) yield* t.copy(stream, 'DtoH', 4, 'pageable');
      });
  });
  return {
    accepted: ['ok-warm-up', 'ok-first-iteration-jit', 'ok-first-batch-slow', 'ok-healthy-training', 'ok-any'],
    processes: [process],
  };
};

/** The loader needs as long as most of a step, while the GPU has queued work. */
const loaderHidden: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const who = whoAnnotates(s);
  const specs = stepOf(gpu, s.work, s.work.whole(20, 40), s.work.real(250_000, 400_000), 'training');
  const steps = s.work.whole(14, 22);
  const load = total(specs) * s.work.real(0.4, 0.75);
  main(process, function* (t) {
    const stream = process.device.legacy;
    for (const at of range(steps))
      yield* stepped(t, who, at, function* () {
        yield* next(t, who, load, 'Single');
        yield* t.copy(stream, 'HtoD', 1_200_000);
        yield* launchAll(t, stream, specs, 3000);
      });
  });
  return { accepted: ['ok-loader-keeps-up', 'ok-healthy-training', 'ok-any'], processes: [process] };
};

/** The GPU waits for each batch, and who annotates says for what. */
const inputAnnotated: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const who = s.work.pick(['lightning', 'transformers', 'steps'] as const);
  const specs = stepOf(gpu, s.work, s.work.whole(20, 40), s.work.real(120_000, 300_000), 'training');
  const steps = s.work.whole(9, 14);
  const load = s.right ? 90_000 : total(specs) * s.work.real(0.6, 2.5) + 2_000_000;
  const kind = s.work.pick(['Multi', 'Single'] as const);
  main(process, function* (t) {
    const stream = process.device.legacy;
    for (const at of range(steps))
      yield* stepped(t, who, at, function* () {
        yield* next(t, who, load, kind);
        yield* t.copy(stream, 'HtoD', 1_200_000);
        yield* launchAll(t, stream, specs, 3000);
        yield* t.copy(stream, 'DtoH', 4, 'pageable');
        yield* t.syncStream(stream);
      });
  });
  return { accepted: ['input-pipeline-bound'], processes: [process] };
};

/** Forward by one thread and backward by another: both launch too slowly. */
const twoThreads: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const who = whoAnnotates(s);
  const half = (): readonly KernelSpec[] =>
    range(s.work.whole(40, 70)).map(() => elementwise(gpu, s.work, s.work.real(1800, 5000)));
  const [forward, backward] = [half(), half()];
  const steps = s.work.whole(7, 11);
  const host = s.work.real(7000, 18_000);
  main(process, function* (t) {
    const stream = process.device.legacy;
    const autograd = process.thread(process.pid + 7);
    for (const at of range(steps))
      yield* stepped(t, who, at, function* () {
        if (s.right) yield* t.graph(stream, [...forward, ...backward], 1);
        else {
          yield* launchAll(t, stream, forward, host);
          yield* launchAll(autograd, stream, backward, host);
        }
        yield* t.copy(stream, 'DtoH', 4, 'pageable');
        yield* t.syncStream(stream);
      });
  });
  return { accepted: ['launch-bound-needs-cuda-graphs'], processes: [process] };
};

/** A number is read back after each kernel. */
const readEach: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(150, 300)).map(() => solver(gpu, s.work, s.work.real(15_000, 50_000)));
  const host = s.work.real(10_000, 20_000);
  main(process, function* (t) {
    const stream = process.device.legacy;
    for (const spec of specs) {
      yield* launchAll(t, stream, [spec], s.right ? 1500 : host);
      if (s.right) continue;
      yield* t.copy(stream, 'DtoH', 4, 'pageable');
      yield* t.syncStream(stream);
    }
  });
  return {
    accepted: ['sync-after-each-kernel', 'many-small-copies', 'pageable-copies-synchronous'],
    processes: [process],
  };
};

/** The queue is full: a launch waits until a kernel has begun. */
const queueFull: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu, { pace: { launch: s.work.real(2200, 3200), spread: 1.25 } });
  const specs = range(s.work.whole(1500, 2000)).map(() => elementwise(gpu, s.work, s.work.real(11_000, 24_000)));
  main(process, function* (t) {
    yield* launchAll(t, process.device.legacy, specs, 700);
    yield* t.syncDevice();
  });
  return {
    accepted: ['ok-small-kernels-queued', 'ok-single-stream-saturated', 'ok-any'],
    processes: [process],
    numbers: { 'kernels.count': specs.length },
  };
};

/** Another thread waits for the results while this one goes on launching. */
const waitsElsewhere: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(200, 300)).map(() => solver(gpu, s.work, s.work.real(40_000, 120_000)));
  const polls = s.work.chance(0.5);
  main(process, function* (t) {
    const stream = process.stream('non-blocking');
    const other = process.thread(process.pid + 41);
    const launched: Op[] = [];
    process.sim.spawn(
      (function* (): Program {
        while (launched.length === 0) yield* busy(other, 20_000);
        for (const at of range(specs.length - 20)) {
          while (launched.length <= at) yield* busy(other, 2000);
          const op = launched[at]!;
          if (polls)
            while (!op.done) {
              yield* other.call('cudaEventQuery', 900);
              yield* busy(other, 9000);
            }
          else
            yield* other.call('cudaEventSynchronize', 1500, function* () {
              yield op;
            });
        }
      })(),
    );
    for (const spec of specs) {
      yield* busy(t, 1500);
      launched.push(yield* t.launch(stream, spec));
    }
    yield* t.syncStream(stream);
  });
  return {
    accepted: ['ok-single-stream-saturated', 'ok-any'],
    processes: [process],
    numbers: { 'kernels.count': specs.length },
  };
};

/** Batches of unlike length, in a loop that nobody annotates, that keeps the GPU busy. */
const unlikeSteps: Build = (s) => {
  const gpu = s.work.pick(trained);
  const process = processOf(s, gpu);
  const specs = stepOf(gpu, s.work, s.work.whole(25, 40), s.work.real(120_000, 220_000), 'training');
  const steps = s.work.whole(14, 24);
  main(process, function* (t) {
    const stream = process.device.legacy;
    for (const _ of range(steps)) {
      const factor = s.noise.real(0.4, 2.5);
      yield* busy(t, 60_000);
      yield* t.copy(stream, 'HtoD', Math.round(500_000 * factor), 'pageable');
      yield* launchAll(
        t,
        stream,
        specs.map((spec) => ({ ...spec, ns: Math.round(spec.ns * factor) })),
        3000,
      );
      if (s.noise.chance(0.3)) yield* t.copy(stream, 'DtoH', 4, 'pageable');
    }
  });
  return { accepted: ['ok-healthy-training', 'ok-pageable-negligible', 'ok-any'], processes: [process] };
};

/** Cells of a notebook: the GPU works when one is run. */
const notebook: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const cells = range(s.work.whole(3, 6)).map(() =>
    range(s.work.whole(15, 40)).map(() => solver(gpu, s.work, s.work.real(200_000, 700_000))),
  );
  main(process, function* (t) {
    for (const cell of cells) {
      yield Math.round(s.noise.real(1_500_000_000, 9_000_000_000));
      yield* t.copy(process.device.legacy, 'HtoD', 2_000_000, 'pageable');
      yield* launchAll(t, process.device.legacy, cell, 4000);
      yield* t.copy(process.device.legacy, 'DtoH', 100_000, 'pageable');
      yield* t.syncStream(process.device.legacy);
    }
  });
  return { accepted: ['ok-idle', 'ok-any', 'ok-cannot-tell'], processes: [process] };
};

/** What comes back is worked on by the host before the next round begins. */
const hostAfter: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu);
  const specs = range(s.work.whole(10, 20)).map(() => solver(gpu, s.work, s.work.real(80_000, 250_000)));
  const rounds = s.work.whole(14, 24);
  const host = total(specs) * s.work.real(0.8, 2);
  const named = s.work.pick(['postprocess', 'nms_on_cpu', null]);
  main(process, function* (t) {
    for (const _ of range(rounds)) {
      yield* t.copy(process.device.legacy, 'HtoD', 600_000);
      yield* launchAll(t, process.device.legacy, specs, 3000);
      yield* t.copy(process.device.legacy, 'DtoH', 60_000);
      yield* t.syncStream(process.device.legacy);
      const work = (): Program => busy(t, host);
      if (named === null) yield* work();
      else yield* t.range(named, work);
    }
  });
  return {
    accepted: ['cpu-bound', 'input-pipeline-bound', 'ok-cannot-tell'],
    not: [
      'launch-bound-needs-cuda-graphs',
      'copies-not-overlapped',
      'sync-after-each-kernel',
      'alloc-in-loop',
      'many-small-copies',
    ],
    processes: [process],
    alone: true,
  };
};

/** Molecular dynamics: forces in two streams, joined by events, a little comes back in each step. */
const dynamics: Build = (s) => {
  const gpu = s.work.pick(usual);
  const process = processOf(s, gpu, { pace: { launch: 2600, spread: 1.2 } });
  const local = range(4).map(() => ({ ...solver(gpu, s.work, s.work.real(60_000, 150_000)), share: 0.6 }));
  const other = range(2).map(() => ({ ...solver(gpu, s.work, s.work.real(60_000, 140_000)), share: 0.35 }));
  const steps = s.work.whole(40, 80);
  main(process, function* (t) {
    const [a, b] = [process.stream('non-blocking'), process.stream('non-blocking')];
    for (const step of range(steps)) {
      yield* t.range('MD step', function* () {
        const begun = yield* t.record(a);
        yield* t.wait(b, begun);
        yield* launchAll(t, b, other, 800);
        yield* launchAll(t, a, local, 800);
        yield* t.wait(a, yield* t.record(b));
        yield* launchAll(t, a, [{ ...local[0]!, ns: 20_000 }], 800);
        if (step % 10 === 9) {
          yield* t.copy(a, 'DtoH', 4096);
          yield* t.syncStream(a);
        }
      });
    }
  });
  return { accepted: ['ok-streams-overlap', 'ok-any'], processes: [process] };
};

export const loopScenes: Readonly<Record<string, Build>> = {
  'gradient-accumulation': accumulation,
  'checkpoint-every-so-many': checkpoints,
  'evaluation-phases': evaluations,
  'long-start': longStart,
  'loader-hidden': loaderHidden,
  'input-bound-annotated': inputAnnotated,
  'launch-bound-two-threads': twoThreads,
  'number-read-after-each': readEach,
  'queue-full': queueFull,
  'waits-in-another-thread': waitsElsewhere,
  'unlike-steps': unlikeSteps,
  notebook,
  'host-works-after': hostAfter,
  'molecular-dynamics': dynamics,
};
