import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LayerScan, ScannedEntry } from './model.ts';
import { layer } from './testing.ts';
import { ImageTree } from './tree.ts';

describe('layers lie one on the other', () => {
  it('a higher layer wins, and each file knows its layer', () => {
    const tree = new ImageTree([layer({ '/a/x': 3, '/a/y': 1 }), layer({ '/a/x': 5 })]);
    expect(tree.file('/a/x')).toMatchObject({ bytes: 5, layer: 1 });
    expect(tree.file('/a/y')).toMatchObject({ bytes: 1, layer: 0 });
  });

  it('a whiteout hides lower files, not those of its own layer', () => {
    const tree = new ImageTree([
      layer({ '/a/x': 3, '/a/y': 1, '/b/c/d': 1 }),
      layer({ '/a/y': 7 }, { whiteouts: ['/a/x', '/a/y', '/b'] }),
    ]);
    expect(tree.file('/a/x')).toBe(null);
    expect(tree.file('/a/y')?.bytes).toBe(7);
    expect(tree.file('/b/c/d')).toBe(null);
  });

  it('an opaque folder shows its own layer only', () => {
    const tree = new ImageTree([layer({ '/a/x': 3, '/a/b/y': 1 }), layer({ '/a/z': 1 }, { opaque: ['/a'] })]);
    expect(tree.names('/a')).toEqual(['z']);
  });

  it('a file in the place of a folder hides what was in it, and the other way round', () => {
    const tree = new ImageTree([layer({ '/a/x': 3, '/b': 1 }), layer({ '/a': 3, '/b/y': 1 })]);
    expect(tree.file('/a/x')).toBe(null);
    expect(tree.file('/b/y')?.bytes).toBe(1);
  });
});

describe('links', () => {
  it('of folders and files are followed', () => {
    const tree = new ImageTree([
      layer({
        '/usr/local/cuda': '-> /etc/alternatives/cuda',
        '/etc/alternatives/cuda': '-> /usr/local/cuda-12.6',
        '/usr/local/cuda-12.6/lib64': '-> targets/x86_64-linux/lib',
        '/usr/local/cuda-12.6/targets/x86_64-linux/lib/libcudart.so.12': '-> libcudart.so.12.6.77',
        '/usr/local/cuda-12.6/targets/x86_64-linux/lib/libcudart.so.12.6.77': 9,
      }),
    ]);
    expect(tree.file('/usr/local/cuda/lib64/libcudart.so.12')?.path).toBe(
      '/usr/local/cuda-12.6/targets/x86_64-linux/lib/libcudart.so.12.6.77',
    );
  });

  it('a path of a higher layer that runs through a link of a lower one', () => {
    const tree = new ImageTree([layer({ '/lib': '-> usr/lib', '/usr/lib/a': 1 }), layer({ '/lib/b': 2 })]);
    expect(tree.file('/usr/lib/b')).toMatchObject({ bytes: 2, layer: 1 });
  });

  it('never lead out of the image', () => {
    const tree = new ImageTree([layer({ '/a': '-> ../../../../etc', '/etc/os-release': 4 })]);
    expect(tree.file('/a/os-release')?.path).toBe('/etc/os-release');
  });

  it('in circles lead nowhere', () => {
    const tree = new ImageTree([layer({ '/a': '-> b', '/b': '-> a', '/c/d': '-> ../c/d/e' })]);
    expect(tree.file('/a')).toBe(null);
    expect(tree.resolve('/c/d')).toBe(null);
  });

  it('hard links show the content of the other name, before or behind it', () => {
    const hard = (path: string, target: string): ScannedEntry => ({ path, type: 'hardlink', bytes: 0, target });
    const file: ScannedEntry = { path: '/m', type: 'file', bytes: 12, text: 'x' };
    const made: LayerScan = {
      ...layer({}),
      entries: [hard('/early', '/m'), file, hard('/late', '/m'), hard('/no', '/z')],
    };
    const tree = new ImageTree([made]);
    expect(tree.file('/early')).toMatchObject({ bytes: 12, text: 'x' });
    expect(tree.file('/late')).toMatchObject({ bytes: 12, text: 'x' });
    // An empty file is something else than one that was not read.
    expect(tree.file('/no')?.bytes).toBe(null);
  });
});

describe('anything', () => {
  const name = fc.constantFrom('a', 'b', 'c', '..', '.', '');
  const path = fc.array(name, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`);
  const entry = fc.record({
    path,
    type: fc.constantFrom('file', 'symlink', 'hardlink', 'directory'),
    bytes: fc.nat(9),
    target: fc.oneof(
      path,
      fc.array(name, { maxLength: 4 }).map((parts) => parts.join('/')),
    ),
  }) as fc.Arbitrary<ScannedEntry>;
  const scan = fc.record({ entries: fc.array(entry), whiteouts: fc.array(path), opaque: fc.array(path) });

  it('gives a view whose files are all found under their own path', () => {
    fc.assert(
      fc.property(fc.array(scan, { maxLength: 4 }), path, (scans, asked) => {
        const tree = new ImageTree(scans.map((each) => ({ ...layer({}), ...each })));
        tree.file(asked);
        for (const file of tree.everything().files) expect(tree.file(file.path)?.path).toBe(file.path);
      }),
    );
  });
});
