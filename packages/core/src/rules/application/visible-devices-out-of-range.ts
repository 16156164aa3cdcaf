import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

const numbers = ['cuda-invalid-device-ordinal', 'device-number-refused'];
const none = ['cuda-no-device', 'pt-no-gpus-available'];

export const visibleDevicesOutOfRange: Rule = defineRule({
  id: 'application/visible-devices-out-of-range',
  summary: 'A GPU number is asked for that is not among the visible ones',
  needs: [],
  anyOf: [
    'said.cuda-invalid-device-ordinal',
    'said.device-number-refused',
    'said.cuda-no-device',
    'said.pt-no-gpus-available',
    'torch.cuda-available',
    'framework.devices',
  ],
  uses: ['env', 'gpu.count', 'gpu.xid', 'gpu.mig-device', 'slurm.setting'],
  citations: ['cuda-environment-variables', 'cuda-runtime-types'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'said.cuda-*',
    'said.pt-*',
    'said.device-*',
  ],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, numbers);
    const noDevice = messagesOf(context, none).standing;
    const unavailable = [
      ...context.all('torch.cuda-available').filter((fact) => !fact.value && here(fact)),
      ...context.all('framework.devices').filter((fact) => fact.value === 0 && here(fact)),
    ];
    const count = context.all('gpu.count').find(here);
    const lost = lostGpu(context);
    const seen = proofOf(standing);
    if (lost !== undefined && (standing.length > 0 || noDevice.length > 0)) {
      return {
        kind: 'cleared',
        because: 'a GPU is missing or does not answer; the number was right',
        seen: lost.seen.slice(0, 1),
      };
    }
    const asked = captured(standing, 'device', 'device2', 'device3', 'device4', 'device5', 'device6');
    const there = captured(standing, 'count', 'count2', 'count4', 'count6') ?? next(captured(standing, 'last5'));
    if (asked !== undefined && there !== undefined && Number(asked) >= Number(there)) {
      return fault(`device ${asked} is asked for, and ${there} ${plural(Number(there))} visible`, seen, 'proved');
    }
    if (context.all('gpu.mig-device').some(here)) {
      return standing.length > 0
        ? { kind: 'cleared', because: 'MIG devices are numbered in a way of their own', seen }
        : { kind: 'silent' };
    }
    const listed = numbered(context);
    const symptoms = [...standing, ...noDevice, ...unavailable];
    if (listed !== undefined && count !== undefined && symptoms.length > 0) {
      const beyond = listed.numbers.filter((number) => number >= count.value);
      // The list ends at the first number that does not exist: everything behind it is invisible.
      // A full list on a machine with an odd number of GPUs looks like one that is gone.
      const odd = count.value > 1 && ![2, 4, 8, 16].includes(count.value);
      const whole = listed.numbers.every((number, at) => number === at);
      if (beyond.length > 0 && odd && whole) {
        return {
          ...fault(
            `CUDA_VISIBLE_DEVICES=${listed.fact.value.value} names ${listed.numbers.length} GPUs, and ${count.value} are there: one may be gone`,
            [...listed.fact.seen.slice(0, 1), ...count.seen.slice(0, 1)],
            'possible',
          ),
          missing: [
            {
              fact: 'the GPUs on the bus, and what the kernel says of them',
              ask: 'lspci | grep -ci nvidia; nvidia-smi -L; dmesg -T | grep -E "NVRM: Xid"',
            },
          ],
        };
      }
      if (beyond.length > 0) {
        return fault(
          `CUDA_VISIBLE_DEVICES=${listed.fact.value.value} names GPU ${beyond[0]}, and the machine has ${count.value} (0 to ${count.value - 1})`,
          [
            ...listed.fact.seen.slice(0, 1),
            ...count.seen.slice(0, 1),
            ...symptoms.flatMap((fact) => fact.seen.slice(0, 1)).slice(0, 2),
          ],
          'proved',
        );
      }
    }
    const list = past(context);
    if (standing.length === 0 && list !== undefined) return list;
    if (standing.length === 0) {
      if (overcome.length > 0)
        return { kind: 'cleared', because: 'the program went on after it', seen: proofOf(overcome) };
      if (listed !== undefined && count !== undefined && symptoms.length > 0)
        return {
          kind: 'cleared',
          because: 'every number in CUDA_VISIBLE_DEVICES exists',
          seen: listed.fact.seen.slice(0, 1),
        };
      return { kind: 'silent' };
    }
    const processes = context.all('launcher.processes').find(here);
    const room = listed?.numbers.length ?? count?.value;
    if (processes !== undefined && room !== undefined && processes.value > room) {
      return fault(
        `${processes.value} processes are started, and ${room} ${plural(room)} visible`,
        [...seen.slice(0, 1), ...processes.seen.slice(0, 1), ...(listed ?? { fact: count }).fact!.seen.slice(0, 1)],
        'proved',
      );
    }
    const named = context.all('program.device').filter(here);
    const counted = context.all('framework.devices').find(here);
    const highest = named.find((fact) => fact.value >= (counted?.value ?? room ?? Infinity));
    if (highest !== undefined) {
      return fault(
        `the program names GPU ${highest.value}, and ${counted?.value ?? room} ${plural(counted?.value ?? room ?? 0)} visible`,
        [
          ...seen.slice(0, 1),
          ...highest.seen.slice(0, 1),
          ...((counted ?? listed?.fact ?? count)?.seen.slice(0, 1) ?? []),
        ],
        'proved',
      );
    }
    const command = context
      .all('program.exception')
      .map((fact) => fact.command ?? '')
      .concat(standing.map((fact) => fact.command ?? ''));
    const device = command.map((text) => /\bcuda:(\d{1,3})\b/.exec(text)?.[1]).find((each) => each !== undefined);
    const visible = listed === undefined ? count?.value : Math.min(listed.numbers.length, count?.value ?? Infinity);
    if (device !== undefined && visible !== undefined && Number(device) >= visible) {
      return fault(
        `the program is told to use cuda:${device}, and ${visible} ${plural(visible)} visible`,
        [...seen, ...(count?.seen.slice(0, 1) ?? [])],
        'likely',
      );
    }
    const local = context.all('env').find((fact) => fact.value.name === 'LOCAL_RANK' && here(fact));
    if (local !== undefined && visible !== undefined && Number(local.value.value) >= visible) {
      return fault(
        `local rank ${local.value.value} takes the GPU of its number, and ${visible} ${plural(visible)} visible`,
        [...seen, ...local.seen.slice(0, 1)],
        'likely',
      );
    }
    const frame = context
      .all('said.device-chosen')
      .find((fact) => here(fact) && !fact.told && standing.some((each) => each.order > fact.order));
    return {
      ...fault(
        'the program asks for a GPU number that is not visible',
        [...seen, ...(frame?.seen.slice(0, 1) ?? [])],
        frame === undefined ? 'possible' : 'likely',
      ),
      missing: [
        {
          fact: 'the visible GPUs, and the number that is asked for',
          ask: 'nvidia-smi -L; echo "$CUDA_VISIBLE_DEVICES" "$LOCAL_RANK"',
        },
      ],
    };
  },
});

/** An element of a framework's list of GPUs that the list does not have. */
function past(context: RuleContext): ReturnType<typeof fault> | undefined {
  const error = context
    .all('program.exception')
    .find((fact) => fact.value.type === 'IndexError' && /list index out of range/.test(fact.value.message));
  if (error === undefined) return undefined;
  const named = context
    .all('program.device')
    .find(
      (fact) =>
        fact.order < error.order &&
        fact.seen.some((each) => /_devices\(|\.devices\(/.test(each.text) && error.seen[0]?.file === each.file),
    );
  if (named === undefined) return undefined;
  const counted = context.all('framework.devices').find(here);
  if (counted !== undefined && named.value < counted.value) return undefined;
  return fault(
    counted === undefined
      ? `the program takes GPU ${named.value} of a list that is shorter`
      : `the program takes GPU ${named.value} of a list, and ${counted.value} ${plural(counted.value)} visible`,
    [...named.seen.slice(0, 1), ...error.seen.slice(0, 1), ...(counted?.seen.slice(0, 1) ?? [])],
    counted === undefined ? 'likely' : 'proved',
  );
}

function here(fact: Fact): boolean {
  return fact.scope !== 'other-host' && fact.scope !== 'after-fix';
}

function plural(count: number): string {
  return count === 1 ? 'is' : 'are';
}

function next(last: string | undefined): string | undefined {
  return last === undefined ? undefined : String(Number(last) + 1);
}

/** Signs that a GPU of this machine is gone. */
function lostGpu(context: RuleContext): Fact | undefined {
  return (
    context.all('gpu.xid').find((fact) => [79, 74, 119, 120].includes(fact.value.xid)) ??
    context.said.find((fact) =>
      /^(?:nvml-gpu-is-lost|smi-unknown-handle|nvrm-fallen-off-bus|smi-err-field|cuda-system-not-ready)$/.test(
        fact.value.signature,
      ),
    ) ??
    context.all('gpu.state').find((fact) => (fact.value.failedFields?.length ?? 0) > 0)
  );
}

/** CUDA_VISIBLE_DEVICES where it holds plain numbers. */
function numbered(
  context: RuleContext,
): { readonly fact: Fact<'env'>; readonly numbers: readonly number[] } | undefined {
  for (const fact of context.all('env')) {
    if (fact.value.name !== 'CUDA_VISIBLE_DEVICES' || !here(fact)) continue;
    const parts = fact.value.value.split(',').map((part) => part.trim());
    if (parts.every((part) => /^\d{1,4}$/.test(part))) return { fact, numbers: parts.map(Number) };
  }
  return undefined;
}

function fault(
  message: string,
  seen: Fact['seen'],
  certainty: 'proved' | 'likely' | 'possible',
): {
  readonly kind: 'fault';
  readonly certainty: 'proved' | 'likely' | 'possible';
  readonly message: string;
  readonly seen: Fact['seen'];
  readonly remedies: readonly { readonly actor: 'developer'; readonly do: string; readonly command?: string }[];
  readonly weight: number;
} {
  return {
    kind: 'fault',
    certainty,
    message,
    seen,
    remedies: [
      {
        actor: 'developer',
        do: 'count from 0, and inside a job or container count only the GPUs that are visible there',
        command: 'nvidia-smi -L; echo $CUDA_VISIBLE_DEVICES',
      },
      {
        actor: 'developer',
        do: 'choose the device by local rank, start no more processes than GPUs, and load foreign checkpoints with map_location',
      },
    ],
    weight: 2,
  };
}
