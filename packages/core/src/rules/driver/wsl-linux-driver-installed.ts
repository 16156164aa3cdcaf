import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { isWsl, noGpuSeen, own, saidOf, seenOf, works, wslFacts } from './_machine.ts';

const linuxDriver =
  /^(?:nvidia-(?:driver|utils|dkms|kernel|compute-utils|headless)|libnvidia-(?:compute|gl|decode|encode)|cuda-drivers|libcuda1|xorg-x11-drv-nvidia|nvidia-kmod)/;

/** What of a Linux driver is installed in this WSL: packages, libraries at the usual places, its DKMS module. */
function partsOf(context: RuleContext): readonly Fact[] {
  const packages = own(context, 'package').filter(
    (fact) =>
      (fact.value.manager === 'dpkg' || fact.value.manager === 'rpm') &&
      linuxDriver.test(fact.value.name) &&
      (fact.value.manager === 'rpm' || fact.value.build === undefined || /^[ih]/.test(fact.value.build)),
  );
  const libraries = [...own(context, 'loader.resolved'), ...own(context, 'loader.cache')].filter(
    (fact) =>
      /^libcuda\.so|^libnvidia-ml\.so/.test(fact.value.soname) &&
      fact.value.path !== null &&
      /^\/(?:usr\/)?lib(?:64|\/x86_64-linux-gnu|\/aarch64-linux-gnu)\//.test(fact.value.path),
  );
  const files = own(context, 'file.exists').filter((fact) =>
    /^\/(?:usr\/)?lib(?:64|\/\w+-linux-gnu)\/lib(?:cuda|nvidia-ml)\.so/.test(fact.value),
  );
  return [...packages, ...libraries, ...files, ...saidOf(context, 'dkms-state')];
}

export const wslLinuxDriverInstalled: Rule = defineRule({
  id: 'driver/wsl-linux-driver-installed',
  summary: 'A Linux driver is installed inside WSL, where the driver of Windows serves the GPU',
  needs: [],
  anyOf: ['os.platform', 'said.wsl-kernel', 'said.nvml-blocked-by-os'],
  uses: [
    'package',
    'loader.resolved',
    'loader.cache',
    'file.exists',
    'said.dkms-state',
    'said.module-not-in-tree',
    'said.smi-couldnt-communicate',
    'said.nvml-driver-library-mismatch',
    'torch.cuda-available',
  ],
  citations: ['cuda-wsl-guide'],
  explains: [
    'said.smi-*',
    'said.nvml-*',
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.module-not-in-tree',
    'said.modprobe-nvidia-not-found',
    'said.kernel-headers-missing',
    'said.dkms-build-failed',
    'said.wsl-libcuda-plain-file',
    'framework/*',
    'host-os/*',
    'driver/*',
  ],
  check(_, context) {
    if (!isWsl(context)) return { kind: 'silent' };
    const parts = partsOf(context);
    const attempts = saidOf(
      context,
      'module-not-in-tree',
      'modprobe-nvidia-not-found',
      'kernel-headers-missing',
      'dkms-build-failed',
    );
    const symptoms = saidOf(
      context,
      'smi-couldnt-communicate',
      'nvml-driver-library-mismatch',
      'nvml-driver-not-loaded',
      'nvml-blocked-by-os',
      'cuda-no-device',
      'cuda-unknown-error',
      'pt-no-driver',
      'cuda-insufficient-driver',
      'cuda-system-driver-mismatch',
      'cuda-initialization-error',
      'segfault-in-nvidia-lib',
      'tf-no-cuda-drivers',
      'smi-no-devices-found',
      'nvml-unknown-error-container',
      'cuda-os-call-failed',
    );
    const blind = noGpuSeen(context);
    const failing = [...symptoms, ...(blind === undefined ? [] : [blind])];
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'remove every Linux driver package in WSL',
        command: "sudo apt-get purge '^nvidia-.*' '^libnvidia-.*' cuda-drivers && sudo ldconfig",
      },
      {
        actor: 'node-admin' as const,
        do: 'keep the driver in Windows, and install the toolkit for WSL without a driver',
        command: 'sudo apt-get install cuda-toolkit-12-8',
      },
      {
        actor: 'node-admin' as const,
        do: 'restart WSL and use its own nvidia-smi',
        command: 'wsl --shutdown; /usr/lib/wsl/lib/nvidia-smi',
      },
    ];
    const printed = parts.filter((fact) => !fact.told);
    if (printed.length > 0 || parts.length > 0) {
      if (works(context) && failing.length === 0) return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: printed.length === 0 ? 'likely' : failing.length > 0 ? 'proved' : 'likely',
        message: 'a Linux driver is installed in WSL and stands before the driver of Windows',
        seen: seenOf(
          ...(printed.length > 0 ? printed : parts),
          ...failing,
          ...wslFacts(context).filter((fact) => !fact.told),
        ),
        remedies,
        missing:
          failing.length > 0
            ? []
            : [{ fact: 'driver.answers', ask: '/usr/lib/wsl/lib/nvidia-smi; ldconfig -p | grep libcuda' }],
        weight: 5,
      };
    }
    const shipped = own(context, 'loader.cache').find(
      (fact) => fact.value.soname.startsWith('libcuda.so') && (fact.value.path ?? '').includes('/wsl/'),
    );
    if (shipped !== undefined)
      return { kind: 'cleared', because: 'libcuda is taken from the driver directory of WSL', seen: shipped.seen };
    if (
      attempts.length > 0 ||
      symptoms.some(
        (fact) => fact.id === 'said.smi-couldnt-communicate' || fact.id === 'said.nvml-driver-library-mismatch',
      )
    ) {
      const first = [...attempts, ...symptoms][0]!;
      return {
        kind: 'fault',
        certainty: symptoms.length > 0 ? 'likely' : 'possible',
        message: 'a tool of a Linux driver runs in WSL, where no Linux kernel module exists',
        seen: seenOf(first, ...attempts, ...wslFacts(context).filter((fact) => !fact.told)),
        remedies,
        missing: [
          { fact: 'package', ask: "dpkg -l | grep -E 'nvidia|libcuda'; which nvidia-smi; ls -l /usr/lib/wsl/lib" },
        ],
        weight: 3,
      };
    }
    return { kind: 'silent' };
  },
});
