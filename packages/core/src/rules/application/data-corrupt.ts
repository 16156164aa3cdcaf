import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

export const dataCorrupt: Rule = defineRule({
  id: 'application/data-corrupt',
  summary: 'A file or record of the data set is damaged or incomplete',
  needs: [],
  anyOf: [
    'said.data-file-broken',
    'said.trt-deserialize-failed',
    'said.trt-plan-version',
    'said.trt-version-tag',
    'said.trt-engine-version',
  ],
  uses: ['said.info-lfs-pointer', 'said.no-space-left', 'said.hung-task'],
  citations: ['pytorch-dataloader', 'python-exceptions'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'application/hung-kernel-app-deadlock',
    'application/collective-hang',
    'said.pt-*',
    'said.nccl-*',
    'said.data-file-broken',
    'application/engine-built-by-other-tensorrt',
    'application/engine-built-for-other-gpu',
    'said.trt-*',
  ],
  check(facts, context) {
    const pointer = facts['said.info-lfs-pointer'];
    const engine = messagesOf(context, [
      'trt-deserialize-failed',
      'trt-plan-version',
      'trt-version-tag',
      'trt-engine-version',
    ]).standing;
    if (pointer !== undefined && engine.length > 0) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: 'the file is the pointer of Git LFS and not the engine that it points to',
        seen: [...proofOf(engine).slice(0, 2), ...pointer.seen.slice(0, 1)],
        remedies: [{ actor: 'developer', do: 'fetch the file itself', command: 'git lfs pull' }],
        weight: 3,
      };
    }
    const { standing, overcome } = messagesOf(context, ['data-file-broken']);
    const lead = standing[0];
    if (lead === undefined && overcome.length === 0) return { kind: 'silent' };
    if (lead === undefined)
      return { kind: 'cleared', because: 'the program skipped the file and went on', seen: proofOf(overcome) };
    const full = context.said.find(
      (fact) => /^(?:no-space-left|disk-quota-exceeded)$/.test(fact.value.signature) && fact.order < lead.order,
    );
    if (full !== undefined)
      return {
        kind: 'cleared',
        because: 'the file system was full before: the file could not be whole',
        seen: full.seen.slice(0, 1),
      };
    const type = captured(standing, 'type');
    const record = type === 'KeyError';
    const vague =
      standing.every((fact) => /libpng error|corrupt/i.test(fact.seen[0]?.text ?? '')) &&
      context.all('program.exception').length === 0;
    return {
      kind: 'fault',
      certainty: vague ? 'possible' : 'likely',
      message: record
        ? 'a record of the data set lacks a field that the loader reads'
        : 'a file of the data set cannot be read to its end',
      seen: proofOf(standing),
      remedies: [
        {
          actor: 'developer',
          do: 'find the record: read the data set once without the GPU and with one worker',
          command: 'DataLoader(num_workers=0)',
        },
        {
          actor: 'developer',
          do: record
            ? 'mend the record, or let the loader skip what lacks the field'
            : 'fetch the file again and compare check sums',
        },
      ],
      ...(vague
        ? { missing: [{ fact: 'whether the program stopped at it', ask: 'grep -n -A3 -i -E "corrupt|libpng" LOG' }] }
        : {}),
      weight: 0,
    };
  },
});
