// What a libcuda shows of itself: stub or driver, release, CUDA version, and the note of a compat library.
import { viewOf } from './bytes.ts';
import type { Dynamic } from './dynamic.ts';
import type { Elf } from './elf.ts';
import { within } from './fields.ts';
import { codeOf, driverTexts, release } from './library.ts';
import type { Hit } from './literals.ts';
import { builtNumbers, movedNumbers } from './immediates.ts';
import { machineOf } from './machine.ts';
import type { LibcudaFacts } from './model.ts';
import type { ByteSource } from './source.ts';
import { findExported } from './symbols.ts';

/** CUDA_ERROR_STUB_LIBRARY of cuda.h. */
const stubLibrary = 34;
/** Code of a function that only returns a number. */
const mostStubCode = 32;

/** Facts of a file whose SONAME or name is libcuda's. Rejects only with the source. */
export async function libcudaFacts(
  source: ByteSource,
  elf: Elf,
  dynamic: Dynamic,
  hits: readonly Hit[],
): Promise<LibcudaFacts> {
  return {
    stub: await isStub(source, elf, dynamic),
    version: driverVersion(hits),
    cuda: release(hits)?.cuda ?? null,
    note: await compatNote(source, elf),
  };
}

/** Every function of the toolkit's stub gives CUDA_ERROR_STUB_LIBRARY, and it needs no library. */
async function isStub(source: ByteSource, elf: Elf, dynamic: Dynamic): Promise<boolean> {
  const symbol = await findExported(source, elf, dynamic, 'cuInit');
  if (symbol === null || symbol.size > mostStubCode) return false;
  const code = await codeOf(source, symbol);
  const numbers = machineOf(elf) === 'aarch64' ? builtNumbers(code) : movedNumbers(code);
  return numbers.includes(stubLibrary);
}

/** Driver release in the names of files that the driver looks for; other versions in it are of tables. */
export function driverVersion(hits: readonly Hit[]): string | null {
  for (const hit of hits) {
    if (!driverTexts.includes(hit.literal)) continue;
    const match = /^(\d{3,4}\.\d{1,4}(?:\.\d{1,4})?)(?![\d.])/.exec(hit.rest);
    if (match?.[1] !== undefined) return match[1];
  }
  return null;
}

const noteSegment = 4;
const noteSection = 7;
const mostNotes = 64;
const mostNote = 64 * 1024;
const owner = 'NVIDIA Corporation';

/**
 * The note `.note.cuda.fwd_compatibility`: JSON with the CUDA version and the driver branches that the library runs on,
 * `{"Format":1,"CUDA Version":"13.1","Driver":[535,550],"Device":[…]}`.
 */
async function compatNote(source: ByteSource, elf: Elf): Promise<LibcudaFacts['note']> {
  const places = [
    ...elf.sections.filter((one) => one.type === noteSection).map((one) => ({ offset: one.offset, length: one.size })),
    ...elf.segments
      .filter((one) => one.type === noteSegment)
      .map((one) => ({ offset: one.offset, length: one.fileSize })),
  ];
  for (const place of places.slice(0, mostNotes)) {
    if (!within(place.offset, place.length, source.size)) continue;
    const bytes = await source.read(place.offset, Math.min(place.length, mostNote));
    for (const text of notesOf(bytes, elf.header.little)) {
      const note = readNote(text);
      if (note !== null) return note;
    }
  }
  return null;
}

/** Descriptions of the notes whose owner is NVIDIA (System V gABI, "Note Section"). */
function notesOf(bytes: Uint8Array, little: boolean): readonly string[] {
  const view = viewOf(bytes);
  const texts: string[] = [];
  const padded = (length: number): number => Math.ceil(length / 4) * 4;
  for (let at = 0; at + 12 <= bytes.length && texts.length < mostNotes;) {
    const nameLength = view.getUint32(at, little);
    const length = view.getUint32(at + 4, little);
    const nameAt = at + 12;
    const from = nameAt + padded(nameLength);
    if (from + length > bytes.length) break;
    const name = new TextDecoder('latin1').decode(bytes.subarray(nameAt, nameAt + nameLength));
    if (name.startsWith(owner)) texts.push(new TextDecoder().decode(bytes.subarray(from, from + length)));
    at = from + padded(length);
  }
  return texts;
}

function readNote(text: string): LibcudaFacts['note'] {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  if (from < 0 || to < from) return null;
  let value: unknown;
  try {
    value = JSON.parse(text.slice(from, to + 1));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const fields = value as Readonly<Record<string, unknown>>;
  const cuda = fields['CUDA Version'];
  const drivers = fields['Driver'];
  if (!Array.isArray(drivers) && typeof cuda !== 'string') return null;
  return {
    cuda: typeof cuda === 'string' ? cuda : null,
    drivers: (Array.isArray(drivers) ? (drivers as readonly unknown[]) : [])
      .map(Number)
      .filter((one) => Number.isInteger(one) && one > 0)
      .slice(0, 256),
    text: text.slice(from, to + 1),
  };
}
