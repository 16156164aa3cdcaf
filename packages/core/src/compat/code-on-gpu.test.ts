import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { codeOnGpu } from './code-on-gpu.ts';
import type { HeldCode } from './code-on-gpu.ts';

function code(sass: string, ptx = '', isa: string | null = null, toolkit: string | null = null): HeldCode {
  const list = (text: string): readonly string[] => text.split(' ').filter((one) => one !== '');
  return {
    sass: list(sass),
    ptx: list(ptx),
    entries: [
      ...list(sass).map((arch) => ({ kind: 'cubin' as const, arch, isa: null })),
      ...list(ptx).map((arch) => ({ kind: 'ptx' as const, arch, isa })),
    ],
    toolkit,
  };
}

const on = (held: HeldCode, gpu: string, driver: string | null = null) =>
  codeOnGpu(held, { gpu, driver }, 'libfoo.so', defaultKnowledge);

describe('which code of a file a GPU takes', () => {
  it.each([
    ['its own machine code', code('sm_80 sm_90', 'compute_80', '8.4'), 'H100', 'runs', 'sm_90', '525.60.13'],
    ['machine code of a lower minor', code('sm_80', '', null, '12.4'), 'RTX 3090', 'runs', 'sm_80', '525.60.13'],
    ['the exact one of two that fit', code('sm_80 sm_86', '', null, '12.4'), 'RTX 4090', 'runs', 'sm_86', '525.60.13'],
    ['never a lower minor', code('sm_86', '', null, '12.4'), 'A100', 'does-not-run', null, null],
    ['never another major', code('sm_90', '', null, '12.4'), 'B200', 'does-not-run', null, null],
    ['sm_90a on Hopper only', code('sm_90a', '', null, '12.4'), 'H100', 'runs', 'sm_90a', '525.60.13'],
    ['family code inside its family', code('sm_100f', '', null, '12.9'), 'sm_103', 'runs', 'sm_100f', '575'],
    ['PTX of an older architecture', code('sm_80', 'compute_80', '8.7'), 'RTX 5090', 'runs-if', 'compute_80', '570'],
    ['PTX by the newest ISA of its pieces', code('', 'compute_70', '8.4'), 'H100', 'runs-if', 'compute_70', '550'],
    ['no PTX with a suffix', code('', 'compute_90a', '8.4'), 'B200', 'does-not-run', null, null],
    ['CUDA 13 needs R580', code('sm_90', '', null, '13.0.88'), 'H100', 'runs', 'sm_90', '580'],
    ['an unknown ISA has no known driver', code('sm_90', 'compute_90', '99.9'), 'H100', 'runs', 'sm_90', null],
  ] as const)('%s', (_, held, gpu, answer, target, driver) => {
    const told = on(held, gpu);
    expect({ answer: told.answer, target: told.target }).toEqual({ answer, target });
    if (driver === null) expect(told.driver).toBeNull();
    else expect(told.driver?.startsWith(driver)).toBe(true);
  });

  it('nothing that fits is error 209', () => {
    expect(on(code('sm_80'), 'H100')).toMatchObject({ answer: 'does-not-run', errorSeen: '209', code: null });
  });

  it.each([
    ['PTX that is too new for the driver', code('sm_80', 'compute_80', '8.7'), '535.104.05', 'does-not-run', '222'],
    ['PTX that the driver reads', code('sm_80', 'compute_80', '8.2'), '535.104.05', 'runs', null],
    ['a driver below the floor', code('sm_90', '', null, '12.4'), '520.61.05', 'does-not-run', '35'],
    ['a driver that serves it', code('sm_90', '', null, '12.4'), '550.54.15', 'runs', null],
  ] as const)('with a driver the judge decides: %s', (_, held, driver, answer, error) => {
    const told = on(held, 'H100', driver);
    expect({ answer: told.answer, error: told.errorSeen }).toEqual({ answer, error });
  });

  it('a name of several architectures with different answers cannot be told', () => {
    expect(on(code('sm_100'), 'Blackwell').answer).toBe('cannot-tell');
    expect(on(code('sm_50'), 'Hopper').answer).toBe('does-not-run');
  });

  it('a GPU of no table cannot be told', () => {
    expect(on(code('sm_90'), 'H9000').answer).toBe('cannot-tell');
  });
});
