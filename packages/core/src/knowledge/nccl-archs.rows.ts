import type { NcclArchRow } from './nccl.types.ts';

/** GPU code in builds made with the defaults of the NCCL makefile. Distributors may choose other architectures. */
export const ncclArchs: readonly NcclArchRow[] = [
  { range: { from: null, below: '2.16' }, cuda: { from: '11.0', below: '11.8' }, sms: [35, 50, 60, 61, 70, 80], ptx: 80, confirmed: true, note: null, sources: ['nccl-source'] },
  { range: { from: null, below: '2.16' }, cuda: { from: '11.8', below: '12.0' }, sms: [35, 50, 60, 61, 70, 80, 90], ptx: 90, confirmed: true, note: null, sources: ['nccl-source'] },
  { range: { from: '2.16', below: '2.26' }, cuda: { from: '12.0', below: '13.0' }, sms: [50, 60, 61, 70, 80, 90], ptx: 90, confirmed: true, note: 'Kepler went with CUDA 12.', sources: ['nccl-source'] },
  { range: { from: '2.26', below: '2.28.3' }, cuda: { from: '12.0', below: '12.8' }, sms: [50, 60, 61, 70, 80, 90], ptx: 90, confirmed: true, note: null, sources: ['nccl-source'] },
  { range: { from: '2.26', below: '2.28.3' }, cuda: { from: '12.8', below: '13.0' }, sms: [50, 60, 61, 70, 80, 90, 100, 120], ptx: 120, confirmed: true, note: null, sources: ['nccl-source'] },
  { range: { from: '2.27.3', below: '2.28.3' }, cuda: { from: '13.0', below: '14.0' }, sms: [80, 90, 100, 110, 120], ptx: 120, confirmed: false, note: 'Only the lower end, 80, was read.', sources: ['nccl-source'] },
  { range: { from: '2.28.3', below: null }, cuda: { from: '12.8', below: '13.0' }, sms: [60, 61, 70, 80, 90, 100, 120], ptx: 120, confirmed: true, note: '5.0 is gone.', sources: ['nccl-source'] },
  { range: { from: '2.28.3', below: null }, cuda: { from: '13.0', below: '14.0' }, sms: [75, 80, 90, 100, 110, 120], ptx: 120, confirmed: true, note: null, sources: ['nccl-source'] },
];
