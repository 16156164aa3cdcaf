import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { olderShadowInImage } from '../image/_libraries.ts';
import { olderLoaded } from '../toolkit/_loaded.ts';
import { compareNccl, parseNccl } from '../../versions/nccl.ts';
import { captured, packagesNamed, quote, saidOf } from '../framework/_stack.ts';
import { shadowOf } from '../toolkit/_shadow.ts';
import { symbolsOf } from '../toolkit/_symbols.ts';
import { twoMajors } from './_symbols.ts';

export const ncclOlderShadowsBundled: Rule = defineRule({
  id: 'nccl/nccl-older-shadows-bundled',
  summary: 'An older NCCL is loaded than the framework was built with',
  needs: [],
  anyOf: [
    'image.load',
    'loader.loads',
    'said.lib-symbol-missing',
    'said.ld-undefined-cuda-lib-symbol',
    'said.nccl-library-too-old',
  ],
  uses: [
    'loader.resolved',
    'loader.cache',
    'file.exists',
    'env',
    'package',
    'nccl.version',
    'said.incompatible-pin',
    'said.two-cuda-wheels',
  ],
  citations: ['ld-so-manual', 'nccl-header'],
  explains: [
    'application/application-exception',
    'said.lib-symbol-missing',
    'said.ld-undefined-*',
    'said.nccl-*',
    'said.pt-nccl-*',
  ],
  check(_, context) {
    const inventory = olderShadowInImage(context, /^libnccl\.so/, 'libnccl');
    if (inventory !== null) return inventory;
    const loaded = olderLoaded(context, /^libnccl\.so/, 'libnccl', /^nvidia-nccl(?:-cu\d\d)?$/);
    const old = saidOf(context, 'nccl-library-too-old');
    const symbol = symbolsOf(context, 'nccl')[0];
    if (loaded !== null && old.length === 0 && symbol === undefined) return loaded;
    const remedies = [
      {
        actor: 'developer',
        do: 'take the other libnccl off the search path',
        command: 'unset LD_LIBRARY_PATH LD_PRELOAD; find / -name "libnccl.so*" 2>/dev/null',
      },
      {
        actor: 'developer',
        do: 'or install the NCCL package that the framework pins',
        command: 'pip install --force-reinstall torch',
      },
    ] as const;
    const compiled = captured(old, 'compiled');
    const running = captured(old, 'running');
    const shadow = shadowOf(context, /^libnccl\.so/);
    if (compiled !== undefined && running !== undefined) {
      const a = parseNccl(compiled.value);
      const b = parseNccl(running.value);
      if (a !== null && b !== null && compareNccl(b, a) >= 0)
        return {
          kind: 'cleared',
          because: `NCCL ${running.value} is not older than ${compiled.value}`,
          seen: quote(2, compiled.fact),
        };
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `NCCL ${running.value} is loaded, and the program was compiled with ${compiled.value}`,
        seen: quote(4, compiled.fact, shadow?.fact),
        remedies,
        weight: 3,
      };
    }
    if (symbol === undefined) return { kind: 'silent' };
    const both = twoMajors(context).find((each) => each.library.includes('nccl'));
    if (both !== undefined)
      return {
        kind: 'cleared',
        because: `no other copy is in front: ${both.text} overwrite each other`,
        // The rule of these packages says it.
        seen: [],
      };
    if (
      symbol.by !== undefined &&
      !/libnccl|torch|tensorflow|jax|xla|cupy|horovod|deepspeed|mxnet|paddle|_C/i.test(symbol.by)
    ) {
      return { kind: 'unknown', missing: [{ fact: 'loader.resolved', ask: `ldd ${symbol.by} | grep nccl` }] };
    }
    const pin = saidOf(context, 'incompatible-pin').find((fact) => /nccl/.test(fact.value.captures['name'] ?? ''));
    const wheel = packagesNamed(context, /^nvidia-nccl-cu\d\d$/)[0];
    const proof = shadow?.fact ?? pin;
    return {
      kind: 'fault',
      // The framework's own library wants a function of NCCL that the loaded NCCL does not have: it is older.
      certainty: proof === undefined ? 'likely' : 'proved',
      message: `${symbol.by === undefined || /libnccl/.test(symbol.by) ? 'the framework' : symbol.by.slice(symbol.by.lastIndexOf('/') + 1)} wants ${symbol.symbol}, which the loaded NCCL is too old to have${shadow === null ? '' : ` (${shadow.what})`}`,
      seen: quote(5, symbol.fact, proof, wheel?.told === false ? wheel : undefined),
      remedies,
      ...(proof === undefined
        ? {
            missing: [
              {
                fact: 'loader.resolved',
                ask: 'ldd $(python -c "import importlib.util as u;print(u.find_spec(\'torch\').submodule_search_locations[0])")/lib/libtorch_cuda.so | grep nccl; echo $LD_LIBRARY_PATH; pip list | grep nccl',
              },
            ],
          }
        : {}),
      weight: 2,
    };
  },
});
