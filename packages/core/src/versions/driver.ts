import { compareParts, parseDotted } from './numeric.ts';

/**
 * Version of an NVIDIA driver: `535.104.05`, `565.77`, or only the branch, `535`.
 * Three parts compared as numbers; semantic versioning rejects the leading zeros.
 */
export interface DriverVersion {
  /** The first number: names the branch on Linux. */
  readonly branch: number;
  /** All numbers, the branch first. */
  readonly parts: readonly number[];
  /** Only the branch is known: the driver may be any build of it. */
  readonly partial: boolean;
  /** As printed, so that zeros are kept. */
  readonly text: string;
}

/** Developer builds for Vulkan: their second number runs apart from that of the releases of the branch. */
const vulkanBetaSeries: readonly { readonly branch: number; readonly second: number; readonly from: number }[] = [
  { branch: 515, second: 49, from: 0 },
  { branch: 525, second: 47, from: 0 },
  { branch: 535, second: 43, from: 0 },
  { branch: 550, second: 40, from: 50 },
  { branch: 570, second: 123, from: 0 },
  { branch: 580, second: 94, from: 0 },
  { branch: 595, second: 44, from: 0 },
];

/**
 * Reads a driver version as tools print it; `R535`, `r535` and `v535.54.03` too. Null for anything else.
 * The branch has three digits; the Windows file version `31.0.15.3713` is read as the `537.13` it stands for.
 */
export function parseDriver(input: string): DriverVersion | null {
  let text = input.trim();
  if (text.length > 1 && 'rRvV'.includes(text.charAt(0))) text = text.slice(1);
  const parts = parseDotted(text, 4);
  if (parts === null) return null;
  if (parts.length === 4) return windowsFileVersion(text, parts);
  const branch = parts[0] as number;
  if (branch < 100 || branch > 9999) return null;
  return { branch, parts, partial: parts.length === 1, text };
}

function windowsFileVersion(text: string, parts: readonly number[]): DriverVersion | null {
  const [, , third, fourth] = text.split('.');
  if ((parts[0] as number) < 20 || third === undefined || fourth === undefined) return null;
  const digits = (third + fourth.padStart(4, '0')).slice(-5);
  return digits.length === 5 ? parseDriver(`${digits.slice(0, 3)}.${digits.slice(3)}`) : null;
}

/** Total order by numbers; a bare branch comes before every build of it. */
export function compareDriver(a: DriverVersion, b: DriverVersion): number {
  return compareParts(a.parts, b.parts);
}

/** The version as it was printed. */
export function formatDriver(version: DriverVersion): string {
  return version.text;
}

/**
 * Is the version at or above `floor`? Null when only the branch is known and the floor lies inside that branch.
 * A floor that is a bare branch is met by every build of it.
 */
export function driverAtLeast(version: DriverVersion, floor: DriverVersion): boolean | null {
  if (version.branch !== floor.branch) return version.branch > floor.branch;
  if (floor.partial) return true;
  if (version.partial) return null;
  return compareDriver(version, floor) >= 0;
}

/** A developer build for Vulkan, by its number. Such a build can lie below a floor that its branch meets. */
export function isVulkanBeta(version: DriverVersion): boolean {
  const second = version.parts[1];
  const third = version.parts[2] ?? 0;
  return vulkanBetaSeries.some(
    (series) => series.branch === version.branch && series.second === second && third >= series.from,
  );
}

/**
 * Branch of a Windows driver: its first number runs on past the branch (537.13 is R535), so it is the newest known
 * branch that is not above it. Null when none is within ten numbers.
 */
export function windowsBranch(version: DriverVersion, branches: readonly number[]): number | null {
  let best: number | null = null;
  for (const branch of branches) {
    if (branch <= version.branch && (best === null || branch > best)) best = branch;
  }
  return best !== null && version.branch - best < 10 ? best : null;
}
