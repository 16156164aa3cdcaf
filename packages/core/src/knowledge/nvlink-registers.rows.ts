import type { NvlinkRegisterRow } from './xids.types.ts';

/** What the registers of an Xid 74 line mean on Hopper. Registers are counted from 1; the others are not used. */
export const nvlinkRegisters: readonly NvlinkRegisterRow[] = [
  { register: 1, bits: [0, 23, 30], kind: 'ignore', what: 'Of no meaning.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 1, bits: [1, 20], kind: 'secondary', what: 'The echo of another error; alone, report it.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 1, bits: [4, 5], kind: 'ecc', what: 'Most likely hardware, by ECC or parity; more than twice on one link, report it.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 1, bits: [8, 9, 12, 16, 17, 24, 28], kind: 'mechanical', what: 'Perhaps hardware: check and reseat the connections of the link, then run diagnostics.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 1, bits: [21, 22], kind: 'signal', what: 'A weak signal. Other errors come first; else check connections and run field diagnostics.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 1, bits: [27, 29], kind: 'report', what: 'If it repeats, report it.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 3, bits: [0, 1, 2, 6], kind: 'ecc', what: 'Most likely hardware, by ECC or parity; more than twice on one link, report it.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 3, bits: [13], kind: 'report', what: 'Should not happen in production; report it.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 3, bits: [16, 19], kind: 'diagnose', what: 'If it repeats, run field diagnostics and report it.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 3, bits: [17, 18], kind: 'report', what: 'If it repeats, report it.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 4, bits: [16, 17], kind: 'secondary', what: 'The echo of another error; alone, report it.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 4, bits: [18], kind: 'secondary', what: 'The echo of another error, but the fabric needs a reset.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 5, bits: [18, 19, 21, 22, 24, 25, 27, 28], kind: 'ecc', what: 'Most likely hardware, by ECC or parity; more than twice on one link, report it.', confirmed: true, sources: ['xid-catalogue'] },
  { register: 5, bits: [20, 23, 26, 29], kind: 'threshold', what: 'Many corrected errors, none uncorrected: go on; field diagnostics can check the link.', confirmed: true, sources: ['xid-catalogue'] },
];
