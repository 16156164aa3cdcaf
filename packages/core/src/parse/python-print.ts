// What expressions at a Python prompt or in `python -c` print; the expression tells what the value means.
//
// $ python3 -c "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())"
// 2.7.1+cu126 12.6 False
// >>> torch.cuda.get_arch_list()
// ['sm_50', 'sm_60', 'sm_70', 'sm_75', 'sm_80', 'sm_86', 'sm_90']
// >>> jax.devices()
// [CudaDevice(id=0)]
// torch.cuda.device_count() -> 8
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';
import { addAvailable, addTorch } from './collect-env.ts';
import { addVariable } from './environment.ts';
import { gpuName } from './gpu-state.ts';
import { addPackage, normalName } from './python-packages.ts';
import { capability, cudaMinor, cudnnRelease, ncclRelease } from './releases.ts';
import { integer, known, unquoted } from './values.ts';

type Take = (value: string, line: Line, sink: FactSink, expression: RegExpExecArray) => void;

const architecture = /(?:sm|compute)_\d{2,3}[af]?/g;

/** Adds the list of targets that a framework build holds code for. */
export function addArchitectures(text: string, line: Line | readonly Line[], sink: FactSink): void {
  const list = [...text.matchAll(architecture)].map((match) => match[0]);
  if (list.length > 0) sink.add('torch.arch-list', list, line);
}

const expressions: readonly (readonly [RegExp, Take])[] = [
  [/^torch\.__version__$|^torch\.version\.__version__$/, (value, line, sink) => addTorch(unquoted(value), line, sink)],
  [
    /^torch\.version\.cuda$|^torch\._C\._cuda_getCompiledVersion\(\)$/,
    (value, line, sink) => {
      if (value === 'None' || value === '') {
        if (value === 'None') sink.add('torch.cuda', null, line);
        return;
      }
      const cuda = cudaMinor(unquoted(value));
      if (cuda !== null) sink.add('torch.cuda', cuda, line);
    },
  ],
  [
    /^torch\.cuda\.is_available\(\)$|^torch\.backends\.cuda\.is_built\(\) and/,
    (value, line, sink) => addAvailable(value, line, sink),
  ],
  [
    /^torch\.cuda\.device_count\(\)$|^jax\.(?:local_)?device_count\(\)$|^cupy\.cuda\.runtime\.getDeviceCount\(\)$|^cp\.cuda\.runtime\.getDeviceCount\(\)$/,
    (value, line, sink) => {
      const count = integer(value);
      if (count !== null) sink.add('framework.devices', count, line);
    },
  ],
  [/^torch\.cuda\.get_arch_list\(\)$/, (value, line, sink) => addArchitectures(value, line, sink)],
  [
    /^torch\.cuda\.get_device_capability\([^()]{0,20}\)$/,
    (value, line, sink) => {
      const match = /^\((\d{1,2}), {0,1}(\d)\)$/.exec(value);
      const cc = match === null ? null : capability(`${match[1]!}.${match[2]!}`);
      if (cc !== null) sink.add('gpu.compute-capability', cc, line);
    },
  ],
  [
    /^torch\.cuda\.get_device_name\([^()]{0,20}\)$|^torch\.cuda\.get_device_properties\([^()]{0,20}\)\.name$/,
    (value, line, sink) => {
      const name = gpuName(unquoted(value));
      if (name !== null) sink.add('gpu.name', name, line);
    },
  ],
  [
    /^torch\.backends\.cudnn\.version\(\)$/,
    (value, line, sink) => {
      const version = cudnnRelease(known(value));
      if (version !== null) sink.add('cudnn.loaded', version, line);
    },
  ],
  [
    /^torch\.cuda\.nccl\.version\(\)$/,
    (value, line, sink) => {
      const version = ncclRelease(value);
      if (version !== null) sink.add('nccl.version', version, line);
    },
  ],
  [
    /^(?:jax|jax\.lib)\.devices\([^()]{0,20}\)$|^tf\.config\.(?:experimental\.)?list_physical_devices\([^()]{0,20}\)$|^tensorflow\.config\.list_physical_devices\([^()]{0,20}\)$|^device_lib\.list_local_devices\(\)$/,
    (value, line, sink) => addDeviceList(value, line, sink),
  ],
  [
    /^jax\.default_backend\(\)$|^jax\.lib\.xla_bridge\.get_backend\(\)\.platform$/,
    (value, line, sink) => {
      const name = unquoted(value);
      if (name === 'gpu' || name === 'cuda')
        sink.add('works', { what: 'JAX runs on the GPU', layer: 'framework' }, line);
      else if (name === 'cpu') sink.add('framework.devices', 0, line);
    },
  ],
  [
    /^tf(?:\.sysconfig)?\.(?:sysconfig\.)?get_build_info\(\)\[['"](cuda_version|cudnn_version)['"]\]$/,
    (value, line, sink, expression) => {
      const cuda = expression[1] === 'cuda_version' ? cudaMinor(unquoted(value)) : null;
      if (cuda !== null) sink.add('toolkit.runtime', cuda, line);
      const cudnn = expression[1] === 'cudnn_version' ? cudnnRelease(unquoted(value)) : null;
      if (cudnn !== null) sink.add('cudnn.built-for', cudnn, line);
    },
  ],
  [
    /^tf\.test\.is_gpu_available\(\)$/,
    (value, line, sink) => {
      if (value === 'True') sink.add('works', { what: 'TensorFlow finds a GPU', layer: 'framework' }, line);
      else if (value === 'False') sink.add('framework.devices', 0, line);
    },
  ],
  [
    /^(?:cupy|cp)\.cuda\.runtime\.(driver|runtime)GetVersion\(\)$|^cuda\.(?:cudadrv\.)?(runtime|driver)\.get_version\(\)$/,
    (value, line, sink, expression) => {
      const tuple = /^\((\d{1,2}), ?(\d{1,2})\)$/.exec(value);
      const cuda = tuple === null ? cudaMinor(value) : `${tuple[1]!}.${tuple[2]!}`;
      if (cuda !== null)
        sink.add((expression[1] ?? expression[2]) === 'driver' ? 'driver.cuda' : 'toolkit.runtime', cuda, line);
    },
  ],
  [
    /^os\.environ\.get\(['"](\w{3,60})['"](?:, ?[^()]{0,40})?\)$|^os\.environ\[['"](\w{3,60})['"]\]$|^os\.getenv\(['"](\w{3,60})['"]\)$/,
    (value, line, sink, expression) => {
      const name = expression[1] ?? expression[2] ?? expression[3]!;
      addVariable(name, value === 'None' ? '' : unquoted(value), line, sink);
    },
  ],
  [
    /^(\w{2,40})\.__version__$/,
    (value, line, sink, expression) => {
      const version = unquoted(value);
      if (!/^\d[\w.+-]{0,60}$/.test(version)) return;
      const short: Readonly<Record<string, string>> = { tf: 'tensorflow', np: 'numpy', cp: 'cupy' };
      const name = expression[1]!;
      addPackage({ name: normalName(short[name] ?? name), version, manager: 'pip' }, line, sink);
      if (name === 'cupy' || name === 'cp') sink.add('framework.version', { name: 'cupy', version }, line);
    },
  ],
];

/** Adds how many devices a framework lists: GPUs count, CPUs do not. */
export function addDeviceList(value: string, line: Line, sink: FactSink): void {
  const gpus =
    value.match(/CudaDevice\(id=|GpuDevice\(id=|\bcuda\(id=|device_type='GPU'|device_type: "GPU"|\bgpu\(id=/gi)
      ?.length ?? 0;
  const cpus = value.match(/CpuDevice\(id=|device_type='CPU'|TFRT_CPU_\d/g)?.length ?? 0;
  if (gpus === 0 && cpus === 0 && value !== '[]') return;
  sink.add('framework.devices', gpus, line);
}

function take(expression: string, value: string, line: Line, sink: FactSink): void {
  const text = expression.trim();
  if (text.length > 200) return;
  for (const [pattern, reader] of expressions) {
    const match = pattern.exec(text);
    if (match === null) continue;
    reader(value.trim(), line, sink, match);
    return;
  }
}

/** Arguments of a call, parted by commas outside brackets and quotes. */
function argumentsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  parts.push(text.slice(from).trim());
  return parts;
}

/** The argument lists of every `print(…)` in a piece of Python. */
function printsOf(code: string): readonly (readonly string[])[] {
  const calls: (readonly string[])[] = [];
  for (let at = code.indexOf('print('); at >= 0 && calls.length < 50; at = code.indexOf('print(', at + 1)) {
    const before = code.charAt(at - 1);
    if (before !== '' && /[\w.]/.test(before)) continue;
    let depth = 0;
    let end = at + 5;
    for (; end < code.length; end++) {
      const char = code.charAt(end);
      if (char === '(') depth++;
      else if (char === ')' && --depth === 0) break;
    }
    if (end >= code.length) return calls;
    calls.push(argumentsOf(code.slice(at + 6, end)));
  }
  return calls;
}

/** Values of a print with several arguments: strings at the known ends are taken off, the rest is parted by blanks. */
function readPrint(args: readonly string[], line: Line, sink: FactSink): void {
  let text = line.clean.trim();
  const values: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (/^(?:sep|end|flush)=/.test(arg)) continue;
    if (/^['"]/.test(arg)) {
      const literal = unquoted(arg).trim();
      if (!text.startsWith(literal)) return;
      text = text.slice(literal.length).trimStart();
      values.push('');
      continue;
    }
    if (i === args.length - 1) {
      values.push(text);
      break;
    }
    const end = endOfValue(text);
    values.push(text.slice(0, end));
    text = text.slice(end).trimStart();
  }
  args.forEach((arg, index) => {
    const value = values[index];
    if (value !== undefined && value !== '') take(arg, value, line, sink);
  });
}

function endOfValue(text: string): number {
  const open = text.charAt(0);
  const close = open === '(' ? ')' : open === '[' ? ']' : open === '{' ? '}' : '';
  if (close === '') {
    const blank = text.indexOf(' ');
    return blank < 0 ? text.length : blank;
  }
  const end = text.indexOf(close);
  return end < 0 ? text.length : end + 1;
}

/** Lines that a library wrote to the error stream between the values. */
function isValue(line: Line): boolean {
  return !/Warning:|^\s{2,}|^WARNING|^INFO|^\d{4}-\d\d-\d\d|^[EWI]\d{4} |^[EWIF] \S{1,200}\.cc:\d|^Traceback|^\w{0,60}Error\b/.test(
    line.clean,
  );
}

export const pythonPrint: Parser = {
  id: 'python',
  literals: [
    'torch.',
    'jax.',
    'tf.',
    '__version__',
    'cupy.',
    'cp.cuda',
    'os.environ',
    'tensorflow.',
    'cuda.runtime',
    'device_lib',
  ],
  keep: { before: 0, after: 6 },
  parse(document, hits, sink) {
    for (const block of blocksOf(document)) {
      if (block.command.startsWith('python: ')) readPrompt(block.command.slice(8), filled(block.output), sink);
      else {
        const code = /\bpython[\d.]{0,5} (?:-\w{1,3} ){0,3}-\w{0,3}c {0,2}(?:"|')(.{1,4000})/.exec(block.command)?.[1];
        if (code !== undefined) readPrints(printsOf(code), filled(block.output), sink);
      }
    }
    readArrows(hits, sink);
  },
};

function readPrompt(code: string, output: readonly Line[], sink: FactSink): void {
  const prints = printsOf(code);
  if (prints.length > 0) {
    readPrints(prints, output, sink);
    return;
  }
  const values = output.filter(isValue);
  const line = values[values.length - 1];
  // A tuple of expressions prints a tuple of values: >>> torch.__version__, torch.version.cuda
  const asked = argumentsOf(code);
  const shown = line === undefined ? null : /^\((.{1,2000})\)$/.exec(line.clean.trim());
  if (line !== undefined && shown !== null && asked.length > 1) {
    const answers = argumentsOf(shown[1]!);
    if (answers.length === asked.length) asked.forEach((each, at) => take(each, answers[at]!, line, sink));
    return;
  }
  if (line !== undefined)
    take(
      code,
      values.length > 1 && !/^[[(]/.test(line.clean) ? values.map((each) => each.clean).join(' ') : line.clean,
      line,
      sink,
    );
}

function readPrints(prints: readonly (readonly string[])[], output: readonly Line[], sink: FactSink): void {
  const values = output.filter(isValue);
  // Each print gave one line; with fewer lines the program stopped early.
  prints.forEach((args, index) => {
    const line = values[index];
    if (line !== undefined) readPrint(args, line, sink);
  });
}

/** `torch.cuda.device_count() -> 8`, `torch.version.cuda: 12.1`, `torch.cuda.is_available() is False`, in running text. */
function readArrows(hits: readonly Line[], sink: FactSink): void {
  for (const line of hits) {
    if (line.prompt || line.clean.length > 2000) continue;
    const found =
      /\b((?:torch|jax|tf|cupy|cp|os)\.[\w.]{1,60}(?:\([^()]{0,30}\)|\[[^\]]{1,40}\])?) {0,2}(?:->|=>|==?|:|is|returns?|gives|prints) {1,2}(\S.{0,200})$/.exec(
        line.clean,
      );
    if (found === null) continue;
    const value = found[2]!.trim();
    const short = /^(?:\[[^\]]{0,200}\]|\([^)]{0,100}\)|'[^']{0,100}'|"[^"]{0,100}"|[^\s,;]{1,80})/.exec(value)?.[0];
    if (short !== undefined) take(found[1]!, short.replace(/[.]$/, ''), line, sink);
  }
}
