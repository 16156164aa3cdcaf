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

/** Whether and how the toolkit puts the compat libraries of an image in front. */
export interface CompatChoice {
  /** Null: sources do not decide. */
  readonly used: boolean | null;
  readonly by: 'mount' | 'ldconfig' | 'hook' | 'elf-note' | 'major' | null;
  readonly because: string;
}

/**
 * What a container toolkit version does with compat libraries at `/usr/local/cuda/compat`. `note` are the host branches
 * that the library lists; undefined when it was not read.
 */
export function compatChoice(
  toolkit: readonly number[],
  mode: RealMode,
  compat: DriverVersion,
  host: DriverVersion,
  note: readonly number[] | null | undefined,
): CompatChoice {
  const higherMajor = compat.branch > host.branch;
  if (!toolkitAtLeast(toolkit, 1, 17, 4)) {
    if (mode !== 'legacy')
      return { used: false, by: null, because: 'this toolkit leaves compat libraries alone outside legacy mode' };
    if (compat.branch === host.branch) return { used: false, by: null, because: 'compat and host are of one branch' };
    if (!higherMajor)
      return {
        used: null,
        by: 'mount',
        because: 'an older compat library was mounted too; sources disagree on which one is linked',
      };
    return { used: true, by: 'mount', because: 'until 1.17.3 compat libraries are mounted over the driver folder' };
  }
  if (!toolkitAtLeast(toolkit, 1, 17, 5))
    return { used: false, by: null, because: '1.17.4 does not use compat libraries' };
  if (mode === 'legacy' || mode === 'csv') {
    const by = toolkitAtLeast(toolkit, 1, 17, 7) ? 'ldconfig' : 'hook';
    return { used: higherMajor, by: higherMajor ? by : null, because: byMajor(higherMajor) };
  }
  if (toolkitAtLeast(toolkit, 1, 20) && compat.branch >= 575) {
    if (note === undefined) {
      return higherMajor
        ? {
            used: null,
            by: 'elf-note',
            because: 'from 1.20.0 on the list inside the compat library decides, and it was not read',
          }
        : { used: false, by: null, because: 'the compat library is not newer than the driver' };
    }
    if (note !== null) {
      const used = note.includes(host.branch) && compareDriver(compat, host) > 0;
      return {
        used,
        by: used ? 'elf-note' : null,
        because: used
          ? `the library lists R${host.branch}`
          : `the library does not list R${host.branch}, or is not newer`,
      };
    }
  }
  return { used: higherMajor, by: higherMajor ? 'hook' : null, because: byMajor(higherMajor) };
}

function byMajor(higher: boolean): string {
  return higher
    ? 'the compat library is of a newer branch than the host'
    : 'the compat library is not of a newer branch than the host';
}
