/** How the remark about the profiler's own work begins; nothing is missing from a trace for it. */
export const overheadRemark = 'the profiler itself was at work';

/** How what the tool says of its own recording begins. */
export const toolRemark = 'Nsight Systems says:';

/** True where a remark (`Trace.left`) is about how the trace was taken, and not about damage of its file. */
export function isOfRecording(left: string): boolean {
  return left.startsWith(overheadRemark) || left.startsWith(toolRemark);
}

/** True where a remark says that the trace may lack something. */
export function saysOfMissing(left: string): boolean {
  return !left.startsWith(overheadRemark);
}
