/** One row of the table of tasks, sizes in pages. */
export interface TaskRow {
  readonly pid: number;
  readonly uid: number;
  readonly totalVm: number;
  readonly resident: number;
  readonly adjust: number | null;
  readonly name: string;
}

const head = /\[ {0,4}pid {0,4}\] {1,8}uid {1,8}tgid total_vm {1,12}(rss .{0,160})$/;
const entry = /\[ {0,9}(\d{1,9})\] {1,12}(\d{1,10}) {1,12}(\d{1,10}) {1,12}(\d{1,12}) {1,12}(\d{1,12}) (.{1,200})$/;

/** Reads the table of tasks line by line; keeps the largest of them. */
export class TaskTable {
  private columns: readonly string[] | null = null;
  private count = 0;
  private resident = 0;
  private readonly rows: TaskRow[] = [];

  /** @returns true where the line belongs to the table */
  line(text: string): boolean {
    if (!text.includes('[')) return false;
    const title = head.exec(text);
    if (title !== null) {
      this.columns = title[1]!.trim().split(/ {1,20}/);
      return true;
    }
    if (this.columns === null) return false;
    const match = entry.exec(text);
    if (match === null) return false;
    const rest = match[6]!.trim();
    // `rss` is read already and `name` may hold blanks; what lies between them is numbers.
    const between = this.columns.length - 2;
    const cells = rest.split(/ {1,20}/, between);
    if (cells.some((cell) => !/^-?\d{1,18}$/.test(cell))) return false;
    const adjust = cells[this.columns.indexOf('oom_score_adj') - 1];
    const name = nameAfter(rest, between);
    if (name === '') return false;
    const row = {
      pid: Number(match[1]),
      uid: Number(match[2]),
      totalVm: Number(match[4]),
      resident: Number(match[5]),
      adjust: adjust === undefined ? null : Number(adjust),
      name,
    };
    this.count++;
    this.resident += row.resident;
    if (this.rows.length < 4096) this.rows.push(row);
    return true;
  }

  row(pid: number): TaskRow | null {
    return this.rows.find((row) => row.pid === pid) ?? null;
  }

  /** What the tasks hold; null where there was no table. Shared pages are counted with every task that maps them. */
  summary(pageKiB: number): {
    readonly count: number;
    readonly residentKiB: number;
    readonly largest: readonly { readonly pid: number; readonly name: string; readonly residentKiB: number }[];
  } | null {
    if (this.count === 0) return null;
    const largest = [...this.rows]
      .sort((a, b) => b.resident - a.resident)
      .slice(0, 3)
      .map((row) => ({ pid: row.pid, name: row.name, residentKiB: row.resident * pageKiB }));
    return { count: this.count, residentKiB: this.resident * pageKiB, largest };
  }
}

/** What stands behind the first `cells` cells of a row. */
function nameAfter(rest: string, cells: number): string {
  let at = 0;
  for (let cell = 0; cell < cells; cell++) {
    const blank = rest.indexOf(' ', at);
    if (blank < 0) return '';
    at = blank;
    while (rest[at] === ' ') at++;
  }
  return rest.slice(at).trim();
}
