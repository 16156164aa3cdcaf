import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import type { RuleContext } from '../../model/rule.ts';
import { byWords, loadedLibcuda } from './_loads.ts';
import { byPrint, noGpuSeen, ofHost, own, saidOf, seenOf, works } from './_machine.ts';
import { mismatchMessages, pairOf, releaseOfPackage } from './_releases.ts';

/** Packages that carry a driver, with the branch in the name or the release in the version. */
const driverPackage =
  /^(?:nvidia-(?:driver|dkms|kernel-source|kernel-common|utils|compute-utils|headless)-(?<branch>\d{3})|libnvidia-compute-(?<compute>\d{3})|nvidia-(?<old>3\d\d)|libcuda1-(?<cuda>\d{3})|nvidia-driver|nvidia-kernel-dkms|akmod-nvidia|kmod-nvidia\S{0,40}|xorg-x11-drv-nvidia|cuda-drivers(?:-(?<drivers>\d{3}))?)(?:-server|-open)?$/;
const rpmFusion = /^(?:akmod-nvidia|xorg-x11-drv-nvidia)/;
const vendorRpm = /^(?:nvidia-driver|nvidia-kmod|kmod-nvidia-(?:latest|open)|dkms-nvidia)/;
const runfileMarks = /\/(?:nvidia-uninstall|nvidia-installer(?:\.log)?)$/;

interface Source {
  readonly name: string;
  readonly fact: Fact;
}

/** Where drivers on this host come from, one entry for each that differs. */
function sourcesOf(context: RuleContext): readonly Source[] {
  const sources = new Map<string, Source>();
  const add = (key: string, name: string, fact: Fact): void => {
    if (!sources.has(key)) sources.set(key, { name, fact });
  };
  for (const fact of ofHost(context, 'package')) {
    const { manager, name, version, build } = fact.value;
    if (manager !== 'rpm' && build !== undefined && !/^[ih]i/.test(build)) continue;
    if (manager === 'rpm' && rpmFusion.test(name)) add('rpm:fusion', `${name} ${version}`, fact);
    else if (manager === 'rpm' && vendorRpm.test(name)) add('rpm:vendor', `${name} ${version}`, fact);
    else if (manager === 'dpkg' || manager === 'other') {
      const match = driverPackage.exec(name);
      if (match === null) continue;
      const branch =
        Object.values(match.groups ?? {}).find((each) => each !== undefined) ?? releaseOfPackage(version)?.slice(0, 3);
      // Transitional packages carry an old name and the release of the new one.
      const release = releaseOfPackage(version)?.slice(0, 3);
      const key = release ?? branch;
      if (key !== undefined) add(`package:${key}`, `${name} ${version}`, fact);
    }
  }
  for (const fact of ofHost(context, 'file.exists')) {
    if (runfileMarks.test(fact.value)) add('runfile', `a driver of the .run installer (${fact.value})`, fact);
  }
  const packaged = [...sources.keys()].some((key) => key !== 'runfile');
  const log = saidOf(context, 'runfile-installer').find((fact) => !fact.told);
  if (log !== undefined && packaged) {
    const release = saidOf(context, 'runfile-installer').find((fact) => fact.value.captures['release'] !== undefined);
    add('runfile', `${release?.value.captures['release'] ?? 'a driver'} of the .run installer`, release ?? log);
  }
  return [...sources.values()];
}

export const twoDriversInstalled: Rule = defineRule({
  id: 'driver/two-drivers-installed',
  summary: 'Drivers from two sources are installed on one host',
  needs: [],
  anyOf: [
    'package',
    'file.exists',
    'said.second-driver-source',
    'said.driver-clean-install-helped',
    'loader.loads',
    'said.runfile-installer',
  ],
  uses: [
    'said.nvml-driver-library-mismatch',
    'said.cuda-no-device',
    'said.cuda-unknown-error',
    'said.smi-couldnt-communicate',
    'said.cuda-insufficient-driver',
    'said.cuda-initialization-error',
    'said.smi-no-devices-found',
    'said.mxnet-no-gpu',
    'torch.cuda-available',
    'program.exception',
  ],
  citations: ['driver-installation-guide'],
  explains: [
    'said.nvml-*',
    'said.nvrm-api-mismatch',
    'said.smi-*',
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.second-driver-source',
    'said.nvidia-module-load-failed',
    'framework/*',
    'driver/stale-driver-libs-on-host',
    'driver/kmod-not-upgraded-package-broken',
    'driver/kmod-userspace-mismatch-after-upgrade',
    'host-os/kmod-missing-for-running-kernel',
    'driver/userspace-newer-than-kernel-module',
  ],
  check(_, context) {
    const sources = sourcesOf(context);
    const said = saidOf(context, 'second-driver-source').filter((fact) => !fact.told);
    const cured = context.all('said.driver-clean-install-helped');
    const symptoms = saidOf(
      context,
      ...mismatchMessages,
      'smi-couldnt-communicate',
      'smi-no-devices-found',
      'cuda-no-device',
      'cuda-unknown-error',
      'cuda-insufficient-driver',
      'cuda-initialization-error',
      'pt-no-driver',
      'pt-driver-too-old',
      'nvidia-module-load-failed',
      'cuda-system-driver-mismatch',
      'dkms-build-failed',
      'mxnet-no-gpu',
    );
    const blind = noGpuSeen(context) ?? own(context, 'program.exception')[0];
    const pair = pairOf(context);
    const unlike = pair.relation === 'library-newer' || pair.relation === 'library-older';
    const failing = symptoms.length > 0 || noGpuSeen(context) !== undefined || unlike;
    if (works(context) && !failing) return { kind: 'silent' };
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'remove the driver of the .run file with its own uninstaller',
        command: 'nvidia-uninstall',
      },
      {
        actor: 'node-admin' as const,
        do: 'remove every NVIDIA driver package',
        command: "apt-get purge '^(lib)?nvidia-.*' || dnf remove '*nvidia*'",
      },
      {
        actor: 'node-admin' as const,
        do: 'install one driver from one source, reboot, and keep the toolkit packages from pulling a driver in (install cuda-toolkit, not cuda)',
      },
    ];
    const [one, two] = sources;
    const loaded = loadedLibcuda(context);
    const contained = own(context, 'container.inside').length > 0;
    // An older one that wins is the matter of files that were left over.
    if (
      loaded !== null &&
      loaded.order === 'newer' &&
      loaded.right !== undefined &&
      loaded.load.value.kind !== 'compat' &&
      !contained
    )
      return {
        kind: 'fault',
        certainty: loaded.sure ? 'proved' : 'possible',
        message: `libraries of two drivers lie on this host: a process takes libcuda ${loaded.version} (${loaded.path}) ${byWords(loaded.load)}, and that of the loaded module ${loaded.module.value}, ${loaded.right}, loses`,
        seen: seenOf(loaded.load, loaded.module, one?.fact, two?.fact),
        remedies:
          loaded.load.value.by === 'LD_LIBRARY_PATH'
            ? [
                {
                  actor: 'node-admin',
                  do: 'take the folder of the other driver out of LD_LIBRARY_PATH',
                  command: 'unset LD_LIBRARY_PATH; ldconfig -p | grep libcuda',
                },
                ...remedies,
              ]
            : remedies,
        weight: 6,
      };
    if (one !== undefined && two !== undefined) {
      return {
        kind: 'fault',
        certainty: failing || said.length > 0 ? byPrint(one.fact, two.fact) : 'possible',
        message: `two drivers are installed: ${one.name}, and ${two.name}`,
        seen: seenOf(
          one.fact,
          two.fact,
          ...said,
          ...symptoms.filter((fact) => !fact.told),
          ...(unlike ? [pair.module?.fact, pair.library?.fact] : []),
        ),
        remedies,
        missing: failing ? [] : [{ fact: 'driver.module', ask: 'cat /proc/driver/nvidia/version; nvidia-smi' }],
        weight: 6,
      };
    }
    if (said.length > 0) {
      return {
        kind: 'fault',
        certainty: failing ? (one === undefined ? 'likely' : 'proved') : 'possible',
        message: 'an installer met a driver that another one had installed',
        seen: seenOf(...said, one?.fact, ...symptoms),
        remedies,
        missing:
          failing && one !== undefined
            ? []
            : [
                {
                  fact: 'package',
                  ask: "dpkg -l '*nvidia*' | grep ^ii; ls /usr/bin/nvidia-uninstall /var/log/nvidia-installer.log",
                },
              ],
        weight: 2,
      };
    }
    if (cured.length > 0 && (failing || blind !== undefined)) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'only the removal of every driver package cured it: remains of a second driver were in the way',
        seen: seenOf(...symptoms, blind, ...cured),
        remedies,
        missing: [{ fact: 'package', ask: "dpkg -l '*nvidia*' | grep ^ii; ls /usr/bin/nvidia-uninstall" }],
        weight: 1,
      };
    }
    return one !== undefined && failing
      ? { kind: 'cleared', because: `one driver is installed: ${one.name}`, seen: one.fact.seen }
      : { kind: 'silent' };
  },
});
