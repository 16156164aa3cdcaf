
/** Whether processes are listed under a name (UUID, bus address) that leads to no series: they may be those of any GPU. */
function hasUnplaced(set: SeriesSet): boolean {
  return [...set.processes.keys()].some((id) => /^GPU-|^\?$|^[\da-f]{4}:/i.test(id) && !set.gpus.has(id));
}
