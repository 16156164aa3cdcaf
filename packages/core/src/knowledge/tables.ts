import type { Knowledge } from './knowledge.ts';

export type TableKey = Exclude<keyof Knowledge, 'asOf' | 'digest' | 'signatures'>;

/** A table as files and commands name it. */
export interface TableInfo {
  readonly name: string;
  /** Its key in `Knowledge`. */
  readonly key: TableKey;
  /** What its rows say, in a sentence. */
  readonly about: string;
  /** Fields that together tell its rows apart. */
  readonly unique: readonly string[];
}

/** Every table that can be exported and replaced, in the order of the export. */
export const tables: readonly TableInfo[] = [
  {
    name: 'citations',
    key: 'citations',
    about: 'Every document that a table or a rule rests on, by id.',
    unique: ['id'],
  },
  { name: 'causes', key: 'causes', about: 'What can be wrong, by id.', unique: ['cause'] },
  { name: 'toolkits', key: 'toolkits', about: 'CUDA toolkit releases, oldest first.', unique: ['label'] },
  {
    name: 'minor-version',
    key: 'minorVersion',
    about: 'Lowest driver of each CUDA major, or of each minor where the majors had no common floor.',
    unique: ['major', 'fromMinor'],
  },
  {
    name: 'minor-version-caveats',
    key: 'minorVersionCaveats',
    about: 'What minor version compatibility does not cover.',
    unique: ['id'],
  },
  {
    name: 'toolkit-notes',
    key: 'toolkitNotes',
    about: 'What a toolkit release changed about the rules.',
    unique: ['id'],
  },
  { name: 'branches', key: 'branches', about: 'Driver branches, oldest first.', unique: ['branch'] },
  {
    name: 'architecture-spans',
    key: 'architectureSpans',
    about: 'First and last driver branch of each architecture, oldest first.',
    unique: ['architecture'],
  },
  {
    name: 'module-flavours',
    key: 'moduleFlavours',
    about:
      'Kernel module flavours that drive each architecture; a row that names products goes before the one that does not.',
    unique: ['architecture', 'products', 'fromBranch'],
  },
  { name: 'open-module-rules', key: 'openModuleRules', about: 'Rules about the open kernel module.', unique: ['id'] },
  {
    name: 'driver-notes',
    key: 'driverNotes',
    about: 'Points about driver branches that are not about one of them.',
    unique: ['id'],
  },
  {
    name: 'compat-matrix',
    key: 'compatMatrix',
    about: 'Which cuda-compat package is supported on which base branch, as the matrix stands now.',
    unique: ['package'],
  },
  {
    name: 'compat-historic',
    key: 'compatHistoric',
    about: 'What older matrices allowed; later ones drop bases whose life has ended.',
    unique: ['package'],
  },
  {
    name: 'compat-packages',
    key: 'compatPackages',
    about: 'Driver release inside each cuda-compat package.',
    unique: ['package', 'toolkit', 'driver'],
  },
  {
    name: 'compat-classes',
    key: 'compatClasses',
    about: 'Classes of GPU products that may use a compat libcuda.',
    unique: ['class'],
  },
  {
    name: 'compat-errors',
    key: 'compatErrors',
    about: 'CUDA errors of version pairs that do not fit.',
    unique: ['code'],
  },
  {
    name: 'compat-features',
    key: 'compatFeatures',
    about: 'What works while a compat libcuda is in use.',
    unique: ['id'],
  },
  { name: 'compat-files', key: 'compatFiles', about: 'Files of a cuda-compat package.', unique: ['pattern'] },
  { name: 'compat-rules', key: 'compatRules', about: 'How forward compatibility is used and read.', unique: ['id'] },
  {
    name: 'compat-notes',
    key: 'compatNotes',
    about: 'Host branches in the ELF notes of compat libraries that were read.',
    unique: ['libcuda'],
  },
  {
    name: 'toolkit-options',
    key: 'toolkitOptions',
    about: 'How container toolkit releases choose between the host libcuda and the compat libcuda of the image.',
    unique: ['option', 'value'],
  },
  {
    name: 'page-checks',
    key: 'pageChecks',
    about: 'Statements of a widely read operator page, held against the sources.',
    unique: ['id'],
  },
  {
    name: 'architectures',
    key: 'architectures',
    about: 'Compute capabilities, lowest first.',
    unique: ['computeCapability'],
  },
  { name: 'gpus', key: 'gpus', about: 'GPU products, oldest architecture first.', unique: ['name'] },
  { name: 'binary-rules', key: 'binaryRules', about: 'Which code runs on which GPU.', unique: ['id'] },
  {
    name: 'ptx-isa',
    key: 'ptxIsa',
    about: 'Newest PTX ISA that the JIT of a driver knows, by the CUDA version that the driver reports.',
    unique: ['cuda'],
  },
  { name: 'cutoffs', key: 'cutoffs', about: 'Toolkit releases that dropped compute capabilities.', unique: ['cuda'] },
  {
    name: 'cudnn-ranges',
    key: 'cudnnRanges',
    about: 'What cuDNN releases ask for, oldest first. Releases between two rows were not read.',
    unique: ['range'],
  },
  { name: 'cudnn-releases', key: 'cudnnReleases', about: 'cuDNN releases, oldest first.', unique: ['version'] },
  {
    name: 'cudnn-images',
    key: 'cudnnImages',
    about: 'cuDNN in the nvidia/cuda images that have it.',
    unique: ['image'],
  },
  { name: 'cudnn-rules', key: 'cudnnRules', about: 'How cuDNN is chosen and mixed.', unique: ['id'] },
  { name: 'cudnn-bugs', key: 'cudnnBugs', about: 'Known faults of cuDNN releases.', unique: ['range', 'what'] },
  { name: 'nccl-releases', key: 'ncclReleases', about: 'NCCL releases, oldest first.', unique: ['version'] },
  {
    name: 'nccl-archs',
    key: 'ncclArchs',
    about:
      'GPU code in builds made with the defaults of the NCCL makefile. Distributors may choose other architectures.',
    unique: ['range', 'cuda'],
  },
  {
    name: 'nccl-gates',
    key: 'ncclGates',
    about: 'Features that NCCL turns on by the CUDA version of the driver.',
    unique: ['id'],
  },
  { name: 'nccl-rules', key: 'ncclRules', about: 'How NCCL is chosen and mixed.', unique: ['id'] },
  { name: 'nccl-bugs', key: 'ncclBugs', about: 'Known faults of NCCL releases, each with its thread.', unique: ['id'] },
  {
    name: 'nccl-bandwidth',
    key: 'ncclBandwidth',
    about: 'Bus bandwidth that nccl-tests shows on healthy machines, by platform.',
    unique: ['id'],
  },
  {
    name: 'torch-wheels',
    key: 'torchWheels',
    about: 'torch releases by CUDA variant, oldest first.',
    unique: ['torch', 'variant'],
  },
  {
    name: 'torch-defaults',
    key: 'torchDefaults',
    about: 'CUDA version of the torch wheel that PyPI serves.',
    unique: ['torch'],
  },
  {
    name: 'project-wheels',
    key: 'projectWheels',
    about: 'What builds of other projects are made with and need.',
    unique: ['project', 'range', 'variant'],
  },
  { name: 'wheel-notes', key: 'wheelNotes', about: 'How to read the wheel tables.', unique: ['id'] },
  {
    name: 'ngc-tags',
    key: 'ngcTags',
    about: 'Monthly tags of the NGC framework images, oldest first.',
    unique: ['tag'],
  },
  { name: 'ngc-images', key: 'ngcImages', about: 'Other images whose content is known.', unique: ['image', 'tag'] },
  {
    name: 'require-cuda',
    key: 'requireCuda',
    about: 'NVIDIA_REQUIRE_CUDA of the nvidia/cuda images, oldest first.',
    unique: ['imageVersion', 'arches', 'os'],
  },
  {
    name: 'image-rules',
    key: 'imageRules',
    about: 'How NVIDIA_REQUIRE_CUDA is written, checked and misread.',
    unique: ['id'],
  },
  { name: 'image-env', key: 'imageEnv', about: 'Variables that images set.', unique: ['images', 'name', 'sinceMajor'] },
  {
    name: 'occupancy',
    key: 'occupancy',
    about: 'Limits of a streaming multiprocessor by compute capability, lowest first.',
    unique: ['computeCapability'],
  },
  { name: 'occupancy-rules', key: 'occupancyRules', about: 'How the limits make an answer.', unique: ['id'] },
  {
    name: 'mig-profiles',
    key: 'migProfiles',
    about: 'MIG profiles and the multiprocessors of their instances.',
    unique: ['gpu', 'profile'],
  },
  {
    name: 'gpu-memory',
    key: 'gpuMemory',
    about: 'Memories and links of GPUs with their peak rates.',
    unique: ['gpu', 'variant'],
  },
  {
    name: 'ncu-metrics',
    key: 'ncuMetrics',
    about: 'Numbers of Nsight Compute that are read, with their definitions.',
    unique: ['id'],
  },
  { name: 'stall-reasons', key: 'stallReasons', about: 'Why warps wait.', unique: ['id'] },
  {
    name: 'cuda-errors',
    key: 'cudaErrors',
    about: 'CUDA error codes of the 13.0 headers, lowest first.',
    unique: ['code'],
  },
  {
    name: 'status-libraries',
    key: 'statusLibraries',
    about: 'Libraries whose statuses are known.',
    unique: ['library'],
  },
  {
    name: 'library-statuses',
    key: 'libraryStatuses',
    about: 'Statuses of CUDA libraries, by library and in the order of their headers.',
    unique: ['library', 'code', 'name'],
  },
  { name: 'nccl-results', key: 'ncclResults', about: 'Results of NCCL calls.', unique: ['code'] },
  { name: 'nvml-returns', key: 'nvmlReturns', about: 'Returns of NVML calls.', unique: ['code'] },
  { name: 'xids', key: 'xids', about: 'Xid codes 1 to 200.', unique: ['code'] },
  {
    name: 'nvlink-xids',
    key: 'nvlinkXids',
    about: 'How the NVLink 5 Xids 144 to 150 are decoded: unit, reason and status of the line give the steps.',
    unique: ['code', 'unit', 'reason', 'status'],
  },
  {
    name: 'nvlink-registers',
    key: 'nvlinkRegisters',
    about:
      'What the registers of an Xid 74 line mean on Hopper. Registers are counted from 1; the others are not used.',
    unique: ['register', 'bits'],
  },
  { name: 'sxids', key: 'sxids', about: 'SXid codes of NVSwitches, lowest first.', unique: ['code'] },
];
