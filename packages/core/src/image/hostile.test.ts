import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScannedEntry, ScannedImage } from './model.ts';
import { inspectImage } from './report.ts';
import { samples } from './samples.ts';
import { image, layer } from './testing.ts';

const within = 20_000;

describe('an image that somebody made to do harm', () => {
  it(
    'with a folder full of libcuda, libraries and packages is read in bounds, and that is said',
    { timeout: within },
    () => {
      const files: Record<string, number | string> = {};
      for (let at = 0; at < 3100; at++) {
        files[`/usr/lib/x86_64-linux-gnu/libcuda.so.${at}.1`] = 2_000_000;
        files[`/opt/p${at}/lib/libcudnn.so.9.${at}.0`] = 2_000_000;
        files[`/opt/v${at}/lib/python3.12/site-packages/torch-2.${at}.dist-info/METADATA`] =
          `Version: 2.${at}\n${'Requires-Dist: nvidia-cudnn-cu12==9.1.0.70\n'.repeat(20)}`;
      }
      const { report, contents } = inspectImage(image([layer(files)]));
      expect(report.inventory.libcuda.length).toBeLessThan(1000);
      expect(contents.left.some((each) => each.includes('only the first'))).toBe(true);
    },
  );

  it('with links in circles and search paths without end', { timeout: within }, () => {
    const made = image(
      [
        layer({
          '/etc/ld.so.conf': 'include /etc/ld.so.conf\ninclude /etc/ld.so.conf.d/*.conf\n'.repeat(50),
          '/etc/ld.so.conf.d/a.conf': `${'/a/../a\n'.repeat(5000)}include /etc/ld.so.conf\n`,
          '/a': '-> /b',
          '/b': '-> /a',
          '/usr/local/cuda': '-> cuda',
          '/lib/libcudnn.so.9': '-> libcudnn.so.9',
        }),
      ],
      { LD_LIBRARY_PATH: '/a:/b:/usr/local/cuda/lib64:'.repeat(500), PATH: '/a:'.repeat(2000) },
    );
    expect(inspectImage(made).report.status).not.toBe('fault');
  });

  const word = fc.oneof(
    fc.constantFrom(
      'libcuda.so',
      'libcuda.so.1',
      'compat',
      'stubs',
      'METADATA',
      'version.py',
      'nvidia-smi',
      '..',
      '',
      'lib',
    ),
    fc.string({ maxLength: 6 }),
  );
  const path = fc.array(word, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`);
  const entry = fc.record({
    path,
    type: fc.constantFrom('file', 'symlink', 'hardlink', 'directory'),
    bytes: fc.nat(100),
    target: path,
    text: fc.oneof(
      fc.string(),
      fc.constant('cuda = None\nRequires-Dist: nvidia-x==1\nimage libcuda kind=baked path=/x'),
    ),
  }) as fc.Arbitrary<ScannedEntry>;

  it('of whatever entries never throws, and gives the same twice', { timeout: within }, () => {
    const usual = Object.values(samples).map((make) => make());
    fc.assert(
      fc.property(fc.nat(usual.length - 1), fc.array(entry, { maxLength: 12 }), fc.string(), (at, entries, value) => {
        const base = usual[at]!;
        const made: ScannedImage = {
          ...base,
          layers: [...base.layers, { ...layer({}), entries }],
          config: { ...base.config!, env: [...base.config!.env, { name: 'LD_LIBRARY_PATH', value }] },
        };
        const first = inspectImage(made);
        expect(JSON.stringify(inspectImage(made).report)).toBe(JSON.stringify(first.report));
      }),
      { numRuns: 40 },
    );
  });
});
