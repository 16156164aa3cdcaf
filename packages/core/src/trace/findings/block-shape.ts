import type { TraceFinding } from '../model.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { against, shareText, unclear, waste } from './detector.ts';
import { libraryOfKernel } from './kernel-libraries.ts';
import { takenOf } from './launch-shape.ts';
import type { LaunchUse } from './kernels.ts';
import type { Scene } from './scene.ts';
import { productUnitOf } from './tensor.ts';
import { shortName } from './text.ts';

/*
 * What blocks make of an SM: lanes of a warp that no thread uses, and warps that do not fit. A block of fewer threads than a
 * warp wastes lanes for certain; few resident warps do harm only to kernels that wait for memory, which a trace of events
 * does not tell. CUDA C++ Best Practices Guide: thread and block heuristics; occupancy.
 */

/** Lanes of a warp. */
const warp = 32;

/** What blocks of one warp fill of an SM at least, where its limits are not known: 16 blocks of 64 warps. */
const leastOccupancy = 1 / 4;

/** Share of the lanes that the threads of a block use. */
function laneShare(threads: number): number {
  return threads / (warp * Math.ceil(threads / warp));
}

/** Parts of an SM that issue for warps of their own. CUDA C++ Programming Guide: compute capabilities, 6.0 has two. */
const schedulersOfSm = 4;

/**
 * Share of the GPU's warp schedulers that get a warp from a grid of at most one small block for each SM; null for others,
 * and where the GPU is not known.
 */
function schedulersInUse({ shape }: LaunchUse): number | null {
  if (shape === null || shape.sms === null || shape.blocks > shape.sms) return null;
  const warps = Math.ceil(shape.threads / warp);
  return warps >= schedulersOfSm ? null : (shape.blocks * warps) / (shape.sms * schedulersOfSm);
}

/** What part of the SM's lanes and warps small blocks leave unused; 0 where they do not. */
function unused(use: LaunchUse, limits: TraceLimits): number {
  const { shape } = use;
  if (shape === null) return 0;
  const lanes = laneShare(shape.threads);
  const schedulers = schedulersInUse(use);
  if (schedulers !== null && schedulers * 100 <= limits['few-sms']!) return 1 - takenOf(shape);
  // Blocks of a few threads also fill few places for warps, as an SM holds no more blocks than it holds.
  if (lanes * 100 < limits['lane-share']!) return 1 - lanes * (shape.occupancy?.occupancy ?? leastOccupancy);
  const { occupancy, limiting } = shape;
  if (occupancy === null || occupancy.occupancy * 100 > limits['block-warps']!) return 0;
  return limiting.length === 1 && limiting[0] === 'blocks' ? 1 - occupancy.occupancy : 0;
}

/** Kernels whose blocks are so small that lanes, or places for warps, stay empty. */
export function smallBlocks(scene: Scene, uses: readonly LaunchUse[], limits: TraceLimits): readonly TraceFinding[] {
  // Short kernels are a matter of launching, and those of libraries are shaped on purpose.
  const small = uses.filter(
    (use) =>
      use.totalNs / use.count >= limits['short-kernel']! * 1000 &&
      libraryOfKernel(use.name) === null &&
      unused(use, limits) > 0,
  );
  const ns = small.reduce((sum, use) => sum + use.totalNs, 0);
  const share = (100 * ns) / scene.spanNs;
  const [lead] = small;
  if (lead === undefined || share < limits['tiny-grid-share']!) return [];
  const { threads, occupancy } = lead.shape!;
  const lanes = laneShare(threads);
  const isBare = lanes * 100 < limits['lane-share']!;
  const schedulers = schedulersInUse(lead);
  const few = schedulers !== null && schedulers * 100 <= limits['few-sms']! ? schedulers : null;
  const { blocks, sms } = lead.shape!;
  return [
    waste({
      cause: 'block-size-too-small',
      certainty: 'likely',
      message: `${shortName(lead.name)} runs in ${few === null ? '' : `${blocks} `}block${few !== null && blocks === 1 ? '' : 's'} of ${threads} thread${threads === 1 ? '' : 's'}, ${
        few !== null
          ? `which give work to ${shareText(few)} of the warp schedulers of ${sms} SMs`
          : isBare
            ? `which use ${shareText(lanes)} of the lanes of their warps`
            : `of which an SM holds ${occupancy!.activeBlocks} at most: ${shareText(occupancy!.occupancy)} of its warps`
      }; such kernels run ${shareText(share / 100)} of the time`,
      measured: [
        against('kernels of small blocks', share, '>=', limits, 'tiny-grid-share', '% of the span'),
        few !== null
          ? against('schedulers with a warp', few * 100, '<=', limits, 'few-sms', '% of the schedulers')
          : isBare
            ? against('lanes in use', lanes * 100, '<', limits, 'lane-share', '% of the lanes')
            : against('warps that fit', occupancy!.occupancy * 100, '<=', limits, 'block-warps', '% of the warps'),
      ],
      saving: {
        upperBoundNs: Math.ceil(small.reduce((sum, use) => sum + use.totalNs * unused(use, limits), 0)),
        how: 'the same work with all lanes and places for warps in use',
      },
      quotes: small.slice(0, 2).map((use) => scene.quote(use.first)),
    }),
  ];
}

/** Kernels of the program of which few warps fit onto an SM: a question, as many kernels need no more. */
export function fewWarps(scene: Scene, uses: readonly LaunchUse[], limits: TraceLimits): readonly TraceFinding[] {
  const few = uses.filter(
    ({ name, shape, totalNs, count }) =>
      shape?.occupancy != null &&
      shape.occupancy.occupancy * 100 <= limits['few-warps']! &&
      totalNs / count >= limits['short-kernel']! * 1000 &&
      libraryOfKernel(name) === null &&
      productUnitOf(name) === null,
  );
  const ns = few.reduce((sum, use) => sum + use.totalNs, 0);
  const share = (100 * ns) / scene.spanNs;
  const [lead] = few;
  if (lead === undefined || share < limits['tiny-grid-share']!) return [];
  const { occupancy, limiting } = lead.shape!;
  const { registers, staticShared, dynamicShared } = scene.trace.shapes[lead.key[1]]!;
  const words: Readonly<Record<string, string>> = {
    registers: `${registers ?? '?'} registers a thread`,
    sharedMemory: `${Math.round(((staticShared ?? 0) + (dynamicShared ?? 0)) / 1024)} KiB of shared memory a block`,
    warps: 'the size of its blocks',
    blocks: 'the number of blocks',
    barriers: 'barriers',
  };
  const limitedBy = limiting.map((each) => words[each] ?? each);
  return [
    {
      ...unclear(
        'low-achieved-occupancy',
        `${shortName(lead.name)} has at most ${shareText(occupancy!.occupancy)} of the warps of an SM resident (${limitedBy.join(', ')}), and such kernels run ${shareText(share / 100)} of the time; whether they wait for memory is not in a trace`,
        {
          fact: `what the warps of ${shortName(lead.name)} wait for`,
          ask: `ncu --section Occupancy --section WarpStateStats --section SpeedOfLight -c 3 ./app`,
        },
        few.slice(0, 2).map((use) => scene.quote(use.first)),
      ),
      measured: [
        against('warps that fit', occupancy!.occupancy * 100, '<=', limits, 'few-warps', '% of the warps'),
        against('such kernels', share, '>=', limits, 'tiny-grid-share', '% of the span'),
      ],
    },
  ];
}
