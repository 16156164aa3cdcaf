import type { Probed, Transport } from './transport.ts';
import { failed } from './frame.ts';

/** Bounds of a fan-out. */
export interface FanOut {
  /** Targets at a time. */
  readonly parallel?: number;
  /** Limit of each target in milliseconds. */
  readonly limitMs: number;
  /** Is told of each target that is done. */
  readonly done?: (transport: Transport, probed: Probed) => void;
}

/** Targets at a time, where nothing else is said. */
export const usualParallel = 16;
const mostParallel = 256;

/**
 * Probes several targets, a bounded number at a time.
 * @returns what each gave, in the order of the transports
 */
export async function probeAll(
  transports: readonly Transport[],
  script: string,
  args: readonly string[],
  { parallel = usualParallel, limitMs, done }: FanOut,
): Promise<readonly { readonly transport: Transport; readonly probed: Probed }[]> {
  const results: { transport: Transport; probed: Probed }[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < transports.length) {
      const place = next++;
      const transport = transports[place]!;
      const probed = await safely(transport, script, args, limitMs);
      results[place] = { transport, probed };
      done?.(transport, probed);
    }
  };
  const workers = Math.min(Math.max(1, Math.floor(parallel) || 1), mostParallel, transports.length);
  await Promise.all(Array.from({ length: workers }, worker));
  return results;
}

async function safely(transport: Transport, script: string, args: readonly string[], limitMs: number): Promise<Probed> {
  try {
    return await transport.probe(script, args, limitMs);
  } catch (error) {
    return failed(`the tool failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
