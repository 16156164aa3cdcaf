import type { Outcome, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { seen } from '../container-runtime/_container.ts';
import { bakedInImage, ghostsInImage, stubInImage } from '../image/_driver-files.ts';
import { cpuBuildInImage, mixedMajorsInImage, otherMajorInImage } from '../image/_frameworks.ts';
import { olderShadowInImage } from '../image/_libraries.ts';
import { unreadPart } from '../image/_scan.ts';
import { capabilitiesInImage, gateInImage, platformInImage } from '../image/_settings.ts';
import { compatEntrypointReplaced } from '../image/compat-entrypoint-replaced.ts';
import { compatRegisteredForEveryHost } from '../image/compat-registered-for-every-host.ts';
import { twoCudnnReleases } from '../cudnn/two-cudnn-releases.ts';
import { pinnedPackagesReplaced } from '../framework/pinned-packages-replaced.ts';
import { cudaReleaseEndOfLife } from '../toolkit/cuda-release-end-of-life.ts';

/** What the rules of images answer. */
const faults: readonly ((context: RuleContext) => Outcome | null)[] = [
  bakedInImage,
  ghostsInImage,
  stubInImage,
  capabilitiesInImage,
  gateInImage,
  platformInImage,
  mixedMajorsInImage,
  otherMajorInImage,
  (context) => cpuBuildInImage(context, false),
  (context) => cpuBuildInImage(context, true),
  (context) => olderShadowInImage(context, /^lib(?:nvJitLink|cublas(?:Lt)?|nccl|cudnn\w{0,40})\.so/, ''),
  (context) => compatRegisteredForEveryHost.check({} as never, context),
  (context) => compatEntrypointReplaced.check({} as never, context),
  (context) => cudaReleaseEndOfLife.check({} as never, context),
  (context) => twoCudnnReleases.check({} as never, context),
  (context) => pinnedPackagesReplaced.check({} as never, context),
];

function isStated(outcome: Outcome | null): boolean {
  return outcome?.kind === 'fault' && outcome.certainty !== 'possible';
}

export const okImageSound: Rule = defineRule({
  id: 'ok/ok-image-sound',
  summary: 'All of the image was read, and nothing in it is wrong whatever the node',
  needs: ['image.scanned'],
  uses: ['image.toolkit'],
  citations: [],
  check({ 'image.scanned': scan }, context) {
    const unread = unreadPart(context, 'image.scanned');
    if (unread !== null) return unread;
    // With something wrong in it the image is not sound, and this is no finding to clear it by.
    if (faults.some((fault) => isStated(fault(context)))) return { kind: 'silent' };
    if (!scan.value.gpu)
      return {
        kind: 'cleared',
        because: 'nothing of the GPU stack is in this image',
        seen: seen(scan),
        layer: 'image',
      };
    const framework = context
      .all('image.package')
      .find((fact) => /^(?:torch|tensorflow|jaxlib|vllm)$/.test(fact.value.name) && fact.value.cuda !== null);
    const toolkit = context.all('image.toolkit').find((fact) => fact.value.version !== 'unknown');
    const variable = context.all('image.variable').find((fact) => fact.value.name === 'CUDA_VERSION');
    const what =
      framework !== undefined
        ? `${framework.value.name} ${framework.value.version ?? ''} for CUDA ${framework.value.cuda ?? ''}`
        : toolkit !== undefined
          ? `CUDA ${toolkit.value.version}`
          : variable !== undefined
            ? `CUDA ${variable.value.value}`
            : context.first('image.library') === undefined
              ? 'settings for CUDA'
              : 'CUDA libraries';
    const driver = context.all('image.libcuda').some((fact) => fact.value.kind === 'baked');
    return {
      kind: 'cleared',
      because: `nothing is wrong in the image itself: ${what}${driver ? '' : ', and no driver of its own'}`,
      seen: seen(scan, framework ?? toolkit ?? variable),
      layer: 'image',
    };
  },
});
