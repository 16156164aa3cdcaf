import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { ghostsInImage } from './_driver-files.ts';
import {
  byPrint,
  capture,
  isDriverFile,
  missing,
  noGpuConsequences,
  own,
  releaseOf,
  said,
  seen,
} from '../container-runtime/_container.ts';

export const driverGhostFilesInImage: Rule = defineRule({
  id: 'image/driver-ghost-files-in-image',
  summary: 'The image holds empty or stale driver files of the host it was made on',
  needs: [],
  anyOf: [
    'image.libcuda',
    'image.host-thing',
    'said.driver-file-empty',
    'said.ncc-mount-file-exists',
    'file.size',
    'said.built-under-nvidia-runtime',
  ],
  uses: ['file.exists', 'driver.module', 'driver.version'],
  citations: ['container-toolkit-troubleshooting', 'libnvidia-container-source'],
  explains: [...noGpuConsequences, 'said.ncc-*', 'said.ld-*', 'said.cuda-*', 'image/driver-files-baked-into-image'],
  check(_facts, context) {
    const inventory = ghostsInImage(context);
    if (inventory !== null) return inventory;
    const short = said(context, 'driver-file-empty')[0];
    const exists = said(context, 'ncc-mount-file-exists')[0];
    const empties = own(context, 'file.size').filter((fact) => fact.value.bytes === 0 && isDriverFile(fact.value.path));
    const sized = own(context, 'file.size').find(
      (fact) => fact.value.bytes > 0 && isDriverFile(fact.value.path) && fact.scope !== 'host',
    );
    const made = said(context, 'built-under-nvidia-runtime')[0];
    const path = exists === undefined ? undefined : (capture([exists], 'path') ?? '');
    const remedies = [
      {
        actor: 'image-owner',
        do: 'build the image again on plain runc: the runtime of the host left mount points in a layer',
        command: 'docker build --no-cache …   # with "default-runtime": "runc" in daemon.json',
      },
      {
        actor: 'image-owner',
        do: 'or delete the files in a last step',
        command:
          "find / -xdev -size 0 \\( -name 'libcuda.so*' -o -name 'libnvidia-*.so*' -o -name 'nvidia-smi' \\) -delete",
      },
    ] as const;
    const lead = short ?? empties[0];
    if (lead !== undefined) {
      const file =
        short === undefined ? empties[0]!.value.path : (capture([short], 'path', 'path2') ?? 'a driver library');
      return {
        kind: 'fault',
        certainty: byPrint(lead),
        message: `${file} is an empty file in the image`,
        seen: seen(lead, exists, made, ...empties.slice(0, 2)),
        remedies,
        weight: 5,
      };
    }
    if (exists !== undefined && sized !== undefined)
      return { kind: 'cleared', because: `${sized.value.path} has content: it was installed`, seen: seen(sized) };
    if (exists === undefined) return { kind: 'silent' };
    if (made !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'the image was made from a container that had the driver mounted, and keeps files of it',
        seen: seen(exists, made),
        remedies,
        weight: 5,
      };
    }
    const release = path === undefined ? null : releaseOf(path);
    return {
      kind: 'fault',
      certainty: 'possible',
      message:
        release === null
          ? 'the file in the image may be an empty rest of an earlier mount'
          : `the image may keep files of a host with driver ${release}`,
      seen: seen(exists),
      remedies,
      missing: [
        missing(
          'file.size',
          "docker run --rm --runtime=runc --entrypoint find IMAGE / -xdev -size 0 \\( -name 'libcuda.so*' -o -name 'libnvidia-*.so*' \\)",
        ),
      ],
      weight: release === null ? 0 : 2,
    };
  },
});
