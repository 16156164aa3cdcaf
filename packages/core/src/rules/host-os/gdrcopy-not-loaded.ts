import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const gdrcopyNotLoaded: Rule = defineRule({
  id: 'host-os/gdrcopy-not-loaded',
  summary: 'GDRCopy is wanted and its driver gdrdrv is not loaded',
  needs: [],
  anyOf: ['said.gdr-open-failed', 'said.nccl-gdrcopy'],
  uses: ['modules.loaded', 'modules.absent', 'file.absent'],
  citations: ['gdrcopy'],
  check(_facts, context) {
    const lead = said(context, 'gdr-open-failed')[0] ?? said(context, 'nccl-gdrcopy')[0];
    const isGdr = (name: string): boolean => name === 'gdrdrv';
    const loaded = own(context, 'modules.loaded').find((fact) => fact.value.some(isGdr));
    const absent =
      own(context, 'modules.absent').find((fact) => fact.value.some(isGdr)) ??
      own(context, 'file.absent').find((fact) => fact.value.includes('gdrdrv'));
    if (lead === undefined) return { kind: 'silent' };
    if (loaded !== undefined) return { kind: 'cleared', because: 'gdrdrv is loaded', seen: seen(loaded) };
    const named = lead.id === 'said.gdr-open-failed';
    return {
      kind: 'fault',
      certainty: absent !== undefined ? byPrint(lead, absent) : named ? 'likely' : 'possible',
      message: 'a program cannot open GDRCopy: its driver gdrdrv is not loaded',
      seen: seen(lead, absent),
      remedies: [
        {
          actor: 'node-admin',
          do: 'install GDRCopy for this kernel and load its module',
          command: 'modprobe gdrdrv && ls -l /dev/gdrdrv',
        },
        { actor: 'cluster-admin', do: 'give containers /dev/gdrdrv; the GPU operator does so with gdrcopy enabled' },
      ],
      ...(absent === undefined
        ? { missing: [missing('modules.loaded', 'lsmod | grep gdrdrv; ls -l /dev/gdrdrv')] }
        : {}),
      weight: -1,
    };
  },
});
