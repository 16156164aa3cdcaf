// Tables of kubectl.
//
// $ kubectl get events
// LAST SEEN   TYPE      REASON             OBJECT        MESSAGE
// 2m10s       Warning   FailedScheduling   pod/train-1   0/9 nodes are available: 8 Insufficient nvidia.com/gpu. …
// $ kubectl get pods -o wide
// NAME      READY   STATUS             RESTARTS      AGE   IP           NODE       NOMINATED NODE   READINESS GATES
// train-0   0/1     CrashLoopBackOff   4 (10s ago)   3m    10.42.1.17   trn-0412   <none>           <none>
// $ kubectl get nodes -o wide
// NAME       STATUS     ROLES    AGE   VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE             KERNEL-VERSION      CONTAINER-RUNTIME
// trn-0412   NotReady   <none>   40d   v1.31.4   10.0.0.5      <none>        Ubuntu 22.04.5 LTS   5.15.0-119-generic  containerd://1.7.24
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { cellsBelow, columnsOf } from './columns.ts';
import { addEngine, oneLine } from './kubernetes-objects.ts';
import { addKernel } from './platform.ts';
import { integer, known } from './values.ts';

const mostRows = 5000;

type Row = (cells: ReadonlyMap<string, string>, line: Line, sink: FactSink) => void;

const eventRow: Row = (cells, line, sink) => {
  const type = cells.get('TYPE');
  const reason = cells.get('REASON');
  const message = cells.get('MESSAGE');
  if ((type !== 'Warning' && type !== 'Normal') || reason === undefined || message === undefined) return;
  sink.add(
    'k8s.event',
    {
      type,
      reason,
      object: known(cells.get('OBJECT')) ?? null,
      message: oneLine(message) ?? '',
      count: integer(cells.get('COUNT')),
      time: null,
    },
    line,
  );
};

const podRow: Row = (cells, line, sink) => {
  const name = cells.get('NAME');
  const status = cells.get('STATUS');
  if (name === undefined || status === undefined || !/^\d{1,3}\/\d{1,3}$/.test(cells.get('READY') ?? '')) return;
  sink.add(
    'k8s.pod',
    {
      name,
      namespace: known(cells.get('NAMESPACE')) ?? null,
      phase: status,
      reason: null,
      message: null,
      node: known(cells.get('NODE')) ?? null,
    },
    line,
  );
};

const nodeRow: Row = (cells, line, sink) => {
  const name = cells.get('NAME');
  const status = cells.get('STATUS');
  if (name === undefined || status === undefined || !/^(?:Not)?Ready\b|^Unknown\b/.test(status)) return;
  sink.add(
    'k8s.condition',
    {
      kind: 'Node',
      name,
      type: 'Ready',
      status: status.startsWith('Ready') ? 'True' : status.startsWith('NotReady') ? 'False' : 'Unknown',
      reason: null,
      message: null,
    },
    line,
  );
  if (status.includes('SchedulingDisabled'))
    sink.add(
      'k8s.taint',
      { node: name, key: 'node.kubernetes.io/unschedulable', value: null, effect: 'NoSchedule' },
      line,
    );
  const kernel = known(cells.get('KERNEL-VERSION'));
  if (kernel !== null) addKernel(kernel, line, sink);
  addEngine(cells.get('CONTAINER-RUNTIME') ?? null, { line }, sink);
};

const heads: readonly (readonly [RegExp, Row])[] = [
  [/^(?:NAMESPACE {2,60})?LAST SEEN {2,20}TYPE {2,20}REASON\b/, eventRow],
  [/^(?:NAMESPACE {2,80})?NAME {2,120}READY {2,10}STATUS\b/, podRow],
  [/^NAME {2,120}STATUS {2,40}ROLES\b/, nodeRow],
];

export const kubectlGet: Parser = {
  id: 'kubectl-get',
  literals: ['last seen', 'ready   status', 'ready  status', 'roles  ', 'status   roles'],
  keep: { before: 0, after: 200 },
  parse(document, hits, sink) {
    let done = -1;
    for (const hit of hits) {
      if (hit.index <= done || hit.prompt || hit.told) continue;
      const row = heads.find(([head]) => head.test(hit.clean))?.[1];
      if (row !== undefined) done = readTable(document, hit, row, sink);
    }
  },
};

function readTable(document: Document, head: Line, row: Row, sink: FactSink): number {
  const columns = columnsOf(head.clean);
  let at = head.index + 1;
  for (; at < Math.min(document.lines.length, head.index + mostRows); at++) {
    const line = document.lines[at]!;
    if (line.prompt || line.told) break;
    if (line.clean.length > 4000) continue;
    const cells = cellsBelow(columns, line.clean);
    if (cells === null) {
      if (line.clean.trim() === '') break;
      continue;
    }
    row(cells, line, sink);
  }
  return at - 1;
}
