import type { CompatNoteRow } from './forward-compat.types.ts';

/** Host branches in the ELF notes of compat libraries that were read. */
export const compatNotes: readonly CompatNoteRow[] = [
  { libcuda: '575.57.08', cuda: '12.9', drivers: [535, 550, 560, 565, 570, 575], confirmed: true, sources: ['container-toolkit-source'] },
  { libcuda: '590.44.01', cuda: '13.1', drivers: [535, 550, 570, 575, 580, 590], confirmed: true, sources: ['container-toolkit-source'] },
  { libcuda: 'orin-13.2.1', cuda: '13.2', drivers: null, confirmed: true, sources: ['container-toolkit-source'] },
];
