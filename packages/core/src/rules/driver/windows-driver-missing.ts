import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const windowsDriverMissing: Rule = defineRule({
  id: 'driver/windows-driver-missing',
  summary: 'Windows has no driver of NVIDIA',
  needs: [],
  anyOf: ['said.windows-driver-absent', 'said.windows-basic-display'],
  uses: ['said.smi-not-found', 'driver.answers'],
  citations: ['cuda-windows-guide'],
  explains: [
    'said.windows-driver-absent',
    'said.ld-*',
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.smi-*',
    'said.nvml-*',
    'framework/*',
    'toolkit/*',
    'application/application-exception',
  ],
  check(_facts, context) {
    const library = said(context, 'windows-driver-absent')[0];
    const basic = said(context, 'windows-basic-display')[0];
    const command = said(context, 'smi-not-found')[0];
    const answers = own(context, 'driver.answers')[0];
    if (answers !== undefined)
      return { kind: 'cleared', because: 'nvidia-smi answers: the driver is installed', seen: seen(answers) };
    if (library === undefined) {
      return basic === undefined
        ? { kind: 'silent' }
        : { kind: 'unknown', missing: [missing('driver.answers', 'nvidia-smi; Get-PnpDevice -Class Display')] };
    }
    const proof = basic ?? command;
    return {
      kind: 'fault',
      certainty: proof === undefined ? 'likely' : byPrint(library, proof),
      message: `Windows has no nvcuda.dll${basic === undefined ? '' : ' and drives the display with its basic driver'}: the driver of NVIDIA is not installed`,
      seen: seen(library, basic, command),
      remedies: [
        {
          actor: 'node-admin',
          do: 'install the driver of NVIDIA for this GPU and restart Windows',
          command: 'winget search nvidia; nvidia-smi',
        },
        { actor: 'developer', do: 'on a machine without a GPU of NVIDIA run the program on the CPU' },
      ],
      missing:
        proof === undefined
          ? [missing('driver.answers', 'nvidia-smi; Get-CimInstance Win32_VideoController | Select Name,DriverVersion')]
          : [],
      weight: 3,
    };
  },
});
