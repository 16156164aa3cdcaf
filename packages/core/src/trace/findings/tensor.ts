import type { TraceFinding } from '../model.ts';
import type { Detector } from './detector.ts';
import { against, shareText, timeText, unclear, waste } from './detector.ts';
import { productNames } from './products.rows.ts';
import type { KernelUse, Scene } from './scene.ts';
import { shortName } from './text.ts';

/** What a product of matrices runs on, as its kernel's name tells; null where it names none. */
type ProductUnit = (typeof productNames)[number]['unit'];

/** @param name of a kernel, mangled or not */
export function productUnitOf(name: string): ProductUnit | null {
  const lower = name.slice(0, 2000).toLowerCase();
  return productNames.find((row) => lower.includes(row.has))?.unit ?? null;
}

/** Time of the products of a GPU by what they run on, ns; the rest is no product, or one with a name of its own. */
function productsOf(
  scene: Scene,
): Readonly<Record<ProductUnit | 'unnamed', number>> & { readonly plainest: KernelUse | null } {
  const times = { tensor: 0, plain: 0, double: 0, other: 0, unnamed: 0 };
  let plainest: KernelUse | null = null;
  for (const kernel of scene.kernels) {
    if (scene.ofNccl[kernel.name] === 1) continue;
    const unit = productUnitOf(kernel.text);
    times[unit ?? 'unnamed'] += kernel.totalNs;
    if (unit === 'plain') plainest ??= kernel;
  }
  return { ...times, plainest };
}

/**
 * Products of matrices in float32 off the tensor cores that take much of the time. Double precision is wanted for itself,
 * and of kernels whose names say nothing nothing is said. PyTorch: CUDA semantics, TensorFloat-32.
 */
export const tensor: Detector = (scene, limits): readonly TraceFinding[] => {
  const { plain, tensor: onTensor, double, plainest } = productsOf(scene);
  const total = scene.number('kernels.total_ns');
  if (plainest === null || total <= 0) return [];
  const share = (100 * plain) / total;
  const device = scene.trace.devices[scene.device];
  const has = hasTensorCores(device?.computeCapability ?? null, device?.name ?? '', scene.kernels);
  if (share < limits['plain-products']! || has === false) return [];
  // A GPU that stands idle has other troubles first.
  if (plain * 100 < limits['waste-share']! * scene.spanNs) return [];
  const { start, end, stream, name, kind } = scene.trace.work;
  const marks: { from: number; to: number; streams: readonly number[]; label: string }[] = [];
  for (const row of scene.rows) {
    if (marks.length >= 100) break;
    if (kind[row] === 0 && name[row] === plainest.name)
      marks.push({ from: start[row]!, to: end[row]!, streams: [stream[row]!], label: 'float32 off the tensor cores' });
  }
  if (has === null)
    return [
      unclear(
        'tensor-cores-idle',
        `${shareText(share / 100)} of the time of the kernels are products in float32 (${shortName(plainest.text)}, ${timeText(plain)}), and the trace does not say whether the GPU has tensor cores for them`,
        { fact: 'which GPU it is', ask: 'nvidia-smi --query-gpu=name,compute_cap --format=csv' },
        [scene.quote(plainest.firstRow)],
      ),
    ];
  return [
    waste({
      cause: 'tensor-cores-idle',
      certainty: 'likely',
      message: `${shareText(share / 100)} of the time of the kernels are products in float32 off the tensor cores (${shortName(plainest.text)}, ${timeText(plain)})${onTensor > 0 ? `; ${shareText(onTensor / total)} use them` : ', and none uses them'}${double > 0 ? `; ${shareText(double / total)} are in double precision` : ''}`,
      measured: [against('products in float32', share, '>=', limits, 'plain-products', '% of the kernel time')],
      saving: { upperBoundNs: plain, how: 'all time of the products in float32' },
      quotes: [scene.quote(plainest.firstRow)],
      marks,
      missing: {
        fact: 'the precision that the program needs',
        ask: 'python -c "import torch; print(torch.get_float32_matmul_precision())"; env | grep TF32',
      },
    }),
  ];
};

/** Kernels that libraries build for GPUs with tensor cores; those named after Maxwell run on every later one too. */
const builtFor = /\b(?:volta|turing|ampere|hopper|blackwell)_|\bsm(?:7\d|8\d|9\d|1\d\d)_|cutlass_[789]\d_|nvjet/;

/**
 * Float32 products can use them from 8.0 on (TF32), half precision from 7.0 on; GTX 16 boards (7.5) have none. Null where
 * neither the device nor any kernel tells.
 */
export function hasTensorCores(
  capability: string | null,
  device: string,
  kernels: readonly Pick<KernelUse, 'text'>[],
): boolean | null {
  if (/\bGTX\b/.test(device)) return false;
  if (capability !== null) return Number(capability.split('.')[0]) >= 7;
  return kernels.some(({ text }) => builtFor.test(text.slice(0, 400))) ? true : null;
}
