// What a link of an adapter runs at, and what it could run at.
//
// $ mlxlink -d mlx5_2
// Operational Info
// ----------------
// State                              : Active
// Physical state                     : LinkUp
// Speed                              : IB-NDR
// Width                              : 4x
// Recommendation                     : No issue was observed
// $ grep . /sys/class/infiniband/mlx5_*/ports/1/rate
// /sys/class/infiniband/mlx5_0/ports/1/rate:400 Gb/sec (4X NDR)
// $ ibstat
// CA 'mlx5_0'
//         CA type: MT4129
//         Port 1:
//                 State: Active
//                 Rate: 400
//                 Link layer: InfiniBand
// node_infiniband_rate_bytes_per_second{device="mlx5_0",port="1"} 5e+10
//
// Sources: mlxlink's manual (NVIDIA Firmware Tools), ibstat(8), Documentation/ABI/stable/sysfs-class-infiniband.
import type { Document, Line } from '../model/document.ts';
import type { FactValues } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';

type Link = FactValues['net.link'];

const none: Omit<Link, 'device' | 'port'> = {
  gigabits: null,
  lanes: null,
  gigabitsEnabled: null,
  lanesEnabled: null,
  state: null,
  recommendation: null,
  model: null,
  bitErrorRate: null,
};

/** Gb/s of one lane by the names of the InfiniBand Trade Association. */
const perLane: Readonly<Record<string, number>> = {
  SDR: 2.5,
  DDR: 5,
  QDR: 10,
  FDR10: 10,
  FDR: 14,
  EDR: 25,
  HDR: 50,
  NDR: 100,
  XDR: 200,
};

export const netLinks: Parser = {
  id: 'net-links',
  literals: ['operational info', '/rate', 'ca type:', 'node_infiniband_rate', 'gb/sec ('],
  keep: { before: 1, after: 24 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      if (hit.told || hit.prompt) continue;
      const text = hit.clean.trim();
      if (/^Operational Info$/i.test(text)) readMlxlink(document, hit, sink);
      else if (/^CA type: /i.test(text)) readIbstat(document, hit, sink);
      else readRate(text, hit, sink);
    }
  },
};

function readRate(text: string, line: Line, sink: FactSink): void {
  const sysfs =
    /(?:^|[\s/])([a-z][\w-]{1,31}\d)\/ports\/(\d{1,3})\/rate[:=\s]{1,4}(\d{1,5}(?:\.\d)?) Gb\/sec(?: \((\d{1,2})X(?: \w{2,6})?\))?/.exec(
      text,
    );
  if (sysfs !== null) {
    sink.add(
      'net.link',
      {
        ...none,
        device: sysfs[1]!,
        port: Number(sysfs[2]),
        gigabits: Number(sysfs[3]),
        lanes: sysfs[4] === undefined ? null : Number(sysfs[4]),
      },
      line,
    );
    return;
  }
  const metric = /^node_infiniband_rate_bytes_per_second\{([^}]{1,400})\} ([\d.]{1,24}(?:e[+-]?\d{1,3})?)/i.exec(text);
  const device = metric === null ? undefined : /\bdevice="([\w.-]{1,40})"/.exec(metric[1]!)?.[1];
  if (metric === null || device === undefined) return;
  const port = /\bport="(\d{1,3})"/.exec(metric[1]!)?.[1];
  const gigabits = (Number(metric[2]) * 8) / 1e9;
  if (Number.isFinite(gigabits))
    sink.add('net.link', { ...none, device, port: port === undefined ? null : Number(port), gigabits }, line);
}

/** The port of one adapter: rate and state belong together with the kind of adapter. */
function readIbstat(document: Document, head: Line, sink: FactSink): void {
  const model = /^CA type: (\S{2,40})/i.exec(head.clean.trim())?.[1] ?? null;
  const name = document.lines
    .slice(Math.max(0, head.index - 3), head.index)
    .map((line) => /^CA '([\w.-]{2,40})'/.exec(line.clean)?.[1])
    .find((each) => each !== undefined);
  if (name === undefined) return;
  let port: number | null = null;
  let state: string | null = null;
  let rate: { readonly value: number; readonly line: Line } | null = null;
  const flush = (): void => {
    if (port !== null && rate !== null)
      sink.add('net.link', { ...none, device: name, port, gigabits: rate.value, state, model }, [rate.line, head]);
    state = rate = null;
  };
  for (const line of document.lines.slice(head.index + 1, head.index + 80)) {
    const text = line.clean.trim();
    if (line.prompt || /^CA '/.test(text)) break;
    const number = /^Port (\d{1,3}):$/.exec(text)?.[1];
    if (number !== undefined) {
      flush();
      port = Number(number);
    }
    state = /^State: (\w{2,20})/.exec(text)?.[1] ?? state;
    const speed = /^Rate: (\d{1,5})\b/.exec(text)?.[1];
    if (speed !== undefined) rate = { value: Number(speed), line };
  }
  flush();
}

function readMlxlink(document: Document, head: Line, sink: FactSink): void {
  const device =
    /\bmlxlink\b.{0,80}? -d ?([\w.:/-]{2,60})/.exec(head.command ?? '')?.[1]?.replace(/^.*\//, '') ?? 'the adapter';
  const port = /\bmlxlink\b.{0,80}? -p ?(\d{1,3})/.exec(head.command ?? '')?.[1];
  const values = new Map<string, { readonly text: string; readonly line: Line }>();
  for (const line of document.lines.slice(head.index + 1, head.index + 60)) {
    if (line.prompt || /^Operational Info$/i.test(line.clean.trim())) break;
    const match = /^([A-Za-z][\w ()[\],./-]{1,48}?) {0,40}: {1,4}(\S.{0,200})$/.exec(line.clean.trim());
    if (match !== null) values.set(match[1]!.trim().toLowerCase(), { text: match[2]!.trim(), line });
  }
  const of = (name: string): string | null => values.get(name)?.text ?? null;
  const state = of('state');
  const speed = of('speed');
  if (state === null && speed === null) return;
  const lanes = /^(\d{1,2})x$/i.exec(of('width') ?? '')?.[1];
  const enabled = [...values.keys()].find((key) => key.startsWith('enabled link speed'));
  const quality = [...values.keys()].find((key) => key.startsWith('effective physical ber'));
  const bitErrorRate = quality === undefined ? null : Number((of(quality) ?? '').toLowerCase());
  sink.add(
    'net.link',
    {
      ...none,
      device,
      port: port === undefined ? null : Number(port),
      gigabits: speedOf(speed, lanes === undefined ? null : Number(lanes)),
      lanes: lanes === undefined ? null : Number(lanes),
      gigabitsEnabled: fastest(enabled === undefined ? null : of(enabled), 4),
      state,
      recommendation: of('recommendation'),
      bitErrorRate: bitErrorRate !== null && Number.isFinite(bitErrorRate) ? bitErrorRate : null,
    },
    ['state', 'speed', 'width', 'recommendation'].flatMap((key) => values.get(key)?.line ?? []),
  );
}

/** `IB-NDR` with its lanes, `400G_4X`, `100GbE`. */
function speedOf(text: string | null, lanes: number | null): number | null {
  const name = /\b(?:IB-)?(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)\b/i.exec(text ?? '')?.[1]?.toUpperCase();
  if (name !== undefined) return lanes === null ? null : perLane[name]! * lanes;
  const gigabits = /^(\d{1,4})(?:G|GbE|Gb)/.exec(text ?? '')?.[1];
  return gigabits === undefined ? null : Number(gigabits);
}

/** The fastest speed of a list: `0x000000e1 (NDR,HDR,EDR,SDR)`. */
function fastest(text: string | null, lanes: number): number | null {
  if (text === null) return null;
  const rates = [...text.matchAll(/\b(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)\b/g)].map(
    (match) => perLane[match[1]!]! * lanes,
  );
  return rates.length === 0 ? null : Math.max(...rates);
}
