import type { Elf } from './elf.ts';
import type { FileFacts } from './model.ts';

/** The processor that a file is for (elf.h of glibc, EM_*). */
export function machineOf(elf: Elf): FileFacts['machine'] {
  switch (elf.header.machine) {
    case 62:
      return 'x86_64';
    case 183:
      return 'aarch64';
    case 21:
      return elf.header.little ? 'ppc64le' : 'other';
    case 3:
      return 'i386';
    case 190:
      return null;
    default:
      return 'other';
  }
}
