import type { JSX } from 'preact';
import { stop } from '../core/client.ts';

/** How far the work is, with a button that ends it; and what went wrong. Told to screen readers. */
export function WorkState({
  busy,
  failed,
  told = null,
}: {
  /** What is being done; null where nothing is. */
  readonly busy: string | null;
  readonly failed: string | null;
  /** The answer in a sentence, for those who do not see it. */
  readonly told?: string | null;
}): JSX.Element {
  return (
    <div aria-live="polite" aria-busy={busy !== null}>
      {busy === null ? null : (
        <p class="soft row">
          <span>{busy} …</span>
          <button type="button" onClick={stop}>
            Stop
          </button>
        </p>
      )}
      {told === null ? null : <p class="unseen">{told}</p>}
      {failed === null ? null : <p role="alert">{failed}</p>}
    </div>
  );
}
