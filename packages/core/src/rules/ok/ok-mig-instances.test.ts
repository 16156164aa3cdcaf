import { describe, expect, it } from 'vitest';
import { outcomeOf, verdictFor } from '../testing.ts';
import { healthy, nearMisses } from '../testing-shapes.ts';
import { okMigInstances } from './ok-mig-instances.ts';

describe('ok/ok-mig-instances', () => {
  it.each(healthy['ok-mig-instances']!.map((text, at) => [at + 1, text] as const))(
    'cleared for table %i',
    (_, text) => {
      expect(outcomeOf(okMigInstances, text).kind).toBe('cleared');
      expect(verdictFor(text)).toMatchObject({ status: 'ok', cause: 'ok-mig-instances' });
    },
  );

  it('silent for a series that looks alike', () => {
    const text = nearMisses['ok-mig-instances']!;
    expect(outcomeOf(okMigInstances, text).kind).toBe('silent');
    expect(verdictFor(text).cause).not.toBe('ok-mig-instances');
  });
});
