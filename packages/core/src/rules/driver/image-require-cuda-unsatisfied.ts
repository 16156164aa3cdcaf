import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { evaluateRequirement, isDisabled, parseRequirement } from '../../compat/requirement.ts';
import { byPrint, capture, missing, noGpuConsequences, own, said, seen } from '../container-runtime/_container.ts';
import { contentOf, gatesOf } from '../image/_gate.ts';

export const imageRequireCudaUnsatisfied: Rule = defineRule({
  id: 'driver/image-require-cuda-unsatisfied',
  summary: 'The host’s driver does not meet what the image requires',
  needs: [],
  anyOf: ['said.ncc-requirement-unsatisfied', 'said.ngc-driver-release-required', 'image.requirement', 'env'],
  uses: ['driver.cuda', 'driver.version', 'driver.module', 'gpu.compute-capability'],
  citations: ['container-toolkit-require', 'libnvidia-container-source'],
  explains: [...noGpuConsequences, 'said.ncc-*', 'said.ngc-*', 'said.cuda-*'],
  check(_facts, context) {
    const refused = said(context, 'ncc-requirement-unsatisfied')[0];
    const script = said(context, 'ngc-driver-release-required').find(
      (fact) => fact.value.captures['have'] !== undefined,
    );
    const cuda =
      own(context, 'driver.cuda').find((fact) => fact.scope !== 'container') ?? own(context, 'driver.cuda')[0];
    const driver = own(context, 'driver.module')[0] ?? own(context, 'driver.version')[0];
    const remedies = [
      { actor: 'node-admin', do: 'upgrade the driver of the host to one that serves the CUDA the image asks for' },
      { actor: 'developer', do: 'or take a tag of the image for an older CUDA' },
      {
        actor: 'developer',
        do: 'only where minor-version or forward compatibility covers the gap, switch the check off',
        command: 'docker run -e NVIDIA_DISABLE_REQUIRE=1 …',
      },
    ] as const;
    const condition = refused === undefined ? undefined : capture([refused], 'cond', 'cond2');
    const evaluated = (text: string): boolean | null =>
      evaluateRequirement(parseRequirement('NVIDIA_REQUIRE_CUDA', text), {
        cuda: cuda?.value ?? null,
        driver: driver?.value ?? null,
        driverIsBranch: driver !== undefined && !driver.value.includes('.'),
        arch: own(context, 'gpu.compute-capability')[0]?.value ?? null,
        brands: [],
      }).holds;
    if (refused !== undefined) {
      const holds = condition === undefined ? null : evaluated(condition);
      if (holds === true) {
        return {
          kind: 'fault',
          certainty: 'possible',
          message: `the runtime says that ${condition ?? 'a condition'} does not hold, though the driver shown serves CUDA ${cuda?.value ?? '?'}`,
          seen: seen(refused, cuda, driver),
          remedies,
          missing: [missing('driver.cuda', 'nvidia-smi | grep "CUDA Version"   # on the host that refused')],
        };
      }
      // What is in the image needs more than the gate that refused: then the gate itself is the finding.
      const beyond = contentOf(context).some(
        (each) => each.major > Number(/cuda>=(\d{1,2})/.exec(condition ?? '')?.[1] ?? 99),
      );
      return {
        kind: 'fault',
        // The container tool compared the requirement with the driver itself; its refusal is the result of that.
        certainty: beyond ? 'likely' : byPrint(refused),
        message: `the image requires ${condition ?? 'more'}${cuda === undefined ? ', which the host’s driver does not serve' : `, but the host’s driver serves CUDA ${cuda.value}`}`,
        seen: seen(refused, cuda, driver),
        remedies,
        weight: 4,
      };
    }
    if (script !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(script),
        message: `the image was built for driver ${capture([script], 'need') ?? 'a newer release'} or later, but the host has ${capture([script], 'have') ?? 'an older one'}`,
        seen: seen(script, driver),
        remedies,
        weight: 3,
      };
    }
    const disabled = isDisabled(
      Object.fromEntries(own(context, 'env').map((fact) => [fact.value.name, fact.value.value])),
    );
    const gate = gatesOf(context).find((each) => each.cuda !== null);
    if (gate === undefined || cuda === undefined || disabled) return { kind: 'silent' };
    const value = gate.fact.id === 'env' ? (gate.fact.value as { value: string }).value : (gate.fact.value as string);
    const holds = evaluated(value);
    if (holds === true)
      return {
        kind: 'cleared',
        because: `the driver serves CUDA ${cuda.value}, which meets cuda>=${gate.text}`,
        seen: seen(gate.fact, cuda),
      };
    if (holds === null)
      return {
        kind: 'unknown',
        missing: [missing('gpu.name', 'nvidia-smi --query-gpu=driver_version,name,compute_cap --format=csv,noheader')],
      };
    return {
      kind: 'fault',
      certainty: 'likely',
      message: `the image requires cuda>=${gate.text}, but the host’s driver serves CUDA ${cuda.value}`,
      seen: seen(gate.fact, cuda, driver),
      remedies,
      missing: [
        missing(
          'container.toolkit-setting',
          'grep mode /etc/nvidia-container-runtime/config.toml; nvidia-ctk --version   # CDI modes do not check it',
        ),
      ],
      weight: 1,
    };
  },
});
