// Simulated machines, judged. CULPRIT_SERIES says how many series of each case; a few where it says nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakePrometheus, judged } from './series-judged.ts';
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
