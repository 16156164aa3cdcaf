import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

/** True when a kernel release such as `5.4.0-200-generic` is older than `major.minor`. */
function olderThan(release: string, major: number, minor: number): boolean {
  const match = /^(\d{1,2})\.(\d{1,3})/.exec(release);
  if (match === null) return false;
  return Number(match[1]) < major || (Number(match[1]) === major && Number(match[2]) < minor);
}

export const dmabufUnsupported: Rule = defineRule({
  id: 'host-os/dmabuf-unsupported',
  summary: 'GPU memory cannot be shared with network cards by DMA-BUF',
  needs: [],
  anyOf: ['said.dmabuf-not-supported', 'said.dmabuf-available'],
  uses: ['os.kernel', 'driver.flavour', 'modules.loaded'],
  citations: ['operator-rdma', 'gpudirect-rdma'],
  explains: ['driver/peermem-module-not-loaded', 'said.nvshmem-init-failed'],
  check(_facts, context) {
    const lead = said(context, 'dmabuf-not-supported')[0];
    const available = said(context, 'dmabuf-available')[0];
    if (lead === undefined) {
      return available === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: 'DMA-BUF is available', seen: seen(available) };
    }
    const peermem = own(context, 'modules.loaded').find((fact) =>
      fact.value.some((name) => /peermem|nv_peer_mem/.test(name)),
    );
    if (peermem !== undefined) {
      return { kind: 'cleared', because: 'nvidia-peermem is loaded and does the same', seen: seen(peermem) };
    }
    const kernel = own(context, 'os.kernel').find((fact) => olderThan(fact.value, 5, 12));
    const flavour = own(context, 'driver.flavour').find((fact) => fact.value === 'proprietary');
    const reason = kernel ?? flavour;
    const named = /DMA-?BUF (?:support )?(?:is )?(?:not|un)/i.test(lead.seen[0]?.text ?? '');
    return {
      kind: 'fault',
      certainty: reason !== undefined ? byPrint(lead, reason) : named ? 'likely' : 'possible',
      message:
        kernel !== undefined
          ? `GPU memory cannot be shared by DMA-BUF: kernel ${kernel.value} is older than 5.12`
          : flavour !== undefined
            ? 'GPU memory cannot be shared by DMA-BUF: the proprietary kernel module is loaded'
            : 'GPU memory cannot be shared with the network card by DMA-BUF',
      seen: seen(lead, reason),
      remedies: [
        { actor: 'node-admin', do: 'use the open kernel module on kernel 5.12 or newer' },
        {
          actor: 'node-admin',
          do: 'or load nvidia-peermem, which needs none of that',
          command: 'modprobe nvidia-peermem',
        },
      ],
      ...(reason === undefined
        ? {
            missing: [
              missing('os.kernel, driver.flavour', 'uname -r; modinfo -F license nvidia; lsmod | grep peermem'),
            ],
          }
        : {}),
      weight: -1,
    };
  },
});
