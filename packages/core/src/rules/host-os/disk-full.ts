import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const diskFull: Rule = defineRule({
  id: 'host-os/disk-full',
  summary: 'A file system is full',
  needs: [],
  anyOf: ['said.no-space-left', 'fs.usage'],
  citations: ['posix-errno'],
  explains: ['application/*', 'said.pt-*', 'said.nccl-*', 'framework/*'],
  check(_facts, context) {
    const lead = said(context, 'no-space-left').find((fact) => !fact.told) ?? said(context, 'no-space-left')[0];
    const full = own(context, 'fs.usage').find((fact) => fact.value.usedPercent >= 100);
    const free = own(context, 'fs.usage').find((fact) => fact.value.usedPercent < 98);
    if (lead === undefined) return { kind: 'silent' };
    const text = lead.seen.map((each) => each.text).join(' ');
    if (/\/dev\/shm|posix_fallocate|shm_open|NCCL WARN/.test(text) || full?.value.mount === '/dev/shm') {
      return { kind: 'cleared', because: 'it is shared memory that is full, not a disk', seen: seen(lead) };
    }
    const path = /['"`:](\/[^\s'"`:]{1,120})/.exec(text.slice(text.search(/No space left|Errno 28/)))?.[1];
    if (
      full === undefined &&
      free !== undefined &&
      path !== undefined &&
      path.startsWith(`${free.value.mount}/`) &&
      free.value.mount !== '/'
    ) {
      return {
        kind: 'cleared',
        because: `${free.value.mount} is ${free.value.usedPercent} % full; inodes or a quota may be used up`,
        seen: seen(free),
      };
    }
    const where = full?.value.mount ?? path;
    return {
      kind: 'fault',
      certainty:
        full !== undefined || path !== undefined
          ? byPrint(lead, full)
          : /Error|Exception|write/.test(text)
            ? 'likely'
            : 'possible',
      message: where === undefined ? 'a file system is full' : `no space is left at ${where}`,
      seen: seen(lead, full),
      remedies: [
        {
          actor: 'node-admin',
          do: 'free space, or move caches and checkpoints',
          command: `df -h ${where ?? ''}; df -i ${where ?? ''}; du -xsh /tmp/* ~/.cache/* | sort -h | tail`,
        },
        {
          actor: 'developer',
          do: 'set TMPDIR, HF_HOME, TRITON_CACHE_DIR and the output folder to a large file system',
        },
      ],
      ...(full === undefined && path === undefined ? { missing: [missing('fs.usage', 'df -h; df -i')] } : {}),
      weight: 1,
    };
  },
});
