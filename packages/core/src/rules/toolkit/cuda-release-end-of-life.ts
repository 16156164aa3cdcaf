import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { seen } from '../container-runtime/_container.ts';
import { unreadPart } from '../image/_scan.ts';

export const cudaReleaseEndOfLife: Rule = defineRule({
  id: 'toolkit/cuda-release-end-of-life',
  summary: 'The CUDA release of the image is no longer supported',
  needs: [],
  anyOf: ['image.toolkit', 'image.variable', 'image.scanned'],
  citations: ['cuda-image-support-policy', 'driver-support-620'],
  check(_facts, context) {
    const toolkits = context.all('image.toolkit').filter((fact) => fact.value.version !== 'unknown');
    const variable = context.all('image.variable').find((fact) => fact.value.name === 'CUDA_VERSION');
    const named: readonly { readonly fact: Fact; readonly cuda: string }[] = [
      ...toolkits.map((fact) => ({ fact, cuda: fact.value.version })),
      ...(variable === undefined
        ? []
        : [{ fact: variable, cuda: /^\d{1,2}\.\d{1,2}/.exec(variable.value.value)?.[0] ?? '' }]),
    ];
    const { branches, toolkits: releases, asOf } = context.knowledge;
    const today = asOf.slice(0, 7);
    const oldest = branches
      .filter((row) => row.endOfLife !== null && row.endOfLife < today && row.endOfLifeBasis === 'vendor')
      .map((row) => row.branch);
    const known = named.flatMap(({ fact, cuda }) => {
      const release = releases.findLast((row) => row.cuda === cuda);
      const branch = branches.find((row) => row.branch === release?.branch);
      if (release === undefined || branch === undefined) return [];
      // Of the oldest branches no date is published; branches after them have ended.
      const early = branch.endOfLife === null && oldest.some((each) => each > branch.branch) && branch.branch < 418;
      const over = branch.endOfLife !== null && branch.endOfLife < today;
      return [{ fact, cuda, branch: branch.branch, date: branch.endOfLife, over: over || early }];
    });
    const ended = known.find((each) => each.over);
    if (ended === undefined) {
      const [one] = known;
      return one === undefined
        ? (unreadPart(context, 'image.toolkit') ?? { kind: 'silent' })
        : {
            kind: 'cleared',
            because: `driver branch ${one.branch}, with which CUDA ${one.cuda} came, is supported${one.date === null ? '' : ` until ${one.date}`}`,
            seen: seen(one.fact),
          };
    }
    return {
      kind: 'fault',
      // An image of a release that has ended still runs; before CUDA 11 nothing of today supports it any more.
      certainty: Number(ended.cuda.split('.')[0]) < 11 ? 'likely' : 'possible',
      message: `CUDA ${ended.cuda} came with driver branch ${ended.branch}, whose support has ended${ended.date === null ? '' : ` (${ended.date})`}`,
      seen: seen(ended.fact),
      remedies: [
        {
          actor: 'image-owner',
          do: 'build the image on a CUDA release that is supported; its base images are deleted',
        },
      ],
      weight: -4,
    };
  },
});
