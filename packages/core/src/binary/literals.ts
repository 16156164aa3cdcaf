// Looks for fixed texts in bytes that go by. Horspool's way: the last byte of a window says how far to step, so that most
// bytes are never looked at (R. N. Horspool, "Practical fast searching in strings", 1980).

/** What to look for, and how many bytes behind it are kept. */
export interface Literal {
  readonly text: string;
  readonly keep: number;
}

export interface Hit {
  readonly literal: string;
  /** Place of the text. */
  readonly offset: number;
  /** What stands behind it, up to a NUL. */
  readonly rest: string;
}

export interface LiteralScan {
  /** Bytes that stand at `offset`; those that follow the last ones are joined with them. */
  push(chunk: Uint8Array, offset: number): void;
  /** After the last byte. */
  end(): readonly Hit[];
}

const mostHits = 256;

/** Begins to look for texts of ASCII characters; the shortest sets the pace. */
export function scanLiterals(literals: readonly Literal[]): LiteralScan {
  const encoder = new TextEncoder();
  const needles = literals.map((one) => ({ ...one, bytes: encoder.encode(one.text) }));
  const span = Math.min(...needles.map((one) => one.bytes.length));
  const longest = Math.max(...needles.map((one) => one.bytes.length + one.keep));
  const steps = new Uint8Array(256).fill(span);
  for (const { bytes } of needles) {
    for (let i = 0; i < span; i += 1) {
      const byte = bytes[i] ?? 0;
      steps[byte] = Math.min(steps[byte] ?? span, span - 1 - i);
    }
  }
  const hits: Hit[] = [];
  let held: Uint8Array = new Uint8Array(0);
  let heldAt = 0;

  /** Looks at beginnings in `[from, to)`. */
  const look = (bytes: Uint8Array, from: number, to: number, offset: number): void => {
    const last = Math.min(to + span - 1, bytes.length);
    let at = from + span - 1;
    while (at < last) {
      const step = steps[bytes[at] as number] as number;
      if (step > 0) {
        at += step;
        continue;
      }
      const begin = at - span + 1;
      for (const needle of needles) {
        if (hits.length < mostHits && stands(bytes, begin, needle.bytes)) {
          hits.push({
            literal: needle.text,
            offset: offset + begin,
            rest: upToNul(bytes, begin + needle.bytes.length, needle.keep),
          });
        }
      }
      at += 1;
    }
  };

  const flush = (): void => {
    if (held.length > 0) look(held, 0, held.length, heldAt);
    held = new Uint8Array(0);
  };

  return {
    push(chunk, offset) {
      if (held.length > 0 && heldAt + held.length !== offset) flush();
      if (held.length > 0) {
        const seam = new Uint8Array(held.length + Math.min(longest, chunk.length));
        seam.set(held);
        seam.set(chunk.subarray(0, seam.length - held.length), held.length);
        if (chunk.length < longest) {
          // Too little to judge what begins in it.
          const sure = Math.max(0, seam.length - longest);
          look(seam, 0, sure, heldAt);
          held = seam.slice(sure);
          heldAt += sure;
          return;
        }
        look(seam, 0, held.length, heldAt);
      }
      const sure = Math.max(0, chunk.length - longest);
      look(chunk, 0, sure, offset);
      held = chunk.slice(sure);
      heldAt = offset + sure;
    },
    end() {
      flush();
      return hits;
    },
  };
}

function stands(bytes: Uint8Array, at: number, needle: Uint8Array): boolean {
  if (at + needle.length > bytes.length) return false;
  for (let i = 0; i < needle.length; i += 1) if (bytes[at + i] !== needle[i]) return false;
  return true;
}

function upToNul(bytes: Uint8Array, from: number, most: number): string {
  let text = '';
  for (let at = from; at < Math.min(bytes.length, from + most) && bytes[at] !== 0; at += 1)
    text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}
