import type { StallReasonRow } from './ncu.types.ts';

/** What a warp waits for while it issues no instruction, by name. */
export const stallReasons: readonly StallReasonRow[] = [
  { id: 'barrier', label: 'Stall Barrier', what: 'the other warps of the block at a barrier (__syncthreads)', helps: 'smaller blocks, work of equal length between barriers, fewer barriers', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'branch_resolving', label: 'Stall Branch Resolving', what: 'the target of a branch', helps: 'fewer branches, less divergence', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'dispatch_stall', label: 'Stall Dispatch Stall', what: 'the dispatcher, which holds the instruction back', helps: 'rare: look at the pipes that are busy', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'drain', label: 'Stall Drain', what: 'memory writes after the last instruction', helps: 'fewer or coalesced stores at the end of the kernel', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'gmma', label: 'Stall GMMA', what: 'a warp-group matrix instruction', helps: 'usual in kernels that keep the tensor cores busy', owner: 'none', confirmed: false, sources: ['nsight-compute-guide'] },
  { id: 'imc_miss', label: 'Stall IMC Miss', what: 'a miss in the cache of immediate constants', helps: 'constants that all threads of a warp read at the same address', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'lg_throttle', label: 'Stall LG Throttle', what: 'the queue of local and global memory instructions, which is full', helps: 'fewer and wider loads (float4), no spilling to local memory', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'long_scoreboard', label: 'Stall Long Scoreboard', what: 'data from global, local, texture or surface memory', helps: 'coalesced access, reuse in shared memory, more warps or independent loads in flight', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'math_pipe_throttle', label: 'Stall Math Pipe Throttle', what: 'an arithmetic pipe that is busy', helps: 'nothing if the SM is well used; else a mix of instructions', owner: 'none', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'membar', label: 'Stall Membar', what: 'a memory barrier (__threadfence)', helps: 'fewer or narrower fences', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'mio_throttle', label: 'Stall MIO Throttle', what: 'the queue of shared memory and special instructions, which is full', helps: 'fewer, wider shared memory accesses; fewer special functions and shuffles', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'misc', label: 'Stall Misc', what: 'something else', helps: 'nothing to be read from it', owner: 'none', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'no_instruction', label: 'Stall No Instruction', what: 'the next instruction, which is not in the cache', helps: 'smaller code in hot loops, less unrolling; or the kernel is very short', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'not_selected', label: 'Stall Not Selected', what: 'its turn: it could run, another warp was chosen', helps: 'nothing: there are enough warps', owner: 'none', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'selected', label: 'Selected', what: 'nothing: it issued an instruction', helps: 'nothing: this is work', owner: 'none', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'short_scoreboard', label: 'Stall Short Scoreboard', what: 'data from shared memory or the special function unit', helps: 'fewer bank conflicts, fewer special functions', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'sleeping', label: 'Stall Sleeping', what: 'a sleep that the program asked for', helps: 'spin loops with __nanosleep', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'tex_throttle', label: 'Stall Tex Throttle', what: 'the queue of the texture unit, which is full', helps: 'fewer texture and surface instructions in a row', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'wait', label: 'Stall Wait', what: 'the fixed latency of the instruction before', helps: 'more independent instructions; usual in short dependent chains', owner: 'developer', confirmed: true, sources: ['nsight-compute-guide'] },
  { id: 'warpgroup_arrive', label: 'Stall Warpgroup Arrive', what: 'the other warps of its warp group', helps: 'usual in kernels that use warp-group matrix instructions', owner: 'none', confirmed: false, sources: ['nsight-compute-guide'] },
];
