import type { ArchitectureRow, PtxIsaRow } from '../knowledge/architectures.types.ts';
import type { ArchitectureSpanRow, BranchRow, ModuleFlavourRow } from '../knowledge/branches.types.ts';
import type { CudnnRangeRow, CudnnReleaseRow } from '../knowledge/cudnn.types.ts';
import type {
  CompatClassRow,
  CompatHistoricRow,
  CompatMatrixRow,
  CompatNoteRow,
  CompatPackageRow,
} from '../knowledge/forward-compat.types.ts';
import type { NgcTagRow, RequireCudaRow } from '../knowledge/images.types.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { NcclReleaseRow } from '../knowledge/nccl.types.ts';
import type { MinorVersionRow, ToolkitRow } from '../knowledge/toolkits.types.ts';
import type { ProjectWheelRow, TorchWheelRow } from '../knowledge/wheels.types.ts';
import { parseCuda } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import { indexGpus } from './gpu-name.ts';
import type { GpuIndex } from './gpu-name.ts';
import type { Requirement } from './requirement.ts';

/** The tables of a `Knowledge`, arranged for lookup. Made once per object. */
export interface Tables {
  readonly knowledge: Knowledge;
  readonly asOf: string;
  readonly branches: ReadonlyMap<number, BranchRow>;
  readonly branchNumbers: readonly number[];
  /** Releases whose first number is not that of their branch. */
  readonly branchOfRelease: ReadonlyMap<string, number>;
  readonly spans: readonly ArchitectureSpanRow[];
  readonly flavours: readonly ModuleFlavourRow[];
  readonly gpus: GpuIndex;
  readonly architectures: ReadonlyMap<number, ArchitectureRow>;
  /** By major and minor, the newest update. */
  readonly toolkits: ReadonlyMap<string, ToolkitRow>;
  readonly minorVersion: readonly MinorVersionRow[];
  /** Highest minor of each CUDA major that has been published (a driver counts). */
  readonly newestMinor: ReadonlyMap<number, number>;
  readonly ptxIsa: ReadonlyMap<string, PtxIsaRow>;
  readonly matrix: ReadonlyMap<string, CompatMatrixRow>;
  /** Rows of the matrix with their CUDA version read, oldest first. */
  readonly matrixByCuda: readonly { readonly cuda: CudaVersion; readonly row: CompatMatrixRow }[];
  readonly historic: ReadonlyMap<string, CompatHistoricRow>;
  readonly packages: ReadonlyMap<string, readonly CompatPackageRow[]>;
  readonly classes: ReadonlyMap<string, CompatClassRow>;
  readonly notes: readonly CompatNoteRow[];
  readonly torch: ReadonlyMap<string, readonly TorchWheelRow[]>;
  readonly projects: ReadonlyMap<string, readonly ProjectWheelRow[]>;
  readonly tags: ReadonlyMap<string, NgcTagRow>;
  readonly requireCuda: readonly RequireCudaRow[];
  readonly cudnnRanges: readonly CudnnRangeRow[];
  readonly cudnnReleases: ReadonlyMap<string, CudnnReleaseRow>;
  /** Requirements by their text, as they are met. */
  readonly requirements: Map<string, Requirement>;
  readonly ncclReleases: ReadonlyMap<string, NcclReleaseRow>;
}

const made = new WeakMap<Knowledge, Tables>();

/** The tables of a `Knowledge`; made at the first call and kept with the object. */
export function tablesOf(knowledge: Knowledge): Tables {
  const known = made.get(knowledge);
  if (known !== undefined) return known;
  const tables = arrange(knowledge);
  made.set(knowledge, tables);
  return tables;
}

function arrange(knowledge: Knowledge): Tables {
  const branches = new Map(knowledge.branches.map((row) => [row.branch, row]));
  const branchOfRelease = new Map<string, number>();
  for (const row of knowledge.branches) {
    for (const release of row.releases) {
      if (!release.version.startsWith(`${row.branch}.`)) branchOfRelease.set(release.version, row.branch);
    }
  }
  const toolkits = new Map<string, ToolkitRow>();
  for (const row of knowledge.toolkits) {
    const other = toolkits.get(row.cuda);
    if (other === undefined || row.update > other.update) toolkits.set(row.cuda, row);
  }
  const newestMinor = new Map<number, number>();
  for (const cuda of [...knowledge.toolkits.map((row) => row.cuda), ...knowledge.branches.map((row) => row.cuda)]) {
    const [major, minor] = cuda.split('.').map(Number) as [number, number];
    newestMinor.set(major, Math.max(minor, newestMinor.get(major) ?? 0));
  }
  return {
    knowledge,
    asOf: knowledge.asOf,
    branches,
    branchNumbers: [...branches.keys()].sort((a, b) => a - b),
    branchOfRelease,
    spans: knowledge.architectureSpans,
    flavours: knowledge.moduleFlavours,
    gpus: indexGpus(knowledge.gpus, knowledge.architectures),
    architectures: new Map(knowledge.architectures.map((row) => [row.sm, row])),
    toolkits,
    minorVersion: knowledge.minorVersion,
    newestMinor,
    ptxIsa: new Map(knowledge.ptxIsa.map((row) => [row.cuda, row])),
    matrix: new Map(knowledge.compatMatrix.map((row) => [row.package, row])),
    matrixByCuda: knowledge.compatMatrix.flatMap((row) => {
      const cuda = parseCuda(row.cuda);
      return cuda === null ? [] : [{ cuda, row }];
    }),
    historic: new Map(knowledge.compatHistoric.map((row) => [row.package, row])),
    packages: grouped(knowledge.compatPackages, (row) => row.package),
    classes: new Map(knowledge.compatClasses.map((row) => [row.class, row])),
    notes: knowledge.compatNotes,
    torch: grouped(knowledge.torchWheels, (row) => row.torch),
    projects: grouped(knowledge.projectWheels, (row) => row.project),
    tags: new Map(knowledge.ngcTags.map((row) => [row.tag, row])),
    requireCuda: knowledge.requireCuda,
    cudnnRanges: knowledge.cudnnRanges,
    cudnnReleases: new Map(knowledge.cudnnReleases.map((row) => [row.version, row])),
    requirements: new Map(),
    ncclReleases: new Map(knowledge.ncclReleases.map((row) => [row.version, row])),
  };
}

function grouped<T>(rows: readonly T[], key: (row: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const name = key(row);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}
