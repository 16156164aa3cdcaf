import type { OccupancyRow } from '../knowledge/occupancy.types.ts';
import type { LaunchQuestion } from './answer.ts';
import type { BestBlock } from './best.ts';
import type { Kernel, Occupancy, Resource } from './evaluate.ts';
import { evaluate, limitingOf } from './evaluate.ts';
import type { Cluster, Grid } from './grid.ts';
import type { Step } from './steps.ts';

/** Resources in a sentence. */
export const resourceWords: Readonly<Record<Resource, string>> = {
  warps: 'warps per SM',
  registers: 'registers',
  sharedMemory: 'shared memory',
  blocks: 'blocks per SM',
  barriers: 'barriers',
  virtualResources: 'virtual resources',
};

const kib = (bytes: number): string => (bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`);

/** `12.5 %`; whole numbers without a fraction. */
export function percent(share: number): string {
  const value = share * 100;
  return `${Number.isInteger(value) ? value : value.toFixed(1)} %`;
}

/** Why not a single block starts. */
export function whyNone(limits: OccupancyRow, kernel: Kernel, result: Occupancy): string {
  if (kernel.blockSize > limits.maxThreadsPerBlock)
    return `a block holds at most ${limits.maxThreadsPerBlock} threads, not ${kernel.blockSize}`;
  if (kernel.registersPerThread > limits.maxRegistersPerThread)
    return `a thread has at most ${limits.maxRegistersPerThread} registers, not ${kernel.registersPerThread}`;
  if (result.limits.registers === 0)
    return `a block of ${kernel.blockSize} threads with ${kernel.registersPerThread} registers each does not fit into the ${limits.registersPerBlock} registers of a block`;
  if (result.limits.sharedMemory === 0) {
    const total = kernel.staticShared + kernel.dynamicShared;
    if (kernel.staticShared > limits.sharedMemoryPerBlockDefault)
      return `static shared memory ends at ${kib(limits.sharedMemoryPerBlockDefault)} a block; the rest has to be dynamic`;
    return total > limits.sharedMemoryPerBlockOptin
      ? `${kib(total)} of shared memory are more than the ${kib(limits.sharedMemoryPerBlockOptin)} that a block can have`
      : `the kernel declared less dynamic shared memory than the ${kib(kernel.dynamicShared)} of the launch`;
  }
  return `no block fits: ${limitingOf(result)
    .map((each) => resourceWords[each])
    .join(', ')}`;
}

/** What no launch can have though the calculator, which does not check it, answers with blocks; null where nothing is. */
export function beyondAnyLaunch(limits: OccupancyRow, kernel: Kernel): string | null {
  if (kernel.registersPerThread > limits.maxRegistersPerThread)
    return `a thread has at most ${limits.maxRegistersPerThread} registers, not ${kernel.registersPerThread}`;
  if (kernel.barriers > limits.maxNamedBarriersPerBlock)
    return `a block has at most ${limits.maxNamedBarriersPerBlock} barriers, not ${kernel.barriers}`;
  if (kernel.blockSize > kernel.maxThreadsPerBlock)
    return `the kernel was built for at most ${kernel.maxThreadsPerBlock} threads a block (its launch bounds), not ${kernel.blockSize}`;
  return null;
}

interface Ground {
  readonly question: LaunchQuestion;
  readonly result: Occupancy;
  readonly best: BestBlock;
  readonly steps: readonly Step[];
  readonly grid: Grid | null;
  readonly cluster: Cluster | null;
  readonly cannotLaunch: string | null;
}

/** What an operator and the developer behind the kernel can take from the numbers, in whole sentences. */
export function adviceOf(ground: Ground): readonly string[] {
  const { question, result, cannotLaunch } = ground;
  // The first line of the answer says why.
  if (cannotLaunch !== null) return [];
  const said = [
    ...unknownRegisters(question.kernel, question.place.limits, result),
    ...lanes(question.kernel, question.place.limits),
    ...limitAdvice(ground),
    ...(question.kernel.optIn
      ? [
          `More than 48 KiB of shared memory: the program has to ask for it (cudaFuncSetAttribute, cudaFuncAttributeMaxDynamicSharedMemorySize), or the launch fails with an invalid argument.`,
        ]
      : []),
    ...((question.spilled ?? 0) > 0
      ? [
          `The compiler spilled ${question.spilled} bytes of registers to local memory: fewer registers would spill more, and cost time of their own.`,
        ]
      : []),
    ...gridAdvice(ground),
    ...clusterAdvice(ground),
  ];
  if (question.place.sms === null && question.grid !== null)
    said.push(
      `How the grid spreads is not known: ${question.place.smsNote ?? 'the number of SMs is missing'}. Name the GPU, or give --sms.`,
    );
  if (!question.place.limits.confirmed)
    said.push(
      `Some limits of compute capability ${question.place.limits.computeCapability} were not checked in a second source.`,
    );
  if (result.occupancy < 1 && result.occupancy >= 0.5)
    said.push('From about half of the warps on, more of them seldom make a kernel faster.');
  return said;
}

/** No kernel has 0 registers: they were not given, so that every number is an upper bound. */
function unknownRegisters(kernel: Kernel, limits: OccupancyRow, result: Occupancy): readonly string[] {
  if (kernel.registersPerThread > 0) return [];
  let most = 0;
  for (let each = 1; each <= limits.maxRegistersPerThread; each += 1) {
    if (evaluate(limits, { ...kernel, registersPerThread: each }).activeBlocks < result.activeBlocks) break;
    most = each;
  }
  return [
    `Registers per thread are not given, so these are upper bounds: they hold up to ${most} registers a thread. nvcc -Xptxas -v prints how many a kernel takes; give them with --registers, or the file with --from.`,
  ];
}

function lanes(kernel: Kernel, limits: OccupancyRow): readonly string[] {
  const over = kernel.blockSize % limits.warpSize;
  if (over === 0) return [];
  const paid = Math.ceil(kernel.blockSize / limits.warpSize) * limits.warpSize;
  return [
    `A block of ${kernel.blockSize} threads pays for ${paid}: ${paid - kernel.blockSize} of ${paid} lanes have nothing to do. Take a multiple of ${limits.warpSize}.`,
  ];
}

function limitAdvice({ question, result, best, steps }: Ground): readonly string[] {
  const { limits } = question.place;
  const limiting = limitingOf(result);
  if (result.occupancy === 1)
    return question.kernel.registersPerThread === 0
      ? []
      : ['Every warp slot of an SM is taken; occupancy limits nothing.'];
  const said: string[] = [];
  if (limiting.includes('blocks') && !limiting.includes('warps'))
    said.push(
      `An SM holds ${limits.maxBlocksPerSm} blocks at most, and these are small: larger blocks fill it better.`,
    );
  const units: Readonly<Record<Step['resource'], (value: number) => string>> = {
    registers: (value) => `${value} registers a thread`,
    sharedMemory: (value) => `${kib(value)} of shared memory a block`,
    blockSize: (value) => `blocks of ${value} threads`,
    barriers: (value) => `${value} barriers`,
  };
  for (const step of steps) {
    if (step.gain === null || step.resource === 'blockSize') continue;
    said.push(
      `With at most ${units[step.resource](step.gain.value)} (${step.now - step.gain.value} less) an SM holds ${step.gain.activeBlocks} block${step.gain.activeBlocks === 1 ? '' : 's'} instead of ${result.activeBlocks}: ${percent(step.gain.occupancy)}.`,
    );
  }
  const bestOccupancy = (best.activeBlocks * Math.ceil(best.blockSize / limits.warpSize)) / limits.maxWarpsPerSm;
  if (bestOccupancy > result.occupancy)
    said.push(
      `With the same registers and shared memory, blocks of ${best.blockSize} threads reach ${percent(bestOccupancy)}.`,
    );
  if (result.occupancy < 0.5)
    said.push(
      'Low occupancy is no fault by itself: a kernel that keeps the tensor cores or the memory busy may want it so. A profile tells (culprit trace).',
    );
  return said;
}

function gridAdvice({ grid, result }: Ground): readonly string[] {
  if (grid === null) return [];
  const said: string[] = [];
  if (grid.idleSms > 0) {
    said.push(
      `${grid.blocks} blocks reach ${grid.sms - grid.idleSms} of ${grid.sms} SMs; ${grid.idleSms} (${percent(grid.idleSms / grid.sms)}) stay idle. nvidia-smi shows 100 % all the same: it counts the time in which any kernel runs, not how much of the GPU does. DCGM's SM_ACTIVE (field 1002) would show about ${percent(grid.smActive)}, SM_OCCUPANCY (1003) about ${percent(grid.smOccupancy)}.`,
      `${grid.blocksPerWave} blocks fill the part (${result.activeBlocks} on each SM); ${grid.sms} give every SM one.`,
    );
    return said;
  }
  if (grid.waves < 1) {
    said.push(
      `The grid is ${percent(grid.waves)} of one wave: every SM works, with fewer blocks than fit. ${grid.blocksPerWave} blocks would fill it.`,
    );
    return said;
  }
  if (grid.tailBlocks === 0) {
    said.push(
      grid.fullWaves === 1
        ? 'The grid is exactly one full wave, as a persistent kernel wants it.'
        : `The grid is ${grid.fullWaves} full waves: no tail.`,
    );
    return said;
  }
  const lost = 1 - grid.efficiency;
  said.push(
    `${grid.blocks} blocks are ${grid.fullWaves} full wave${grid.fullWaves === 1 ? '' : 's'} of ${grid.blocksPerWave} and a rest of ${grid.tailBlocks}: if all blocks take equally long, the rest costs a whole round and ${percent(lost)} of the block places stay empty${grid.tailIdleSms > 0 ? `; ${grid.tailIdleSms} of ${grid.sms} SMs have nothing to do in it` : ''}.`,
  );
  if (lost > 0.1)
    said.push(
      `A grid of ${grid.fullWaves * grid.blocksPerWave} or ${(grid.fullWaves + 1) * grid.blocksPerWave} blocks has no rest; so has a kernel that launches one wave and loops over the work.`,
    );
  return said;
}

function clusterAdvice({ cluster, question }: Ground): readonly string[] {
  if (cluster === null || cluster.problem !== null) return [];
  const said: string[] = [];
  if (cluster.portable === false)
    said.push(
      `A cluster of ${cluster.size} is not portable: the kernel has to allow it (cudaFuncAttributeNonPortableClusterSizeAllowed), and it may not start on every GPU.`,
    );
  if (cluster.activeAtMost !== null)
    said.push(
      `At most ${cluster.activeAtMost} clusters of ${cluster.size} run at once. A cluster stays within one group of SMs, and groups differ in size, so it can be fewer: cudaOccupancyMaxActiveClusters tells on the GPU itself.${cluster.wavesAtLeast === null || question.grid === null ? '' : ` The grid is at least ${cluster.wavesAtLeast.toFixed(2)} waves of them.`}`,
    );
  return said;
}
