import type { Detected } from './finding.ts';
import { against } from './finding.ts';
import type { CounterEvents, Watched } from './events.ts';
import { spanOf } from './moments.ts';
import type { GpuView } from './view.ts';

/** Faults that error counters of a GPU count while the series runs. What stood before it began accuses nobody. */
export function countedErrors(gpu: GpuView): readonly Detected[] {
  const { events } = gpu;
  if (events === null) return [];
  return [...memory(gpu, events), ...links(gpu, events)];
}

function when(gpu: GpuView, events: CounterEvents, metric: Watched): string {
  const [first] = events.steps(metric);
  return first === undefined ? '' : `, first ${spanOf(first.since, first.seconds, gpu.counted)}`;
}

function memory(gpu: GpuView, events: CounterEvents): readonly Detected[] {
  const { limits } = gpu;
  const found: Detected[] = [];
  const failed = events.last('remap-failed');
  if (failed !== null && failed >= 1 && failed < 16)
    found.push({
      cause: 'row-remap-failure-rma',
      kind: 'fault',
      says: `replacing a faulty memory row failed${when(gpu, events, 'remap-failed')}`,
      measured: against('failed remaps', failed, '>=', 'row-remaps'),
      shows: events.shown('remap-failed'),
      missing: { fact: 'the state of the row remapper', ask: 'nvidia-smi -q -d ROW_REMAPPER; nvidia-bug-report.sh' },
    });
  const pending = events.last('remap-pending');
  if (pending !== null && pending >= 1 && pending < 16)
    found.push({
      cause: 'row-remap-pending-needs-reset',
      kind: 'fault',
      says: `a faulty memory row waits for a reset${when(gpu, events, 'remap-pending')}`,
      measured: against('pending remaps', pending, '>=', 'row-remaps'),
      shows: events.shown('remap-pending'),
      missing: { fact: 'the state of the row remapper', ask: 'nvidia-smi -q -d ROW_REMAPPER' },
    });
  const counter = (['ecc-uncorrected', 'ecc-uncorrected-ever'] as const).find((each) => (events.growth(each) ?? 0) > 0);
  const errors = counter === undefined ? null : events.growth(counter);
  if (counter !== undefined && errors !== null && errors >= limits['ecc-errors']!)
    found.push({
      cause: 'uncorrectable-ecc',
      kind: 'fault',
      says: `${errors} uncorrected memory error${errors === 1 ? '' : 's'} during the series${when(gpu, events, counter)}`,
      measured: against('uncorrected errors', errors, '>=', 'ecc-errors'),
      shows: events.shown(counter),
      missing: {
        fact: 'the Xid of the error',
        ask: 'dmesg -T | grep -E "NVRM: Xid"; nvidia-smi -q -d ECC,ROW_REMAPPER',
      },
    });
  return found;
}

function links(gpu: GpuView, events: CounterEvents): readonly Detected[] {
  const { limits } = gpu;
  const found: Detected[] = [];
  const replays = events.growth('replays');
  if (replays !== null && replays >= limits['replays']!)
    found.push({
      cause: 'pcie-link-degraded',
      kind: 'fault',
      says: `PCIe repeated ${replays} transfers during the series${when(gpu, events, 'replays')}`,
      measured: against('transfers repeated', replays, '>=', 'replays'),
      shows: events.shown('replays'),
    });
  const recovered = events.growth('nvlink-recoveries') ?? 0;
  const wrong = (['nvlink-crc-flit', 'nvlink-crc-data', 'nvlink-replays'] as const).filter(
    (metric) => (events.growth(metric) ?? 0) > 0,
  );
  const errors = wrong.reduce((sum, metric) => sum + events.growth(metric)!, 0);
  const lead: Watched | undefined = recovered > 0 ? 'nvlink-recoveries' : wrong[0];
  if (lead !== undefined && (recovered > 0 || errors >= limits['nvlink-errors']!))
    found.push({
      cause: 'nvlink-fault',
      kind: 'fault',
      says: `NVLink counts ${errors} transfer${errors === 1 ? '' : 's'} with errors and ${recovered} recover${recovered === 1 ? 'y' : 'ies'} during the series${when(gpu, events, lead)}`,
      measured: against('NVLink errors', errors, errors >= limits['nvlink-errors']! ? '>=' : '<', 'nvlink-errors'),
      shows: events.shown(lead),
      missing: {
        fact: 'the link and its partner',
        ask: 'nvidia-smi nvlink -e; nvidia-smi nvlink -s; dmesg -T | grep -E "Xid|SXid"',
      },
    });
  return found;
}
