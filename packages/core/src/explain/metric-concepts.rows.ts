import type { ConceptRow } from './concepts.rows.ts';

const overview = 'https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/feature-overview.html';
const utilization = 'https://docs.nvidia.com/deploy/nvml-api/structnvmlUtilization__t.html';
const smi = 'https://docs.nvidia.com/deploy/nvidia-smi/index.html';
const gpm = 'https://docs.nvidia.com/deploy/nvml-api/group__nvmlGpmEnums.html';
const mig = 'https://docs.nvidia.com/datacenter/tesla/mig-user-guide/';
const profile =
  'https://docs.nvidia.com/datacenter/dcgm/latest/reference/command-line-reference/dcgmi/dcgmi-profile.html';
const fields = 'dcgm-fields';
const exporter = 'dcgm-exporter';

/** What the counters of a GPU count, in alphabetical order of their ids. */
export const metricConcepts: readonly ConceptRow[] = [
  {
    id: 'counter-sampling',
    title: 'Units and sampling: why two tools show two numbers',
    aliases: [
      'sampling',
      'sample period',
      'scrape interval',
      'dcgm metrics',
      'counter units',
      'sampling traps',
      'dmon',
      'pmon',
      'nvidia-smi dmon',
      'dcgmi dmon',
    ],
    text: [
      'NVML takes its utilisation over a window of its own, between a sixth of a second and a second by product, and tells the last one. A tool that asks every 30 seconds sees one such window of 30 and knows nothing of the rest: a rhythm of a few seconds is invisible or comes out as slow waves that are not there.',
      'Profiling counters of DCGM are means over the time between two samples, one second by default and 100 ms at least. dcgm-exporter asks every 30 seconds unless it is told otherwise (--collect-interval), and Prometheus stores what it scrapes: an average over averages hides a stall of five seconds.',
      'Units differ for the same thing. Shares of DCGM are 0 to 1, those of nvidia-smi 0 to 100. PCIe of nvidia-smi dmon is MB/s; PROF_PCIE_TX_BYTES is bytes a second, a rate although the exporter calls it a counter (rate() of it is nonsense); DEV_PCIE_TX_THROUGHPUT is in kB. Memory is MiB in both. Energy is mJ and does grow.',
      'A blank of DCGM is a huge number or nothing, "-" of dmon is not known. Neither is 0. A GPU whose every counter is 0, power and temperature included, is not measured.',
      'Times without a zone and without a date are those of the machine that printed them; series of two machines are joined by their clocks, which may differ.',
    ],
    owner: 'operator',
    acts: 'the operator samples once a second while looking for a cause (dmon, dcgmi dmon), and keeps the slow series for alerts',
    next: [
      'nvidia-smi dmon -s pucmt -o DT -c 120 | culprit util -',
      'dcgmi dmon -e 203,1001,1002,1004,1005,1009,1010 -d 1000 -c 120',
      'culprit util --html report.html dmon.log',
    ],
    see: ['gpu-utilisation', 'profiling-counters', 'pcie-counters', 'exporter-blind'],
    sources: [utilization, smi, overview, exporter],
  },
  {
    id: 'dram-active',
    title: 'DRAM_ACTIVE: how much of the memory bandwidth is used',
    aliases: [
      'dram activity',
      'dram_active',
      'drama',
      'memory bandwidth utilization',
      'memory bandwidth',
      'mem_copy_util',
    ],
    text: [
      'DCGM_FI_PROF_DRAM_ACTIVE (field 1005) is the share of cycles in which data went to or came from device memory. In practice about 80 % is the most that can be reached, so 65 % and more means that memory is the limit: more SMs, more occupancy or faster arithmetic will not help.',
      'It is not the "memory utilisation" of nvidia-smi (utilization.memory, DCGM_FI_DEV_MEM_COPY_UTIL, column mem of dmon): that is the share of time in which memory was touched at all, by the same crude sampling as GPU utilisation. And neither says how full the memory is; that is memory.used.',
      'A GPU with DRAM_ACTIVE near its limit is well used, whatever its tensor activity is. Decoding of language models looks like this at small batches.',
    ],
    owner: 'developer',
    acts: 'nobody has to act where it is high; where SMs wait and it is low, the developer looks at how memory is accessed',
    next: ['dcgmi dmon -e 1002,1004,1005 -d 1000', 'ncu --section MemoryWorkloadAnalysis --section SpeedOfLight ./app'],
    see: ['sm-active', 'tensor-active', 'gpu-utilisation', 'uncoalesced-access'],
    sources: [overview, fields, utilization],
  },
  {
    id: 'gpu-utilisation',
    title: 'Utilisation: "100 %" only says that some kernel ran',
    aliases: [
      'utilization',
      'gpu utilization',
      'gpu-util',
      'utilisation vs sm activity',
      'gpu_util',
      'utilization.gpu',
    ],
    text: [
      'The utilisation of nvidia-smi (utilization.gpu, column sm of dmon, DCGM_FI_DEV_GPU_UTIL) is the share of a short window in which at least one kernel ran. One thread on one SM counts as 100 %. It does not tell whether the GPU did much.',
      'A kernel on 5 % of the SMs all the time shows 100 %; one on all SMs half of the time shows 50 %. The number puts the two in the wrong order.',
      'DCGM has the counters that tell: SM activity (share of SMs with work), SM occupancy (share of warp slots filled), tensor and DRAM activity. 100 % utilisation with SM activity of a few per cent means tiny launches, one hung kernel, or a program that waits inside a kernel.',
      'Without them power says a good deal: a GPU that shows 100 % and draws less than half of its limit, flat, is not at work as it could be. nvidia-smi shows N/A for MIG instances.',
    ],
    owner: 'developer',
    acts: 'the operator shows the counters, the developer changes the program',
    next: [
      'dcgmi dmon -e 203,1001,1002,1003,1004,1005 -d 1000',
      'nvidia-smi dmon -s pucmt -o DT -c 120 | culprit util -',
      'nsys profile ./program',
    ],
    see: ['sm-active', 'sm-occupancy', 'tensor-active', 'dram-active', 'watchdog', 'hung-kernel-app-deadlock'],
    sources: [utilization, smi, overview],
  },
  {
    id: 'nvlink-counters',
    title: 'NVLink counters: what GPUs send each other',
    aliases: ['nvlink bandwidth', 'nvlink_tx_bytes', 'nvlink_rx_bytes', 'nvlink traffic', 'nvlrx', 'nvltx'],
    text: [
      'DCGM_FI_PROF_NVLINK_TX_BYTES and _RX_BYTES (1011, 1012) are rates in bytes a second over all links of a GPU. DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL (449) is the older counter that dcgm-exporter has switched on: it tells that something moves, and not in which direction.',
      'Zero is right for a job on one GPU, and for GPUs without links. In a job of several GPUs that have links, zero beside much PCIe traffic means that NCCL took the way through the host: P2P is switched off, the container sees a part of the GPUs only, or the links are down.',
      'Errors are counted apart (CRC, replay, recovery). A few are repaired and cost nothing; a counter that grows by the minute is a bad link, and Xid 74 is its end.',
    ],
    owner: 'operator',
    acts: 'the operator looks at the links and at what NCCL chose; the developer takes settings back that forbid P2P',
    next: [
      'nvidia-smi nvlink -s; nvidia-smi topo -m',
      'NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH ./app 2>&1 | grep -E "via|Channel"',
      'dcgmi dmon -e 1009,1010,1011,1012 -d 1000',
    ],
    see: ['pcie-counters', 'nvlink-idle-multi-gpu', 'nvlink-fault', 'xid 74'],
    sources: [overview, fields, exporter],
  },
  {
    id: 'pcie-counters',
    title: 'PCIe counters: what goes between host and GPU',
    aliases: ['pcie throughput', 'pcie bandwidth', 'rxpci', 'txpci', 'pcie_rx_bytes', 'pcie_tx_bytes', 'pcie replay'],
    text: [
      'Directions are those of the GPU: rx comes in (host to device), tx goes out (device to host). nvidia-smi dmon -s t shows both in MB/s over a window of 20 ms, so single lines jump; the counters of DCGM (1009, 1010) are means in bytes a second and count protocol headers too.',
      'Read them together. Much in and little out is input. Bursts out are checkpoints. Much both ways while kernels run and device memory is quiet is managed memory that pages back and forth. Much both ways with busy memory is a collective over PCIe. A link of generation 4 with 16 lanes carries about 25 GB/s each way in practice, generation 5 about twice that.',
      'Idle GPUs lower the generation of their link to save power: a link is judged under load only. Fewer lanes than the slot has are a fault at any time. The replay counter grows by a few a day at most; hundreds an hour mean a bad slot, riser or cable.',
    ],
    owner: 'operator',
    acts: 'the operator compares link and replays of all GPUs of a node; the developer overlaps copies, pins memory or prefetches',
    next: [
      'nvidia-smi dmon -s put -o DT -c 60 | culprit util -',
      'nvidia-smi --query-gpu=index,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max --format=csv',
      'nvidia-smi -q -d PCIE',
    ],
    see: ['pinned-memory', 'unified-memory', 'pcie-link-degraded', 'managed-memory-page-faults', 'nvlink-counters'],
    sources: [smi, overview, fields],
  },
  {
    id: 'profiling-counters',
    title: 'Profiling counters: who may read them, under MIG and beside other profilers',
    aliases: [
      'dcp metrics',
      'profiling metrics',
      'profiling module',
      'gpm',
      'dcgm_fi_prof',
      'counters under mig',
      'dcgmi profile',
    ],
    text: [
      'The counters named PROF (fields 1001 and on) need Volta or newer. Up to Ampere the profiling module of DCGM reads them from the same hardware that Nsight Compute and CUPTI use: one of them at a time. While DCGM has it a profiler fails or waits; while a profiler has it DCGM tells zeros, blanks or nothing. dcgmi profile --pause gives the counters free, --resume takes them back; an exporter needs no restart.',
      'There the hardware also cannot count all at once. Fields are watched in groups, and what does not fit is taken in turns: values are then samples of a part of the time. dcgmi profile --list shows which fields go together.',
      'From Hopper on the driver serves them itself (GPM of NVML): no module, no turns, and nvidia-smi dmon --gpm-metrics prints them without DCGM.',
      'Reading needs root or the capability SYS_ADMIN, unless the driver was told otherwise (NVreg_RestrictProfilingToAdminUsers=0). An exporter without it starts all the same and says "Not collecting DCP metrics" in its log: the default counters are there, SM activity is not. A node with GPUs of different generations may lose them too.',
      'Under MIG utilisation is not counted at all; the PROF counters are, for each GPU instance (labels GPU_I_ID and GPU_I_PROFILE), as a share of that instance. An instance that has several compute instances, of which one works, shows a part only. Power, clocks and temperature stay those of the whole GPU.',
    ],
    owner: 'operator',
    acts: 'the operator gives the exporter its capability and its list of fields, and pauses it for a developer who profiles',
    next: [
      'dcgmi profile --list -i 0',
      'dcgmi profile --pause; ncu ./app; dcgmi profile --resume',
      'kubectl logs -n gpu-operator -l app=nvidia-dcgm-exporter | grep -i dcp',
      'grep RmProfilingAdminOnly /proc/driver/nvidia/params',
    ],
    see: ['gpu-utilisation', 'mig', 'counter-sampling', 'profiling-counters-blind', 'mig-no-util-counter'],
    sources: [overview, profile, gpm, mig, exporter],
  },
  {
    id: 'sm-active',
    title: 'SM_ACTIVE: how many SMs have work',
    aliases: ['sm activity', 'sm_active', 'smact', 'sm active', 'sm util'],
    text: [
      'DCGM_FI_PROF_SM_ACTIVE (field 1002) is the share of time in which an SM had at least one warp, averaged over all SMs. A grid of a fifth as many blocks as there are SMs gives 20 % while it runs; so does a full grid that runs a fifth of the time. The engine activity beside it (1001) tells the two apart.',
      'Active does not mean computing: a warp that waits for memory counts. The vendor takes 80 % as necessary for good use, though not enough for it, and less than 50 % as a sign of poor use. It does not depend on the threads in a block; occupancy does.',
      'High utilisation with low SM activity is small grids (engine near 100 %) or launches that set the pace (engine well below).',
    ],
    owner: 'developer',
    acts: 'the operator exports field 1002, which dcgm-exporter leaves out by default, and shows it; the developer gives kernels more blocks or merges launches',
    next: [
      'dcgmi dmon -e 203,1001,1002,1003 -d 1000 -c 60 | culprit util -',
      'nvidia-smi dmon --gpm-metrics 1,2,3,5,10 -c 60',
      'ncu --section LaunchStats --section Occupancy ./app',
    ],
    see: ['gpu-utilisation', 'sm-occupancy', 'busy-label-idle-sms', 'launch-bound-needs-cuda-graphs'],
    sources: [overview, fields, gpm],
  },
  {
    id: 'sm-occupancy',
    title: 'SM_OCCUPANCY: how full the SMs are with warps',
    aliases: ['sm_occupancy', 'smocc', 'sm occupancy', 'warp occupancy'],
    text: [
      'DCGM_FI_PROF_SM_OCCUPANCY (field 1003) is the number of resident warps as a share of the most that fit, over all SMs and all of the time: idle SMs and idle time count as empty. The occupancy of a profiler is that of one kernel while it runs, so the two are not the same number.',
      'More is not always better. Work that waits for memory gains from more warps; arithmetic, above all on tensor cores, runs at its peak with few warps and many registers. 25 % beside high tensor activity is fine.',
      'Low occupancy matters where SM activity is high and neither memory nor tensor cores are busy: then warps wait and too few others are there to take over. Registers, shared memory or the block size are the limit; culprit occupancy says which.',
    ],
    owner: 'developer',
    acts: 'the developer, and only where the other counters show that warps wait',
    next: [
      'dcgmi dmon -e 1002,1003,1004,1005 -d 1000',
      'culprit occupancy --gpu H100 --block 256 --registers 64',
      'ncu --section Occupancy --section WarpStateStats ./app',
    ],
    see: ['occupancy', 'sm-active', 'dram-active', 'low-achieved-occupancy'],
    sources: [overview, fields],
  },
  {
    id: 'tensor-active',
    title: 'TENSOR_ACTIVE: whether the tensor cores work',
    aliases: ['tensor activity', 'tensor_active', 'pipe_tensor_active', 'tenso', 'tensor core utilization'],
    text: [
      'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE (field 1004) is the share of cycles in which the tensor pipe was active; 100 % is an instruction every other cycle on every SM. Good training of large models reaches 40 to 60 %, because memory, communication and other kernels take their time.',
      'Near zero beside busy SMs means that products of matrices run on the FP32 pipe: the program computes in float32 without TF32, a library lacks kernels for the type or the shape, or dimensions are no multiples of 8. Or the work has no such products: simulations in FP64, sorting, graphs.',
      'The FP64 and FP32 pipes have counters of their own (1006, 1007); they tell what runs instead.',
    ],
    owner: 'developer',
    acts: 'the developer decides whether the program bears a lower precision; the operator only shows the numbers',
    next: [
      'dcgmi dmon -e 1002,1004,1006,1007 -d 1000',
      'python -c "import torch; print(torch.get_float32_matmul_precision())"',
      'ncu --section ComputeWorkloadAnalysis ./app',
    ],
    see: ['sm-active', 'dram-active', 'tensor-cores-idle'],
    sources: [overview, fields],
  },
];
