import { existsSync } from 'node:fs';
import { readInputs } from '@culprit/collect';
import { clusterNodes, TargetError } from '@culprit/collect/transports';
import { isYamlProblem, readYaml } from '@culprit/collect/yaml';
import { readFacts } from '@culprit/core/diagnose/diagnose';
import { recogniserOf } from '@culprit/core/diagnose/recognise';
import type { Node } from '@culprit/core/image/model';
import type { NodeError, NodesRead } from '@culprit/core/image/node';
import { isNodeText, nodeOfText, nodesOfValue } from '@culprit/core/image/node';
import { nodeOfFacts } from '@culprit/core/image/node-of-facts';
import { parsers } from '@culprit/core/parse/parsers';
import type { NodePlace } from '@culprit/core/report/image-ci';
import { Condenser } from '@culprit/core/text/condense';
import type { Call } from './commands/command.ts';
import { toolError, usageError } from './errors.ts';
import { readBounded } from './read-bounded.ts';

/** A node of `--on`, and where it was written down. */
export interface PlacedNode {
  readonly node: Node;
  readonly place: NodePlace | null;
}

const mostNodes = 1000;

/** Every node that `--on` names, in order. */
export async function nodesOf(values: readonly string[], call: Call): Promise<readonly PlacedNode[]> {
  const nodes: PlacedNode[] = [];
  for (const value of values) nodes.push(...(await nodesOfOne(value, call)));
  if (nodes.length > mostNodes)
    throw usageError('bad-value', `--on names ${nodes.length} nodes; ${mostNodes} are the most`);
  return nodes;
}

async function nodesOfOne(value: string, call: Call): Promise<readonly PlacedNode[]> {
  if (value.startsWith('node/') || (value === 'nodes' && !existsSync(value)))
    return ofCluster(value === 'nodes' ? null : value.slice(5), call);
  if (isNodeText(value) && !existsSync(value)) return placed(nodeOfText(value, '--on'), () => null);
  return ofFile(value, call);
}

async function ofCluster(name: string | null, call: Call): Promise<readonly PlacedNode[]> {
  if (call.flags['offline'] === true)
    throw usageError(
      'bad-value',
      '--offline: the nodes of a cluster cannot be asked',
      'kubectl get nodes -o json > nodes.json',
    );
  const flag = (key: string): string | undefined => {
    const value = call.flags[key];
    return typeof value === 'string' ? value : undefined;
  };
  try {
    const value = await clusterNodes(name, { context: flag('context'), kubeconfig: flag('kubeconfig') });
    return placed(nodesOfValue(value, name === null ? 'nodes' : `node/${name}`), () => null);
  } catch (error) {
    if (error instanceof TargetError) throw toolError('not-probed', error.message, error.hint);
    throw error;
  }
}

async function ofFile(file: string, call: Call): Promise<readonly PlacedNode[]> {
  let text: string;
  try {
    text = readBounded(file);
  } catch (error) {
    throw usageError(
      'bad-value',
      `--on ${file}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file, and it is no key=value' : (error as Error).message}`,
      'driver=535.104.05,gpu=H100,toolkit=1.17.8,mode=legacy, or a file of nodes',
    );
  }
  const named = /\.(?:ya?ml|json)$/i.test(file);
  if (!isSnapshot(text)) {
    const read = readYaml(text);
    if (!isYamlProblem(read) && typeof read.value === 'object' && read.value !== null) {
      return placed(nodesOfValue(read.value, file), (at, node) => {
        const list = Array.isArray(read.value) ? [] : ['nodes'];
        const line =
          read.lineOf([...list, at]) ?? (node.name === undefined ? null : read.lineOf([...list, node.name])) ?? 1;
        return { file, line };
      });
    }
    if (named)
      throw usageError(
        'bad-value',
        isYamlProblem(read) ? `--on ${file}, line ${read.line}: ${read.message}` : `--on ${file} holds no nodes`,
        'a list of nodes, each with keys as driver, gpu, toolkit, mode',
      );
  }
  return [await ofSnapshot(file, call)];
}

function isSnapshot(text: string): boolean {
  return (
    text.includes('@culprit-probe ') ||
    (text.slice(0, 256).trimStart().startsWith('{') && text.includes('"culprit/snapshot@1"'))
  );
}

/** What `culprit check --save` wrote, or any text that shows a machine. */
async function ofSnapshot(file: string, call: Call): Promise<PlacedNode> {
  const knowledge = await call.knowledge();
  const recogniser = recogniserOf(knowledge.signatures, parsers);
  const { documents, unreadable } = await readInputs(
    [file],
    (name, allowance) => new Condenser(recogniser, name, allowance),
  );
  const [wrong] = unreadable;
  if (wrong !== undefined) throw toolError('no-input', `--on ${file} could not be read: ${wrong.reason}`, wrong.hint);
  const node = nodeOfFacts(readFacts(documents, knowledge).everything(), file.replace(/^.*\//, ''));
  if (node.driver === undefined && node.gpu === undefined)
    throw usageError(
      'bad-value',
      `--on ${file} shows neither a driver nor a GPU`,
      'culprit check --save FILE on the node writes one that does',
    );
  return { node, place: { file, line: 1 } };
}

function placed(read: NodesRead, placeOf: (at: number, node: Node) => NodePlace | null): readonly PlacedNode[] {
  const [first, ...others] = read.errors;
  if (first !== undefined)
    throw usageError('bad-value', [first, ...others.slice(0, 4)].map(errorWords).join('; '), first.hint);
  if (read.nodes.length === 0) throw usageError('bad-value', '--on names no node', 'driver=535.104.05,gpu=H100');
  return read.nodes.map((node, at) => ({ node, place: placeOf(at, node) }));
}

function errorWords(error: NodeError): string {
  return `${error.place}: ${error.message}`;
}
