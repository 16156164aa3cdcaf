import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, messagesOf, proofOf } from './_standing.ts';

export const checkpointCorrupt: Rule = defineRule({
  id: 'application/checkpoint-corrupt',
  summary: 'A file of weights is damaged, cut off, or not what it is taken for',
  needs: [],
  anyOf: ['said.checkpoint-broken'],
  uses: ['said.no-space-left'],
  citations: ['safetensors-format', 'python-exceptions'],
  explains: [
    'application/application-exception',
    'application/application-configuration',
    'application/data-corrupt',
    'application/hung-kernel-app-deadlock',
    'said.pt-*',
    'said.nccl-*',
    'said.data-file-broken',
    'said.checkpoint-broken',
  ],
  check(_, context) {
    const { standing, overcome } = messagesOf(context, ['checkpoint-broken']);
    const lead = standing[0];
    if (lead === undefined)
      return { kind: 'cleared', because: 'the program went on, with another file', seen: proofOf(overcome) };
    const full = context.said.find((fact) => /^(?:no-space-left|disk-quota-exceeded)$/.test(fact.value.signature));
    if (full !== undefined)
      return {
        kind: 'cleared',
        because: 'the file system is full: that is why the file is cut off',
        seen: full.seen.slice(0, 1),
      };
    const key = captured(standing, 'key');
    const pointer = key === 'v' || key === '<';
    // An empty pipe between processes also ends with "ran out of input".
    const vague = standing.every((fact) => /Ran out of input|stack underflow/.test(fact.seen[0]?.text ?? ''));
    return {
      kind: 'fault',
      certainty: vague ? 'possible' : 'likely',
      message: pointer
        ? `the file of weights is a text, ${key === 'v' ? 'as the pointer of Git LFS is' : 'a web page by its first character'}`
        : 'a file of weights is damaged or cut off',
      seen: proofOf(standing),
      remedies: [
        {
          actor: 'developer',
          do: pointer
            ? 'fetch the file itself'
            : 'compare its size and check sum with the original, and fetch or write it again',
          command: pointer ? 'git lfs pull' : 'ls -l FILE; sha256sum FILE',
        },
        { actor: 'developer', do: 'write checkpoints under another name and rename them when they are whole' },
      ],
      ...(vague ? { missing: [{ fact: 'the size of the file', ask: 'ls -l FILE; head -c 64 FILE | xxd' }] } : {}),
      weight: 1,
    };
  },
});
