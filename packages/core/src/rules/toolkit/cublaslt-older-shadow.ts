import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { olderShadowInImage } from '../image/_libraries.ts';
import { olderLoaded } from './_loaded.ts';
import { isBundled, placesOf, quote, saidOf } from '../framework/_stack.ts';
import { shadowOf } from './_shadow.ts';
import { symbolsOf } from './_symbols.ts';

export const cublasltOlderShadow: Rule = defineRule({
  id: 'toolkit/cublaslt-older-shadow',
  summary: 'libcublas and libcublasLt of two releases meet in one process',
  needs: [],
  anyOf: [
    'image.load',
    'loader.loads',
    'said.lib-symbol-missing',
    'said.ld-undefined-cuda-lib-symbol',
    'said.cublas-status',
    'said.trt-cublas-warning',
  ],
  uses: ['loader.resolved', 'loader.cache', 'file.exists', 'env', 'package'],
  citations: ['ld-so-manual', 'cublas-api'],
  explains: [
    'application/application-exception',
    'said.lib-symbol-missing',
    'said.ld-undefined-*',
    'said.cublas-status',
    'said.pt-*',
    'said.cuda-*',
    'said.tf-*',
  ],
  check(_, context) {
    const inventory = olderShadowInImage(context, /^libcublas(?:Lt)?\.so/, 'libcublas');
    if (inventory !== null) return inventory;
    const loaded = olderLoaded(context, /^libcublas(?:Lt)?\.so/, 'libcublas', /^nvidia-cublas(?:-cu\d\d)?$/);
    const symbols = symbolsOf(context, 'cublaslt');
    const said = [...symbols, ...saidOf(context, 'cublas-status', 'trt-cublas-warning')];
    if (loaded !== null && said.length === 0) return loaded;
    const shadow = shadowOf(context, /^libcublas(?:Lt)?\.so/);
    const remedies = [
      {
        actor: 'developer',
        do: 'take the other copy off the search path, so that both libraries come from one folder',
        command: 'unset LD_LIBRARY_PATH; ldconfig -p | grep cublas',
      },
      { actor: 'developer', do: 'if both come from packages, install them of one release' },
    ] as const;
    const lead = symbols[0];
    if (lead !== undefined) {
      const by = lead.by !== undefined && isBundled(lead.by);
      return {
        kind: 'fault',
        // The symbol is named with its library's soname: same major, another release. Which copy it is, the path tells.
        certainty: shadow === null ? 'likely' : 'proved',
        message: `${by ? "the package's own" : 'a'} libcublas wants ${lead.symbol === '' ? 'a newer libcublasLt' : lead.symbol}, and the libcublasLt that was loaded is older${shadow === null ? '' : ` (${shadow.what})`}`,
        seen: quote(5, lead.fact, shadow?.fact),
        remedies,
        ...(shadow === null
          ? {
              missing: [
                {
                  fact: 'loader.resolved',
                  ask: 'find / -name "libcublasLt.so*" 2>/dev/null; echo $LD_LIBRARY_PATH; LD_DEBUG=libs python -c "import torch" 2>&1 | grep cublasLt',
                },
              ],
            }
          : {}),
        weight: 2,
      };
    }
    const status = saidOf(context, 'cublas-status').filter((fact) =>
      /INVALID_VALUE|NOT_SUPPORTED|EXECUTION_FAILED|NOT_INITIALIZED|INTERNAL_ERROR/.test(
        fact.value.captures['status'] ?? '',
      ),
    );
    const warning = saidOf(context, 'trt-cublas-warning').filter((fact) =>
      /cublas/i.test(fact.value.captures['lib'] ?? ''),
    );
    const places = placesOf(context, /^libcublas(?:Lt)?\.so/).filter((each) => each.resolved);
    const plain = places.find((each) => !/cublasLt/.test(each.path));
    const lt = places.find((each) => /cublasLt/.test(each.path));
    if (status.length > 0 && plain !== undefined && lt !== undefined) {
      if (folder(plain.path) === folder(lt.path))
        return {
          kind: 'cleared',
          because: 'libcublas and libcublasLt come from one folder',
          seen: quote(4, plain.fact, lt.fact),
        };
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `libcublas comes from ${folder(plain.path)}, libcublasLt from ${folder(lt.path)}`,
        seen: quote(5, status[0], plain.fact, lt.fact),
        remedies,
        weight: 2,
      };
    }
    if (status.some((fact) => fact.value.captures['status'] === 'CUBLAS_STATUS_INVALID_VALUE') && shadow !== null) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `cuBLAS refuses a call of the framework, and another copy can come first (${shadow.what})`,
        seen: quote(5, status[0], shadow.fact),
        remedies,
        missing: [{ fact: 'loader.resolved', ask: 'cat /proc/PID/maps | grep -o "/.*libcublas.*" | sort -u' }],
      };
    }
    if (warning.length > 0 && status.length > 0)
      return {
        kind: 'unknown',
        missing: [{ fact: 'loader.resolved', ask: 'cat /proc/PID/maps | grep -o "/.*libcublas.*" | sort -u' }],
      };
    if (status.length > 0)
      return {
        kind: 'unknown',
        missing: [{ fact: 'loader.resolved', ask: 'echo $LD_LIBRARY_PATH; ldconfig -p | grep cublas' }],
      };
    return { kind: 'silent' };
  },
});

function folder(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
