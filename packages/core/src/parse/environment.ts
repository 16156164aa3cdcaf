// Variables of the environment.
//
// $ env | grep NVIDIA
// NVIDIA_VISIBLE_DEVICES=all
// $ echo "[$LD_LIBRARY_PATH] [$NVIDIA_VISIBLE_DEVICES]"
// [] []
// ENV NVIDIA_REQUIRE_CUDA=cuda>=12.8
// "Env": [ "NVIDIA_DRIVER_CAPABILITIES=compute,utility", ... ]
// node:1:2 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth0
import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import type { Block } from './blocks.ts';
import { blocksOf, commandWords, filled, pipeline } from './blocks.ts';
import { cudaToolkit } from './releases.ts';
import { unquoted } from './values.ts';

const wanted =
  /^(?:CUDA_|CUDA$|NVIDIA_|LD_LIBRARY_PATH$|LD_PRELOAD$|LIBRARY_PATH$|NCCL_|PYTORCH_|TORCH_|XLA_|TF_|JAX_|PYTHONPATH$|PATH$|CUDNN_|CUBLAS_|NVCC_|TRITON_|VLLM_|SGLANG_|OLLAMA_|UCX_|OMPI_|GLOO_|FI_|SLURM_|RANK$|WORLD_SIZE$|LOCAL_RANK$|MASTER_|OMP_NUM_|CONDA_|VIRTUAL_ENV$|GPU_|RAY_|NVSHMEM_|NUMBA_|CUPY_|DGL|MXNET_|HF_HUB_OFFLINE$|TRANSFORMERS_OFFLINE$|HF_DATASETS_OFFLINE$|NEEDRESTART_|TORCHINDUCTOR_)/;
const secret = /TOKEN|SECRET|PASS|CREDENTIAL|(?:^|_)KEY(?:_|$)|AUTH/;

/** Variables that are known to be unset when a search for their name finds nothing. */
const usual: readonly string[] = [
  'NVIDIA_VISIBLE_DEVICES',
  'NVIDIA_DRIVER_CAPABILITIES',
  'NVIDIA_REQUIRE_CUDA',
  'NVIDIA_DISABLE_REQUIRE',
  'CUDA_VISIBLE_DEVICES',
  'LD_LIBRARY_PATH',
  'LD_PRELOAD',
  'NCCL_SOCKET_IFNAME',
  'NCCL_P2P_DISABLE',
];

/** Adds a variable if it matters for a GPU stack and does not look like a secret. */
export function addVariable(
  name: string,
  value: string,
  line: Line | readonly Line[],
  sink: FactSink,
  told?: boolean,
): void {
  if (!wanted.test(name) || secret.test(name) || value.length > 4000) return;
  const options = told === true ? { told: true } : undefined;
  sink.add('env', { name, value }, line, options);
  if (value === '') return;
  if (name === 'NVIDIA_REQUIRE_CUDA') sink.add('image.requirement', value, line, options);
  const cuda = name === 'CUDA_VERSION' ? cudaToolkit(value) : null;
  if (cuda !== null) sink.add('image.cuda', cuda, line, options);
}

const assignment =
  /^\s{0,60}(?:export |ENV |ARG |declare -x |setenv |- |"|'|set )?\s{0,4}"?([A-Z][A-Z0-9_]{2,60})=(.{0,4000})$/;

export const environment: Parser = {
  id: 'env',
  literals: [
    'cuda',
    'cublas_',
    'omp_num_threads',
    'nvidia_',
    'ld_library_path',
    'ld_preload',
    'nccl_',
    'torch',
    'xla_',
    'tf_',
    'jax_',
    'pythonpath',
    'vllm_',
    'ollama_',
    'visible_devices',
    'path=',
    'virtual_env=',
    'conda_prefix=',
    'slurm_',
    'triton_',
    'os.environ',
    'printenv',
    '_offline',
  ],
  parse(document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) {
        readCommand(line, sink);
        continue;
      }
      readLine(line, sink);
      readYaml(document, line, sink);
    }
    for (const block of blocksOf(document)) readBlock(block, sink);
  },
};

function readLine(line: Line, sink: FactSink): void {
  const text = line.clean;
  if (text.length > 5000) return;
  if (line.told) {
    const told =
      /\b((?:LD_LIBRARY_PATH|CUDA_VISIBLE_DEVICES|NVIDIA_VISIBLE_DEVICES|NVIDIA_DRIVER_CAPABILITIES|CUDA_HOME|LD_PRELOAD|NCCL_[A-Z0-9_]{2,40}))(?: [a-z ]{1,40})?(?:=|: ?)(\S{1,400})/.exec(
        text,
      );
    if (told !== null) addVariable(told[1]!, unquoted(told[2]!), line, sink, true);
    return;
  }
  const python =
    /os\.(?:environ(?:\.get\(|\[)|getenv\()['"](\w{3,60})['"](?:, ?[^)]{0,40})?[\])] {0,2}(?:->|==?|:) {0,2}(.{0,400})$/.exec(
      text,
    );
  if (python !== null) {
    addVariable(python[1]!, noneIsEmpty(python[2]!), line, sink);
    return;
  }
  const nccl = /\bNCCL INFO (?:Call to )?(NCCL_[A-Z0-9_]{2,60}) set (?:by environment )?to (\S{1,200})/.exec(text);
  if (nccl !== null) {
    addVariable(nccl[1]!, nccl[2]!.replace(/\.$/, ''), line, sink);
    return;
  }
  if (/^\s{0,8}(?:ENV|ARG) [A-Z]\w{1,60}=/.test(text)) {
    readInstruction(text.trim().slice(4), line, sink);
    return;
  }
  const match = assignment.exec(text);
  if (match === null) {
    // kubectl describe and YAML maps
    const mapped = /^\s{1,60}([A-Z][A-Z0-9_]{2,60}): {1,40}(\S.{0,1000})$/.exec(text);
    if (mapped !== null) addVariable(mapped[1]!, unquoted(mapped[2]!), line, sink);
    const docker = /^\s{0,8}ENV ([A-Z][A-Z0-9_]{2,60}) (\S.{0,1000})$/.exec(text);
    if (docker !== null) addVariable(docker[1]!, unquoted(docker[2]!), line, sink);
    return;
  }
  addVariable(match[1]!, assigned(match[1]!, match[2]!), line, sink);
}

/** `- name: X` and `value: y` below it, of a pod. */
function readYaml(document: Document, line: Line, sink: FactSink): void {
  const name = /^\s{0,60}- name: {1,4}"?([A-Z][A-Z0-9_]{2,60})"?\s{0,4}$/.exec(line.clean)?.[1];
  const next = document.lines[line.index + 1];
  const value = next === undefined || next.prompt ? null : /^\s{2,64}value: ?(.{0,1000})$/.exec(next.clean);
  if (name !== undefined && next !== undefined && value !== null)
    addVariable(name, unquoted(value[1]!), [line, next], sink);
}

/** `ENV A=b C="d e" \`: an instruction may set several; blanks without quotes stand in the history of an image. */
function readInstruction(text: string, line: Line, sink: FactSink): void {
  const found: { name: string; value: string }[] = [];
  for (const word of commandWords(text.replace(/\\$/, '').replace(/# buildkit$/, ''))) {
    const match = /^([A-Z][A-Z0-9_]{2,60})=(.{0,4000})$/.exec(word);
    const last = found[found.length - 1];
    if (match !== null) found.push({ name: match[1]!, value: match[2]! });
    else if (last !== undefined) last.value += ` ${word}`;
  }
  for (const { name, value } of found) addVariable(name, value, line, sink);
}

/** Variables whose value holds blanks although nobody quoted it. */
const withBlanks = /REQUIRE|FLAGS|ARGS|OPTS|OPTIONS|CONF|COMMAND/;

/** The value behind a name; without quotes it ends at a blank, behind which the command stands that it was set for. */
function assigned(name: string, text: string): string {
  const value = cleanValue(text.replace(/ \\$/, ''));
  const quoted = /^["']/.test(text.trim()) || /",?$/.test(text.trim());
  const blank = quoted || withBlanks.test(name) ? -1 : value.search(/\s/);
  return blank < 0 ? value : value.slice(0, blank);
}

/** `"all",` of a JSON array and quotes of a shell are no part of a value. */
function cleanValue(text: string): string {
  let value = text.trim();
  if (value.endsWith(',')) value = value.slice(0, -1);
  if (value.endsWith('"') && !value.startsWith('"')) value = value.slice(0, -1);
  return unquoted(value);
}

function noneIsEmpty(text: string): string {
  const value = unquoted(text);
  return value === 'None' ? '' : value;
}

/** Settings in the command itself: `CUDA_VISIBLE_DEVICES=4,5 torchrun …`, `export X=y`, `docker run -e X=y`. */
function readCommand(line: Line, sink: FactSink): void {
  const command = line.command;
  if (command === null || command.length > 4000 || command.startsWith('python:')) return;
  let leading = true;
  let option = false;
  for (const word of commandWords(command)) {
    const match = /^(?:--env=|-e)?([A-Z][A-Z0-9_]{2,60})=(.{0,1000})$/.exec(word);
    if (match !== null && (leading || option || word.startsWith('-')) && !match[2]!.includes('$')) {
      addVariable(match[1]!, match[2]!.replace(/[;&]{1,4}$/, ''), line, sink);
    } else if (!/^(?:export|env|sudo|-E|&&)$/.test(word)) leading = false;
    option = word === '-e' || word === '--env' || word === '-x';
  }
}

function readBlock(block: Block, sink: FactSink): void {
  const parts = pipeline(block.command);
  const head = parts[0] ?? '';
  // `srun … bash -c 'echo "[$CUDA_VISIBLE_DEVICES]"; …'`: the first thing that the inner shell prints.
  const inner = /\b(?:ba|z|da)?sh -l?c (['"])\s{0,2}echo (.{1,200}?)(?:;|&&|\1\s{0,4}$)/.exec(block.command);
  if (inner !== null) {
    readInner(inner[2]!.trim(), block, sink);
    return;
  }
  const echo = /^(?:echo|printf)\s{1,4}(?:-[ne]{1,2} )?(.{1,500})$/.exec(head);
  if (echo !== null && parts.length === 1) {
    readEcho(echo[1]!, block, sink);
    return;
  }
  const printed = /(?:^|\s)printenv ([A-Z][A-Z0-9_]{2,60})$/.exec(head);
  if (printed !== null) {
    addVariable(printed[1]!, filled(block.output)[0]?.clean.trim() ?? '', block.output[0] ?? block.prompt, sink);
    return;
  }
  const grep = parts.find((part, index) => index > 0 && /^[ef]?grep\b/.test(part));
  if (
    grep === undefined ||
    !/\b(?:env|printenv|inspect|environ|export|set)\b/.test(parts.slice(0, parts.indexOf(grep)).join(' '))
  )
    return;
  const output = filled(block.output);
  const counted = /\s-\w{0,4}c/.test(grep);
  const empty = counted ? output[0]?.clean.trim() === '0' : output.length === 0;
  if (!empty) return;
  const pattern = commandWords(grep)
    .slice(1)
    .find((word) => !word.startsWith('-'));
  if (pattern === undefined) return;
  const texts = pattern.split(/\\?\|/).map((text) => text.replace(/[\^$]/g, '').toUpperCase());
  for (const name of usual) {
    if (texts.some((text) => text.length > 2 && name.includes(text)))
      addVariable(name, '', [block.prompt, ...output.slice(0, 1)], sink);
  }
}

/** Like an echo at the prompt; without fixed text around it only what looks like a list of devices is taken. */
function readInner(argument: string, block: Block, sink: FactSink): void {
  const alone = /^"?\$\{?(\w{3,60})\}?"?$/.exec(argument)?.[1];
  if (alone === undefined) {
    readEcho(argument, block, sink);
    return;
  }
  const line = block.output[0];
  if (!/VISIBLE_DEVICES$/.test(alone) || line === undefined) return;
  const value = line.clean.trim();
  if (/^(?:|-1|none|void|all|NoDevFiles|[\d,]{1,60}|(?:GPU|MIG)-[\w/,-]{4,400})$/.test(value))
    addVariable(alone, value, [block.prompt, line], sink);
}

/** Reads the values back out of what an echo printed, by the fixed text between its variables. */
function readEcho(argument: string, block: Block, sink: FactSink): void {
  const template = unquoted(argument);
  if (argument.trim().startsWith("'")) return;
  const parts = template.split(/\$\{?([A-Za-z_]\w{0,60})\}?/);
  if (parts.length < 3) return;
  const line = block.output[0];
  let rest = line?.clean ?? '';
  const lead = parts[0]!;
  if (!rest.startsWith(lead)) return;
  rest = rest.slice(lead.length);
  for (let i = 1; i < parts.length; i += 2) {
    const after = parts[i + 1] ?? '';
    const end = after === '' ? (i + 2 < parts.length ? -1 : rest.length) : rest.indexOf(after);
    if (end < 0) return;
    addVariable(parts[i]!, rest.slice(0, end).trim(), line === undefined ? block.prompt : [line, block.prompt], sink);
    rest = rest.slice(end + after.length);
  }
}
