import type { Scene } from './scene.ts';

/** Into how many parts of equally many kernels a run is cut. */
const parts = 10;

/*
 * What a program does all the time against what it does when it starts. The axis is not the time but the work: a tenth of
 * the kernels is a tenth of the run, however long its first step compiles.
 */

/** When each part of a run begins, and where its work starts and ends. Times in ns. */
interface Course {
  readonly from: number;
  readonly to: number;
  /** Starts of the parts, `parts` of them; fewer kernels make fewer parts. */
  readonly starts: readonly number[];
}

const known = new WeakMap<Scene, Course>();

/** Cuts a run into parts by the kernels and graphs of a GPU. */
export function courseOf(scene: Scene): Course {
  const course = known.get(scene) ?? cut(scene);
  known.set(scene, course);
  return course;
}

function cut(scene: Scene): Course {
  const { start } = scene.trace.work;
  const { count, end, start: from } = scene.computing;
  const { computeRows: rows } = scene;
  const wanted = Math.min(parts, rows.length);
  const starts = Array.from({ length: wanted }, (_, part) => start[rows[Math.ceil((part * rows.length) / wanted)]!]!);
  return { from: count === 0 ? 0 : from[0]!, to: count === 0 ? 0 : end[count - 1]!, starts };
}

/** What one kind of event costs over the course of a run. */
export class Habit {
  readonly course: Course;
  /** Cost by part, ns. */
  readonly cost: Float64Array;
  readonly counts: Float64Array;
  /** Before the first and after the last work. */
  outsideNs = 0;
  outside = 0;
  /** Of these: before the first work. */
  beforeNs = 0;

  constructor(course: Course) {
    this.course = course;
    this.cost = new Float64Array(Math.max(1, course.starts.length));
    this.counts = new Float64Array(this.cost.length);
  }

  /** Counts an event that was at some time. */
  add(time: number, ns: number): void {
    const { from, to, starts } = this.course;
    if (time < from || time > to) {
      this.outside++;
      this.outsideNs += ns;
      if (time < from) this.beforeNs += ns;
      return;
    }
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    const part = Math.max(0, low - 1);
    this.cost[part] = this.cost[part]! + ns;
    this.counts[part] = this.counts[part]! + 1;
  }

  /** Events while work went on. */
  get count(): number {
    return this.counts.reduce((sum, each) => sum + each, 0);
  }

  /** What they cost while work went on, ns. */
  get ns(): number {
    return this.cost.reduce((sum, each) => sum + each, 0);
  }

  /** The same without the part that costs most: what is left of a habit, and nothing of a start. */
  get steadyNs(): number {
    return this.ns - this.cost.reduce((most, each) => Math.max(most, each), 0);
  }

  /** True where it goes on: half of the parts have it and bear a share of its cost. */
  get lasts(): boolean {
    const least = this.ns * 0.02;
    const bearing = this.cost.filter((each, part) => this.counts[part]! > 0 && each >= least).length;
    return this.cost.length >= 2 && bearing * 2 >= this.cost.length;
  }

  /** True where it comes back, however seldom: in three parts at least, and in none far less than in another. */
  get recurs(): boolean {
    const most = this.cost.reduce((largest, each) => Math.max(largest, each), 0);
    return most > 0 && this.cost.filter((each) => 4 * each >= most).length >= 3;
  }

  /** In how many parts it lies, none far less than in another; what comes before the first work is one too. */
  get returns(): number {
    const most = this.cost.reduce((largest, each) => Math.max(largest, each), 0);
    if (most <= 0) return 0;
    return this.cost.filter((each) => 4 * each >= most).length + Number(4 * this.beforeNs >= most);
  }

  /** True of what goes on, and of what comes back in each of a few steps. */
  get isHabit(): boolean {
    return this.lasts || this.returns >= 3;
  }

  /** True where nearly all of it lies in the first third. */
  get startsOnly(): boolean {
    const first = Math.max(1, Math.ceil(this.cost.length * 0.3));
    let ns = this.outsideNs;
    for (let part = 0; part < first; part++) ns += this.cost[part]!;
    return ns >= 0.9 * (this.ns + this.outsideNs);
  }
}
