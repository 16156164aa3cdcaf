// How Kubernetes and Slurm are set up.
//
// $ kubectl get runtimeclass
// NAME     HANDLER   AGE
// nvidia   nvidia    12d
//   runtimeClassName: nvidia            (pod)
// Runtime Class Name:  nvidia           (kubectl describe pod)
// cgroup.conf: ConstrainDevices=no
// $ sudo systemctl daemon-reload
import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';
import { words } from './values.ts';

export const kubernetesRuntimeClasses: Parser = {
  id: 'runtime-classes',
  literals: ['runtimeclass', 'runtime class name:'],
  keep: { before: 0, after: 8 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const pod =
        /^\s{0,24}(?:-\s)?"?runtimeClassName"?:\s{0,4}"?([\w.-]{1,80})"?,?\s*$|^\s{0,8}Runtime Class Name:\s{1,12}([\w.-]{1,80})/.exec(
          line.clean,
        );
      const name = pod?.[1] ?? pod?.[2];
      if (name !== undefined) sink.add('k8s.pod-runtime-class', name, line);
    }
    for (const block of blocksOf(document)) {
      if (
        /\b(?:kubectl|oc)\b.{0,80}\bget (?:runtimeclass(?:es)?|runtimeclasses\.node\.k8s\.io)\b/.test(block.command)
      ) {
        const output = filled(block.output);
        if (output.some((line) => /\bNo resources found\b/.test(line.clean)) || output.length === 0) {
          sink.add('k8s.runtime-classes', [], [block.prompt, ...output]);
          continue;
        }
        const lines = output.filter((line) => /^[a-z0-9][\w.-]{0,60}\s{1,40}\S/.test(line.clean));
        if (lines.length > 0)
          sink.add(
            'k8s.runtime-classes',
            lines.map((line) => words(line.clean)[0]!),
            lines,
          );
      }
      // `kubectl get pod x -o yaml | grep runtimeClass` that prints nothing: the pod asks for none.
      if (
        /\b(?:kubectl|oc)\b.{0,200}\|\s{0,3}\w{0,2}grep\b.{0,20}runtimeClass/i.test(block.command) &&
        !/get runtimeclass/i.test(block.command)
      ) {
        const output = filled(block.output);
        if (output.length === 0 || (output.length === 1 && output[0]!.clean.trim() === '0')) {
          sink.add('k8s.pod-runtime-class', '', [block.prompt, ...output]);
        }
      }
      if (/\b(?:kubectl|oc)\b.{0,200}jsonpath.{0,40}runtimeClassName/.test(block.command)) {
        const output = filled(block.output);
        if (output.length === 0) sink.add('k8s.pod-runtime-class', '', block.prompt);
        else if (/^'?[\w.-]{1,60}'?$/.test(output[0]!.clean.trim()))
          sink.add('k8s.pod-runtime-class', output[0]!.clean.trim().replaceAll("'", ''), output[0]!);
      }
    }
  },
};

const slurmKeys =
  /(?:^|[\s(:])(ConstrainDevices|ConstrainCores|ConstrainRAMSpace|TaskPlugin|ProctrackType|GresTypes|CgroupAutomount|SelectType)\s{0,40}=\s{0,3}([\w/,.-]{1,200})/gi;

export const slurmSettings: Parser = {
  id: 'slurm-settings',
  literals: [
    'constraindevices',
    'constraincores',
    'constrainram',
    'taskplugin',
    'proctracktype',
    'grestypes',
    'cgroup.conf',
  ],
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || /^\s{0,8}#\s{0,4}Constrain/i.test(line.clean)) continue;
      for (const match of line.clean.matchAll(slurmKeys)) {
        sink.add('slurm.setting', { name: match[1]!.toLowerCase(), value: match[2]!.toLowerCase() }, line);
      }
    }
    for (const block of blocksOf(document)) {
      if (!/\bcgroup\.conf\b/.test(block.command)) continue;
      const output = filled(block.output);
      // Without the line, devices are not constrained (default: no).
      const shown = /\bcat\b/.test(block.command) || /\bgrep\b.{0,40}ConstrainDevices/i.test(block.command);
      if (!shown || output.some((line) => /^\s{0,8}ConstrainDevices/i.test(line.clean.replace(/^\S{0,120}:/, ''))))
        continue;
      if (output.length > 0 || /\bgrep\b/.test(block.command)) {
        sink.add('slurm.setting', { name: 'constraindevices', value: 'no' }, [block.prompt, ...output.slice(0, 3)]);
      }
    }
  },
};

/** `srun --gres=gpu:1 nvidia-smi -L`: how many GPUs a job asked for, and how many it sees. */
export const slurmGpus: Parser = {
  id: 'slurm-gpus',
  literals: ['--gres', '--gpus'],
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      const asked =
        /\b(?:srun|salloc|sbatch)\b.{0,200}?(?:--gres[= ]gpu:(?:[a-zA-Z]\w{0,30}:)?|--gpus(?:-per-(?:node|task))?[= ](?:[a-zA-Z]\w{0,30}:)?)(\d{1,3})\b/.exec(
          block.command,
        );
      if (asked === null || !/nvidia-smi/.test(block.command)) continue;
      const output = filled(block.output);
      const lines = output.filter((line) => /^ {0,4}(?:\d{1,3}: ?)?GPU \d{1,3}: \S/.test(line.clean));
      const only = output.length === 1 ? output[0]!.clean.trim() : '';
      const counted = /\|\s{0,3}(?:wc -l|grep -c)/.test(block.command) && /^\d{1,3}$/.test(only) ? Number(only) : null;
      if (lines.length > 0 && !block.command.includes('|'))
        sink.add('slurm.gpus', { asked: Number(asked[1]), sees: lines.length }, [block.prompt, ...lines]);
      else if (counted !== null)
        sink.add('slurm.gpus', { asked: Number(asked[1]), sees: counted }, [block.prompt, output[0]!]);
    }
  },
};

/** A process' variables as a dictionary: `{'CUDA_VISIBLE_DEVICES': ''}`. */
export const dictionaryVariables: Parser = {
  id: 'env-dictionary',
  literals: ["'cuda_visible_devices':", '"cuda_visible_devices":'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) continue;
      const match = /['"]CUDA_VISIBLE_DEVICES['"]:\s{0,3}(?:['"]([^'"]{0,400})['"]|None\b)/.exec(line.clean);
      if (match !== null) sink.add('env', { name: 'CUDA_VISIBLE_DEVICES', value: match[1] ?? '' }, line);
    }
  },
};

/** Slurm's word for a job without GPUs. */
export const slurmNoDevices: Parser = {
  id: 'slurm-no-devices',
  literals: ['nodevfiles'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (!line.prompt) sink.add('env', { name: 'CUDA_VISIBLE_DEVICES', value: 'NoDevFiles' }, line);
    }
  },
};

export const daemonReloads: Parser = {
  id: 'daemon-reload',
  literals: ['daemon-reload', 'daemon reload', 'systemd[1]: reloading', 'reloading requested from client'],
  parse(_document, hits, sink) {
    const lines: Line[] = [];
    for (const line of hits) {
      const told =
        line.told ||
        !(line.prompt || /systemd\[1\]: Reloading|Reloading requested from client|^systemd: Reloading/.test(line.text));
      if (/[Ww]arning: The unit file/.test(line.clean)) continue;
      if (told) sink.add('os.daemon-reload', true, line, { told: line.told });
      else lines.push(line);
    }
    for (const line of lines.slice(0, 4)) sink.add('os.daemon-reload', true, line, { told: false });
  },
};
