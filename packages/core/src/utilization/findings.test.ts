import { describe, expect, it } from 'vitest';
import { verdictFor } from '../rules/testing.ts';
import { dmonOf, queryOf, scrapesOf } from '../rules/testing-series.ts';
import type { SeriesFinding } from './finding.ts';
import { findingsOf } from './findings.ts';
import { SeriesReader } from './reader.ts';
import { SeriesSet } from './series-set.ts';
import type { Thresholds } from './thresholds.rows.ts';
import { defaultThresholds } from './thresholds.rows.ts';

function found(texts: readonly string[], limits: Thresholds = defaultThresholds): readonly SeriesFinding[] {
  const set = new SeriesSet(limits);
  texts.forEach((text, at) => {
    const reader = new SeriesReader(set, `file-${at}`);
    text.split('\n').forEach((line, index) => reader.line(line, index + 1));
    reader.end();
  });
  set.settle();
  return findingsOf(set);
}

const causes = (texts: readonly string[]): readonly string[] => found(texts).map(({ cause }) => cause);
const one = ['gpu="0",Hostname="n1"'];
const busy = (t: number): Record<string, number> => ({
  DEV_GPU_UTIL: 98,
  DEV_POWER_USAGE: 560 + (t % 7),
  DEV_POWER_MGMT_LIMIT: 700,
  DEV_MEM_COPY_UTIL: 41,
});

describe('a GPU that is not measured', () => {
  it.each([
    [
      'zeros where power and clocks are exported too',
      { DEV_GPU_UTIL: 0, DEV_POWER_USAGE: 0, DEV_SM_CLOCK: 0 },
      'exporter-blind',
    ],
    ['zeros, and nothing exported that is never zero', { DEV_GPU_UTIL: 0, DEV_FB_USED: 0 }, 'exporter-blind'],
    ['utilisation alone at zero', { DEV_GPU_UTIL: 0 }, 'exporter-blind'],
    [
      'no utilisation at full power',
      { DEV_GPU_UTIL: 0, DEV_POWER_USAGE: 610, DEV_POWER_MGMT_LIMIT: 700 },
      'exporter-blind',
    ],
    ['idle power', { DEV_GPU_UTIL: 0, DEV_POWER_USAGE: 71 }, 'ok-idle'],
    ['a temperature', { DEV_GPU_UTIL: 0, DEV_GPU_TEMP: 29 }, 'ok-idle'],
    ['memory that is held a little', { DEV_GPU_UTIL: 0, DEV_FB_USED: 4 }, 'ok-idle'],
  ])('%s', (_, values, cause) => {
    expect(causes([scrapesOf(one, 20, () => values)])).toEqual([cause]);
  });

  it('the driver itself is believed: zeros of nvidia-smi are an idle GPU', () => {
    expect(causes([dmonOf('gpu sm mem', 20, () => [[0, 0, 0]])])).toEqual(['ok-idle']);
  });

  it.each([
    ['two counters at zero under full load', { PROF_GR_ENGINE_ACTIVE: 0, PROF_SM_ACTIVE: 0 }, true],
    ['the engine alone at zero', { PROF_GR_ENGINE_ACTIVE: 0 }, true],
    ['SMs alone at zero while power is high', { PROF_SM_ACTIVE: 0 }, true],
    ['one counter that moves', { PROF_GR_ENGINE_ACTIVE: 0.97, PROF_PIPE_TENSOR_ACTIVE: 0 }, false],
  ])('profiling counters: %s', (_, values, blind) => {
    const all = causes([scrapesOf(one, 20, (t) => ({ ...busy(t), ...values }))]);
    expect(all.includes('profiling-counters-blind')).toBe(blind);
  });
});

describe('utilisation alone', () => {
  const [finding] = found([scrapesOf(one, 20, () => ({ DEV_GPU_UTIL: 96, DEV_SM_CLOCK: 1755 }))]);
  it('names the field, its number and the line of the CSV file', () => {
    expect(finding?.cause).toBe('util-metric-not-exported');
    expect(finding?.missing?.fact).toContain('DCGM_FI_PROF_SM_ACTIVE, field 1002');
    expect(finding?.missing?.ask).toContain(
      'DCGM_FI_PROF_SM_ACTIVE, gauge, The ratio of cycles an SM has at least 1 warp assigned.',
    );
    expect(finding?.missing?.ask).toContain('dcgmi dmon -e 1002,1001,1004,1005');
  });
  it('says what the others say', () => {
    expect(finding?.message).toContain('1755 MHz');
  });
});

describe('error counters', () => {
  const grows = (field: string, from: number, to: number): string =>
    scrapesOf(one, 30, (t) => ({ ...busy(t), [field]: t < 12 ? from : to }));

  it.each([
    ['an uncorrected error during the series', 'DEV_ECC_DBE_VOL_TOTAL', 0, 1, 'uncorrectable-ecc'],
    ['errors that stood before the series began', 'DEV_ECC_DBE_VOL_TOTAL', 3, 3, null],
    ['a counter that starts again', 'DEV_ECC_DBE_VOL_TOTAL', 3, 0, null],
    ['a remap that failed', 'DEV_ROW_REMAP_FAILURE', 0, 1, 'row-remap-failure-rma'],
    ['a remap that failed long ago stands all the same', 'DEV_ROW_REMAP_FAILURE', 1, 1, 'row-remap-failure-rma'],
    ['a remap that waits', 'DEV_ROW_REMAP_PENDING', 0, 1, 'row-remap-pending-needs-reset'],
    ['rows that were remapped long ago', 'DEV_UNCORRECTABLE_REMAPPED_ROWS', 2, 2, null],
    ['replays that grow', 'DEV_PCIE_REPLAY_COUNTER', 20, 900, 'pcie-link-degraded'],
    ['replays from a start of the machine', 'DEV_PCIE_REPLAY_COUNTER', 900, 900, null],
    ['a few replays', 'DEV_PCIE_REPLAY_COUNTER', 20, 24, null],
    ['checksums on NVLink', 'DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL', 0, 480, 'nvlink-fault'],
    ['a link that was trained again', 'DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL', 4, 5, 'nvlink-fault'],
    ['a few replays of NVLink', 'DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL', 0, 7, null],
  ])('%s', (_, field, from, to, cause) => {
    const faults = found([grows(field, from, to)]).filter(({ kind }) => kind === 'fault');
    expect(faults.map((each) => each.cause)).toEqual(cause === null ? [] : [cause]);
    for (const fault of faults) {
      expect(fault.measured).not.toEqual([]);
      expect(fault.places[0]?.text).toContain(field);
    }
  });

  it('say since when', () => {
    const text = queryOf('timestamp index utilization.gpu ecc.errors.uncorrected.volatile.total', 30, (t) => [
      `2026/03/03 14:00:${String(t).padStart(2, '0')}.000`,
      0,
      97,
      t < 12 ? 0 : 1,
    ]);
    const [fault] = found([text]).filter(({ kind }) => kind === 'fault');
    expect(fault?.message).toContain('between 2026-03-03 14:00:11 and 2026-03-03 14:00:12');
  });

  it('an Xid that comes during the series is an event, and one that the gauge keeps is none', () => {
    expect(verdictFor(grows('DEV_XID_ERRORS', 0, 79)).cause).toBe('gpu-fell-off-bus-power');
    expect(verdictFor(grows('DEV_XID_ERRORS', 79, 79)).status).not.toBe('fault');
  });

  it('grow over two files that follow each other', () => {
    const query = (from: number, errors: number): string =>
      queryOf('timestamp index utilization.gpu ecc.errors.uncorrected.volatile.total', 20, (t) => [
        `2026/03/03 14:${String(from).padStart(2, '0')}:${String(t).padStart(2, '0')}.000`,
        0,
        97,
        errors,
      ]);
    expect(causes([query(20, 2), query(10, 0)])).toContain('uncorrectable-ecc');
    expect(causes([query(20, 0), query(10, 2)])).not.toContain('uncorrectable-ecc');
  });
});

describe('NVLink in a job of several GPUs', () => {
  const two = ['gpu="0",Hostname="n1"', 'gpu="1",Hostname="n1"'];
  const job = (extra: (t: number) => Record<string, number>): string =>
    scrapesOf(two, 20, (t) => ({ ...busy(t), PROF_PCIE_RX_BYTES: 9e9, PROF_PCIE_TX_BYTES: 8e9, ...extra(t) }));
  it.each([
    ['rates of zero', job(() => ({ PROF_NVLINK_RX_BYTES: 0, PROF_NVLINK_TX_BYTES: 0 })), true],
    ['a counter that stands still', job(() => ({ DEV_NVLINK_BANDWIDTH_TOTAL: 123_456 })), true],
    ['a counter that grows', job((t) => ({ DEV_NVLINK_BANDWIDTH_TOTAL: 1000 * t })), false],
    ['rates', job(() => ({ PROF_NVLINK_RX_BYTES: 4e10, PROF_NVLINK_TX_BYTES: 4e10 })), false],
    ['no counter of NVLink', job(() => ({})), false],
  ])('%s', (_, text, idle) => {
    expect(causes([text]).includes('nvlink-idle-multi-gpu')).toBe(idle);
  });
});

describe('a kernel that hangs', () => {
  const hung = dmonOf('gpu pwr sm mem mclk rxpci txpci', 120, () => [[0, 240, 100, 0, 2619, 20, 10]]);
  it('names the process of pmon', () => {
    const pmon = '# gpu pid type sm mem command\n0 90211 C 100 0 solver';
    const [fault] = found([hung, pmon]);
    expect(fault).toMatchObject({ cause: 'hung-kernel-app-deadlock', certainty: 'likely' });
    expect(fault?.message).toContain('solver (pid 90211)');
    expect(fault?.missing?.ask).toContain('cuda-gdb -p 90211');
  });
  it('asks for the process where nobody lists it', () => {
    expect(found([hung])[0]?.missing?.ask).toContain('nvidia-smi pmon');
  });
});

describe('thresholds', () => {
  const label = dmonOf('gpu pwr sm mem mclk smutil', 20, (t) => [[0, 300 + (t % 3), 100, 6, 2619, 24 + (t % 3)]]);
  it('another one changes the finding', () => {
    expect(found([label])[0]?.cause).toBe('busy-label-idle-sms');
    expect(found([label], { ...defaultThresholds, 'low-sm': 20 }).some(({ kind }) => kind === 'fault')).toBe(false);
  });
  it('each number that is shown stands as it says to its threshold', () => {
    const holds = {
      '>=': (a: number, b: number) => a >= b - 0.06,
      '<=': (a: number, b: number) => a <= b + 0.06,
      '<': (a: number, b: number) => a < b + 0.06,
      '>': (a: number, b: number) => a > b - 0.06,
    };
    for (const finding of found([label]))
      for (const { value, is, threshold } of finding.measured)
        expect(holds[is](value, defaultThresholds[threshold]!), `${finding.cause} ${threshold}`).toBe(true);
  });
});

describe('several clients of one GPU', () => {
  const work = dmonOf('gpu pwr sm mem mclk', 20, (t) => [[0, 560 + (t % 7), 99, 41, 2619]]);
  const pmon = (type: string, a: number, b: number): string =>
    [
      '# gpu pid type sm mem command',
      ...Array.from({ length: 4 }, () => `0 11 ${type} ${a} 1 one\n0 12 ${type} ${b} 1 two`),
    ].join('\n');
  it.each([
    ['share it', 'C', 60, 35, 'ok-two-jobs'],
    ['share it through MPS', 'M+C', 60, 35, 'ok-two-jobs'],
    ['one has nearly all through MPS', 'M+C', 95, 1, 'mps-clients-imbalanced'],
    ['one works, the other rests', 'C', 95, 0, 'ok-well-used'],
    ['the desktop is no client', 'G', 60, 35, 'ok-well-used'],
  ])('%s', (_, type, a, b, cause) => {
    expect(causes([work, pmon(type, a, b)])).toEqual([cause]);
  });
});
