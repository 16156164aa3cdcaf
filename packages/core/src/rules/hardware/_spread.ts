import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { own } from '../container-runtime/_container.ts';

// How often, where and for whom Xids came: what tells a program that fails on every GPU from a GPU that fails every
// program.

type Events = Fact<'gpu.xid-events'>;

/** What the spread of events over devices and programs speaks for; by itself it proves neither. */
export type Suspect = 'program' | 'device' | 'shared' | 'undecided';

export interface Spread {
  readonly suspect: Suspect;
  /** For the end of a message, with its separator: `; 12 times in 3 h on this GPU alone, through 3 programs`. */
  readonly text: string;
  /** The tallies it rests on. */
  readonly facts: readonly Events[];
  readonly devices: number;
  readonly count: number;
}

/** Events of these codes on this machine. */
export function xidEvents(
  context: RuleContext,
  codes: readonly number[],
  kind: 'xid' | 'sxid' = 'xid',
): readonly Events[] {
  if (context.first('program.injected') !== undefined) return [];
  return own(context, 'gpu.xid-events').filter((fact) => fact.value.kind === kind && codes.includes(fact.value.xid));
}

/**
 * Computes the spread of events of these codes.
 * @param open the codes may come from the program or from the device, so that the spread speaks for one of them
 * @returns null where none is logged, or where there is one event and nothing to say beside it
 */
export function spreadOf(
  context: RuleContext,
  codes: readonly number[],
  kind: 'xid' | 'sxid' = 'xid',
  open = false,
): Spread | null {
  const facts = xidEvents(context, codes, kind);
  const lead = facts[0];
  if (lead === undefined) return null;
  const count = facts.reduce((sum, fact) => sum + fact.value.count, 0);
  const suppressed = facts.reduce((sum, fact) => sum + fact.value.suppressed, 0);
  const devices = new Set(facts.map((fact) => `${fact.value.host ?? fact.origin.host ?? ''} ${fact.value.pci}`));
  if (count + suppressed < 2) return null;
  const programs = programsOf(facts);
  const device = kind === 'xid' ? 'GPU' : 'switch';
  const often = `${count + suppressed} times${suppressed > 0 ? ` (${suppressed} of them the kernel left out of the log)` : ''}${timeText(facts)}`;
  const { suspect, text } = judge(devices.size, programs, facts, device, open);
  return { suspect, text: `; ${often} ${text}`, facts, devices: devices.size, count: count + suppressed };
}

interface Programs {
  readonly names: readonly string[];
  readonly pids: readonly number[];
  /** Devices on which each name was stopped. */
  readonly devicesOf: ReadonlyMap<string, ReadonlySet<string>>;
}

function programsOf(facts: readonly Events[]): Programs {
  const devicesOf = new Map<string, Set<string>>();
  const pids = new Set<number>();
  for (const fact of facts) {
    for (const { process, pid } of fact.value.programs) {
      if (pid !== null && pid > 0) pids.add(pid);
      if (process === null) continue;
      const places = devicesOf.get(process) ?? new Set<string>();
      places.add(`${fact.value.host ?? ''} ${fact.value.pci}`);
      devicesOf.set(process, places);
    }
  }
  return { names: [...devicesOf.keys()], pids: [...pids], devicesOf };
}

function judge(
  devices: number,
  programs: Programs,
  facts: readonly Events[],
  device: string,
  open: boolean,
): { readonly suspect: Suspect; readonly text: string } {
  const { names, pids } = programs;
  const who = whoText(programs);
  if (devices === 1) {
    const alone = `on this ${device} alone`;
    if (names.length > 1)
      return {
        suspect: 'device',
        text: `${alone}, through ${names.length} programs (${names.slice(0, 3).join(', ')})${open ? `: that speaks for the ${device}` : ''}`,
      };
    if (pids.length > 1)
      return {
        suspect: 'undecided',
        text: `${alone}, through ${pids.length} processes${names[0] === undefined ? '' : ` named ${names[0]}`}${open ? `: whether it is the ${device} or the program shows on another ${device}` : ''}`,
      };
    return { suspect: 'undecided', text: who === '' ? alone : `${alone}, all of ${who}` };
  }
  const wide = `on ${devices} ${device === 'GPU' ? 'GPUs' : 'switches'}`;
  if (names.length === 1 && (programs.devicesOf.get(names[0]!)?.size ?? 0) === devices)
    return { suspect: 'program', text: `${wide}, all of ${who}${open ? ': that speaks for the program' : ''}` };
  if (names.length === 0 && together(facts))
    return { suspect: 'shared', text: `${wide} at the same time: what they share rather than one ${device}` };
  return { suspect: 'undecided', text: who === '' ? wide : `${wide}, of ${who}` };
}

/** `python3 (pid 88213)`, `python3 (4 processes)`, `python3, gmx`. */
function whoText({ names, pids }: Programs): string {
  if (names.length === 0) return pids.length === 1 ? `pid ${pids[0]!}` : '';
  if (names.length > 1) return `${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''}`;
  return `${names[0]!}${pids.length === 1 ? ` (pid ${pids[0]!})` : pids.length > 1 ? ` (${pids.length} processes)` : ''}`;
}

/** Two seconds: events of one cause on several devices are logged one after the other. */
function together(facts: readonly Events[]): boolean {
  const times = facts.map((fact) => fact.value.first);
  if (times.some((time) => time === null)) return false;
  const seconds = times.map((time) => (/^\d{1,9}\.\d{3,9}$/.test(time!) ? Number(time) : Number.NaN));
  if (seconds.every((each) => !Number.isNaN(each))) return Math.max(...seconds) - Math.min(...seconds) <= 2;
  return new Set(times.map((time) => time!.slice(0, 19))).size === 1;
}

/** ` in 3 h 20 min`, or from when to when where the clock tells no span. */
function timeText(facts: readonly Events[]): string {
  const [first] = facts;
  if (facts.length === 1 && first !== undefined) {
    const { spanMs, first: from, last } = first.value;
    if (spanMs !== null) return spanMs < 1000 ? ' within a second' : ` in ${durationText(spanMs)}`;
    if (from !== null && last !== null && from !== last) return ` from ${from} to ${last}`;
  }
  const begin = facts[0]?.value.first;
  const end = facts.at(-1)?.value.last;
  if (begin == null || end == null || begin === end) return '';
  const span = (Number(end) - Number(begin)) * 1000;
  return Number.isNaN(span)
    ? ` from ${begin} to ${end}`
    : span < 1000
      ? ' within a second'
      : ` in ${durationText(span)}`;
}

function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/**
 * True where all events of these codes were logged before the node, or the driver, was last started, and none since:
 * what they speak of may be over.
 */
export function beforeStart(
  context: RuleContext,
  codes: readonly number[],
  kind: 'xid' | 'sxid' = 'xid',
): Fact<'os.started'> | undefined {
  const events = own(context, kind === 'xid' ? 'gpu.xid' : 'gpu.sxid').filter((fact) =>
    codes.includes('xid' in fact.value ? fact.value.xid : fact.value.sxid),
  );
  const last = Math.max(...events.map((fact) => fact.last ?? fact.order));
  return own(context, 'os.started').find(
    (start) =>
      events.length > 0 &&
      (start.last ?? start.order) > last &&
      // Of the same log and node: the order of two logs in time is not known.
      events.every(
        (fact) =>
          fact.seen[0]?.file === start.seen[0]?.file &&
          (start.origin.host === undefined || fact.origin.host === undefined || start.origin.host === fact.origin.host),
      ),
  );
}
