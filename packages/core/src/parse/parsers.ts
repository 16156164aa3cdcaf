import { pinnedSizes, tensorSizes } from './sizes.ts';
import type { Parser } from './parser.ts';
import { daemonReloads, kubernetesRuntimeClasses, slurmSettings } from './cluster-settings.ts';
import { collectEnv } from './collect-env.ts';
import { cdiSpecification, deviceRules, engineRuntimes, toolkitConfig, toolkitPresence } from './container-settings.ts';
import { driverParameters, gpuInformation, modinfo, procDriverVersion, sysModuleVersion } from './driver-files.ts';
import { environment } from './environment.ts';
import { exceptions, exits, nativeExceptions } from './exceptions.ts';
import { fileListings, ldDebug, ldd, loaderErrors, processMaps } from './loader.ts';
import { fileSizes, lookedFor, missingFiles } from './looked-for.ts';
import { lsmod } from './modules.ts';
import { nvidiaSmiList, nvidiaSmiNvlink, nvidiaSmiTopology, nvidiaSmiVersion } from './nvidia-smi-list.ts';
import { nvidiaSmiTable } from './nvidia-smi-table.ts';
import { jetsonRelease, ownLoaders, replacedPackages } from './package-changes.ts';
import { condaList, pipFreeze, pipJson, pipList, wheelMetadata } from './python-packages.ts';
import { kernelHeaders } from './kernel-headers.ts';
import { kernelProfile } from './kernel-profile.ts';
import { copyRates, graphGain, stepTimes } from './step-times.ts';
import { timeProfile } from './time-profile.ts';
import { rowRemap } from './row-remap.ts';
import { trouble } from './trouble.ts';
import { wish } from './wish.ts';
import { works } from './works.ts';

/** Every parser, in the order in which they run. */
export const parsers: readonly Parser[] = [
  nvidiaSmiTable,
  nvidiaSmiList,
  nvidiaSmiVersion,
  nvidiaSmiTopology,
  nvidiaSmiNvlink,
  procDriverVersion,
  sysModuleVersion,
  modinfo,
  gpuInformation,
  driverParameters,
  lsmod,
  kernelHeaders,
  fileListings,
  ldd,
  ldDebug,
  processMaps,
  loaderErrors,
  collectEnv,
  pipList,
  pipFreeze,
  pipJson,
  condaList,
  wheelMetadata,
  environment,
  exceptions,
  nativeExceptions,
  exits,
  rowRemap,
  kernelProfile,
  timeProfile,
  stepTimes,
  copyRates,
  graphGain,
  works,
  wish,
  trouble,
  engineRuntimes,
  toolkitConfig,
  deviceRules,
  toolkitPresence,
  cdiSpecification,
  lookedFor,
  missingFiles,
  fileSizes,
  kubernetesRuntimeClasses,
  slurmSettings,
  daemonReloads,
  replacedPackages,
  jetsonRelease,
  ownLoaders,
  tensorSizes,
  pinnedSizes,
];
