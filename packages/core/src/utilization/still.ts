import { Running } from './running.ts';

/** What leaves its mean by this part is of another state. */
const otherLevel = 0.05;
/** Work is gone below this utilisation, and back above that one. */
const [gone, back] = [15, 60];

/** A stretch in which a GPU is fully used while nothing else moves. */
export interface StillStretch {
  readonly count: number;
  /** Its power; without one the activity of its SMs. */
  readonly level: Running;
  readonly byPower: boolean;
}

/**
 * Stretches of a series in which a GPU is fully used while nothing else moves: no memory, no tensor cores, no traffic,
 * and flat power. The last one is kept, and the longest of those that ended with all work: somebody ended it.
 */
export class StillWatch implements StillStretch {
  count = 0;
  level: Running = new Running();
  byPower = true;
  ended: StillStretch | null = null;
  /** One that broke a sample or two ago: how it goes on tells whether it ended. */
  private broken: StillStretch | null = null;
  private since = 0;
  private readonly quietRate: number;

  constructor(quietRate: number) {
    this.quietRate = quietRate;
  }

  /** Takes a sample; NaN is unknown. Without the use of the memory nothing can be said of it. */
  take(load: number, memory: number, tensor: number, traffic: number, power: number, sms: number): void {
    if (this.broken !== null) this.goesOn(load);
    if (load < 99 || memory > 1 || tensor > 1 || traffic > this.quietRate) {
      if (this.count > 0) this.restart(load);
      return;
    }
    const byPower = power === power;
    const level = byPower ? power : sms;
    if (memory !== memory || level !== level) return;
    if (this.level.count > 0 && byPower !== this.byPower) {
      // A sample without its power says nothing of a stretch that has some.
      if (this.byPower) return;
      this.restart(load);
    }
    if (this.level.count >= 3 && Math.abs(level - this.level.mean) > otherLevel * this.level.mean) this.restart(load);
    this.byPower = byPower;
    this.level.add(level);
    this.count++;
  }

  private goesOn(load: number): void {
    if (load <= gone) {
      if (this.ended === null || this.broken!.count > this.ended.count) this.ended = this.broken;
      this.broken = null;
    } else if (load >= back || ++this.since > 3) this.broken = null;
  }

  private restart(load: number): void {
    this.broken = { count: this.count, level: this.level, byPower: this.byPower };
    this.since = 0;
    this.count = 0;
    this.level = new Running();
    this.goesOn(load);
  }
}
