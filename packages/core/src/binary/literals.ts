// Looks for fixed texts in bytes that go by. Of every eight bytes four are looked at, as one number: whatever stands there
// of a text is one of a few numbers, and most bytes are none of them.

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

const hashBits = 13;
/** Bytes that one look takes in. */
const wordBytes = 4;
const strides = [8, 4] as const;

interface Needle extends Literal {
  readonly bytes: Uint8Array;
}

/** A number that may be part of a text, which then begins so many bytes before it. */
interface Part {
  readonly needle: Needle;
  readonly before: number;
}

/** Begins to look for texts of ASCII characters; the shortest, of four or more, sets the pace. */
export function scanLiterals(literals: readonly Literal[]): LiteralScan {
  const encoder = new TextEncoder();
  const needles = literals.map((one): Needle => ({ ...one, bytes: encoder.encode(one.text) }));
  const span = Math.min(...needles.map((one) => one.bytes.length));
  const longest = Math.max(...needles.map((one) => one.bytes.length + one.keep));
  // A text takes up one look at least, wherever it begins between two of them.
  const stride = strides.find((one) => one + wordBytes - 1 <= span) ?? 1;
  const parts = new Map<number, Part[]>();
  const likely = new Uint8Array(1 << hashBits);
  for (const needle of needles) {
    for (let before = 0; before < stride; before += 1) {
      const word = wordAt(needle.bytes, before);
      parts.set(word, [...(parts.get(word) ?? []), { needle, before }]);
      likely[hashOf(word)] = 1;
    }
  }
  const hits: Hit[] = [];
  let held: Uint8Array = new Uint8Array(0);
  let heldAt = 0;

  /** Looks at beginnings in `[from, to)`. */
  const look = (bytes: Uint8Array, from: number, to: number, offset: number): void => {
    const check = (at: number): void => {
      for (const { needle, before } of parts.get(wordAt(bytes, at)) ?? []) {
        const begin = at - before;
        if (hits.length >= mostHits || begin < from || begin >= to || !stands(bytes, begin, needle.bytes)) continue;
        const rest = upToNul(bytes, begin + needle.bytes.length, needle.keep);
        hits.push({ literal: needle.text, offset: offset + begin, rest });
      }
    };
    const end = Math.min(bytes.length - wordBytes, to - 1 + stride - 1);
    if (stride === 1) {
      for (let at = from; at <= end; at += 1) check(at);
      return;
    }
    const first = from + ((wordBytes - ((bytes.byteOffset + from) % wordBytes)) % wordBytes);
    if (first > end) return;
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + first, Math.floor((end - first) / wordBytes) + 1);
    const step = stride / wordBytes;
    for (
      let at = nextLikely(words, 0, step, likely);
      at < words.length;
      at = nextLikely(words, at + step, step, likely)
    )
      check(first + at * wordBytes);
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

/** The next number that may be part of a text; the length or more where there is none. */
function nextLikely(words: Int32Array, from: number, step: number, likely: Uint8Array): number {
  let at = from;
  while (at < words.length && likely[hashOf(words[at] as number)] === 0) at += step;
  return at;
}

function hashOf(word: number): number {
  return Math.imul(word, 0x9e3779b1) >>> (32 - hashBits);
}

const scratch = new Int32Array(1);
const scratchBytes = new Uint8Array(scratch.buffer);

/** Four bytes as a typed array of this machine shows them. */
function wordAt(bytes: Uint8Array, at: number): number {
  for (let i = 0; i < wordBytes; i += 1) scratchBytes[i] = bytes[at + i] as number;
  return scratch[0] as number;
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
