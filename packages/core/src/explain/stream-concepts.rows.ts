import type { ConceptRow } from './concepts.rows.ts';

const guide = 'https://docs.nvidia.com/cuda/cuda-programming-guide/';
const defaultStream = 'https://docs.nvidia.com/cuda/cuda-runtime-api/stream-sync-behavior.html';
const callBehaviour = 'https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html';
const bestPractices = 'cuda-best-practices';
const nsight = 'nsight-systems-guide';
const pytorch = 'pytorch-cuda-notes';

/** Streams, and the memory that copies in them come from, in alphabetical order of their ids. */
export const streamConcepts: readonly ConceptRow[] = [
  {
    id: 'cuda-graph',
    title: 'CUDA graph: many launches replayed as one',
    aliases: ['cuda graphs', 'graph', 'graph capture', 'launch overhead'],
    text: [
      'A graph records a sequence of kernels and copies once and replays it with a single launch. That removes the few microseconds of launch cost per kernel, which dominate when kernels are short, as in decoding of language models. torch.compile with mode="reduce-overhead", TensorRT and serving engines use graphs by themselves.',
      'A graph is fixed: shapes and addresses are those of the recording. Engines therefore record one for each batch size, which takes time at the start and memory for as long as they live.',
      'While a stream is captured, anything that waits (a synchronising call, an allocation outside the pool) is forbidden and fails with a capture error of the 900 range. That is a matter of the program.',
      'Nsight Systems shows a graph as one bar by default, and its kernels are then in no table and no sum. So a profile without kernels may come from a busy GPU.',
    ],
    owner: 'developer',
    acts: 'the developer; the operator sees in a profile whether gaps part short kernels (a graph would help) or whether cudaGraphLaunch is there already (it would not)',
    next: ['nsys profile --cuda-graph-trace=node ./program', 'culprit trace report.sqlite'],
    see: ['stream', 'launch-bound-needs-cuda-graphs', 'ok-cuda-graphs-used', 'cuda 900'],
    sources: [guide, nsight, pytorch],
  },
  {
    id: 'default-stream',
    title: 'Default stream: the one that waits for all others',
    aliases: ['stream 0', 'stream 7', 'legacy default stream', 'null stream'],
    text: [
      'Work given to no stream goes to the default stream. In its legacy form it first waits for every blocking stream of the context, and every blocking stream waits for it before going on, so one stray call serialises a program that was meant to overlap.',
      'Streams created with cudaStreamNonBlocking take no part in that. Those of PyTorch are of this kind: they run beside the default stream, and the program has to order them by events.',
      'Profilers show it as stream 7 (CUPTI numbers the streams of a context, and the default stream comes out as 7). On a time line all other rows are empty where row 7 has a bar, although their launches returned long before.',
      'A program that has one stream only loses nothing by using this one.',
    ],
    owner: 'developer',
    acts: 'the developer gives the work a stream; the operator shows row 7 and names the kernel or the library whose work stands there',
    next: ['nsys profile --stats=true ./program', 'culprit trace report.sqlite --format html --output timeline.html'],
    see: ['stream', 'per-thread-default-stream', 'pipelining', 'default-stream-serialisation'],
    sources: [defaultStream, guide],
  },
  {
    id: 'event',
    title: 'Event: a mark in a stream that others can wait for',
    aliases: ['cuda event', 'events'],
    text: [
      'An event is recorded in a stream and is complete when the work before it is. Another stream can be told to wait for it without the CPU waiting, and the time between two events measures GPU time.',
      'Libraries that use streams of their own (NCCL, a data loader that copies ahead) need events at the borders. Where one is missing the program reads data that is not there yet: rare NaNs, different results from run to run, all gone as soon as somebody sets CUDA_LAUNCH_BLOCKING=1.',
      'Freed memory has the same border: an allocator that hands a block to a new owner while a second stream still reads it corrupts data. In PyTorch record_stream tells the allocator.',
    ],
    owner: 'developer',
    acts: 'the developer; nothing on the node can cause or cure it. The operator rules out hardware (no Xid, no ECC error) and asks for a run with CUDA_LAUNCH_BLOCKING=1: numbers that then stay the same speak for a missing event',
    next: [
      'CUDA_LAUNCH_BLOCKING=1 python train.py',
      'nsys profile --trace=cuda,nvtx --cuda-event-trace=true ./program',
      "dmesg -T | grep -i 'NVRM: Xid'",
    ],
    see: ['stream', 'default-stream', 'pipelining', 'asynchronous-errors'],
    sources: [guide, pytorch],
  },
  {
    id: 'pageable-memory',
    title: 'Pageable memory: ordinary host memory, copied twice',
    aliases: ['pageable', 'pageable copy', 'host memory', 'pinned against pageable', 'pageable vs pinned'],
    text: [
      'Memory from malloc can be moved or swapped by the kernel, so the GPU cannot read it itself. The driver copies it through a small pinned buffer of its own: about half the bandwidth, and a CPU core at work.',
      'A call named "Async" does not help: with pageable memory it may wait for the stream and for the staging before it returns, so neither the CPU nor the kernels get ahead.',
      'One copy of a model at the start costs little and needs no cure. A copy in every step does. On machines with a coherent link between CPU and GPU (Grace) pageable memory is read at full speed.',
    ],
    owner: 'developer',
    acts: 'the developer pins the buffers that are copied again and again (pin_memory=True in a data loader); the operator shows "Pageable" in the table of copies and the rate beside it',
    next: [
      'nsys profile --stats=true ./program',
      'nsys analyze -r cuda_memcpy_async report.sqlite',
      'culprit trace report.sqlite',
    ],
    see: ['pinned-memory', 'unified-memory', 'pageable-copies-slow', 'pageable-copies-synchronous'],
    sources: [callBehaviour, bestPractices],
  },
  {
    id: 'per-thread-default-stream',
    title: 'Per-thread default stream',
    aliases: ['ptds', 'default-stream per-thread', 'cuda_api_per_thread_default_stream', 'cudastreamperthread'],
    text: [
      'With nvcc --default-stream per-thread, or the macro of the same meaning set before the CUDA headers, every host thread has a default stream of its own. These run beside each other; the legacy default stream, if a library still uses it, goes on waiting for all of them, as they are blocking streams.',
      'Code of both kinds in one process is a common reason why overlap disappears: the choice is made for each compilation unit, so a library that was built earlier keeps the old one.',
      'In a profile the calls of such code end in _ptsz or _ptds.',
    ],
    owner: 'developer',
    acts: 'the developer, with all libraries of the process in view; the operator looks for both kinds of names in the table of API calls',
    next: ['nsys stats -r cuda_api_sum report.sqlite', 'culprit trace report.sqlite'],
    see: ['default-stream', 'stream', 'ok-per-thread-default-stream'],
    sources: [defaultStream],
  },
  {
    id: 'pinned-memory',
    title: 'Pinned memory: host memory that the GPU reads itself',
    aliases: ['page-locked', 'page locked memory', 'cudahostalloc', 'cudamallochost', 'pin_memory', 'pinned'],
    text: [
      'Page-locked memory cannot be moved or swapped, so copies run at full speed, return at once when asked to, and run beside kernels. Without it no copy between host and GPU overlaps with anything.',
      'It is also lost to everybody else: a job that pins most of the memory brings the out-of-memory killer on a shared machine although the processes look small. The sign is an OOM kill in the kernel log whose victim has little anonymous memory while Unevictable or Mlocked is high. Memory that the driver pins is not always counted there.',
      'Pinning takes long. A program that pins and frees a buffer for each copy is slower than one that copies from ordinary memory.',
    ],
    owner: 'developer',
    acts: 'the developer pins a few buffers once and reuses them (fewer loader workers, smaller prefetch); the operator sets a memory limit per job',
    next: ["dmesg -T | grep -A40 'invoked oom-killer'", 'grep -E "Mlocked|Unevictable" /proc/meminfo', 'ulimit -l'],
    see: ['pageable-memory', 'unified-memory', 'pipelining', 'pinned-memory-host-oom'],
    sources: [bestPractices, callBehaviour],
  },
  {
    id: 'pipelining',
    title: 'Pipelining: why libraries queue work ahead and use several streams',
    aliases: [
      'why libraries pipeline',
      'pipeline gpu work',
      'async execution',
      'asynchronous execution',
      'double buffering',
      'prefetching',
    ],
    text: [
      'A GPU has engines that work side by side: SMs for kernels, copy engines for each direction, links to other GPUs. And the CPU that feeds them needs microseconds for each launch. Whoever does one thing after the other pays the sum of all; whoever overlaps them pays the longest.',
      'So libraries queue kernels ahead of the GPU, copy the next batch while this one is computed (pinned buffers, a stream of their own), and let NCCL exchange the gradients of one layer while the backward pass computes the next. Each needs its own stream, and events where one uses what another made.',
      'The pipeline breaks where something waits: a copy back in every step (.item(), printing a loss), a cudaMalloc or cudaFree, pageable memory, the default stream, a loader that is too slow, or a rank that comes late. Then the streams show gaps that all have the same cause.',
      'The price is that errors come out later than they arise, and that a missing event gives wrong numbers instead of an error.',
    ],
    owner: 'developer',
    acts: 'the developer; the operator looks whether at least two rows of streams have bars at the same time, and what stands over the gaps: that names the cause',
    next: [
      'nsys profile --stats=true python train.py',
      'culprit trace report.sqlite',
      'culprit trace report.sqlite --format html --output timeline.html',
    ],
    see: ['stream', 'event', 'cuda-graph', 'pinned-memory', 'default-stream', 'copies-not-overlapped'],
    sources: [guide, bestPractices],
  },
  {
    id: 'stream',
    title: 'Stream: a queue of GPU work that runs in order',
    aliases: ['cuda stream', 'streams', 'async', 'concurrency', 'overlap'],
    text: [
      'Work in one stream runs in order; work in different streams may overlap, as far as there is room on the SMs. A kernel that hangs blocks everything behind it in its stream, and a call that waits for the device blocks the process.',
      'Several streams fill a GPU that no single kernel fills, and hide copies and communication. A kernel that fills the GPU alone gains nothing from a second stream, so one stream is no fault.',
      'A stream belongs to one context: a profile of several processes or GPUs has streams of the same number that have nothing to do with each other.',
      'Errors come out later: see asynchronous errors. Mixed streams without events give wrong numbers, not error codes.',
    ],
    owner: 'developer',
    acts: 'the developer; the operator counts the rows of streams in a time line and sees whether their bars lie above one another or take turns',
    next: ['nsys profile --stats=true ./program', 'culprit trace report.sqlite'],
    see: ['event', 'default-stream', 'pipelining', 'asynchronous-errors', 'cuda-graph'],
    sources: [guide],
  },
  {
    id: 'unified-memory',
    title: 'Unified memory: one address for host and GPU',
    aliases: ['managed memory', 'cudamallocmanaged', 'uvm', 'page faults', 'page thrash', 'cudamemadvise'],
    text: [
      'Memory from cudaMallocManaged is moved page by page to whoever touches it. It is convenient, and slow where host and GPU, or several GPUs, take turns: the pages travel over PCIe again and again, and the kernel that faults waits.',
      'A first touch on the GPU moves each page once; that is the price of convenience and ends after the first step. Pages that go to the GPU and back in every step, or that are evicted because the data is larger than the GPU, are thrash: it ends with the program only.',
      'The signs are high PCIe traffic both ways, low SM activity and GPU page faults in a profile. Pages that were prefetched (cudaMemPrefetchAsync) move in large pieces and cause no faults. It needs the module nvidia-uvm, as all of CUDA does.',
    ],
    owner: 'developer',
    acts: 'the developer prefetches, gives hints (cudaMemAdvise), or allocates explicitly; the operator shows the counters, and runs the job where its data fits',
    next: [
      'nvidia-smi dmon -s pu',
      'nsys profile --cuda-um-gpu-page-faults=true --cuda-um-cpu-page-faults=true ./program',
    ],
    see: ['pageable-memory', 'pinned-memory', 'managed-memory-page-faults', 'ok-managed-prefetched'],
    sources: [guide, nsight],
  },
];
