// The long report of nvidia-smi, as indented text and as XML. Key names repeat in different blocks, so keys are read
// with their path.
//
// ==============NVSMI LOG==============
// Driver Version                                         : 590.48.01
// CUDA Version                                           : 13.1
// Attached GPUs                                          : 2
// GPU 00000000:5D:00.0
//     Product Name                                       : NVIDIA H100 80GB HBM3
//     MIG Mode
//         Current                                        : Disabled
//     Clocks Event Reasons
//         SW Power Cap                                   : Active
//     Fabric
//         State                                          : In Progress
//
// <nvidia_smi_log>
//     <driver_version>580.105.08</driver_version>
//     <gpu id="00000000:19:00.0">
//         <product_name>NVIDIA H100 80GB HBM3</product_name>
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import type { GpuCells } from './gpu-state.ts';
import { HealthCells, addHealth } from './gpu-health.ts';
import { isReason, reasonName, repeats, takeReported } from './gpu-health-names.ts';
import { addGpu, computeMode } from './gpu-state.ts';
import { cudaMinor, driverRelease } from './releases.ts';
import { integer, known, quantity } from './values.ts';

/** One value of the report: its keys from the outside in, in lower case with blanks. */
interface Entry {
  readonly path: readonly string[];
  readonly value: string;
  readonly line: Line;
}

/** Collects one report; text and XML use the same words, apart from `_`. */
class Report {
  private cells: GpuCells | null = null;
  private lines: Line[] = [];
  private throttle: string[] = [];
  private throttleLines: Line[] = [];
  private ecc: number | null = null;
  private processes: string[] = [];
  private processLines: Line[] = [];
  private health = new HealthCells();
  private bus: string | null = null;
  private readonly sink: FactSink;

  constructor(sink: FactSink) {
    this.sink = sink;
  }

  gpu(line: Line, bus: string | null): void {
    this.flush();
    this.bus = bus;
    this.cells = {};
    this.lines = [line];
  }

  flush(): void {
    if (this.cells !== null && this.lines.length > 0 && Object.keys(this.cells).length > 0) {
      if (this.ecc !== null) this.cells.eccUncorrected = String(this.ecc);
      addGpu(this.cells, this.lines, this.sink);
      this.sink.add('driver.answers', true, this.lines);
    }
    if (this.throttle.length > 0) this.sink.add('gpu.throttle', this.throttle, this.throttleLines);
    if (this.processes.length > 0) this.sink.add('gpu.processes', this.processes, this.processLines);
    addHealth(this.bus, this.health, this.sink);
    this.health = new HealthCells();
    this.bus = null;
    this.cells = null;
    this.throttle = [];
    this.throttleLines = [];
    this.ecc = null;
    this.processes = [];
    this.processLines = [];
  }

  take({ path, value, line }: Entry): void {
    // Lines that were cut out of the report: the next GPU's begin where a name comes again.
    if (this.bus === null && repeats(this.health, path)) {
      addHealth(null, this.health, this.sink);
      this.health = new HealthCells();
    }
    takeReported(this.health, path, value, line);
    const key = path[path.length - 1]!;
    const parent = path[path.length - 2] ?? '';
    switch (key) {
      case 'driver version':
      case 'kmd version': {
        // R610 puts a remark in brackets behind the old key's value.
        const release = driverRelease(value.split(' ')[0]);
        if (release === null) return;
        this.sink.add('driver.version', release, line);
        this.sink.add('driver.answers', true, line);
        return;
      }
      case 'cuda version':
      case 'cuda umd version': {
        const cuda = cudaMinor(value.split(' ')[0]);
        if (cuda !== null) this.sink.add('driver.cuda', cuda, line);
        else if (known(value) === null || value === 'Not Found') this.sink.add('driver.cuda-missing', true, line);
        return;
      }
      case 'attached gpus': {
        const count = integer(value);
        if (count !== null) this.sink.add('gpu.count', count, line);
        return;
      }
    }
    if (key === 'compute mode') {
      if (this.cells !== null) this.set('computeMode', value, line);
      else {
        const mode = computeMode(value);
        if (mode !== null) this.sink.add('gpu.compute-mode', mode, line);
      }
      return;
    }
    if (parent === 'fabric' && key === 'state') {
      const state = known(value);
      if (state !== null) this.sink.add('gpu.fabric-state', state, line);
      return;
    }
    if (
      /clocks.{0,10}(?:throttle|event).{0,4}reasons(?! counters)/.test(path.join(' ')) ||
      isReason(key, value) ||
      /^clocks_(?:throttle|event)_reason_/.test(key)
    ) {
      if (value === 'Active') {
        this.throttle.push(reasonName(key));
        this.throttleLines.push(line);
      }
      return;
    }
    if (this.cells !== null) this.takeGpu(path, key, parent, value, line);
  }

  private takeGpu(path: readonly string[], key: string, parent: string, value: string, line: Line): void {
    if (key === 'product name') this.set('name', value, line);
    else if (key === 'gpu uuid' || (key === 'uuid' && path.length <= 2)) this.set('uuid', value, line);
    else if (key === 'minor number') this.set('index', value, line);
    else if ((parent === 'mig mode' && key === 'current') || key === 'current mig') this.set('mig', value, line);
    else if (parent === 'utilization' && (key === 'gpu' || key === 'gpu util')) this.set('utilization', value, line);
    else if (parent === 'fb memory usage' && key === 'used') this.set('memoryUsed', value, line);
    else if (parent === 'fb memory usage' && key === 'total') this.set('memoryTotal', value, line);
    else if (key === 'gpu current temp' || key === 'gpu temp') this.set('temperature', value, line);
    else if (parent.endsWith('power readings') && /^(?:instant(?:aneous)? )?power draw$/.test(key))
      this.set('power', value, line);
    else if (
      path.includes('ecc errors') &&
      path.includes('volatile') &&
      /uncorrectable/.test(path.slice(-2).join(' '))
    ) {
      const count = quantity(value);
      if (count !== null) this.ecc = (this.ecc ?? 0) + count;
    } else if (path.includes('processes') && (key === 'name' || key === 'process name')) {
      this.processes.push(known(value) ?? 'unknown');
      this.processLines.push(line);
    }
  }

  private set(name: keyof GpuCells, value: string, line: Line): void {
    if (this.cells === null || this.cells[name] !== undefined) return;
    this.cells[name] = value;
    if (this.lines.length < 6) this.lines.push(line);
  }
}

export const nvidiaSmiQuery: Parser = {
  id: 'nvidia-smi-q',
  literals: ['==nvsmi log==', 'nvidia-smi -q', 'nvidia-smi --query', 'compute mode  ', 'attached gpus ', 'gpu 0000'],
  keep: { before: 0, after: 500 },
  parse(document, hits, sink) {
    let done = -1;
    for (const hit of hits) {
      if (hit.index <= done) continue;
      if (hit.clean.includes('==NVSMI LOG==')) done = readText(document, hit.index + 1, sink);
      else if (hit.command !== null && (hit.prompt || hit.told)) {
        if (/nvidia-smi\s(?:\S{1,40}\s){0,4}(?:-q|--query)(?=\s|$)/.test(hit.command))
          done = readText(document, hit.index + 1, sink);
      } else if (/^GPU [0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d$/.test(hit.clean.trim())) {
        // A piece of the report, cut out from the first GPU on.
        if (/^\s{2,12}[A-Z][\w .()-]{2,60}(?::|$)/.test(document.lines[hit.index + 1]?.clean ?? ''))
          done = readText(document, hit.index, sink);
      } else if (/^\s{0,8}Compute Mode {1,60}: \S/.test(hit.clean)) {
        const mode = computeMode(hit.clean.slice(hit.clean.indexOf(':') + 1));
        if (mode !== null) sink.add('gpu.compute-mode', mode, hit);
      }
    }
  },
};

function readText(document: Document, from: number, sink: FactSink): number {
  const report = new Report(sink);
  const stack: { readonly indent: number; readonly key: string }[] = [];
  let at = from;
  for (; at < document.lines.length; at++) {
    const line = document.lines[at]!;
    if (line.prompt || line.told) break;
    const text = line.clean;
    const body = text.trim();
    if (body === '' || body.startsWith('==') || body.length > 300) continue;
    if (body.startsWith('|') || body.startsWith('+-')) break;
    const indent = text.length - text.trimStart().length;
    if (/^GPU [0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d$/.test(body)) {
      stack.length = 0;
      report.gpu(line, body.slice(4));
      continue;
    }
    while (stack.length > 0 && stack[stack.length - 1]!.indent >= indent) stack.pop();
    const colon = body.indexOf(' : ');
    const key = (colon < 0 ? body : body.slice(0, colon)).trim().toLowerCase();
    if (key === '' || key.length > 60) continue;
    const value = colon < 0 ? null : body.slice(colon + 3).trim();
    if (value === null || value === '') {
      stack.push({ indent, key });
      continue;
    }
    report.take({ path: [...stack.map((entry) => entry.key), key], value, line });
    // Blocks may stand below a key with a value, as processes do below their id.
    stack.push({ indent, key });
  }
  report.flush();
  return at - 1;
}

export const nvidiaSmiXml: Parser = {
  id: 'nvidia-smi-xml',
  literals: ['<nvidia_smi_log'],
  keep: { before: 2, after: 1500 },
  parse(document, hits, sink) {
    let done = -1;
    for (const hit of hits) {
      if (hit.index > done) done = readXml(document, hit, sink);
    }
  },
};

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
};

/** Walks the elements with their lines. The doctype names a file that does not exist; nothing is loaded. */
function readXml(document: Document, start: Line, sink: FactSink): number {
  const report = new Report(sink);
  const path: string[] = [];
  let value = '';
  let at = start.index;
  for (; at < document.lines.length; at++) {
    const line = document.lines[at]!;
    if (line.prompt) break;
    const text = line.clean;
    let from = at === start.index ? Math.max(0, text.indexOf('<nvidia_smi_log')) : 0;
    for (;;) {
      const open = text.indexOf('<', from);
      if (open < 0) {
        value += text.slice(from);
        break;
      }
      value += text.slice(from, open);
      const close = text.indexOf('>', open);
      if (close < 0) break;
      const tag = text.slice(open + 1, close);
      from = close + 1;
      if (tag.startsWith('!') || tag.startsWith('?')) continue;
      if (tag.startsWith('/')) {
        if (value.trim() !== '' && path.length > 0) {
          const words = path.slice(1).map((name) => name.replaceAll('_', ' ').toLowerCase());
          const shown = value.trim().replace(/&(?:lt|gt|amp|quot|apos);/g, (entity) => entities[entity] ?? entity);
          if (words.length > 0 && words.length < 12)
            report.take({ path: words[0] === 'gpu' ? words.slice(1) : words, value: shown, line });
        }
        value = '';
        path.pop();
        if (path.length === 0) {
          report.flush();
          return at;
        }
        continue;
      }
      value = '';
      if (tag.endsWith('/')) continue;
      path.push(tag.split(/\s/, 1)[0]!);
      if (path.length === 2 && path[1] === 'gpu')
        report.gpu(line, /\bid="([\da-fA-F:.]{7,20})"/.exec(tag)?.[1] ?? null);
      if (path.length > 40) return at;
    }
  }
  report.flush();
  return at - 1;
}
