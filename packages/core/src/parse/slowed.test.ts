import { describe, expect, it } from 'vitest';
import { createDocument } from '../text/document.ts';
import { hasSlowed } from './slowed.ts';

const slowed = (...lines: readonly string[]): boolean => hasSlowed(createDocument(lines.join('\n')).lines);
const steps = (of: readonly number[], unit: string): readonly string[] =>
  of.map((value, at) => `step ${at * 100} | ${value} ${unit}`);

describe('hasSlowed', () => {
  it.each([
    ['seconds rise and stay', steps([0.8, 0.81, 0.8, 1.9, 1.92, 1.91], 's/step')],
    ['rates fall and stay', steps([4.1, 4.0, 4.1, 1.2, 1.2, 1.1], 'it/s')],
  ])('is true where %s', (_, lines) => expect(slowed(...lines)).toBe(true));
  it.each([
    ['they stay as they are', steps([0.8, 0.82, 0.81, 0.8, 0.83], 's/step')],
    ['one step was slow', steps([0.8, 0.81, 4.2, 0.8, 0.81], 's/step')],
    ['only the first was slow', steps([9.1, 0.8, 0.81, 0.8, 0.82], 's/step')],
    ['the end is slow for a moment', steps([0.8, 0.8, 0.8, 0.8, 2.4], 's/step')],
    ['there are few', steps([0.8, 1.9, 1.9], 's/step')],
    ['no step has a time', ['step 1 loss 2', 'step 2 loss 9']],
  ])('is false where %s', (_, lines) => expect(slowed(...lines)).toBe(false));
});
