import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const hostDriverNotLoaded: Rule = defineRule({
  id: 'driver/host-driver-not-loaded',
  summary: 'The host has no running driver for its containers',
  needs: [],
  anyOf: ['said.ncc-nvml-error', 'said.ncc-load-library-failed'],
  uses: [
    'said.smi-couldnt-communicate',
    'said.smi-not-found',
    'modules.absent',
    'package.absent',
    'said.proc-driver-missing',
  ],
  citations: ['libnvidia-container-source', 'driver-installation-guide'],
  explains: [
    'said.ncc-*',
    'said.oci-hook-failed',
    'said.k8s-create-container-error',
    'said.nct-*',
    'said.smi-*',
    'said.nvml-driver-not-loaded',
    'said.proc-driver-missing',
    'container-runtime/toolkit-driver-root-wrong',
  ],
  check(_facts, context) {
    const loaded = said(context, 'ncc-nvml-error').find((fact) =>
      /driver (?:not loaded|not found)|driver is not loaded/i.test(fact.value.captures['err'] ?? ''),
    );
    const library = said(context, 'ncc-load-library-failed').find((fact) =>
      /libnvidia-ml|libcuda/.test(fact.value.captures['lib'] ?? ''),
    );
    const lead = loaded ?? library;
    if (lead === undefined) return { kind: 'silent' };
    const works = own(context, 'driver.answers').find((fact) => fact.scope !== 'container');
    if (works !== undefined) return { kind: 'cleared', because: 'nvidia-smi answers on the host', seen: seen(works) };
    const proof =
      said(context, 'smi-couldnt-communicate', 'nvml-driver-not-loaded', 'proc-driver-missing')[0] ??
      own(context, 'modules.absent').find((fact) => fact.value.includes('nvidia')) ??
      said(context, 'smi-not-found').find((fact) => fact.scope !== 'container') ??
      own(context, 'package.absent').find((fact) => /nvidia(?!-container)/.test(fact.value)) ??
      own(context, 'loader.cache-absent').find((fact) => /libnvidia-ml|libcuda/.test(fact.value));
    return {
      kind: 'fault',
      certainty:
        proof === undefined
          ? loaded === undefined
            ? 'possible'
            : 'likely'
          : loaded === undefined
            ? 'likely'
            : byPrint(loaded, proof),
      message:
        loaded === undefined
          ? 'the host has no driver library for the container'
          : 'the driver of the host is not loaded',
      seen: seen(lead, proof),
      remedies: [
        {
          actor: 'node-admin',
          do: 'make nvidia-smi work on the host first',
          command: 'nvidia-smi; lsmod | grep nvidia; modprobe nvidia; dmesg | grep -i nvrm | tail',
        },
        { actor: 'node-admin', do: 'install the driver on the host; an image cannot bring it' },
        { actor: 'cluster-admin', do: 'with the GPU operator: wait until its driver pod is ready' },
      ],
      missing: proof === undefined ? [missing('driver.answers', 'nvidia-smi   # on the host')] : [],
      weight: loaded === undefined ? -2 : 0,
    };
  },
});
