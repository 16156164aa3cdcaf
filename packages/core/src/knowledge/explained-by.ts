/**
 * Messages about how a cluster is set up or filled, or about what a pod asks for, and memory of the host that ran out. A
 * fault lower in the stack may come with them and has not led to them, so only a rule that names one of them explains it:
 * a `*` does not.
 */
const namedOnly: ReadonlySet<string> = new Set([
  'said.k8s-insufficient-gpu',
  'said.k8s-untolerated-taint',
  'said.k8s-topology-affinity',
  'said.k8s-image-pull',
  'said.k8s-image-arch',
  'said.k8s-runtimeclass-not-found',
  'said.k8s-shm-emptydir',
  'said.k8s-plugin-mig-config',
  'said.k8s-plugin-shared-request',
  'said.k8s-dra-claim',
  'application/container-memory-limit',
  'application/pinned-memory-host-oom',
]);

/** True when `pattern` names a rule or a message; a `*` at its end stands for any rest of what may follow from a fault. */
export function fits(pattern: string, id: string): boolean {
  if (!pattern.endsWith('*')) return pattern === id;
  return id.startsWith(pattern.slice(0, -1)) && !namedOnly.has(id);
}

/** Bus numbers (`1b:00`) of the GPUs that a line names: of an Xid, of NCCL's `busId`, of nvidia-smi. */
export function gpusIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(/\b[0-9a-f]{4,8}:([0-9a-f]{2}:[0-9a-f]{2})(?:\.[0-7])?(?![0-9a-f:])/gi))
    found.add(match[1]!.toLowerCase());
  return [...found];
}

/** False where both name GPUs and none is the same. */
export function mayBeOneGpu(a: readonly string[], b: readonly string[]): boolean {
  const first = new Set(a.flatMap(gpusIn));
  const second = b.flatMap(gpusIn);
  return first.size === 0 || second.length === 0 || second.some((each) => first.has(each));
}
