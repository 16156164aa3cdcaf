import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { contentsOf } from './inventory.ts';
import type { Node, ScannedImage } from './model.ts';
import { predictAll } from './predict.ts';
import { baked, compat, compat126, compat131, made, ngc, program, regular, rhel } from './predict.test.rows.ts';
import { samples } from './samples.ts';

const images: readonly ScannedImage[] = [
  compat126,
  compat131,
  ngc,
  made(program(['sm_80', 'sm_90'], ['compute_90'])),
  made(baked('570.124.06')),
  made(regular('550.90.07')),
  made({ ...baked('535.104.05', '/usr/lib64'), ...compat('575.57.08', '12.9') }, { CUDA_VERSION: '12.9.1' }, {}, rhel),
  ...Object.values(samples).map((make) => make()),
];
const read = images.map((image) => ({ image, contents: contentsOf(image, defaultKnowledge) }));

const whole: fc.Arbitrary<Required<Pick<Node, 'driver' | 'gpu' | 'toolkit' | 'mode' | 'libdir' | 'entrypoint'>>> =
  fc.record({
    driver: fc.constantFrom('470.256.02', '535.183.01', '550.90.07', '565.77', '570.124.06', '580.95.05', '590.48.01'),
    gpu: fc.constantFrom('V100', 'A100', 'H100', 'RTX 4090', 'B200', 'L40S', 'Jetson AGX Orin'),
    toolkit: fc.constantFrom('1.17.3', '1.17.4', '1.17.8', '1.18.1', '1.20.0'),
    mode: fc.constantFrom('legacy', 'cdi', 'jit-cdi', 'none'),
    libdir: fc.constantFrom('/usr/lib64', '/usr/lib/x86_64-linux-gnu'),
    entrypoint: fc.constantFrom('kept', 'replaced'),
  });
/** A judgement without a GPU is one without what only the GPU decides. */
const keys = ['driver', 'toolkit', 'mode', 'libdir'] as const;

describe('a prediction', () => {
  it('never throws', () => {
    const odd = fc.record(
      {
        driver: fc.constantFrom('1.2', '999', '535', '570.124.06', 'x'),
        gpu: fc.constantFrom('', 'Z9', '9.0', 'A100', 'RTX'),
        toolkit: fc.constantFrom('0.1', '9.9.9', '1.18.0', 'x'),
        docker: fc.constantFrom('x', '20.10', '29', '30.1'),
        start: fc.constantFrom('runtime', 'gpus', 'cdi'),
        mode: fc.constantFrom('auto', 'csv', 'legacy'),
        library: fc.constantFrom('570.133.20', 'x'),
        cdiSpec: fc.constantFrom('570.124.06', 'x'),
        disableRequire: fc.boolean(),
        platform: fc.constantFrom('linux/arm64', 'linux', ''),
        runtime: fc.constantFrom('nvidia', 'runc'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.constantFrom(...read), odd, ({ image, contents }, node) => {
        const [one] = predictAll(image, contents, [node as Node]);
        expect(one?.answer).toMatch(/^(?:runs|runs-if|does-not-run|cannot-tell)$/);
        if (one?.answer === 'does-not-run' && one.starts === false) expect(one.injects).toBeNull();
        if (one?.answer === 'runs-if') expect(one.conditions.length).toBeGreaterThan(0);
      }),
      { numRuns: 400 },
    );
  });

  it('that is sure of less knowledge stays when more is known', () => {
    fc.assert(
      fc.property(fc.constantFrom(...read), whole, fc.subarray([...keys]), ({ image, contents }, node, left) => {
        const less = Object.fromEntries(
          Object.entries(node).filter(([key]) => !(left as readonly string[]).includes(key)),
        ) as Node;
        // jit-cdi came with 1.18: older toolkits have no such mode.
        if (node.mode === 'jit-cdi' && node.toolkit.startsWith('1.17')) return;
        // Without a mode something is injected; and these GPUs have a mode of their own.
        if (left.includes('mode') && (node.mode === 'none' || node.gpu.startsWith('Jetson'))) return;
        const [before, after] = [predictAll(image, contents, [less])[0]!, predictAll(image, contents, [node])[0]!];
        if (before.mode !== null) expect(after.mode).toBe(before.mode);
        if (before.answer === 'does-not-run') expect(after.answer).toBe('does-not-run');
        if (before.answer === 'runs') expect(after.answer).toBe('runs');
        if (before.libcuda.kind !== null && after.libcuda.kind !== null)
          expect(after.libcuda.kind).toBe(before.libcuda.kind);
        if (before.starts === true) expect(after.starts).not.toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
