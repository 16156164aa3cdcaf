import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const filesystemReadOnly: Rule = defineRule({
  id: 'host-os/filesystem-read-only',
  summary: 'A file system takes no writes',
  needs: [],
  anyOf: ['said.filesystem-read-only'],
  uses: ['said.storage-io-error'],
  citations: ['posix-errno'],
  explains: ['application/*', 'said.pt-*'],
  check(_facts, context) {
    const lead = said(context, 'filesystem-read-only')[0];
    if (lead === undefined) return { kind: 'silent' };
    const disk = said(context, 'storage-io-error')[0];
    const all = own(context, 'said.filesystem-read-only');
    const remounted = all.find((fact) => fact.seen.some((each) => /Remounting filesystem read-only/i.test(each.text)));
    const path = /Read-only file system: ?b?['"]?(\/[^'"\s]{1,160})/i.exec(
      lead.seen.map((each) => each.text).join(' '),
    )?.[1];
    if (remounted === undefined && path !== undefined && /^\/(?:proc|sys|etc\/config|var\/run\/secrets)\b/.test(path)) {
      return { kind: 'cleared', because: `${path} is meant to be read-only`, seen: seen(lead) };
    }
    if (disk === undefined && remounted === undefined) {
      // Alone it may well be how the mount is meant: an image, a ConfigMap, a hardened pod.
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'a program wrote to a file system that is read-only',
        seen: seen(lead),
        remedies: [{ actor: 'developer', do: 'write to a folder that may be written', command: 'findmnt -T PATH' }],
        missing: [
          missing(
            'whether the mount is meant to be read-only, or a disk failed',
            'findmnt -T PATH; dmesg -T | grep -iE "remount|I/O error"',
          ),
        ],
        weight: -1,
      };
    }
    return {
      kind: 'fault',
      certainty: byPrint(lead, remounted ?? disk),
      message: 'the kernel made a file system read-only after errors of its disk',
      seen: seen(remounted, disk, lead),
      remedies: [
        { actor: 'cluster-admin', do: 'drain the node' },
        {
          actor: 'node-admin',
          do: 'check the disk and replace it',
          command: 'smartctl -a DEVICE; dmesg -T | grep -iE "remount|I/O error"',
        },
      ],
      weight: 3,
    };
  },
});
