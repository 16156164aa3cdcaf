import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../../knowledge/knowledge.ts';
import { judge } from '../judge.ts';
import { judgeRows } from '../rows.ts';
import type { Question } from '../question.ts';
import { readQuestion } from './read-question.ts';
import { respelled } from './respell.ts';

const read = (text: string): Question => readQuestion(text, defaultKnowledge).question;

describe('a line about several hosts or programs', () => {
  it.each<readonly [string, readonly Question[] | undefined]>([
    ['driver 535 for the H100 and the K80', [{ gpu: 'H100' }, { gpu: 'K80' }]],
    [
      'torch 2.7.0+cu128: A100 has 535.129.03, B200 has 570.86.15',
      [
        { gpu: 'A100', driver: '535.129.03' },
        { gpu: 'B200', driver: '570.86.15' },
      ],
    ],
    ['CUDA 12.4 on A100 with 470.82.01 or 535.129.03', [{ driver: '470.82.01' }, { driver: '535.129.03' }]],
    ['CUDA 12.4, 12.6 or 13.0 on driver 535.129.03', [{ toolkit: '12.4' }, { toolkit: '12.6' }, { toolkit: '13.0' }]],
    ['cu118 vs cu121 on driver 470.82.01', [{ toolkit: '11.8' }, { toolkit: '12.1' }]],
    ['R535 nodes, exactly 535.129.03, with CUDA 12.4 and A100', undefined],
    ['CUDA 12.4 on A100, 535.129.03, 300 W limit, 450 GB of data', undefined],
    ['cuda-compat-12-8 with compat libcuda 570.86.10 on driver 535.129.03, A100', undefined],
  ])('%s', (text, each) => {
    expect(read(text).each).toEqual(each);
  });

  it.each([
    ['CUDA 12.8 needs 570.26 they say, we have 535.129.03 with A100, does it run', '535.129.03'],
    ['T4: 535.129.03 -> 595.58.03, does CUDA 12.2 run', '595.58.03'],
  ])('%s is about driver %s', (text, driver) => {
    expect(read(text)).toMatchObject({ driver });
    expect(read(text).each).toBeUndefined();
  });

  it('runs on some: runs-if, and says where', () => {
    const judgement = judge(
      {
        wheel: { name: 'torch', version: '2.7', variant: 'cu128' },
        driver: '570.86.15',
        each: [{ gpu: 'H100' }, { gpu: 'V100' }],
      },
      defaultKnowledge,
    );
    expect(judgement).toMatchObject({
      answer: 'runs-if',
      rule: 'binary-arch',
      conditions: ['H100 only'],
      errorSeen: '209',
    });
  });

  it.each([
    [[{ gpu: 'H100' }, { gpu: 'A100' }], 'runs'],
    [[{ gpu: 'K80' }, { gpu: 'M40', driver: '595.58.03' }], 'does-not-run'],
    [[{ gpu: 'H100' }, { gpu: 'GPU X' }], 'cannot-tell'],
  ])('%j with CUDA 12.2 on 535.129.03: %s', (each, answer) => {
    expect(judge({ toolkit: '12.2', driver: '535.129.03', each }, defaultKnowledge).answer).toBe(answer);
  });

  it('parts of a row are checked as rows are', () => {
    const rows = [{ toolkit: '12.2', each: [{ gpu: 'H100' }, { gpo: 'A100' }] }, { each: [{ claim: 'x' }] }];
    for (const row of judgeRows(rows, defaultKnowledge)) expect(row.message).toContain('each entry');
  });
});

describe('a line that asks for a version', () => {
  it.each<readonly [string, Question['asks'], string, string]>([
    ['minimum driver for CUDA 12.8', 'driver', 'runs-if', 'driver 525.60.13 or newer'],
    ['which driver does CUDA 13.2 need', 'driver', 'runs-if', 'driver 580 or newer'],
    ['which driver do we need for CUDA 11.8 on V100', 'driver', 'runs-if', 'driver 450.80.02 or newer, up to R580'],
    ['what driver for a B200', 'driver', 'runs-if', 'driver 570 or newer'],
    ['lowest driver for CUDA 12.4 on windows', 'driver', 'runs-if', 'driver 528.33 or newer'],
    ['how old may the driver be for torch 2.9.0+cu130', 'driver', 'runs-if', 'driver 580 or newer'],
    ['which driver for CUDA 12.6 on K80', 'driver', 'does-not-run', 'driver'],
    ['which driver for CUDA 13.0 on V100', 'driver', 'does-not-run', 'CUDA 12.x'],
    ['newest CUDA on driver 550.127.08', 'cuda', 'runs-if', 'CUDA 12.4 or older'],
    ['what cuda can a GTX 1080 Ti run at most, max cuda', 'cuda', 'runs-if', '12.9'],
    ['which torch build for P100 on 535.129.03', 'wheel', 'runs-if', 'cu126'],
    ['torch 2.8 on GTX 1080, which wheel', 'wheel', 'runs-if', 'cu126 of torch 2.8'],
    ['which cudnn for tensorflow 2.18', 'cudnn', 'runs-if', '9.3'],
    ['which nccl does torch 2.9.0+cu128 bring', 'nccl', 'runs-if', '2.27.5'],
  ])('%s', (text, asks, answer, needs) => {
    const question = read(text);
    expect(question.asks).toBe(asks);
    const judgement = judge(question, defaultKnowledge);
    expect(judgement.answer).toBe(answer);
    expect(judgement.needs).toContain(needs);
  });

  it.each([
    'the minimum driver for CUDA 12.8 is 570.26',
    'does CUDA 12.8 run on driver 535.129.03 with A100',
    'every minor has its own minimum driver',
  ])('%s asks for none', (text) => {
    expect(read(text).asks).toBeUndefined();
  });
});

describe('mistyped names', () => {
  it.each([
    ['pytroch 2.5 on nvida drivr', 'pytorch 2.5 on nvidia driver'],
    ['tensorflw with Blackwel', 'tensorflow with blackwell'],
    ['contains the versions of a river', 'contains the versions of a river'],
    ['/opt/pytroch/lib', '/opt/pytroch/lib'],
  ])('%s', (typed, right) => {
    expect(respelled(typed)).toBe(right);
  });
});

describe('something besides CUDA', () => {
  it.each([
    ['MIG on A30 with driver 470.82.01', 'cannot-tell'],
    ['vGPU on driver 535.129.03 with L40S', 'cannot-tell'],
    ['MIG on B200 with driver 550.54.15', 'does-not-run'],
    ['CUDA 12.4 in a MIG instance of A100, driver 550.54.15', 'runs'],
  ])('%s: %s', (text, answer) => {
    expect(judge(read(text), defaultKnowledge).answer).toBe(answer);
  });
});
