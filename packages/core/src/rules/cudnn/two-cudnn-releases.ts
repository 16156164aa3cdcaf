import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, seen } from '../container-runtime/_container.ts';
import { shadowedIn } from '../image/_libraries.ts';
import { compareDotted, unreadPart } from '../image/_scan.ts';

export const twoCudnnReleases: Rule = defineRule({
  id: 'cudnn/two-cudnn-releases',
  summary: 'Two cuDNN releases lie in the image, and a process can get parts of both',
  needs: [],
  anyOf: ['image.library', 'image.mixed-cudnn', 'image.scanned'],
  uses: ['image.load'],
  citations: ['cudnn-api', 'ld-so-manual'],
  explains: ['cudnn/cudnn-system-shadows-bundled'],
  check(_facts, context) {
    const remedies = [
      { actor: 'image-owner', do: 'keep one cuDNN: that of the framework’s packages, or that of the system' },
      {
        actor: 'image-owner',
        do: 'remove the other one with all its parts',
        command: "apt-get purge 'libcudnn*'   # or: pip uninstall nvidia-cudnn-cu12",
      },
    ] as const;
    const mixed = context.first('image.mixed-cudnn');
    if (mixed !== undefined)
      return {
        kind: 'fault',
        certainty: byPrint(mixed),
        message: `${mixed.value.folder} holds parts of cuDNN ${mixed.value.versions.slice(0, 3).join(' and ')}`,
        seen: seen(mixed),
        remedies,
        weight: 3,
      };
    const copies = context
      .all('image.library')
      .filter((fact) => fact.value.name === 'cudnn' && fact.value.version !== null);
    for (const fact of copies) {
      const other = copies.find(
        (each) =>
          each.value.soname === fact.value.soname && compareDotted(each.value.version, fact.value.version) === -1,
      );
      if (other === undefined || fact.value.soname === null) continue;
      const system = fact.value.environment === null && other.value.environment === null;
      const own = fact.value.environment !== null && other.value.environment !== null;
      // Each environment has its own.
      if (own && fact.value.environment !== other.value.environment) continue;
      const taken = context
        .all('image.load')
        .find(
          (each) =>
            each.value.soname === fact.value.soname &&
            each.value.path === (fact.value.environment === null ? other : fact).value.path,
        );
      if (!system && shadowedIn(context, /^libcudnn\.so/).length === 0 && taken !== undefined)
        return {
          kind: 'cleared',
          because: `there are two releases of cuDNN, and the framework takes its own, ${taken.value.path ?? ''}`,
          seen: seen(taken),
        };
      return {
        kind: 'fault',
        certainty: system ? 'likely' : 'possible',
        message: `cuDNN ${fact.value.version ?? ''} (${fact.value.path}) and ${other.value.version ?? ''} (${other.value.path}) answer to one name`,
        seen: seen(fact, other),
        remedies,
        weight: system ? 1 : 0,
      };
    }
    const [one] = copies;
    return one === undefined
      ? (unreadPart(context, 'image.library') ?? { kind: 'silent' })
      : { kind: 'cleared', because: `cuDNN is there in one release, ${one.value.version ?? ''}`, seen: seen(one) };
  },
});
