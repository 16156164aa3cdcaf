import { expect, test } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { createDocument } from '../text/document.ts';
import { KinetoReader } from './kineto/kineto-reader.ts';
import { callEvent, kernelEvent, traceText } from './kineto/testing.ts';
import { verdictOfPastedTrace } from './pasted.ts';
import { traceVerdict } from './verdict.ts';

const events = Array.from({ length: 60 }, (_, at) => [
  callEvent(100 + at * 40, 6, at + 1),
  kernelEvent(110 + at * 40, 4, at + 1, {}, `kernel_${at % 3}_${'ü'.repeat(at)}`),
]).flat();

test.each([
  ['with a line for each value', 2],
  ['in one line', undefined],
])('a trace that was pasted %s has the verdict of the file', (_form, indent) => {
  const text = traceText(events, {}, indent);
  const reader = new KinetoReader(null);
  reader.push(new TextEncoder().encode(text));
  const { verdict } = traceVerdict([reader.end()], defaultKnowledge);
  expect(verdict.findings).not.toEqual([]);
  expect(verdictOfPastedTrace([createDocument(text)], defaultKnowledge)).toEqual(verdict);
});

test.each([
  ['a log', 'step 1\nloss 0.25\n'],
  ['other JSON', '{"loss": 0.25}'],
  ['a trace without a GPU', traceText([callEvent(1, 2, 3)])],
])('%s is none', (_what, text) => {
  expect(verdictOfPastedTrace([createDocument(text)], defaultKnowledge)).toBeNull();
});
