import { digest } from './digest.ts';
import { architectureSpans } from './architecture-spans.rows.ts';
import { architectures } from './architectures.rows.ts';
import { binaryRules } from './binary-rules.rows.ts';
import { branches } from './branches.rows.ts';
import { causes } from './causes.rows.ts';
import { citations as tableCitations } from './citations.rows.ts';
import { compatClasses } from './compat-classes.rows.ts';
import { compatErrors } from './compat-errors.rows.ts';
import { compatFeatures } from './compat-features.rows.ts';
import { compatFiles } from './compat-files.rows.ts';
import { compatHistoric } from './compat-historic.rows.ts';
import { compatMatrix } from './compat-matrix.rows.ts';
import { compatNotes } from './compat-notes.rows.ts';
import { compatPackages } from './compat-packages.rows.ts';
import { compatRules } from './compat-rules.rows.ts';
import { cudaErrors } from './cuda-errors.rows.ts';
import { cudnnBugs } from './cudnn-bugs.rows.ts';
import { cudnnImages } from './cudnn-images.rows.ts';
import { cudnnRanges } from './cudnn-ranges.rows.ts';
import { cudnnReleases } from './cudnn-releases.rows.ts';
import { cudnnRules } from './cudnn-rules.rows.ts';
import { cutoffs } from './cutoffs.rows.ts';
import { driverNotes } from './driver-notes.rows.ts';
import { gpuMemory } from './gpu-memory.rows.ts';
import { gpus } from './gpus.rows.ts';
import { imageEnv } from './image-env.rows.ts';
import { imageRules } from './image-rules.rows.ts';
import { libraryStatuses } from './library-statuses.rows.ts';
import { minorVersion } from './minor-version.rows.ts';
import { minorVersionCaveats } from './minor-version-caveats.rows.ts';
import { moduleFlavours } from './module-flavours.rows.ts';
import { ncclArchs } from './nccl-archs.rows.ts';
import { ncclBandwidth } from './nccl-bandwidth.rows.ts';
import { ncclBugs } from './nccl-bugs.rows.ts';
import { ncclGates } from './nccl-gates.rows.ts';
import { ncclReleases } from './nccl-releases.rows.ts';
import { ncclResults } from './nccl-results.rows.ts';
import { ncclRules } from './nccl-rules.rows.ts';
import { ngcImages } from './ngc-images.rows.ts';
import { ngcTags } from './ngc-tags.rows.ts';
import { nvlinkRegisters } from './nvlink-registers.rows.ts';
import { nvlinkXids } from './nvlink-xids.rows.ts';
import { nvmlReturns } from './nvml-returns.rows.ts';
import { occupancy } from './occupancy.rows.ts';
import { occupancyRules } from './occupancy-rules.rows.ts';
import { migProfiles } from './mig-profiles.rows.ts';
import { ncuMetrics } from './ncu-metrics.rows.ts';
import { stallReasons } from './stall-reasons.rows.ts';
import { openModuleRules } from './open-module-rules.rows.ts';
import { pageChecks } from './page-checks.rows.ts';
import { projectWheels } from './project-wheels.rows.ts';
import { ptxIsa } from './ptx-isa.rows.ts';
import { requireCuda } from './require-cuda.rows.ts';
import { statusLibraries } from './status-libraries.rows.ts';
import { sxids } from './sxids.rows.ts';
import { toolkitNotes } from './toolkit-notes.rows.ts';
import { toolkitOptions } from './toolkit-options.rows.ts';
import { toolkits } from './toolkits.rows.ts';
import { torchDefaults } from './torch-defaults.rows.ts';
import { torchWheels } from './torch-wheels.rows.ts';
import { wheelNotes } from './wheel-notes.rows.ts';
import { xids } from './xids.rows.ts';
import { ruleCitations } from './rule-citations.rows.ts';
import { signatures } from './signatures/signatures.ts';
import type { SignatureRow } from './signatures/signature.types.ts';
import type { ArchitectureRow, BinaryRuleRow, CutoffRow, GpuRow, PtxIsaRow } from './architectures.types.ts';
import type {
  ArchitectureSpanRow,
  BranchRow,
  DriverNoteRow,
  ModuleFlavourRow,
  OpenModuleRuleRow,
} from './branches.types.ts';
import type { CauseRow } from './causes.types.ts';
import type { CudnnBugRow, CudnnImageRow, CudnnRangeRow, CudnnReleaseRow, LibraryRuleRow } from './cudnn.types.ts';
import type { CudaErrorRow, LibraryStatusRow, NcclResultRow, NvmlReturnRow, StatusLibraryRow } from './errors.types.ts';
import type {
  CompatClassRow,
  CompatErrorRow,
  CompatFeatureRow,
  CompatFileRow,
  CompatHistoricRow,
  CompatMatrixRow,
  CompatNoteRow,
  CompatPackageRow,
  CompatRuleRow,
  PageCheckRow,
  ToolkitOptionRow,
} from './forward-compat.types.ts';
import type { GpuMemoryRow } from './gpu-memory.types.ts';
import type { ImageEnvRow, ImageRuleRow, NgcImageRow, NgcTagRow, RequireCudaRow } from './images.types.ts';
import type { NcclArchRow, NcclBandwidthRow, NcclBugRow, NcclGateRow, NcclReleaseRow } from './nccl.types.ts';
import type { NcuMetricRow, StallReasonRow } from './ncu.types.ts';
import type { MigProfileRow, OccupancyRow, OccupancyRuleRow } from './occupancy.types.ts';
import type { Citation } from './row.types.ts';
import type { MinorVersionCaveatRow, MinorVersionRow, ToolkitNoteRow, ToolkitRow } from './toolkits.types.ts';
import type { ProjectWheelRow, TorchDefaultRow, TorchWheelRow } from './wheels.types.ts';
import type { NvlinkRegisterRow, NvlinkXidRow, SxidRow, XidRow } from './xids.types.ts';

/** Every table that judgements rest on. All are plain data; a site can replace them (`override.ts`). */
export interface Knowledge {
  /** Day that the tables speak of; printed with every judgement. */
  readonly asOf: string;
  /** `sha256:…` over all tables. */
  readonly digest: string;
  /** Every document that a table or a rule rests on, by id. */
  readonly citations: readonly Citation[];
  /** What can be wrong, by id. */
  readonly causes: readonly CauseRow[];
  /** CUDA toolkit releases, oldest first. */
  readonly toolkits: readonly ToolkitRow[];
  /** Lowest driver of each CUDA major, or of each minor where the majors had no common floor. */
  readonly minorVersion: readonly MinorVersionRow[];
  /** What minor version compatibility does not cover. */
  readonly minorVersionCaveats: readonly MinorVersionCaveatRow[];
  /** What a toolkit release changed about the rules. */
  readonly toolkitNotes: readonly ToolkitNoteRow[];
  /** Driver branches, oldest first. */
  readonly branches: readonly BranchRow[];
  /** First and last driver branch of each architecture, oldest first. */
  readonly architectureSpans: readonly ArchitectureSpanRow[];
  /** Kernel module flavours that drive each architecture; a row that names products goes before the one that does not. */
  readonly moduleFlavours: readonly ModuleFlavourRow[];
  /** Rules about the open kernel module. */
  readonly openModuleRules: readonly OpenModuleRuleRow[];
  /** Points about driver branches that are not about one of them. */
  readonly driverNotes: readonly DriverNoteRow[];
  /** Which cuda-compat package is supported on which base branch, as the matrix stands now. */
  readonly compatMatrix: readonly CompatMatrixRow[];
  /** What older matrices allowed; later ones drop bases whose life has ended. */
  readonly compatHistoric: readonly CompatHistoricRow[];
  /** Driver release inside each cuda-compat package. */
  readonly compatPackages: readonly CompatPackageRow[];
  /** Classes of GPU products that may use a compat libcuda. */
  readonly compatClasses: readonly CompatClassRow[];
  /** CUDA errors of version pairs that do not fit. */
  readonly compatErrors: readonly CompatErrorRow[];
  /** What works while a compat libcuda is in use. */
  readonly compatFeatures: readonly CompatFeatureRow[];
  /** Files of a cuda-compat package. */
  readonly compatFiles: readonly CompatFileRow[];
  /** How forward compatibility is used and read. */
  readonly compatRules: readonly CompatRuleRow[];
  /** Host branches in the ELF notes of compat libraries that were read. */
  readonly compatNotes: readonly CompatNoteRow[];
  /** How container toolkit releases choose between the host libcuda and the compat libcuda of the image. */
  readonly toolkitOptions: readonly ToolkitOptionRow[];
  /** Statements of a widely read operator page, held against the sources. */
  readonly pageChecks: readonly PageCheckRow[];
  /** Compute capabilities, lowest first. */
  readonly architectures: readonly ArchitectureRow[];
  /** GPU products, oldest architecture first. */
  readonly gpus: readonly GpuRow[];
  /** Which code runs on which GPU. */
  readonly binaryRules: readonly BinaryRuleRow[];
  /** Newest PTX ISA that the JIT of a driver knows, by the CUDA version that the driver reports. */
  readonly ptxIsa: readonly PtxIsaRow[];
  /** Toolkit releases that dropped compute capabilities. */
  readonly cutoffs: readonly CutoffRow[];
  /** What cuDNN releases ask for, oldest first. Releases between two rows were not read. */
  readonly cudnnRanges: readonly CudnnRangeRow[];
  /** cuDNN releases, oldest first. */
  readonly cudnnReleases: readonly CudnnReleaseRow[];
  /** cuDNN in the nvidia/cuda images that have it. */
  readonly cudnnImages: readonly CudnnImageRow[];
  /** How cuDNN is chosen and mixed. */
  readonly cudnnRules: readonly LibraryRuleRow[];
  /** Known faults of cuDNN releases. */
  readonly cudnnBugs: readonly CudnnBugRow[];
  /** NCCL releases, oldest first. */
  readonly ncclReleases: readonly NcclReleaseRow[];
  /** GPU code in builds made with the defaults of the NCCL makefile. Distributors may choose other architectures. */
  readonly ncclArchs: readonly NcclArchRow[];
  /** Features that NCCL turns on by the CUDA version of the driver. */
  readonly ncclGates: readonly NcclGateRow[];
  /** How NCCL is chosen and mixed. */
  readonly ncclRules: readonly LibraryRuleRow[];
  /** Known faults of NCCL releases, each with its thread. */
  readonly ncclBugs: readonly NcclBugRow[];
  /** Bus bandwidth that nccl-tests shows on healthy machines, by platform. */
  readonly ncclBandwidth: readonly NcclBandwidthRow[];
  /** torch releases by CUDA variant, oldest first. */
  readonly torchWheels: readonly TorchWheelRow[];
  /** CUDA version of the torch wheel that PyPI serves. */
  readonly torchDefaults: readonly TorchDefaultRow[];
  /** What builds of other projects are made with and need. */
  readonly projectWheels: readonly ProjectWheelRow[];
  /** How to read the wheel tables. */
  readonly wheelNotes: readonly LibraryRuleRow[];
  /** Monthly tags of the NGC framework images, oldest first. */
  readonly ngcTags: readonly NgcTagRow[];
  /** Other images whose content is known. */
  readonly ngcImages: readonly NgcImageRow[];
  /** NVIDIA_REQUIRE_CUDA of the nvidia/cuda images, oldest first. */
  readonly requireCuda: readonly RequireCudaRow[];
  /** How NVIDIA_REQUIRE_CUDA is written, checked and misread. */
  readonly imageRules: readonly ImageRuleRow[];
  /** Variables that images set. */
  readonly imageEnv: readonly ImageEnvRow[];
  /** Limits of a streaming multiprocessor by compute capability, lowest first. */
  readonly occupancy: readonly OccupancyRow[];
  /** How the limits make an answer. */
  readonly occupancyRules: readonly OccupancyRuleRow[];
  /** MIG profiles and the multiprocessors of their instances. */
  readonly migProfiles: readonly MigProfileRow[];
  /** Memories and links of GPUs, oldest architecture first. */
  readonly gpuMemory: readonly GpuMemoryRow[];
  /** Numbers of Nsight Compute that are read, with their definitions. */
  readonly ncuMetrics: readonly NcuMetricRow[];
  /** Why warps wait. */
  readonly stallReasons: readonly StallReasonRow[];
  /** CUDA error codes of the 13.0 headers, lowest first. */
  readonly cudaErrors: readonly CudaErrorRow[];
  /** Libraries whose statuses are known. */
  readonly statusLibraries: readonly StatusLibraryRow[];
  /** Statuses of CUDA libraries, by library and in the order of their headers. */
  readonly libraryStatuses: readonly LibraryStatusRow[];
  /** Results of NCCL calls. */
  readonly ncclResults: readonly NcclResultRow[];
  /** Returns of NVML calls. */
  readonly nvmlReturns: readonly NvmlReturnRow[];
  /** Xid codes 1 to 200. */
  readonly xids: readonly XidRow[];
  /** How the NVLink 5 Xids 144 to 150 are decoded: unit, reason and status of the line give the steps. */
  readonly nvlinkXids: readonly NvlinkXidRow[];
  /** What the registers of an Xid 74 line mean on Hopper. Registers are counted from 1; the others are not used. */
  readonly nvlinkRegisters: readonly NvlinkRegisterRow[];
  /** SXid codes of NVSwitches, lowest first. */
  readonly sxids: readonly SxidRow[];
  /** Messages that are recognised. */
  readonly signatures: readonly SignatureRow[];
}

/** The tables of this release. */
export const defaultKnowledge: Knowledge = {
  asOf: '2026-11-30',
  digest,
  citations: [...tableCitations, ...ruleCitations],
  causes,
  toolkits,
  minorVersion,
  minorVersionCaveats,
  toolkitNotes,
  branches,
  architectureSpans,
  moduleFlavours,
  openModuleRules,
  driverNotes,
  compatMatrix,
  compatHistoric,
  compatPackages,
  compatClasses,
  compatErrors,
  compatFeatures,
  compatFiles,
  compatRules,
  compatNotes,
  toolkitOptions,
  pageChecks,
  architectures,
  gpus,
  binaryRules,
  ptxIsa,
  cutoffs,
  cudnnRanges,
  cudnnReleases,
  cudnnImages,
  cudnnRules,
  cudnnBugs,
  ncclReleases,
  ncclArchs,
  ncclGates,
  ncclRules,
  ncclBugs,
  ncclBandwidth,
  torchWheels,
  torchDefaults,
  projectWheels,
  wheelNotes,
  ngcTags,
  ngcImages,
  requireCuda,
  imageRules,
  imageEnv,
  occupancy,
  occupancyRules,
  migProfiles,
  gpuMemory,
  ncuMetrics,
  stallReasons,
  cudaErrors,
  statusLibraries,
  libraryStatuses,
  ncclResults,
  nvmlReturns,
  xids,
  nvlinkXids,
  nvlinkRegisters,
  sxids,
  signatures,
};
