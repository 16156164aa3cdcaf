import type { CompatHistoricRow } from './forward-compat.types.ts';

/** What older matrices allowed; later ones drop bases whose life has ended. */
export const compatHistoric: readonly CompatHistoricRow[] = [
  { package: 'cuda-compat-11-6', cuda: '11.6', bases: [{ branch: 418, from: '418.40.04', endOfLife: false }, { branch: 440, from: '440.33', endOfLife: true }, { branch: 450, from: '450.36.06', endOfLife: false }, { branch: 460, from: '460.73.01', endOfLife: true }, { branch: 470, from: '470.57.02', endOfLife: false }], notBases: [], confirmed: true, sources: ['easybuild'] },
  { package: 'cuda-compat-11-7', cuda: '11.7', bases: [{ branch: 450, from: '450.36.06', endOfLife: false }, { branch: 470, from: '470.57.02', endOfLife: false }, { branch: 510, from: '510.39.01', endOfLife: false }], notBases: [], confirmed: true, sources: ['easybuild'] },
  { package: 'cuda-compat-11-8', cuda: '11.8', bases: [{ branch: 450, from: '450.51', endOfLife: false }, { branch: 470, from: '470.57', endOfLife: false }, { branch: 510, from: '510.47', endOfLife: false }, { branch: 515, from: '515.65', endOfLife: false }], notBases: [418, 440, 460], confirmed: true, sources: ['ngc-frameworks-matrix'] },
  { package: 'cuda-compat-12-0', cuda: '12.0', bases: [{ branch: 450, from: '450.51', endOfLife: false }, { branch: 470, from: '470.57', endOfLife: false }, { branch: 510, from: '510.47', endOfLife: false }, { branch: 515, from: '515.65', endOfLife: false }], notBases: [418, 440, 460], confirmed: true, sources: ['ngc-frameworks-matrix'] },
  { package: 'cuda-compat-12-5', cuda: '12.5', bases: [{ branch: 470, from: '470.57', endOfLife: false }, { branch: 525, from: '525.85', endOfLife: false }, { branch: 535, from: '535.86', endOfLife: false }, { branch: 545, from: '545.23', endOfLife: false }], notBases: [418, 440, 450, 460, 510, 520], confirmed: true, sources: ['triton-server-24-07'] },
];
