import type { NvlinkXidRow } from './xids.types.ts';

/** Units behind the NVLink 5 Xids. The rest of the message (Fatal or Nonfatal, XC0 or XC1, link number, two status words) decides the action. */
export const nvlinkXids: readonly NvlinkXidRow[] = [
  { code: 144, unit: 'SAW', layer: 'hardware', meaning: 'NVLink 5 error in the SAW unit of the GPU', confirmed: true, sources: ['xid-catalogue', 'gpud-xid'] },
  { code: 145, unit: 'RLW', layer: 'hardware', meaning: 'NVLink 5 error in the RLW unit of the GPU', confirmed: true, sources: ['xid-catalogue', 'gpud-xid'] },
  { code: 146, unit: 'TLW', layer: 'hardware', meaning: 'NVLink 5 error in the TLW unit of the GPU', confirmed: true, sources: ['xid-catalogue', 'gpud-xid'] },
  { code: 147, unit: 'TREX', layer: 'hardware', meaning: 'NVLink 5 error in the TREX unit of the GPU', confirmed: true, sources: ['xid-catalogue', 'gpud-xid'] },
  { code: 148, unit: 'NVLPW_CTRL', layer: 'hardware', meaning: 'NVLink 5 error in the NVLPW control unit of the GPU', confirmed: true, sources: ['xid-catalogue', 'gpud-xid'] },
  { code: 149, unit: 'NETIR', layer: 'hardware', meaning: 'NVLink 5 error in the NETIR unit of the GPU', confirmed: true, sources: ['xid-catalogue', 'gpud-xid'] },
  { code: 150, unit: 'MSE', layer: 'hardware', meaning: 'NVLink 5 error in the MSE unit of the GPU', confirmed: true, sources: ['xid-catalogue', 'gpud-xid'] },
];
