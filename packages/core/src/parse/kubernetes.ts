// Kubernetes: what kubectl describes, and its JSON.
//
// $ kubectl describe node gpu-node-1 | grep nvidia.com
//                     nvidia.com/gpu.product=NVIDIA-H100-PCIe-MIG-1g.10gb
//                     nvidia.com/cuda.driver-version.full=550.135
//   nvidia.com/gpu:     7
//   nvidia.com/gpu     0           0
// {"apiVersion":"v1","kind":"Node","status":{"capacity":{"nvidia.com/gpu":"8"}, ...
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { wholeLine } from './blocks.ts';
import { addVariable } from './environment.ts';
import { addImage } from './images.ts';
import { addKernel } from './platform.ts';
import { cudaMinor, fullDriverRelease } from './releases.ts';

/** Tables or documents of one kind that are read in one text; each is read over many lines. */
const mostTables = 40;

/** Model from a node label: dashes stand for blanks, `-SHARED` and the MIG profile are no part of it. */
function labelName(text: string): string {
  return text
    .replace(/-SHARED$/, '')
    .replace(/-MIG-\d.{0,20}$/, '')
    .replaceAll('-', ' ');
}

function addLabel(name: string, value: string, line: Line, sink: FactSink): void {
  sink.add('k8s.resource', { name, value }, line);
  if (name === 'nvidia.com/gpu.product') sink.add('gpu.name', labelName(value), line);
  else if (name === 'nvidia.com/cuda.driver-version.full') {
    const release = fullDriverRelease(value);
    if (release !== null) sink.add('driver.version', release, line);
  } else if (name === 'nvidia.com/cuda.runtime-version.full') {
    const cuda = cudaMinor(value);
    if (cuda !== null) sink.add('driver.cuda', cuda, line);
  }
}

/** Labels that carry one number of a version each, joined where all of them are there. */
function addParts(parts: ReadonlyMap<string, string>, line: Line, sink: FactSink): void {
  const number = (name: string): string | undefined => parts.get(`nvidia.com/${name}`);
  const [major, minor, rev] = [number('cuda.driver.major'), number('cuda.driver.minor'), number('cuda.driver.rev')];
  const release =
    major === undefined || minor === undefined
      ? null
      : fullDriverRelease([major, minor, ...(rev === undefined || rev === '' ? [] : [rev])].join('.'));
  if (release !== null) sink.add('driver.version', release, line);
  const cuda = cudaMinor(`${number('cuda.runtime.major') ?? ''}.${number('cuda.runtime.minor') ?? ''}`);
  if (cuda !== null) sink.add('driver.cuda', cuda, line);
  const [ccMajor, ccMinor] = [number('gpu.compute.major'), number('gpu.compute.minor')];
  if (/^\d{1,2}$/.test(ccMajor ?? '') && /^\d$/.test(ccMinor ?? ''))
    sink.add('gpu.compute-capability', `${ccMajor!}.${ccMinor!}`, line);
}

export const kubernetesText: Parser = {
  id: 'kubernetes',
  literals: ['nvidia.com/', 'oomkilled'],
  parse(_document, hits, sink) {
    const parts = new Map<string, string>();
    let last: Line | null = null;
    for (const line of hits) {
      if (line.prompt) continue;
      if (line.clean.length > 400) continue;
      const text = line.clean.trim();
      const match =
        /^(?:Labels: {1,20}|Annotations: {1,20}|- )?"?(nvidia\.com\/[\w.-]{1,80})"?(?:=|: {0,20})"?([\w.-]{1,80})"?,?$/.exec(
          text,
        );
      if (match !== null && !line.told) {
        addLabel(match[1]!, match[2]!, line, sink);
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

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

function field(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const key of path) {
    if (at === null || typeof at !== 'object' || Array.isArray(at)) return undefined;
    at = (at as { readonly [key: string]: Json })[key];
  }
  return at;
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function word(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
}

const longestJson = 4 * 1024 * 1024;

export const kubernetesJson: Parser = {
  id: 'kubernetes-json',
  literals: ['"apiversion"'],
  keep: { before: 2, after: 400 },
  parse(document, hits, sink) {
    let done = -1;
    for (const hit of hits.slice(0, mostTables)) {
      if (hit.index <= done || hit.prompt || hit.column > 1) continue;
      const start = startOf(document, hit);
      if (start === null) continue;
      const region = jsonAt(document, start);
      if (region === null) continue;
      done = region.last;
      const lines = document.lines.slice(start.index, region.last + 1);
      readObject(region.value, new Finder(lines), sink);
    }
  },
};

/** Finds the line that shows a value. */
class Finder {
  readonly lines: readonly Line[];
  constructor(lines: readonly Line[]) {
    this.lines = lines;
  }
  of(...texts: readonly string[]): Line {
    return (
      this.lines.find((line) => texts.every((text) => line.text.includes(text))) ??
      this.lines.find((line) => texts.some((text) => line.text.includes(text))) ??
      this.lines[0]!
    );
  }
}

function startOf(document: Document, hit: Line): Line | null {
  for (let at = hit.index; at >= Math.max(0, hit.index - 3); at--) {
    const line = document.lines[at]!;
    if (line.prompt) return null;
    if (line.clean.trimStart().startsWith('{')) return line;
  }
  return null;
}

/** The JSON value that begins at a line: lines are taken until its brackets are closed. */
function jsonAt(document: Document, start: Line): { readonly value: Json; readonly last: number } | null {
  let text = '';
  let depth = 0;
  let inString = false;
  let at = start.index;
  while (at < document.lines.length) {
    const line = document.lines[at]!;
    if (line.prompt) return null;
    const whole = wholeLine(document, line);
    for (let i = 0; i < whole.text.length; i++) {
      const char = whole.text.charAt(i);
      if (inString) {
        if (char === '\\') i++;
        else if (char === '"') inString = false;
      } else if (char === '"') inString = true;
      else if (char === '{' || char === '[') depth++;
      else if (char === '}' || char === ']') depth--;
    }
    text += `${whole.text}\n`;
    at = whole.next;
    if (depth <= 0) break;
    if (text.length > longestJson) return null;
  }
  try {
    return { value: JSON.parse(text) as Json, last: at - 1 };
  } catch {
    return null;
  }
}

function readObject(value: Json, finder: Finder, sink: FactSink): void {
  const kind = word(field(value, 'kind'));
  if (kind === 'List' || kind?.endsWith('List') === true) {
    for (const item of list(field(value, 'items')).slice(0, 2000)) readObject(item, finder, sink);
  } else if (kind === 'Node') readNode(value, finder, sink);
  else if (kind === 'Pod') readPod(value, finder, sink);
}

function readNode(node: Json, finder: Finder, sink: FactSink): void {
  const parts = new Map<string, string>();
  for (const [name, value] of entries(field(node, 'metadata', 'labels'))) {
    if (!name.startsWith('nvidia.com/')) continue;
    addLabel(name, value, finder.of(`"${name}"`), sink);
    parts.set(name, value);
  }
  const [first] = parts.keys();
  if (first !== undefined) addParts(parts, finder.of(`"${first}"`), sink);
  for (const kind of ['capacity', 'allocatable']) {
    for (const [name, value] of entries(field(node, 'status', kind))) {
      if (name.startsWith('nvidia.com/'))
        sink.add('k8s.resource', { name: `${kind} ${name}`, value }, finder.of(`"${kind}"`, `"${name}"`));
    }
  }
  const info = field(node, 'status', 'nodeInfo');
  const kernel = word(field(info, 'kernelVersion'));
  if (kernel !== null) addKernel(kernel, finder.of('"kernelVersion"'), sink);
  const os = word(field(info, 'osImage'));
  if (os !== null) sink.add('os.name', os, finder.of('"osImage"'));
}

function entries(value: Json | undefined): readonly (readonly [string, string])[] {
  if (value === null || value === undefined || typeof value !== 'object' || Array.isArray(value)) return [];
  return Object.entries(value as { readonly [key: string]: Json }).flatMap(([name, each]) => {
    const text = word(each);
    return text === null ? [] : [[name, text] as const];
  });
}

function readPod(pod: Json, finder: Finder, sink: FactSink): void {
  const runtime = word(field(pod, 'spec', 'runtimeClassName'));
  if (runtime !== null) sink.add('k8s.pod-runtime-class', runtime, finder.of('"runtimeClassName"'));
  for (const container of list(field(pod, 'spec', 'containers'))) {
    const image = word(field(container, 'image'));
    if (image !== null) addImage(image, finder.of(`"${image}"`), sink);
    for (const variable of list(field(container, 'env'))) {
      const name = word(field(variable, 'name'));
      const value = word(field(variable, 'value'));
      if (name !== null && value !== null) addVariable(name, value, finder.of(`"${name}"`), sink);
    }
    for (const [name, value] of entries(field(container, 'resources', 'limits'))) {
      if (name.startsWith('nvidia.com/'))
        sink.add('k8s.resource', { name: `limits ${name}`, value }, finder.of('"limits"', `"${name}"`));
    }
  }
  for (const status of list(field(pod, 'status', 'containerStatuses'))) {
    for (const state of ['state', 'lastState']) {
      const ended = field(status, state, 'terminated');
      const code = field(ended, 'exitCode');
      if (typeof code === 'number') sink.add('program.exit', { code }, finder.of('"exitCode"', '"terminated"'));
      if (word(field(ended, 'reason')) === 'OOMKilled') {
        const name = word(field(status, 'name')) ?? 'container';
        sink.add(
          'os.oom-kill',
          { process: name, pid: null, memcg: true, limitKiB: null, anonKiB: null, shmemKiB: null, group: null },
          finder.of('"OOMKilled"'),
        );
      }
    }
  }
}
