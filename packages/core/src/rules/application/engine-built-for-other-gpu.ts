import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, quote, saidOf } from '../framework/_stack.ts';

export const engineBuiltForOtherGpu: Rule = defineRule({
  id: 'application/engine-built-for-other-gpu',
  summary: 'A serialized engine was made for another GPU',
  needs: [],
  anyOf: ['said.trt-engine-device', 'said.trt-plan-device', 'said.trt-engine-other-model'],
  uses: ['gpu.name', 'gpu.compute-capability'],
  citations: ['tensorrt-compatibility'],
  explains: ['application/application-exception', 'said.trt-*', 'said.cuda-*'],
  check(_, context) {
    const said = saidOf(context, 'trt-engine-device', 'trt-plan-device');
    // `expecting` is what the library finds under it, `got` what the engine was made for.
    const here = captured(said, 'here', 'exp');
    const engine = captured(said, 'engine', 'got');
    const remedies = [
      {
        actor: 'developer',
        do: 'build the engine again on this kind of GPU',
        command: 'trtexec --onnx=model.onnx --saveEngine=model.plan',
      },
      {
        actor: 'developer',
        do: 'or build it once with hardware compatibility, at some cost in speed',
        command: 'trtexec --onnx=model.onnx --saveEngine=model.plan --hardwareCompatibilityLevel=ampere+',
      },
    ] as const;
    if (here !== undefined && engine !== undefined) {
      if (here.value === engine.value)
        return {
          kind: 'cleared',
          because: `the engine was made for compute capability ${here.value}, which this GPU has`,
          seen: quote(2, here.fact),
        };
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `the engine was made for compute capability ${engine.value}, and this GPU has ${here.value}`,
        seen: quote(5, here.fact),
        remedies,
        weight: 3,
      };
    }
    const platform = said.find((fact) => fact.seen.some((each) => each.text.includes('Platform specific tag')));
    if (platform !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'the engine was made on another platform',
        seen: quote(4, platform),
        remedies,
        missing: [
          {
            fact: 'platform on which the engine was made',
            ask: 'uname -m; nvidia-smi --query-gpu=name,compute_cap --format=csv',
          },
        ],
        weight: 2,
      };
    }
    // The warning alone: such engines run, if not as fast as they could.
    return {
      kind: 'unknown',
      missing: [
        { fact: 'GPU on which the engine was made', ask: 'nvidia-smi --query-gpu=name,compute_cap --format=csv' },
      ],
    };
  },
});
