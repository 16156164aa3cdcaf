import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, seen } from '../container-runtime/_container.ts';
import { scanOf, unreadPart } from './_scan.ts';

export const compatRegisteredForEveryHost: Rule = defineRule({
  id: 'image/compat-registered-for-every-host',
  summary: 'The image puts its compat libcuda in front on every host, newer ones too',
  needs: [],
  anyOf: ['image.search-folder', 'image.libcuda', 'image.scanned'],
  citations: ['cuda-forward-compat', 'vllm-33447', 'vllm-34226'],
  check(_facts, context) {
    const folders = context.all('image.search-folder').filter((fact) => fact.value.holds === 'compat');
    const first = folders.find((fact) => fact.value.first);
    const libcuda = context.all('image.libcuda').find((fact) => fact.value.kind === 'compat');
    if (first === undefined) {
      const last = folders[0];
      if (last !== undefined)
        return {
          kind: 'cleared',
          because: `${last.value.folder} is named behind the folder of the driver's libraries`,
          seen: seen(last),
        };
      if (libcuda === undefined || scanOf(context)?.value.complete === false)
        return unreadPart(context, 'image.search-folder') ?? { kind: 'silent' };
      return {
        kind: 'cleared',
        because: 'no search path of the image names the folder of its compat libcuda; who starts it decides',
        seen: seen(libcuda),
      };
    }
    const { by, folder } = first.value;
    return {
      kind: 'fault',
      certainty: byPrint(first),
      message:
        `${by} names ${folder}, so its compat libcuda ${libcuda?.value.version ?? ''} wins on every host, newer ones too`.replace(
          '  ',
          ' ',
        ),
      seen: seen(first, libcuda),
      remedies: [
        {
          actor: 'image-owner',
          do: 'take the compat folder out of the search path; the container toolkit puts it there where it helps',
          command:
            by === 'LD_LIBRARY_PATH'
              ? 'ENV LD_LIBRARY_PATH=/usr/local/nvidia/lib:/usr/local/nvidia/lib64'
              : 'grep -rl compat /etc/ld.so.conf.d | xargs rm -f && ldconfig',
        },
        {
          actor: 'image-owner',
          do: 'where compat has to be chosen inside the image, do it at start, after looking at the driver',
        },
      ],
      weight: 3,
    };
  },
});
