import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { recompilesInSteadyState } from './recompiles-in-steady-state.ts';

interface Compiler {
  readonly steps: number;
  readonly compiles: (step: number) => boolean;
  /** `call`: modules are loaded; else the name of a range. */
  readonly by: string;
  readonly takes: number;
}

/** A trace of steps of two kernels, some of which compile first. */
function traceOf({ steps, compiles, by, takes }: Compiler): string {
  const events: object[] = [];
  let [now, correlation] = [100, 1];
  const add = (cat: string, name: string, dur: number, rest: object): void => {
    events.push({ ph: 'X', cat, name, pid: 100, tid: 100, ts: now, dur, ...rest });
  };
  for (let step = 0; step < steps; step++) {
    if (compiles(step)) {
      if (by === 'call') add('cuda_driver', 'cuModuleLoadData', takes, { args: { correlation: correlation++ } });
      else add('user_annotation', by, takes, {});
      now += takes;
    }
    for (let kernel = 0; kernel < 2; kernel++) {
      add('cuda_runtime', 'cudaLaunchKernel', 4, { args: { correlation } });
      const args = { device: 0, stream: 7, correlation: correlation++ };
      events.push({ ph: 'X', cat: 'kernel', name: 'work', pid: 0, tid: 7, ts: now + 8 + kernel * 300, dur: 300, args });
      now += 5;
    }
    now += 610;
  }
  return JSON.stringify({ schemaVersion: 1, deviceProperties: [{ id: 0, numSms: 132 }], traceEvents: events });
}

const always = (): boolean => true;

const cases: readonly (readonly [string, string, Compiler])[] = [
  [
    'fault where torch.compile compiles in every step',
    'fault proved',
    { steps: 20, compiles: always, by: '_compile.compile_inner (dynamo_timed)', takes: 700 },
  ],
  [
    'fault where modules are loaded in every second step',
    'fault proved',
    { steps: 30, compiles: (step) => step % 2 === 0, by: 'call', takes: 900 },
  ],
  [
    'cleared where only the first steps compile',
    'cleared',
    { steps: 40, compiles: (step) => step < 2, by: 'compile_fx_inner (dynamo_timed)', takes: 4000 },
  ],
  [
    'unknown where two steps in the middle compile',
    'unknown',
    { steps: 20, compiles: (step) => step === 9 || step === 14, by: 'call', takes: 2500 },
  ],
  [
    'silent where every step loads input as long',
    'silent',
    { steps: 20, compiles: always, by: 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', takes: 700 },
  ],
];

describe('application/recompiles-in-steady-state', () => {
  it.each(cases)('%s', (_, expected, compiler) => {
    const answer = outcomeOf(recompilesInSteadyState, traceOf(compiler));
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
