// What GPU feature discovery writes on a node.
//
// nvidia.com/gpu.product=NVIDIA-H100-PCIe-MIG-1g.10gb
// nvidia.com/cuda.driver-version.full=550.135
import type { Line } from '../model/document.ts';
import type { FactSink } from './parser.ts';
import { cudaMinor, fullDriverRelease } from './releases.ts';

/** Model from a node label: dashes stand for blanks, `-SHARED` and the MIG profile are no part of it. */
function labelName(text: string): string {
  return text
    .replace(/-SHARED$/, '')
    .replace(/-MIG-\d.{0,20}$/, '')
    .replaceAll('-', ' ');
}

/** Adds a label of a node, and the version or model that it names. */
export function addLabel(name: string, value: string, line: Line, sink: FactSink): void {
  sink.add('k8s.resource', { name, value }, line);
  if (name === 'nvidia.com/gpu.product') sink.add('gpu.name', labelName(value), line);
  else if (name === 'nvidia.com/cuda.driver-version.full') {
    const release = fullDriverRelease(value);
    if (release !== null) sink.add('driver.version', release, line);
  } else if (name === 'nvidia.com/cuda.runtime-version.full') {
    const cuda = cudaMinor(value);
    if (cuda !== null) sink.add('driver.cuda', cuda, line);
  }
}

/** Labels that carry one number of a version each, joined where all of them are there. */
export function addParts(parts: ReadonlyMap<string, string>, line: Line, sink: FactSink): void {
  const number = (name: string): string | undefined => parts.get(`nvidia.com/${name}`);
  const [major, minor, rev] = [number('cuda.driver.major'), number('cuda.driver.minor'), number('cuda.driver.rev')];
  const release =
    major === undefined || minor === undefined
      ? null
      : fullDriverRelease([major, minor, ...(rev === undefined || rev === '' ? [] : [rev])].join('.'));
  if (release !== null) sink.add('driver.version', release, line);
  const cuda = cudaMinor(`${number('cuda.runtime.major') ?? ''}.${number('cuda.runtime.minor') ?? ''}`);
  if (cuda !== null) sink.add('driver.cuda', cuda, line);
  const [ccMajor, ccMinor] = [number('gpu.compute.major'), number('gpu.compute.minor')];
  if (/^\d{1,2}$/.test(ccMajor ?? '') && /^\d$/.test(ccMinor ?? ''))
    sink.add('gpu.compute-capability', `${ccMajor!}.${ccMinor!}`, line);
}
