import type { TraceFormat } from '../model.ts';

/** What another recording would have to show. */
export type Wish = 'steps' | 'calls' | 'host' | 'events' | 'ranks' | 'other-ranks';

/** What each needs of PyTorch's profiler, as its arguments. PyTorch: torch.profiler. */
const ofTorch: Readonly<Record<Wish, string>> = {
  steps:
    'run it with torch.profiler.profile(schedule=torch.profiler.schedule(wait=1, warmup=1, active=10)) and call prof.step() in each step',
  calls: 'run it with torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])',
  host: 'run it with torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], with_stack=True)',
  events:
    'run it with torch.profiler.profile(experimental_config=torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)), or nsys profile -t cuda --cuda-event-trace=true -o run ./app',
  ranks:
    "run it on each rank with torch.profiler.profile(on_trace_ready=torch.profiler.tensorboard_trace_handler('run')); culprit trace run/",
  'other-ranks': 'culprit trace FOLDER   # with the trace of every rank in it',
};

const exported = 'nsys export -t sqlite run.nsys-rep';

const ofNsight: Readonly<Record<Wish, string>> = {
  steps: `nsys profile -t cuda,nvtx -o run ./app && ${exported}`,
  calls: `nsys profile -t cuda,nvtx -o run ./app && ${exported}`,
  host: `nsys profile -t cuda,nvtx,osrt --sample=process-tree -o run ./app && ${exported}`,
  events: `nsys profile -t cuda,nvtx --cuda-event-trace=true -o run ./app && ${exported}`,
  ranks: 'nsys profile -t cuda,nvtx -o rank%q{RANK} …; culprit trace rank0.sqlite rank1.sqlite',
  'other-ranks': 'culprit trace rank*.sqlite',
};

/**
 * One command that brings what a trace lacks, by the tool that made it: whoever has PyTorch's profiler is not sent to
 * another one for what that can record too.
 */
export function askFor({ format }: { readonly format: TraceFormat }, wish: Wish): string {
  if (format === 'kineto') return ofTorch[wish];
  // XLA's profiler has no options of this kind but the length of the recording.
  if (format === 'chrome' && wish === 'steps')
    return "run it with jax.profiler.trace('run'), or TensorFlow's profiler, around ten steps or more";
  return ofNsight[wish];
}
