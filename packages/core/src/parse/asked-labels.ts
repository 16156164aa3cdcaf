// What kubectl prints when single fields are asked for.
//
// $ kubectl get node g1 -o jsonpath='{.metadata.labels.nvidia\.com/gpu\.replicas}{" "}{.metadata.labels.nvidia\.com/gpu\.sharing-strategy}'
// 4 time-slicing
// $ kubectl get node g1 -o json | jq -r '.metadata.labels["nvidia.com/mig.strategy"], .spec.unschedulable'
// mixed
// true
// $ kubectl get pod job-0 -o jsonpath='{.spec.containers[0].resources.limits}'
// {"nvidia.com/gpu":"8"}
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import type { Block } from './blocks.ts';
import { blocksOf, filled } from './blocks.ts';
import { addLabel } from './kubernetes-labels.ts';

export const askedLabels: Parser = {
  id: 'kubernetes',
  literals: ['nvidia.com/', 'nvidia\\.com/'],
  keep: { before: 1, after: 2 },
  parse(document, _hits, sink) {
    for (const block of blocksOf(document).slice(0, 400)) {
      if (!/\b(?:kubectl|oc)\b|^jq\b/.test(block.command)) continue;
      const output = filled(block.output);
      if (/\bget (?:no|nodes?)\b/.test(block.command)) labelsOf(block, output, sink);
      if (/\.resources\b/.test(block.command) && /\bget (?:po|pods?|deploy\w{0,6}|job|ds)\b/.test(block.command))
        for (const line of output.slice(0, 40)) requestsOf(line, sink);
    }
  },
};

/** A label's name as a path of jsonpath writes it. */
function plain(text: string): string {
  return text.replaceAll('\\', '');
}

function labelsOf(block: Block, output: readonly Line[], sink: FactSink): void {
  const first = output[0];
  if (first === undefined) return;
  if (/jsonpath/.test(block.command)) {
    const paths = [...block.command.slice(0, 4000).matchAll(/\{(\.[^{}]{1,200})\}/g)].map((match) => match[1]!);
    const names = paths.map((path) => /\.labels\.(nvidia[\w\\./-]{2,120})$/.exec(path)?.[1]);
    const values = first.clean.trim().split(/[\s,;|]{1,8}/);
    if (/\{range\b/.test(block.command) || values.length !== names.length) return;
    for (const [at, name] of names.entries())
      if (name !== undefined && values[at] !== '') addLabel(plain(name), values[at]!, first, sink);
    return;
  }
  const filter = /\bjq\b (?:-\w{1,4} ){0,3}'([^']{1,2000})'/.exec(block.command)?.[1];
  if (filter === undefined) return;
  const wanted = filter.split(',').map((part) => /\.labels\["(nvidia[\w./-]{2,120})"\]\s{0,4}$/.exec(part.trim())?.[1]);
  if (output.length % wanted.length !== 0) return;
  for (const [at, line] of output.slice(0, 200).entries()) {
    const name = wanted[at % wanted.length];
    const value = line.clean.trim().replace(/^"|"$/g, '');
    if (name !== undefined && value !== 'null' && value !== '') addLabel(name, value, line, sink);
  }
}

function requestsOf(line: Line, sink: FactSink): void {
  const pairs = line.clean.slice(0, 2000).matchAll(/"?(nvidia\.com\/[\w.-]{1,60})"?:\s?"?(\d{1,4})\b/g);
  const asked = new Map([...pairs].map((match) => [match[1]!, Number(match[2])]));
  for (const [resource, count] of asked)
    sink.add('k8s.device-request', { pod: null, container: '', resource, count }, line);
}
