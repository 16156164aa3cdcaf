import type { Stack } from '@culprit/core/report/stack/stack-of';

/** What the last diagnosis of this visit knew of the stack; kept in memory only. */
export const lastDiagnosis: { stack: Stack | null; headline: string | null } = { stack: null, headline: null };
