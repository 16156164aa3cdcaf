import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { bakedInImage } from './_driver-files.ts';
import {
  byPrint,
  capture,
  container,
  files,
  isDriverFile,
  missing,
  noGpuConsequences,
  own,
  releaseOf,
  said,
  seen,
} from '../container-runtime/_container.ts';
import { byWords, loadedLibcuda, ofImage } from '../driver/_loads.ts';

export const driverFilesBakedIntoImage: Rule = defineRule({
  id: 'image/driver-files-baked-into-image',
  summary: 'The image brings driver libraries or tools of its own',
  needs: [],
  anyOf: [
    'image.libcuda',
    'image.host-thing',
    'said.ncc-mount-file-exists',
    'said.driver-package-in-image',
    'container.mount',
    'file.exists',
    'said.nvml-driver-library-mismatch',
    'said.cuda-system-driver-mismatch',
    'package',
    'loader.loads',
  ],
  uses: ['file.size', 'driver.module', 'driver.version', 'driver.library', 'said.built-under-nvidia-runtime'],
  citations: ['container-toolkit-troubleshooting', 'libnvidia-container-source', 'cuda-images'],
  explains: [
    ...noGpuConsequences,
    'said.ncc-*',
    'said.cuda-*',
    'said.nvml-*',
    'driver/kmod-userspace-mismatch-after-upgrade',
    'driver/stale-driver-libs-on-host',
    'driver/userspace-newer-than-kernel-module',
  ],
  check(_facts, context) {
    const inventory = bakedInImage(context);
    if (inventory !== null) return inventory;
    const exists = said(context, 'ncc-mount-file-exists')[0];
    const path = exists === undefined ? undefined : (capture([exists], 'path') ?? '');
    const empty = own(context, 'file.size').find((fact) => fact.value.bytes === 0 && isDriverFile(fact.value.path));
    const ghost = empty ?? said(context, 'driver-file-empty')[0] ?? said(context, 'built-under-nvidia-runtime')[0];
    const packages = [
      ...own(context, 'package').filter(
        (fact) =>
          fact.scope !== 'host' &&
          (fact.value.manager === 'dpkg' || fact.value.manager === 'rpm') &&
          /^(?:libnvidia-(?:compute|gl|encode|decode|cfg1|ml)|nvidia-(?:utils|compute-utils|driver|headless)|libcuda1|cuda-drivers)/.test(
            fact.value.name,
          ),
      ),
      ...said(context, 'driver-package-in-image').filter(
        (fact) =>
          fact.scope === 'image' ||
          fact.scope === 'container' ||
          fact.seen.some((each) =>
            /^\s{0,8}(?:RUN|FROM|&&|ENV|COPY)\b|apt(?:-get)? install|dnf install|yum install|Setting up |Unpacking |Dockerfile/i.test(
              each.text,
            ),
          ),
      ),
    ];
    const inImage =
      packages.find((fact) => fact.scope === 'container' || fact.scope === 'image') ??
      (exists === undefined && container(context) === undefined ? undefined : packages[0]);
    const remedies = [
      {
        actor: 'image-owner',
        do: 'remove the driver’s packages and files from the image; the runtime brings those of the host',
        command: "apt-get purge 'libnvidia-compute-*' 'nvidia-utils-*' 'nvidia-driver-*' 'cuda-drivers*'",
      },
      {
        actor: 'image-owner',
        do: 'install cuda-toolkit or cuda-libraries, not cuda or cuda-drivers, and pin the packages',
      },
    ] as const;
    // Which release is in the image, which on the host?
    const host =
      own(context, 'driver.module')[0] ??
      own(context, 'driver.version').find((fact) => fact.scope !== 'container') ??
      own(context, 'driver.version')[0];
    const own_ = own(context, 'container.mount').find(
      (fact) => fact.value.from === 'image' && isDriverFile(fact.value.path),
    );
    const imageFiles = files(context, /\/lib(?:cuda|nvidia-ml)\.so\.\d{3}\./).filter(
      (fact) => (fact.scope === 'container' || fact.scope === 'image') && !/\/(?:compat|stubs)/.test(fact.value),
    );
    const foreign = imageFiles.find(
      (fact) =>
        host !== undefined &&
        releaseOf(fact.value) !== null &&
        releaseOf(fact.value) !== host.value &&
        !host.value.startsWith(`${releaseOf(fact.value)!}.`),
    );
    const inside = own_ ?? foreign ?? imageFiles.find((fact) => fact.scope === 'image');
    if (exists !== undefined && (path === '' || isDriverFile(path ?? '') || /nvidia|cuda/.test(path ?? ''))) {
      const target = (path ?? '').replace(/^.{0,300}\/merged/, '').replace(/^.{0,300}\/rootfs\//, '/');
      return {
        kind: 'fault',
        certainty:
          ghost !== undefined
            ? 'possible'
            : inImage !== undefined || inside !== undefined
              ? byPrint(exists, inImage ?? inside)
              : 'likely',
        message: `the runtime cannot mount ${target === '' ? 'a driver file' : target}: the image has a file there`,
        seen: seen(exists, inImage, inside),
        remedies,
        missing:
          ghost === undefined && inImage === undefined && inside === undefined
            ? [missing('file.size', `docker run --rm --runtime=runc --entrypoint ls IMAGE -l ${target}`)]
            : [],
        weight: 4,
      };
    }
    const loaded = loadedLibcuda(context);
    const brought =
      loaded !== null && loaded.load.value.kind !== 'compat' && ofImage(context, loaded.path) ? loaded : null;
    if (brought !== null && brought.order !== 'same')
      return {
        kind: 'fault',
        certainty: brought.sure && own(context, 'container.mount').length > 0 ? 'proved' : 'likely',
        message: `a process takes the image’s own libcuda ${brought.version} (${brought.path}) ${byWords(brought.load)}, which is not of the host’s driver ${brought.module.value}${brought.right === undefined ? '' : `; ${brought.right} loses`}`,
        seen: seen(brought.load, brought.module, own(context, 'container.mount')[0]),
        remedies,
        weight: 4,
      };
    const mismatch = [
      ...said(context, 'nvml-driver-library-mismatch'),
      ...said(context, 'cuda-system-driver-mismatch'),
    ].find((fact) => fact.scope !== 'host');
    if (mismatch !== undefined && inside !== undefined && ghost === undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(mismatch, inside, host),
        message: `the image brings ${pathOf(inside.value)} of its own, which is not of the host’s driver${host === undefined ? '' : ` ${host.value}`}`,
        seen: seen(mismatch, inside, host),
        remedies,
        weight: 4,
      };
    }
    if (
      mismatch !== undefined &&
      inImage !== undefined &&
      (mismatch.scope === 'container' || container(context) !== undefined)
    ) {
      return {
        kind: 'fault',
        certainty: inImage.scope === 'container' || inImage.scope === 'image' ? byPrint(mismatch, inImage) : 'likely',
        message: 'a driver package is installed in the image, and its libraries do not fit the module of the host',
        seen: seen(mismatch, inImage, host),
        remedies,
        weight: 3,
      };
    }
    if (
      foreign === undefined &&
      own_ === undefined &&
      host !== undefined &&
      imageFiles.length > 0 &&
      imageFiles.every((fact) => releaseOf(fact.value) === host.value)
    ) {
      return {
        kind: 'cleared',
        because: `the driver libraries in the container are those of the host, ${host.value}`,
        seen: seen(imageFiles[0], host),
      };
    }
    return { kind: 'silent' };
  },
});

function pathOf(value: string | { readonly path: string }): string {
  return typeof value === 'string' ? value : value.path;
}
