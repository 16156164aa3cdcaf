const epochFrom = 1e8;

/** A time of a series as it can be said: a date, a clock, or the number of a sample where nothing had a clock. */
export function momentOf(seconds: number, counted: boolean): string {
  if (!Number.isFinite(seconds)) return 'at a time that is not known';
  if (seconds >= epochFrom) return new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ');
  if (counted) return `sample ${Math.round(seconds)}`;
  const days = Math.floor(seconds / 86_400);
  const clock = new Date(Math.floor(seconds % 86_400) * 1000).toISOString().slice(11, 19);
  return days > 0 ? `${clock} of day ${days + 1}` : clock;
}

/** When something became so: after the one sample, by the other. */
export function spanOf(since: number, by: number, counted: boolean): string {
  return since === by
    ? `at ${momentOf(by, counted)}`
    : `between ${momentOf(since, counted)} and ${momentOf(by, counted)}`;
}
