import type { ClusterFlags } from './kubectl.ts';
import { clusterOf, get } from './kubectl.ts';
import { kubernetesName } from './names.ts';
import { TargetError } from './transport.ts';

const limitMs = 15_000;

/**
 * Objects of the API for nodes of the current cluster, by the user's own kubectl.
 * @param name of one node; null for all
 * @throws TargetError where the cluster does not answer, or there is no such node
 */
export async function clusterNodes(name: string | null, flags: ClusterFlags): Promise<unknown> {
  const cluster = clusterOf(flags);
  const args = name === null ? ['nodes'] : ['node', kubernetesName(name, 'node')];
  const { value, failure } = await get(cluster, 'kubectl-node', args, limitMs);
  if (failure !== null || value === null)
    throw new TargetError(
      `${name === null ? 'the nodes' : `node ${name}`} could not be read: ${failure ?? 'no answer'}`,
      'kubectl get nodes',
    );
  return value;
}
