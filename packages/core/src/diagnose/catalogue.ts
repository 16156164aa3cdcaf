import { isOver } from '../rules/ok/_needless.ts';
import type { Evidence } from '../model/document.ts';
import type { Fact } from '../model/facts.ts';
import type { Layer, Owner } from '../model/layer.ts';
import type { Missing, Remedy, RuleContext } from '../model/rule.ts';
import type { Finding } from '../model/verdict.ts';
import type { SxidRow, XidRow } from '../knowledge/xids.types.ts';
import { decodeNvlinkEvent, needsReset, nvlinkWords, readNvlinkEvent } from '../knowledge/nvlink-decode.ts';
import { layerOfXid, ownerOfXidClass, recoveryStep, stepCommands, stepWords } from '../knowledge/xid-words.ts';
import { rules } from '../rules/rules.ts';
import type { Candidate } from './verdict.ts';

/** Kernel lines around an Xid: what decides between its possible blames. */
const kernelLog = "dmesg -T | grep -iE 'NVRM: Xid|SXid|AER|pcieport'";

/** Findings of Xids that no rule quoted stand below those of rules. */
const below = -5;

/** Steps after which the vendor's catalogue leaves no doubt that the machine and not the program is meant. */
const machineSteps: ReadonlySet<string> = new Set([
  'reset-gpu',
  'restart-host',
  'restart-vm',
  'check-mechanicals',
  'update-software',
  'contact-support',
]);

/** File and line of a piece of evidence. */
export function lineOf(evidence: Evidence): string {
  return `${evidence.file}\u0000${evidence.line}`;
}

interface Event {
  readonly code: number;
  readonly message: string;
  readonly where: string;
  readonly seen: readonly Evidence[];
  readonly order: number;
}

/**
 * Findings for Xids and SXids that no rule quoted, from the vendor's catalogue: meaning, owner, steps. They are `likely`
 * where the catalogue itself blames the machine, else `possible`.
 * @param quoted lines (`lineOf`) that a finding rests on already
 * @param named rules that found something already
 */
export function kernelEvents(
  context: RuleContext,
  quoted: ReadonlySet<string>,
  named: ReadonlySet<string>,
): readonly Candidate[] {
  // A line that somebody wrote to the kernel log by hand is no event.
  if (context.first('program.injected') !== undefined) return [];
  const made: Candidate[] = [];
  const free = (event: Event): boolean => !event.seen.some((each) => quoted.has(lineOf(each)));
  // Events that say nothing of the machine, as those of a job that was cancelled.
  const needless = new Set(
    context.said
      .filter((fact) => fact.id === 'said.xid-line' && isOver(fact, context))
      .flatMap((fact) => fact.seen.map(lineOf)),
  );
  const counts = (event: Event): boolean => !event.seen.every((each) => needless.has(lineOf(each)));
  for (const [code, events] of byCode(xidEvents(context))) {
    if (!events.every(free) || !events.some(counts)) continue;
    const row = context.knowledge.xids.find((each) => each.code === code);
    const candidate = row === undefined ? unknownXid(code, events) : xidCandidate(row, events, context);
    if (!named.has(candidate.finding.rule)) made.push(candidate);
  }
  for (const [code, events] of byCode(sxidEvents(context))) {
    if (!events.every(free) || !events.some(counts)) continue;
    const row = context.knowledge.sxids.find((each) => each.code === code);
    if (row !== undefined) made.push(sxidCandidate(row, events));
  }
  return made;
}

function here(fact: Fact): boolean {
  return fact.scope !== 'other-host' && fact.scope !== 'after-fix';
}

function xidEvents(context: RuleContext): readonly Event[] {
  const logged = context
    .all('gpu.xid')
    .filter(here)
    .map((fact): Event => {
      const { xid, pci, process, message } = fact.value;
      return {
        code: xid,
        message,
        where: `${pci === '' ? '' : ` on ${pci}`}${process === null ? '' : ` in ${process}`}`,
        seen: fact.seen,
        order: fact.order,
      };
    });
  const lines = new Set(logged.flatMap((event) => event.seen.map(lineOf)));
  // Monitors, device plugins and diagnostics name the number only.
  const told = context.said
    .filter((fact) => here(fact) && !fact.seen.some((each) => lines.has(lineOf(each))))
    .flatMap((fact): readonly Event[] => {
      const { xid, xid2, xid3 } = fact.value.captures;
      const number = Number(xid ?? xid2 ?? xid3 ?? Number.NaN);
      if (!Number.isInteger(number) || number < 1) return [];
      return [{ code: number, message: '', where: '', seen: fact.seen, order: fact.order }];
    });
  return [...logged, ...told];
}

function sxidEvents(context: RuleContext): readonly Event[] {
  return context
    .all('gpu.sxid')
    .filter(here)
    .map((fact) => ({
      code: fact.value.sxid,
      message: fact.value.message,
      where: fact.value.pci === '' ? '' : ` on ${fact.value.pci}`,
      seen: fact.seen,
      order: fact.order,
    }));
}

function byCode(events: readonly Event[]): ReadonlyMap<number, readonly Event[]> {
  const map = new Map<number, Event[]>();
  for (const event of events) {
    const same = map.get(event.code);
    if (same === undefined) map.set(event.code, [event]);
    else same.push(event);
  }
  return map;
}

function xidCandidate(row: XidRow, events: readonly Event[], context: RuleContext): Candidate {
  const first = events[0]!;
  const cause = context.knowledge.causes.find((each) => each.cause === row.cause);
  const ruled = cause !== undefined && rules.some((rule) => rule.id.endsWith(`/${cause.cause}`));
  const detail = detailOf(row, first.message, context);
  const sure =
    row.confirmed &&
    !ruled &&
    (detail?.sure ??
      ((row.class === 'hardware' || row.class === 'driver' || row.class === 'operator') &&
        (row.severity === 'fatal' || row.severity === 'critical') &&
        row.immediate !== null &&
        machineSteps.has(row.immediate)));
  const layer = cause?.layer ?? layerOfXid(row);
  // Xids that report on others come last.
  const quiet = row.class === 'informational' || row.class === 'follow-on' || row.severity === 'info';
  return candidateOf({
    // A cause with a rule that did not speak is not named: the rule looked at this line and was not content.
    rule: cause === undefined || cause.layer === null ? `${layer}/xid-${row.code}` : `${cause.layer}/${cause.cause}`,
    layer,
    owner: cause?.owner ?? ownerOfXidClass[row.class] ?? 'operator',
    sure,
    message: `Xid ${row.code}${first.where}${more(events)}: ${sentence(detail?.meaning ?? row.meaning)}`,
    events,
    symptom: !quiet && row.severity !== 'warning' && row.severity !== 'unknown',
    weight: quiet ? below - 5 : below,
    remedies: detail?.remedies ?? remediesOf(row),
    missing: [
      {
        fact:
          row.discriminator === undefined || row.discriminator === null
            ? 'what the kernel logged around it'
            : `what tells its causes apart: ${row.discriminator}`,
        ask: kernelLog,
      },
    ],
    status: cause?.status ?? (row.class === 'application' ? 'not-stack-fault' : 'fault'),
  });
}

/** An Xid beyond the table: newer drivers add codes. */
function unknownXid(code: number, events: readonly Event[]): Candidate {
  return candidateOf({
    rule: `driver/xid-${code}`,
    layer: 'driver',
    owner: 'operator',
    sure: false,
    message: `Xid ${code}${events[0]!.where}${more(events)}: a code that the tables do not have`,
    events,
    symptom: true,
    weight: below,
    remedies: [
      { actor: 'node-admin', do: 'look the number up in the vendor’s Xid catalogue', command: kernelLog },
      { actor: 'vendor', do: 'open a case with the log if the GPU does not recover', command: 'nvidia-bug-report.sh' },
    ],
    missing: [{ fact: 'what the kernel logged around it', ask: kernelLog }],
    status: 'fault',
  });
}

interface Detail {
  readonly meaning: string;
  readonly remedies: readonly Remedy[];
  readonly sure?: boolean;
}

/** What the rest of the line says for the Xids that carry a table of their own. */
function detailOf(row: XidRow, message: string, context: RuleContext): Detail | null {
  const { knowledge } = context;
  if (row.code === 154) {
    const to = /\bto 0x[0-9a-f]{1,4} \(([^)]{1,60})\)/i.exec(message)?.[1];
    const step = to === undefined ? null : recoveryStep(to);
    if (to === undefined) return null;
    return {
      meaning: `the driver now recommends "${to}" for this GPU; the reason is the Xid before it`,
      remedies: [
        ...(step === null || step === 'ignore'
          ? []
          : [
              remedy(
                step === 'restart-application'
                  ? 'drain the GPU: let no new work onto it, then reset it'
                  : stepWords[step],
                stepCommands[step],
              ),
            ]),
        remedy('look at the Xid before it for the reason', kernelLog),
      ],
    };
  }
  const words = nvlinkWords(knowledge, row.code, message);
  if (words === null) return null;
  const event = readNvlinkEvent(message);
  if (event === null)
    return {
      meaning: `an NVLink error, ${words}`,
      remedies: [remedy('check the link, its counters and its seating', 'nvidia-smi nvlink -e'), ...remediesOf(row)],
    };
  const decoded = decodeNvlinkEvent(knowledge.nvlinkXids, row.code, event);
  if (decoded === null) return { meaning: `NVLink ${words}`, remedies: remediesOf(row) };
  const reset = needsReset(decoded, event);
  return {
    meaning: `NVLink ${words}`,
    sure: reset || decoded.severity === 'fatal',
    remedies: [
      ...(reset ? [remedy(stepWords['reset-gpu'], stepCommands['reset-gpu'])] : []),
      ...[decoded.immediate, decoded.investigate]
        .filter((step) => step !== 'ignore' && !(reset && step === 'reset-gpu'))
        .map((step) => remedy(stepWords[step], stepCommands[step])),
      remedy('compare the other end of the link', 'nvidia-smi nvlink -s'),
    ],
  };
}

function remediesOf(row: XidRow): readonly Remedy[] {
  const actor = ownerOfXidClass[row.class] === 'developer' ? 'developer' : 'node-admin';
  const steps = [row.immediate, row.investigate].filter((step) => step !== null && step !== 'ignore');
  const command = steps.map((step) => stepCommands[step]).find((each) => each !== undefined);
  return [
    ...(row.action === ''
      ? []
      : [{ actor, do: sentence(row.action), ...(command === undefined ? {} : { command }) } as const]),
    ...(row.investigate === 'contact-support'
      ? [{ actor: 'vendor', do: 'take the case if it comes back', command: 'nvidia-bug-report.sh' } as const]
      : []),
  ];
}

function sxidCandidate(row: SxidRow, events: readonly Event[]): Candidate {
  const first = events[0]!;
  const printed = /^fatal/i.test(first.message) || /^non-?fatal/i.test(first.message) ? first.message : '';
  const fatal =
    printed === '' ? row.driverSeverity === 'fatal' || row.guideClass === 'always-fatal' : /^fatal/i.test(printed);
  const name = row.guideName ?? row.symbol;
  return candidateOf({
    rule: `fabric/sxid-${row.code}`,
    layer: 'fabric',
    owner: 'operator',
    sure: fatal && row.confirmed,
    message: `SXid ${row.code} of an NVSwitch${first.where}${more(events)}: ${name}, ${
      fatal
        ? 'fatal: jobs on the GPUs behind it fail'
        : row.guideClass === 'potentially-fatal'
          ? 'fatal only if others come with it'
          : 'not fatal'
    }`,
    events,
    symptom: fatal,
    weight: fatal ? below : below - 5,
    remedies: fatal
      ? [
          remedy(
            'end the jobs on the GPUs of this switch, reset them and the switches together, or reboot the node',
            'nvidia-smi --gpu-reset',
          ),
          remedy('restart the fabric manager', 'systemctl restart nvidia-fabricmanager'),
          { actor: 'vendor', do: 'take the case if it comes back', command: 'nvidia-bug-report.sh' },
        ]
      : [
          remedy(
            'look for other SXids and Xids of the same second, and count how often it comes',
            "dmesg -T | grep -E 'SXid|NVRM: Xid'",
          ),
        ],
    missing: [{ fact: 'other SXids and Xids of the same time', ask: "dmesg -T | grep -E 'SXid|NVRM: Xid'" }],
    status: 'fault',
  });
}

function remedy(what: string, command?: string): Remedy {
  return { actor: 'node-admin', do: what, ...(command === undefined ? {} : { command }) };
}

function more(events: readonly Event[]): string {
  return events.length === 1 ? '' : ` (${events.length} times)`;
}

function sentence(text: string): string {
  const trimmed = text.trim().replace(/\.$/, '');
  return /^[A-Z][a-z]/.test(trimmed) ? trimmed.charAt(0).toLowerCase() + trimmed.slice(1) : trimmed;
}

function candidateOf(made: {
  readonly rule: string;
  readonly layer: Layer;
  readonly owner: Owner;
  readonly sure: boolean;
  readonly message: string;
  readonly events: readonly Event[];
  readonly symptom: boolean;
  readonly weight: number;
  readonly remedies: readonly Remedy[];
  readonly missing: readonly Missing[];
  readonly status: Candidate['status'];
}): Candidate {
  const finding: Finding = {
    rule: made.rule,
    layer: made.layer,
    cause: made.rule.slice(made.rule.indexOf('/') + 1),
    owner: made.owner,
    certainty: made.sure ? 'likely' : 'possible',
    message: made.message,
    evidence: made.events.flatMap((event) => event.seen).slice(0, 4),
    restsOn: [made.rule.includes('/sxid-') ? 'fabric-manager-guide' : 'xid-catalogue'],
    explains: [],
    remedies: made.remedies,
  };
  return {
    finding,
    status: made.status,
    weight: made.weight,
    order: made.events[0]!.order,
    missing: made.missing,
    messages: ['said.xid-line'],
    symptom: made.symptom,
  };
}
