import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import {
  byPrint,
  container,
  files,
  missing,
  noGpu,
  noGpuConsequences,
  noGpuMessages,
  own,
  seen,
} from '../container-runtime/_container.ts';
import { driverFolder, folderIn, searched } from './_driver-folder.ts';

export const hostDriverPathNotInLdCache: Rule = defineRule({
  id: 'image/host-driver-path-not-in-ld-cache',
  summary: 'The driver’s libraries are in the container, but the loader cache does not list them',
  needs: [],
  anyOf: [...noGpuMessages, 'loader.resolved', 'torch.cuda-available', 'framework.devices'],
  uses: ['file.exists', 'env', 'loader.cache', 'loader.cache-absent'],
  citations: ['ldconfig-manual', 'container-toolkit-troubleshooting'],
  explains: [
    ...noGpuConsequences,
    'said.ld-*',
    'container-runtime/driver-capabilities-lack-compute',
    'image/host-driver-path-not-in-container-path',
    'driver/driver-lib-not-packaged',
  ],
  check(_facts, context) {
    const symptom = noGpu(context)[0];
    if (symptom === undefined) return { kind: 'silent' };
    const mounted = driverFolder(context);
    const anywhere =
      mounted?.file ??
      files(context, /\/lib(?:cuda|nvidia-ml)\.so(?:\.1|\.\d{3}[\d.]{1,12})$/).find(
        (fact) => fact.scope !== 'host' && !/\/(?:stubs|compat)/.test(fact.value),
      );
    if (anywhere === undefined) return { kind: 'silent' };
    const cached = own(context, 'loader.cache').find(
      (fact) => /^lib(?:cuda|nvidia-ml)\.so/.test(fact.value.soname) && fact.scope !== 'host',
    );
    if (cached !== undefined)
      return { kind: 'cleared', because: `the loader cache lists ${cached.value.soname}`, seen: seen(cached) };
    const uncached = own(context, 'loader.cache-absent').find(
      (fact) => /cuda|nvidia/.test(fact.value) && fact.scope !== 'host',
    );
    const path = searched(context, 'LD_LIBRARY_PATH');
    const remedies = [
      {
        actor: 'image-owner',
        do: 'put the folder into the loader’s configuration and make the cache anew when the container starts',
        command: 'echo /usr/local/nvidia/lib64 > /etc/ld.so.conf.d/nvidia.conf && ldconfig',
      },
      {
        actor: 'image-owner',
        do: 'see that the root file system is writable when the runtime updates the cache, or set LD_LIBRARY_PATH',
      },
    ] as const;
    const folder = anywhere.value.slice(0, anywhere.value.lastIndexOf('/'));
    if (uncached !== undefined) {
      // LD_LIBRARY_PATH printed without the folder: the path rule says it; here the program reads the cache.
      const byPath = path !== undefined && !folderIn(path.value.value, folder) && mounted !== null;
      return {
        kind: 'fault',
        certainty: byPrint(symptom, anywhere, uncached),
        message: `${anywhere.value} is there, but the loader cache does not list it`,
        seen: seen(symptom, anywhere, uncached),
        remedies,
        weight: byPath ? 2 : 5,
      };
    }
    if (mounted === null && container(context) === undefined) return { kind: 'silent' };
    if (mounted !== null && path !== undefined && !folderIn(path.value.value, folder)) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: `${anywhere.value} is there, but it is not found`,
      seen: seen(symptom, anywhere, path),
      remedies,
      missing: [missing('loader.cache', 'ldconfig -p | grep -E "libcuda|libnvidia-ml"   # in the container')],
      weight: 1,
    };
  },
});
