import type { Parser } from './parser.ts';
import { claim } from './claim.ts';
import { collectEnv } from './collect-env.ts';
import { cdiSpec, containerToolkit, deviceRules, dockerInfo, mountinfo, toolkitConfig } from './container.ts';
import { driverParameters, gpuInformation, modinfo, procDriverVersion, sysModuleVersion } from './driver-files.ts';
import { environment } from './environment.ts';
import { exceptions, exits, nativeExceptions } from './exceptions.ts';
import { frameworkMessages } from './framework-messages.ts';
import { cupyConfig, jaxInfo, numbaInfo, tensorflowBuild } from './frameworks.ts';
import { containerMarks, deviceHolders, hostLimits, osRelease, secureBoot, systemdUnits, uname } from './host.ts';
import { images } from './images.ts';
import { nvrm, oomKills, xids } from './kernel-log.ts';
import { kubernetesJson, kubernetesText } from './kubernetes.ts';
import { fileListings, ldDebug, ldd, loaderErrors, processMaps } from './loader.ts';
import { lsmod } from './modules.ts';
import { nccl } from './nccl.ts';
import { nvidiaSmiCsv } from './nvidia-smi-csv.ts';
import { nvidiaSmiList, nvidiaSmiNvlink, nvidiaSmiTopology, nvidiaSmiVersion } from './nvidia-smi-list.ts';
import { nvidiaSmiQuery, nvidiaSmiXml } from './nvidia-smi-query.ts';
import { nvidiaSmiTable } from './nvidia-smi-table.ts';
import { aptList, dkms, dpkg, rpm } from './packages-os.ts';
import { condaList, pipFreeze, pipJson, pipList, wheelMetadata } from './python-packages.ts';
import { pythonPrint } from './python-print.ts';
import { sacct, scontrol } from './slurm.ts';
import { told } from './told.ts';
import { cudaSamples, hostCompiler, nvcc, toolkitVersionFile } from './toolkit.ts';
import { works } from './works.ts';

/** Every parser, in the order in which they run. */
export const parsers: readonly Parser[] = [
  nvidiaSmiTable,
  nvidiaSmiList,
  nvidiaSmiVersion,
  nvidiaSmiQuery,
  nvidiaSmiXml,
  nvidiaSmiCsv,
  nvidiaSmiTopology,
  nvidiaSmiNvlink,
  procDriverVersion,
  sysModuleVersion,
  modinfo,
  gpuInformation,
  driverParameters,
  xids,
  nvrm,
  oomKills,
  lsmod,
  fileListings,
  ldd,
  ldDebug,
  processMaps,
  loaderErrors,
  uname,
  osRelease,
  secureBoot,
  systemdUnits,
  hostLimits,
  deviceHolders,
  containerMarks,
  dpkg,
  aptList,
  rpm,
  dkms,
  nvcc,
  toolkitVersionFile,
  hostCompiler,
  cudaSamples,
  collectEnv,
  pipList,
  pipFreeze,
  pipJson,
  condaList,
  wheelMetadata,
  pythonPrint,
  jaxInfo,
  tensorflowBuild,
  cupyConfig,
  numbaInfo,
  frameworkMessages,
  nccl,
  environment,
  dockerInfo,
  containerToolkit,
  toolkitConfig,
  cdiSpec,
  deviceRules,
  mountinfo,
  images,
  kubernetesText,
  kubernetesJson,
  scontrol,
  sacct,
  exceptions,
  nativeExceptions,
  exits,
  works,
  claim,
  told,
];
