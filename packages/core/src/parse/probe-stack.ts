// Parts of the stack that the probe reads from files of the kernel, without asking the driver: MIG instances, limits of
// the subject's control group, releases of the services.
//
// @ mig-capabilities ls -d /proc/driver/nvidia/capabilities/gpu*/mig/gi*/ci*
// |/proc/driver/nvidia/capabilities/gpu0/mig/gi1/ci0
// @ memory-limit cat /sys/fs/cgroup/kubepods.slice/memory.max
// |8589934592
// @ memory-events cat /sys/fs/cgroup/kubepods.slice/memory.events
// |oom_kill 3
// @ imex-version nvidia-imex --version
// |IMEX version is: 580.95.05
// @ container-start cat /proc/1/comm; tr '\\0' '\\n' < /proc/1/environ | grep -E '^_CUDA_COMPAT' # …
// |python3
// |_CUDA_COMPAT_STATUS=CUDA Driver OK
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import type { Block } from './blocks.ts';
import { blocksOf, filled } from './blocks.ts';
import { fullDriverRelease } from './releases.ts';

export const probeStack: Parser = {
  id: 'probe-stack',
  literals: ['/capabilities/gpu', '/memory.', 'imex version is', 'cat /proc/1/comm'],
  keep: { before: 1, after: 8 },
  parse(document, hits, sink) {
    for (const line of hits) {
      const release = /^IMEX version is ?: (\d{3}\.[\d.]{1,12})$/.exec(line.clean.trim())?.[1];
      const version = fullDriverRelease(release);
      if (version !== null && !line.prompt)
        sink.add('package', { name: 'nvidia-imex', version, manager: 'other' }, line);
    }
    for (const block of blocksOf(document)) {
      if (/^ls (?:-\w{1,4} )?\/proc\/driver\/nvidia\/capabilities\//.test(block.command)) readMig(block, sink);
      else if (/^cat \/sys\/fs\/cgroup\/\S{0,1000}memory\.(?:max|limit_in_bytes)$/.test(block.command))
        readLimit(block, sink);
      else if (/^cat \/sys\/fs\/cgroup\/\S{0,1000}memory\.events$/.test(block.command)) readEvents(block, sink);
      else if (/^cat \/proc\/1\/comm; tr /.test(block.command)) readStart(block, sink);
    }
  },
};

function readMig(block: Block, sink: FactSink): void {
  for (const line of filled(block.output)) {
    const match = /\/gpu(\d{1,3})\/mig\/gi(\d{1,3})\/ci(\d{1,3})$/.exec(line.clean.trim());
    if (match === null) continue;
    const [gpu, gi, ci] = match.slice(1).map(Number) as [number, number, number];
    sink.add(
      'gpu.mig-instance',
      { gpu, gi, ci, memoryUsedMiB: null, memoryTotalMiB: null, multiprocessors: null },
      line,
    );
  }
}

/** The first version's largest number is no limit. */
const noLimit = 2 ** 62;

function readLimit(block: Block, sink: FactSink): void {
  const line = filled(block.output)[0];
  if (line === undefined) return;
  const bytes = /^\d{1,20}$/.test(line.clean.trim()) ? Number(line.clean.trim()) : null;
  if (bytes !== null && bytes < noLimit) sink.add('os.memory-limit-mib', Math.floor(bytes / 1048576), line);
}

function readEvents(block: Block, sink: FactSink): void {
  for (const line of filled(block.output)) {
    const kills = /^oom_kill (\d{1,9})$/.exec(line.clean.trim())?.[1];
    if (kills !== undefined) sink.add('os.group-oom-kills', Number(kills), line);
  }
}

/**
 * Images with compat libraries set `_CUDA_COMPAT_PATH`, and their entrypoint says in `_CUDA_COMPAT_STATUS` what it found:
 * where only the first is there, the entrypoint was replaced. Other images of the vendor have neither.
 */
function readStart(block: Block, sink: FactSink): void {
  const [first, ...rest] = filled(block.output);
  const program = /^[^/_].{0,40}$/.exec(first?.clean.trim() ?? '')?.[0];
  if (first === undefined || program === undefined) return;
  const of = (name: string): Line | undefined => rest.find((each) => each.clean.startsWith(`${name}=`));
  const status = of('_CUDA_COMPAT_STATUS');
  const path = of('_CUDA_COMPAT_PATH');
  const compat = status?.clean.trim().slice('_CUDA_COMPAT_STATUS='.length).slice(0, 200) ?? null;
  sink.add(
    'container.start',
    { program, entrypoint: status !== undefined ? true : path !== undefined ? false : null, compat },
    [first, status ?? path].filter((line) => line !== undefined),
  );
}
