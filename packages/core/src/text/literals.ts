const unknown = -0x80000000;

/**
 * Finds many literal texts at once, without regard to ASCII case, in bytes or characters (Aho and Corasick, 1975).
 * One table look-up a byte, whatever the number of literals. The table is filled where the input leads: a short text
 * does not pay for thousands of literals that it never comes near, and a long one works on few, close rows.
 */
export class LiteralFinder {
  readonly literals: readonly string[];
  private readonly classes: Uint8Array = new Uint8Array(256);
  private readonly width: number;

  // The trie of the literals: a state's children as a linked list; fallbacks and ends are worked out when needed.
  private readonly firstChild: Int32Array;
  private readonly sibling: Int32Array;
  private readonly parent: Int32Array;
  private readonly codeOf: Uint8Array;
  private readonly fallbacks: Int32Array;
  private readonly own: Map<number, number[]> = new Map<number, number[]>();

  // The table: a row for each state that was met. The sign of a transition says whether a literal ends there.
  private next: Int32Array;
  private rows = 0;
  private readonly rowOf: Int32Array;
  private readonly stateOf: number[] = [];
  private readonly ends: (readonly number[])[] = [];

  /** @param literals lower-case texts; ASCII characters only are told apart, others count as one class */
  constructor(literals: readonly string[]) {
    this.literals = literals;
    const { classes } = this;
    let classCount = 1;
    let mostStates = 1;
    for (const literal of literals) {
      mostStates += literal.length;
      for (let i = 0; i < literal.length; i++) {
        const code = literal.charCodeAt(i);
        if (code < 128 && classes[code] === 0) classes[code] = classCount++;
      }
    }
    for (let upper = 0x41; upper <= 0x5a; upper++) classes[upper] = classes[upper + 32]!;
    let width = 1;
    while (width < classCount) width *= 2;
    this.width = width;

    this.firstChild = new Int32Array(mostStates);
    this.sibling = new Int32Array(mostStates);
    this.parent = new Int32Array(mostStates);
    this.codeOf = new Uint8Array(mostStates);
    this.fallbacks = new Int32Array(mostStates).fill(-1);
    this.rowOf = new Int32Array(mostStates).fill(-1);
    this.fallbacks[0] = 0;
    let states = 1;
    for (let index = 0; index < literals.length; index++) {
      const literal = literals[index]!;
      let state = 0;
      for (let i = 0; i < literal.length; i++) {
        const code = this.classOf(literal.charCodeAt(i));
        let to = this.child(state, code);
        if (to === 0) {
          to = states++;
          this.parent[to] = state;
          this.codeOf[to] = code;
          this.sibling[to] = this.firstChild[state]!;
          this.firstChild[state] = to;
        }
        state = to;
      }
      const ends = this.own.get(state);
      if (ends === undefined) this.own.set(state, [index]);
      else ends.push(index);
    }
    this.next = new Int32Array(64 * width);
    this.rowFor(0);
  }

  private classOf(character: number): number {
    return character < 128 ? this.classes[character]! : 0;
  }

  /** The child of a state by a class; 0 where it has none. */
  private child(state: number, code: number): number {
    let to = this.firstChild[state]!;
    while (to !== 0 && this.codeOf[to] !== code) to = this.sibling[to]!;
    return to;
  }

  private goTo(state: number, code: number): number {
    for (let from = state; ; from = this.fallback(from)) {
      const to = this.child(from, code);
      if (to !== 0 || from === 0) return to;
    }
  }

  /** The state of the longest proper end of a state's text that starts a literal. */
  private fallback(state: number): number {
    const known = this.fallbacks[state]!;
    if (known >= 0) return known;
    const parent = this.parent[state]!;
    const found = parent === 0 ? 0 : this.goTo(this.fallback(parent), this.codeOf[state]!);
    this.fallbacks[state] = found;
    return found;
  }

  private rowFor(state: number): number {
    const known = this.rowOf[state]!;
    if (known >= 0) return known;
    const row = this.rows++;
    if (this.rows * this.width > this.next.length) {
      const grown = new Int32Array(this.next.length * 2);
      grown.set(this.next);
      this.next = grown;
    }
    this.next.fill(unknown, row * this.width, (row + 1) * this.width);
    this.rowOf[state] = row;
    this.stateOf.push(state);
    const ends: number[] = [];
    for (let from = state; from !== 0; from = this.fallback(from)) ends.push(...(this.own.get(from) ?? []));
    this.ends.push(ends);
    return row;
  }

  /** Works out a transition that was not met before. */
  private fillIn(row: number, code: number): number {
    const to = this.rowFor(this.goTo(this.stateOf[row]!, code));
    const value = this.ends[to]!.length === 0 ? to * this.width : -to * this.width;
    this.next[row * this.width + code] = value;
    return value;
  }

  /**
   * Literals of a text, each once for every place where it ends.
   * @param found takes the index of each literal
   */
  inText(text: string, found: (literal: number) => void): void {
    const { classes, width, ends } = this;
    let next = this.next;
    let at = 0;
    for (let i = 0; i < text.length; i++) {
      const character = text.charCodeAt(i);
      const code = character < 128 ? classes[character]! : 0;
      let to = next[at + code]!;
      if (to < 0) {
        if (to === unknown) {
          to = this.fillIn(at / width, code);
          next = this.next;
        }
        if (to < 0) {
          to = -to;
          for (const literal of ends[to / width]!) found(literal);
        }
      }
      at = to;
    }
  }

  /**
   * Literals in bytes.
   * @param state state that the bytes before left behind; 0 at the start
   * @param found takes the index of a literal and the offset of its last byte
   * @returns the state to go on with
   */
  inBytes(bytes: Uint8Array, state: number, found: (literal: number, end: number) => void): number {
    const { classes, width, ends } = this;
    let next = this.next;
    const length = bytes.length;
    let at = state;
    for (let i = 0; i < length; i++) {
      const code = classes[bytes[i]!]!;
      let to = next[at + code]!;
      if (to < 0) {
        if (to === unknown) {
          to = this.fillIn(at / width, code);
          next = this.next;
        }
        if (to < 0) {
          to = -to;
          const here = ends[to / width]!;
          for (let each = 0; each < here.length; each++) found(here[each]!, i);
        }
      }
      at = to;
    }
    return at;
  }
}
