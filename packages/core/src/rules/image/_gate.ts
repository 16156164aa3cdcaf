import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { own } from '../container-runtime/_container.ts';

// What an image asks of the host, and what it holds.

export interface Gate {
  readonly fact: Fact;
  /** The value of the requirement: `cuda>=12.8 brand=…`. */
  readonly text: string;
  /** Its CUDA floor, where it has one. */
  readonly cuda: { readonly major: number; readonly minor: number } | null;
}

/** Requirements that the image declares: its variables, and the condition that the runtime quotes. */
export function gatesOf(context: RuleContext): readonly Gate[] {
  const gates: Gate[] = [];
  const add = (fact: Fact, value: string): void => {
    const floor = /\bcuda>=(\d{1,2})\.(\d{1,2})/.exec(value);
    gates.push({
      fact,
      text: floor === null ? value : `${floor[1]!}.${floor[2]!}`,
      cuda: floor === null ? null : { major: Number(floor[1]), minor: Number(floor[2]) },
    });
  };
  for (const fact of own(context, 'image.requirement')) add(fact, fact.value);
  for (const fact of own(context, 'env')) if (fact.value.name === 'NVIDIA_REQUIRE_CUDA') add(fact, fact.value.value);
  for (const fact of own(context, 'said.ncc-requirement-unsatisfied')) {
    const condition = fact.value.captures['cond'] ?? fact.value.captures['cond2'];
    if (condition !== undefined) add(fact, condition);
  }
  return gates;
}

export interface Content {
  readonly fact: Fact;
  readonly what: string;
  readonly major: number;
}

/** Packages in the image and the CUDA major release that they were built for. */
export function contentOf(context: RuleContext): readonly Content[] {
  const contents: Content[] = [];
  const add = (fact: Fact, what: string, major: string | undefined): void => {
    if (major !== undefined && Number(major) >= 10 && Number(major) < 30)
      contents.push({ fact, what, major: Number(major) });
  };
  for (const fact of own(context, 'torch.cuda'))
    if (fact.value !== null) add(fact, `torch for CUDA ${fact.value}`, /^(\d{2})\./.exec(fact.value)?.[1]);
  for (const fact of own(context, 'torch.version'))
    add(fact, `torch ${fact.value}`, /\+cu(\d{2})\d$/.exec(fact.value)?.[1]);
  for (const fact of own(context, 'package')) {
    const { name, version } = fact.value;
    if (fact.value.manager !== 'pip' && fact.value.manager !== 'conda') continue;
    add(
      fact,
      `${name} ${version}`,
      /\+cu(\d{2})\d\b/.exec(version)?.[1] ??
        /^(?:nvidia|cupy|cudf|cuml|rmm|jax)[\w-]{0,40}-cu(?:da)?(\d{2})x?(?:-|$)/.exec(name)?.[1],
    );
    if (name === 'nvidia-cuda-runtime' || name === 'cuda-cudart')
      add(fact, `${name} ${version}`, /^(\d{2})\./.exec(version)?.[1]);
  }
  for (const fact of own(context, 'toolkit.runtime'))
    add(fact, `the CUDA runtime ${fact.value}`, /^(\d{2})\./.exec(fact.value)?.[1]);
  return contents;
}
