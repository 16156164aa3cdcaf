import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../diagnose/diagnose.ts';
import { createDocument } from './document.ts';
import { isPastReport } from './guide.ts';

const certaintyOf = (text: string): string => {
  const verdict = diagnose([createDocument(text)]);
  return verdict.certainty ?? verdict.status;
};

describe('isPastReport', () => {
  it.each([
    'Last week we got NVRM: Xid (PCI:0000:5d:00): 79, GPU has fallen off the bus on gn12, it was fixed by reseating the riser.',
    'We had CUDA error: an illegal memory access was encountered in March; the update to 2.4.1 solved it.',
    'Two months ago the driver reported uncorrectable ECC errors here, the vendor replaced the board and it is gone.',
    'Previously Failed to initialize NVML: Driver/library version mismatch was shown, a reboot fixed this for good.',
  ])('is true for %s', (text) => expect(isPastReport(text)).toBe(true));

  it.each([
    'Last night we got NVRM: Xid (PCI:0000:5d:00): 79, GPU has fallen off the bus on gn12.',
    'NVRM: Xid (PCI:0000:5d:00): 79, pid=1234, GPU has fallen off the bus.',
    'RuntimeError: CUDA error: an illegal memory access was encountered',
    'The version mismatch was fixed in 550.54, please update the driver.',
    'train[4711]: connection gone since peer closed it',
  ])('is false for %s', (text) => expect(isPastReport(text)).toBe(false));

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        isPastReport(text);
      }),
    );
  });
});

const readme = `# Operating the GPU nodes

This guide shows how to recognise common failures of a node.

## A GPU is lost

If the GPU is gone, dmesg shows:

    NVRM: Xid (PCI:0000:5d:00): 79, pid=1234, GPU has fallen off the bus.

Power the node off and on, then look at the risers.
`;

const tutorial = `Fixing driver errors
====================

After an upgrade you may see this message:

\`\`\`
Failed to initialize NVML: Driver/library version mismatch
NVML library version: 550.144
\`\`\`

Reboot the machine to load the new module. This error means that the old one is still in memory.
`;

const report = `## Describe the bug

I get this when I start the training:

    NVRM: Xid (PCI:0000:5d:00): 79, pid=1234, GPU has fallen off the bus.

Since then my node does not see the card. If you see what is wrong, please tell me.
`;

describe('a text that teaches', () => {
  it.each([
    ['an indented block of a readme', readme],
    ['a fenced block of a tutorial', tutorial],
  ])('accuses nobody by %s', (_, text) => expect(certaintyOf(text)).toBe('cannot-tell'));

  it('is not the report of somebody who has the failure', () => expect(certaintyOf(report)).toBe('proved'));

  it('is no log, whatever stands in it', () => {
    const log = `${'step 12 loss 1.2\n'.repeat(40)}NVRM: Xid (PCI:0000:5d:00): 79, pid=1234, GPU has fallen off the bus.\n`;
    expect(certaintyOf(log)).toBe('proved');
  });
});
