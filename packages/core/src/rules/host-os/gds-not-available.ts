import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const gdsNotAvailable: Rule = defineRule({
  id: 'host-os/gds-not-available',
  summary: 'GPUDirect Storage is not at work: files are copied through host memory',
  needs: [],
  anyOf: ['said.gds-compat-mode', 'said.gds-driver-missing'],
  uses: ['said.gds-unsupported', 'modules.loaded', 'modules.absent'],
  citations: ['gds-troubleshooting'],
  explains: ['said.gds-cufile', 'said.cuda-initialization-error', 'application/application-exception'],
  check(_facts, context) {
    const compat = said(context, 'gds-compat-mode')[0];
    const driver = said(context, 'gds-driver-missing')[0];
    const lead = driver ?? compat;
    if (lead === undefined) return { kind: 'silent' };
    const isNvfs = (name: string): boolean => /^nvidia[-_]fs$/.test(name);
    const loaded = own(context, 'modules.loaded').find((fact) => fact.value.some(isNvfs));
    const absent = own(context, 'modules.absent').find((fact) => fact.value.some(isNvfs));
    const table = said(context, 'gds-unsupported')[0];
    if (loaded !== undefined && driver === undefined && table === undefined) {
      return {
        kind: 'unknown',
        missing: [
          missing(
            'whether the file system is one that GPUDirect Storage serves',
            '/usr/local/cuda/gds/tools/gdscheck -p; findmnt -T PATH',
          ),
        ],
      };
    }
    if (loaded !== undefined && table === undefined)
      return { kind: 'cleared', because: 'nvidia-fs is loaded', seen: seen(loaded) };
    return {
      kind: 'fault',
      certainty:
        absent !== undefined || (table !== undefined && driver !== undefined) ? byPrint(lead, absent, table) : 'likely',
      message:
        driver !== undefined || absent !== undefined
          ? 'the driver of GPUDirect Storage, nvidia-fs, is not loaded: reads and writes go through host memory'
          : 'GPUDirect Storage works in its compatibility mode: reads and writes go through host memory',
      seen: seen(driver, compat, absent, table),
      remedies: [
        {
          actor: 'node-admin',
          do: 'install nvidia-fs for this kernel and load it',
          command: 'modprobe nvidia-fs; /usr/local/cuda/gds/tools/gdscheck -p',
        },
        {
          actor: 'node-admin',
          do: 'check that the file system and its mount options are among those that gdscheck names as supported',
        },
      ],
      ...(absent === undefined && table === undefined
        ? { missing: [missing('modules.loaded', 'lsmod | grep nvidia_fs; /usr/local/cuda/gds/tools/gdscheck -p')] }
        : {}),
      weight: -1,
    };
  },
});
