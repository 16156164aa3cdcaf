import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { isWsl, noGpuSeen, own, saidOf, seenOf, wslFacts } from '../driver/_machine.ts';

/** Builds of Windows on which GPU access from WSL was reported broken and marked as a fault by the vendor. */
const brokenBuilds: ReadonlySet<string> = new Set(['20226', '20231', '21327', '21354']);

export const wslOsBuildBug: Rule = defineRule({
  id: 'host-os/wsl-os-build-bug',
  summary: 'One build of Windows breaks GPU access from WSL',
  needs: [],
  anyOf: ['os.platform', 'said.wsl-kernel', 'said.dxgk-failed', 'said.nvml-blocked-by-os', 'said.windows-build'],
  uses: [
    'said.other-windows-build-works',
    'said.cuda-devices-unavailable',
    'said.cuda-unknown-error',
    'said.cuda-os-call-failed',
    'torch.cuda-available',
  ],
  citations: ['wsl-issue-6014', 'cuda-wsl-guide'],
  explains: [
    'said.cuda-*',
    'said.nvml-*',
    'said.dxgk-failed',
    'said.smi-*',
    'said.pt-*',
    'said.tf-*',
    'framework/*',
    'driver/uvm-*',
    'driver/exclusive-compute-mode',
    'driver/wsl-linux-driver-installed',
  ],
  check(_, context) {
    const devices = saidOf(context, 'dxgk-failed');
    const blocked = saidOf(context, 'nvml-blocked-by-os');
    if (!isWsl(context) && devices.length === 0 && blocked.length === 0) return { kind: 'silent' };
    const builds = saidOf(context, 'windows-build').filter((fact) => fact.value.captures['build'] !== undefined);
    const others = context.all('said.other-windows-build-works');
    const symptoms = [
      ...devices,
      ...blocked,
      ...saidOf(
        context,
        'cuda-devices-unavailable',
        'cuda-unknown-error',
        'cuda-os-call-failed',
        'cuda-no-device',
        'cuda-initialization-error',
        'pt-no-gpus-available',
        'tf-no-cuda-drivers',
        'cuda-invalid-device-ordinal',
        'cuda-operation-not-supported',
      ),
    ];
    const blind = noGpuSeen(context);
    const failing = [...symptoms, ...(blind === undefined ? [] : [blind])];
    if (failing.length === 0) return { kind: 'silent' };
    // The kernel tries what this Windows does not have; a driver that answers after it has what it needs.
    const tries = Math.max(-1, ...devices.map((fact) => fact.last ?? fact.order));
    if (failing.every((fact) => fact.id === 'said.dxgk-failed')) {
      const answers = [...own(context, 'driver.answers'), ...own(context, 'gpu.name'), ...own(context, 'works')].find(
        (fact) => !fact.told && fact.order > tries,
      );
      if (answers !== undefined)
        return { kind: 'cleared', because: 'the driver answers in WSL all the same', seen: seenOf(answers) };
    }
    // A Linux driver inside WSL gives the same messages.
    if (
      own(context, 'package').some((fact) =>
        /^(?:nvidia-driver|nvidia-utils|libnvidia-compute|libcuda1)/.test(fact.value.name),
      )
    ) {
      return {
        kind: 'cleared',
        because: 'a Linux driver is installed in WSL, which explains it',
        seen: seenOf(...own(context, 'package').slice(0, 1)),
      };
    }
    const known = builds.find((fact) => brokenBuilds.has(fact.value.captures['build'] ?? ''));
    const build = known ?? builds[0];
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'update Windows and WSL to the newest build, or go back to the last one that worked',
        command: 'wsl --update; winver',
      },
      { actor: 'vendor' as const, do: 'report the build with the WSL logs' },
    ];
    if (known !== undefined && !known.told && symptoms.length > 0) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `GPU access from WSL is broken in Windows build ${known.value.captures['build']}`,
        seen: seenOf(
          known,
          ...symptoms.filter((fact) => !fact.told),
          ...wslFacts(context).filter((fact) => !fact.told),
        ),
        remedies,
        weight: 4,
      };
    }
    if (known !== undefined || others.length > 0) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `GPU access from WSL fails on ${build === undefined ? 'this build of Windows' : `Windows build ${build.value.captures['build']}`}, and another build works`,
        seen: seenOf(...failing, build, ...others.slice(0, 1)),
        remedies,
        weight: 3,
      };
    }
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'Windows does not give the GPU to WSL: the build of Windows or of WSL may be at fault',
      seen: seenOf(...failing, build),
      remedies,
      missing: [{ fact: 'said.windows-build', ask: 'cmd.exe /c ver; wsl.exe --version; dmesg | grep -i dxg' }],
      weight: blocked.length > 0 || devices.length > 0 || build !== undefined ? 3 : 1,
    };
  },
});
