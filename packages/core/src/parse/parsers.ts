import type { Parser } from './parser.ts';
import { attentionOperators } from './attention-operators.ts';
import { askedValues } from './asked-values.ts';
import { curedRuns } from './cured-runs.ts';
import { deniedAccess, deviceNodes, deviceStat, selinuxMode } from './access.ts';
import { claim } from './claim.ts';
import {
  daemonReloads,
  kubernetesRuntimeClasses,
  slurmGpus,
  slurmNoDevices,
  dictionaryVariables,
  slurmSettings,
} from './cluster-settings.ts';
import { collectEnv } from './collect-env.ts';
import {
  cdiSpecification,
  deviceRules,
  engineRuntimes,
  imageVariables,
  toolkitCommands,
  toolkitConfig,
  toolkitPresence,
} from './container-settings.ts';
import { containerCliInfo, deviceLines } from './device-lines.ts';
import { driverParameters, gpuInformation, modinfo, procDriverVersion, sysModuleVersion } from './driver-files.ts';
import { containerStarts } from './container-starts.ts';
import { cdiFile, composeFile, containerInspect } from './container-inspect.ts';
import { dockerDaemon, engineInfo, engineToml } from './engine-settings.ts';
import { cutGpuSettings, cutNodeResources, jobDevices } from './cut-outputs.ts';
import { dcgmDiag, dcgmHealth, dcgmMetrics, dcgmNvlink } from './dcgm.ts';
import { environment } from './environment.ts';
import { collectives } from './collectives.ts';
import { exceptions, exits, nativeExceptions } from './exceptions.ts';
import { bitsandbytesInfo, localRunners, xformersInfo } from './framework-info.ts';
import { frameworkMessages } from './framework-messages.ts';
import { cupyConfig, jaxInfo, numbaInfo, tensorflowBuild } from './frameworks.ts';
import { containerMarks, deviceHolders, hostLimits, osRelease, secureBoot, systemdUnits, uname } from './host.ts';
import { busCounts, directChecks, healthCounts, linkFragment, processGpus } from './host-checks.ts';
import { fileSystems, hostAddresses, hugePages, lockedMemory, processCpus } from './host-resources.ts';
import { askedLabels } from './asked-labels.ts';
import { rdmaGids } from './rdma-gids.ts';
import { images } from './images.ts';
import { imageRecords } from './image-records.ts';
import { busGpus, cutPackages, moduleNames } from './bare-listings.ts';
import { peerMatrix, perftest } from './peer-matrix.ts';
import { kernelHeaders } from './kernel-headers.ts';
import { nvrm, xids } from './kernel-log.ts';
import { hungTasks } from './hung-tasks.ts';
import { memlock } from './memlock.ts';
import { netCounters } from './net-counters.ts';
import { netLinks } from './net-links.ts';
import { oomKills } from './oom-report.ts';
import { starts, xidEvents } from './xid-events.ts';
import { probeDevices, probeMachine, probeObservations } from './probe-observations.ts';
import { probeLoader } from './probe-loader.ts';
import { libraryTags } from './library-tags.ts';
import { processCpu } from './process-cpu.ts';
import { probeProcesses } from './probe-processes.ts';
import { probeDkms, probePorts, probePython, probeServices } from './probe-software.ts';
import { probeStack } from './probe-stack.ts';
import { progress } from './progress.ts';
import { exporterGauge, injection, pcieLink, processSamples, utilisationSamples } from './samples.ts';
import { systemsExport, traceHead } from './profile-files.ts';
import { jobEnds } from './job-ends.ts';
import { healthSigns } from './health-signs.ts';
import { hang, runningKernel } from './hang.ts';
import { imex } from './imex.ts';
import { kernelProfile } from './kernel-profile.ts';
import { kubernetesJson, kubernetesText } from './kubernetes.ts';
import { kubectlDescribe } from './kubectl-describe.ts';
import { kubectlGet } from './kubectl-get.ts';
import { fileListings, ldDebug, ldd, loaderErrors, processMaps } from './loader.ts';
import { fileSizes, lookedFor, missingFiles } from './looked-for.ts';
import { libraryNames, printedDevices } from './library-names.ts';
import { lspci } from './lspci.ts';
import { lsmod } from './modules.ts';
import { mountinfo } from './mounts.ts';
import { nccl } from './nccl.ts';
import { ncclGraph } from './nccl-graph.ts';
import { ncclTests } from './nccl-tests.ts';
import { ncclTestsJson } from './nccl-tests-json.ts';
import { infiniband, interfaces } from './network.ts';
import { nvidiaSmiCsv } from './nvidia-smi-csv.ts';
import { nvidiaSmiList, nvidiaSmiNvlink, nvidiaSmiTopology, nvidiaSmiVersion } from './nvidia-smi-list.ts';
import { nvidiaSmiQuery, nvidiaSmiXml } from './nvidia-smi-query.ts';
import { nvidiaSmiTable } from './nvidia-smi-table.ts';
import { jetsonRelease, ownLoaders, replacedPackages } from './package-changes.ts';
import { aptHistory, dnfHistory, dpkgLog } from './package-history.ts';
import { aptList, dkms, dpkg, rpm } from './packages-os.ts';
import { condaList, pipFreeze, pipJson, pipList, wheelMetadata } from './python-packages.ts';
import { pythonPrint } from './python-print.ts';
import { rowRemap } from './row-remap.ts';
import { pinnedSizes, tensorSizes } from './sizes.ts';
import { buildConfigured, sourceErrors } from './source-errors.ts';
import { sacct, scontrol } from './slurm.ts';
import { slurmFiles, slurmTables } from './slurm-tables.ts';
import { copyRates, graphGain, profilingOverhead, stepTimes } from './step-times.ts';
import { timeProfile } from './time-profile.ts';
import { told } from './told.ts';
import { cudaSamples, cudnnHeader, hostCompiler, nvcc, toolkitVersionFile } from './toolkit.ts';
import { plainProducts, traceOverlap } from './trace-overlap.ts';
import { pieces } from './pieces.ts';
import { askedGpuType, countedModes, driverWords, environmentModules } from './stack-words.ts';
import { trouble } from './trouble.ts';
import { wish } from './wish.ts';
import { display, slowness, variableEffect } from './variable-effect.ts';
import { memoryOperations } from './memory-operations.ts';
import { profileSentences } from './profile-sentences.ts';
import {
  healthCheck,
  launcherProcesses,
  lossSeries,
  preloadFile,
  processTable,
  programDevice,
} from './program-lines.ts';
import { works } from './works.ts';

/** Every parser, in the order in which they run. */
export const parsers: readonly Parser[] = [
  askedValues,
  curedRuns,
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
  xidEvents,
  starts,
  oomKills,
  hungTasks,
  lsmod,
  kernelHeaders,
  cutPackages,
  moduleNames,
  busGpus,
  peerMatrix,
  perftest,
  rowRemap,
  hang,
  runningKernel,
  progress,
  utilisationSamples,
  processSamples,
  traceHead,
  systemsExport,
  pcieLink,
  injection,
  exporterGauge,
  dcgmDiag,
  dcgmHealth,
  dcgmNvlink,
  dcgmMetrics,
  infiniband,
  rdmaGids,
  netCounters,
  netLinks,
  interfaces,
  lspci,
  fileListings,
  lookedFor,
  missingFiles,
  fileSizes,
  ldd,
  ldDebug,
  processMaps,
  loaderErrors,
  uname,
  osRelease,
  secureBoot,
  systemdUnits,
  hostLimits,
  hugePages,
  fileSystems,
  lockedMemory,
  memlock,
  hostAddresses,
  processCpus,
  busCounts,
  healthCounts,
  processGpus,
  directChecks,
  linkFragment,
  deviceHolders,
  containerMarks,
  dpkg,
  aptList,
  rpm,
  dkms,
  nvcc,
  toolkitVersionFile,
  hostCompiler,
  cudnnHeader,
  cudaSamples,
  collectEnv,
  pipList,
  pipFreeze,
  pipJson,
  condaList,
  wheelMetadata,
  replacedPackages,
  jetsonRelease,
  ownLoaders,
  pythonPrint,
  jaxInfo,
  tensorflowBuild,
  cupyConfig,
  numbaInfo,
  frameworkMessages,
  xformersInfo,
  attentionOperators,
  containerStarts,
  sourceErrors,
  buildConfigured,
  bitsandbytesInfo,
  localRunners,
  imex,
  deviceLines,
  containerCliInfo,
  nccl,
  ncclGraph,
  ncclTests,
  ncclTestsJson,
  environment,
  engineRuntimes,
  toolkitConfig,
  toolkitCommands,
  imageVariables,
  deviceRules,
  toolkitPresence,
  cdiSpecification,
  containerInspect,
  composeFile,
  cdiFile,
  engineInfo,
  engineToml,
  dockerDaemon,
  mountinfo,
  images,
  kubernetesText,
  kubernetesJson,
  kubectlDescribe,
  kubectlGet,
  kubernetesRuntimeClasses,
  slurmSettings,
  slurmGpus,
  slurmNoDevices,
  dictionaryVariables,
  daemonReloads,
  scontrol,
  sacct,
  slurmTables,
  slurmFiles,
  aptHistory,
  dpkgLog,
  dnfHistory,
  selinuxMode,
  deniedAccess,
  deviceNodes,
  deviceStat,
  exceptions,
  nativeExceptions,
  jobEnds,
  collectives,
  exits,
  kernelProfile,
  timeProfile,
  memoryOperations,
  traceOverlap,
  plainProducts,
  profileSentences,
  variableEffect,
  slowness,
  display,
  programDevice,
  launcherProcesses,
  lossSeries,
  processTable,
  preloadFile,
  healthCheck,
  stepTimes,
  copyRates,
  graphGain,
  profilingOverhead,
  tensorSizes,
  pinnedSizes,
  libraryNames,
  printedDevices,
  works,
  healthSigns,
  wish,
  trouble,
  claim,
  cutGpuSettings,
  cutNodeResources,
  askedLabels,
  jobDevices,
  told,
  probeObservations,
  probeDevices,
  probeMachine,
  probePython,
  probeDkms,
  probeServices,
  probePorts,
  probeStack,
  libraryTags,
  probeProcesses,
  processCpu,
  probeLoader,
  imageRecords,
  pieces,
  driverWords,
  environmentModules,
  askedGpuType,
  countedModes,
];
