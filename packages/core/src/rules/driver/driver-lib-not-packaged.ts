import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, capture, files, missing, own, said, seen } from '../container-runtime/_container.ts';
import { missingDriverLibraries } from '../container-runtime/_driver-libraries.ts';

/** Package that brings a library where a distribution splits the driver. */
function packageOf(library: string): string {
  if (/^libcuda\b|ptxjit|nvvm|opencl|compiler/.test(library))
    return 'libnvidia-compute-BRANCH (Ubuntu), nvidia-driver-cuda-libs (Fedora, RHEL), libcuda1 (Debian), nvidia-compute-G06 (openSUSE)';
  if (/nvcuvid|encode|opticalflow/.test(library))
    return 'libnvidia-decode-BRANCH, libnvidia-encode-BRANCH (Ubuntu), libnvcuvid1 (Debian)';
  return 'the package of your distribution that lists the file';
}

export const driverLibNotPackaged: Rule = defineRule({
  id: 'driver/driver-lib-not-packaged',
  summary: 'A library of the driver is in a package that is not installed',
  needs: [],
  anyOf: [
    'said.cuda-jit-compiler-not-found',
    'loader.resolved',
    'said.driver-library-missing',
    'said.ld-missing-libcuda',
    'said.ncc-load-library-failed',
    'file.absent',
    'loader.cache-absent',
  ],
  uses: ['file.exists', 'package.absent', 'package', 'driver.module', 'driver.answers', 'driver.cuda-missing'],
  citations: ['nvidia-driver-packages'],
  explains: ['said.cuda-*', 'said.ld-*', 'said.pt-*', 'said.tf-*', 'application/application-exception'],
  check(_facts, context) {
    const found = missingDriverLibraries(context);
    const libcuda = [
      ...said(context, 'ld-missing-libcuda'),
      ...own(context, 'loader.resolved').filter(
        (fact) => fact.value.path === null && /^libcuda\.so/.test(fact.value.soname),
      ),
      ...said(context, 'ncc-load-library-failed'),
    ].filter((fact) => fact.scope !== 'container' && fact.scope !== 'image')[0];
    const symptom = found?.symptom ?? libcuda;
    if (symptom === undefined) return { kind: 'silent' };
    const library =
      found?.library ??
      (libcuda === undefined
        ? 'a library'
        : (capture(said(context, 'ncc-load-library-failed'), 'lib')?.replace(/:$/, '') ?? 'libcuda.so.1'));
    const remedies = [
      {
        actor: 'node-admin',
        do: `install the package that holds ${library}, of the same release as the kernel module`,
        command: packageOf(library),
      },
      { actor: 'vendor', do: 'let the driver package depend on it' },
    ] as const;
    if (found?.onHost !== undefined)
      return { kind: 'cleared', because: `the host has ${library}`, seen: seen(found.onHost) };
    if (found?.inContainerPicture === true && found.absentOnHost === undefined) return { kind: 'silent' };
    // The driver is there: its module answers, nvidia-smi answers, or packages of the driver are listed.
    const driver =
      own(context, 'driver.answers').find((fact) => fact.scope !== 'container') ??
      own(context, 'driver.module')[0] ??
      own(context, 'package').find(
        (fact) =>
          /^(?:nvidia-(?:driver|kmod|dkms|open|kernel)|akmod-nvidia|xorg-x11-drv-nvidia|kmod-nvidia|linux-modules-nvidia|libcuda1|libnvidia-compute)/.test(
            fact.value.name,
          ) && fact.value.manager !== 'pip',
      );
    const gone =
      found?.absentOnHost ??
      own(context, 'file.absent').find((fact) => /lib(?:cuda|nvidia-|nvcuvid)/.test(fact.value)) ??
      own(context, 'loader.cache-absent').find((fact) => /cuda|nv/.test(fact.value)) ??
      own(context, 'package.absent').find((fact) => /nvidia|libcuda|cuda-libs|ptxjit|nvvm|nvcuvid/.test(fact.value));
    const elsewhere = files(context, /\/libcuda\.so/).find((fact) => !/stubs|compat/.test(fact.value));
    if (libcuda !== undefined && found === null && elsewhere !== undefined)
      return { kind: 'cleared', because: `libcuda is at ${elsewhere.value}`, seen: seen(elsewhere) };
    if (driver !== undefined && gone !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(symptom, driver, gone),
        message: `the driver is installed, but ${library} is not among its files`,
        seen: seen(symptom, gone, driver),
        remedies,
        weight: 3,
      };
    }
    if (found === null && driver === undefined) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty:
        found !== null && found.inContainerPicture
          ? 'possible'
          : driver === undefined || found === null
            ? 'possible'
            : 'likely',
      message: `${library} of the driver is not found`,
      seen: seen(symptom, driver),
      remedies,
      missing: [
        missing(
          'file.exists',
          `ldconfig -p | grep -E "libcuda|nvvm|ptxjit"; ls -l /usr/lib*/libnvidia-* /usr/lib/*-linux-gnu/libnvidia-*`,
        ),
      ],
      weight: found === null ? 0 : 1,
    };
  },
});
