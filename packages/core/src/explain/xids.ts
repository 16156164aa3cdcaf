import type { Knowledge } from '../knowledge/knowledge.ts';
import { decodeNvlinkEvent, decodeNvlinkRegisters, needsReset, readNvlinkEvent } from '../knowledge/nvlink-decode.ts';
import { ownerOfXidClass, recoveryStep, stepWords } from '../knowledge/xid-words.ts';
import type { NvlinkXidRow, SxidRow, XidRow } from '../knowledge/xids.types.ts';
import { sourcesOf } from './citations.ts';
import { recognised } from './recognised.ts';
import { causesOf } from './statuses.ts';
import type { Block, Topic } from './topic.ts';
import { commandsOf, listOf, textOf } from './topic.ts';

const classWords: Readonly<Record<XidRow['class'], string>> = {
  application: 'usually the program',
  driver: 'usually the driver',
  hardware: 'usually the hardware',
  operator: 'something the operator did or set',
  'follow-on': 'a consequence of something else',
  informational: 'informational',
  reserved: 'reserved',
  unused: 'not used any more',
  undefined: 'not defined',
};

export function xidTopic(knowledge: Knowledge, row: XidRow): Topic {
  const cause = knowledge.causes.find((each) => each.cause === row.cause);
  const signature = recognised(knowledge, `NVRM: Xid (PCI:0000:3b:00): ${row.code}, pid=1, name=python`).find(
    (each) => each.id !== 'xid-line',
  );
  const units = knowledge.nvlinkXids.filter((each) => each.code === row.code);
  return {
    kind: 'xid',
    id: `xid ${row.code}`,
    title: `Xid ${row.code}${row.name === null ? '' : `: ${row.name}`}`,
    facts: [
      ...(row.symbol === null || row.symbol === row.name ? [] : [['name in the kernel module', row.symbol] as const]),
      ['speaks of', classWords[row.class]],
      ['severity', row.severity],
      ...(row.immediate === null ? [] : [['first step', stepWords[row.immediate]] as const]),
      ...(row.investigate === null ? [] : [['then', stepWords[row.investigate]] as const]),
      ...(row.pluginIgnores ? [['Kubernetes', 'the device plugin leaves the GPU healthy on this code'] as const] : []),
      ...(row.evidence === 'confirmed' ? [] : [['evidence', evidenceWords[row.evidence]] as const]),
    ],
    blocks: [
      ...textOf(
        row.meaning,
        row.discriminator === null || row.discriminator === ''
          ? null
          : `What tells the blames apart: ${row.discriminator}`,
      ),
      ...listOf('What to do, in this order', row.action === '' ? [] : [row.action], true),
      ...listOf('By the unit that its message names', unitsOf(units)),
      ...commandsOf('What decides', [
        "dmesg -T | grep -iE 'NVRM: Xid|SXid|AER|pcie'",
        ...(signature?.commands.slice(0, 3) ?? []),
      ]),
    ],
    owner: cause?.owner ?? ownerOfXidClass[row.class],
    see: [...new Set(['xid', ...(row.cause === null ? [] : [row.cause]), ...causesOf(signature)])],
    sources: sourcesOf(knowledge, row.sources),
    confirmed: row.confirmed,
  };
}

/**
 * An Xid with what the rest of its line, a unit or a sub-code says.
 * @param part the line behind the number, `RLW_REMAP`, or `37`
 */
export function xidLineTopic(knowledge: Knowledge, row: XidRow, part: string): Topic {
  const topic = xidTopic(knowledge, row);
  const decoded = decodedBlocks(knowledge, row, part);
  return decoded.length === 0 ? topic : { ...topic, blocks: [...decoded, ...topic.blocks] };
}

function decodedBlocks(knowledge: Knowledge, row: XidRow, part: string): readonly Block[] {
  const to = /\bto 0x[0-9a-f]{1,4} \(([^)]{1,60})\)/i.exec(part)?.[1];
  if (row.code === 154 && to !== undefined) {
    const step = recoveryStep(to);
    return textOf(
      `This line recommends "${to}"${step === null ? '' : `: ${stepWords[step]}`}. The reason is the Xid before it.`,
    );
  }
  const registers = row.code === 74 ? decodeNvlinkRegisters(knowledge.nvlinkRegisters, part) : null;
  if (registers !== null)
    return listOf(
      `Its registers${registers.link === null ? '' : `, link ${registers.link}`}`,
      registers.rows.map((each) => `register ${each.register}: ${each.what}`),
    );
  const event = readNvlinkEvent(part);
  if (event !== null) {
    const found = decodeNvlinkEvent(knowledge.nvlinkXids, row.code, event);
    return listOf('This line', [
      `unit ${event.unit}, link ${event.link < 0 ? 'none' : event.link}, sub-code ${event.subcode}, printed as ${event.severity}`,
      ...(found === null
        ? ['the table does not have this status']
        : [
            `${found.severity}, made by ${found.sides.join(' or ')}`,
            `first: ${needsReset(found, event) ? stepWords['reset-gpu'] : stepWords[found.immediate]}; then: ${stepWords[found.investigate]}`,
          ]),
    ]);
  }
  const word = part.trim().toUpperCase();
  const rows = knowledge.nvlinkXids.filter(
    (each) =>
      each.code === row.code &&
      (each.unit.toUpperCase().split('/').includes(word) ||
        each.unit.toUpperCase() === word ||
        (/^\d{1,3}$/.test(word) && each.reason === Number(word))),
  );
  return listOf(
    `Rows of ${part.trim()}`,
    rows.map(
      (each) =>
        `${each.unit}, sub-code ${each.reason}${each.status === null ? '' : `, status 0x${each.status.toString(16)}`}: ${each.severity}, made by ${each.sides.join(' or ')}; first: ${stepWords[each.immediate]}; then: ${stepWords[each.investigate]}`,
    ),
  );
}

/** One line for each unit of an NVLink 5 Xid: how bad it is, where it comes from, the first step. */
function unitsOf(rows: readonly NvlinkXidRow[]): readonly string[] {
  const lines = new Map<string, Set<string>>();
  for (const row of rows) {
    const steps = lines.get(row.unit) ?? new Set<string>();
    lines.set(row.unit, steps.add(`${row.severity} (${row.sides.join(' or ')}): ${stepWords[row.immediate]}`));
  }
  return [...lines].map(([unit, steps]) => `${unit}: ${[...steps].join('; ')}`);
}

const evidenceWords: Readonly<Record<Exclude<XidRow['evidence'], 'confirmed'>, string>> = {
  historical: 'described for older GPUs only',
  'source-name-only': 'only its name in the source of the kernel module is known',
  unconfirmed: 'not read in a primary source',
};

export function sxidTopic(knowledge: Knowledge, row: SxidRow): Topic {
  const fatal = row.driverSeverity === 'fatal' || row.guideClass === 'always-fatal';
  return {
    kind: 'sxid',
    id: `sxid ${row.code}`,
    title: `SXid ${row.code}: ${row.guideName ?? row.symbol}`,
    facts: [
      ['name in the kernel module', row.symbol],
      ['the driver calls it', row.driverSeverity ?? 'not seen'],
      ['the fabric manager guide calls it', row.guideClass ?? 'not listed'],
      ...row.texts.map((text) => ['its message', text] as const),
    ],
    blocks: [
      ...textOf(
        'An error of an NVSwitch, reported by the kernel module.',
        fatal
          ? 'It is fatal: jobs on the GPUs behind this switch have failed or will.'
          : row.guideClass === 'potentially-fatal'
            ? 'It can be fatal: look for a fatal one, or an Xid of a GPU, at the same time.'
            : null,
      ),
      ...listOf(
        'What to do, in this order',
        fatal
          ? [
              'end the jobs on the GPUs of this switch',
              'reset those GPUs and the switches together, or reboot the node',
              'restart the fabric manager',
              'if it comes back, open a case with the vendor',
            ]
          : [
              'look for other SXids and Xids of the same second',
              'count how often it comes; a rising count is worth a case with the vendor',
            ],
        true,
      ),
      ...commandsOf('What decides', ["dmesg -T | grep -iE 'SXid|NVRM: Xid'", 'systemctl status nvidia-fabricmanager']),
    ],
    owner: 'operator',
    see: ['sxid', 'fabric-manager'],
    sources: sourcesOf(knowledge, row.sources),
    confirmed: row.confirmed,
  };
}
