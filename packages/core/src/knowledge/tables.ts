import type { Knowledge } from './knowledge.ts';

export type TableKey = Exclude<keyof Knowledge, 'asOf' | 'digest' | 'signatures'>;

/** A table as files and commands name it. */
export interface TableInfo {
  readonly name: string;
  /** Its key in `Knowledge`. */
  readonly key: TableKey;
  /** Fields that together tell its rows apart. */
  readonly unique: readonly string[];
}

/** Every table that can be exported and replaced, in the order of the export. */
export const tables: readonly TableInfo[] = [
  { name: 'citations', key: 'citations', unique: ['id'] },
  { name: 'causes', key: 'causes', unique: ['cause'] },
  { name: 'toolkits', key: 'toolkits', unique: ['label'] },
  { name: 'minor-version', key: 'minorVersion', unique: ['major', 'fromMinor'] },
  { name: 'minor-version-caveats', key: 'minorVersionCaveats', unique: ['id'] },
  { name: 'toolkit-notes', key: 'toolkitNotes', unique: ['id'] },
  { name: 'branches', key: 'branches', unique: ['branch'] },
  { name: 'architecture-spans', key: 'architectureSpans', unique: ['architecture'] },
  { name: 'module-flavours', key: 'moduleFlavours', unique: ['architecture', 'products', 'fromBranch'] },
  { name: 'open-module-rules', key: 'openModuleRules', unique: ['id'] },
  { name: 'driver-notes', key: 'driverNotes', unique: ['id'] },
  { name: 'compat-matrix', key: 'compatMatrix', unique: ['package'] },
  { name: 'compat-historic', key: 'compatHistoric', unique: ['package'] },
  { name: 'compat-packages', key: 'compatPackages', unique: ['package', 'toolkit', 'driver'] },
  { name: 'compat-classes', key: 'compatClasses', unique: ['class'] },
  { name: 'compat-errors', key: 'compatErrors', unique: ['code'] },
  { name: 'compat-features', key: 'compatFeatures', unique: ['id'] },
  { name: 'compat-files', key: 'compatFiles', unique: ['pattern'] },
  { name: 'compat-rules', key: 'compatRules', unique: ['id'] },
  { name: 'compat-notes', key: 'compatNotes', unique: ['libcuda'] },
  { name: 'toolkit-options', key: 'toolkitOptions', unique: ['option', 'value'] },
  { name: 'page-checks', key: 'pageChecks', unique: ['id'] },
  { name: 'architectures', key: 'architectures', unique: ['computeCapability'] },
  { name: 'gpus', key: 'gpus', unique: ['name'] },
  { name: 'binary-rules', key: 'binaryRules', unique: ['id'] },
  { name: 'ptx-isa', key: 'ptxIsa', unique: ['cuda'] },
  { name: 'cutoffs', key: 'cutoffs', unique: ['cuda'] },
  { name: 'cudnn-ranges', key: 'cudnnRanges', unique: ['range'] },
  { name: 'cudnn-releases', key: 'cudnnReleases', unique: ['version'] },
  { name: 'cudnn-images', key: 'cudnnImages', unique: ['image'] },
  { name: 'cudnn-rules', key: 'cudnnRules', unique: ['id'] },
  { name: 'cudnn-bugs', key: 'cudnnBugs', unique: ['range', 'what'] },
  { name: 'nccl-releases', key: 'ncclReleases', unique: ['version'] },
  { name: 'nccl-archs', key: 'ncclArchs', unique: ['range', 'cuda'] },
  { name: 'nccl-gates', key: 'ncclGates', unique: ['id'] },
  { name: 'nccl-rules', key: 'ncclRules', unique: ['id'] },
  { name: 'nccl-bugs', key: 'ncclBugs', unique: ['id'] },
  { name: 'torch-wheels', key: 'torchWheels', unique: ['torch', 'variant'] },
  { name: 'torch-defaults', key: 'torchDefaults', unique: ['torch'] },
  { name: 'project-wheels', key: 'projectWheels', unique: ['project', 'range', 'variant'] },
  { name: 'wheel-notes', key: 'wheelNotes', unique: ['id'] },
  { name: 'ngc-tags', key: 'ngcTags', unique: ['tag'] },
  { name: 'ngc-images', key: 'ngcImages', unique: ['image', 'tag'] },
  { name: 'require-cuda', key: 'requireCuda', unique: ['imageVersion', 'arches', 'os'] },
  { name: 'image-rules', key: 'imageRules', unique: ['id'] },
  { name: 'image-env', key: 'imageEnv', unique: ['images', 'name', 'sinceMajor'] },
  { name: 'occupancy', key: 'occupancy', unique: ['computeCapability'] },
  { name: 'occupancy-rules', key: 'occupancyRules', unique: ['id'] },
  { name: 'cuda-errors', key: 'cudaErrors', unique: ['code'] },
  { name: 'status-libraries', key: 'statusLibraries', unique: ['library'] },
  { name: 'library-statuses', key: 'libraryStatuses', unique: ['library', 'code', 'name'] },
  { name: 'nccl-results', key: 'ncclResults', unique: ['code'] },
  { name: 'nvml-returns', key: 'nvmlReturns', unique: ['code'] },
  { name: 'xids', key: 'xids', unique: ['code'] },
  { name: 'nvlink-xids', key: 'nvlinkXids', unique: ['code', 'unit', 'reason', 'status'] },
  { name: 'nvlink-registers', key: 'nvlinkRegisters', unique: ['register', 'bits'] },
  { name: 'sxids', key: 'sxids', unique: ['code'] },
];
