import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { symbolsOf } from '../toolkit/_symbols.ts';
import { own, packagesNamed, quote, saidOf } from './_stack.ts';

export const extensionTorchAbiMismatch: Rule = defineRule({
  id: 'framework/extension-torch-abi-mismatch',
  summary: 'A compiled extension was built for another torch release or C++ ABI',
  needs: [],
  anyOf: [
    'said.lib-symbol-missing',
    'said.ld-undefined-torch-abi',
    'said.torch-lib-missing',
    'said.torch-extension-refused',
    'said.ds-op-version-mismatch',
  ],
  uses: ['torch.version', 'torch.cuda', 'package'],
  citations: ['pytorch-cpp-extension', 'flash-attention'],
  explains: [
    'application/application-exception',
    'said.lib-symbol-missing',
    'said.ld-undefined-*',
    'said.torch-*',
    'said.ds-*',
    'said.vllm-*',
    'said.xf-*',
    'said.bnb-*',
  ],
  check(_, context) {
    const symbols = symbolsOf(context, 'torch');
    const libraries = saidOf(context, 'torch-lib-missing');
    const refused = saidOf(context, 'torch-extension-refused', 'ds-op-version-mismatch');
    const torch = own(context, 'torch.version')[0];
    const remedies = [
      {
        actor: 'developer',
        do: 'install the build of the extension that was made for this torch, or compile it against it',
        command: 'pip install --no-build-isolation --no-cache-dir --force-reinstall --no-deps PACKAGE',
      },
      { actor: 'developer', do: 'or install the torch that the extension was built for' },
    ] as const;
    const symbol = symbols[0];
    if (symbol !== undefined) {
      const file = symbol.by?.slice(symbol.by.lastIndexOf('/') + 1);
      return {
        kind: 'fault',
        // The wanted name is one of torch's own C++ interface: nothing but torch can lack it. Where one of torch's own
        // libraries wants it, two torches are mixed, and the extension may be innocent.
        certainty: /^lib(?:torch|c10)/.test(file ?? '') ? 'likely' : 'proved',
        message: `${file ?? 'a compiled extension'} wants ${name(symbol.symbol)} from torch${torch === undefined ? '' : ` ${torch.value}`}, which does not have it`,
        seen: quote(5, symbol.fact, torch?.told === false ? torch : undefined),
        remedies,
        weight: 2,
      };
    }
    const said = refused[0];
    if (said !== undefined) {
      const { have, built } = said.value.captures;
      return {
        kind: 'fault',
        certainty: have !== undefined && built !== undefined && have !== built ? 'proved' : 'likely',
        message: `a compiled extension was built for ${built ?? 'another torch'}${have === undefined ? '' : `, and torch here is of ${have}`}`,
        seen: quote(5, said, torch?.told === false ? torch : undefined),
        remedies,
        ...(have !== undefined && built !== undefined
          ? {}
          : { missing: [{ fact: 'package', ask: 'pip list | grep -iE "torch|vision|audio|flash|deepspeed"' }] }),
        weight: 1,
      };
    }
    const library = libraries[0];
    if (library !== undefined) {
      const lib = library.value.captures['lib'] ?? 'a library of torch';
      // These two names were shipped by torch 1.10 to 1.13 only.
      if (/libtorch_cuda_c(?:u|pp)/.test(lib)) {
        return {
          kind: 'fault',
          certainty: torch?.told === false && !torch.value.startsWith('1.') ? 'proved' : 'likely',
          message: `a compiled extension wants ${lib}, which only torch 1.10 to 1.13 had`,
          seen: quote(5, library, torch?.told === false ? torch : undefined),
          remedies,
          weight: 2,
        };
      }
      return {
        kind: 'fault',
        certainty: 'possible',
        message: `a compiled extension does not find ${lib}`,
        seen: quote(4, library),
        remedies,
        missing: [{ fact: 'torch.version', ask: 'python -c "import torch; print(torch.__version__, torch.__file__)"' }],
      };
    }
    const others = symbolsOf(context, 'other');
    if (others.length > 0) {
      const extension = others.find(
        (each) => each.by !== undefined && /cpython-3|_C\.|_cuda|torch/.test(each.by) && each.symbol.startsWith('_Z'),
      );
      if (extension !== undefined && packagesNamed(context, /^torch$/).length > 0) {
        return {
          kind: 'fault',
          certainty: 'possible',
          message: `a compiled extension wants ${name(extension.symbol)}`,
          seen: quote(4, extension.fact),
          remedies,
          missing: [
            { fact: 'the library that should have the symbol', ask: `ldd EXTENSION.so; c++filt ${extension.symbol}` },
          ],
        };
      }
    }
    const rest = saidOf(context, 'lib-symbol-missing')[0];
    return rest === undefined
      ? { kind: 'silent' }
      : { kind: 'cleared', because: 'the missing symbol is not one of torch', seen: quote(2, rest) };
  },
});

function name(symbol: string): string {
  return symbol.length > 60 ? `${symbol.slice(0, 57)}…` : symbol;
}
