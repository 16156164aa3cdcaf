import type { Rule } from '../model/rule.ts';
import { gspRpcTimeoutDriverBug } from './driver/gsp-rpc-timeout-driver-bug.ts';
import { rowRemapPendingNeedsReset } from './hardware/row-remap-pending-needs-reset.ts';
import { rowRemapFailureRma } from './hardware/row-remap-failure-rma.ts';
import { uncorrectableEcc } from './hardware/uncorrectable-ecc.ts';
import { gpuFellOffBusPower } from './hardware/gpu-fell-off-bus-power.ts';

export const hardwareRules: readonly Rule[] = [
  gspRpcTimeoutDriverBug,
  rowRemapPendingNeedsReset,
  rowRemapFailureRma,
  uncorrectableEcc,
  gpuFellOffBusPower,
];
