import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, noGpu, own, said, seen } from '../container-runtime/_container.ts';

/** The L4T release in the tag of an image for Jetson: `l4t-base:r32.6.1`, `opencv:4.8.1-r36.2.0`, `l4t-jetpack:r35.4.1`. */
function releaseOfTag(reference: string): string | undefined {
  return /:(?:\S{0,80}[-_])?r(3[2-9]\.\d{1,2}(?:\.\d{1,2})?)(?:[-_]\S{0,60})?$/.exec(reference)?.[1];
}

/** Images of NVIDIA for servers; those for Jetson have a name or tag of their own. */
function forServers(reference: string): boolean {
  return (
    /(?:^|\/)(?:nvidia\/)?(?:pytorch|tensorflow|tensorrt|tritonserver|cuda)(?::|@|$)/.test(reference) &&
    /^(?:nvcr\.io\/)?nvidia\//.test(reference) &&
    !/igpu|l4t|jetpack|tegra/i.test(reference)
  );
}

/** What a program or the runtime says when the files of another release are missing or in the way. */
function symptomOf(context: RuleContext): Fact | undefined {
  return (
    own(context, 'loader.resolved').find(
      (fact) =>
        fact.value.path === null &&
        /^lib(?:nvrm|nvos|nvscibuf|nvbuf|nvdla|nvcu|cuda|cudart|cublas|cudnn|nvinfer|nvmedia|tegra|nvargus|nvidia-egl)/.test(
          fact.value.soname,
        ),
    ) ??
    said(
      context,
      'ncc-mount-file-exists',
      'cuda-insufficient-driver',
      'cuda-no-device',
      'ld-missing-libcuda',
      'wheel-needs-newer-glibc',
    )[0] ??
    noGpu(context)[0]
  );
}

export const jetsonImageForOtherL4t: Rule = defineRule({
  id: 'image/jetson-image-for-other-l4t',
  summary: 'The image is for another L4T release, or for servers, and this is a Jetson',
  needs: ['image.reference'],
  anyOf: [],
  uses: ['os.l4t', 'loader.resolved', 'said.ncc-mount-file-exists', 'works'],
  citations: ['jetson-containers', 'jetpack-archive'],
  explains: [
    'toolkit/*',
    'said.ld-*',
    'said.ncc-*',
    'said.oci-hook-failed',
    'said.k8s-create-container-error',
    'image/driver-ghost-files-in-image',
    'framework/*',
    'application/application-exception',
    'said.cuda-*',
    'said.pt-*',
  ],
  check(_facts, context) {
    const board = own(context, 'os.l4t')[0];
    const images = own(context, 'image.reference');
    const symptom = symptomOf(context);
    const before = images.filter((fact) => symptom === undefined || fact.order <= symptom.order);
    // The last one that was started before it failed is the one that failed.
    const image = before.at(-1) ?? images[0];
    if (image === undefined) return { kind: 'silent' };
    const release = releaseOfTag(image.value);
    if (board === undefined)
      return release === undefined || symptom === undefined
        ? { kind: 'silent' }
        : { kind: 'unknown', missing: [missing('os.l4t', 'cat /etc/nv_tegra_release')] };
    const remedies = [
      {
        actor: 'developer',
        do: `take an image for L4T ${board.value}: its tag has the release, as in l4t-base:r${board.value.split('.').slice(0, 2).join('.')}`,
        command: 'cat /etc/nv_tegra_release; ./autotag NAME   # jetson-containers',
      },
      { actor: 'node-admin', do: 'or bring the board to the JetPack of the image' },
    ] as const;
    if (release !== undefined && release.slice(0, 2) === board.value.slice(0, 2))
      return {
        kind: 'cleared',
        because: `the image is for L4T ${release}, and the board has ${board.value}`,
        seen: seen(image, board),
      };
    if (symptom === undefined) return { kind: 'silent' };
    if (own(context, 'works').some((fact) => fact.order > symptom.order && fact.command === symptom.command))
      return { kind: 'silent' };
    if (release !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(image, board, symptom),
        message: `the image ${image.value} is for L4T ${release}, and this board has L4T ${board.value}`,
        seen: seen(symptom, image, board),
        remedies,
        weight: 5,
      };
    }
    // From L4T 38 on a Jetson takes the images of servers.
    if (!forServers(image.value) || Number(board.value.slice(0, 2)) >= 38) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'likely',
      message: `the image ${image.value} is for servers, and this is a Jetson with L4T ${board.value}: its own libraries stand in the way of those of the board`,
      seen: seen(symptom, image, board),
      remedies,
      missing: [
        missing(
          'the same run in an image for Jetson',
          `docker run --rm --runtime nvidia nvcr.io/nvidia/l4t-base:r${board.value} ls /usr/lib/aarch64-linux-gnu/tegra`,
        ),
      ],
      weight: 5,
    };
  },
});
