import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { defaultKnowledge } from '../../knowledge/knowledge.ts';
import { judgeClaim } from './judge-claim.ts';
import { joinedParts, putRight, withoutContrast } from './joined.ts';
import { plainForm } from './plain-form.ts';
import { saidOf } from './said-of.ts';
import { unreadTurn } from './turns.ts';

const answerOf = (text: string): string => judgeClaim(text, defaultKnowledge).answer;

describe('a statement and its turn', () => {
  it.each([
    ['R590 drives Turing', 'true'],
    ['It is a myth that R590 drives Turing', 'false'],
    ['It is not true that R590 drives Volta', 'true'],
    ["The slide's 'R590 still drives all Volta boards' is wrong", 'true'],
    ['I doubt that a T4 needs the proprietary module', 'true'],
    ['Neither Pascal nor Volta works with the open modules', 'true'],
    ['Neither Pascal nor Turing works with the open modules', 'false'],
    ['Nothing stops a CUDA 11.8 program with sm_80 code from running on an A100 with 580.95.05', 'true'],
    ['cuda-compat packages serve not only jumps within a CUDA major but also jumps to another major', 'true'],
    ['R535 drives Hopper; R535 drives Blackwell as well', 'false'],
    ['R590 drives Turing, whereas Volta ends with R580', 'true'],
    ['Not the image but the driver of the host brings libcuda', 'true'],
    ["you can't run CUDA 13 containers on R535 hosts, not even with forward compatibility", 'false'],
  ])('%s: %s', (text, answer) => {
    expect(answerOf(text)).toBe(answer);
  });

  it.each([
    ['All Blackwell boards except the RTX PRO ones need the open modules', 'except'],
    ['MIG rules out cuda-compat on an H100', 'rules out'],
    ['NVIDIA_DISABLE_REQUIRE=true merely silences the start check', 'merely'],
    ['sm_100f code stops short of B300', 'short of'],
    ['Every branch from 525 up to but not including 570 drives a B200', 'not'],
  ])('%s: no reader takes %s in, so nothing is said for sure', (text, word) => {
    const judgement = judgeClaim(text, defaultKnowledge);
    expect(judgement.answer).toBe('cannot-tell');
    expect(judgement.message).toContain(`'${word}'`);
    expect(judgement.needs).toContain('plain question');
  });
});

describe('the gate', () => {
  it('lets an answer pass that changes with the word', () => {
    expect(unreadTurn('a does not run', 'false', (text) => (text.includes('not') ? 'false' : 'true'))).toBeNull();
  });
  it('names a word that changes nothing', () => {
    expect(unreadTurn('a does not run', 'true', () => 'true')).toBe('not');
  });
  it('asks nothing of an answer that is not sure', () => {
    expect(unreadTurn('a does not run', 'depends', () => 'depends')).toBeNull();
  });
});

describe('parts of a sentence', () => {
  it('takes neither and nor apart', () => {
    expect(joinedParts('Neither R535 nor R550 drives a B200')).toEqual({
      parts: ['R535 drives a B200', 'R550 drives a B200'],
      said: 'none',
    });
  });
  it('sees one statement', () => {
    expect(joinedParts('R535 drives an H100')).toBeNull();
  });
  it('leaves what is set against it out', () => {
    expect(withoutContrast('libcuda comes with the driver rather than the toolkit')).toBe(
      'libcuda comes with the driver',
    );
    expect(putRight('Error 222 is not about the GPU, it says that PTX is too new')).toBe(
      'Error 222 says that PTX is too new',
    );
  });
  it('says it plainly', () => {
    expect(plainForm('an H100 can do without R570')).toBe('an H100 does not need R570');
    expect(plainForm('an H100 cannot do without R570')).toBe('an H100 needs R570');
  });
  it('sees what is said of another statement', () => {
    expect(saidOf('It is a myth that R590 drives Volta')).toEqual({ statement: 'R590 drives Volta', denied: true });
    expect(saidOf('R590 drives Volta')).toBeNull();
  });
  it('takes any text', () => {
    const words = ['neither', 'nor', 'not only', 'but also', "'", '; ', ', ', 'R535', 'is', 'a myth', 'that', 'not'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 40 }), (found) => {
        expect(() => answerOf(found.join(' '))).not.toThrow();
      }),
      { numRuns: 40 },
    );
  });
});
