import { compareCudaMinor } from '../versions/cuda.ts';
import type { CudaVersion } from '../versions/cuda.ts';
import { comparePadded, parseDotted } from '../versions/numeric.ts';
import { compareDriver } from '../versions/driver.ts';
import type { DriverVersion } from '../versions/driver.ts';
import type { InjectionMode } from './question.ts';

/** A mode that really ran: `auto` is resolved. */
export type RealMode = 'legacy' | 'cdi' | 'jit-cdi' | 'csv';

/** Version of the container toolkit as numbers; null when it cannot be read. */
export function parseContainerToolkit(text: string): readonly number[] | null {
  const bare = text.trim().toLowerCase().replace(/^v/, '').split(/[-~+]/)[0] as string;
  return parseDotted(bare, 3);
}

/** Is the toolkit at least this version? */
export function toolkitAtLeast(version: readonly number[], ...least: number[]): boolean {
  return comparePadded(version, least) >= 0;
}

/**
 * Modes that a container can have been started in. `auto` is legacy before 1.18.0 and jit-cdi from there on (with the
 * nvidia runtime); a mode that was not named is any that the toolkit has.
 */
export function possibleModes(mode: InjectionMode | undefined, toolkit: readonly number[] | null): readonly RealMode[] {
  if (mode === 'auto') {
    if (toolkit === null) return ['legacy', 'jit-cdi'];
    return toolkitAtLeast(toolkit, 1, 18) ? ['jit-cdi'] : ['legacy'];
  }
  return mode === undefined ? ['legacy', 'jit-cdi', 'cdi'] : [mode];
}

/** Toolkit versions that stand for each behaviour, for a question that names none. */
export const toolkitGenerations: readonly (readonly number[])[] = [
  [1, 17, 3],
  [1, 17, 4],
  [1, 17, 8],
  [1, 18, 1],
  [1, 20, 0],
];

/** Does the start check of NVIDIA_REQUIRE_* run in this mode? CSV mode knows cuda and arch only. */
export function checksRequirement(mode: RealMode): 'all' | 'cuda-and-arch' | 'no' {
  return mode === 'legacy' ? 'all' : mode === 'csv' ? 'cuda-and-arch' : 'no';
}

/** `cuda-compat-mode` of the toolkit's configuration; it counts in legacy mode, from 1.17.7 on. */
export type CudaCompatMode = 'ldconfig' | 'mount' | 'hook' | 'disabled';

/** Whether and how the toolkit puts the compat libraries of an image in front. */
export interface CompatChoice {
  /** Null: sources do not decide. */
  readonly used: boolean | null;
  readonly by: 'mount' | 'ldconfig' | 'hook' | 'elf-note' | 'major' | null;
  readonly because: string;
}

/** What else is known of a toolkit's configuration and of the image. */
export interface CompatSetting {
  /** Missing: what the toolkit ships with (`ldconfig`). */
  readonly cudaCompatMode?: CudaCompatMode;
  /** The image has /etc/ld.so.cache, which the hook needs before 1.18.1. Missing: it has. */
  readonly hasCache?: boolean;
  /** Files `libcuda.so.*.*` in the compat folder: the hook takes exactly one. Missing: one. */
  readonly copies?: number;
  /** CUDA version that the note of the compat library names, and the one that the host serves. */
  readonly noteCuda?: CudaVersion | null;
  readonly hostCuda?: CudaVersion | null;
}

/** Who switches compat on: the table of toolkit versions and modes. */
function compatMethod(
  toolkit: readonly number[],
  mode: RealMode,
  setting: CompatSetting,
): 'mount' | 'ldconfig' | 'hook' | 'cuda-note' | null {
  if (!toolkitAtLeast(toolkit, 1, 17, 4)) return mode === 'legacy' ? 'mount' : null;
  if (!toolkitAtLeast(toolkit, 1, 17, 5)) return null;
  if (mode === 'csv') return toolkitAtLeast(toolkit, 1, 19) ? 'cuda-note' : 'hook';
  if (mode !== 'legacy' || !toolkitAtLeast(toolkit, 1, 17, 7)) return 'hook';
  const configured = setting.cudaCompatMode ?? 'ldconfig';
  return configured === 'disabled' ? null : configured;
}

/** Does a container start of this kind run ldconfig a second time, by the order of ld.so.conf.d alone? */
export function rebuildsCacheByHook(
  toolkit: readonly number[],
  mode: RealMode,
  cudaCompatMode: CudaCompatMode | undefined,
): boolean {
  return (
    mode !== 'legacy' || compatMethod(toolkit, mode, cudaCompatMode === undefined ? {} : { cudaCompatMode }) === 'hook'
  );
}

/**
 * What a container toolkit version does with compat libraries at `/usr/local/cuda/compat`. `note` are the host branches
 * that the library lists, null where it has no note; undefined when it was not read.
 */
export function compatChoice(
  toolkit: readonly number[],
  mode: RealMode,
  compat: DriverVersion,
  host: DriverVersion,
  note: readonly number[] | null | undefined,
  setting: CompatSetting = {},
): CompatChoice {
  const method = compatMethod(toolkit, mode, setting);
  const higherMajor = compat.branch > host.branch;
  switch (method) {
    case null:
      return { used: false, by: null, because: leavesAlone(toolkit, mode) };
    case 'mount':
      return byMount(compat, host, higherMajor);
    case 'ldconfig':
      return { used: higherMajor, by: higherMajor ? 'ldconfig' : null, because: byMajor(higherMajor) };
    case 'cuda-note':
      return byCudaNote(higherMajor, note, setting);
    case 'hook':
      return byHook(toolkit, compat, host, higherMajor, note, setting);
  }
}

function leavesAlone(toolkit: readonly number[], mode: RealMode): string {
  if (!toolkitAtLeast(toolkit, 1, 17, 4)) return 'this toolkit leaves compat libraries alone outside legacy mode';
  if (!toolkitAtLeast(toolkit, 1, 17, 5)) return '1.17.4 does not use compat libraries';
  return mode === 'legacy' ? 'cuda-compat-mode is disabled' : 'this toolkit leaves compat libraries alone in this mode';
}

/** libnvidia-container mounts all but libraries of the host's own branch. */
function byMount(compat: DriverVersion, host: DriverVersion, higherMajor: boolean): CompatChoice {
  if (compat.branch === host.branch) return { used: false, by: null, because: 'compat and host are of one branch' };
  if (!higherMajor)
    return {
      used: null,
      by: 'mount',
      because: 'an older compat library was mounted too; sources disagree on which one is linked',
    };
  return { used: true, by: 'mount', because: 'compat libraries are mounted over the driver folder' };
}

/** On Tegra from 1.19 on: the CUDA version in the note, above that of the host. */
function byCudaNote(
  higherMajor: boolean,
  note: readonly number[] | null | undefined,
  setting: CompatSetting,
): CompatChoice {
  const noteCuda = setting.noteCuda;
  if (note === null) return { used: false, by: null, because: 'the compat library has no note' };
  if (noteCuda === undefined || noteCuda === null || setting.hostCuda === undefined || setting.hostCuda === null) {
    return higherMajor || noteCuda != null
      ? {
          used: null,
          by: 'elf-note',
          because: 'on Tegra the CUDA version in the note of the compat library decides, and it is not known',
        }
      : { used: false, by: null, because: 'the compat library is not newer than the driver' };
  }
  const order = compareCudaMinor(noteCuda, setting.hostCuda);
  const used = order === null ? null : order > 0;
  return {
    used,
    by: used === false ? null : 'elf-note',
    because: used === true ? 'the note names a newer CUDA than the host serves' : 'the note names no newer CUDA',
  };
}

function byHook(
  toolkit: readonly number[],
  compat: DriverVersion,
  host: DriverVersion,
  higherMajor: boolean,
  note: readonly number[] | null | undefined,
  setting: CompatSetting,
): CompatChoice {
  if (setting.hasCache === false && !toolkitAtLeast(toolkit, 1, 18, 1))
    return { used: false, by: null, because: 'before 1.18.1 the hook needs /etc/ld.so.cache in the image' };
  if (setting.copies !== undefined && setting.copies !== 1)
    return { used: false, by: null, because: 'the hook takes a compat folder with exactly one libcuda.so.*.*' };
  if (!toolkitAtLeast(toolkit, 1, 20))
    return { used: higherMajor, by: higherMajor ? 'hook' : null, because: byMajor(higherMajor) };
  // Libraries older than R575 were never seen with a note.
  if (note === undefined && compat.branch >= 575) {
    return higherMajor
      ? {
          used: null,
          by: 'elf-note',
          because: 'from 1.20.0 on the list inside the compat library decides, and it was not read',
        }
      : { used: false, by: null, because: 'the compat library is not newer than the driver' };
  }
  if (note !== null && note !== undefined) {
    const used = note.includes(host.branch) && compareDriver(compat, host) > 0;
    return {
      used,
      by: used ? 'elf-note' : null,
      because: used
        ? `the library lists R${host.branch}`
        : `the library does not list R${host.branch}, or is not newer`,
    };
  }
  return { used: higherMajor, by: higherMajor ? 'major' : null, because: byMajor(higherMajor) };
}

function byMajor(higher: boolean): string {
  return higher
    ? 'the compat library is of a newer branch than the host'
    : 'the compat library is not of a newer branch than the host';
}
