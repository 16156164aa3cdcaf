import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { platformInImage } from './_settings.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const imageWrongPlatform: Rule = defineRule({
  id: 'image/image-wrong-platform',
  summary: 'The image is built for another CPU than the node has',
  needs: [],
  anyOf: ['image.machine', 'said.image-platform-wrong', 'said.image-platform-warned', 'said.k8s-image-arch'],
  uses: ['os.arch', 'image.architecture'],
  citations: ['multi-platform-images'],
  explains: [
    'said.image-platform-wrong',
    'said.k8s-image-arch',
    'said.k8s-image-pull',
    'said.ncc-*',
    'said.k8s-create-container-error',
    'container-runtime/toolkit-ldconfig-wrong',
  ],
  check(_facts, context) {
    const inventory = platformInImage(context);
    if (inventory !== null) return inventory;
    const format = said(context, 'image-platform-wrong').find((fact) =>
      fact.seen.some((each) => /exec format error/i.test(each.text)),
    );
    const warned = said(context, 'image-platform-warned')[0];
    const none = said(context, 'k8s-image-arch')[0];
    const lead = none ?? format ?? warned;
    if (lead === undefined) return { kind: 'silent' };
    const { image, host } = warned?.value.captures ?? {};
    const went = own(context, 'works').find((fact) => fact.order > lead.order);
    const runs = went ?? own(context, 'torch.cuda-available').find((fact) => fact.value);
    if (runs !== undefined && format === undefined && none === undefined)
      return { kind: 'cleared', because: 'the image of another CPU runs here, by emulation', seen: seen(runs) };
    const arch = own(context, 'os.arch')[0];
    const built = own(context, 'image.architecture').find((fact) => arch !== undefined && fact.value !== arch.value);
    const same = own(context, 'image.architecture').find((fact) => fact.value === arch?.value);
    if (same !== undefined && none === undefined && warned === undefined)
      return {
        kind: 'cleared',
        because: `image and node are both ${same.value}: a script without a first line, or a broken file`,
        seen: seen(same, arch),
      };
    const script =
      format !== undefined && /\.(?:sh|py)\b[^\n]{0,20}exec format error/i.test(format.seen[0]?.text ?? '');
    return {
      kind: 'fault',
      certainty:
        none !== undefined ||
        (format !== undefined && built !== undefined) ||
        (format !== undefined && (warned !== undefined || (arch !== undefined && !script)))
          ? byPrint(lead, built)
          : format !== undefined && !script
            ? 'likely'
            : 'possible',
      message:
        image !== undefined && host !== undefined
          ? `the image is for ${image}, the node is ${host}`
          : none !== undefined
            ? `the image has no build for ${none.value.captures['arch'] ?? 'this platform'}`
            : built !== undefined && arch !== undefined
              ? `the image is for ${built.value}, the node is ${arch.value}`
              : script
                ? 'a script of the image does not start: another CPU, or no first line that names its shell'
                : `the image’s programs are for another CPU${arch === undefined ? '' : ` than ${arch.value}`}`,
      seen: seen(lead, warned, arch, built),
      remedies: [
        {
          actor: 'developer',
          do: 'take an image that has this CPU, or build it',
          command: 'docker buildx imagetools inspect IMAGE; docker buildx build --platform linux/arm64,linux/amd64 …',
        },
        { actor: 'developer', do: 'a script needs a first line such as #!/bin/sh' },
      ],
      missing:
        format !== undefined && warned === undefined && built === undefined
          ? [missing('os.arch', 'uname -m; docker image inspect IMAGE --format "{{.Architecture}}"')]
          : [],
      weight: 2,
    };
  },
});
