const operations: readonly (readonly [RegExp, string])[] = [
  [/AllReduce/i, 'allreduce'],
  [/AllGather/i, 'allgather'],
  [/ReduceScatter/i, 'reducescatter'],
  [/AllToAll/i, 'alltoall'],
  [/Broadcast|Bcast/i, 'broadcast'],
  [/SendRecv/i, 'sendrecv'],
  [/Reduce/i, 'reduce'],
];

/** The operation that a kernel of NCCL or RCCL carries out, from `ncclDevKernel_AllReduce_Sum_f16_RING_LL`; null where its name does not say. */
export function operationOfKernel(name: string): string | null {
  const head = name.slice(0, 120);
  return operations.find(([pattern]) => pattern.test(head))?.[1] ?? null;
}

/** `all_reduce`, `_allreduce_base` and `allreduce` are one. */
export function operationOfArgument(text: string): string {
  const plain = text.toLowerCase().replaceAll('_', '').replace(/base$/, '');
  return /^[a-z]{3,40}$/.test(plain) ? plain : text.slice(0, 60);
}

export function isCollectiveKernel(name: string): boolean {
  return /^(?:void )?(?:nccl|rccl)/i.test(name);
}
