// The facts of one ELF file, from ranges of it and from what was found on the way.
import { readDynamic } from './dynamic.ts';
import type { Elf } from './elf.ts';
import { libcudaFacts, driverVersion } from './libcuda.ts';
import {
  agreed,
  driverTexts,
  libraryKindOf,
  ncclText,
  ncclVersion,
  releaseText,
  runtimeText,
  versionOfBytes,
  versionOfName,
} from './library.ts';
import type { Hit, Literal } from './literals.ts';
import { machineOf } from './machine.ts';
import type { FileFacts, NeededVersions, Unread } from './model.ts';
import { machineOfCuda } from './elf.ts';
import type { ByteSource } from './source.ts';

/** Texts that are looked for in the data of a file, with the bytes behind them that tell. */
export const tellingTexts: readonly Literal[] = [
  { text: releaseText, keep: 24 },
  { text: ncclText, keep: 32 },
  { text: runtimeText, keep: 0 },
  ...driverTexts.map((text) => ({ text, keep: 20 })),
];

/** What reading through a file brought to light. */
export interface Found {
  readonly hits: readonly Hit[];
  readonly code: FileFacts['code'];
  /** CUDA version that a function of a runtime linked into the file writes. */
  readonly runtime: string | null;
  readonly unread: readonly Unread[];
}

/** Facts of an ELF file, and the versions of symbols that it needs. */
export interface ElfFacts extends FileFacts {
  readonly neededVersions: readonly NeededVersions[];
}

/** Puts together what an ELF file tells. Rejects only where the source cannot be read. */
export async function factsOfElf(source: ByteSource, elf: Elf, path: string, found: Found): Promise<ElfFacts> {
  const dynamic = await readDynamic(source, elf);
  const known = libraryKindOf(dynamic.soname, path);
  const isLibcuda = known?.kind.name === 'cuda';
  const libcuda = isLibcuda ? await libcudaFacts(source, elf, dynamic, found.hits) : null;
  const embedded = embeddedIn(known?.kind.name ?? null, dynamic.needed, found);
  return {
    kind: elf.header.machine === machineOfCuda ? 'cubin' : 'elf',
    machine: machineOf(elf),
    soname: dynamic.soname,
    needed: dynamic.needed,
    rpath: dynamic.rpath,
    runpath: dynamic.runpath,
    glibc: dynamic.glibc,
    library:
      known === null
        ? null
        : {
            name: known.kind.name,
            version: agreed(
              known.kind.text === 'driver'
                ? (driverVersion(found.hits) ?? (await numberOfDriver(source, known.kind.name)))
                : await versionOfBytes(source, elf, dynamic, known.kind, known.major, found.hits),
              versionOfName(path),
            ),
          },
    libcuda,
    code: found.code,
    ...(embedded.length > 0 && { embedded }),
    neededVersions: dynamic.neededVersions,
    unread: [...elf.unread, ...dynamic.unread, ...found.unread],
  };
}

/** Libraries that are linked into the file itself. */
function embeddedIn(
  own: string | null,
  needed: readonly string[],
  found: Found,
): readonly { readonly name: string; readonly version: string | null }[] {
  const nccl = own === 'nccl' ? null : ncclVersion(found.hits);
  const runtime =
    own !== 'cudart' &&
    !needed.some((name) => name.startsWith('libcudart.')) &&
    found.hits.some((hit) => hit.literal === runtimeText);
  return [
    ...(runtime ? [{ name: 'cudart', version: found.runtime }] : []),
    ...(nccl === null ? [] : [{ name: 'nccl', version: nccl }]),
  ];
}

/** Longest libnvidia-ml that is looked through. */
const mostWhole = 4 * 1024 ** 2;
const piece = 1024 ** 2;

/** libnvidia-ml holds `12.535.261.03`: its CUDA major and the release of the driver. */
async function numberOfDriver(source: ByteSource, name: string): Promise<string | null> {
  if (name !== 'nvidia-ml' || source.size > mostWhole) return null;
  const decoder = new TextDecoder('latin1');
  for (let at = 0; at < source.size; at += piece - 64) {
    const bytes = await source.read(at, Math.min(piece, source.size - at));
    const match = /\0\d{1,2}\.(\d{3,4}\.\d{1,4}(?:\.\d{1,4})?)\0/.exec(decoder.decode(bytes));
    if (match?.[1] !== undefined) return match[1];
    if (bytes.length < piece) break;
  }
  return null;
}
