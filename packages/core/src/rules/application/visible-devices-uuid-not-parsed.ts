import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, missing, own, said, seen } from '../container-runtime/_container.ts';

const uuid = /\b((?:MIG|GPU)-[0-9a-f]{4,8}(?:-[0-9a-f-]{2,40})?)(?![\w.])/i;
const number =
  /\bint\(\)|invalid literal|base 10|stoi|stol|atoi|parseint|parse int|not an? (?:int|integer|number)|number ?format|invalid digit|could not convert|expected (?:an )?int|must be (?:an )?int/i;

export const visibleDevicesUuidNotParsed: Rule = defineRule({
  id: 'application/visible-devices-uuid-not-parsed',
  summary: 'The program takes device identifiers for numbers and fails on a UUID',
  needs: [],
  anyOf: ['said.uuid-not-parsed', 'said.device-uuid-as-code', 'said.number-not-parsed', 'program.exception'],
  uses: ['env', 'gpu.mig-device'],
  citations: ['cuda-environment-variables', 'mig-user-guide'],
  explains: ['application/*', 'said.cuda-*', 'said.pt-*', 'said.vllm-*'],
  check(_facts, context) {
    const printed = said(context, 'uuid-not-parsed').find((fact) =>
      uuid.test(fact.value.captures['uuid'] ?? fact.value.captures['uuid2'] ?? ''),
    );
    const exceptions = own(context, 'program.exception');
    const exception = exceptions.find((fact) => number.test(fact.value.message) && uuid.test(fact.value.message));
    const bare = exceptions.find(
      (fact) =>
        /^(?:\w{1,20}\.)?(?:ValueError|TypeError|NumberFormatException)$/.test(fact.value.type) &&
        number.test(fact.value.message) &&
        !/base 10: ['"]{2}/.test(fact.value.message),
    );
    const variable = own(context, 'env').find(
      (fact) => /^(?:CUDA|NVIDIA)_VISIBLE_DEVICES$/.test(fact.value.name) && uuid.test(fact.value.value),
    );
    const remedies = [
      {
        actor: 'vendor',
        do: 'let the program pass UUIDs through, or count devices through CUDA instead of parsing the variable',
      },
      {
        actor: 'developer',
        do: 'until then name devices by number where the scheduler allows it',
        command: 'CUDA_VISIBLE_DEVICES=0',
      },
    ] as const;
    const lead = printed ?? exception;
    if (lead !== undefined) {
      const name =
        printed === undefined ? uuid.exec(exception!.value.message)?.[1] : capture([printed], 'uuid', 'uuid2');
      return {
        kind: 'fault',
        certainty: byPrint(lead),
        message: `the program cannot read the device identifier ${name ?? 'it was given'}`,
        seen: seen(lead, variable),
        remedies,
        weight: 6,
      };
    }
    const asCode = said(context, 'device-uuid-as-code')[0];
    const syntax = exceptions.find((fact) =>
      /^(?:\w{1,20}\.)?(?:SyntaxError|ValueError|JSONDecodeError)$/.test(fact.value.type),
    );
    if (asCode !== undefined && syntax !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(asCode, syntax),
        message: `the program reads the device identifier ${capture([asCode], 'uuid') ?? ''} as a number or as code`,
        seen: seen(syntax, asCode, variable),
        remedies,
        weight: 6,
      };
    }
    const unread = said(context, 'number-not-parsed')[0];
    if (unread !== undefined && variable !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the program expects a number, and ${variable.value.name} is ${variable.value.value}`,
        seen: seen(unread, variable),
        remedies,
        weight: 5,
      };
    }
    if (bare === undefined || variable === undefined) return { kind: 'silent' };
    if (variable.value.value.split(',').some((each) => bare.value.message.includes(each))) {
      return {
        kind: 'fault',
        certainty: byPrint(bare, variable),
        message: `the program cannot read ${variable.value.name}=${variable.value.value}`,
        seen: seen(bare, variable),
        remedies,
        weight: 5,
      };
    }
    if (/base 10: ['"](?!MIG|GPU)\w/.test(bare.value.message))
      return { kind: 'cleared', because: 'what the program cannot read is not a device identifier', seen: seen(bare) };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: `the program expects a number, and ${variable.value.name} holds a UUID`,
      seen: seen(bare, variable),
      remedies,
      missing: [missing('program.exception', 'python -X dev PROGRAM   # the whole traceback')],
    };
  },
});
