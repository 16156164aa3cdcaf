import type { Layer, Owner, Status } from '../model/layer.ts';

/** One thing that can be wrong (or be found right); the last part of a rule's id. Ids stay for ever. */
export interface CauseRow {
  readonly cause: string;
  /** Coarse group of related causes. */
  readonly class: string;
  /** The layer that is to blame; null where nothing is wrong or nothing can be told. */
  readonly layer: Layer | null;
  readonly owner: Owner;
  /** Status of a verdict that this cause leads. */
  readonly status: Status;
  readonly meaning: string;
}
