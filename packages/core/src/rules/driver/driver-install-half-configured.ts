import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { pairOf } from './_releases.ts';

const driverName = /nvidia(?!-(?:container|docker|cuda-toolkit))|cuda-drivers|libcuda1|kmod-|akmod/;

export const driverInstallHalfConfigured: Rule = defineRule({
  id: 'driver/driver-install-half-configured',
  summary: 'The installation of the driver packages stopped half way',
  needs: [],
  anyOf: ['said.package-half-configured', 'said.package-manager-interrupted', 'package'],
  uses: ['said.dkms-build-failed', 'said.smi-couldnt-communicate'],
  citations: ['dpkg-manual', 'driver-installation-guide'],
  explains: [
    'said.package-*',
    'said.smi-*',
    'said.nvml-driver-not-loaded',
    'said.cuda-no-device',
    'said.pt-*',
    'said.modprobe-*',
    'said.nvidia-module-load-failed',
    'said.smi-not-found',
    'framework/*',
    'host-os/kmod-missing-for-running-kernel',
  ],
  check(_facts, context) {
    const pair = pairOf(context);
    // Module and libraries of two releases: the rules of the mismatch say the same with more proof.
    if (pair.messages.length > 0 || pair.relation === 'library-newer' || pair.relation === 'library-older')
      return { kind: 'silent' };
    const bad = own(context, 'package').find(
      (fact) =>
        fact.value.manager === 'dpkg' &&
        driverName.test(fact.value.name) &&
        /^[iu][UFHWt]|^.[^ ]R/.test(fact.value.build ?? ''),
    );
    const half = said(context, 'package-half-configured').find((fact) => {
      const name = fact.value.captures['package'];
      return (
        name !== undefined &&
        driverName.test(name) &&
        fact.seen.every((each) => !/kept back|on hold|\bhi\b/.test(each.text))
      );
    });
    const stopped = said(context, 'package-manager-interrupted');
    const scriptlet = stopped.find(
      (fact) => fact.value.captures['package'] !== undefined || fact.value.captures['package2'] !== undefined,
    );
    const whole = own(context, 'package').find((fact) => driverName.test(fact.value.name) && fact.value.build === 'ii');
    const listed =
      stopped.length === 0
        ? undefined
        : said(context, 'dpkg-audit-package').find((fact) => fact.order > stopped[0]!.order);
    const proof = bad ?? half ?? scriptlet ?? listed;
    const symptom = [
      ...said(
        context,
        'smi-couldnt-communicate',
        'nvml-driver-not-loaded',
        'smi-not-found',
        'modprobe-nvidia-not-found',
        'nvidia-module-load-failed',
        'cuda-no-device',
        'pt-no-driver',
        'pt-no-gpus-available',
        'nvml-library-not-found',
        'tf-no-cuda-drivers',
        'k8s-operator-validation-wait',
      ),
      ...own(context, 'torch.cuda-available').filter((fact) => !fact.value),
    ][0];
    const build = said(context, 'dkms-build-failed')[0];
    const remedies = [
      {
        actor: 'node-admin',
        do: 'finish what was begun',
        command: 'dpkg --configure -a && apt-get -f install   # or dnf reinstall of the package named',
      },
      {
        actor: 'node-admin',
        do: 'read why it stopped: headers, a full disk, a lock, a failed DKMS build',
        command: 'tail -n 60 /var/log/apt/term.log /var/lib/dkms/nvidia/*/build/make.log',
      },
      { actor: 'node-admin', do: 'load the module or reboot', command: 'modprobe nvidia && nvidia-smi' },
    ] as const;
    if (proof === undefined) {
      if (stopped.length > 0)
        return { kind: 'unknown', missing: [missing('package', 'dpkg --audit; dpkg -l | grep -i nvidia')] };
      return whole !== undefined && symptom !== undefined
        ? { kind: 'cleared', because: `${whole.value.name} is installed to the end`, seen: seen(whole) }
        : { kind: 'silent' };
    }
    const name =
      bad?.value.name ??
      half?.value.captures['package'] ??
      scriptlet?.value.captures['package'] ??
      scriptlet?.value.captures['package2'] ??
      listed?.value.captures['package'] ??
      'a driver package';
    return {
      kind: 'fault',
      certainty: symptom === undefined ? 'likely' : byPrint(proof, symptom),
      message: `the installation of ${name} did not run to its end`,
      seen: seen(symptom, proof, stopped[0], build),
      remedies,
      missing:
        symptom === undefined
          ? [missing('driver.module', 'nvidia-smi; cat /proc/driver/nvidia/version; dkms status')]
          : [],
      weight: build === undefined ? 2 : -1,
    };
  },
});
