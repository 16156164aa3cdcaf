import { Running } from './running.ts';

/** A power that leaves its mean by this part is of another state. */
const otherPower = 0.05;

/**
 * The last stretch of a series in which a GPU is fully used while nothing else moves: no memory, no tensor cores, no
 * traffic, and flat power. What came before it is forgotten.
 */
export class StillWatch {
  /** Samples, and their power. */
  count = 0;
  power: Running = new Running();
  private readonly quietRate: number;

  constructor(quietRate: number) {
    this.quietRate = quietRate;
  }

  /** Takes a sample; NaN is unknown. Without the use of the memory nothing can be said of it. */
  take(load: number, memory: number, tensor: number, traffic: number, power: number): void {
    if (load < 99 || memory > 1 || tensor > 1 || traffic > this.quietRate) {
      this.restart();
      return;
    }
    if (memory !== memory || power !== power) return;
    if (this.power.count >= 3 && Math.abs(power - this.power.mean) > otherPower * this.power.mean) this.restart();
    this.power.add(power);
    this.count++;
  }

  private restart(): void {
    if (this.count === 0) return;
    this.count = 0;
    this.power = new Running();
  }
}
