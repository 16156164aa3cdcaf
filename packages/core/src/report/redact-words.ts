import type { MaskKind } from './redact-span.ts';

const kindWords: Readonly<Record<MaskKind, readonly [string, string]>> = {
  user: ['user', 'users'],
  host: ['host', 'hosts'],
  hosts: ['host list', 'host lists'],
  ip: ['IP address', 'IP addresses'],
  mac: ['MAC address', 'MAC addresses'],
  guid: ['GUID', 'GUIDs'],
  'gpu-uuid': ['GPU UUID', 'GPU UUIDs'],
  'mig-uuid': ['MIG UUID', 'MIG UUIDs'],
  uuid: ['UUID', 'UUIDs'],
  serial: ['serial number', 'serial numbers'],
  email: ['e-mail address', 'e-mail addresses'],
  secret: ['secret', 'secrets'],
};

/** What was masked, in words: `2 hosts, 1 user`; null where nothing was. */
export function maskedWords(masked: readonly { readonly kind: MaskKind; readonly count: number }[]): string | null {
  if (masked.length === 0) return null;
  return masked.map(({ kind, count }) => `${count} ${kindWords[kind][count === 1 ? 0 : 1]}`).join(', ');
}
