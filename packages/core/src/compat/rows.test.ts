import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { judgeRows } from './rows.ts';

describe('rows', () => {
  it('keep their order and their ids', () => {
    const judgements = judgeRows(
      [
        { id: 'b', question: { driver: '580.95.05', gpu: 'V100' } },
        { id: 'a', driver: '595.58.03', gpu: 'V100' },
      ],
      defaultKnowledge,
    );
    expect(judgements.map((one) => [one.id, one.answer])).toEqual([
      ['b', 'runs'],
      ['a', 'does-not-run'],
    ]);
  });

  it.each([
    [{ id: 'x', question: { driver: 535 } }, 'row 1 (x): driver must be a text'],
    [{ id: 'x', question: { drivers: '535' } }, 'row 1 (x): drivers is no field of a question'],
    [{ id: 'x', question: { wheel: { version: '2.7' } } }, 'row 1 (x): wheel.name is missing'],
    [
      { id: 'x', question: { binary: { sass: ['sm_80', 9], ptx: [] } } },
      'row 1 (x): binary.sass entry 1 must be a text',
    ],
    [
      { id: 'x', question: { injectionMode: 'magic' } },
      'row 1 (x): injectionMode must be one of legacy, cdi, jit-cdi, csv, auto',
    ],
    [{ question: {} }, 'row 1: the question is empty'],
    [{ question: 7 }, 'row 1: question is no object'],
    [null, 'row 1 is no object'],
    ['driver 535', 'row 1 is no object'],
  ])('%j is told apart: %s', (row, message) => {
    const [judgement] = judgeRows([row], defaultKnowledge);
    expect([judgement?.answer, judgement?.message]).toEqual(['cannot-tell', message]);
  });

  it('a file that is no list gives one clear answer', () => {
    expect(judgeRows({ driver: '535' }, defaultKnowledge).map((one) => one.message)).toEqual([
      'the file is no list of questions',
    ]);
  });

  it('never throws', () => {
    const keys = fc.constantFrom(
      'driver',
      'gpu',
      'toolkit',
      'wheel',
      'binary',
      'image',
      'imageEnv',
      'cudnn',
      'nccl',
      'claim',
      'compatPackage',
      'arch',
      'os',
      '__proto__',
      'constructor',
    );
    const row = fc.dictionary(
      keys,
      fc.oneof(
        fc.jsonValue(),
        fc.constantFrom('535.183.01', 'A100', '12.4', { name: 'torch', version: '2.7.0' }, { sass: ['sm_'], ptx: [] }),
      ),
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            row,
            row.map((question) => ({ question })),
            fc.jsonValue(),
          ),
        ),
        (rows) => {
          expect(judgeRows(rows, defaultKnowledge)).toHaveLength(rows.length);
        },
      ),
      { numRuns: 200 },
    );
  });
});
