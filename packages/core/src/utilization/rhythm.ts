import { Running } from './running.ts';

/** Levels between which a GPU is neither at work nor waiting. */
const [low, high] = [15, 60];

/** How a GPU goes up and down: stretches of work and of waiting. */
export interface Rhythm {
  readonly waits: number;
  /** Samples in waits that had work before and after them. */
  readonly waiting: number;
  readonly longestWait: number;
  /** From the start of a wait to that of the next. */
  readonly period: Running;
  /** Samples before the first work, and after the last. */
  readonly before: number;
  readonly after: number;
  readonly samples: number;
}

/** Follows the utilisation of one table, sample by sample. */
export class RhythmWatch {
  private working: boolean | null = null;
  private stretchFrom = 0;
  private samples = 0;
  private lastWork = -1;
  private firstWork = -1;
  private waits = 0;
  private waiting = 0;
  private longestWait = 0;
  private waitStart = -1;
  private readonly period = new Running();
  private pairs = 0;
  private meanUtil = 0;
  private meanCopies = 0;
  private together = 0;
  private utilSquares = 0;
  private copySquares = 0;

  /** Takes the utilisation of the next sample, and what PCIe carried in it (NaN where that is not known). */
  take(load: number, copies: number): void {
    const now = this.samples++;
    if (copies === copies) {
      this.pairs++;
      const [offUtil, offCopies] = [load - this.meanUtil, copies - this.meanCopies];
      this.meanUtil += offUtil / this.pairs;
      this.meanCopies += offCopies / this.pairs;
      this.together += offUtil * (copies - this.meanCopies);
      this.utilSquares += offUtil * (load - this.meanUtil);
      this.copySquares += offCopies * (copies - this.meanCopies);
    }
    if (load >= high) {
      if (this.working === false && this.firstWork >= 0) {
        const lasted = now - this.stretchFrom;
        this.waits++;
        this.waiting += lasted;
        if (lasted > this.longestWait) this.longestWait = lasted;
      }
      if (this.working !== true) this.stretchFrom = now;
      this.working = true;
      if (this.firstWork < 0) this.firstWork = now;
      this.lastWork = now;
    } else if (load <= low) {
      if (this.working === true) {
        if (this.waitStart >= 0) this.period.add(now - this.waitStart);
        this.waitStart = now;
      }
      if (this.working !== false) this.stretchFrom = now;
      this.working = false;
    } else if (this.working === true) this.lastWork = now;
  }

  get rhythm(): Rhythm {
    return {
      waits: this.waits,
      waiting: this.waiting,
      longestWait: this.longestWait,
      period: this.period,
      before: Math.max(0, this.firstWork),
      after: this.firstWork < 0 ? 0 : this.samples - 1 - this.lastWork,
      samples: this.samples,
    };
  }

  /** How utilisation and PCIe traffic go together: -1 take turns, 1 rise together; null where not both are known. */
  get turns(): number | null {
    const size = Math.sqrt(this.utilSquares * this.copySquares);
    return this.pairs < 10 || size < 1e-9 ? null : this.together / size;
  }
}
