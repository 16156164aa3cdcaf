import { formatCuda, formatCudaMinor, parseCuda } from '../versions/cuda.ts';
import { formatComputeCapability, parseComputeCapability } from '../versions/compute-capability.ts';
import { formatCudnn, parseCudnn } from '../versions/cudnn.ts';
import { parseDriver } from '../versions/driver.ts';
import { formatNccl, parseNccl } from '../versions/nccl.ts';

// Versions as facts carry them: checked by the version modules, in one spelling. Null where the text is none.

/** Driver release as printed: `570.124.06`. A bare branch is `525`. */
export function driverRelease(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : (parseDriver(text)?.text ?? null);
}

/** A driver release with at least two parts, so that a bare number is not taken for one. */
export function fullDriverRelease(text: string | null | undefined): string | null {
  const release = driverRelease(text);
  return release !== null && release.includes('.') ? release : null;
}

/** CUDA release line, major and minor: `12.4`. */
export function cudaMinor(text: string | null | undefined): string | null {
  const version = text === null || text === undefined ? null : parseCuda(text);
  return version === null || version.minor === null ? null : formatCudaMinor(version);
}

/** CUDA release line; `12` where only the major is known. */
export function cudaRelease(text: string | null | undefined): string | null {
  const version = text === null || text === undefined ? null : parseCuda(text);
  return version === null ? null : formatCudaMinor(version);
}

/** CUDA toolkit with its update: `12.4.1`. The date form `12.6.20241114` is `12.6` with an unknown update. */
export function cudaToolkit(text: string | null | undefined): string | null {
  const version = text === null || text === undefined ? null : parseCuda(text);
  if (version === null || version.minor === null) return null;
  return version.patch !== null && version.patch <= 1000 ? formatCuda(version) : formatCudaMinor(version);
}

/** cuDNN: `8.9.7`, from dotted, tuple and integer forms. */
export function cudnnRelease(text: string | null | undefined): string | null {
  const version = text === null || text === undefined ? null : parseCudnn(text);
  return version === null ? null : formatCudnn(version);
}

/** NCCL: `2.21.5`, with `+cuda12.4` where it was printed. */
export function ncclRelease(text: string | null | undefined): string | null {
  const version = text === null || text === undefined ? null : parseNccl(text);
  return version === null ? null : formatNccl(version);
}

/** Compute capability: `9.0`, also from `90`, `sm_90`. */
export function capability(text: string | null | undefined): string | null {
  const value = text === null || text === undefined ? null : parseComputeCapability(text);
  return value === null ? null : formatComputeCapability({ ...value, suffix: '' });
}

/**
 * CUDA release that a local version part names: `2.7.1+cu126` gives `12.6`, `+cpu` gives null (built without),
 * anything else undefined (unknown).
 */
export function cudaOfLocal(version: string): string | null | undefined {
  const plus = version.indexOf('+');
  if (plus < 0) return undefined;
  for (const part of version
    .slice(plus + 1)
    .toLowerCase()
    .split(/[.\-_]/)) {
    if (part === 'cpu') return null;
    const match = /^cu(\d{2,4})/.exec(part);
    const release = match === null ? null : cudaMinor(`cu${match[1]}`);
    if (release !== null) return release;
  }
  return undefined;
}
