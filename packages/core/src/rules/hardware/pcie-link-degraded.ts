import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';
import { gpuNamed } from './_clocks.ts';
import { gpuOf, loggedXids } from './_xids.ts';

export const pcieLinkDegraded: Rule = defineRule({
  id: 'hardware/pcie-link-degraded',
  summary: 'The PCIe link of a GPU is narrower or slower than it should be',
  needs: [],
  anyOf: ['gpu.pcie', 'pci.link', 'said.pcie-aer', 'said.pcie-bandwidth-limited', 'gpu.xid'],
  citations: ['gpu-debug-guide', 'nvml-header'],
  check(_facts, context) {
    const links = own(context, 'gpu.pcie');
    const buses = own(context, 'pci.link').filter((fact) =>
      /nvidia|3d controller|vga|display/i.test(fact.value.device),
    );
    const errors = said(context, 'pcie-aer').filter(
      (fact) =>
        !/^corr/i.test(fact.value.captures['kind'] ?? fact.value.captures['sev'] ?? fact.value.captures['sev2'] ?? ''),
    );
    const corrected = said(context, 'pcie-aer').reduce((sum, fact) => sum + fact.value.count, 0);
    const events = loggedXids(context, [167, 176]);
    const remedies = [
      { actor: 'cluster-admin', do: 'drain the node' },
      {
        actor: 'node-admin',
        do: 'compare link and error counters of all GPUs under load',
        command:
          'nvidia-smi --query-gpu=index,pstate,utilization.gpu,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max --format=csv; dmesg -T | grep -E "AER|pcieport"',
      },
      { actor: 'node-admin', do: 'power-cycle, reseat the GPU, then change riser, cable or retimer' },
      { actor: 'vendor', do: 'replace the board if it stays with the GPU' },
    ] as const;
    const narrow = links.find(
      (fact) =>
        fact.value.width !== null &&
        fact.value.widthMax !== null &&
        fact.value.width > 0 &&
        fact.value.width < fact.value.widthMax,
    );
    if (narrow !== undefined) {
      const same =
        links.length > 1 &&
        links.every((fact) => fact.value.width === narrow.value.width && fact.value.widthMax === narrow.value.widthMax);
      return {
        kind: 'fault',
        // Where all boards are alike, the slots may be built so.
        certainty: same ? 'possible' : byPrint(narrow),
        message: `the PCIe link of ${gpuNamed(narrow.value.gpu)} has ${narrow.value.width} of ${narrow.value.widthMax} lanes`,
        seen: seen(narrow),
        remedies,
        ...(same
          ? {
              missing: [
                missing('how many lanes the slots of this machine have', 'lspci -vv | grep -E "LnkCap:|LnkSta:"'),
              ],
            }
          : {}),
        weight: 2,
      };
    }
    const best = (fact: (typeof links)[number]): number | null => {
      const known = [fact.value.generationMax, fact.value.generationHostMax].filter((each) => each !== null);
      return known.length === 0 ? null : Math.min(...known);
    };
    const slow = links.filter((fact) => fact.value.generation !== null && (best(fact) ?? 0) > fact.value.generation);
    const busy = (fact: (typeof links)[number]): boolean | null =>
      fact.value.utilization !== null
        ? fact.value.utilization >= 20
        : fact.value.performanceState === null
          ? null
          : /^P[0-2]$/.test(fact.value.performanceState);
    const loaded = slow.find((fact) => busy(fact) === true);
    if (loaded !== undefined) {
      return {
        kind: 'fault',
        certainty: loaded.value.utilization === null ? 'likely' : byPrint(loaded),
        message: `the PCIe link of ${gpuNamed(loaded.value.gpu)} runs at generation ${loaded.value.generation} under load, and could run at ${best(loaded)}`,
        seen: seen(loaded),
        remedies,
        ...(loaded.value.utilization === null
          ? { missing: [missing('the link while the GPU copies', 'nvidia-smi -q -d PCIE,UTILIZATION during a job')] }
          : {}),
        weight: 2,
      };
    }
    const event = events[0];
    if (event !== undefined || errors.length > 0) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message:
          event === undefined
            ? 'PCIe reports errors that it could not correct'
            : `${gpuOf(event)} reports PCIe errors (Xid ${event.value.xid})`,
        seen: seen(event, errors[0]),
        remedies,
        missing: [missing('gpu.pcie', 'nvidia-smi -q -d PCIE; lspci -vv | grep -E "LnkCap:|LnkSta:"')],
        weight: 1,
      };
    }
    const bus = buses.find(
      (fact) =>
        fact.value.width !== null &&
        fact.value.widthMax !== null &&
        fact.value.width < fact.value.widthMax &&
        fact.value.width > 0,
    );
    const peers = buses.filter((fact) => fact.value.width !== null && fact.value.width === fact.value.widthMax);
    if (bus !== undefined) {
      return {
        kind: 'fault',
        certainty: peers.length > 0 ? byPrint(bus) : 'likely',
        message: `the PCIe link at ${bus.value.address} has ${bus.value.width} of ${bus.value.widthMax} lanes`,
        seen: seen(bus, peers[0]),
        remedies,
        ...(peers.length > 0
          ? {}
          : { missing: [missing('how many lanes the slot has', 'lspci -vv; nvidia-smi -q -d PCIE')] }),
        weight: 2,
      };
    }
    const replays = links.find((fact) => (fact.value.replays ?? 0) >= 100);
    if (replays !== undefined || corrected >= 20) {
      const line = replays ?? said(context, 'pcie-aer')[0];
      return {
        kind: 'fault',
        certainty: replays !== undefined && corrected >= 20 ? 'likely' : 'possible',
        message:
          replays !== undefined
            ? `${gpuNamed(replays.value.gpu)} had to repeat ${replays.value.replays} PCIe transfers`
            : `PCIe corrected errors ${corrected} times`,
        seen: seen(line, said(context, 'pcie-aer')[0]),
        remedies,
        missing: [missing('whether the counters grow', 'nvidia-smi -q -d PCIE twice; dmesg -T | grep AER')],
      };
    }
    const slower =
      slow.find((fact) => busy(fact) === null) ??
      (buses.find(
        (fact) => fact.value.speed !== null && fact.value.speedMax !== null && fact.value.speed < fact.value.speedMax,
      ) as (typeof links)[number] | undefined);
    if (slow.length > 0 && slow.every((fact) => busy(fact) === false)) {
      return { kind: 'cleared', because: 'the link is slower only since the GPU is idle', seen: seen(slow[0]) };
    }
    if (slower !== undefined) {
      return {
        kind: 'unknown',
        missing: [
          missing(
            'the link while the GPU works; an idle GPU lowers it',
            'nvidia-smi --query-gpu=index,utilization.gpu,pcie.link.gen.current,pcie.link.width.current --format=csv during a job',
          ),
        ],
      };
    }
    const probed = said(context, 'pcie-bandwidth-limited')[0];
    if (probed !== undefined) {
      const { width, most } = probed.value.captures;
      const lanes = Number(width) < Number(most);
      return {
        kind: 'fault',
        // A GPU that nobody uses yet is often found at its lowest generation.
        certainty: 'possible',
        message: `the kernel found a device with ${lanes ? `${width} of ${most} lanes` : `a link of ${probed.value.captures['speed']} GT/s, where ${probed.value.captures['best']} are possible`}`,
        seen: seen(probed),
        remedies,
        missing: [missing('gpu.pcie', 'nvidia-smi -q -d PCIE,UTILIZATION during a job')],
        weight: -2,
      };
    }
    const full = links.find((fact) => fact.value.width !== null && fact.value.width === fact.value.widthMax);
    if (full !== undefined)
      return { kind: 'cleared', because: `the PCIe link has all its ${full.value.width} lanes`, seen: seen(full) };
    return { kind: 'silent' };
  },
});
