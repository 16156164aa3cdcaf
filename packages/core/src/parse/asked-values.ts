// What a command prints that asks for one thing only, or for a table of its own.
//
// $ sudo crictl info | jq '.config.containerd.defaultRuntimeName'
// "runc"
// $ kubectl get node n1 -o jsonpath='{.status.nodeInfo.architecture}'
// amd64
// $ ssh n1 'lspci | grep -ci nvidia'
// 0
// $ sinfo -N -o '%N %G %t'
// NODELIST GRES STATE
// n1 (null) idle
// $ kubectl get resourceclaim -A
// NAMESPACE   NAME              STATE                AGE
// team-a      train-gpu-6x2ml   allocated,reserved   3h
// $ kubectl get resourceslices
// No resources found
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import type { Block } from './blocks.ts';
import { blocksOf, filled } from './blocks.ts';
import { cellsBelow, columnsOf } from './columns.ts';

const mostRows = 2000;

type Reader = (block: Block, output: readonly Line[], sink: FactSink) => void;

const runtime: Reader = (_block, output, sink) => {
  const name = /^"?([\w.-]{2,60})"?$/.exec(output[0]?.clean.trim() ?? '')?.[1];
  if (name !== undefined && name !== 'null') sink.add('container.default-runtime', name, output[0]!);
};

const names: Readonly<Record<string, 'x86_64' | 'aarch64' | 'ppc64le'>> = {
  amd64: 'x86_64',
  x86_64: 'x86_64',
  arm64: 'aarch64',
  aarch64: 'aarch64',
  ppc64le: 'ppc64le',
};

const nodeArchitecture: Reader = (_block, output, sink) => {
  const arch = names[output[0]?.clean.trim().replace(/^"|"$/g, '') ?? ''];
  if (arch !== undefined) sink.add('os.arch', arch, output[0]!);
};

const counted: Reader = (_block, output, sink) => {
  const count = /^\d{1,3}$/.exec(output[0]?.clean.trim() ?? '')?.[0];
  if (count === '0') sink.add('pci.gpus-counted', 0, output[0]!);
};

const slurmNodes: Reader = (_block, output, sink) => {
  const [head] = output;
  if (head === undefined || !/\bGRES\b/.test(head.clean)) return;
  const columns = head.clean.trim().split(/\s{1,40}/);
  const [name, gres, state] = ['NODELIST', 'GRES', 'STATE'].map((each) => columns.indexOf(each));
  for (const line of output.slice(1, mostRows)) {
    const cells = line.clean.trim().split(/\s{1,40}/);
    if (cells.length !== columns.length || name === undefined || gres === undefined || name < 0 || gres < 0) continue;
    if (cells[gres] !== '(null)') continue;
    sink.add(
      'slurm.node',
      {
        name: cells[name]!,
        state: state === undefined || state < 0 ? '' : cells[state]!,
        reason: null,
        gpus: 0,
        gpusUsed: null,
      },
      line,
    );
  }
};

const claims: Reader = (_block, output, sink) => {
  const [head] = output;
  if (head === undefined || !/^(?:NAMESPACE {2,80})?NAME {2,120}.{0,120}\bSTATE\b/.test(head.clean)) return;
  const columns = columnsOf(head.clean);
  for (const line of output.slice(1, mostRows)) {
    const cells = cellsBelow(columns, line.clean.slice(0, 2000));
    const [name, state] = [cells?.get('NAME'), cells?.get('STATE')];
    if (name !== undefined && state !== undefined && /^[a-z,]{4,60}$/.test(state))
      sink.add('k8s.resource-claim', { name, state }, line);
  }
};

const slices: Reader = (_block, output, sink) => {
  const [head] = output;
  if (head === undefined) return;
  if (/^No resources found/.test(head.clean)) sink.add('k8s.resource-slices', 0, head);
  else if (/^NAME {2,200}NODE {2,120}DRIVER\b/.test(head.clean) && output.length > 1)
    sink.add('k8s.resource-slices', Math.min(output.length, mostRows) - 1, [head, output[1]!]);
};

const imageArchitecture: Reader = (_block, output, sink) => {
  for (const line of output.slice(0, 400)) {
    const name = /^\s{0,12}(?:"?Architecture"?:\s{0,4})?"?(amd64|x86_64|arm64|aarch64|ppc64le)"?,?\s{0,4}$/i.exec(
      line.clean,
    )?.[1];
    const arch = name === undefined ? undefined : names[name.toLowerCase()];
    if (arch === undefined) continue;
    sink.add('image.architecture', arch, line);
    return;
  }
};

const submitted: Reader = (block, output, sink) => {
  const job = output.find((line) => /^Job <\d{1,12}> is submitted to (?:default )?queue </.test(line.clean));
  if (job !== undefined && !/<<|\s<\s?\S/.test(block.command))
    sink.add('lsf.submitted', { gpus: /\s-gpu\b|ngpus|-R.{0,200}\bgpu/.test(block.command) }, job);
};

/** Commands, and who reads what they print. */
const adapterNodes: Reader = (_block, output, sink) => {
  const lines = output.filter((line) => /\buverbs\d{1,3}\b/.test(line.clean));
  const count = lines.reduce((sum, line) => sum + (line.clean.match(/\buverbs\d{1,3}\b/g)?.length ?? 0), 0);
  if (count > 0) sink.add('ib.device-nodes', count, lines.slice(0, 2));
};

const readers: readonly (readonly [RegExp, Reader])[] = [
  [/\bdefaultRuntimeName\b/, runtime],
  [/\.nodeInfo\.architecture\b/, nodeArchitecture],
  [/\b(?:docker|podman|nerdctl)\b.{0,40} inspect\b|\bskopeo inspect\b|\bcrane config\b/, imageArchitecture],
  [/^bsub\s/, submitted],
  [/\bls\b[^;&|]{0,40} \/dev\/infiniband\b/, adapterNodes],
  [/\blspci\b[^;&]{0,80}\|[^;&]{0,60}\bgrep [^;&|]{0,40}-\w{0,4}c\w{0,4}\b[^;&|]{0,40}\bnvidia\b/i, counted],
  [/^sinfo\b.{0,80}%[.\d]{0,4}G/, slurmNodes],
  [/\b(?:kubectl|oc)\b.{0,60}\bget resourceclaims?\b(?!.{0,200}-o ?(?:yaml|json))/, claims],
  [/\b(?:kubectl|oc)\b.{0,60}\bget resourceslices?\b(?!.{0,200}-o ?(?:yaml|json))/, slices],
];

export const askedValues: Parser = {
  id: 'asked-values',
  literals: [
    'defaultruntimename',
    'nodeinfo.architecture',
    'lspci',
    'sinfo',
    'get resourceclaim',
    'get resourceslice',
    ' inspect',
    'crane config',
    'bsub ',
    '/dev/infiniband',
  ],
  keep: { before: 0, after: 60 },
  parse(document, _hits, sink) {
    for (const block of blocksOf(document).slice(0, 400)) {
      const read = readers.find(([command]) => command.test(block.command.slice(0, 1000)))?.[1];
      if (
        read === undefined &&
        /\blspci\b[^|;&]{0,40} -d ?['"]?10de:?['"]?\s{0,4}$/.test(block.command.slice(0, 400)) &&
        filled(block.output).length === 0 &&
        document.lines.slice(block.prompt.index + 1).some((line) => line.prompt)
      )
        sink.add('pci.gpus-counted', 0, block.prompt);
      if (read !== undefined) read(block, filled(block.output), sink);
    }
  },
};
