import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { isYamlProblem, readYaml } from '../../packages/collect/src/yaml.ts';
import { defaultKnowledge } from '../../packages/core/src/knowledge/knowledge.ts';
import { alerts } from '../../packages/core/src/report/prometheus-alerts.rows.ts';
import { rulePack } from '../../packages/core/src/report/prometheus-pack.ts';
import { rules } from '../../packages/core/src/rules/rules.ts';
import { defaultThresholds } from '../../packages/core/src/utilization/thresholds.rows.ts';
import { scratch } from '../run-cli.ts';
import { lacks } from './tools.ts';

const missing = lacks('promtool');
const folder = scratch();
afterAll(folder.remove);

/** Samples that a series has, one a minute, and when most alerts are looked at. */
const minutes = 80;
const looked = 49;
type Values = number | readonly number[];
/** Counters of one GPU, by the exporter's names without their prefix. */
type Gpu = Readonly<Record<string, Values>>;

interface Case {
  /** GPUs of a node, in the order of their index. */
  readonly gpus: readonly Gpu[];
  readonly pod?: string;
  /** Series beside those of GPUs. */
  readonly other?: Readonly<Record<string, string>>;
}

interface AlertCase {
  readonly fires: Case;
  /** What looks alike and is not it. */
  readonly silent: Readonly<Record<string, Case>>;
  readonly count?: number;
  /** Minute at which it is looked at. */
  readonly at?: number;
}

const one = (gpu: Gpu): Case => ({ gpus: [gpu] });
const cycle = (...values: readonly number[]): readonly number[] =>
  Array.from({ length: minutes }, (_, at) => values[at % values.length]!);
const wavy = (low: number, high: number): readonly number[] => cycle(low, high, (low + high) / 2);

const base: Gpu = { GPU_TEMP: 60, POWER_USAGE: wavy(300, 330), FB_USED: 40_000 };
const busy: Gpu = { ...base, GPU_UTIL: 99, MEM_COPY_UTIL: 30 };
const profiled: Gpu = { ...busy, SM_ACTIVE: 0.9, GR_ENGINE_ACTIVE: 0.98, PIPE_TENSOR_ACTIVE: 0.4, DRAM_ACTIVE: 0.4 };
const idleSms: Gpu = { ...busy, SM_ACTIVE: 0.08, GR_ENGINE_ACTIVE: 0.99, PIPE_TENSOR_ACTIVE: 0, DRAM_ACTIVE: 0.02 };
const stuck: Gpu = { GPU_UTIL: 100, MEM_COPY_UTIL: 0, POWER_USAGE: 128, GPU_TEMP: 45, FB_USED: 20_000 };
const sawTooth = { ...base, GPU_UTIL: cycle(0, 0, 97, 95), MEM_COPY_UTIL: cycle(0, 0, 30, 30) };
const thrash: Gpu = { ...busy, MEM_COPY_UTIL: 2, PCIE_RX_BYTES: 9e9, PCIE_TX_BYTES: 8e9 };
const limited: Gpu = { ...busy, POWER_MGMT_LIMIT: 400, POWER_MGMT_LIMIT_DEF: 700, CLOCK_THROTTLE_REASONS: 4 };
const clocked = (mhz: number, watts = 600): Gpu => ({ ...busy, POWER_USAGE: watts, SM_CLOCK: mhz });

const cases: Readonly<Record<string, AlertCase>> = {
  CulpritBusyLabelIdleSms: {
    fires: one(idleSms),
    silent: {
      'the SMs are at work': one(profiled),
      'SM activity is not exported': one(busy),
      'kernels are bound by memory': one({ ...idleSms, DRAM_ACTIVE: 0.8 }),
      'there are gaps between kernels': one({ ...idleSms, GR_ENGINE_ACTIVE: 0.4 }),
      'the GPU is not busy': one({ ...idleSms, GPU_UTIL: 30 }),
    },
  },
  CulpritLaunchBound: {
    fires: one({ ...idleSms, GR_ENGINE_ACTIVE: 0.4 }),
    silent: {
      'kernels follow each other': one(idleSms),
      'tensor cores work': one({ ...idleSms, GR_ENGINE_ACTIVE: 0.4, PIPE_TENSOR_ACTIVE: 0.3 }),
    },
  },
  CulpritManagedMemoryThrash: {
    fires: one(thrash),
    silent: {
      'collectives use the memory too': one({ ...thrash, MEM_COPY_UTIL: 40 }),
      'input only comes in': one({ ...thrash, PCIE_TX_BYTES: 5e7 }),
      'the GPU works hard': one({ ...thrash, POWER_MGMT_LIMIT: 400 }),
      'PCIe is not exported': one(busy),
    },
  },
  CulpritHungKernel: {
    at: minutes - 1,
    fires: one(stuck),
    silent: {
      'power moves': one({ ...stuck, POWER_USAGE: wavy(128, 180) }),
      'memory is read': one({ ...stuck, MEM_COPY_UTIL: cycle(0, 0, 6) }),
      'it draws much power': one({ ...stuck, POWER_MGMT_LIMIT: 200 }),
      'PCIe carries data': one({ ...stuck, PCIE_RX_BYTES: 3e8 }),
      'others stand too': { gpus: [stuck, stuck] },
      'it ended a few minutes ago': one({
        ...stuck,
        GPU_UTIL: [...cycle(100).slice(10), ...Array.from({ length: 10 }, () => 0)],
      }),
    },
  },
  CulpritCollectiveHang: {
    fires: { gpus: [stuck, stuck, stuck] },
    count: 3,
    silent: { 'one GPU alone stands': { gpus: [stuck, profiled] } },
  },
  CulpritInputBound: {
    fires: one(sawTooth),
    silent: {
      'it works all the time': one(busy),
      'it is idle': one({ ...base, GPU_UTIL: 0 }),
      'jobs give their memory back': one({ ...sawTooth, FB_USED: cycle(400, 400, 40_000, 40_000) }),
      'others wait for it': { gpus: [sawTooth, busy, busy] },
      'it stopped once': one({
        ...busy,
        GPU_UTIL: [...Array.from({ length: 25 }, () => 99), ...Array.from({ length: 55 }, () => 0)],
      }),
    },
  },
  CulpritStragglerRankInput: {
    fires: { gpus: [sawTooth, busy, busy, busy] },
    silent: {
      'all wait alike': { gpus: [sawTooth, sawTooth, sawTooth] },
      'another one is idle': { gpus: [sawTooth, busy, busy, { ...base, GPU_UTIL: 0 }] },
    },
  },
  CulpritTensorCoresIdle: {
    fires: one({ ...profiled, PIPE_TENSOR_ACTIVE: 0.005 }),
    silent: {
      'they work': one(profiled),
      'memory is the limit': one({ ...profiled, PIPE_TENSOR_ACTIVE: 0, DRAM_ACTIVE: 0.8 }),
      'it computes in FP64': one({ ...profiled, PIPE_TENSOR_ACTIVE: 0, PIPE_FP64_ACTIVE: 0.5 }),
      'tensor activity is not exported': one({ ...busy, SM_ACTIVE: 0.9 }),
    },
  },
  CulpritThermalThrottle: {
    fires: one({ ...busy, CLOCK_THROTTLE_REASONS: 32 }),
    silent: {
      'the power cap is active': one({ ...busy, CLOCK_THROTTLE_REASONS: 4 }),
      'it is rare': one({ ...busy, CLOCK_THROTTLE_REASONS: cycle(0, 0, 0, 0, 0, 0, 0, 0, 0, 32) }),
      'reasons are not exported': one({ ...busy, GPU_TEMP: 91 }),
    },
  },
  CulpritHotReasonsUnknown: {
    fires: one({ ...busy, GPU_TEMP: 91 }),
    silent: {
      'reasons are exported': one({ ...busy, GPU_TEMP: 91, CLOCK_THROTTLE_REASONS: 0 }),
      'it is cool': one(busy),
    },
  },
  CulpritPowerBrake: {
    fires: one({ ...busy, CLOCKS_EVENT_REASONS: 136 }),
    silent: {
      'a hardware slowdown without the brake': one({ ...busy, CLOCKS_EVENT_REASONS: 8 }),
      'it is idle': one({ ...base, GPU_UTIL: 0, CLOCKS_EVENT_REASONS: 128 }),
    },
  },
  CulpritPowerLimitLowered: {
    fires: one(limited),
    silent: {
      'the limit is that of the board': one({ ...limited, POWER_MGMT_LIMIT: 700 }),
      'the cap is not met': one({ ...limited, CLOCK_THROTTLE_REASONS: 0 }),
    },
  },
  CulpritPowerThrottle: {
    fires: one({
      ...busy,
      SM_CLOCK: [1980, 1980, ...Array.from({ length: minutes - 2 }, () => 900)],
      CLOCK_THROTTLE_REASONS: 4,
    }),
    silent: {
      'clocks are a little lower': one({
        ...busy,
        SM_CLOCK: [1980, 1980, ...Array.from({ length: minutes - 2 }, () => 1755)],
        CLOCK_THROTTLE_REASONS: 4,
      }),
      'the limit was lowered': one({
        ...limited,
        SM_CLOCK: [1980, 1980, ...Array.from({ length: minutes - 2 }, () => 900)],
      }),
    },
  },
  CulpritApplicationClocks: {
    fires: one({
      ...busy,
      SM_CLOCK: [1980, 1980, ...Array.from({ length: minutes - 2 }, () => 1200)],
      CLOCK_THROTTLE_REASONS: 2,
    }),
    silent: { 'they equal the highest': one({ ...busy, SM_CLOCK: 1980, CLOCK_THROTTLE_REASONS: 2 }) },
  },
  CulpritPcieLinkDegraded: {
    fires: one({ ...busy, PCIE_LINK_WIDTH: 8, PCIE_MAX_LINK_WIDTH: 16 }),
    silent: {
      'it has all lanes': one({
        ...busy,
        PCIE_LINK_WIDTH: 16,
        PCIE_MAX_LINK_WIDTH: 16,
        PCIE_LINK_GEN: 5,
        PCIE_MAX_LINK_GEN: 5,
      }),
      'an idle GPU saves power': one({ ...base, GPU_UTIL: 0, PCIE_LINK_GEN: 1, PCIE_MAX_LINK_GEN: 5 }),
    },
  },
  CulpritPcieReplays: {
    fires: one({ ...busy, PCIE_REPLAY_COUNTER: Array.from({ length: minutes }, (_, at) => at * 5) }),
    silent: { 'an old count stands still': one({ ...busy, PCIE_REPLAY_COUNTER: 90_000 }) },
  },
  CulpritNvlinkIdle: {
    fires: {
      gpus: [
        { ...busy, PCIE_RX_BYTES: 9e9, PCIE_TX_BYTES: 9e9, NVLINK_RX_BYTES: 0, NVLINK_TX_BYTES: 0 },
        { ...busy, PCIE_RX_BYTES: 9e9, PCIE_TX_BYTES: 9e9, NVLINK_RX_BYTES: 0, NVLINK_TX_BYTES: 0 },
      ],
    },
    count: 2,
    silent: {
      'NVLink carries data': {
        gpus: [{ ...busy, PCIE_RX_BYTES: 9e9, PCIE_TX_BYTES: 9e9, NVLINK_RX_BYTES: 4e10, NVLINK_TX_BYTES: 4e10 }, busy],
      },
      'there is no NVLink': { gpus: [{ ...busy, PCIE_RX_BYTES: 9e9, PCIE_TX_BYTES: 9e9 }, busy] },
      'one GPU has no peer': one({
        ...busy,
        PCIE_RX_BYTES: 9e9,
        PCIE_TX_BYTES: 9e9,
        NVLINK_RX_BYTES: 0,
        NVLINK_TX_BYTES: 0,
      }),
    },
  },
  CulpritNvlinkErrors: {
    fires: one({ ...busy, NVLINK_CRC_DATA_ERROR_COUNT_TOTAL: Array.from({ length: minutes }, (_, at) => at * 4) }),
    silent: {
      'a few errors': one({
        ...busy,
        NVLINK_CRC_DATA_ERROR_COUNT_TOTAL: Array.from({ length: minutes }, (_, at) => at >> 4),
      }),
    },
  },
  CulpritStragglerGpu: {
    fires: { gpus: [clocked(1200), clocked(1900), clocked(1900), clocked(1910)] },
    silent: {
      'all run alike': { gpus: [clocked(1880), clocked(1900), clocked(1900), clocked(1910)] },
      'it does harder work': { gpus: [clocked(1200, 690), clocked(1900, 300), clocked(1900, 300), clocked(1910, 310)] },
      'two GPUs are no crowd': { gpus: [clocked(1200), clocked(1900)] },
    },
  },
  CulpritMemoryHeldByNobody: {
    at: minutes - 1,
    fires: one({ ...base, GPU_UTIL: 0 }),
    silent: {
      'a pod holds it': { gpus: [{ ...base, GPU_UTIL: 0 }], pod: 'server-0' },
      'little is held': one({ ...base, GPU_UTIL: 0, FB_USED: 3 }),
      'it works now and then': one({ ...base, GPU_UTIL: cycle(0, 0, 0, 0, 0, 0, 0, 60) }),
    },
  },
  CulpritEncoderBound: {
    fires: one({ ...base, GPU_UTIL: 20, ENC_UTIL: 98, DEC_UTIL: 5 }),
    silent: {
      'the SMs work too': one({ ...base, GPU_UTIL: 90, ENC_UTIL: 98, DEC_UTIL: 5 }),
      'it does not encode': one({ ...busy, ENC_UTIL: 0, DEC_UTIL: 0 }),
    },
  },
  CulpritRowRemapFailure: {
    fires: one({ ...base, GPU_UTIL: 0, ROW_REMAP_FAILURE: 1 }),
    silent: { 'none failed': one({ ...base, GPU_UTIL: 0, ROW_REMAP_FAILURE: 0 }) },
  },
  CulpritRowRemapPending: {
    fires: one({ ...base, GPU_UTIL: 0, ROW_REMAP_PENDING: 1 }),
    silent: { 'none waits': one({ ...base, GPU_UTIL: 0, ROW_REMAP_PENDING: 0 }) },
  },
  CulpritUncorrectableEcc: {
    fires: one({ ...busy, ECC_DBE_VOL_TOTAL: Array.from({ length: minutes }, (_, at) => (at < 30 ? 0 : 2)) }),
    silent: { 'an old count stands still': one({ ...busy, ECC_DBE_VOL_TOTAL: 3 }) },
  },
  CulpritProfilingCountersBlind: {
    fires: one({ ...busy, SM_ACTIVE: 0, GR_ENGINE_ACTIVE: 0, PIPE_TENSOR_ACTIVE: 0, DRAM_ACTIVE: 0 }),
    silent: {
      'they count little': one(idleSms),
      'the GPU is idle': one({ ...base, GPU_UTIL: 0, SM_ACTIVE: 0, GR_ENGINE_ACTIVE: 0 }),
    },
  },
  CulpritExporterBlind: {
    fires: one({ GPU_UTIL: 0, POWER_USAGE: 0, GPU_TEMP: 0 }),
    silent: { 'an idle GPU is warm': one({ GPU_UTIL: 0, POWER_USAGE: 60, GPU_TEMP: 31 }) },
  },
  CulpritExporterDown: {
    fires: { gpus: [busy], other: { 'up{job="dcgm-exporter",instance="n1:9400"}': `0+0x${minutes}` } },
    silent: {
      'it answers': { gpus: [busy], other: { 'up{job="dcgm-exporter",instance="n1:9400"}': `1+0x${minutes}` } },
      'another exporter is down': { gpus: [busy], other: { 'up{job="node",instance="n1:9100"}': `0+0x${minutes}` } },
    },
  },
  CulpritExporterAbsent: { fires: { gpus: [] }, silent: { 'it exports': one(busy) } },
  CulpritExporterVanished: {
    at: minutes - 1,
    fires: { gpus: [busy], other: { 'DCGM_FI_DEV_GPU_TEMP{gpu="0",Hostname="gone"}': `60+0x${minutes - 60}` } },
    silent: { 'all nodes export': { gpus: [busy, busy] } },
  },
};

const profilingNames = /^(?:SM_|GR_ENGINE|PIPE_|DRAM_|PCIE_[RT]X|NVLINK_[RT]X)(?!CLOCK)/;

function seriesOf({ gpus, pod, other }: Case): readonly { readonly series: string; readonly values: string }[] {
  const own = gpus.flatMap((gpu, index) =>
    Object.entries(gpu).map(([name, values]) => ({
      series: `DCGM_FI_${profilingNames.test(name) && name !== 'SM_CLOCK' ? 'PROF' : 'DEV'}_${name}{gpu="${index}",UUID="GPU-${index}",device="nvidia${index}",modelName="NVIDIA H100 80GB HBM3",Hostname="n1"${pod === undefined ? '' : `,pod="${pod}"`}}`,
      values: typeof values === 'number' ? `${values}+0x${minutes}` : values.join(' '),
    })),
  );
  return [...own, ...Object.entries(other ?? {}).map(([series, values]) => ({ series, values }))];
}

function unitTest(alert: string, input: Case, count: number, at: number): object {
  return {
    interval: '1m',
    input_series: seriesOf(input),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: `${at}m`,
        exp_samples: count === 0 ? [] : [{ labels: '{}', value: count }],
      },
    ],
  };
}

function promtool(
  args: readonly string[],
  file: string,
  text: string,
): { readonly status: number | null; readonly out: string } {
  const path = folder.path(file);
  writeFileSync(path, text);
  const ran = spawnSync('promtool', [...args, path], { encoding: 'utf8', cwd: folder.path('') });
  return { status: ran.status, out: `${ran.stdout}${ran.stderr}` };
}

const pack = rulePack(defaultThresholds, defaultKnowledge, '1.2.3');

/** The pack without what an alert does not rest on: each of its rules costs time at every step of a test. */
function partFor(alert: string): string {
  interface Rule {
    readonly alert?: string;
    readonly record?: string;
    readonly expr: string;
  }
  const read = readYaml(pack);
  if (isYamlProblem(read)) throw new Error(read.message);
  const { groups } = read.value as { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
  const kept: Rule[] = [];
  for (const rule of groups.flatMap(({ rules }) => rules).toReversed()) {
    const { record } = rule;
    const wanted = record === undefined ? rule.alert === alert : kept.some(({ expr }) => expr.includes(record));
    if (wanted) kept.unshift(rule);
  }
  return JSON.stringify({ groups: [{ name: 'part', rules: kept }] });
}

describe('the rule pack', () => {
  it('stands for rules that exist, each alert once', () => {
    const ids = new Set<string>(rules.map(({ id }) => id));
    expect(alerts.filter(({ rule }) => !ids.has(rule)).map(({ rule }) => rule)).toEqual([]);
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    expect(Object.keys(cases).toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
  });

  it('takes the thresholds that were overridden, and says so', () => {
    const other = rulePack({ ...defaultThresholds, 'low-sm': 12.5 }, defaultKnowledge, '1.2.3');
    expect(other).toContain('culprit:smact:avg5m < 12.5');
    expect(other).toContain('changed: low-sm');
    expect(pack).not.toMatch(/\$(?!labels)[a-z]/);
  });
});

describe.skipIf(missing !== null)(`promtool${missing === null ? '' : ` (${missing})`}`, () => {
  it('takes the rules', () => {
    const { status, out } = promtool(['check', 'rules', '--lint=all', '--lint-fatal'], 'rules.yml', pack);
    expect(out).toMatch(/SUCCESS: \d+ rules found/);
    expect(status).toBe(0);
  });

  it.each(Object.entries(cases))(
    '%s fires on its condition and on no near miss',
    (alert, { fires, silent, count, at = looked }) => {
      writeFileSync(folder.path('part.yml'), partFor(alert));
      const tests = [
        unitTest(alert, fires, count ?? 1, at),
        ...Object.values(silent).map((each) => unitTest(alert, each, 0, at)),
      ];
      const { status, out } = promtool(
        ['test', 'rules'],
        `${alert}.test.yml`,
        JSON.stringify({ rule_files: ['part.yml'], evaluation_interval: '1m', tests }),
      );
      expect(out).toContain('SUCCESS');
      expect(status, out).toBe(0);
    },
  );

  it('gives an alert its labels and what an operator does next', () => {
    writeFileSync(folder.path('rules.yml'), pack);
    const row = alerts.find(({ alert }) => alert === 'CulpritBusyLabelIdleSms')!;
    const tests = [
      {
        interval: '1m',
        input_series: seriesOf({ ...cases['CulpritBusyLabelIdleSms']!.fires, pod: 'trainer-0' }),
        alert_rule_test: [
          {
            eval_time: '60m',
            alertname: row.alert,
            exp_alerts: [
              {
                exp_labels: {
                  severity: 'warning',
                  culprit_cause: 'busy-label-idle-sms',
                  culprit_layer: 'application',
                  culprit_owner: 'developer',
                  culprit_certainty: 'likely',
                  gpu: '0',
                  UUID: 'GPU-0',
                  device: 'nvidia0',
                  modelName: 'NVIDIA H100 80GB HBM3',
                  Hostname: 'n1',
                  pod: 'trainer-0',
                },
                exp_annotations: {
                  summary: `GPU 0 of n1 (pod trainer-0): ${row.summary}`,
                  description: row.description,
                  thresholds: 'full-util 80, low-sm 30, gaps 85',
                  explain: 'culprit explain application/busy-label-idle-sms',
                  next: row.next,
                  needs: 'DCGM_FI_PROF_SM_ACTIVE (not among the default counters of dcgm-exporter)',
                },
              },
            ],
          },
        ],
      },
    ];
    const { status, out } = promtool(
      ['test', 'rules'],
      'labels.test.yml',
      JSON.stringify({ rule_files: ['rules.yml'], evaluation_interval: '1m', tests }),
    );
    expect(status, out).toBe(0);
  });
});
