import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, packagesNamed, quote, saidOf } from '../framework/_stack.ts';

export const engineBuiltByOtherTensorrt: Rule = defineRule({
  id: 'application/engine-built-by-other-tensorrt',
  summary: 'A serialized engine was made by another TensorRT release',
  needs: [],
  anyOf: ['said.trt-engine-version', 'said.trt-plan-version', 'said.trt-version-tag'],
  uses: ['package', 'framework.version'],
  citations: ['tensorrt-compatibility'],
  explains: ['application/application-exception', 'said.trt-*'],
  check(_, context) {
    const said = saidOf(context, 'trt-engine-version', 'trt-plan-version', 'trt-version-tag');
    const lead = said[0];
    if (lead === undefined) return { kind: 'silent' };
    const want = captured(said, 'want', 'exp');
    const got = captured(said, 'got');
    const here = packagesNamed(context, /^tensorrt(?:-cu\d\d)?(?:-libs)?$/)[0];
    const remedies = [
      {
        actor: 'developer',
        do: 'build the engine again with the TensorRT that loads it',
        command: 'trtexec --onnx=model.onnx --saveEngine=model.plan',
      },
      { actor: 'developer', do: 'or install the TensorRT that made it; name the release in the name of the file' },
    ] as const;
    if (want !== undefined && got !== undefined) {
      if (want.value === got.value)
        return {
          kind: 'cleared',
          because: `engine and library are of one release, ${got.value}`,
          seen: quote(2, got.fact),
        };
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `the engine was made by TensorRT ${got.value}, and the library that loads it is ${want.value}`,
        seen: quote(5, want.fact, got.fact),
        remedies,
        weight: 2,
      };
    }
    const plain = said.some((fact) =>
      fact.seen.some((each) =>
        /not compatible with this version|Version tag does not match|incompatible serialization version/.test(
          each.text,
        ),
      ),
    );
    return {
      kind: 'fault',
      certainty: plain ? 'likely' : 'possible',
      message: 'the engine cannot be read by this TensorRT release',
      seen: quote(4, ...said, here?.told === false ? here : undefined),
      remedies,
      missing: [
        {
          fact: 'release of TensorRT here and where the engine was made',
          ask: 'python -c "import tensorrt; print(tensorrt.__version__)"',
        },
      ],
      weight: 1,
    };
  },
});
