import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { mixedMajorsInImage } from '../image/_frameworks.ts';
import { packagesNamed, quote, saidOf } from '../framework/_stack.ts';
import { missingSymbols } from '../toolkit/_symbols.ts';
import { twoMajors } from './_symbols.ts';

export const mixedCudaMajorPackages: Rule = defineRule({
  id: 'nccl/mixed-cuda-major-packages',
  summary: 'Packages of two CUDA majors lie in one environment and overwrite each other',
  needs: [],
  anyOf: [
    'image.package',
    'said.lib-symbol-missing',
    'said.ld-undefined-cuda-lib-symbol',
    'said.ld-undefined-nvjitlink',
    'said.cupy-multiple-packages',
    'said.cudnn-sublibraries-differ',
    'said.cudnn-status',
    'said.cublas-status',
    'said.nccl-library-too-old',
    'said.cudnn-pair',
    'said.jax-cuda-backend-failed',
    'said.ld-missing-cuda-runtime-lib',
    'said.nccl-internal-error',
    'said.nccl-cuda-failure',
  ],
  uses: ['package', 'said.two-cuda-wheels'],
  citations: ['pypi-nccl-cu12', 'pypi-nccl-cu13', 'cupy-install'],
  explains: [
    'application/application-exception',
    'nccl/nccl-older-shadows-bundled',
    'cudnn/*',
    'toolkit/cublaslt-older-shadow',
    'said.lib-symbol-missing',
    'said.ld-undefined-*',
    'said.cupy-*',
    'said.cudnn-*',
    'said.cublas-status',
    'said.nccl-*',
    'said.jax-*',
  ],
  check(_, context) {
    const inventory = mixedMajorsInImage(context);
    if (inventory !== null) return inventory;
    const mixed = twoMajors(context);
    const cupy = saidOf(context, 'cupy-multiple-packages');
    const remedies = [
      {
        actor: 'developer',
        do: 'remove both, and install those of the CUDA major that the framework was built for',
        command: 'pip uninstall -y nvidia-nccl-cu12 nvidia-nccl-cu13 && pip install --force-reinstall torch',
      },
      {
        actor: 'developer',
        do: 'find the package that asks for the other major',
        command: 'pip show -v PACKAGE | grep -i required-by; pip check',
      },
    ] as const;
    const symbols = missingSymbols(context).filter((each) => each.family !== 'torch' && each.family !== 'other');
    const families = new Set<string>(symbols.map((each) => each.family));
    if (
      saidOf(context, 'cudnn-sublibraries-differ', 'cudnn-pair').length > 0 ||
      saidOf(context, 'cudnn-status').some((fact) =>
        /MISMATCH|NOT_INITIALIZED/.test(fact.value.captures['status'] ?? ''),
      )
    )
      families.add('cudnn');
    if (saidOf(context, 'nccl-library-too-old', 'nccl-internal-error', 'nccl-cuda-failure').length > 0)
      families.add('nccl');
    if (saidOf(context, 'cublas-status').length > 0) families.add('cublas');
    if (saidOf(context, 'jax-cuda-backend-failed').length > 0) families.add('jax');
    const hit = mixed.find((each) =>
      [...families].some((family) => each.library.includes(family.replace('cublaslt', 'cublas'))),
    );
    // NCCL and cuDNN wheels of every major install their files into the same folder.
    if (hit !== undefined) {
      const lead =
        symbols.find((each) => hit.library.includes(each.family.replace('cublaslt', 'cublas')))?.fact ??
        saidOf(
          context,
          'cudnn-sublibraries-differ',
          'cudnn-pair',
          'nccl-library-too-old',
          'cudnn-status',
          'cublas-status',
          'jax-cuda-backend-failed',
        )[0];
      const shared = /nccl|cudnn|cusparselt|nvshmem/.test(hit.library);
      return {
        kind: 'fault',
        certainty: shared && symbols.length > 0 ? 'proved' : 'likely',
        message: `${hit.text} are installed side by side, and overwrite each other's files`,
        seen: quote(6, lead, ...hit.facts),
        remedies,
        weight: 4,
      };
    }
    if (cupy.length > 0) {
      const two = mixed.find((each) => each.library === 'cupy');
      return {
        kind: 'fault',
        certainty: two === undefined ? 'likely' : 'proved',
        message:
          two === undefined
            ? 'several CuPy packages are installed side by side'
            : `${two.text} are installed side by side`,
        seen: quote(5, ...cupy, ...(two?.facts ?? [])),
        remedies: [
          {
            actor: 'developer',
            do: 'remove all of them, and install the one for the CUDA major that is there',
            command: 'pip freeze | grep -i cupy',
          },
        ],
        weight: 2,
      };
    }
    if (symbols.length === 0) return { kind: 'silent' };
    const wheels = packagesNamed(context, /-cu\d\d$/);
    if (wheels.length === 0)
      return { kind: 'unknown', missing: [{ fact: 'package', ask: 'pip list | grep -E "nvidia-|-cu1[0-9]"' }] };
    return { kind: 'cleared', because: 'the CUDA packages are of one major', seen: quote(3, ...wheels) };
  },
});
