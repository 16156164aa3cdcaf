/**
 * Finds many literal texts at once, without regard to ASCII case, in bytes or characters (Aho and Corasick, 1975).
 * One table look-up a byte, whatever the number of literals.
 */
export class LiteralFinder {
  private readonly next: Int32Array;
  private readonly classes: Uint8Array;
  private readonly width: number;
  /** Literals that end in a state, as indices into the list given; empty for most states. */
  private readonly ends: readonly (readonly number[] | undefined)[];
  readonly literals: readonly string[];

  /** @param literals lower-case texts; ASCII characters only are told apart, others count as one class */
  constructor(literals: readonly string[]) {
    this.literals = literals;
    const classes = new Uint8Array(256);
    let classCount = 1;
    for (const literal of literals) {
      for (let i = 0; i < literal.length; i++) {
        const code = literal.charCodeAt(i) & 0xff;
        if (code < 128 && classes[code] === 0) classes[code] = classCount++;
      }
    }
    for (let upper = 0x41; upper <= 0x5a; upper++) classes[upper] = classes[upper + 32]!;
    this.classes = classes;
    let width = 1;
    while (width < classCount) width *= 2;
    this.width = width;

    const goto: Int32Array[] = [new Int32Array(width).fill(-1)];
    const ends: (number[] | undefined)[] = [undefined];
    for (const [index, literal] of literals.entries()) {
      let state = 0;
      for (let i = 0; i < literal.length; i++) {
        const code = classes[literal.charCodeAt(i) & 0xff]!;
        let to = goto[state]![code]!;
        if (to < 0) {
          to = goto.length;
          goto.push(new Int32Array(width).fill(-1));
          ends.push(undefined);
          goto[state]![code] = to;
        }
        state = to;
      }
      (ends[state] ??= []).push(index);
    }

    const states = goto.length;
    const next = new Int32Array(states * width);
    const fail = new Int32Array(states);
    const queue: number[] = [];
    for (let code = 0; code < width; code++) {
      const to = goto[0]![code]!;
      if (to > 0) queue.push(to);
      next[code] = to > 0 ? to : 0;
    }
    for (let head = 0; head < queue.length; head++) {
      const state = queue[head]!;
      const back = fail[state]!;
      const inherited = ends[back];
      if (inherited !== undefined) ends[state] = [...(ends[state] ?? []), ...inherited];
      for (let code = 0; code < width; code++) {
        const to = goto[state]![code]!;
        const over = next[back * width + code]!;
        if (to >= 0) {
          fail[to] = over;
          next[state * width + code] = to;
          queue.push(to);
        } else {
          next[state * width + code] = over;
        }
      }
    }
    // The sign of a transition says whether a literal ends there, so that the loop needs one look-up only.
    for (let i = 0; i < next.length; i++) {
      const to = next[i]!;
      next[i] = ends[to] === undefined ? to * width : -to * width;
    }
    this.next = next;
    this.ends = ends;
  }

  /**
   * Literals of a text, each once.
   * @param found takes the index of each literal
   */
  inText(text: string, found: (literal: number) => void): void {
    const { next, classes, width, ends } = this;
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const to = next[state + (code < 128 ? classes[code]! : 0)]!;
      if (to < 0) {
        for (const literal of ends[-to / width]!) found(literal);
        state = -to;
      } else {
        state = to;
      }
    }
  }

  /**
   * Literals in bytes.
   * @param state state that the bytes before left behind; 0 at the start
   * @param found takes the index of a literal and the offset of its last byte
   * @returns the state to go on with
   */
  inBytes(bytes: Uint8Array, state: number, found: (literal: number, end: number) => void): number {
    const { next, classes, width, ends } = this;
    const length = bytes.length;
    let at = state;
    for (let i = 0; i < length; i++) {
      const to = next[at + classes[bytes[i]!]!]!;
      if (to < 0) {
        at = -to;
        for (const literal of ends[at / width]!) found(literal, i);
      } else {
        at = to;
      }
    }
    return at;
  }
}
