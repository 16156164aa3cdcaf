import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDocument } from './document.ts';

const lost = 'NVRM: Xid (PCI:0000:3b:00): 79, pid=811, name=a.out, GPU has fallen off the bus.';
const toldOf = (text: string): string => {
  const lines = createDocument(text).lines.filter((line) => line.text.includes('fallen off'));
  return [...new Set(lines.map((line) => (line.scope === 'other-host' ? 'told' : 'printed')))].join();
};

describe('a text that no program printed', () => {
  it.each([
    [
      'a source file',
      `package watch\n\nimport "strings"\n\nfunc lost(s string) bool {\n\tif strings.Contains(s, "${lost}") {\n\t\treturn true\n\t}\n\treturn false\n}\n`,
    ],
    [
      'a script',
      `#!/bin/sh\nset -eu\n# ${lost}\nif dmesg | grep -q "fallen off"; then\n  echo "${lost}"\n  exit 1\nfi\n`,
    ],
    [
      'a changelog',
      `# Changelog\n\n## 2.1.0 (2025-04-01)\n\n### Fixed\n\n- The agent no longer stops when the kernel log holds many lines.\n- A node that prints ${lost} is drained at once and not after a minute.\n`,
    ],
    [
      'the review of an incident',
      `Incident review: the night of 3 May\n\nOne node of the ring stopped at two in the morning.\n${lost}\nThe vendor replaced the riser on the next day.\nAll jobs of the night were started again.\n`,
    ],
    [
      'a German guide',
      `Fehlersuche am Rechencluster\n\nSteht im Protokoll des Kernels die folgende Zeile, so ist die Karte verloren.\n${lost}\nBitte den Knoten ausschalten und die Technik verständigen.\n`,
    ],
    [
      'Chinese questions and answers',
      `常见问题\n\n问：日志里出现 ${lost} 是什么意思？\n答：显卡已经从总线上掉线，请检查电源和插槽，然后重启。\n`,
    ],
    [
      'a closed register',
      `id,opened,node,summary,state\n7,2024-05-01,gn01,"${lost}",closed\n8,2024-06-01,gn02,"${lost}",resolved\n`,
    ],
    [
      'the history of a source tree',
      `$ git log --oneline\n3d2b771 agent: say what "${lost}" means\n9aa0123 docs: ${lost}\n`,
    ],
    [
      'a mail that was answered',
      `All is well, the node is fixed and back in the pool.\n\nOn Mon, 3 Mar 2025 at 10:00, kim wrote:\n> ${lost}\n> what now?\n`,
    ],
  ])('has it told: %s', (_, text) => expect(toldOf(text)).toBe('told'));

  it.each([
    ['a script with its output below', `#!/bin/sh\nset -eu\ndmesg | tail -1\nexit 0\n\n[ 812.120000] ${lost}\n`],
    [
      'an error below the program that raised it',
      `import torch\nx = torch.ones(1)\ny = x.cuda()\nprint(y)\nprint(x)\nRuntimeError: ${lost}\n`,
    ],
    [
      'a log whose first line speaks of troubleshooting',
      `troubleshooting mode is on for this node since boot\nApr  2 08:00:00 n1 kernel: ${lost}\n`,
    ],
    [
      'a review that asks for help',
      `Incident review: open\n\nMy node is gone since this morning and nobody can say why.\n${lost}\nPlease help, the job is due on Friday evening.\n`,
    ],
    ['an open register', `id,opened,node,summary,state\n7,2025-05-01,gn01,"${lost}",open\n`],
    [
      'a mail that is not solved',
      `It is still the same here, not fixed at all.\n\nOn Mon, 3 Mar 2025 at 10:00, kim wrote:\n> ${lost}\n`,
    ],
    ['a mail about a log below', `Hello, the card is gone:\n\n    ${lost}\n\nWhat can I do now?\n`],
  ])('has it printed: %s', (_, text) => expect(toldOf(text)).toBe('printed'));

  it('never throws, whatever is cut out', () => {
    const text = `# FAQ\n\nimport x\n\nOn Mon, a wrote:\n> ${lost}\n    ${lost}\nid;state\n1;closed\n`;
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), (a, b) => {
        createDocument(text.slice(Math.min(a, b)) + text.slice(0, Math.max(a, b)));
      }),
      { numRuns: 60 },
    );
  });
});

describe('output that was set off by indentation', () => {
  const block = '    $ nvidia-smi\n    Failed to initialize NVML: Driver/library version mismatch\n';
  const cleanOf = (text: string): readonly string[] => createDocument(text).lines.map((line) => line.clean);
  it('is read from its own margin', () => {
    const lines = createDocument(`I get this on every node since today:\n\n${block}\nWhat can I do?\n`).lines;
    expect(lines[2]).toMatchObject({ command: 'nvidia-smi', text: '    $ nvidia-smi' });
    expect(lines[3]!.clean).toMatch(/^Failed/);
  });
  it.each([
    ['output that is indented by itself', '==============NVSMI LOG==============\n\n    Product Name : NVIDIA A10\n'],
    ['a block that other output follows', `I get this on every node since today:\n\n    a\nb: 1\n`],
    ['a heading without a sentence', 'Remapped Rows:\n\n    Pending : No\n'],
  ])('stays where it is: %s', (_, text) => {
    expect(cleanOf(text).some((clean) => clean.startsWith('    '))).toBe(true);
  });
});

describe("a notebook's file", () => {
  const notebook = (source: string, out: string): string =>
    `{\n "cells": [\n  {\n   "cell_type": "code",\n   "outputs": [\n    {\n     "ename": "RuntimeError",\n     "evalue": "CUDA error: out of memory\\nmore",\n     "text": [\n      ${JSON.stringify(out)}\n     ]\n    }\n   ],\n   "source": [\n    ${JSON.stringify(source)}\n   ]\n  }\n ]\n}\n`;
  it('shows what was printed, and has the program told', () => {
    const { lines } = createDocument(notebook(`say("${lost}")\n`, `\u001b[31m${lost}\u001b[0m\n`));
    expect(lines.find((line) => line.clean === lost)?.told).toBe(false);
    expect(lines.find((line) => line.text.includes('say('))?.told).toBe(true);
    expect(lines.some((line) => line.clean.startsWith('RuntimeError: CUDA error: out of memory'))).toBe(true);
  });
});
