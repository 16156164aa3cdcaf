import type { SumRow, TraceFinding } from '../../model.ts';
import type { TraceLimits } from '../../thresholds.rows.ts';
import { against, shareText, timeText, unclear, waste } from '../detector.ts';
import { libraryOfKernel } from '../kernel-libraries.ts';
import { hasTensorCores, productUnitOf } from '../tensor.ts';
import { shortName } from '../text.ts';
import type { SumsView } from './view.ts';
import { countOf, quotesOf, total } from './view.ts';

/** Products of matrices in float32 off the tensor cores, by the names of the kernels. PyTorch: CUDA semantics, TensorFloat-32. */
export function tensorOfSums(view: SumsView, limits: TraceLimits): readonly TraceFinding[] {
  const { kernels, computeNs, kernelNs, copyNs, kernelCount, sums, launches } = view;
  const plain = kernels.filter(({ name }) => productUnitOf(name) === 'plain');
  const ns = total(plain);
  const [lead] = plain;
  if (lead === undefined || kernelCount < limits['launches']! || computeNs <= 0) return [];
  const share = (100 * ns) / computeNs;
  if (share < limits['plain-products']!) return [];
  if (isLittle(view, ns, limits)) return [];
  // Short ones are a matter of launching, and a GPU that mostly copies or waits has other troubles first.
  if (ns / countOf(plain) < limits['short-kernel']! * 1000 || copyNs > kernelNs || total(launches) > kernelNs)
    return [];
  const has = hasTensorCores(
    null,
    sums.gpu ?? '',
    kernels.map(({ name }) => ({ text: name })),
  );
  if (has === false || (has === null && sums.gpu != null && olderThanTensorCores.test(sums.gpu))) return [];
  const message = `${shareText(share / 100)} of the time of the kernels are products in float32 off the tensor cores (${shortName(lead.name)}, ${timeText(ns)})`;
  if (has === null)
    return [
      unclear(
        'tensor-cores-idle',
        `${message}, and the text does not say whether the GPU has tensor cores for them`,
        { fact: 'which GPU it is', ask: 'nvidia-smi --query-gpu=name,compute_cap --format=csv' },
        quotesOf(view, [lead]),
      ),
    ];
  return [
    waste({
      cause: 'tensor-cores-idle',
      certainty: 'likely',
      message,
      measured: [against('products in float32', share, '>=', limits, 'plain-products', '% of the kernel time')],
      saving: { upperBoundNs: Math.ceil(ns), how: 'all time of the products in float32' },
      quotes: quotesOf(view, plain.slice(0, 3)),
      missing: {
        fact: 'the precision that the program needs',
        ask: 'python -c "import torch; print(torch.get_float32_matmul_precision())"; env | grep TF32',
      },
    }),
  ];
}

/** True of what takes next to nothing of the program's own wall time. */
function isLittle({ wall }: SumsView, ns: number, limits: TraceLimits): boolean {
  return wall !== null && ns * 100 < limits['waste-share']! * wall.ns;
}

/** Boards before Volta. */
const olderThanTensorCores = /\b(?:P100|P40|P4|P6|K\d{2}|M\d{2}|GTX|TITAN X|Titan Xp|Quadro [PMK]\d|GT \d|MX\d{3})\b/i;

/** Threads of a warp. */
const warp = 32;

/** Grids of one block, and blocks of a few threads, that have most of the kernel time, where the table has a row for each grid. */
export function blocksOfSums(view: SumsView, limits: TraceLimits): readonly TraceFinding[] {
  const { kernels, computeNs, copyNs } = view;
  // Short kernels are a matter of launching, and those of libraries are shaped on purpose.
  const own = kernels.filter(
    ({ name, shape, totalNs, count }) =>
      shape !== undefined &&
      libraryOfKernel(name) === null &&
      !/^nccl/i.test(name) &&
      totalNs / count >= limits['short-kernel']! * 1000,
  );
  const narrow = own.filter((row) => threadsOf(row) <= warp && laneShare(threadsOf(row)) * 100 < limits['lane-share']!);
  const warps = own.filter((row) => threadsOf(row) <= warp && blocksOf(row) <= mostBlocks);
  const lone = own.filter((row) => blocksOf(row) === 1);
  const enough = (rows: readonly SumRow[]): boolean =>
    total(rows) * 100 >= limits['tiny-grid-share']! * computeNs &&
    total(rows) >= Math.max(1e6, copyNs) &&
    !isLittle(view, total(rows), limits);
  const found = (
    cause: string,
    rows: readonly SumRow[],
    words: (row: SumRow) => string,
    certain: boolean,
  ): TraceFinding => {
    const share = (100 * total(rows)) / computeNs;
    const [lead] = rows;
    return waste({
      cause,
      certainty: certain ? 'proved' : 'likely',
      message: `${shortName(lead!.name)} ${words(lead!)}; such kernels take ${shareText(share / 100)} of the time of the kernels (${timeText(total(rows))})`,
      measured: [against('such kernels', share, '>=', limits, 'tiny-grid-share', '% of the kernel time')],
      saving: { upperBoundNs: Math.ceil(total(rows)), how: 'the same work spread over all SMs and lanes' },
      quotes: quotesOf(view, rows.slice(0, 3)),
    });
  };
  const many = (row: SumRow): string =>
    `${blocksOf(row)} block${blocksOf(row) === 1 ? '' : 's'} of ${threadsOf(row)} thread${threadsOf(row) === 1 ? '' : 's'}`;
  if (enough(narrow))
    return [
      found(
        'block-size-too-small',
        narrow,
        (row) => `runs in ${many(row)}: most lanes of its warps have no thread`,
        true,
      ),
    ];
  if (enough(lone))
    return [
      found('busy-label-idle-sms', lone, (row) => `runs as ${many(row)}: one SM works, the others have nothing`, false),
    ];
  if (enough(warps))
    return [
      found(
        'block-size-too-small',
        warps,
        (row) => `runs as ${many(row)}: one warp for a block, and few blocks`,
        false,
      ),
    ];
  return [];
}

/** A grid of so few blocks of one warp fills no GPU of a data centre. */
const mostBlocks = 64;

function threadsOf({ shape }: SumRow): number {
  return shape!.block[0] * shape!.block[1] * shape!.block[2];
}

function blocksOf({ shape }: SumRow): number {
  return shape!.grid[0] * shape!.grid[1] * shape!.grid[2];
}

function laneShare(threads: number): number {
  return threads / (warp * Math.ceil(threads / warp));
}
