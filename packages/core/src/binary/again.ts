// A stream that can be begun again, as a source: what is asked for in rising order is read in one pass.
import type { ByteSource } from './source.ts';

/** Bytes of a stream by range. Asking backwards begins it anew, so ask in order. */
export function againFrom(open: () => AsyncIterable<Uint8Array>, size: number): ByteSource {
  let chunks: AsyncIterator<Uint8Array> | null = null;
  let held: Uint8Array = new Uint8Array(0);
  let heldAt = 0;
  const next = async (): Promise<boolean> => {
    const step = await chunks?.next();
    if (step === undefined || step.done === true) return false;
    heldAt += held.length;
    held = step.value.slice();
    return true;
  };
  return {
    size,
    async read(offset, length) {
      if (chunks === null || offset < heldAt) {
        chunks = open()[Symbol.asyncIterator]();
        held = new Uint8Array(0);
        heldAt = 0;
      }
      const wanted = Math.max(0, Math.min(length, size - offset));
      const whole = new Uint8Array(wanted);
      let filled = 0;
      while (filled < wanted) {
        const from = offset + filled - heldAt;
        if (from < held.length) {
          const part = held.subarray(from, Math.min(held.length, from + wanted - filled));
          whole.set(part, filled);
          filled += part.length;
        } else if (!(await next())) break;
      }
      return whole.subarray(0, filled);
    },
  };
}
