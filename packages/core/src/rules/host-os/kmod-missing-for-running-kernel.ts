import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import {
  absentModules,
  byPrint,
  captured,
  isWsl,
  loadedModules,
  moduleAway,
  ofHost,
  own,
  saidOf,
  seenOf,
} from '../driver/_machine.ts';

/** What shows that no module fits the running kernel; `strong` by itself, else only beside a driver that does not answer. */
interface Sign {
  readonly message: string;
  readonly facts: readonly (Fact | undefined)[];
  readonly certain: boolean;
}

function signsOf(context: RuleContext, symptoms: readonly Fact[]): Sign | null {
  const running = ofHost(context, 'os.kernel')[0];
  const missing = saidOf(context, 'module-not-in-tree', 'modprobe-nvidia-not-found').filter(
    (fact) =>
      fact.value.captures['why'] === undefined &&
      !/uvm|peermem|fs$/.test(fact.value.captures['module'] ?? fact.value.captures['mod'] ?? 'nvidia'),
  );
  const headers = saidOf(context, 'kernel-headers-missing');
  const absentHeaders = own(context, 'os.kernel-headers-absent');
  const other = saidOf(context, 'module-built-for-other-kernel').filter(
    (fact) => fact.value.captures['module'] === undefined || !/uvm/.test(fact.value.captures['module']),
  );
  const build = saidOf(context, 'dkms-build-failed');
  const states = saidOf(context, 'dkms-state');
  if (missing.length > 0) {
    const kernel = captured(missing, 'kernel', 'dir')?.value.replace('/lib/modules/', '') ?? running?.value;
    return {
      message: `there is no NVIDIA module for the running kernel${kernel === undefined ? '' : ` ${kernel}`}`,
      facts: [...missing, ...headers, ...absentHeaders],
      certain: true,
    };
  }
  // A package that is not found blocks nothing by itself; what DKMS and the installer say does.
  const blocked = headers.some((fact) => fact.value.captures['package'] === undefined);
  const related = symptoms.length > 0 || build.length > 0;
  if ((headers.length > 0 || absentHeaders.length > 0) && (related || blocked)) {
    const kernel = captured(headers, 'kernel')?.value ?? running?.value;
    return {
      message: `the headers of kernel ${kernel ?? '(running)'} are not installed, so its NVIDIA module cannot be built`,
      facts: [...headers, ...absentHeaders, ...build, ...symptoms],
      // DKMS says it of any module: the NVIDIA one is meant where that one is missed, or where its installer speaks.
      certain: related || headers.some((fact) => /kernel source tree/.test(fact.seen[0]?.text ?? '')),
    };
  }
  if (other.length > 0) {
    const built = captured(other, 'built');
    return {
      message:
        built === undefined
          ? 'the NVIDIA module on disk does not fit the running kernel'
          : `the NVIDIA module was built for kernel ${built.value}, and another one runs`,
      facts: other,
      certain: built !== undefined || other.some((fact) => fact.value.captures['symbol'] !== undefined),
    };
  }
  const built = states.filter(
    (fact) => fact.value.captures['kernel'] !== undefined && /installed|built/.test(fact.value.captures['state'] ?? ''),
  );
  if (
    running !== undefined &&
    built.length > 0 &&
    built.every((fact) => fact.value.captures['kernel'] !== running.value) &&
    symptoms.length > 0
  ) {
    const kernels = [...new Set(built.map((fact) => fact.value.captures['kernel'] ?? ''))].slice(0, 3).join(' and ');
    return {
      message: `DKMS built the module for ${kernels}, but kernel ${running.value} runs`,
      facts: [running, ...built, ...symptoms],
      certain: true,
    };
  }
  const files = ofHost(context, 'file.exists').flatMap((fact) => {
    const kernel = /^\/lib\/modules\/([^/]{3,80})\/.{0,200}\/nvidia(?:-current)?\.ko/.exec(fact.value)?.[1];
    return kernel === undefined ? [] : [{ kernel, fact }];
  });
  if (
    running !== undefined &&
    files.length > 0 &&
    files.every((each) => each.kernel !== running.value) &&
    symptoms.length > 0
  ) {
    return {
      message: `the NVIDIA module is there for kernel ${files[0]!.kernel}, but ${running.value} runs`,
      facts: [running, ...files.map((each) => each.fact), ...symptoms],
      certain: true,
    };
  }
  const file = ofHost(context, 'driver.module-file-kernel')[0];
  if (running !== undefined && file !== undefined && file.value !== running.value && symptoms.length > 0) {
    return {
      message: `the NVIDIA module on disk is for kernel ${file.value}, but ${running.value} runs`,
      facts: [running, file, ...symptoms],
      certain: true,
    };
  }
  if (build.length > 0) {
    return {
      message: 'DKMS could not build the NVIDIA module for the kernel',
      facts: [...build, ...symptoms],
      certain: false,
    };
  }
  return null;
}

export const kmodMissingForRunningKernel: Rule = defineRule({
  id: 'host-os/kmod-missing-for-running-kernel',
  summary: 'There is no NVIDIA kernel module for the kernel that runs',
  needs: [],
  anyOf: [
    'said.smi-couldnt-communicate',
    'said.persistenced-no-devices',
    'said.nvml-driver-not-loaded',
    'said.nvidia-module-load-failed',
    'said.module-not-in-tree',
    'said.modprobe-nvidia-not-found',
    'said.kernel-headers-missing',
    'said.module-built-for-other-kernel',
    'said.dkms-build-failed',
    'said.tf-kernel-module-away',
    'os.kernel-headers-absent',
  ],
  uses: [
    'os.kernel',
    'file.exists',
    'said.dkms-state',
    'driver.module-file-kernel',
    'modules.absent',
    'modules.loaded',
  ],
  citations: ['dkms', 'driver-installation-guide'],
  explains: [
    'said.smi-*',
    'said.nvml-*',
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.ggml-*',
    'said.ncc-*',
    'said.oci-*',
    'said.dkms-build-failed',
    'said.modprobe-nvidia-not-found',
    'said.module-not-in-tree',
    'said.nvidia-module-load-failed',
    'framework/*',
    'driver/uvm-module-missing',
    'container-runtime/*',
  ],
  check(_, context) {
    const symptoms = saidOf(context, ...moduleAway, 'tf-kernel-module-away');
    const loaded = loadedModules(context);
    const first = symptoms[0] ?? saidOf(context, 'module-not-in-tree')[0];
    if (isWsl(context)) return { kind: 'silent' };
    if (loaded.names.has('nvidia')) {
      return {
        kind: 'cleared',
        because: 'the nvidia module is loaded',
        seen: seenOf(...loaded.facts.filter((fact) => fact.value.includes('nvidia'))),
      };
    }
    // A module that is refused or that finds its GPU taken is there.
    if (
      saidOf(context, 'module-signature-rejected', 'nouveau-in-use', 'nvrm-requires-open-module').length > 0 ||
      loaded.names.has('nouveau')
    )
      return { kind: 'silent' };
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'install the headers of the running kernel',
        command:
          'apt-get install "linux-headers-$(uname -r)" || dnf install "kernel-devel-$(uname -r)" "kernel-headers-$(uname -r)"',
      },
      {
        actor: 'node-admin' as const,
        do: 'build the module for it and load it',
        command: 'dkms autoinstall -k "$(uname -r)" && modprobe nvidia && nvidia-smi',
      },
      {
        actor: 'node-admin' as const,
        do: 'let the header package follow the kernel (linux-headers-generic, kernel-devel-matched), so that the next kernel has its module',
      },
    ];
    const sign = signsOf(context, symptoms);
    const stale = saidOf(context, 'dkms-tree-stale').length > 0;
    if (sign !== null) {
      const certainty = sign.certain ? byPrint(...sign.facts) : 'likely';
      const shown = certainty === 'proved' ? sign.facts.filter((fact) => fact?.told !== true) : sign.facts;
      return {
        kind: 'fault',
        certainty,
        message: sign.message,
        seen: seenOf(...shown),
        remedies,
        missing:
          certainty === 'proved'
            ? []
            : [{ fact: 'said.dkms-state', ask: 'uname -r; dkms status; ls /lib/modules/$(uname -r)/build' }],
        weight: stale ? 0 : 4,
      };
    }
    if (first === undefined) return { kind: 'silent' };
    const absent = absentModules(context);
    const away = absent.names.has('nvidia');
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'the NVIDIA kernel module does not answer: none may exist for the running kernel',
      seen: seenOf(first, ...(away ? absent.facts : [])),
      remedies,
      missing: [
        {
          fact: 'said.dkms-state',
          ask: 'uname -r; dkms status; modprobe nvidia; dmesg | grep -iE "nvrm|nouveau|nvidia" | tail',
        },
      ],
      weight: away ? 3 : 2,
    };
  },
});
