import type { Scene } from './findings/scene.ts';
import { plainCallName } from './calls.ts';

/**
 * Calls that launch kernels or graphs on the device of a scene. In a trace of several devices a call is where its work
 * is; one whose work is not in the trace is where its thread launches most.
 */
export function callsThatLaunch(scene: Scene): Uint32Array {
  const { trace } = scene;
  const { calls, names } = trace;
  const launching = Uint8Array.from(names, (name) => Number(isLaunchName(name)));
  const deviceOfCall = scene.shared ? devicesOfCalls(scene) : null;
  const found = new Uint32Array(calls.count);
  let at = 0;
  const home = deviceOfCall === null ? null : homesOf(scene, deviceOfCall);
  for (let call = 0; call < calls.count; call++) {
    if (launching[calls.name[call]!] === 0) continue;
    if (deviceOfCall !== null && home !== null) {
      const device = deviceOfCall[call]! >= 0 ? deviceOfCall[call]! : (home.get(calls.thread[call]!) ?? -1);
      if (device < 0 ? !scene.first : device !== scene.device) continue;
    }
    found[at++] = call;
  }
  return found.subarray(0, at);
}

/** Device of the work that each call started; -1 where none is in the trace. */
function devicesOfCalls({ trace }: Scene): Int16Array {
  const devices = new Int16Array(trace.calls.count).fill(-1);
  const { call, stream, count } = trace.work;
  for (let row = 0; row < count; row++) if (call[row]! >= 0) devices[call[row]!] = trace.streams[stream[row]!]!.device;
  return devices;
}

/** The device that each thread starts most work on. */
function homesOf({ trace }: Scene, devices: Int16Array): ReadonlyMap<number, number> {
  const counts = new Map<number, Uint32Array>();
  for (let call = 0; call < devices.length; call++) {
    if (devices[call]! < 0) continue;
    const thread = trace.calls.thread[call]!;
    let count = counts.get(thread);
    if (count === undefined) counts.set(thread, (count = new Uint32Array(trace.devices.length)));
    count[devices[call]!] = count[devices[call]!]! + 1;
  }
  return new Map([...counts].map(([thread, count]) => [thread, count.indexOf(Math.max(...count))]));
}

/** True for the calls that `launch.count` counts. */
export function isLaunchName(name: string): boolean {
  return /^(?:cudaLaunch(?:Kernel|$)|cuLaunchKernel|cudaGraphLaunch|hip(?:Ext)?(?:Module)?LaunchKernel|hipGraphLaunch)/.test(
    plainCallName(name),
  );
}
