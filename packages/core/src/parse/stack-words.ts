// What job scripts and their prologues print of the stack, and what a pipeline counted of it.
//
// Driver on node: 418.87.00
// Currently Loaded Modules:
//   1) gcc/11.3.0   2) cuda/12.2.2   3) openmpi/4.1.5-cuda
// $ srun --gres=gpu:a100:2 -n 2 ./lmp -in in.lj
// $ nvidia-smi -q -d COMPUTE | grep -c 'Exclusive_Process'
// 8
import type { Parser } from './parser.ts';
import { blocksOf, filled, pipeline } from './blocks.ts';
import { cudaMinor, fullDriverRelease } from './releases.ts';

const driverLine =
  /^(?:\[[\w.-]{1,64}\] )?(?:the )?(?:NVIDIA )?(?:GPU )?driver(?: version| release)?(?: (?:on|of)(?: the)? [\w.-]{1,64})? ?[:=] ?v?(\d{3}\.\d{2,3}(?:\.\d{2,3})?)(?: |,|;|$)/i;
/** Among other words of a prologue; what is asked for is not what is there. */
const driverAmong =
  /[,;|] {0,2}(?:NVIDIA )?(?:GPU )?driver(?: version| release)? ?[:=] ?v?(\d{3}\.\d{2,3}(?:\.\d{2,3})?)(?= |,|;|\||$)/i;
const askedFor = /\b(?:requir|need|minimum|at least|older|newer|support|expect|want|recommend|compatible)\w{0,6}\b|>=/i;

/** A line that names the driver and nothing else: `NVIDIA driver: 535.104.05`. */
export const driverWords: Parser = {
  id: 'driver-words',
  literals: ['driver on ', 'driver of ', 'driver: ', 'driver:', 'driver version', 'driver release', 'driver='],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 200)) {
      if (line.prompt || line.told) continue;
      const text = line.clean.slice(0, 300).trim();
      const among = askedFor.test(text) ? undefined : driverAmong.exec(text)?.[1];
      const release = fullDriverRelease(driverLine.exec(text)?.[1] ?? among);
      if (release !== null) sink.add('driver.version', release, line);
    }
  },
};

/** `module list`: the toolkit that the shell has in front. */
export const environmentModules: Parser = {
  id: 'environment-modules',
  literals: ['currently loaded module'],
  keep: { before: 0, after: 12 },
  parse(document, hits, sink) {
    for (const head of hits.slice(0, 20)) {
      if (head.prompt || head.told) continue;
      for (const line of document.lines.slice(head.index + 1, head.index + 12)) {
        if (line.prompt || line.told || !/^\s{0,4}\d{1,3}\) /.test(line.clean)) break;
        for (const match of line.clean.matchAll(
          /\b\d{1,3}\) (?:[\w.+-]{1,40}\/)?(?:cuda|cudatoolkit|CUDA|nvidia\/cuda)\/v?(\d{1,2}\.\d{1,2})/g,
        )) {
          const cuda = cudaMinor(match[1]);
          if (cuda !== null) sink.add('toolkit.installed', cuda, line);
        }
      }
    }
  },
};

/** Kinds of GPU that a Slurm command or script asks for. */
export const askedGpuType: Parser = {
  id: 'asked-gpu-type',
  literals: ['gres=gpu:', 'gres gpu:', 'gpus=', 'gpus-per-node=', '-g '],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 100)) {
      const kind =
        /--gres[= ]gpu:([a-z][a-z0-9_-]{1,40})(?::\d{1,3})?\b/i.exec(line.clean.slice(0, 2000))?.[1] ??
        /--gpus(?:-per-(?:node|task))?[= ]([a-z][a-z0-9_-]{1,40}):\d{1,3}\b/i.exec(line.clean.slice(0, 2000))?.[1];
      if (kind !== undefined && !line.told) sink.add('job.gpu-type', kind, line);
    }
  },
};

const mode =
  /^(?:\s{0,12}\d{1,4}\s{1,12})?(?:Compute Mode {1,40}: )?(Default|Exclusive_Process|Exclusive_Thread|Prohibited)\s{0,4}$/;

/** Compute modes that a pipeline counted: `grep -c Exclusive`, `sort | uniq -c`. */
export const countedModes: Parser = {
  id: 'counted-modes',
  literals: ['compute_mode', 'exclusive', 'prohibited', '-d compute'],
  keep: { before: 0, after: 6 },
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      const parts = pipeline(block.command);
      if (parts.length < 2 || !/\bnvidia-smi\b/.test(parts[0]!)) continue;
      const last = parts.at(-1)!;
      const output = filled(block.output);
      if (/^[ef]?grep\b.{0,20} -\w{0,6}c/.test(last) || /^[ef]?grep -\w{0,6}c\b/.test(last)) {
        const looked = /Exclusive[_ ]?(?:Process|Thread)|Prohibited/i.exec(last)?.[0];
        const [line] = output;
        if (looked !== undefined && line !== undefined && /^[1-9]\d{0,3}$/.test(line.clean.trim()))
          sink.add('gpu.compute-mode', looked.replace(' ', '_'), line);
      } else if (/^uniq -c\b/.test(last)) {
        for (const line of output.slice(0, 8)) {
          const found = mode.exec(line.clean)?.[1];
          if (found !== undefined) sink.add('gpu.compute-mode', found, line);
        }
      }
    }
  },
};
