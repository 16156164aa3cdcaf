import type { Knowledge } from '../knowledge/knowledge.ts';
import type { NvlinkXidRow, SxidRow, XidRow, XidStep } from '../knowledge/xids.types.ts';
import type { Owner } from '../model/layer.ts';
import { sourcesOf } from './citations.ts';
import { recognised } from './recognised.ts';
import { causesOf } from './statuses.ts';
import type { Topic } from './topic.ts';
import { commandsOf, listOf, textOf } from './topic.ts';

const stepWords: Readonly<Record<XidStep, string>> = {
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

const ownerOfClass: Readonly<Record<XidRow['class'], Owner | null>> = {
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
    owner: cause?.owner ?? ownerOfClass[row.class],
    see: [...new Set(['xid', ...(row.cause === null ? [] : [row.cause]), ...causesOf(signature)])],
    sources: sourcesOf(knowledge, row.sources),
    confirmed: row.confirmed,
  };
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
