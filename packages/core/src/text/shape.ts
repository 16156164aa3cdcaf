/** Bytes of a line that its shape takes in. */
const longest = 240;

/**
 * A number for the wording of a line, without what differs between its repetitions: words that hold a digit (ranks,
 * addresses, times, sizes) and everything that is no letter.
 */
export function shapeOf(bytes: Uint8Array, start: number, end: number): number {
  let shape = 0x811c9dc5;
  let word = 0;
  let plain = true;
  const stop = Math.min(end, start + longest);
  for (let at = start; at <= stop; at++) {
    const byte = at === stop ? 0x20 : bytes[at]!;
    const letter = byte | 0x20;
    if (letter >= 0x61 && letter <= 0x7a) word = (Math.imul(word, 31) + letter) | 0;
    else if (byte >= 0x30 && byte <= 0x39) plain = false;
    else {
      if (plain && word !== 0) shape = Math.imul(shape ^ word, 0x01000193);
      word = 0;
      plain = true;
    }
  }
  return shape >>> 0;
}

/** Wordings that are told apart, and how many lines of each count as new. */
const mostShapes = 4096;
const newOnes = 2;

/** Which wordings were met. */
export class Shapes {
  private readonly met = new Map<number, number>();

  /** True for the first lines of a wording; false once too many wordings were met. */
  isNew(shape: number): boolean {
    const count = this.met.get(shape) ?? 0;
    if (count >= newOnes || (count === 0 && this.met.size >= mostShapes)) return false;
    this.met.set(shape, count + 1);
    return true;
  }
}
