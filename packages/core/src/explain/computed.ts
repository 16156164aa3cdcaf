import type { Knowledge } from '../knowledge/knowledge.ts';
import { percent } from '../occupancy/advice.ts';
import type { LaunchQuestion, OccupancyAnswer } from '../occupancy/answer.ts';
import { answerOf } from '../occupancy/answer.ts';
import type { OccupancyRow } from '../knowledge/occupancy.types.ts';
import { roundUp } from '../occupancy/evaluate.ts';
import type { Block, Topic } from './topic.ts';

/** A topic of the execution model with the numbers of somebody's own launch behind its text. */
export function withNumbers(
  topic: Topic,
  question: LaunchQuestion,
  activeThreads: number | null,
  knowledge: Knowledge,
): Topic {
  const make = pages[topic.id];
  const answer = answerOf(question, knowledge);
  if (topic.kind !== 'concept' || make === undefined || answer === null) return topic;
  const items = make({ answer, question, limits: question.place.limits, activeThreads });
  const block: Block = { kind: 'list', title: `With your numbers (${subject(answer)})`, items, ordered: false };
  const firstList = topic.blocks.findIndex((each) => each.kind !== 'text');
  const at = firstList < 0 ? topic.blocks.length : firstList;
  return { ...topic, blocks: [...topic.blocks.slice(0, at), block, ...topic.blocks.slice(at)] };
}

/** Concepts that have numbers of their own. */
export function hasNumbers(id: string): boolean {
  return pages[id] !== undefined;
}

interface Ground {
  readonly answer: OccupancyAnswer;
  readonly question: LaunchQuestion;
  readonly limits: OccupancyRow;
  readonly activeThreads: number | null;
}

const number = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 20 });

function subject(answer: OccupancyAnswer): string {
  const { launch } = answer;
  return [
    answer.gpu ?? `compute capability ${answer.computeCapability}`,
    `blocks of ${launch.blockSize}`,
    launch.registersPerThread === 0 ? 'registers not given' : `${launch.registersPerThread} registers`,
    launch.staticShared + launch.dynamicShared === 0
      ? null
      : `${number(launch.staticShared + launch.dynamicShared)} bytes shared`,
    answer.grid === null ? null : `grid of ${number(answer.grid.blocks)}`,
  ]
    .filter((each) => each !== null)
    .join(', ');
}

function warpsOf({ answer, limits }: Ground): number {
  return Math.ceil(answer.launch.blockSize / limits.warpSize);
}

/** Lanes of the last warp of a block that have no thread. */
function emptyLanes(ground: Ground): number {
  return warpsOf(ground) * ground.limits.warpSize - ground.answer.launch.blockSize;
}

function registerLines({ answer, limits }: Ground): readonly string[] {
  const { registersPerThread: each } = answer.launch;
  if (each === 0) return ['no registers were given: --registers N says what the compiler printed'];
  const perWarp = roundUp(each * limits.warpSize, limits.registerAllocationUnit);
  const part = limits.registersPerSm / limits.subPartitionsPerSm;
  const held = Math.floor(part / perWarp);
  const warps = Math.ceil(answer.launch.blockSize / limits.warpSize);
  return [
    `a warp takes ${each} × ${limits.warpSize} = ${number(each * limits.warpSize)} registers, in pieces of ${limits.registerAllocationUnit}: ${number(perWarp)}`,
    `each of the ${limits.subPartitionsPerSm} parts of an SM has ${number(part)} of them and holds ${held} such warps, the SM ${held * limits.subPartitionsPerSm}`,
    answer.limits.registers === 0
      ? `a block of ${warps} warps needs more than the ${number(limits.registersPerBlock)} that one block may have: it does not launch`
      : `${held * limits.subPartitionsPerSm} warps are ${answer.limits.registers} blocks of ${warps}`,
  ];
}

function sharedLines({ answer, limits }: Ground): readonly string[] {
  const { staticShared, dynamicShared } = answer.launch;
  const reserved = limits.reservedSharedMemoryPerBlock;
  const unit = limits.sharedMemoryAllocationUnit;
  return [
    `a block takes ${number(staticShared)} static + ${number(dynamicShared)} dynamic + ${number(reserved)} reserved, in pieces of ${unit}: ${number(answer.allocated.sharedPerBlock)} bytes`,
    `the SM is set to ${number(answer.allocated.configuredShared)} bytes of shared memory (sizes: ${limits.sharedMemoryCarveoutsKiB.join(', ')} KiB)`,
    answer.limits.sharedMemory === null ? 'it sets no limit' : `that is room for ${answer.limits.sharedMemory} blocks`,
    `one block can have ${number(limits.sharedMemoryPerBlockDefault)} bytes without asking, ${number(limits.sharedMemoryPerBlockOptin)} with`,
  ];
}

function stepLines(ground: Ground, resource: 'registers' | 'sharedMemory'): readonly string[] {
  const step = ground.answer.steps.find((each) => each.resource === resource);
  if (step === undefined) return [];
  const unit = resource === 'registers' ? 'registers a thread' : 'bytes a block';
  return [
    ...(step.gain === null
      ? [`fewer ${unit} bring no more blocks: something else limits`]
      : [
          `${number(step.gain.value)} ${unit} would give ${step.gain.activeBlocks} blocks instead of ${ground.answer.activeBlocks}: ${percent(step.gain.occupancy)}`,
        ]),
    ...(step.free > step.now ? [`up to ${number(step.free)} ${unit} cost nothing`] : []),
  ];
}

function waveLines({ answer, question }: Ground): readonly string[] {
  const { grid } = answer;
  if (grid === null) {
    if (question.grid !== null)
      return [`how many SMs there are is not known: ${question.place.smsNote ?? 'name the GPU'}`];
    return answer.sms === null
      ? []
      : [`${number(answer.activeBlocks * answer.sms)} blocks are one wave; --grid N shows your own`];
  }
  return [
    `an SM holds ${answer.activeBlocks} blocks, ${number(grid.sms)} SMs ${number(grid.blocksPerWave)}: that is one wave`,
    `${number(grid.blocks)} / ${number(grid.blocksPerWave)} = ${grid.waves.toFixed(3)} waves: ${number(grid.fullWaves)} full, ${number(grid.tailBlocks)} block${grid.tailBlocks === 1 ? '' : 's'} in the last`,
    grid.idleSms > 0
      ? `${grid.idleSms} of ${grid.sms} SMs (${percent(grid.idleSms / grid.sms)}) never get a block`
      : grid.tailIdleSms > 0
        ? `in the last wave ${grid.tailIdleSms} of ${grid.sms} SMs have nothing to do`
        : 'every SM has work to the end',
    `${percent(grid.efficiency)} of the block places are used, if all blocks take equally long`,
    `nvidia-smi would show 100 % utilisation; DCGM SM_ACTIVE about ${percent(grid.smActive)}, SM_OCCUPANCY about ${percent(grid.smOccupancy)}`,
  ];
}

function laneLine(ground: Ground): string {
  const empty = emptyLanes(ground);
  const lanes = warpsOf(ground) * ground.limits.warpSize;
  return empty === 0
    ? `a block of ${ground.answer.launch.blockSize} fills its ${warpsOf(ground)} warps`
    : `a block of ${ground.answer.launch.blockSize} pays for ${warpsOf(ground)} warps of ${ground.limits.warpSize}: ${empty} of ${lanes} lanes (${percent(empty / lanes)}) are empty`;
}

const pages: Readonly<Record<string, (ground: Ground) => readonly string[]>> = {
  thread: (ground) => {
    const { answer, limits } = ground;
    const resident = answer.activeBlocks * answer.launch.blockSize;
    return [
      ...(answer.grid === null
        ? []
        : [
            `the launch has ${number(answer.grid.blocks)} × ${answer.launch.blockSize} = ${number(answer.grid.blocks * answer.launch.blockSize)} threads`,
          ]),
      `${number(resident)} of the ${number(limits.maxThreadsPerSm)} threads that an SM has places for are there at once`,
      ...(answer.sms === null ? [] : [`on ${answer.sms} SMs that is ${number(resident * answer.sms)} at once`]),
    ];
  },
  warp: (ground) => [
    laneLine(ground),
    `an SM holds ${ground.answer.activeBlocks} × ${warpsOf(ground)} = ${ground.answer.activeWarps} warps of ${ground.limits.maxWarpsPerSm}`,
    `its ${ground.limits.subPartitionsPerSm} parts issue an instruction of one warp each in a cycle`,
  ],
  block: (ground) => [
    laneLine(ground),
    `it takes ${number(ground.answer.allocated.registersPerBlock)} registers and ${number(ground.answer.allocated.sharedPerBlock)} bytes of shared memory`,
    ground.answer.cannotLaunch ??
      `an SM holds ${ground.answer.activeBlocks} of them (at most ${ground.limits.maxBlocksPerSm} of any)`,
    `most resident threads: blocks of ${ground.answer.best.blockSize} (${percent(ground.answer.best.occupancy)})`,
  ],
  grid: (ground) => [
    ...(ground.answer.grid === null
      ? []
      : [
          `${number(ground.answer.grid.blocks)} blocks of ${ground.answer.launch.blockSize} are ${number(ground.answer.grid.blocks * ground.answer.launch.blockSize)} threads`,
        ]),
    ...waveLines(ground),
  ],
  waves: waveLines,
  sm: ({ answer, limits }) => [
    answer.sms === null
      ? 'how many SMs there are is not told by a compute capability'
      : `${answer.gpu ?? 'it'} has ${answer.sms} SMs`,
    `each has places for ${limits.maxWarpsPerSm} warps (${number(limits.maxThreadsPerSm)} threads) and ${limits.maxBlocksPerSm} blocks, in ${limits.subPartitionsPerSm} parts`,
    `each has ${number(limits.registersPerSm)} registers and ${number(limits.sharedMemoryPerSm)} bytes of shared memory`,
    `of your blocks it holds ${answer.activeBlocks}`,
  ],
  occupancy: (ground) => {
    const { answer, limits } = ground;
    const warps = warpsOf(ground);
    return [
      `warps: ${limits.maxWarpsPerSm} / ${warps} = ${answer.limits.warps} blocks`,
      ...(answer.launch.registersPerThread === 0 ? [] : registerLines(ground).map((each) => `registers: ${each}`)),
      `shared memory: ${number(answer.allocated.configuredShared)} / ${number(answer.allocated.sharedPerBlock)} bytes = ${answer.limits.sharedMemory ?? 'no limit'}${answer.limits.sharedMemory === null ? '' : ' blocks'}`,
      `blocks: at most ${limits.maxBlocksPerSm}`,
      `the least of them is ${answer.activeBlocks} blocks = ${answer.activeWarps} warps of ${limits.maxWarpsPerSm}: ${percent(answer.occupancy)}`,
    ];
  },
  registers: (ground) => [...registerLines(ground), ...stepLines(ground, 'registers')],
  'shared-memory': (ground) => [
    ...sharedLines(ground),
    ...stepLines(ground, 'sharedMemory'),
    ...(ground.answer.mostDynamicShared === null
      ? []
      : [
          `${number(ground.answer.mostDynamicShared)} bytes of dynamic shared memory leave the ${ground.answer.activeBlocks} blocks as they are`,
        ]),
  ],
  divergence: (ground) => {
    const threads = ground.activeThreads;
    const lanes = ground.answer.launch.blockSize / warpsOf(ground);
    return [
      laneLine(ground),
      `without any branch ${percent(lanes / ground.limits.warpSize)} warp execution efficiency is the most that this block size allows`,
      ...(threads === null
        ? ['--active-threads N takes the average of your profile (smsp__thread_inst_executed_per_inst_executed.ratio)']
        : [
            `${threads} active threads are ${percent(threads / 32)}: the same work with all lanes would take ${(threads / 32).toFixed(2)} of the instructions`,
            threads >= 0.9 * lanes
              ? 'that is what the block size alone explains: no divergence'
              : `it is as if every warp ran ${(lanes / threads).toFixed(1)} ways one after the other`,
          ]),
    ];
  },
};
