// What happens when an image is started on a node: injection, the start check, compat libraries, which libcuda, and
// whether what is inside runs. Rules and versions: container-toolkit and libnvidia-container sources, ld.so(8).
import type { Gpu } from '../compat/gpu-name.ts';
import { matchGpu } from '../compat/gpu-name.ts';
import { hostDriver } from '../compat/host-driver.ts';
import { imageContent } from '../compat/image-lookup.ts';
import type { Question } from '../compat/question.ts';
import { tablesOf } from '../compat/tables.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import type { ImageContents } from './contents.ts';
import type { Node, Prediction, ScannedImage } from './model.ts';
import { onOf } from './node.ts';
import { mergedPrediction } from './predict-merge.ts';
import { passOf } from './predict-pass.ts';
import type { Pass, PassOf } from './predict-pass.ts';
import { runnablesOf } from './predict-programs.ts';
import { startsOf } from './predict-start.ts';
import { ImageTree } from './tree.ts';

/**
 * Predicts for one image and many nodes. What the keys of a node leave open is tried in every way it can be: what differs
 * is null, and what would decide is named in `unknown`.
 * @param image what was read of its layers
 * @param contents the inventory of the same image
 * @param nodes the nodes, by the keys of `--on`
 */
export function predictAll(
  image: ScannedImage,
  contents: ImageContents,
  nodes: readonly Node[],
  knowledge: Knowledge = defaultKnowledge,
): readonly Prediction[] {
  const tables = tablesOf(knowledge);
  const tree = new ImageTree(image.layers);
  const arch = image.platform.startsWith('linux/arm64') ? 'aarch64' : 'x86_64';
  const named = contents.quick ? imageContent({ image: image.reference, arch }, tables) : null;
  // Of a name that no table has nothing is known.
  const known = named?.programs.some((each) => each.unknown === null) === true ? named : null;
  const found = runnablesOf(contents, tables);
  const runnables =
    found.length > 0 || known === null
      ? found
      : [{ label: known.label, builds: known.programs, as: 'framework' as const }];
  return nodes.map((node) => predictOne({ image, contents, tree, tables, known, runnables }, node));
}

type Shared = Pick<PassOf, 'image' | 'contents' | 'tree' | 'tables' | 'known' | 'runnables'>;

function predictOne(shared: Shared, node: Node): Prediction {
  const { tables, contents } = shared;
  const driver = node.driver === undefined ? null : hostDriver(node.driver, false, tables);
  const matches = node.gpu === undefined ? [] : matchGpu(node.gpu, tables.gpus);
  const gpus: readonly (Gpu | null)[] = matches.length === 0 ? [null] : matches;
  const question: Question = {
    ...(node.driver === undefined ? {} : { driver: node.driver }),
    ...(node.gpu === undefined ? {} : { gpu: node.gpu }),
    ...(node.flavour === undefined ? {} : { moduleFlavour: node.flavour }),
    ...(shared.image.platform.startsWith('linux/arm64') ? { arch: 'aarch64' } : {}),
  };
  const passes: Pass[] = [];
  for (const gpu of gpus) {
    const tegra = gpu === null ? null : gpu.class === 'jetson';
    const starts = startsOf(node, { driverFolder: contents.driverFolder, platform: shared.image.platform, tegra });
    for (const start of starts) passes.push(...passOf({ ...shared, node, driver, gpu, question }, start));
  }
  const unknownGpu = node.gpu !== undefined && matches.length === 0 ? [`GPU ${node.gpu}`] : [];
  const merged = mergedPrediction(passes, onOf(node), node.name, unknownGpu);
  if (unknownGpu.length === 0 || (merged.answer !== 'runs' && merged.answer !== 'runs-if')) return merged;
  // A name that no table has may be a GPU that the driver does not drive, or a slip of the pen.
  return {
    ...merged,
    answer: 'cannot-tell',
    message: `no table has a GPU ${node.gpu ?? ''}`,
    conditions: [],
    needs: 'the model of the GPU as nvidia-smi --query-gpu=name prints it, or its compute capability: gpu=9.0',
  };
}
