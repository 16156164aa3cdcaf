import { usageError } from './errors.ts';
import type { Call } from './commands/command.ts';

/** A number that findings depend on. */
interface Threshold {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly what: string;
}

/**
 * The numbers to judge by, with those of `--threshold NAME=NUMBER` in the place of the command's own.
 * @throws a usage error where one is not written so, or is not known
 */
export function thresholdsOf(call: Call, own: readonly Threshold[], command: string): Readonly<Record<string, number>> {
  const given = call.flags['threshold'];
  const limits: Record<string, number> = Object.fromEntries(own.map(({ name, value }) => [name, value]));
  for (const each of Array.isArray(given) ? (given as readonly string[]) : typeof given === 'string' ? [given] : []) {
    const at = each.indexOf('=');
    const [name, value] = [each.slice(0, at), Number(each.slice(at + 1))];
    if (at < 1 || each.slice(at + 1).trim() === '' || !Number.isFinite(value) || value < 0)
      throw usageError('bad-value', `--threshold ${each} is not NAME=NUMBER`, null);
    if (!Object.hasOwn(limits, name))
      throw usageError('bad-value', `there is no threshold ${name}`, `culprit ${command} --thresholds lists them`);
    limits[name] = value;
  }
  return limits;
}

/** Lists the numbers and what each is for. */
export function printThresholds(call: Call, own: readonly Threshold[]): void {
  const width = Math.max(...own.map(({ name }) => name.length));
  for (const { name, value, unit, what } of own)
    call.output.data(`${name.padEnd(width)} ${String(value).padStart(6)} ${unit.padEnd(19)} ${what}\n`);
}
