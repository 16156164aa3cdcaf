// What tools and services print when they are well, where no failure could be read from the same line.
//
// nvidia-gridd[812]: License acquired successfully. (Info: lic1.example.org, NVIDIA RTX Virtual Workstation)
// [2025-02-06 09:34:36.640 Control   261] NEW SERVER 337: Ready
// I0212 09:11:25.3  1 server.go:146] Registered device plugin for 'nvidia.com/gpu' with Kubelet
// INFO 06-03 12:01:22 [kv_cache_utils.py:634] GPU KV cache size: 212,304 tokens
// DKMS: install completed.
//  NVMe               : Supported
//         Current Power Limit               : 700.00 W
//         Default Power Limit               : 700.00 W
//  65536      5000             391.02             390.91             0.745600
// slurmctld: node gpu11 returned to service
// 12            COMPLETED      0:0
import type { Document, Line } from '../model/document.ts';
import type { FactValue } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';

type Sign = FactValue<'health.sign'>;

const signs: readonly (readonly [RegExp, Sign])[] = [
  [/\bLicense (?:acquired|renewed) successfully\b/, { what: 'the vGPU licence was acquired', layer: 'driver' }],
  [/\bNEW SERVER \d{1,9}: Ready\b/, { what: 'the MPS server is ready', layer: 'driver' }],
  [
    /\bRegistered device plugin for '?"?[\w./-]{1,80}'?"? with [Kk]ubelet\b/,
    { what: 'the device plugin registered its resource with the kubelet', layer: 'orchestrator' },
  ],
  [
    /\bGPU KV cache size: {0,4}[1-9][\d,]{0,15} tokens\b|# GPU blocks: {0,4}[1-9]\d{0,9}\b/,
    { what: 'the engine loaded its model and has room for its KV cache', layer: 'framework' },
  ],
  [/^DKMS: install completed\b/, { what: 'DKMS built and installed the module', layer: 'driver' }],
  [/^\s{0,4}NVMe {1,40}: Supported\b/, { what: 'GPUDirect Storage supports the NVMe drives', layer: 'host-os' }],
  [/\bsupports GDS\b/, { what: 'the GPU supports GPUDirect Storage', layer: 'host-os' }],
  [
    /\bhealth ?check\b.{0,60}\b(?:completed successfully|passed)\b/i,
    { what: 'the check of the node found nothing', layer: 'hardware' },
  ],
  [
    /^(?:summary:? )?\W{0,3}PASS(?:ED)?: {0,3}[1-9]\d{0,5}\b.{0,40}\bFAIL(?:ED)?: {0,3}0\b/i,
    { what: 'every check passed', layer: 'hardware' },
  ],
  [/^\s{0,8}Ready {1,40}True .{0,160}\bKubeletReady\b/, { what: 'the node is ready', layer: 'orchestrator' }],
  [
    /^\s{0,4}\S{0,40}\s{1,40}COMPLETED\s{1,20}0:0\b/,
    { what: 'the job ran to its end with exit code 0', layer: 'application' },
  ],
  [
    /^Saving the dataset \([1-9]\d{0,6}\/\d{1,7} shards\): 100%/,
    { what: 'the program wrote its result', layer: 'application' },
  ],
  [/(?:^|\s)tensor\(.{1,200}\bdevice='cuda:\d{1,3}'/, { what: 'a tensor was computed on the GPU', layer: 'framework' }],
  [
    /^(?:successfully )?(?:exported|converted|wrote|saved) (?:\w{1,20} ){0,3}\S{1,80}\.(?:onnx|pt|pth|safetensors|gguf|engine|plan|json|csv|parquet)\b/i,
    { what: 'the program wrote its result', layer: 'application' },
  ],
];

const returned = /\bnode (?<node>\S{1,80}) (?:state set to (?:IDLE|RESUME|MIXED)\b|(?:has )?returned to service\b)/i;
const computed = /^a tensor was computed on the GPU$/;
const doubt = /\b(?:not|failed|fail|error|cannot|unable|if|when|whether|unless|should|must|could)\b|\?/i;

/** Signs of health of services, tools and checks; what a program does itself is `works`. */
export const healthSigns: Parser = {
  id: 'health-signs',
  literals: [
    'license ',
    'new server ',
    'registered device plugin',
    'kv cache size',
    '# gpu blocks',
    'install completed',
    ' dkms files',
    'nvme  ',
    'supports gds',
    'returned to service',
    'kubeletready',
    'state set to ',
    'health check',
    'healthcheck',
    'fail: ',
    'failed: ',
    'nvlink -e',
    'nvlink --errorcounters',
    'completed',
    "device='cuda:",
    'exported ',
    'converted ',
    'wrote ',
    'saved ',
    'saving the dataset',
    ' power limit',
    'sinfo -r',
    '_bw ',
  ],
  keep: { before: 2, after: 12 },
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) {
        ofCommand(document, line, sink);
        continue;
      }
      if (line.told) continue;
      const text = line.clean.slice(0, 600);
      const node = returned.exec(text)?.groups?.['node'];
      if (node !== undefined && !doubt.test(text))
        sink.add('health.sign', { what: `node ${node} is back in service`, layer: 'orchestrator' }, line);
      const sign = signs.find(([pattern]) => pattern.test(text))?.[1];
      // What a program did itself outranks a notice above it.
      if (sign !== undefined && computed.test(sign.what) && !doubt.test(text))
        sink.add('works', { what: sign.what, layer: 'framework' }, line);
      else if (sign !== undefined && (!doubt.test(text) || sign.what === 'every check passed'))
        sink.add('health.sign', sign, line);
      if (/^Loading new nvidia\S{0,60} DKMS files/i.test(text)) built(document, line, sink);
      if (/^\s{0,20}Current Power Limit\s/.test(text)) atDefault(document, line, sink);
    }
  },
};

/** A package's script builds the module and says how that ended. */
function built(document: Document, line: Line, sink: FactSink): void {
  for (let at = line.index + 1; at <= line.index + 12; at++) {
    const next = document.lines[at];
    if (next === undefined || next.prompt || doubt.test(next.clean)) return;
    if (!/^Done\.?\s{0,4}$/i.test(next.clean)) continue;
    sink.add('health.sign', { what: 'DKMS built and installed the module', layer: 'driver' }, [line, next]);
    return;
  }
}

const watts = /:\s{0,4}(\d{1,5}(?:\.\d{1,3})?) W\b/;

/** A filtered report has no headings, so the two lines stand for themselves. */
function atDefault(document: Document, line: Line, sink: FactSink): void {
  const limit = watts.exec(line.clean)?.[1];
  for (let at = Math.max(0, line.index - 4); at <= line.index + 6; at++) {
    const other = document.lines[at];
    if (other === undefined || !/^\s{0,20}Default Power Limit\s/.test(other.clean)) continue;
    if (limit !== undefined && watts.exec(other.clean)?.[1] === limit)
      sink.add('health.sign', { what: 'the power limit stands at its default', layer: 'hardware' }, [line, other]);
    return;
  }
}

/** What a command shows by the whole of its output. */
function ofCommand(document: Document, line: Line, sink: FactSink): void {
  const command = line.command ?? '';
  const output = document.lines.slice(line.index + 1, line.index + 40);
  const end = output.findIndex((each) => each.prompt);
  const own = (end < 0 ? output : output.slice(0, end)).filter((each) => each.clean.trim() !== '');
  if (/^(?:sudo )?nvidia-smi nvlink (?:-e|--errorcounters)\b/.test(command)) {
    const counts = own.filter((each) => /\bErrors?\b.{0,40}: {0,4}\d/i.test(each.clean));
    if (counts.length > 0 && counts.every((each) => /: {0,4}0\s{0,4}$/.test(each.clean)))
      sink.add('health.sign', { what: 'no NVLink counts an error', layer: 'hardware' }, counts.slice(0, 2));
  }
  if (/^(?:sudo )?sinfo (?:-R|--list-reasons)\s{0,4}$/.test(command)) {
    const [head] = own;
    if (own.length === 1 && head !== undefined && /^REASON\s/.test(head.clean))
      sink.add('health.sign', { what: 'no node is drained or down', layer: 'orchestrator' }, head);
    return;
  }
  if (!/\bib_(?:write|read|send)_bw\b/.test(command) || !/--report_gbits/.test(command)) return;
  const rate = rateOf(document, line);
  const best = own.flatMap((each) => {
    const row = /^\s{0,8}\d{1,12}\s{1,20}\d{1,12}\s{1,20}\d{1,6}\.\d{1,3}\s{1,20}(\d{1,6}\.\d{1,3})\s/.exec(
      `${each.clean} `,
    );
    return row === null ? [] : [{ line: each, gbits: Number(row[1]) }];
  });
  const [first] = best.sort((a, b) => b.gbits - a.gbits);
  if (rate === null || first === undefined || first.gbits < 0.9 * rate.gbits) return;
  const what = `RDMA reaches ${Math.round((100 * first.gbits) / rate.gbits)} % of the rate of its link`;
  sink.add('health.sign', { what, layer: 'network' }, [first.line, rate.line]);
}

/** Rate of the link in Gb/s, where the text before shows one and the same (`ibstat`). */
function rateOf(document: Document, line: Line): { readonly gbits: number; readonly line: Line } | null {
  const rates = new Map<number, Line>();
  for (const each of document.lines.slice(Math.max(0, line.index - 200), line.index)) {
    const rate = /^\s{0,8}Rate:\s{0,8}(\d{1,5})\s{0,8}$/.exec(each.clean)?.[1];
    if (rate !== undefined) rates.set(Number(rate), each);
  }
  const [first] = rates;
  return rates.size === 1 && first !== undefined ? { gbits: first[0], line: first[1] } : null;
}
