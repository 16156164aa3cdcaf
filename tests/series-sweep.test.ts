// Simulated machines, judged. CULPRIT_SERIES says how many series of each case; a few where it says nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakePrometheus, judged } from './series-judged.ts';
import type { ServerSeries } from './series-render.ts';
import { healthyNames, isRight, rendered, troubleNames } from './series-render.ts';

const seeds = Math.max(1, Number(process.env['CULPRIT_SERIES'] ?? 1));
const from = Number(process.env['CULPRIT_SERIES_FROM'] ?? 0);
const server = new FakePrometheus();
const tally = new Map<string, { right: number; of: number }>();

beforeAll(async () => {
  await server.start();
});
afterAll(() => {
  server.stop();
  if (process.env['CULPRIT_SERIES'] === undefined) return;
  let [right, of] = [0, 0];
  for (const [name, each] of tally) {
    right += each.right;
    of += each.of;
    if (each.right < each.of) console.log(`${name}: ${each.right} of ${each.of}`);
  }
  console.log(`right: ${right} of ${of} (${((100 * right) / of).toFixed(2)} %)`);
});

function count(name: string, right: boolean): void {
  const each = tally.get(name) ?? { right: 0, of: 0 };
  tally.set(name, { right: each.right + Number(right), of: each.of + 1 });
}

describe('a machine in trouble is told by its cause', () => {
  it.each(troubleNames)('%s', { timeout: 600_000 }, async (name) => {
    const wrong: string[] = [];
    for (let seed = from + 1; seed <= from + seeds; seed++) {
      const series = rendered(name, seed);
      const { verdict } = await judged(series, server);
      if (!series.strict) continue;
      const right = isRight(series, verdict);
      count(name, right);
      if (!right) wrong.push(`seed ${seed} (${series.layout}): ${verdict.status} ${verdict.cause}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('a healthy machine is never accused', () => {
  it.each(healthyNames)('%s', { timeout: 600_000 }, async (name) => {
    const [wrong, accused]: [string[], string[]] = [[], []];
    for (let seed = from + 1; seed <= from + seeds; seed++) {
      const series = rendered(name, seed);
      const { verdict } = await judged(series, server);
      const words = `seed ${seed} (${series.layout}): ${verdict.status} ${verdict.cause}`;
      if (verdict.status !== 'ok' && verdict.status !== 'cannot-tell') accused.push(words);
      if (!series.strict) continue;
      const right = isRight(series, verdict);
      count(name, right);
      if (!right) wrong.push(words);
    }
    expect({ accused, wrong }).toEqual({ accused: [], wrong: [] });
  });
});

describe('an exporter that is absent', () => {
  const works = rendered('training', 4);
  const points = Array.from({ length: 60 }, (_, at) => 1_772_546_531 + 5 * at);
  const period = { from: points[0]!, to: points.at(-1)!, step: 5 };
  const target = (node: string, up: (at: number) => boolean): ServerSeries => ({
    metric: { __name__: 'up', job: 'dcgm-exporter', instance: `${node}:9400`, node },
    values: points.map((time, at) => [time, up(at) ? '1' : '0'] as const),
  });
  const busy = (node: string, gap: (at: number) => boolean): readonly ServerSeries[] =>
    Object.entries({
      DEV_GPU_UTIL: '98',
      DEV_POWER_USAGE: '611.5',
      DEV_POWER_MGMT_LIMIT: '700',
      PROF_SM_ACTIVE: '0.9',
    }).map(([name, value]) => ({
      metric: { __name__: `DCGM_FI_${name}`, gpu: '0', UUID: `GPU-${node}`, Hostname: node, job: 'dcgm-exporter' },
      values: points.flatMap((time, at) => (gap(at) ? [] : [[time, value] as const])),
    }));
  const ask = async (series: readonly ServerSeries[], up: readonly ServerSeries[]): ReturnType<typeof judged> => {
    server.up = up;
    const found = await judged({ ...works, series: [], beside: [], server: series, period }, server);
    server.up = [];
    return found;
  };

  it('is told where a target is down and nothing is exported', async () => {
    const { verdict } = await ask([], [target('gpu-a', () => false)]);
    expect([verdict.status, verdict.cause]).toEqual(['cannot-tell', 'exporter-absent']);
  });

  it('is told from metrics that are only those of the exporter itself', async () => {
    const text = '# HELP go_goroutines Number of goroutines.\n# TYPE go_goroutines gauge\ngo_goroutines 11\n';
    const { verdict } = await judged({ ...works, series: [text], beside: [], server: null }, server);
    expect([verdict.status, verdict.cause]).toEqual(['cannot-tell', 'exporter-absent']);
  });

  it('on one node of several is said, and accuses no other', async () => {
    const { verdict, set } = await ask(
      busy('gpu-a', () => false),
      [target('gpu-a', () => true), target('gpu-b', () => false)],
    );
    expect(['ok', 'cannot-tell']).toContain(verdict.status);
    expect(set.left.join(' ')).toContain('gpu-b');
  });

  it('for a part of the time leaves a gap, and no pause of the GPU', async () => {
    const gap = (at: number): boolean => at > 20 && at < 40;
    const { verdict, set } = await ask(busy('gpu-a', gap), [target('gpu-a', (at) => !gap(at))]);
    expect([verdict.status, verdict.cause]).toEqual(['ok', 'ok-well-used']);
    expect(set.left.join(' ')).toMatch(/part of the period.*gpu-a/);
  });
});
