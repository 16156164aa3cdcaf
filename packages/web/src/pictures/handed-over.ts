import type { Input } from '../core/protocol.ts';

/** What one view gives to the next: files are not in an address. */
const handed: { inputs: readonly Input[] } = { inputs: [] };

export function handOver(inputs: readonly Input[]): void {
  handed.inputs = inputs;
}

/** What was handed over; once. */
export function takeOver(): readonly Input[] {
  const { inputs } = handed;
  handed.inputs = [];
  return inputs;
}
