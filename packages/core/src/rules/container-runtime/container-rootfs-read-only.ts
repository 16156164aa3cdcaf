import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, said, seen } from './_container.ts';

export const containerRootfsReadOnly: Rule = defineRule({
  id: 'container-runtime/container-rootfs-read-only',
  summary: 'The container’s root is read-only where the toolkit has to make mount points',
  needs: [],
  anyOf: ['said.rootfs-not-writable'],
  uses: ['container.injection'],
  citations: ['libnvidia-container-source', 'container-toolkit-cdi'],
  explains: [
    'said.ncc-*',
    'said.oci-hook-failed',
    'said.k8s-create-container-error',
    'said.nct-*',
    'said.filesystem-read-only',
    'host-os/filesystem-read-only',
  ],
  check(_facts, context) {
    const lead = said(context, 'rootfs-not-writable')[0];
    if (lead === undefined) return { kind: 'silent' };
    const { path, why, path2, why2, path3, why3 } = lead.value.captures;
    const reason = (why ?? why2 ?? why3 ?? '').toLowerCase();
    const place = path ?? path2 ?? path3 ?? 'its root';
    const full = reason.includes('no space');
    if (full) return { kind: 'cleared', because: 'the disk is full: nothing is read-only', seen: seen(lead) };
    const readOnly = reason.includes('read-only');
    return {
      kind: 'fault',
      certainty: readOnly ? byPrint(lead) : 'possible',
      message: readOnly
        ? `the container toolkit cannot make ${place}: the file system is read-only`
        : `the container toolkit cannot make ${place}: ${reason}`,
      seen: seen(lead),
      remedies: [
        {
          actor: 'node-admin',
          do: 'use CDI: the runtime makes the mount points itself',
          command: 'docker run --device nvidia.com/gpu=all --read-only …',
        },
        { actor: 'image-owner', do: 'or have empty files and folders at these places in the image' },
        {
          actor: 'node-admin',
          do: 'where the storage itself became read-only, look for errors of the disk',
          command: 'dmesg | grep -iE "remount|I/O error"; mount | grep " ro[,)]"',
        },
      ],
      missing: readOnly
        ? []
        : [
            missing(
              'said.rootfs-not-writable',
              'mount | grep -E "overlay|merged"; docker inspect CONTAINER --format "{{.HostConfig.ReadonlyRootfs}}"',
            ),
          ],
      weight: 3,
    };
  },
});
