import type { Fact, SaidId } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

/** Build of Windows 10 21H2, the first release of which WSL has a GPU. */
const firstBuild = 19044;

function oldWindows(context: RuleContext): Fact<SaidId> | undefined {
  return said(context, 'windows-build').find((fact) => {
    const build = Number(fact.value.captures['build'] ?? Number.NaN);
    return build >= 10240 && build < firstBuild;
  });
}

export const wslWithoutGpu: Rule = defineRule({
  id: 'host-os/wsl-without-gpu',
  summary: 'WSL is of version 1, or Windows offers it no GPU',
  needs: [],
  anyOf: ['said.wsl-no-adapter', 'said.wsl-list', 'said.windows-build'],
  uses: [
    'said.smi-couldnt-communicate',
    'said.pt-no-driver',
    'said.ld-missing-libcuda',
    'said.cuda-no-device',
    'said.nvml-library-not-found',
    'works',
  ],
  citations: ['cuda-wsl-guide'],
  explains: [
    'said.wsl-no-adapter',
    'said.ncc-*',
    'said.oci-hook-failed',
    'said.k8s-create-container-error',
    'said.cuda-*',
    'said.pt-*',
    'said.nvml-*',
    'said.smi-*',
    'container-runtime/*',
    'driver/*',
    'framework/*',
    'host-os/wsl-os-build-bug',
  ],
  check(_facts, context) {
    const none = said(context, 'wsl-no-adapter').at(-1);
    const rows = context.all('said.wsl-list').filter((fact) => fact.scope !== 'after-fix');
    // The star marks the distribution that commands run in.
    const here =
      rows.find((fact) => fact.value.captures['default'] === '*') ?? (rows.length === 1 ? rows[0] : undefined);
    const one = here?.value.captures['version'] === '1' ? here : undefined;
    const symptom =
      none ??
      said(
        context,
        'smi-couldnt-communicate',
        'pt-no-driver',
        'ld-missing-libcuda',
        'cuda-no-device',
        'nvml-library-not-found',
        'ncc-load-library-failed',
      )[0];
    if (symptom === undefined)
      return one === undefined
        ? { kind: 'silent' }
        : {
            kind: 'unknown',
            missing: [missing('whether a GPU is wanted in it', 'nvidia-smi; ls -l /dev/dxg   # in the distribution')],
          };
    if (own(context, 'works').some((fact) => fact.order > symptom.order)) return { kind: 'silent' };
    const old = oldWindows(context);
    const wsl = here ?? none ?? own(context, 'file.absent').find((fact) => fact.value.startsWith('/usr/lib/wsl'));
    if (one === undefined && old !== undefined && wsl !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(old, wsl),
        message: `Windows build ${old.value.captures['build'] ?? ''} offers no GPU to WSL: that takes build ${firstBuild} of Windows 10, or Windows 11`,
        seen: seen(symptom, old, wsl),
        remedies: [
          {
            actor: 'node-admin',
            do: 'update Windows, then WSL and the driver of NVIDIA',
            command: 'winver; wsl --update',
          },
        ],
        weight: 4,
      };
    }
    if (one !== undefined) {
      return {
        kind: 'fault',
        certainty: none === undefined ? 'likely' : byPrint(none, one),
        message: `${one.value.captures['name'] ?? 'the distribution'} runs under WSL 1, which has no access to a GPU`,
        seen: seen(symptom, one),
        remedies: [
          {
            actor: 'node-admin',
            do: 'turn the distribution to WSL 2',
            command: `wsl --set-version ${one.value.captures['name'] ?? 'DISTRIBUTION'} 2; wsl --set-default-version 2`,
          },
          { actor: 'node-admin', do: 'where that fails, switch virtualisation on in the firmware and in Windows' },
        ],
        weight: 4,
      };
    }
    if (here !== undefined && none === undefined)
      return { kind: 'cleared', because: 'the distribution runs under WSL 2', seen: seen(here) };
    if (none === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'likely',
      message: 'Windows offers no GPU to WSL',
      seen: seen(none, here),
      remedies: [
        { actor: 'node-admin', do: 'see that the distribution is of version 2', command: 'wsl -l -v' },
        {
          actor: 'node-admin',
          do: 'update Windows, WSL and the driver of NVIDIA in Windows',
          command: 'wsl --update; wsl --shutdown',
        },
      ],
      missing: here === undefined ? [missing('said.wsl-list', 'wsl -l -v; nvidia-smi.exe')] : [],
      weight: 2,
    };
  },
});
