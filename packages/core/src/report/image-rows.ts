// The inventory of an image in short rows, for a terminal and for Markdown.
import type { ImageContents, Origin } from '../image/contents.ts';
import type { Finding } from '../model/verdict.ts';

export interface ImageRow {
  readonly what: string;
  readonly text: string;
  /** Layer that brought it, from 1; null where that says nothing. */
  readonly layer: number | null;
}

const names: Readonly<Record<string, string>> = {
  cudnn: 'cuDNN',
  nccl: 'NCCL',
  cublas: 'cuBLAS',
  nvjitlink: 'nvJitLink',
  tensorrt: 'TensorRT',
  ucx: 'UCX',
  openmpi: 'Open MPI',
  cusparselt: 'cuSPARSELt',
  nvshmem: 'NVSHMEM',
  cutensor: 'cuTENSOR',
};

/** Packages that are named one by one; the others are counted. */
const leading =
  /^(?:torch|jax|jaxlib|tensorflow.{0,10}|cupy.{0,12}|vllm.{0,6}|triton|flash-attn.{0,4}|xformers|bitsandbytes|onnxruntime-gpu|tensorrt|sglang|transformer-engine|deepspeed|pytorch)$/;

const mostCopies = 4;
const mostCode = 6;
const mostParts = 5;

/** Rows of what is in an image, in the order in which a person asks. */
export function imageRows(contents: ImageContents): readonly ImageRow[] {
  const rows: ImageRow[] = [];
  const add = (what: string, text: string, origin?: Origin): void => {
    rows.push({ what, text, layer: origin === undefined || origin.layer < 0 ? null : origin.layer + 1 });
  };
  const { os } = contents;
  const base = os.name ?? [os.id, os.version].filter((each) => each !== null).join(' ');
  add('base', base === '' ? 'not known' : base);
  add('starts', startWords(contents));
  const asks = (contents.config?.env ?? []).filter((each) =>
    /^(?:CUDA_VERSION|NVIDIA_(?:REQUIRE_.{1,40}|VISIBLE_DEVICES|DRIVER_CAPABILITIES)|LD_LIBRARY_PATH)$/.test(each.name),
  );
  for (const { name, value } of asks) add('sets', `${name}=${value.length > 110 ? `${value.slice(0, 107)}…` : value}`);
  for (const each of contents.toolkits)
    add(
      'toolkit',
      `${each.version ?? 'of unknown release'} in ${each.path}${each.cudart === null ? '' : `, cudart ${each.cudart}`}${each.nvcc ? ', with nvcc' : ''}${partWords(each.parts)}`,
      each.origin,
    );
  for (const each of contents.libcuda)
    add(
      'libcuda',
      [each.kind, each.version, each.cuda === null ? null : `CUDA ${each.cuda}`, each.path, noteWords(each.note)]
        .filter((word) => word !== null)
        .join(', '),
      each.origin,
    );
  for (const each of contents.hostThings.filter((thing) => thing.kind !== 'container-toolkit').slice(0, mostCopies))
    add('of a host', `${each.path}${each.version === null ? '' : `, ${each.version}`}`, each.origin);
  for (const name of Object.keys(names)) {
    const copies = contents.libraries.filter((each) => each.name === name);
    const sorted = [...copies].sort((a, b) => Number(b.wins) - Number(a.wins));
    for (const each of sorted.slice(0, mostCopies))
      add(
        names[name]!,
        `${each.version ?? 'of unknown release'}, ${each.path}${copies.length > 1 ? (each.wins ? ', taken' : ', not taken') : ''}`,
        each.origin,
      );
    if (copies.length > mostCopies) add(names[name]!, `… and ${copies.length - mostCopies} more copies`);
  }
  for (const environment of contents.environments) {
    const own = contents.packages.filter(
      (each) => each.environment === environment.path && (each.manager === 'pip' || each.manager === 'conda'),
    );
    if (own.length === 0) continue;
    const named = own.filter((each) => leading.test(each.name));
    const rest = own.length - named.length;
    const words = named.map(
      (each) =>
        `${each.name} ${each.version ?? '?'}${each.cuda === 'none' ? ' (no CUDA)' : each.cuda === null || each.version?.includes('+cu') === true ? '' : ` (CUDA ${each.cuda})`}`,
    );
    if (rest > 0) words.push(`${rest} more of the GPU stack`);
    add('python', `${environment.path}${kindWords(environment)}: ${words.join(', ')}`);
  }
  const code = [...contents.code].sort((a, b) => b.sass.length - a.sass.length || (a.path < b.path ? -1 : 1));
  for (const each of code.slice(0, mostCode))
    add(
      'GPU code',
      `${each.path.slice(each.path.lastIndexOf('/') + 1)}: ${[...each.sass, ...each.ptx].join(' ')}`,
      each.origin,
    );
  if (code.length > mostCode) add('GPU code', `… and ${code.length - mostCode} more files`);
  return rows;
}

/** Parts of a toolkit beside its runtime. */
function partWords(parts: ImageContents['toolkits'][number]['parts']): string {
  const others = parts.filter((part) => part.name !== 'cudart' && part.name !== 'cublaslt');
  if (others.length === 0) return '';
  const named = others.slice(0, mostParts).map((part) => `${part.name} ${part.version}`);
  return `; ${named.join(', ')}${others.length > mostParts ? ` and ${others.length - mostParts} more parts` : ''}`;
}

/** Instructions of the layers that findings name in their records. */
export function layerRows(contents: ImageContents, findings: readonly Finding[]): readonly ImageRow[] {
  const numbers = new Set<number>();
  for (const finding of findings)
    for (const each of finding.evidence) {
      const number = /^image .{1,1900} layer=(\d{1,5})(?: |$)/.exec(each.text)?.[1];
      if (number !== undefined) numbers.add(Number(number));
    }
  return [...numbers]
    .sort((a, b) => a - b)
    .slice(0, 8)
    .flatMap((number) => {
      const instruction = contents.origins[number - 1]?.instruction ?? null;
      return instruction === null ? [] : [{ what: `layer ${number}`, text: instruction.slice(0, 300), layer: null }];
    });
}

function kindWords(environment: ImageContents['environments'][number]): string {
  const words = [
    environment.python,
    environment.kind === 'conda' ? 'conda' : environment.kind === 'debian' ? 'Debian' : null,
    environment.uv ? 'uv' : null,
  ].filter((word) => word !== null);
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

function startWords({ entrypoint, config }: ImageContents): string {
  const words = [...entrypoint.words, ...(config?.cmd ?? [])].join(' ');
  const said =
    entrypoint.compat === 'nvidia-entrypoint' || entrypoint.compat === 'script'
      ? ', which switches forward compatibility on where it helps'
      : entrypoint.compat === 'unread'
        ? ', a script that was not read'
        : '';
  return `${words === '' ? 'nothing by itself' : words.slice(0, 160)}${said}`;
}

function noteWords(note: readonly number[] | null): string | null {
  return note === null ? null : `for drivers ${note.slice(0, 16).join(' ')}`;
}
