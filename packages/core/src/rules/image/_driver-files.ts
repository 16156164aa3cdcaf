import type { Fact } from '../../model/facts.ts';
import type { Outcome, RuleContext } from '../../model/rule.ts';
import { byPrint, seen } from '../container-runtime/_container.ts';
import { isDriverImage, isImageInventory } from './_scan.ts';

// Files of a driver in an image that was read: with content, or empty.

/** Folders in which NVIDIA's own images for Jetson have files of the board's driver. */
const jetson = /\/(?:tegra|tegra-egl)\//;

/** A root file system inside of the image: storage of a container engine, a chroot, a root for tests. */
const nested =
  /^\/.{1,400}\/(?:usr\/)?lib(?:64|32)?\/(?:x86_64-linux-gnu|aarch64-linux-gnu)\/|^\/.{1,400}\/usr\/lib(?:64|32)?\//;

/** What of a driver lies in the image; null where the input is no inventory. */
export function bakedInImage(context: RuleContext): Outcome | null {
  if (!isImageInventory(context)) return null;
  const libcuda = context.all('image.libcuda').filter((fact) => fact.value.kind === 'baked');
  const things = context
    .all('image.host-thing')
    .filter((fact) => fact.value.bytes > 0 || fact.value.kind === 'module-source');
  const libraries = things.filter((fact) => fact.value.kind === 'driver-library' && fact.value.version !== null);
  const modules = things.filter((fact) => fact.value.kind === 'kernel-module');
  // A wrapper that only looks like nvidia-smi is a script of some hundred bytes.
  const tools = things.filter((fact) => fact.value.kind === 'driver-tool' && fact.value.bytes > 20_000);
  const sources = things.filter((fact) => fact.value.kind === 'module-source');
  const lead = libcuda[0] ?? libraries[0] ?? modules[0] ?? tools[0] ?? sources[0];
  if (lead === undefined) {
    const ours = context
      .all('image.libcuda')
      .filter((fact) => fact.value.kind === 'compat' || fact.value.kind === 'stub');
    return ours.length === 0
      ? { kind: 'silent' }
      : {
          kind: 'cleared',
          because: 'every libcuda in the image is a stub for the linker or one of forward compatibility',
          seen: seen(...ours.slice(0, 3)),
        };
  }
  const driver = isDriverImage(context);
  if (driver !== undefined)
    return { kind: 'cleared', because: 'the image is there to install a driver', seen: seen(driver, lead) };
  const version = lead.value.version;
  const grave = libcuda[0] ?? libraries[0] ?? modules[0];
  const aside = grave !== undefined && (jetson.test(grave.value.path) || inNestedRoot(grave.value.path));
  return {
    kind: 'fault',
    certainty: grave === undefined || aside ? 'possible' : byPrint(grave),
    message: `the image brings ${lead.value.path} of its own${version === null ? '' : `, driver ${version}`}`,
    seen: seen(lead, ...libcuda.slice(1, 3), ...libraries.slice(0, 2), ...modules.slice(0, 1), ...tools.slice(0, 1)),
    remedies: [
      {
        actor: 'image-owner',
        do: 'remove the driver’s packages and files from the image; the runtime brings those of the host',
        command: "apt-get purge 'libnvidia-compute-*' 'nvidia-utils-*' 'nvidia-driver-*' libcuda1 'cuda-drivers*'",
      },
      { actor: 'image-owner', do: 'install cuda-toolkit or cuda-libraries, not cuda or cuda-drivers' },
    ],
    weight: libcuda.length > 0 ? 4 : 2,
  };
}

function inNestedRoot(path: string): boolean {
  return nested.test(path) && !path.startsWith('/usr/lib') && !path.startsWith('/lib');
}

/** Empty driver files that a build on a GPU host left in a layer; null where the input is no inventory. */
export function ghostsInImage(context: RuleContext): Outcome | null {
  if (!isImageInventory(context)) return null;
  const libcuda = context.all('image.libcuda');
  const ghosts = [
    ...libcuda.filter((fact) => fact.value.kind === 'ghost'),
    ...context
      .all('image.host-thing')
      .filter(
        (fact) => fact.value.bytes === 0 && (fact.value.kind === 'driver-library' || fact.value.kind === 'driver-tool'),
      ),
  ];
  const lead = ghosts[0];
  if (lead === undefined) return { kind: 'silent' };
  return {
    kind: 'fault',
    certainty: jetson.test(lead.value.path) ? 'possible' : byPrint(lead),
    message: `${lead.value.path} is an empty file in the image`,
    seen: seen(...ghosts.slice(0, 4)),
    remedies: [
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
    ],
    weight: 5,
  };
}

/** True for a folder that is searched before that of the driver, or is it. */
function comesFirst(fact: Fact<'image.search-folder'>): boolean {
  return fact.value.first || fact.value.by !== 'ld.so.conf';
}

/** A stub of libcuda that the loader of the image comes upon; null where the input is no inventory. */
export function stubInImage(context: RuleContext): Outcome | null {
  if (!isImageInventory(context)) return null;
  const folders = context.all('image.search-folder').filter(comesFirst);
  const behind = context
    .all('image.search-folder')
    .find((fact) => !comesFirst(fact) && fact.value.holds.startsWith('stub'));
  const named = folders.find((fact) => fact.value.holds === 'stub');
  // ldconfig gives every library of a folder that it is told its run-time name.
  const configured = folders.find((fact) => fact.value.holds === 'stub-unnamed' && fact.value.by === 'ld.so.conf');
  const variable = folders.find((fact) => fact.value.holds === 'stub-unnamed');
  const lead = named ?? configured ?? variable;
  if (lead === undefined) {
    if (behind !== undefined)
      return {
        kind: 'cleared',
        because: `${behind.value.folder} comes behind the folder of the driver: its stub is found only where no driver is`,
        seen: seen(behind),
      };
    const stub = context.all('image.libcuda').find((fact) => fact.value.kind === 'stub');
    return stub === undefined || context.first('image.scanned')?.value.complete === false
      ? { kind: 'silent' }
      : {
          kind: 'cleared',
          because: 'the stub of libcuda lies in a folder that no search path names',
          seen: seen(stub),
        };
  }
  const { folder } = lead.value;
  const by = lead.value.by === 'default' ? 'the loader by itself' : lead.value.by;
  const verb = lead.value.by === 'default' ? 'searches' : 'names';
  return {
    kind: 'fault',
    certainty: lead === named ? byPrint(lead) : lead === configured ? 'likely' : 'possible',
    message:
      lead === named
        ? `${by} ${verb} ${folder}, where libcuda.so.1 is the toolkit's stub`
        : `${by} ${verb} ${folder}, which holds the toolkit's stub of libcuda`,
    seen: seen(lead),
    remedies: [
      {
        actor: 'image-owner',
        do: 'take the stubs folder out of the search path; name it for the linker alone',
        command: 'ENV LIBRARY_PATH=/usr/local/cuda/lib64/stubs',
      },
      { actor: 'image-owner', do: 'delete a libcuda.so.1 that a build made of the stub' },
    ],
    weight: 4,
  };
}
