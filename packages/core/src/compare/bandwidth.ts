import type { Evidence } from '../model/document.ts';
import type { BandwidthGap, Corruption } from './diff.ts';
import type { Subject } from './subject.ts';

/** Below this size the time is latency; bandwidth says little. */
const fewestBytes = 1024 * 1024;
/** Runs on one healthy machine differ by some percent. */
const noise = 0.9;

/** Results that were found to be wrong. */
export function corruptionOf(subjects: readonly Subject[], first: number): readonly Corruption[] {
  return subjects.flatMap((subject, at): readonly Corruption[] => {
    const group = at < first ? 0 : 1;
    const rows = subject.bandwidth.filter((row) => (row.value.wrong ?? 0) > 0);
    const total = subject.wrong.find((fact) => fact.value > 0);
    if (rows.length === 0 && total === undefined) return [];
    const worst = [...rows].sort((a, b) => b.value.wrong! - a.value.wrong!)[0];
    return [
      {
        subject: subject.name,
        group,
        wrong: worst?.value.wrong ?? total!.value,
        bytes: worst?.value.bytes ?? null,
        collective: worst?.value.collective ?? null,
        evidence: [...rows.flatMap((row) => row.seen.slice(0, 1)).slice(0, 4), ...(total?.seen.slice(0, 1) ?? [])],
      },
    ];
  });
}

interface Measured {
  readonly values: number[];
  evidence: Evidence;
  lowest: number;
}

/** Bus bandwidth of both groups at every size that both measured. */
export function gapsOf(first: readonly Subject[], second: readonly Subject[]): readonly BandwidthGap[] {
  const a = measured(first);
  const b = measured(second);
  const gaps: BandwidthGap[] = [];
  for (const [key, mine] of a) {
    const other = b.get(key);
    if (other === undefined) continue;
    const [collective = '', place = '', bytes = ''] = key.split(' ');
    const values = [median(mine.values), median(other.values)] as const;
    const ratio = Math.min(...values) / Math.max(...values, Number.MIN_VALUE);
    const [slow, fast] = values[0] < values[1] ? [mine, other] : [other, mine];
    gaps.push({
      collective: collective === '?' ? null : collective,
      place: place === 'in-place' ? 'in-place' : 'out-of-place',
      bytes: Number(bytes),
      first: values[0],
      second: values[1],
      ratio: Number(ratio.toFixed(3)),
      apart: Number(bytes) >= fewestBytes && ratio < noise && Math.max(...slow.values) < Math.min(...fast.values),
      evidence: [mine.evidence, other.evidence],
    });
  }
  return gaps.sort((x, y) => x.bytes - y.bytes || (x.place < y.place ? 1 : -1));
}

function measured(subjects: readonly Subject[]): ReadonlyMap<string, Measured> {
  const out = new Map<string, Measured>();
  for (const subject of subjects)
    for (const row of subject.bandwidth) {
      const { collective, place, bytes, busbw, type, redop } = row.value;
      const key = `${collective ?? '?'} ${place} ${bytes} ${type} ${redop ?? ''}`;
      const known = out.get(key);
      const evidence = row.seen[0]!;
      if (known === undefined) out.set(key, { values: [busbw], evidence, lowest: busbw });
      else {
        known.values.push(busbw);
        if (busbw < known.lowest) {
          known.lowest = busbw;
          known.evidence = evidence;
        }
      }
    }
  return out;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The gap that says most: apart before not, then the widest, then the largest message. */
export function widest(gaps: readonly BandwidthGap[]): BandwidthGap | null {
  const apart = gaps.filter((gap) => gap.apart);
  return [...apart].sort((x, y) => x.ratio - y.ratio || y.bytes - x.bytes)[0] ?? null;
}
