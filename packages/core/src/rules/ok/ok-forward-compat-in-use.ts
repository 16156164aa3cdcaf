import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { own, said, seen } from '../container-runtime/_container.ts';
import { quiet, works } from './_healthy.ts';

export const okForwardCompatInUse: Rule = defineRule({
  id: 'ok/ok-forward-compat-in-use',
  summary: 'A compat libcuda is in use and works',
  needs: [],
  anyOf: ['said.compat-libcuda-in-use', 'said.ngc-compat-enabled', 'loader.resolved', 'driver.version'],
  uses: ['works', 'torch.cuda-available', 'gpu.name'],
  citations: ['cuda-forward-compat'],
  check(_facts, context) {
    if (!quiet(context) || works(context).length === 0) return { kind: 'silent' };
    const file = own(context, 'loader.resolved').find(
      (fact) =>
        /^libcuda\.so/.test(fact.value.soname) && /\/(?:cuda-?)?compat\b|\/cuda-compat/.test(fact.value.path ?? ''),
    );
    const message = said(context, 'compat-libcuda-in-use', 'ngc-compat-enabled')[0];
    const lead = file ?? message;
    if (lead === undefined) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because:
        'the program runs with a compat libcuda, newer than the driver of the host, as forward compatibility allows',
      seen: [...seen(lead), ...seen(works(context)[0])],
      layer: 'driver',
      weight: 4,
    };
  },
});
