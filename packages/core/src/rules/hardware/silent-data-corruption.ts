import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const silentDataCorruption: Rule = defineRule({
  id: 'hardware/silent-data-corruption',
  summary: 'A GPU or a link gives wrong results without an error',
  needs: [],
  anyOf: [
    'said.replica-mismatch',
    'said.dcgm-diag-compute-failed',
    'said.dcgm-diag-memory',
    'said.nonfinite-loss',
    'dcgm.test',
  ],
  uses: ['gpu.xid'],
  citations: ['dcgm-diagnostics'],
  check(_facts, context) {
    const tests = own(context, 'dcgm.test').filter((fact) =>
      /memory|memtest|diagnostic|sm stress|targeted|eud|pulse/i.test(fact.value.test),
    );
    const failed = tests.find((fact) => fact.value.status === 'fail');
    const passed = tests.find((fact) => fact.value.status === 'pass');
    const computed = said(context, 'dcgm-diag-compute-failed')[0];
    const wrong = said(context, 'replica-mismatch');
    const burnt = wrong.find((fact) => /FAULTY|\(WARNING!\)|memtest/i.test(fact.seen[0]?.text ?? ''));
    const nonfinite = said(context, 'nonfinite-loss');
    const known = [48, 63, 64, 79, 94, 95, 140].some((code) =>
      own(context, 'gpu.xid').some((fact) => fact.value.xid === code),
    );
    const remedies = [
      {
        actor: 'developer',
        do: 'run the same step again with the same seed and data, on the same and on another node',
      },
      {
        actor: 'node-admin',
        do: 'test the suspected GPUs',
        command: 'dcgmi diag -r 4 -i GPU; nvidia-smi -q -d ECC,ROW_REMAPPER',
      },
      {
        actor: 'cluster-admin',
        do: 'keep jobs off a GPU that is always the one that differs, and open a case with the result of the test',
      },
    ] as const;
    const proof = computed ?? failed ?? burnt;
    if (proof !== undefined && !known) {
      const gpu = computed?.value.captures['gpu'] ?? computed?.value.captures['gpu2'] ?? failed?.value.gpu ?? null;
      return {
        kind: 'fault',
        certainty:
          failed !== undefined &&
          computed === undefined &&
          burnt === undefined &&
          !/memory|memtest|mis-?compare/i.test(`${failed.value.test} ${failed.value.message ?? ''}`)
            ? 'likely'
            : byPrint(proof),
        message: `a test finds that ${gpu === null ? 'a GPU' : `GPU ${gpu}`} gives wrong results`,
        seen: seen(computed, failed, burnt),
        remedies,
        weight: 3,
      };
    }
    const lead = wrong[0] ?? nonfinite[0];
    if (lead === undefined) {
      return passed === undefined
        ? { kind: 'silent' }
        : { kind: 'cleared', because: `the test ${passed.value.test} of DCGM passed`, seen: seen(passed) };
    }
    if (passed !== undefined && failed === undefined) {
      return {
        kind: 'cleared',
        because: `the test ${passed.value.test} of DCGM passed: rather a race or the data`,
        seen: seen(passed),
      };
    }
    return {
      kind: 'fault',
      // Ranks that differ can as well be a race of the program, a value that is not a number its data or learning rate.
      certainty: 'possible',
      message:
        wrong[0] === undefined
          ? 'a value of the training is not a number: the program, its data, or a GPU that computes wrongly'
          : 'results that must be equal differ: a race in the program, or a GPU or link that is faulty',
      seen: seen(...wrong.slice(0, 2), ...(wrong.length === 0 ? nonfinite.slice(0, 2) : [])),
      remedies,
      missing: [
        missing(
          'whether it is always the same GPU, and comes again with the same seed',
          'run the same step twice, then on another node; dcgmi diag -r 3 on the suspected one',
        ),
      ],
      weight: wrong[0] === undefined ? -3 : 0,
    };
  },
});
