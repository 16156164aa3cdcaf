import type { Evidence } from './document.ts';

/** A message of the signature table that was recognised; `captures` are the named groups of its pattern. */
export interface Said {
  readonly signature: string;
  readonly captures: Readonly<Record<string, string>>;
  /** How often it was met in all. */
  readonly count: number;
}

export interface Package {
  /** Normalised name (PEP 503: lower case, `-`). */
  readonly name: string;
  readonly version: string;
  readonly manager: 'pip' | 'conda' | 'dpkg' | 'rpm' | 'other';
  /** conda build string, dpkg state (`ii`, `iF` …), else absent. */
  readonly build?: string;
}

export interface LibraryPath {
  /** SONAME or file name as listed: `libcuda.so.1`. */
  readonly soname: string;
  /** Resolved path; null where the loader says `not found`. */
  readonly path: string | null;
  /** Version at the end of the file name, where it has one: `570.124.06`. */
  readonly version?: string;
}

export interface XidEvent {
  readonly xid: number;
  readonly pci: string;
  readonly pid: number | null;
  readonly process: string | null;
  readonly message: string;
  readonly host?: string;
  readonly at?: number;
}

export interface GpuState {
  readonly index: number | null;
  readonly name: string | null;
  readonly uuid?: string | null;
  readonly computeMode?: string | null;
  readonly mig?: string | null;
  readonly utilization?: number | null;
  readonly memoryUsedMiB?: number | null;
  readonly memoryTotalMiB?: number | null;
  readonly eccUncorrected?: number | null;
  readonly temperature?: number | null;
  readonly powerWatts?: number | null;
  /** Fields that the tool could not read because the GPU did not answer (`ERR!`, `Unknown Error`), by column. */
  readonly failedFields?: readonly string[];
}

export interface MigDevice {
  readonly gpu: number | null;
  readonly profile: string;
  readonly uuid: string | null;
}

/** How a launcher or a scheduler says that a process of a job, or its node, ended. */
export interface JobEnd {
  readonly by: 'torchrun' | 'mpirun' | 'srun' | 'slurm' | 'ray' | 'deepspeed' | 'lightning' | 'kubernetes';
  readonly rank: number | null;
  readonly localRank: number | null;
  readonly node: string | null;
  readonly pid: number | null;
  readonly exit: number | null;
  readonly signal: number | null;
  readonly reason: 'oom' | 'node-failure' | 'preempted' | 'time-limit' | 'cancelled' | 'abort' | null;
  /** The launcher says that this one ended first. */
  readonly first: boolean;
  /** The file in which the process left its error, where the launcher names one. */
  readonly log: string | null;
}

/** Ranks that wait in one collective, or that had enqueued the same last one. */
export interface JobCollective {
  readonly kind: 'waits' | 'enqueued';
  readonly group: string | null;
  readonly sequence: number;
  readonly operation: string | null;
  /** Sorted. */
  readonly ranks: readonly number[];
}

/**
 * Every fact that parsers can give, by id. One value each; a fact seen with several values is several facts.
 * Versions are strings as printed and validated; compare them with the modules of `versions/`.
 */
export interface FactValues {
  // --- driver ---
  /** Release of the NVIDIA driver as a tool reports it (nvidia-smi, collect_env, modinfo). `525` when only the branch is known. */
  'driver.version': string;
  /** Release of the kernel module that is in memory (/proc/driver/nvidia/version, /sys/module/nvidia/version, NVRM lines). */
  'driver.module': string;
  /** Release of the user-space driver libraries (NVML library version, client version, libcuda.so.X file name in use). */
  'driver.library': string;
  /** Release of the module file on disk (modinfo, dpkg, rpm): what the next load would bring. */
  'driver.module-file': string;
  /** Newest CUDA version that the driver's libcuda serves (nvidia-smi banner, cudaDriverVersion): `12.4`. */
  'driver.cuda': string;
  'driver.flavour': 'open' | 'proprietary';
  /** nvidia-smi could not load libcuda: banner says `CUDA Version: N/A`. */
  'driver.cuda-missing': true;
  /** nvidia-smi answered with a GPU list or table. */
  'driver.answers': true;
  /** Kernel modules that are listed as loaded (`lsmod`). */
  'modules.loaded': readonly string[];
  /** Kernel modules that were looked for and are not loaded (`lsmod | grep x` gave nothing). */
  'modules.absent': readonly string[];
  /** Device nodes that are listed under /dev. */
  'devices.listed': readonly string[];
  /** How many GPU nodes under /dev were counted. */
  'devices.counted': number;
  'secure-boot': 'enabled' | 'disabled';
  /** Kernel that the module file on disk was built for (`vermagic` of modinfo). */
  'driver.module-file-kernel': string;
  /** Option of the kernel module as it is in force: `RmProfilingAdminOnly` `1`. */
  'driver.parameter': { readonly name: string; readonly value: string };
  /** Newest PTX ISA that the driver's compiler takes, where a message names it: `8.0`. */
  'driver.ptx-isa': string;
  /** State of one module in `dkms status`; kernel null where it was only added. */
  'driver.dkms': {
    readonly module: string;
    readonly version: string;
    readonly kernel: string | null;
    readonly state: string;
  };
  // --- gpu ---
  /** Marketing name of a GPU as printed or told: `NVIDIA H100 80GB HBM3`. One fact per distinct name. */
  'gpu.name': string;
  /** Compute capability: `9.0`. */
  'gpu.compute-capability': string;
  'gpu.count': number;
  'gpu.state': GpuState;
  'gpu.mig-device': MigDevice;
  /** A MIG device in nvidia-smi's table: its instances and its memory in MiB. */
  'gpu.mig-instance': {
    readonly gpu: number;
    readonly gi: number;
    readonly ci: number;
    readonly memoryUsedMiB: number | null;
    readonly memoryTotalMiB: number | null;
    readonly multiprocessors: number | null;
  };
  /** Processes that nvidia-smi lists: none is an empty list. */
  'gpu.processes': readonly string[];
  /** Processes that hold /dev/nvidia* (fuser, lsof). */
  'gpu.holders': readonly string[];
  'gpu.compute-mode': string;
  'gpu.xid': XidEvent;
  /** Last Xid that an exporter's gauge holds, old or new; 0 where none was seen. */
  'gpu.last-xid': { readonly gpu: string | null; readonly xid: number };
  'gpu.sxid': { readonly sxid: number; readonly pci: string; readonly message: string };
  /** GPU fabric state of nvidia-smi -q: `In Progress`, `Completed`. */
  'gpu.fabric-state': string;
  /** Row remapper of a GPU (nvidia-smi -q, query columns, DCGM fields): a remap waits for a reset, or one failed. */
  'gpu.row-remap': { readonly pending: boolean | null; readonly failed: boolean | null };
  'gpu.throttle': readonly string[];
  /** How two devices reach each other (`nvidia-smi topo -m`): `NV18`, `PIX`, `PXB`, `PHB`, `NODE`, `SYS`. */
  'gpu.topology': { readonly from: string; readonly to: string; readonly path: string };
  /** One NVLink of a GPU; null where it is inactive. */
  'gpu.nvlink': { readonly gpu: number; readonly link: number; readonly gigabytesPerSecond: number | null };
  /** The machine has NVSwitches (HGX, DGX, NVL racks). */
  'fabric.nvswitch': true;
  // --- gpu, one value each GPU; `gpu` is what the tool calls it: its bus id in long reports, its index in lists, null where it is not named ---
  /** MIG mode of a GPU now and after the next reset; null where the GPU has none (`N/A`) or the tool does not say. */
  'gpu.mig-mode': { readonly gpu: string | null; readonly current: boolean | null; readonly pending: boolean | null };
  /** Licence of a vGPU as `nvidia-smi -q` or the guest's log tells it: status `Licensed`, `Unlicensed (Restricted)`. */
  'gpu.licence': { readonly gpu: string | null; readonly product: string | null; readonly status: string };
  /** Virtualization mode of `nvidia-smi -q`: `None`, `Pass-Through`, `VGPU`, `Host VGPU`, `Host VSGA`. */
  'gpu.virtualization': { readonly gpu: string | null; readonly mode: string };
  /** Clock event (throttle) reasons that are active and those that are known not to be, in nvidia-smi's words: `SW Power Cap`. */
  'gpu.clock-reasons': {
    readonly gpu: string | null;
    readonly active: readonly string[];
    readonly inactive: readonly string[];
  };
  /** Clocks of a GPU in MHz: now, the highest, and what applications were set to. */
  'gpu.clocks': {
    readonly gpu: string | null;
    readonly sm: number | null;
    readonly smMax: number | null;
    readonly memory: number | null;
    readonly memoryMax: number | null;
    readonly applications: number | null;
    readonly applicationsDefault: number | null;
  };
  /** PCIe link of a GPU: generations and lanes now and at best, what the host's slot allows, replays, and the GPU's utilisation (%) at that moment. */
  'gpu.pcie': {
    readonly gpu: string | null;
    readonly generation: number | null;
    readonly generationMax: number | null;
    readonly generationHostMax: number | null;
    readonly generationDeviceMax: number | null;
    readonly width: number | null;
    readonly widthMax: number | null;
    readonly replays: number | null;
    readonly utilization: number | null;
    readonly performanceState: string | null;
  };
  /** Power of a GPU in watts. */
  'gpu.power': {
    readonly gpu: string | null;
    readonly draw: number | null;
    readonly limit: number | null;
    readonly defaultLimit: number | null;
    readonly maxLimit: number | null;
  };
  /** Temperatures of a GPU in degrees Celsius; `margin` is the distance to its limit that newer GPUs give instead. */
  'gpu.temperature': {
    readonly gpu: string | null;
    readonly now: number | null;
    readonly memory: number | null;
    readonly slowdown: number | null;
    readonly shutdown: number | null;
    readonly margin: number | null;
  };
  /** ECC mode of a GPU now and after the next reboot. */
  'gpu.ecc-mode': { readonly gpu: string | null; readonly current: boolean | null; readonly pending: boolean | null };
  /** ECC errors of a GPU: since the driver was loaded (volatile) and in its life (aggregate). */
  'gpu.ecc-errors': {
    readonly gpu: string | null;
    readonly volatileCorrected: number | null;
    readonly volatileUncorrected: number | null;
    readonly aggregateCorrected: number | null;
    readonly aggregateUncorrected: number | null;
    readonly sramThresholdExceeded: boolean | null;
  };
  /** Rows of a GPU's memory that were remapped, as counts. */
  'gpu.remapped-rows': {
    readonly gpu: string | null;
    readonly correctable: number | null;
    readonly uncorrectable: number | null;
    readonly pending: boolean | null;
    readonly failed: boolean | null;
  };
  /** Retired pages of an older GPU (before Ampere). */
  'gpu.retired-pages': {
    readonly gpu: string | null;
    readonly singleBit: number | null;
    readonly doubleBit: number | null;
    readonly pending: boolean | null;
  };
  /** NVLink fabric of a GPU (`nvidia-smi -q`): state `Completed`, status `Success`, and the health words that are not fine. */
  'gpu.fabric': {
    readonly gpu: string | null;
    readonly state: string | null;
    readonly status: string | null;
    readonly clique: string | null;
    readonly cluster: string | null;
    readonly health: Readonly<Record<string, string>>;
  };
  /** What the driver asks for to recover a GPU: `None`, `GPU Reset`, `Node Reboot`, `Drain P2P`, `Drain and Reset`. */
  'gpu.recovery-action': { readonly gpu: string | null; readonly action: string };
  /** GSP firmware that a GPU runs; null: none is in use. */
  'gpu.gsp-firmware': { readonly gpu: string | null; readonly version: string | null };
  /** Whether the driver leaves a GPU out (`GPU Excluded` under /proc/driver/nvidia/gpus). */
  'gpu.excluded': { readonly gpu: string | null; readonly excluded: boolean };
  'gpu.persistence-mode': { readonly gpu: string | null; readonly on: boolean };
  /** NUMA node and cores that are near a GPU or an adapter (`nvidia-smi topo -m`, sysfs); null where the tool says `N/A`. */
  'gpu.affinity': { readonly device: string; readonly cpus: string | null; readonly numa: string | null };
  /** How many GPUs there should be and how many there are, and who says so (`slurm`, `kubernetes`, `lspci`, `nvidia-persistenced` …). */
  'gpu.expected': { readonly expected: number; readonly found: number | null; readonly by: string };
  /** NVLink error counters of one link that are above 0 (`nvidia-smi nvlink -e`, dcgm). */
  'gpu.nvlink-errors': {
    readonly gpu: number;
    readonly link: number;
    readonly counter: string;
    readonly count: number;
  };
  /** State of one NVLink as DCGM shows it: up, down, disabled, not supported. */
  'gpu.nvlink-state': {
    readonly device: string;
    readonly link: number;
    readonly state: 'up' | 'down' | 'disabled' | 'unsupported' | 'unknown';
  };
  /** A GPU that a PCI listing shows, whether or not the driver answers for it: bus id, text, kernel driver in use. */
  'pci.gpu': {
    readonly address: string;
    readonly name: string;
    readonly driver: string | null;
    readonly revision: string | null;
  };
  /** PCIe link of a device as lspci shows it: GT/s and lanes, `downgraded` where lspci itself says so. */
  'pci.link': {
    readonly address: string;
    readonly device: string;
    readonly speed: number | null;
    readonly speedMax: number | null;
    readonly width: number | null;
    readonly widthMax: number | null;
    readonly downgraded: boolean | null;
  };
  /** State of an IMEX domain or node (`nvidia-imex-ctl -N`, imex log): `UP`, `DOWN`, `DEGRADED`, `READY`. */
  'fabric.imex': { readonly what: string; readonly state: string };
  // --- gpu health as DCGM tells it ---
  /** Result of one test of `dcgmi diag`; `gpu` null where it is for all of them. */
  'dcgm.test': {
    readonly test: string;
    readonly gpu: number | null;
    readonly status: 'pass' | 'fail' | 'warn' | 'skip' | 'not-run';
    readonly message: string | null;
  };
  /** Health of a system that `dcgmi health -c` watches: `Healthy`, `Warning`, `Failure`. */
  'dcgm.health': {
    readonly gpu: number | null;
    readonly system: string;
    readonly status: string;
    readonly message: string | null;
  };
  /** A field of a DCGM exporter or `dcgmi dmon` for one GPU; the last value seen. */
  'dcgm.metric': { readonly name: string; readonly gpu: string | null; readonly value: number };
  // --- host ---
  'os.name': string;
  'os.kernel': string;
  /** Headers or module files of the running kernel were looked for and are not there: what was asked. */
  'os.kernel-headers-absent': string;
  'os.arch': 'x86_64' | 'aarch64' | 'ppc64le';
  'os.platform': 'linux' | 'windows' | 'wsl' | 'jetson';
  'os.glibc': string;
  /** State of a systemd unit that was asked for: value `name state`. */
  'os.service': { readonly unit: string; readonly state: 'active' | 'failed' | 'inactive' | 'missing' };
  /** systemd was told to read its units again, which rewrites device rules of containers that it manages. */
  'os.daemon-reload': true;
  /** Release of Jetson's Linux: `35.4.1`; `36` when only the JetPack is known. */
  'os.l4t': string;
  'os.memlock-kib': number;
  /** Locked memory has no limit. */
  'os.memlock-unlimited': true;
  /** Huge pages of the host (/proc/meminfo): reserved, free, and their size. */
  'os.hugepages': { readonly total: number; readonly free: number | null; readonly sizeKiB: number | null };
  /** How full a file system is (`df`). */
  'fs.usage': { readonly mount: string; readonly usedPercent: number };
  /** What a host name resolves to (`getent hosts`, /etc/hosts); name null for the host that was asked (`hostname -i`). */
  'host.address': { readonly name: string | null; readonly address: string };
  /** GPU that a process uses, by its index. */
  'process.gpu': { readonly pid: number; readonly index: number };
  /** Processors that a process may run on, as a list: `0-55,112-167`. */
  'process.cpus': { readonly pid: number | null; readonly cpus: string };
  /** One entry of the address table of an RDMA card: its index, whether it is empty, the IPv4 address that it stands for. */
  'rdma.gid': {
    readonly device: string;
    readonly port: number;
    readonly index: number;
    readonly gid: string;
    readonly ipv4: string | null;
    readonly empty: boolean;
    readonly version: string | null;
  };
  /** Memory that the control group of the subject may use, MiB; without a limit there is none. */
  'os.memory-limit-mib': number;
  /** Processes that the kernel killed because the control group of the subject had used up its memory. */
  'os.group-oom-kills': number;
  /** Size of /dev/shm in MiB. */
  'os.shm-mib': number;
  /** A process that the kernel killed for want of memory; `memcg` when a control group's limit was met, sizes in KiB. */
  'os.oom-kill': {
    readonly process: string;
    readonly pid: number | null;
    readonly memcg: boolean;
    readonly limitKiB: number | null;
    readonly anonKiB: number | null;
    readonly shmemKiB: number | null;
    readonly group: string | null;
  };
  /**
   * A report of the kernel's OOM killer, read whole; sizes in KiB, null where the report does not say or was cut.
   * `group` is the victim's control group, `limitGroup` the one whose limit was met; `owner` what the path names.
   * `memory` is the host's (Mem-Info), `groupMemory` the group's own statistics.
   */
  'os.oom-report': {
    readonly constraint: 'memcg' | 'none' | 'cpuset' | 'memory-policy' | null;
    readonly invoker: string | null;
    readonly process: string;
    readonly pid: number | null;
    readonly uid: number | null;
    readonly totalVmKiB: number | null;
    readonly anonKiB: number | null;
    readonly fileKiB: number | null;
    readonly shmemKiB: number | null;
    readonly pageTablesKiB: number | null;
    readonly score: number | null;
    readonly scoreAdjust: number | null;
    readonly group: string | null;
    readonly limitGroup: string | null;
    readonly owner: {
      readonly kind: 'pod' | 'slurm-job' | 'container' | 'unit' | 'session' | 'system';
      readonly id: string;
    } | null;
    readonly usageKiB: number | null;
    readonly limitKiB: number | null;
    readonly failures: number | null;
    readonly swapTotalKiB: number | null;
    readonly swapFreeKiB: number | null;
    readonly memory: {
      readonly totalKiB: number | null;
      readonly reservedKiB: number | null;
      readonly freeKiB: number | null;
      readonly anonKiB: number | null;
      readonly fileKiB: number | null;
      readonly shmemKiB: number | null;
      readonly unevictableKiB: number | null;
      readonly mlockedKiB: number | null;
      readonly slabKiB: number | null;
      readonly pageTablesKiB: number | null;
      readonly hugePagesKiB: number | null;
    } | null;
    readonly groupMemory: {
      readonly anonKiB: number | null;
      readonly fileKiB: number | null;
      readonly shmemKiB: number | null;
      readonly unevictableKiB: number | null;
      readonly kernelKiB: number | null;
    } | null;
    /** Free memory of each NUMA node. */
    readonly nodes: readonly { readonly node: number; readonly freeKiB: number }[];
    /** The largest tasks of the table, how many it lists, and what they hold together. */
    readonly tasks: {
      readonly count: number;
      readonly residentKiB: number;
      readonly largest: readonly { readonly pid: number; readonly name: string; readonly residentKiB: number }[];
    } | null;
    /** Parts of the report that are not in the text. */
    readonly cut: readonly ('head' | 'memory' | 'tasks' | 'constraint')[];
  };
  /** A task that the kernel reports as blocked, and where its stack waits; `files` names the file system or block layer. */
  'os.hung-task': {
    readonly task: string;
    readonly pid: number;
    readonly seconds: number;
    readonly where: 'storage' | 'gpu-driver' | 'network' | 'unknown';
    readonly files: string | null;
    readonly frames: readonly string[];
  };
  /** A limit of locked memory and whose it is; KiB, null: unlimited. */
  'os.memlock': {
    readonly of: 'shell' | 'process' | 'unit' | 'container' | 'slurm' | 'limits-file' | 'engine';
    readonly name: string | null;
    readonly softKiB: number | null;
    readonly hardKiB: number | null;
  };
  /** Slurm hands the limits of the shell that submits on to the job (`PropagateResourceLimits`): what is named, and what is excepted. */
  'slurm.propagates': { readonly limits: readonly string[]; readonly except: readonly string[] };
  /** The node, or the driver's module, was started: what the kernel log says of it. */
  'os.started': { readonly what: 'node' | 'driver' };
  /**
   * Every event of one code on one GPU (`sxid`: one NVSwitch) in one log: how many lines, how many more the kernel says it left
   * out, the first and the last time as printed and the span between them where one clock tells it, and the programs named.
   */
  'gpu.xid-events': {
    readonly kind: 'xid' | 'sxid';
    readonly xid: number;
    readonly pci: string;
    readonly host: string | null;
    readonly count: number;
    readonly suppressed: number;
    readonly first: string | null;
    readonly last: string | null;
    readonly spanMs: number | null;
    readonly programs: readonly {
      readonly process: string | null;
      readonly pid: number | null;
      readonly count: number;
    }[];
  };
  /** SELinux mode (`getenforce`, `sestatus`). */
  'os.selinux': 'enforcing' | 'permissive' | 'disabled';
  /** An access that SELinux or AppArmor denied. */
  'os.access-denied': {
    readonly by: 'selinux' | 'apparmor';
    readonly process: string | null;
    readonly operation: string;
    readonly target: string | null;
    readonly profile: string | null;
  };
  /** A device node as listed: mode, owner, group, major and minor number. */
  'device.node': {
    readonly path: string;
    readonly mode: string;
    readonly owner: string;
    readonly group: string;
    readonly major: number | null;
    readonly minor: number | null;
  };
  /** A change of an installed package with its time as logged (apt history, dpkg.log, dnf history): versions null where not named. */
  'package.change': {
    readonly action: 'install' | 'upgrade' | 'downgrade' | 'remove' | 'reinstall';
    readonly name: string;
    readonly from: string | null;
    readonly to: string | null;
    readonly time: string | null;
    /** Milliseconds since 1970, the log's local time read as UTC. */
    readonly at: number | null;
  };
  /** A port of an InfiniBand or RoCE adapter (ibstat, ibv_devinfo, rdma link). */
  'ib.port': {
    readonly device: string;
    readonly port: number;
    readonly state: string | null;
    readonly physical: string | null;
    readonly rate: number | null;
    readonly layer: string | null;
    readonly interface: string | null;
    readonly mtu: number | null;
  };
  /** One reading of a counter of an RDMA port or a network interface; `reading` counts the readings of the text from 0. */
  'net.counter': {
    readonly device: string;
    readonly port: number | null;
    readonly counter: string;
    readonly reading: number;
    readonly value: number;
    /** Milliseconds on the clock of the text; null where no time is printed. */
    readonly at: number | null;
  };
  /** How a counter of a port went from one reading to a later one of the same text. */
  'net.counter-growth': {
    readonly device: string;
    readonly port: number | null;
    readonly counter: string;
    readonly from: number;
    readonly to: number;
    readonly readings: number;
    readonly seconds: number | null;
  };
  /** What a link runs at and could run at: Gb/s and lanes (`mlxlink`, sysfs `rate`); null where not told. */
  'net.link': {
    readonly device: string;
    readonly port: number | null;
    readonly gigabits: number | null;
    readonly lanes: number | null;
    readonly gigabitsEnabled: number | null;
    readonly lanesEnabled: number | null;
    readonly state: string | null;
    readonly recommendation: string | null;
    /** Kind of adapter (`MT4129`): ports of one kind are compared. */
    readonly model: string | null;
    /** Of the link after error correction. */
    readonly bitErrorRate: number | null;
  };
  /** Device nodes of RDMA adapters (`ls /dev/infiniband`). */
  'ib.device-nodes': number;
  /** Firmware of a network adapter. */
  'ib.firmware': { readonly device: string; readonly version: string };
  /** A network interface (`ip a`, ethtool): operational state, MTU, addresses, speed in Mb/s. */
  'net.interface': {
    readonly name: string;
    readonly state: string | null;
    readonly mtu: number | null;
    readonly addresses: readonly string[];
    readonly speed: number | null;
  };
  /** PCIe access control services that redirect requests are on for a bridge. */
  'pci.acs-redirect': string;
  // --- toolkit ---
  /** Release of nvcc that was asked: `12.6`. */
  'toolkit.nvcc': string;
  /** CUDA runtime that the program uses or was built with, other than torch's own: `12.4`. */
  'toolkit.runtime': string;
  /** CUDA version of an installed toolkit directory or version file. */
  'toolkit.installed': string;
  /** Version of the PTX in the message or the tool that emitted it: PTX ISA `8.1`. */
  'toolkit.ptx-isa': string;
  'toolkit.host-compiler': string;
  /** CMake wrote the files of a build: what it looked for before and did not find was not needed. */
  'build.configured': true;
  /** A CUDA compiler stopped at the source of the program: the file and what it says of it, no header of the stack. */
  'build.source-error': { readonly file: string; readonly what: string };
  // --- frameworks ---
  'torch.version': string;
  /** CUDA version torch was built with; null: built without. */
  'torch.cuda': string | null;
  'torch.cuda-available': boolean;
  'torch.arch-list': readonly string[];
  'torch.capability-range': string;
  'framework.version': { readonly name: string; readonly version: string };
  /** Whether Numba needs CUDA's minor version compatibility here, and whether it uses it. */
  'numba.minor-version-compatibility': { readonly needed: boolean; readonly used: boolean };
  'framework.devices': number;
  /** Targets that another framework than torch holds code for. */
  'framework.arch-list': { readonly name: string; readonly targets: readonly string[] };
  /**
   * Why xFormers takes no operator for a call: what all operators of this build have against it. `inputs`: shapes, types
   * or biases that none takes; `build`: none is built. Capabilities as they are printed, `12.0`.
   */
  'attention.refused': {
    readonly by: 'newer' | 'older' | 'cpu' | 'build' | 'inputs';
    readonly have: string | null;
    readonly limit: string | null;
    readonly operators: number;
  };
  /** Whether a part of a library can be used here: xformers' `memory_efficient_attention.cutlassF` `unavailable`. */
  'framework.feature': {
    readonly name: string;
    readonly feature: string;
    readonly state: 'available' | 'unavailable' | 'not-built';
  };
  /** Layers of a model that a local runner put on GPUs, of how many (llama.cpp, ollama). */
  'framework.offload': { readonly layers: number; readonly of: number };
  /** The processor that a runner chose for its work: `cuda`, `cpu`, `rocm` (ollama's `inference compute`). */
  'framework.compute': { readonly name: string; readonly library: string; readonly device: string | null };
  package: Package;
  /** A release that a package's metadata pins: torch 2.7.1 wants nvidia-cudnn-cu12 9.5.1.17. */
  'package.pin': { readonly by: string; readonly name: string; readonly version: string };
  /** What an extension package says it was built for; absent parts were not named. */
  'package.built-for': { readonly name: string; readonly torch?: string; readonly cuda?: string };
  // --- libraries ---
  'cudnn.built-for': string;
  'cudnn.loaded': string;
  'cudnn.file': LibraryPath;
  'nccl.version': string;
  /** NCCL release that a library was built with. */
  'nccl.built-for': string;
  'nccl.net': string;
  'nccl.interfaces': readonly string[];
  /** GPUDirect RDMA of one network adapter as NCCL reports it. */
  'nccl.gdr': { readonly adapter: string; readonly enabled: boolean };
  /** Transports that NCCL chose for channels: `P2P/CUMEM`, `SHM/direct`, `NET/IB/GDRDMA`. */
  'nccl.transport': string;
  /** NCCL communicator was set up to the end. */
  'nccl.init-complete': true;
  /** Ranks of NCCL's largest communicator, and how many nodes they are on. */
  'nccl.ranks': number;
  'nccl.nodes': number;
  /** Network plugin that NCCL loaded, `none` where it says that there is none. */
  'nccl.plugin': string;
  /** A network adapter that NCCL uses and its speed. */
  'nccl.adapter': { readonly name: string; readonly gigabitsPerSecond: number };
  /** NVLink multicast (NVLink SHARP) as NCCL sees it. */
  'nccl.nvls': 'available' | 'not available';
  /** Channels of a communicator; null where the release does not print them. */
  'nccl.channels': { readonly collective: number; readonly nvls: number | null; readonly p2p: number | null };
  /** Rings and trees that NCCL laid out, as counts. */
  'nccl.graph': { readonly kind: 'ring' | 'tree'; readonly count: number };
  /** How one rank sends to its peers: transports in order of name, and how many of its network channels use GPUDirect RDMA. */
  'nccl.rank-path': {
    readonly rank: number;
    readonly via: readonly string[];
    readonly network: number;
    readonly gdr: number;
  };
  /** One row and side of a table of nccl-tests; rates in GB/s, `wrong` null where the result was not checked. */
  'nccl.bandwidth': {
    /** `all_reduce`, `all_gather` …; null where nothing names it. */
    readonly collective: string | null;
    readonly place: 'out-of-place' | 'in-place';
    readonly bytes: number;
    readonly type: string;
    readonly redop: string | null;
    readonly root: number | null;
    readonly timeUs: number;
    readonly algbw: number;
    readonly busbw: number;
    readonly wrong: number | null;
  };
  /** `Avg bus bandwidth` of a table of nccl-tests, GB/s over all its sizes. */
  'nccl.average-bandwidth': number;
  /** Results out of bounds that nccl-tests counted: 0 where it checked and found none. */
  'nccl.wrong': number;
  /** A library as a loader tool resolved it (ldd, LD_DEBUG, ldconfig -p in order). */
  'loader.resolved': LibraryPath;
  /** Entries of the loader cache (ldconfig -p), in its order. */
  'loader.cache': LibraryPath;
  /** A file that a search or listing shows to exist (find, locate, ls). */
  'file.exists': string;
  /** A symbolic link and the absolute path that it names. */
  'file.link': { readonly path: string; readonly target: string };
  /** A path or name that was looked for among files and is not there. */
  'file.absent': string;
  /** Size of a driver file as listed. */
  'file.size': { readonly path: string; readonly bytes: number };
  /** A name that was looked for in the loader cache and is not in it. */
  'loader.cache-absent': string;
  /** Loader or prefix of a software stack that brings its own C library: a path. */
  'loader.interpreter': string;
  /** A package, or a part of its name, that was looked for and is not installed. */
  'package.absent': string;
  /** An installation replaced one release (or build) of a package by another. */
  'package.replaced': { readonly name: string; readonly from: string; readonly to: string };
  /** Folders that the dynamic section of a library or a program names for what it needs, as they stand there (`$ORIGIN`). */
  'library.tags': { readonly path: string; readonly rpath: readonly string[]; readonly runpath: readonly string[] };
  /** A variable of the environment as printed; empty string where it is printed as empty or unset. */
  env: { readonly name: string; readonly value: string };
  /**
   * The file that the loader gives for a name to a process of this environment (`core/loader`), path null where it finds
   * none. `rival` says what may win instead where a tag in the asking library decides, which was not read.
   */
  'loader.loads': {
    readonly soname: string;
    readonly path: string | null;
    readonly version: string | null;
    readonly kind: 'driver' | 'compat' | 'stub' | 'ghost' | 'toolkit' | 'wheel' | 'system' | 'other';
    readonly by: 'LD_PRELOAD' | 'RPATH' | 'LD_LIBRARY_PATH' | 'RUNPATH' | 'ld.so.cache' | 'default' | null;
    /** Who asks: any process, or the package whose library does. */
    readonly asker: string | null;
    readonly rival: string | null;
    /** Files of the name that lose, in the order in which they would come. */
    readonly losers: readonly string[];
  };
  // --- what a probe of a live subject saw ---
  /** An observation that was not made: reading was not permitted, it did not come back, it was not run. */
  'probe.missing': { readonly source: string; readonly command: string; readonly why: string };
  /** NVIDIA GPUs that the machine's PCI bus shows, all of its devices having been looked at. */
  'pci.gpus-counted': number;
  /** A library of the GPU stack that a running process has in its memory; `deleted`: its file was removed or replaced since. */
  'process.library': {
    readonly pid: number;
    readonly path: string;
    readonly version: string | null;
    readonly deleted: boolean;
  };
  /** A process that has GPU device nodes open: who it is, and what it belongs to. */
  'process.holder': {
    readonly pid: number;
    readonly name: string | null;
    readonly uid: number | null;
    readonly pod: string | null;
    readonly job: string | null;
  };
  // --- container, image, cluster ---
  'container.toolkit-version': string;
  'container.default-runtime': string;
  /** How the GPU was put into the container, as its mounts tell. */
  'container.injection': 'legacy' | 'cdi';
  /** A driver library that a container has, and whether the host's or the image's file it is. */
  'container.mount': { readonly path: string; readonly from: 'host' | 'image' };
  'container.inside': true;
  /**
   * How the program of a container whose image has a vendor's entrypoint was started: its name, whether the entrypoint ran
   * (null where the image has no compat libraries to tell by), and what that says of the compat libraries (`CUDA Driver OK` or its error).
   */
  'container.start': { readonly program: string; readonly entrypoint: boolean | null; readonly compat: string | null };
  /** Runtimes that a container engine is set up with (docker info, daemon.json, containerd's tables). */
  'container.runtimes': readonly string[];
  /** A setting of the NVIDIA container toolkit's config.toml. */
  'container.toolkit-setting': { readonly section: string; readonly key: string; readonly value: string };
  /** A program or package of the NVIDIA container toolkit that was looked for and is not there. */
  'container.toolkit-absent': string;
  /** A rule of a cgroup v1 device list: `195:0`, `rw`. */
  'container.device-rule': { readonly device: string; readonly access: string };
  /** A path that a CDI specification names. */
  'cdi.path': string;
  /** Devices that the CDI specifications of this machine offer; none is an empty list. */
  'cdi.devices': readonly string[];
  'image.reference': string;
  'image.cuda': string;
  'image.requirement': string;
  // --- what is in an image, read from its layers ---
  /** An image was read: all of it that matters (`complete`), and whether it holds anything of the GPU stack. */
  'image.scanned': {
    readonly reference: string;
    readonly platform: string;
    readonly complete: boolean;
    readonly gpu: boolean;
  };
  /** A variable that the configuration of an image sets. */
  'image.variable': { readonly name: string; readonly value: string };
  /** What an image starts, and what in it switches forward compatibility on (`none`, `unread`). */
  'image.entrypoint': {
    readonly words: string;
    readonly compat: 'nvidia-entrypoint' | 'script' | 'unread' | 'none';
    /** NGC's start script lies in the image. */
    readonly ngcScript: boolean;
  };
  /** A folder that the loader of the image searches, with what libcuda lies in it; `first`: before the driver's folder. */
  'image.search-folder': {
    readonly folder: string;
    readonly by: 'LD_LIBRARY_PATH' | 'ld.so.conf' | 'default';
    readonly holds: 'compat' | 'stub' | 'stub-unnamed' | 'baked' | 'ghost';
    readonly first: boolean;
  };
  /** A file named libcuda in an image. */
  'image.libcuda': {
    readonly path: string;
    readonly kind: 'stub' | 'compat' | 'baked' | 'ghost';
    readonly version: string | null;
    readonly cuda: string | null;
    readonly note: readonly number[] | null;
  };
  /** A file in an image that belongs to a host. */
  'image.host-thing': {
    readonly kind:
      'driver-library' | 'driver-tool' | 'kernel-module' | 'firmware' | 'module-source' | 'container-toolkit';
    readonly path: string;
    readonly bytes: number;
    readonly version: string | null;
  };
  /** A CUDA toolkit, or parts of one, in an image; version `unknown` where nothing tells. */
  'image.toolkit': {
    readonly version: string;
    readonly path: string;
    readonly cudart: string | null;
    readonly nvcc: boolean;
  };
  /** A copy of a CUDA library in an image; `wins`: the loader takes it. */
  'image.library': {
    readonly name: string;
    readonly version: string | null;
    readonly path: string;
    readonly soname: string | null;
    readonly wins: boolean;
    /** Python environment it belongs to; null: the system. */
    readonly environment: string | null;
  };
  /** What a library of an image gets for a library it needs, where there are several copies; path null: none. */
  'image.load': {
    readonly asker: string;
    readonly soname: string;
    readonly path: string | null;
    readonly version: string | null;
    readonly by: string | null;
    readonly others: readonly { readonly path: string; readonly version: string | null }[];
  };
  /** Parts of cuDNN of several releases in one folder. */
  'image.mixed-cudnn': { readonly folder: string; readonly versions: readonly string[] };
  /** A package of the GPU stack in an image; cuda `none`: built without. */
  'image.package': {
    readonly name: string;
    readonly version: string | null;
    readonly environment: string;
    readonly manager: 'pip' | 'conda' | 'dpkg' | 'rpm' | 'apk';
    readonly cuda: string | null;
  };
  /** An exact version that a package wants of another one, and what is installed; null: it is not. */
  'image.pin': {
    readonly by: string;
    readonly name: string;
    readonly wants: string;
    readonly has: string | null;
    readonly environment: string;
    /** Some copy of the library is in the image all the same. */
    readonly elsewhere: boolean;
  };
  /** CPU that an image is for, as its engine or a registry tells. */
  'image.architecture': 'x86_64' | 'aarch64' | 'ppc64le';
  /** ELF machine of libraries in an image. */
  'image.machine': { readonly machine: string; readonly count: number };
  /** RuntimeClass objects of the cluster; none is an empty list. */
  'k8s.runtime-classes': readonly string[];
  /** RuntimeClass that a pod asks for; empty where it asks for none. */
  'k8s.pod-runtime-class': string;
  /** A setting of slurm.conf or cgroup.conf, name and value in lower case. */
  'slurm.setting': { readonly name: string; readonly value: string };
  /** A job that was given to LSF, and whether its command asks for GPUs. */
  'lsf.submitted': { readonly gpus: boolean };
  /** A server or a queue takes the next piece of work in this line. */
  'program.piece': number;
  /** Kind of GPU that a job asked its scheduler for: `a100` of `--gres=gpu:a100:2`. */
  'job.gpu-type': string;
  /** GPUs that a Slurm job asked for, and how many it sees. */
  'slurm.gpus': { readonly asked: number; readonly sees: number };
  'k8s.resource': { readonly name: string; readonly value: string };
  /** A device request of a container (docker inspect, Compose reservation): count -1 means all, null where ids are named. */
  'container.device-request': {
    readonly driver: string;
    readonly count: number | null;
    readonly ids: readonly string[];
    readonly capabilities: readonly string[];
  };
  /** A command that starts a container, its name if given, and whether it gives GPUs. */
  'container.started': { readonly name: string | null; readonly gpus: boolean };
  /** A container whose engine was asked for no device (docker inspect: `DeviceRequests` null or empty, no node of a GPU). */
  'container.no-device-request': true;
  /** Runtime that one container runs with (docker inspect `HostConfig.Runtime`, crictl `runtimeType`). */
  'container.runtime': string;
  /** State of a container as its engine shows it; exit null while it runs. */
  'container.state': {
    readonly name: string;
    readonly status: string;
    readonly exit: number | null;
    readonly oomKilled: boolean | null;
    readonly error: string | null;
  };
  /** Engine and its release: docker 29.0.1, containerd 1.7.24, cri-o 1.31.1. */
  'container.engine': { readonly name: string; readonly version: string };
  /** cgroup version and driver of an engine or kubelet. */
  'container.cgroup': { readonly version: number | null; readonly driver: string | null };
  /** A setting of a container engine (daemon.json, containerd's config.toml, crio.conf), dotted name. */
  'container.engine-setting': { readonly engine: string; readonly name: string; readonly value: string };
  /** Labels and resources of gpu-feature-discovery and NFD that are not versions: `nvidia.com/mig.strategy` `single`. */
  'k8s.label': { readonly node: string | null; readonly name: string; readonly value: string };
  /** An event: message with its line ends as blanks. */
  'k8s.event': {
    readonly type: string;
    readonly reason: string;
    readonly object: string | null;
    readonly message: string;
    readonly count: number | null;
    readonly time: string | null;
  };
  /** A pod: phase as the API has it or the column STATUS of kubectl. */
  'k8s.pod': {
    readonly name: string;
    readonly namespace: string | null;
    readonly phase: string;
    readonly reason: string | null;
    readonly message: string | null;
    readonly node: string | null;
  };
  /** State of a container of a pod; `last` for the state before the last restart. */
  'k8s.container': {
    readonly pod: string | null;
    readonly name: string;
    readonly state: 'waiting' | 'running' | 'terminated';
    readonly reason: string | null;
    readonly message: string | null;
    readonly exit: number | null;
    readonly last: boolean;
    readonly restarts: number | null;
  };
  /** A condition of a node or pod: `Ready` `False` with its reason. */
  'k8s.condition': {
    readonly kind: 'Node' | 'Pod' | 'Other';
    readonly name: string | null;
    readonly type: string;
    readonly status: string;
    readonly reason: string | null;
    readonly message: string | null;
  };
  /** An extended resource of a node: what the device plugin registered, what of it is healthy, what pods hold. */
  'k8s.device-resource': {
    readonly node: string | null;
    readonly resource: string;
    readonly capacity: number | null;
    readonly allocatable: number | null;
    readonly allocated: number | null;
  };
  /** What a pod's container asks for of an extended resource. */
  'k8s.device-request': {
    readonly pod: string | null;
    readonly container: string;
    readonly resource: string;
    readonly count: number;
  };
  /**
   * One link between a pod and its GPU, as the walk over what the API shows finds it (`core/podwalk`), up to the first that
   * is broken; `waits`: not ready, only since another is not. `cause`: what a break of its kind is called.
   */
  'k8s.link': {
    readonly pod: string;
    readonly link: 'pod' | 'node' | 'device-plugin' | 'runtime-class' | 'container-toolkit' | 'driver' | 'container';
    readonly state: 'holds' | 'broken' | 'upgrading' | 'waits' | 'unknown';
    readonly message: string;
    readonly cause: string | null;
  };
  'k8s.taint': {
    readonly node: string | null;
    readonly key: string;
    readonly value: string | null;
    readonly effect: string;
  };
  /** A volume of a pod that lives in memory, size limit in MiB; null: no limit is set. */
  'k8s.memory-volume': { readonly pod: string | null; readonly path: string | null; readonly sizeMiB: number | null };
  /** A part of the GPU operator's ClusterPolicy, `enabled` null where it is not set. */
  'k8s.operator-component': {
    readonly name: string;
    readonly enabled: boolean | null;
    readonly version: string | null;
  };
  /** A line of gres.conf, or what slurmd found of it. */
  'slurm.gres': {
    readonly node: string | null;
    readonly type: string | null;
    readonly count: number | null;
    readonly files: string | null;
    readonly autodetect: string | null;
  };
  /** A claim of dynamic resource allocation and the state that `kubectl get resourceclaim` prints. */
  'k8s.resource-claim': { readonly name: string; readonly state: string };
  /** How many slices of devices drivers have published. */
  'k8s.resource-slices': number;
  /** A Slurm job or step as accounting or the controller shows it. */
  'slurm.job': {
    readonly id: string;
    readonly state: string;
    readonly exit: string | null;
    readonly gpus: number | null;
  };
  /** A node of a partition and why it is not used (`sinfo -R`), or a job that waits and why (`squeue`). */
  'slurm.reason': {
    readonly of: 'node' | 'job';
    readonly name: string;
    readonly state: string | null;
    readonly reason: string;
  };
  /** GPUs that a job holds on nodes, or that are in use on a node, by their index. */
  'slurm.allocation': {
    readonly of: 'job' | 'node';
    readonly name: string;
    readonly nodes: string;
    readonly gpus: number | null;
    readonly indexes: readonly number[];
  };
  'slurm.node': {
    readonly name: string;
    readonly state: string;
    readonly reason: string | null;
    readonly gpus: number | null;
    readonly gpusUsed: number | null;
  };
  // --- profiles ---
  /** A number of a kernel profile by its normalised name: `block-size` (threads), `theoretical-occupancy` (%), `block-limit-sm` (blocks). */
  'profile.metric': { readonly name: string; readonly value: number; readonly kernel: string | null };
  /** A CUDA API call in a profile's summary. */
  'profile.api': { readonly name: string; readonly calls: number; readonly totalNs: number };
  /** Kernels of a profile's summary, all together. */
  'profile.kernels': { readonly instances: number; readonly totalNs: number };
  /** A copy rate between host and device, GB/s. */
  'profile.bandwidth': {
    readonly memory: 'pinned' | 'pageable' | 'managed' | 'unknown';
    readonly direction: 'h2d' | 'd2h' | 'unknown';
    readonly gbPerSecond: number;
  };
  /** Time of a training step and the part that waited for data, in the same unit. */
  'profile.step': { readonly total: number; readonly data: number };
  /** Work of the default stream and of others that takes turns instead of overlapping; counts of intervals. */
  'profile.streams': { readonly onDefault: number; readonly onOthers: number; readonly overlapping: number };
  /** The same work launched one by one and replayed as a CUDA graph, in one unit of time. */
  'profile.graph-gain': { readonly direct: number; readonly replayed: number };
  /** The same work with and without a profiling metric being collected, in one unit of time. */
  'profile.overhead': { readonly with: number; readonly without: number };
  /** The same command timed with a variable of the environment and without it, in one unit; `rate` where more is better. */
  'profile.variable-effect': {
    readonly name: string;
    readonly with: number;
    readonly without: number;
    readonly rate: boolean;
    /** The two commands are the same but for the variable. */
    readonly same: boolean;
  };
  /** Copies of one kind in a profile's summary, all together. */
  'profile.copies': {
    readonly kind: string;
    readonly count: number;
    readonly totalNs: number | null;
    readonly averageBytes: number | null;
  };
  /** A program or a measurement says that something is slow. */
  'program.slow': { readonly words: string };
  /** Copies, or kernels of NCCL, in a time line: how long they take, and how much of that lies under other kernels. */
  'profile.overlap': {
    readonly what: 'copies' | 'nccl';
    readonly count: number;
    readonly totalNs: number;
    readonly hiddenNs: number;
    readonly kernels: number;
    readonly kernelsNs: number;
    readonly pinned: boolean;
  };
  /** A command ran without a variable or a preloaded library that was set before, and shows no failure. */
  'program.runs-without': { readonly name: string };
  /** Losses of a training before the first that is not finite: they had been rising steeply, or not. */
  'program.loss-series': { readonly finite: number; readonly rising: boolean };
  /** A GPU number that a line of the program names: `set_device(1)`, `cuda:3`. */
  'program.device': number;
  /** How many processes a launcher starts on this machine: `--nproc_per_node=4`. */
  'launcher.processes': number;
  /** A process and its parent (`ps`). */
  'process.parent': { readonly pid: number; readonly parent: number; readonly command: string };
  /** Share of one core that a process or thread uses (top, pidstat, ps), percent; `lifetime`: a mean since it began. */
  'process.cpu': {
    readonly pid: number;
    readonly name: string;
    readonly percent: number;
    readonly lifetime: boolean;
  };
  /** The GPU drives a display, or kernels on it have a time limit. */
  'gpu.display': boolean;
  /** Page faults and migrations of managed memory in a profile. */
  'profile.page-faults': { readonly gpuFaults: number | null; readonly migratedMb: number | null };
  /** Utilisation samples of one GPU (nvidia-smi dmon, query loops): percent. */
  'util.samples': {
    readonly gpu: number;
    readonly count: number;
    readonly sm: { readonly mean: number; readonly min: number; readonly max: number };
    readonly memory: { readonly mean: number } | null;
  };
  /** Other columns of such samples by their name (`rxpci` MB/s, `pwr` W, `smutil` GPM %): mean of those that had a value. */
  'util.column': { readonly gpu: number; readonly name: string; readonly mean: number; readonly count: number };
  /** What the series of some GPUs show together of one cause: `healthy` clears, `unclear` names what is not measured. */
  'util.finding': {
    readonly cause: string;
    readonly kind: 'fault' | 'healthy' | 'unclear';
    readonly certainty: import('./layer.ts').Certainty;
    readonly gpus: readonly string[];
    readonly message: string;
    readonly measured: readonly {
      readonly name: string;
      readonly value: number;
      readonly is: string;
      readonly threshold: string;
    }[];
    readonly missing: { readonly fact: string; readonly ask: string } | null;
  };
  /** What the traces show of one cause; the findings of a trace stand in the order of what they cost. */
  'trace.finding': {
    readonly cause: string;
    readonly kind: 'waste' | 'healthy' | 'unclear';
    readonly certainty: import('./layer.ts').Certainty;
    readonly message: string;
    readonly measured: readonly {
      readonly name: string;
      readonly value: number;
      readonly is: string;
      readonly threshold: number;
      readonly unit: string;
    }[];
    /** Upper bound of what the cure brings, ns, and how it is reckoned. */
    readonly saving: { readonly upperBoundNs: number; readonly how: string } | null;
    /** Place among the findings, from 0: what costs most is first, what is well and specific too. */
    readonly place: number;
    readonly missing: { readonly fact: string; readonly ask: string } | null;
  };
  /** Link of a GPU as it runs now: PCIe generation and lanes. */
  'gpu.pcie-link': { readonly generation: number; readonly width: number };
  /** A test tool made an error on purpose. */
  'program.injected': true;
  // --- what works ---
  /** The program or a tool says that the GPU works: words what was seen (`torch.cuda.is_available() is True`, `deviceQuery passed`). */
  works: { readonly what: string; readonly layer: 'driver' | 'framework' | 'nccl' | 'application' };
  /** A service, a check or a tool says that it is well (licence acquired, MPS server ready, job COMPLETED 0:0); unlike `works` it speaks for itself alone. */
  'health.sign': { readonly what: string; readonly layer: import('./layer.ts').Layer };
  // --- what fails, without a signature ---
  'job.end': JobEnd;
  'job.collective': JobCollective;
  /** Ranks of the job, as NCCL, the store or the launcher counts them. */
  'job.size': number;
  /** Last line of a Python traceback. */
  'program.exception': { readonly type: string; readonly message: string; readonly module: string | null };
  'program.exit': { readonly code: number };
  /** A variable with which the same command goes well that failed or stood still without it. */
  'program.cured-by': { readonly name: string; readonly value: string };
  /** A kernel that a debugger shows as running, by name. */
  'program.running-kernel': string;
  /** Somebody says that the program stands still. */
  'program.hang': true;
  /** Somebody says, or the command line does, that no GPU is wanted. */
  'program.wish': 'cpu';
  /** A line that speaks of an error in general words; says only that something failed. */
  'program.trouble': { readonly words: string };
  /** Elements of a tensor that has more than 32 bits can count (2^31 - 1 or more). */
  'program.large-tensor': number;
  /** Pinned host memory in bytes: what was asked for, and the power of two that was taken. */
  'host.pinned-size': { readonly asked: number; readonly taken: number };
  /** A sentence that claims something about the stack, to be judged. */
  claim: string;
}

export type SaidId = `said.${string}`;
/** A number of a profile or trace, times in ns, sizes in bytes, shares 0 to 1 or in % where the name says so. */
export type TraceId = `trace.${string}`;
/** A number of a series by GPU: `util.gpu0.power.mean`. */
export type UtilId = `util.${string}`;
export type FactId = keyof FactValues | SaidId | TraceId | UtilId;
export type FactValue<Id extends FactId> = Id extends keyof FactValues
  ? FactValues[Id]
  : Id extends TraceId | UtilId
    ? number | string
    : Said;

/** A typed value and where it was seen. */
export interface Fact<Id extends FactId = FactId> {
  readonly id: Id;
  readonly value: FactValue<Id>;
  /** At least one entry. */
  readonly seen: readonly Evidence[];
  /** Where in the input it was first met: document and line index, for order in time. */
  readonly order: number;
  /** Where it was last met; left out where that is the same place. */
  readonly last?: number;
  /** True when only a remark or prose of a person says so; such a fact never makes a finding `proved`. */
  readonly told: boolean;
  /** The command whose output the first line belongs to; null in a plain log. */
  readonly command: string | null;
  readonly scope: import('./document.ts').Scope;
  readonly origin: import('./document.ts').Origin;
}
