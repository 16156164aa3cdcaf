/** A transition that was not met yet. */
const unknown = -0x80000000;
/** Rows have 128 places, so that a state is the offset of its row. */
const width = 128;
const shift = 7;
/** ASCII without regard to case; all else is one class. */
const classes = Uint8Array.from({ length: 256 }, (_, code) =>
  code >= 0x41 && code <= 0x5a ? code + 32 : code < 128 ? code : 0,
);

/**
 * Finds many literal texts at once, without regard to ASCII case, in bytes or characters (Aho and Corasick, 1975).
 * One table look-up a byte, whatever the number of literals. The table is filled where the input leads: a short text
 * does not pay for thousands of literals that it never comes near, and a long one works on few, close rows.
 */
export class LiteralFinder {
  readonly literals: readonly string[];

  // The trie of the literals, opened where the input leads: a state is the literals that share its text.
  private readonly members: number[][] = [];
  private readonly depths: number[] = [];
  private readonly parents: number[] = [];
  private readonly codes: number[] = [];
  private readonly fallbacks: number[] = [];
  private readonly children: (Int32Array | undefined)[] = [];
  private readonly own: (readonly number[])[] = [];

  // The table: a row for each state that was met. The sign of a transition says whether a literal ends there.
  private next: Int32Array;
  private readonly rowOf: (number | undefined)[] = [];
  private readonly stateOf: number[] = [];
  private readonly ends: (readonly number[])[] = [];

  /** @param literals lower-case texts; ASCII characters only are told apart, others count as one class */
  constructor(literals: readonly string[]) {
    this.literals = literals;
    this.state(
      literals.map((_, index) => index),
      0,
      0,
      0,
    );
    this.fallbacks[0] = 0;
    this.next = new Int32Array(64 * width);
    this.rowFor(0);
  }

  private state(members: number[], depth: number, parent: number, code: number): number {
    this.members.push(members);
    this.depths.push(depth);
    this.parents.push(parent);
    this.codes.push(code);
    return this.members.length - 1;
  }

  /** Children of a state by class; 0 where it has none. */
  private open(state: number): Int32Array {
    const known = this.children[state];
    if (known !== undefined) return known;
    const depth = this.depths[state]!;
    const children = new Int32Array(width);
    const own: number[] = [];
    for (const index of this.members[state]!) {
      const literal = this.literals[index]!;
      if (literal.length === depth) {
        own.push(index);
        continue;
      }
      const character = literal.charCodeAt(depth);
      const code = character < 128 ? classes[character]! : 0;
      const child = children[code]!;
      if (child === 0) children[code] = this.state([index], depth + 1, state, code);
      else this.members[child]!.push(index);
    }
    this.own[state] = own;
    this.children[state] = children;
    return children;
  }

  private goTo(state: number, code: number): number {
    for (let from = state; ; from = this.fallback(from)) {
      const to = this.open(from)[code]!;
      if (to !== 0 || from === 0) return to;
    }
  }

  /** The state of the longest proper end of a state's text that starts a literal. */
  private fallback(state: number): number {
    const known = this.fallbacks[state];
    if (known !== undefined) return known;
    const parent = this.parents[state]!;
    const found = parent === 0 ? 0 : this.goTo(this.fallback(parent), this.codes[state]!);
    this.fallbacks[state] = found;
    return found;
  }

  private rowFor(state: number): number {
    const known = this.rowOf[state];
    if (known !== undefined) return known;
    const row = this.stateOf.length;
    if ((row + 1) * width > this.next.length) this.next = grown(this.next);
    this.next.fill(unknown, row * width, (row + 1) * width);
    this.rowOf[state] = row;
    this.stateOf.push(state);
    const ends: number[] = [];
    for (let from = state; from !== 0; from = this.fallback(from)) {
      this.open(from);
      ends.push(...this.own[from]!);
    }
    this.ends.push(ends);
    return row;
  }

  /** Works out a transition that was not met before. */
  private fillIn(row: number, code: number): number {
    const to = this.rowFor(this.goTo(this.stateOf[row]!, code));
    const value = this.ends[to]!.length === 0 ? to * width : -to * width;
    this.next[row * width + code] = value;
    return value;
  }

  /**
   * Literals of a text, each once for every place where it ends.
   * @param found takes the index of each literal
   */
  inText(text: string, found: (literal: number) => void): void {
    const { ends } = this;
    let next = this.next;
    let at = 0;
    for (let i = 0; i < text.length; i++) {
      const character = text.charCodeAt(i);
      const code = character < 128 ? classes[character]! : 0;
      let to = next[at + code]!;
      if (to < 0) {
        if (to === unknown) {
          to = this.fillIn(at >> shift, code);
          next = this.next;
        }
        if (to < 0) {
          to = -to;
          for (const literal of ends[to >> shift]!) found(literal);
        }
      }
      at = to;
    }
  }

  /**
   * Places in bytes where literals end, in four parts that are read side by side: each byte of a part waits for the
   * one before it, so that one part alone leaves the processor idle.
   * @param bytes all four parts
   * @param starts where the second, third and fourth part start, in order
   * @param state what each part starts from
   * @param hits takes the places of each part
   */
  scan(bytes: Uint8Array, starts: readonly [number, number, number], state: number, hits: Lanes): void {
    const [second, third, fourth] = starts;
    const lengths = [second, third - second, fourth - third, bytes.length - fourth] as const;
    const both = Math.min(...lengths);
    for (const [lane, each] of hits.entries()) each.makeRoom(lengths[lane]!);
    const [{ places: places0, states: states0 }, { places: places1, states: states1 }] = hits;
    const [, , { places: places2, states: states2 }, { places: places3, states: states3 }] = hits;
    let [count0, count1, count2, count3] = [hits[0].count, hits[1].count, hits[2].count, hits[3].count];
    let [a, b, c, d] = [state, state, state, state];
    // Written out, without calls: this loop runs once for every byte of a log. A transition that is not known yet leaves
    // it, so that the table is a constant inside.
    for (let i = 0; i < both;) {
      const { next } = this;
      let w = 0;
      let x = 0;
      let y = 0;
      let z = 0;
      for (; i < both; i++) {
        w = next[a + classes[bytes[i]!]!]!;
        x = next[b + classes[bytes[second + i]!]!]!;
        y = next[c + classes[bytes[third + i]!]!]!;
        z = next[d + classes[bytes[fourth + i]!]!]!;
        if ((w | x | y | z) < 0) {
          if (w === unknown || x === unknown || y === unknown || z === unknown) break;
          if (w < 0) {
            w = -w;
            places0[count0] = i;
            states0[count0++] = w;
          }
          if (x < 0) {
            x = -x;
            places1[count1] = second + i;
            states1[count1++] = x;
          }
          if (y < 0) {
            y = -y;
            places2[count2] = third + i;
            states2[count2++] = y;
          }
          if (z < 0) {
            z = -z;
            places3[count3] = fourth + i;
            states3[count3++] = z;
          }
        }
        a = w;
        b = x;
        c = y;
        d = z;
      }
      if (i === both) break;
      if (w === unknown) this.fillIn(a >> shift, classes[bytes[i]!]!);
      if (x === unknown) this.fillIn(b >> shift, classes[bytes[second + i]!]!);
      if (y === unknown) this.fillIn(c >> shift, classes[bytes[third + i]!]!);
      if (z === unknown) this.fillIn(d >> shift, classes[bytes[fourth + i]!]!);
    }
    [hits[0].count, hits[1].count, hits[2].count, hits[3].count] = [count0, count1, count2, count3];
    this.scanPart(bytes, both, second, a, hits[0]);
    this.scanPart(bytes, second + both, third, b, hits[1]);
    this.scanPart(bytes, third + both, fourth, c, hits[2]);
    this.scanPart(bytes, fourth + both, bytes.length, d, hits[3]);
  }

  /**
   * Places in one stretch of bytes where literals end.
   * @param state what the stretch starts from: 0, or what the stretch before it gave
   * @param hits takes the places; they must have room
   * @returns the state at its end
   */
  scanPart(bytes: Uint8Array, from: number, to: number, state: number, hits: Hits): number {
    let at = state;
    for (let i = from; i < to; i++) {
      const code = classes[bytes[i]!]!;
      let next = this.next[at + code]!;
      if (next === unknown) next = this.fillIn(at >> shift, code);
      if (next < 0) hits.add(i, (next = -next));
      at = next;
    }
    return at;
  }

  /** Literals that end in a state that `scan` gave. */
  endsIn(state: number): readonly number[] {
    return this.ends[state >> shift]!;
  }
}

/** Hits of four parts that are read side by side. */
export type Lanes = readonly [Hits, Hits, Hits, Hits];

/** Places where literals end, and the state that says which. */
export class Hits {
  count = 0;
  places: Int32Array = new Int32Array(1024);
  states: Int32Array = new Int32Array(1024);

  add(place: number, state: number): void {
    this.places[this.count] = place;
    this.states[this.count++] = state;
  }

  /** Makes sure that so many more fit. */
  makeRoom(more: number): void {
    while (this.places.length < this.count + more) {
      this.places = grown(this.places);
      this.states = grown(this.states);
    }
  }
}

function grown(list: Int32Array): Int32Array {
  const more = new Int32Array(list.length * 2);
  more.set(list);
  return more;
}
