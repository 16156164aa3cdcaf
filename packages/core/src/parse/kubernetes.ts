// Kubernetes: what kubectl describes, and its JSON.
//
// $ kubectl describe node gpu-node-1 | grep nvidia.com
//                     nvidia.com/gpu.product=NVIDIA-H100-PCIe-MIG-1g.10gb
//                     nvidia.com/cuda.driver-version.full=550.135
//   nvidia.com/gpu:     7
//   nvidia.com/gpu     0           0
// {"apiVersion":"v1","kind":"Node","status":{"capacity":{"nvidia.com/gpu":"8"}, ...
import type { Line } from '../model/document.ts';
import type { Parser } from './parser.ts';
import { addLabel, addParts } from './kubernetes-labels.ts';
import { readApiObject } from './kubernetes-objects.ts';
import { objectsOf } from './objects.ts';

/** Lines that are looked at; long lists of objects are read as objects. */
const mostLines = 20_000;

export const kubernetesText: Parser = {
  id: 'kubernetes',
  literals: ['nvidia.com/', 'oomkilled'],
  parse(_document, hits, sink) {
    const parts = new Map<string, string>();
    let last: Line | null = null;
    for (const line of hits.slice(0, mostLines)) {
      if (line.prompt) continue;
      if (line.clean.length > 400) continue;
      const text = line.clean.trim();
      const match =
        /^(?:Labels: {1,20}|Annotations: {1,20}|- )?"?(nvidia\.com\/[\w.-]{1,80})"?(?:=|: {0,20})"?([\w.-]{1,80})"?,?$/.exec(
          text,
        );
      // `nvidia.com/gpu=0` names a device of CDI, `nvidia.com/gpu.count=8` is a label.
      if (match !== null && /=/.test(text) && !/\/\w{1,30}\./.test(match[1]!)) continue;
      if (match !== null && !line.told) {
        addLabel(match[1]!, match[2]!, line, sink);
        if (/\/\w{1,30}\./.test(match[1]!))
          sink.add('k8s.label', { node: null, name: match[1]!, value: match[2]! }, line);
        parts.set(match[1]!, match[2]!);
        last = line;
        continue;
      }
      const allocated = /^(nvidia\.com\/[\w.-]{1,60}) {2,40}(\d{1,6}) {1,40}(\d{1,6})$/.exec(text);
      if (allocated !== null)
        sink.add('k8s.resource', { name: `allocated ${allocated[1]!}`, value: allocated[2]! }, line);
      const killed =
        /^(?:Reason: {1,20}|reason: "?)OOMKilled\b/.test(text) ||
        /^\S{1,200} {1,40}\d{1,3}\/\d{1,3} {1,40}OOMKilled\b/.test(text);
      if (killed) {
        const process = /^\S{1,200}(?= {1,40}\d{1,3}\/)/.exec(text)?.[0] ?? 'container';
        sink.add(
          'os.oom-kill',
          { process, pid: null, memcg: true, limitKiB: null, anonKiB: null, shmemKiB: null, group: null },
          line,
        );
      }
      const told = /\b(nvidia\.com\/(?:gpu|mig-[\w.]{1,20})): {0,4}(\d{1,4})\b/.exec(text);
      if (told !== null && line.told) sink.add('k8s.resource', { name: told[1]!, value: told[2]! }, line);
    }
    if (last !== null) addParts(parts, last, sink);
  },
};

export const kubernetesJson: Parser = {
  id: 'kubernetes-objects',
  literals: ['"apiversion"', 'apiversion:', 'nodeinfo', 'containerstatuses'],
  keep: { before: 2, after: 400 },
  parse(document, _hits, sink) {
    for (const { root } of objectsOf(document)) {
      for (const object of root.list ?? [root]) readApiObject(object, sink);
    }
  },
};
