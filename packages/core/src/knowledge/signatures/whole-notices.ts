/**
 * Notices that say all there is in their lines: a cell of a report, a port that another one took the place of. No
 * failure is read from these lines, whatever words stand in them.
 */
export const wholeNotices: ReadonlySet<string> = new Set(['benign-report-cell', 'benign-port-moved']);
