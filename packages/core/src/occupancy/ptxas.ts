// What the assembler prints of each kernel with -v (nvcc -Xptxas -v).
//
// ptxas info    : Compiling entry function '_Z3addPf' for 'sm_80'
// ptxas info    : Function properties for _Z3addPf
//     0 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
// ptxas info    : Used 32 registers, used 1 barriers, 4096 bytes smem, 400 bytes cmem[0]

/** Resources of a kernel as a tool tells them; null where it does not. */
export interface KernelResources {
  readonly name: string;
  /** Name as written in the source, where it is known. */
  readonly demangled: string | null;
  /** `sm_80` */
  readonly arch: string | null;
  readonly registers: number | null;
  readonly staticShared: number | null;
  readonly dynamicShared: number | null;
  readonly barriers: number | null;
  /** Bytes of local memory that registers were spilled to. */
  readonly spilled: number | null;
  readonly maxThreads: number | null;
  /** Blocks of a cluster, where the kernel fixes it. */
  readonly cluster: number | null;
  readonly blockSize: number | null;
  readonly grid: number | null;
  readonly sms: number | null;
}

export const noResources: Omit<KernelResources, 'name'> = {
  demangled: null,
  arch: null,
  registers: null,
  staticShared: null,
  dynamicShared: null,
  barriers: null,
  spilled: null,
  maxThreads: null,
  cluster: null,
  blockSize: null,
  grid: null,
  sms: null,
};

const entry = /Compiling entry function '([^']{1,4096})' for '(sm_\d{2,3}[a-z]?)'/;
const used = /\bUsed (\d{1,4}) registers/;

/** Kernels of an assembler's verbose output, in its order; other lines are passed over. */
export function ptxasKernels(text: string): readonly KernelResources[] {
  const kernels: KernelResources[] = [];
  let open: { name: string; arch: string; spilled: number | null } | null = null;
  for (const line of text.split('\n')) {
    const head = entry.exec(line.slice(0, 5000));
    if (head !== null) {
      open = { name: head[1]!, arch: head[2]!, spilled: null };
      continue;
    }
    if (open === null) continue;
    const short = line.slice(0, 400);
    const spills = /(\d{1,9}) bytes spill stores, (\d{1,9}) bytes spill loads/.exec(short);
    if (spills !== null && open.spilled === null) open.spilled = Math.max(Number(spills[1]), Number(spills[2]));
    const registers = used.exec(short);
    if (registers === null) continue;
    // Old releases print `8+16 bytes smem`: user and system part.
    const shared = /\b(\d{1,9})(?:\+(\d{1,9}))? bytes smem/.exec(short);
    const barriers = /\b(\d{1,2}) barriers?\b/.exec(short);
    kernels.push({
      ...noResources,
      ...open,
      registers: Number(registers[1]),
      staticShared: shared === null ? 0 : Number(shared[1]) + Number(shared[2] ?? 0),
      barriers: barriers === null ? null : Number(barriers[1]),
    });
    open = null;
  }
  return kernels;
}
