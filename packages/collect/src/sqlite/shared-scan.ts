/*
 * One table that two threads read together. It is cut into parts of equally many row numbers. Each thread claims the
 * next part that is free; the helper puts its rows into one of a few blocks of shared memory, from which the leader takes
 * them in the order of the table. The leader never waits for a part that it could read itself, and reads again what the
 * helper could not: how a table breaks off is what one thread alone would say.
 */

/** Rows of one part; a block of a wide table is 300 kB. */
export const rowsOfPart = 2048;
const blocks = 4;

/** Places of the counts: blocks filled and taken, 1 where nobody takes the rest, and the rows of each block. */
const [filled, taken, cancelled, rowsOf] = [0, 1, 2, 3];
const countsLength = rowsOf + blocks;
/** Stands for the rows of a block whose part could not be read. */
const unread = -1;

const [isFree, ofLeader, ofHelper] = [0, 1, 2];

/** Reads a part of the table into `row`, row by row. */
type Read = (first: number, last: number, each: () => void) => void;

/** What a thread needs to join a scan. */
export interface ScanMemory {
  readonly shared: SharedArrayBuffer;
  readonly parts: number;
  readonly columns: number;
}

/** @param last number of the last row */
export function scanMemory(last: number, columns: number): ScanMemory {
  const parts = Math.ceil(last / rowsOfPart);
  const owners = Math.ceil(parts / 4) * 4;
  const head = Math.ceil((countsLength * 4 + owners) / 8) * 8;
  return { shared: new SharedArrayBuffer(head + blocks * rowsOfPart * columns * 8), parts, columns };
}

class Side {
  protected readonly parts: number;
  protected readonly columns: number;
  protected readonly counts: Int32Array;
  protected readonly owners: Uint8Array;
  protected readonly rows: Float64Array;

  constructor({ shared, parts, columns }: ScanMemory) {
    this.parts = parts;
    this.columns = columns;
    this.counts = new Int32Array(shared, 0, countsLength);
    this.owners = new Uint8Array(shared, countsLength * 4, parts);
    const size = blocks * rowsOfPart * columns * 8;
    this.rows = new Float64Array(shared, shared.byteLength - size);
  }

  /** True where a part was free and is this thread's now. */
  protected claims(part: number, owner: number): boolean {
    return Atomics.compareExchange(this.owners, part, isFree, owner) === isFree;
  }

  protected placeOf(block: number): number {
    return (block % blocks) * rowsOfPart * this.columns;
  }
}

/** A part that the leader has read before it was its turn. */
interface Kept {
  readonly rows: Float64Array;
  count: number;
  failure: { readonly error: unknown } | null;
}

/** The thread that takes all rows in their order. */
export class Leader extends Side {
  readonly #row: Float64Array;
  readonly #each: () => void;
  readonly #read: Read;
  readonly #kept = new Map<number, Kept>();
  readonly #spare: Float64Array[] = [];
  /** Parts before this one are claimed. */
  #next = 0;

  /** @param row is filled before each call of `each` */
  constructor(memory: ScanMemory, row: Float64Array, each: () => void, read: Read) {
    super(memory);
    this.#row = row;
    this.#each = each;
    this.#read = read;
  }

  /**
   * @param within milliseconds that a part of the helper may take; then it is read here
   * @throws what `read` throws, after the rows that could be read
   */
  run(within: number): void {
    const { counts } = this;
    let block = 0;
    for (let part = 0; part < this.parts; part++) {
      const kept = this.#kept.get(part);
      if (kept !== undefined) {
        this.#kept.delete(part);
        this.#hand(kept.rows, 0, kept.count);
        this.#spare.push(kept.rows);
        if (kept.failure !== null) throw kept.failure.error;
        continue;
      }
      if (this.claims(part, ofLeader) || !this.#hasCome(block, within)) {
        this.#readNow(part);
        continue;
      }
      const rows = Atomics.load(counts, rowsOf + (block % blocks));
      if (rows === unread) this.#readNow(part);
      else this.#hand(this.rows, this.placeOf(block), rows);
      block++;
      Atomics.store(counts, taken, block);
      Atomics.notify(counts, taken);
    }
  }

  /** Reads a part and hands it on at once; numbers that come more than once in a damaged table count as elsewhere. */
  #readNow(part: number): void {
    let count = 0;
    this.#read(...boundsOf(part), () => {
      if (count === rowsOfPart) return;
      count++;
      this.#each();
    });
  }

  /** Tells the helper that nobody takes the rest. */
  cancel(): void {
    Atomics.store(this.counts, cancelled, 1);
    Atomics.add(this.counts, taken, blocks);
    Atomics.notify(this.counts, taken);
  }

  #hand(rows: Float64Array, from: number, count: number): void {
    const { columns } = this;
    const row = this.#row;
    let place = from;
    for (let index = 0; index < count; index++) {
      for (let column = 0; column < columns; column++) row[column] = rows[place++]!;
      this.#each();
    }
  }

  /** Waits for a block of the helper, and reads later parts meanwhile; false where it does not come. */
  #hasCome(block: number, within: number): boolean {
    // What a helper that was given up fills later is another part.
    if (Atomics.load(this.counts, cancelled) === 1) return false;
    while (Atomics.load(this.counts, filled) <= block) {
      if (this.#readsLater()) continue;
      if (Atomics.wait(this.counts, filled, block, within) === 'timed-out') {
        // A helper that is stuck, or gone, is left alone from here on.
        this.cancel();
        return false;
      }
    }
    return true;
  }

  /** Reads the next part that is free, to be handed on later; false where there is none, or no room. */
  #readsLater(): boolean {
    if (this.#kept.size >= blocks) return false;
    while (this.#next < this.parts && !this.claims(this.#next, ofLeader)) this.#next++;
    if (this.#next === this.parts) return false;
    const rows = this.#spare.pop() ?? new Float64Array(rowsOfPart * this.columns);
    const kept: Kept = { rows, count: 0, failure: null };
    try {
      this.#read(...boundsOf(this.#next), () => {
        if (kept.count === rowsOfPart) return;
        rows.set(this.#row, kept.count * this.columns);
        kept.count++;
      });
    } catch (error) {
      kept.failure = { error };
    }
    this.#kept.set(this.#next, kept);
    return true;
  }
}

/** The thread that reads ahead. */
export class Helper extends Side {
  /** Reads parts until none is free, one fails, or nobody takes them. */
  run(row: Float64Array, read: Read): void {
    const { counts, rows, columns } = this;
    let block = 0;
    for (let part = 0; part < this.parts; part++) {
      if (Atomics.load(counts, cancelled) === 1) return;
      if (!this.claims(part, ofHelper)) continue;
      let count = 0;
      let place = this.placeOf(block);
      const [first, last] = boundsOf(part);
      try {
        read(first, last, () => {
          if (count === rowsOfPart) return;
          for (let column = 0; column < columns; column++) rows[place++] = row[column]!;
          count++;
        });
      } catch {
        count = unread;
      }
      Atomics.store(counts, rowsOf + (block % blocks), count);
      block++;
      Atomics.store(counts, filled, block);
      Atomics.notify(counts, filled);
      if (count === unread) return;
      // The next block is claimed when there is room for it.
      for (let before = Atomics.load(counts, taken); block - before >= blocks; before = Atomics.load(counts, taken))
        Atomics.wait(counts, taken, before);
    }
  }
}

function boundsOf(part: number): readonly [number, number] {
  return [part * rowsOfPart + 1, (part + 1) * rowsOfPart];
}
