// Odd days of machines, judged. CULPRIT_SERIES says how many of each; one where it says nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakePrometheus, judged } from './series-judged.ts';
import { oddDay, oddDays, oddNames } from './series-odd-days.ts';
import { clockAt } from './series-texts.ts';

const seeds = Math.max(1, Number(process.env['CULPRIT_SERIES'] ?? 1));
const from = Number(process.env['CULPRIT_SERIES_FROM'] ?? 0);
const server = new FakePrometheus();
let [right, of] = [0, 0];

beforeAll(() => server.start());
afterAll(() => {
  server.stop();
  if (process.env['CULPRIT_SERIES'] !== undefined) console.log(`right: ${right} of ${of}`);
});

async function verdictOf(name: string, seed: number): Promise<string> {
  const { texts = [], beside = [], server: held = null, step = 1, seconds = 0 } = oddDay(name, seed);
  const from = Date.parse(clockAt(0)) / 1000;
  const { verdict } = await judged(
    {
      name,
      accepted: [],
      open: [],
      healthy: true,
      strict: true,
      layout: '',
      series: texts,
      beside,
      server: held,
      period: { from, to: from + seconds, step },
      says: null,
    },
    server,
  );
  return `${verdict.status} ${verdict.cause}`;
}

describe('an odd day', () => {
  it.each(oddNames)('%s', { timeout: 600_000 }, async (name) => {
    const { accepted, healthy } = oddDays[name]!;
    const [wrong, accused]: [string[], string[]] = [[], []];
    for (let seed = from + 1; seed <= from + seeds; seed++) {
      const words = await verdictOf(name, seed);
      of += 1;
      if (words.split(' ').some((word) => accepted.includes(word))) right += 1;
      else wrong.push(`seed ${seed}: ${words}`);
      if (healthy && !/^(ok|cannot-tell) /.test(words) && !words.split(' ').some((word) => accepted.includes(word)))
        accused.push(words);
    }
    expect({ accused, wrong }).toEqual({ accused: [], wrong: [] });
  });
});
