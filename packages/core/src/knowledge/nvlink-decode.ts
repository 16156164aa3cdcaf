import { stepWords } from './xid-words.ts';
import type { NvlinkRegisterRow, NvlinkXidRow } from './xids.types.ts';

/** What an NVLink 5 Xid (144 to 150) says after its number. */
export interface NvlinkEvent {
  /** Unit as printed, `NETIR_LINK_EVT` or `NETIR_LINK_EVT/NETIR_LINK_DOWN`. */
  readonly unit: string;
  readonly severity: string;
  /** Link number; -1 as the driver prints it where no link is meant. */
  readonly link: number;
  readonly intrinsic: number;
  readonly status: number | null;
  /** Bits 25 to 20 of the intrinsic info. */
  readonly subcode: number;
}

/**
 * Reads `RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x0409a0c2 0x00000008 …)`.
 * @param message what follows the number of the Xid
 */
export function readNvlinkEvent(message: string): NvlinkEvent | null {
  const match =
    /\b(?<unit>[A-Z][A-Z0-9_]{2,30}(?:\/[A-Z0-9_]{2,30}| Degraded)?) (?<severity>Fatal|Non-?fatal|Link[ -]fatal)\b.{0,60}?\bLink (?<link>-?\d{1,3}) \((?<intrinsic>0x[0-9a-f]{1,8})(?: (?<status>0x[0-9a-f]{1,8}))?/i.exec(
      message,
    );
  if (match?.groups === undefined) return null;
  const { unit, severity, link, intrinsic, status } = match.groups;
  const bits = Number(intrinsic);
  return {
    unit: unit!,
    severity: severity!.toLowerCase().replace(/^nonfatal$/, 'non-fatal'),
    link: Number(link),
    intrinsic: bits,
    status: status === undefined ? null : Number(status),
    subcode: (bits >>> 20) & 0x3f,
  };
}

/**
 * The row of the table that an event is; null where the table does not have it. Source: the vendor's Xid catalogue,
 * sheet of the NVLink 5 Xids.
 */
export function decodeNvlinkEvent(
  rows: readonly NvlinkXidRow[],
  code: number,
  event: NvlinkEvent,
): NvlinkXidRow | null {
  const first = event.unit.split('/')[0];
  const id = event.intrinsic & 0x7f;
  const oldId = (event.intrinsic >>> 5) & 0x1f;
  const ofUnit = rows.filter(
    (row) => row.code === code && (row.unit === event.unit || row.unit.split('/')[0] === first),
  );
  const ofId = ofUnit.filter((row) => row.id === id || row.idBefore575 === oldId);
  const candidates = ofId.length > 0 ? ofId : ofUnit;
  const ofReason = candidates.filter((row) => row.reason === event.subcode || row.reason === 0);
  const exact = ofReason.filter((row) => row.reason === event.subcode);
  const pool = exact.length > 0 ? exact : ofReason;
  return (
    pool.find((row) => row.status !== null && row.status === event.status) ??
    pool.find((row) => row.status === null) ??
    null
  );
}

/** Whether bit 7 of the intrinsic info asks for a reset of the GPU beside what the row says. */
export function needsReset(row: NvlinkXidRow, event: NvlinkEvent): boolean {
  return row.immediate === 'reset-gpu' || (row.resetIfBit7 && (event.intrinsic & 0x80) !== 0);
}

/** What the registers of an Xid 74 line mean, with the link that it names. */
export interface NvlinkRegisters {
  readonly link: number | null;
  readonly rows: readonly NvlinkRegisterRow[];
}

/**
 * Reads `NVLink: fatal error detected on link 14(0x100000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)`.
 * @returns null where no registers are printed
 */
export function decodeNvlinkRegisters(rows: readonly NvlinkRegisterRow[], message: string): NvlinkRegisters | null {
  const match = /(?:link (?<link>\d{1,3}) {0,2})?\((?<words>0x[0-9a-f]{1,8}(?:, ?0x[0-9a-f]{1,8}){3,7})\)/i.exec(
    message,
  );
  if (match?.groups === undefined) return null;
  const words = match.groups['words']!.split(/, ?/).map(Number);
  const set = rows.filter((row) => row.bits.some((bit) => (((words[row.register - 1] ?? 0) >>> bit) & 1) === 1));
  return { link: match.groups['link'] === undefined ? null : Number(match.groups['link']), rows: set };
}

/**
 * What the rest of an NVLink Xid's line says, in words: unit, link, sub-code, severity, who made it, the first step.
 * @returns null where the line carries nothing that the tables decode
 */
export function nvlinkWords(
  tables: { readonly nvlinkXids: readonly NvlinkXidRow[]; readonly nvlinkRegisters: readonly NvlinkRegisterRow[] },
  code: number,
  message: string,
): string | null {
  if (code === 74) {
    const registers = decodeNvlinkRegisters(tables.nvlinkRegisters, message);
    if (registers === null || registers.rows.length === 0) return null;
    const link = registers.link === null ? '' : `link ${registers.link}: `;
    return `${link}${registers.rows.map((row) => row.what.replace(/\.$/, '').toLowerCase()).join('; ')}`;
  }
  const event = code >= 144 && code <= 150 ? readNvlinkEvent(message) : null;
  if (event === null) return null;
  const row = decodeNvlinkEvent(tables.nvlinkXids, code, event);
  const named = `unit ${event.unit}, ${event.link < 0 ? 'no single link' : `link ${event.link}`}, sub-code ${event.subcode}`;
  if (row === null) return `${named}, printed as ${event.severity}`;
  const first = needsReset(row, event) ? stepWords['reset-gpu'] : stepWords[row.immediate];
  return `${named}: ${row.severity}, made by ${row.sides.join(' or ')}; first: ${first}; then: ${stepWords[row.investigate]}`;
}
