// Fat binaries outside of their sections: libcufft keeps 17,000 of them in its data and loads them itself.
import type { ElfSection } from './elf.ts';
import { gpuCodeSections } from './fatbin.ts';

const progBits = 1;
const allocated = 2;
const executable = 4;
/** Data sections from this size on are searched; no compiler makes so much data by itself. */
const leastHoard = 16 * 1024 ** 2;

/** True for a section with code, or with data, of the host. */
export function isHostSection(section: ElfSection, code: boolean): boolean {
  return (
    section.type === progBits &&
    (section.flags & allocated) !== 0 &&
    ((section.flags & executable) !== 0) === code &&
    !gpuCodeSections.includes(section.name)
  );
}

/** True where the data of a file is so large that GPU code may be kept in it. */
export function mayHoard(section: ElfSection): boolean {
  return isHostSection(section, false) && section.size >= leastHoard && !section.name.startsWith('.eh_frame');
}
