// Looks for fixed texts in bytes that go by. The last two bytes of a window say how far to step, so that most bytes are
// never looked at (S. Wu, U. Manber, "A fast algorithm for multi-pattern searching", 1994).

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

/** Begins to look for texts of ASCII characters; the shortest, of two or more, sets the pace. */
export function scanLiterals(literals: readonly Literal[]): LiteralScan {
  const encoder = new TextEncoder();
  const needles = literals.map((one) => ({ ...one, bytes: encoder.encode(one.text) }));
  const span = Math.min(...needles.map((one) => one.bytes.length));
  const longest = Math.max(...needles.map((one) => one.bytes.length + one.keep));
  const steps = new Uint8Array(65_536).fill(span - 1);
  for (const { bytes } of needles) {
    for (let i = 1; i < span; i += 1) {
      const pair = ((bytes[i - 1] ?? 0) << 8) | (bytes[i] ?? 0);
      steps[pair] = Math.min(steps[pair] ?? 0, span - 1 - i);
    }
  }
  const hits: Hit[] = [];
  let held: Uint8Array = new Uint8Array(0);
  let heldAt = 0;

  /** Looks at beginnings in `[from, to)`. */
  const look = (bytes: Uint8Array, from: number, to: number, offset: number): void => {
    const last = Math.min(to + span - 1, bytes.length);
    let at = from + span - 1;
    for (;;) {
      at = nextCandidate(bytes, at, last, steps);
      if (at >= last) return;
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

/** The next place at which a window may end on the end of a needle's first part; `last` or beyond where there is none. */
function nextCandidate(bytes: Uint8Array, from: number, last: number, steps: Uint8Array): number {
  let at = from;
  while (at < last) {
    const step = steps[((bytes[at - 1] as number) << 8) | (bytes[at] as number)] as number;
    if (step === 0) return at;
    at += step;
  }
  return at;
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
