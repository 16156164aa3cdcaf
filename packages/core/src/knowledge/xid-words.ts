import type { Layer, Owner } from '../model/layer.ts';
import type { XidRow, XidStep } from './xids.types.ts';

/** The steps of the vendor's catalogue, in words. */
export const stepWords: Readonly<Record<XidStep, string>> = {
  ignore: 'nothing',
  'restart-application': 'restart the program',
  'reset-gpu': 'reset the GPU',
  'restart-vm': 'restart the virtual machine',
  'restart-host': 'reboot the host',
  'update-software': 'update driver or firmware',
  'check-mechanicals': 'check seating, power and cooling',
  'check-uvm': 'look for the fault of unified memory that came with it',
  'check-application': 'check the program',
  'check-link': 'check the link',
  'check-peer': 'look at the other end of the link',
  'check-host': 'check the host',
  'restart-fabric-manager': 'restart the fabric manager',
  'follow-other-xid': 'follow the other Xid that came with it',
  'follow-recovery-action': 'do what nvidia-smi names as recovery action',
  workflow: 'follow the workflow of the vendor for this code',
  'contact-support': 'open a case with the vendor',
};

/** Commands for the steps that have one. */
export const stepCommands: Readonly<Partial<Record<XidStep, string>>> = {
  'reset-gpu': 'nvidia-smi --gpu-reset -i GPU',
  'restart-host': 'reboot',
  'check-application': 'compute-sanitizer PROGRAM',
  'check-link': 'nvidia-smi nvlink -s',
  'check-peer': 'nvidia-smi nvlink -s',
  'restart-fabric-manager': 'systemctl restart nvidia-fabricmanager',
  'follow-other-xid': "dmesg -T | grep -E 'NVRM: Xid|SXid'",
  'follow-recovery-action': "nvidia-smi -q | grep -i 'recovery action'",
  'contact-support': 'nvidia-bug-report.sh',
};

/** Who acts on an Xid of a class; null: nobody can be named by the class alone. */
export const ownerOfXidClass: Readonly<Record<XidRow['class'], Owner | null>> = {
  application: 'developer',
  driver: 'operator',
  hardware: 'operator',
  operator: 'operator',
  'follow-on': null,
  informational: 'none',
  reserved: null,
  unused: null,
  undefined: null,
};

/** The layer that an Xid is put into where its row names none. */
export function layerOfXid(row: XidRow): Layer {
  return row.layer ?? 'driver';
}

/** Recovery actions as an Xid 154 and `nvidia-smi -q` name them, and the step that each asks for. Source: nvml.h, open kernel modules. */
export function recoveryStep(action: string): XidStep | null {
  const text = action.toLowerCase();
  if (/reboot/.test(text)) return 'restart-host';
  if (/reset/.test(text)) return 'reset-gpu';
  if (/drain/.test(text)) return 'restart-application';
  if (/none/.test(text)) return 'ignore';
  return null;
}
