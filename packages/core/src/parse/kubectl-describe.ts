// What kubectl describes, in indented text.
//
// Name:             train-0
// Namespace:        ml
// Node:             trn-0412/10.0.0.5
// Status:           Pending
// Containers:
//   main:
//     State:          Waiting
//       Reason:       CrashLoopBackOff
//     Last State:     Terminated
//       Reason:       OOMKilled
//       Exit Code:    137
//     Limits:
//       nvidia.com/gpu:  1
// Conditions:
//   Type              Status
//   Ready             False
// Events:
//   Type     Reason                  Age               From     Message
//   ----     ------                  ----              ----     -------
//   Warning  FailedCreatePodSandBox  2s (x3 over 20s)  kubelet  Failed to create pod sandbox: …
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { addVariable } from './environment.ts';
import { addDeviceResource, isDeviceResource, mebibytesOf, oneLine } from './kubernetes-objects.ts';
import { integer, keyValue, known } from './values.ts';

const mostDescriptions = 400;
const longest = 4000;

interface Entry {
  readonly key: string;
  readonly value: string;
  readonly indent: number;
  readonly line: Line;
}

export const kubectlDescribe: Parser = {
  id: 'kubectl-describe',
  literals: ['name:  ', 'events:', 'last seen', 'conditions:'],
  keep: { before: 2, after: 300 },
  parse(document, hits, sink) {
    let done = -1;
    let count = 0;
    for (const hit of hits) {
      if (hit.index <= done || hit.prompt || hit.told || !/^Name: {2,20}\S/.test(hit.clean)) continue;
      const near = document.lines.slice(hit.index + 1, hit.index + 8);
      const node = near.some((line) => /^Roles: {2,20}/.test(line.clean));
      const pod = near.some((line) =>
        /^(?:Priority|Service Account|Node|Start Time|Runtime Class Name): {2,20}|^Containers:$/.test(line.clean),
      );
      if (++count > mostDescriptions || (!node && !pod)) continue;
      done = new Description(document, hit, node ? 'Node' : 'Pod', sink).read();
    }
    // Events that were cut off from what they belong to.
    for (const hit of hits) {
      if (hit.index > done && /^Events:\s*$/.test(hit.clean) && !hit.prompt)
        done = new Description(document, hit, 'Pod', sink).readEventsOnly();
    }
  },
};

class Description {
  private readonly document: Document;
  private readonly start: Line;
  private readonly kind: 'Node' | 'Pod';
  private readonly sink: FactSink;
  private name: string | null = null;
  private readonly top = new Map<string, Entry>();
  private readonly resources = new Map<
    string,
    { capacity: number | null; allocatable: number | null; allocated: number | null; lines: Line[] }
  >();
  private stack: Entry[] = [];
  private state: { last: boolean; entry: Entry; fields: Map<string, Entry> } | null = null;
  private restarts: { container: string; last: boolean; entry: Entry; fields: Map<string, Entry> }[] = [];

  constructor(document: Document, start: Line, kind: 'Node' | 'Pod', sink: FactSink) {
    this.document = document;
    this.start = start;
    this.kind = kind;
    this.sink = sink;
  }

  read(): number {
    const { lines } = this.document;
    const last = Math.min(lines.length, this.start.index + longest);
    let at = this.start.index;
    let section = '';
    for (; at < last; at++) {
      const line = lines[at]!;
      if (line.prompt || line.told) break;
      const text = line.clean.trimEnd();
      if (text === '') continue;
      const indent = text.length - text.trimStart().length;
      if (indent === 0) {
        const pair = keyValue(text);
        // Text of something else, or the description of the next object.
        if (pair === null || (at > this.start.index && /^Name: {2,}/.test(text))) break;
        this.endState();
        section = pair.key;
        this.stack = [{ ...pair, indent, line }];
        this.top.set(pair.key, { ...pair, indent, line });
        if (section === 'Taints') this.taint(pair.value, line);
        if (section === 'Events' && pair.value === '') at = this.events(at + 1) - 1;
        continue;
      }
      if (section === 'Conditions') this.condition(text.trim(), line);
      else if (section === 'Allocated resources') this.allocated(text.trim(), line);
      else if (section === 'Taints') this.taint(text.trim(), line);
      else this.nested(section, text.trim(), indent, line);
    }
    this.finish();
    return at - 1;
  }

  readEventsOnly(): number {
    return this.events(this.start.index + 1) - 1;
  }

  private nested(section: string, text: string, indent: number, line: Line): void {
    const pair = keyValue(text);
    if (pair === null || pair.key.length > 120) return;
    while (this.stack.length > 1 && this.stack[this.stack.length - 1]!.indent >= indent) this.stack.pop();
    const entry = { ...pair, indent, line };
    const parent = this.stack[this.stack.length - 1]?.key ?? '';
    this.stack.push(entry);
    if (this.state !== null && indent <= this.state.entry.indent) this.endState();
    if (section === 'Capacity' || section === 'Allocatable') this.resource(section, entry);
    else if (section === 'Containers' || section === 'Init Containers') this.container(parent, entry);
    else if (section === 'Volumes') this.volume(parent, entry);
    else if (section === 'System Info' && pair.key === 'Container Runtime Version') {
      const engine = /^([a-z][\w-]{2,20}):\/\/(\d[\w.+~-]{0,60})$/.exec(pair.value);
      if (engine !== null) this.sink.add('container.engine', { name: engine[1]!, version: engine[2]! }, line);
    }
  }

  private get container_(): string {
    return this.stack.find((entry) => entry.indent === 2)?.key ?? 'container';
  }

  private container(parent: string, entry: Entry): void {
    if (this.state !== null && entry.indent > this.state.entry.indent) {
      this.state.fields.set(entry.key, entry);
      return;
    }
    if (entry.key === 'State' || entry.key === 'Last State')
      this.state = { last: entry.key === 'Last State', entry, fields: new Map() };
    else if (entry.key === 'Restart Count') this.endContainer(integer(entry.value));
    else if (parent === 'Environment') addVariable(entry.key, entry.value, entry.line, this.sink);
    else if (parent === 'Limits' && isDeviceResource(entry.key)) {
      const count = integer(entry.value);
      if (count !== null)
        this.sink.add(
          'k8s.device-request',
          { pod: this.podName(), container: this.container_, resource: entry.key, count },
          entry.line,
        );
    }
  }

  private endState(): void {
    if (this.state === null) return;
    this.restarts.push({ container: this.container_, ...this.state });
    this.state = null;
  }

  private endContainer(restarts: number | null): void {
    for (const { container, last, entry, fields } of this.restarts) {
      const state = entry.value.toLowerCase();
      if (state !== 'waiting' && state !== 'running' && state !== 'terminated') continue;
      const lines = ['Reason', 'Exit Code', 'Message'].flatMap((key) => fields.get(key)?.line ?? []);
      this.sink.add(
        'k8s.container',
        {
          pod: this.podName(),
          name: container,
          state,
          reason: known(fields.get('Reason')?.value) ?? null,
          message: oneLine(fields.get('Message')?.value ?? null),
          exit: integer(fields.get('Exit Code')?.value),
          last,
          restarts,
        },
        [entry.line, ...lines],
      );
    }
    this.restarts = [];
  }

  private readonly mediums = new Map<string, Entry>();

  private volume(parent: string, entry: Entry): void {
    if (entry.key === 'Medium' && entry.value === 'Memory') this.mediums.set(parent, entry);
    const medium = this.mediums.get(parent);
    if (entry.key === 'SizeLimit' && medium !== undefined)
      this.sink.add(
        'k8s.memory-volume',
        { pod: this.podName(), path: null, sizeMiB: mebibytesOf(known(entry.value)) },
        [medium.line, entry.line],
      );
  }

  private resource(section: string, entry: Entry): void {
    if (!isDeviceResource(entry.key)) return;
    const value = integer(entry.value);
    const known_ = this.resourceOf(entry.key);
    known_[section === 'Capacity' ? 'capacity' : 'allocatable'] = value;
    known_.lines.push(entry.line);
  }

  private resourceOf(name: string): {
    capacity: number | null;
    allocatable: number | null;
    allocated: number | null;
    lines: Line[];
  } {
    const found = this.resources.get(name) ?? { capacity: null, allocatable: null, allocated: null, lines: [] };
    this.resources.set(name, found);
    return found;
  }

  private allocated(text: string, line: Line): void {
    const match = /^(\S{3,100}) {2,60}(\d{1,9})(?: \(\d{1,5}%\))? {1,60}\S/.exec(text);
    if (match === null || !isDeviceResource(match[1]!)) return;
    const found = this.resourceOf(match[1]!);
    found.allocated = Number(match[2]);
    found.lines.push(line);
  }

  private taint(text: string, line: Line): void {
    const match = /^([\w./-]{1,150})(?:=([\w.-]{0,80}))?:(NoSchedule|NoExecute|PreferNoSchedule)$/.exec(text);
    if (match !== null && this.kind === 'Node')
      this.sink.add(
        'k8s.taint',
        { node: this.nodeName(), key: match[1]!, value: match[2] ?? null, effect: match[3]! },
        line,
      );
  }

  private condition(text: string, line: Line): void {
    const parts = text.split(/ {2,}/);
    const [type, status] = parts;
    if (type === undefined || status === undefined || !/^(?:True|False|Unknown)$/.test(status)) return;
    const long = parts.length >= 6;
    this.sink.add(
      'k8s.condition',
      {
        kind: this.kind,
        name: this.kind === 'Node' ? this.nodeName() : this.podName(),
        type,
        status,
        reason: long ? parts[4]! : null,
        message: long ? oneLine(parts.slice(5).join(' ')) : null,
      },
      line,
    );
  }

  /** @returns the index of the line behind the table */
  private events(from: number): number {
    const { lines } = this.document;
    let at = from;
    for (; at < Math.min(lines.length, from + 500); at++) {
      const line = lines[at]!;
      const text = line.clean;
      if (line.prompt || line.told || (text.trim() !== '' && !/^\s/.test(text))) break;
      const match =
        /^ {1,8}(Normal|Warning) {2,20}(\S{2,60}) {2,60}(\S.{0,60}?) {2,40}(\S.{0,80}?) {2,40}(\S.{0,2000})$/.exec(
          text,
        );
      if (match === null) continue;
      const times = /\(x(\d{1,9}) over /.exec(match[3]!);
      // What follows without a type belongs to the message.
      const more: Line[] = [];
      while (more.length < 20) {
        const next = lines[at + 1 + more.length];
        if (next === undefined || next.prompt || !/^ {20,}\S|^\S(?!.*: {2,})/.test(next.clean)) break;
        if (/^ {1,8}(?:Normal|Warning) {2}/.test(next.clean)) break;
        if (!/^\s/.test(next.clean) && !/nvidia|error|failed|code =|exit status/i.test(next.clean)) break;
        more.push(next);
      }
      at += more.length;
      this.sink.add(
        'k8s.event',
        {
          type: match[1]!,
          reason: match[2]!,
          object: this.name === null && this.start.clean.startsWith('Events') ? null : this.object(),
          message: oneLine([match[5]!, ...more.map((each) => each.clean.trim())].join('\n')) ?? '',
          count: times === null ? 1 : Number(times[1]),
          time: null,
        },
        [line, ...more],
      );
    }
    return at;
  }

  private object(): string | null {
    const name = this.kind === 'Node' ? this.nodeName() : this.podName();
    return name === null ? null : `${this.kind.toLowerCase()}/${name}`;
  }

  private podName(): string | null {
    return this.kind === 'Pod' ? this.ownName() : null;
  }

  private nodeName(): string | null {
    return this.kind === 'Node' ? this.ownName() : null;
  }

  private ownName(): string | null {
    this.name ??= this.top.get('Name')?.value ?? null;
    return this.name;
  }

  private finish(): void {
    this.endState();
    this.endContainer(null);
    for (const [resource, { capacity, allocatable, allocated, lines }] of this.resources) {
      if (lines.length === 0) continue;
      addDeviceResource({ node: this.nodeName(), resource, capacity, allocatable, allocated }, lines, this.sink);
    }
    const status = this.top.get('Status');
    const name = this.ownName();
    if (this.kind === 'Pod' && status !== undefined && name !== null) {
      const reason = this.top.get('Reason');
      const message = this.top.get('Message');
      this.sink.add(
        'k8s.pod',
        {
          name,
          namespace: this.top.get('Namespace')?.value ?? null,
          phase: status.value,
          reason: known(reason?.value) ?? null,
          message: oneLine(message?.value ?? null),
          node: known(this.top.get('Node')?.value.split('/')[0]) ?? null,
        },
        [status.line, ...(reason === undefined ? [] : [reason.line]), ...(message === undefined ? [] : [message.line])],
      );
    }
  }
}
