// Managed memory: pages move when they are touched, or ahead of it.
import type { Op, Program, Stream } from './machine.ts';
import { submit } from './machine.ts';
import type { KernelSpec, Process, Thread } from './program.ts';

const page = 64 * 1024;
const block = 2 ** 21;

function migration(
  process: Process,
  copy: 'UVM_HtoD' | 'UVM_DtoH',
  start: number,
  end: number,
  bytes: number,
  cause: number,
  device: number,
): void {
  process.record(() => ({
    kind: 'copy',
    copy,
    bytes,
    from: 'managed',
    to: 'managed',
    cause,
    device,
    stream: 0,
    correlation: 0,
    start: Math.round(start),
    end: Math.round(end),
  }));
}

/** A kernel that finds its pages on the host: it stands still while they come. */
export function* touchedByGpu(t: Thread, stream: Stream, spec: KernelSpec, bytes: number): Program<Op> {
  const { process } = t;
  const { random, gpu } = process;
  // Groups of faults: each costs the handling and the move of some pages.
  const groups: { readonly bytes: number; readonly wait: number; readonly move: number; readonly faults: number }[] =
    [];
  for (let left = bytes; left > 0;) {
    const size = Math.min(left, page * random.whole(2, 16));
    groups.push({
      bytes: size,
      wait: random.real(15_000, 45_000),
      move: size / (gpu.pinned * 0.6),
      faults: random.whole(4, 120),
    });
    left -= size;
  }
  const stood = groups.reduce((sum, { wait, move }) => sum + wait + move, 0);
  return yield* t.launch(
    stream,
    { ...spec, ns: Math.round(spec.ns + stood) },
    {
      onStart: (op) => {
        const part = spec.ns / (groups.length + 1);
        let now = op.start + part;
        for (const { bytes: size, wait, move, faults } of groups) {
          process.gpuFaults.push({
            start: Math.round(now),
            end: Math.round(now + wait + move),
            device: stream.device.index,
            faults,
          });
          migration(process, 'UVM_HtoD', now + wait, now + wait + move, size, 2, stream.device.index);
          now += wait + move + part;
        }
      },
    },
  );
}

/** Host code that finds the pages on the GPU. */
export function* touchedByHost(t: Thread, bytes: number): Program {
  const { process } = t;
  const { random, gpu, sim } = process;
  for (let left = bytes; left > 0;) {
    const size = Math.min(left, page * random.whole(1, 8));
    process.cpuFaults.push(sim.now);
    const wait = Math.round(random.real(8000, 25_000));
    const move = Math.max(1, Math.round(size / (gpu.pinned * 0.5)));
    migration(process, 'UVM_DtoH', sim.now + wait, sim.now + wait + move, size, 2, process.device.index);
    yield wait + move + 500;
    left -= size;
  }
}

/** Moves pages ahead of their use, in blocks of 2 MiB. */
export function* prefetch(t: Thread, stream: Stream, copy: 'UVM_HtoD' | 'UVM_DtoH', bytes: number): Program {
  const { process } = t;
  yield* t.call('cudaMemPrefetchAsync', t.short(9000), function* (): Program {
    submit(stream, {
      engine: copy === 'UVM_HtoD' ? 'h2d' : 'd2h',
      ns: (bytes / process.gpu.pinned) * 1.05 + 2000,
      knownAt: process.sim.now + 1500,
      onStart: (op) => {
        const blocks = Math.ceil(bytes / block);
        const each = op.ns / blocks;
        for (let at = 0; at < blocks; at++)
          migration(
            process,
            copy,
            op.start + at * each,
            op.start + (at + 0.97) * each,
            Math.min(block, bytes - at * block),
            1,
            stream.device.index,
          );
      },
    });
    yield 1;
  });
}

/** Pages go back to the host to make room. */
export function* evicted(t: Thread, stream: Stream, bytes: number): Program {
  const { process } = t;
  const op = submit(stream, { engine: 'none', ns: 0, knownAt: process.sim.now });
  const last = process.device.index;
  yield op;
  let now = process.sim.now + 2000;
  for (let left = bytes; left > 0; left -= block) {
    const size = Math.min(left, block);
    const move = Math.max(1, Math.round(size / process.gpu.pinned));
    migration(process, 'UVM_DtoH', now, now + move, size, 4, last);
    now += move + 1500;
  }
  yield now - process.sim.now;
}
