import type { CallKind } from './model.ts';
import { callKinds } from './model.ts';

/** Calls by the start of their name, longest first where one begins another. CUDA runtime and driver API references. */
const prefixes: readonly (readonly [string, CallKind])[] = [
  ['cudaGraphLaunch', callKinds.graphLaunch],
  ['cuGraphLaunch', callKinds.graphLaunch],
  ['hipGraphLaunch', callKinds.graphLaunch],
  ['cudaGraphInstantiate', callKinds.graphInstantiate],
  ['cuGraphInstantiate', callKinds.graphInstantiate],
  ['hipGraphInstantiate', callKinds.graphInstantiate],
  ['cudaStreamBeginCapture', callKinds.graphCapture],
  ['cuStreamBeginCapture', callKinds.graphCapture],
  ['cudaStreamEndCapture', callKinds.graphCapture],
  ['cuStreamEndCapture', callKinds.graphCapture],
  ['hipStreamBeginCapture', callKinds.graphCapture],
  ['hipStreamEndCapture', callKinds.graphCapture],
  ['cudaLaunchKernel', callKinds.launch],
  ['cudaLaunchCooperativeKernel', callKinds.launch],
  ['cuLaunchKernel', callKinds.launch],
  ['cuLaunchCooperativeKernel', callKinds.launch],
  ['cuLaunchGrid', callKinds.launch],
  ['hipLaunchKernel', callKinds.launch],
  ['hipExtLaunchKernel', callKinds.launch],
  ['hipExtModuleLaunchKernel', callKinds.launch],
  ['hipModuleLaunchKernel', callKinds.launch],
  ['hipLaunchCooperativeKernel', callKinds.launch],
  ['hipModuleLaunchCooperativeKernel', callKinds.launch],
  ['cudaMemPrefetchAsync', callKinds.prefetch],
  ['cuMemPrefetchAsync', callKinds.prefetch],
  ['hipMemPrefetchAsync', callKinds.prefetch],
  ['cudaMallocAsync', callKinds.mallocAsync],
  ['cudaMallocFromPoolAsync', callKinds.mallocAsync],
  ['cuMemAllocAsync', callKinds.mallocAsync],
  ['cuMemAllocFromPoolAsync', callKinds.mallocAsync],
  ['hipMallocAsync', callKinds.mallocAsync],
  ['hipMallocFromPoolAsync', callKinds.mallocAsync],
  ['cudaMallocManaged', callKinds.mallocManaged],
  ['cuMemAllocManaged', callKinds.mallocManaged],
  ['hipMallocManaged', callKinds.mallocManaged],
  ['cudaMallocHost', callKinds.hostAlloc],
  ['cudaHostAlloc', callKinds.hostAlloc],
  ['cudaHostRegister', callKinds.hostAlloc],
  ['cuMemHostAlloc', callKinds.hostAlloc],
  ['cuMemAllocHost', callKinds.hostAlloc],
  ['cuMemHostRegister', callKinds.hostAlloc],
  ['hipHostMalloc', callKinds.hostAlloc],
  ['hipHostAlloc', callKinds.hostAlloc],
  ['hipMallocHost', callKinds.hostAlloc],
  ['hipHostRegister', callKinds.hostAlloc],
  ['cudaMalloc', callKinds.malloc],
  ['cuMemAlloc', callKinds.malloc],
  ['cuMemCreate', callKinds.malloc],
  ['hipMalloc', callKinds.malloc],
  ['cudaFreeAsync', callKinds.freeAsync],
  ['cuMemFreeAsync', callKinds.freeAsync],
  ['hipFreeAsync', callKinds.freeAsync],
  ['cudaFreeHost', callKinds.hostFree],
  ['cudaHostUnregister', callKinds.hostFree],
  ['cuMemFreeHost', callKinds.hostFree],
  ['cuMemHostUnregister', callKinds.hostFree],
  ['hipFreeHost', callKinds.hostFree],
  ['hipHostFree', callKinds.hostFree],
  ['hipHostUnregister', callKinds.hostFree],
  ['cudaFree', callKinds.free],
  ['cuMemFree', callKinds.free],
  ['cuMemRelease', callKinds.free],
  ['hipFree', callKinds.free],
  ['cudaMemset', callKinds.memset],
  ['cuMemset', callKinds.memset],
  ['hipMemset', callKinds.memset],
  ['cudaDeviceSynchronize', callKinds.deviceSync],
  ['cudaThreadSynchronize', callKinds.deviceSync],
  ['cuCtxSynchronize', callKinds.deviceSync],
  ['hipDeviceSynchronize', callKinds.deviceSync],
  ['cudaStreamSynchronize', callKinds.streamSync],
  ['cuStreamSynchronize', callKinds.streamSync],
  ['hipStreamSynchronize', callKinds.streamSync],
  ['cudaEventSynchronize', callKinds.eventSync],
  ['cuEventSynchronize', callKinds.eventSync],
  ['hipEventSynchronize', callKinds.eventSync],
  ['cudaStreamWaitEvent', callKinds.streamWaitEvent],
  ['cuStreamWaitEvent', callKinds.streamWaitEvent],
  ['hipStreamWaitEvent', callKinds.streamWaitEvent],
  ['cudaEventRecord', callKinds.eventRecord],
  ['cuEventRecord', callKinds.eventRecord],
  ['hipEventRecord', callKinds.eventRecord],
  ['cudaEventQuery', callKinds.query],
  ['cuEventQuery', callKinds.query],
  ['cudaStreamQuery', callKinds.query],
  ['cuStreamQuery', callKinds.query],
  ['hipEventQuery', callKinds.query],
  ['hipStreamQuery', callKinds.query],
  ['cuModuleLoad', callKinds.moduleLoad],
  ['cuLibraryLoad', callKinds.moduleLoad],
  ['cuLinkComplete', callKinds.moduleLoad],
  ['cudaLibraryLoad', callKinds.moduleLoad],
  ['hipModuleLoad', callKinds.moduleLoad],
  ['hipLinkComplete', callKinds.moduleLoad],
];

/**
 * What a call of the API does, told from its name; `cudaMemcpyAsync_ptsz_v7000` is `cudaMemcpyAsync`.
 * @param name as a trace prints it, with or without the suffix of its version
 */
export function callKindOf(name: string): CallKind {
  if (/^(?:cuda|cu|hip)Memcpy/.test(name))
    return /^[A-Za-z0-9]{1,60}Async/.test(name) ? callKinds.copyAsync : callKinds.copy;
  return prefixes.find(([prefix]) => name.startsWith(prefix))?.[1] ?? callKinds.other;
}

/** `cudaLaunchKernel` of `cudaLaunchKernel_ptsz_v7000`. */
export function plainCallName(name: string): string {
  return name.replace(/_v\d{1,6}$/, '').replace(/_pt(?:sz|ds)$/, '');
}

/** True where the call uses the default stream of its thread, which does not wait for others (`--default-stream per-thread`). */
export function isPerThreadCall(name: string): boolean {
  return /_pt(?:sz|ds)(?:_v\d{1,6})?$/.test(name);
}
