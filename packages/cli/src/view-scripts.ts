// Scripts that draw pictures in a page. Empty in the source: the bundle puts `packages/view/src/<name>/page.ts` in, each as
// one classic script.

/** Draws the time lines of series. */
export const seriesScript: string = '';
/** Draws the time line of a trace. */
export const timelineScript: string = '';
