import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { olderShadowInImage } from '../image/_libraries.ts';
import { olderLoaded } from '../toolkit/_loaded.ts';
import { quote, saidOf } from '../framework/_stack.ts';
import { symbolsOf } from '../toolkit/_symbols.ts';
import { cudnnPackage, cudnnPair, cudnnText, sameCudnn, systemCudnn } from './_pair.ts';

export const cudnnSystemShadowsBundled: Rule = defineRule({
  id: 'cudnn/cudnn-system-shadows-bundled',
  summary: 'A cuDNN of the system is loaded before the one that the framework brings',
  needs: [],
  anyOf: [
    'image.load',
    'loader.loads',
    'said.cudnn-pair',
    'said.cudnn-version-incompatible-pt',
    'said.cudnn-version-tf',
    'said.cudnn-sublibraries-differ',
    'said.cudnn-status',
    'said.lib-symbol-missing',
  ],
  uses: [
    'env',
    'loader.resolved',
    'loader.cache',
    'file.exists',
    'cudnn.file',
    'package',
    'cudnn.loaded',
    'cudnn.built-for',
    'said.cudnn-bundled-note',
  ],
  citations: ['pytorch-cudnn-check', 'ld-so-manual'],
  explains: [
    'application/application-exception',
    'said.cudnn-*',
    'said.lib-symbol-missing',
    'said.ld-undefined-*',
    'said.pt-*',
    'said.cuda-*',
    'said.tf-*',
  ],
  check(_, context) {
    const inventory = olderShadowInImage(context, /^libcudnn\w{0,40}\.so/, 'libcudnn');
    if (inventory !== null) return inventory;
    const loaded = olderLoaded(context, /^libcudnn\.so/, 'libcudnn', /^nvidia-cudnn(?:-cu\d\d)?$/);
    const pair = cudnnPair(context);
    const note = saidOf(context, 'cudnn-bundled-note');
    const symbols = symbolsOf(context, 'cudnn');
    const mixed = saidOf(context, 'cudnn-sublibraries-differ');
    const system = systemCudnn(context);
    const wheel = cudnnPackage(context);
    // What a program says of its cuDNN tells more than what its files let expect.
    const silent = pair === null && symbols.length === 0 && mixed.length === 0;
    if (loaded !== null && silent && saidOf(context, 'cudnn-status').length === 0) return loaded;
    const remedies = [
      {
        actor: 'developer',
        do: 'take the folder of the other cuDNN out of LD_LIBRARY_PATH',
        command: 'unset LD_LIBRARY_PATH; python -c "import torch; print(torch.backends.cudnn.version())"',
      },
      { actor: 'image-owner', do: 'do not install cuDNN in an image whose framework brings its own' },
    ] as const;
    if (pair !== null && pair.order === 'equal')
      return {
        kind: 'cleared',
        because: `cuDNN is the ${cudnnText(pair.have)} that the program was built with`,
        seen: quote(3, pair.fact),
      };
    if (pair !== null && pair.order !== null && pair.stated) {
      const message = `cuDNN ${cudnnText(pair.have)} was loaded, and the program was built with ${cudnnText(pair.built)}`;
      // The package that the framework brings is what was loaded: nothing shadows it.
      if (wheel !== null && pair.have !== null && sameCudnn(wheel.version, pair.have) && system === null) {
        return {
          kind: 'cleared',
          because: `the loaded cuDNN is the installed package, ${cudnnText(wheel.version)}`,
          seen: quote(3, pair.fact, wheel.fact),
        };
      }
      if (system !== null) {
        return {
          kind: 'fault',
          certainty: 'proved',
          message: `${message}: a copy of the system comes first (${system.what})`,
          seen: quote(5, pair.fact, system.fact, wheel?.fact),
          remedies,
          weight: 3,
        };
      }
      if (note.length > 0) {
        const path = note.some((fact) => fact.seen.some((each) => each.text.includes('LD_LIBRARY_PATH')));
        return {
          kind: 'fault',
          certainty: 'likely',
          message: `${message}, a copy other than the bundled one`,
          seen: quote(5, pair.fact, ...note),
          remedies,
          missing: [{ fact: 'env', ask: 'echo $LD_LIBRARY_PATH; ldconfig -p | grep cudnn' }],
          weight: path ? 2 : 1,
        };
      }
      return { kind: 'unknown', missing: [{ fact: 'env', ask: 'echo $LD_LIBRARY_PATH; ldconfig -p | grep cudnn' }] };
    }
    const lead = symbols[0]?.fact ?? mixed[0];
    if (lead !== undefined) {
      if (system !== null) {
        return {
          kind: 'fault',
          certainty: 'proved',
          message: `parts of two cuDNN releases were loaded; one comes from ${system.what}`,
          seen: quote(5, lead, system.fact, wheel?.fact),
          remedies,
          weight: 2,
        };
      }
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'parts of two cuDNN releases were loaded into one process',
        seen: quote(4, lead),
        remedies,
        missing: [
          {
            fact: 'loader.resolved',
            ask: 'cat /proc/PID/maps | grep -o "/.*libcudnn.*" | sort -u; echo $LD_LIBRARY_PATH',
          },
        ],
        weight: 1,
      };
    }
    const status = saidOf(context, 'cudnn-status').filter((fact) =>
      /NOT_INITIALIZED|INTERNAL_ERROR|EXECUTION_FAILED/.test(fact.value.captures['status'] ?? ''),
    );
    if (status.length === 0) return { kind: 'silent' };
    if (pair !== null && pair.order !== null && system !== null) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `cuDNN fails, and the one that was loaded is ${cudnnText(pair.have)} instead of ${cudnnText(pair.built)}`,
        seen: quote(5, status[0], ...pair.rest, system.fact),
        remedies,
        weight: 1,
      };
    }
    return {
      kind: 'unknown',
      missing: [
        {
          fact: 'cudnn.loaded',
          ask: 'python -c "import torch; print(torch.backends.cudnn.version())"; echo $LD_LIBRARY_PATH',
        },
      ],
    };
  },
});
