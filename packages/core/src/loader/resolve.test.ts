import { describe, expect, it } from 'vitest';
import type { Asker, LoaderFile, LoaderView } from './resolve.ts';
import { resolve } from './resolve.ts';

const file = (path: string, target: string | null = null, bytes: number | null = 1000): LoaderFile => ({
  path,
  target,
  bytes,
});

function view(files: readonly LoaderFile[], rest: Partial<LoaderView> = {}): LoaderView {
  return {
    files: new Map(files.map((each) => [each.path, each])),
    listed: new Set(files.map((each) => each.path.slice(0, each.path.lastIndexOf('/')))),
    preload: [],
    libraryPath: [],
    cache: [],
    defaults: ['/usr/lib/x86_64-linux-gnu', '/usr/lib64'],
    ...rest,
  };
}
const host = [
  file('/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15'),
  file('/usr/lib/x86_64-linux-gnu/libcuda.so.1', '/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15', null),
];
const stub = [
  file('/usr/local/cuda/lib64/stubs/libcuda.so'),
  file('/usr/local/cuda/lib64/stubs/libcuda.so.1', '/usr/local/cuda/lib64/stubs/libcuda.so', null),
];
const compat = [file('/usr/local/cuda/compat/libcuda.so.1')];
const entry = { soname: 'libcuda.so.1', path: '/usr/lib/x86_64-linux-gnu/libcuda.so.1' };

describe('which file the loader gives', () => {
  it.each<[string, LoaderView, Partial<ReturnType<typeof resolve>>]>([
    [
      'the cache before the default folders',
      view(host, { cache: [entry] }),
      { path: '/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15', by: 'ld.so.cache', kind: 'driver' },
    ],
    ['the default folders where there is no cache', view(host), { by: 'default', kind: 'driver' }],
    [
      'LD_LIBRARY_PATH before the cache: the stub',
      view([...host, ...stub], { cache: [entry], libraryPath: ['/usr/local/cuda/lib64/stubs'] }),
      { kind: 'stub', by: 'LD_LIBRARY_PATH', losers: ['/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15'] },
    ],
    [
      'compat on LD_LIBRARY_PATH',
      view([...host, ...compat], { cache: [entry], libraryPath: ['/usr/local/cuda/compat'] }),
      { kind: 'compat', by: 'LD_LIBRARY_PATH' },
    ],
    [
      'the first folder of LD_LIBRARY_PATH',
      view([...stub, ...compat], {
        libraryPath: ['/nowhere', '/usr/local/cuda/compat', '/usr/local/cuda/lib64/stubs'],
      }),
      { kind: 'compat' },
    ],
    [
      'LD_PRELOAD before all',
      view([...host, ...compat], { preload: ['/usr/local/cuda/compat/libcuda.so.1'], cache: [entry] }),
      { by: 'LD_PRELOAD', kind: 'compat' },
    ],
    [
      'nothing where only the development name is there',
      view([stub[0]!], { libraryPath: ['/usr/local/cuda/lib64/stubs'] }),
      { path: null, by: null },
    ],
    ['nothing where the link leads nowhere', view([host[1]!]), { path: null }],
    [
      'nothing where the links run in a circle',
      view([file('/usr/lib64/libcuda.so.1', '/usr/lib64/libcuda.so.1', null)]),
      { path: null },
    ],
    [
      'an empty file, which is left from another container',
      view([file('/usr/lib64/libcuda.so.1', null, 0)]),
      { kind: 'ghost' },
    ],
  ])('%s', (_, given, expected) => {
    expect(resolve('libcuda.so.1', given, null)).toMatchObject(expected);
  });

  const wheel = '/opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9';
  const system = '/usr/lib/x86_64-linux-gnu/libcudnn.so.9';
  const cudnn = (rest: Partial<LoaderView>): LoaderView => view([file(wheel), file(system)], rest);
  const torch = (tags: Partial<Asker>): Asker => ({ name: 'torch', rpath: [], runpath: [], ...tags });
  const own = ['/opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib'];
  const path = { libraryPath: ['/usr/lib/x86_64-linux-gnu'] };
  it.each<[string, LoaderView, Asker, string, string | null]>([
    ['RPATH beats LD_LIBRARY_PATH', cudnn(path), torch({ rpath: own }), wheel, null],
    ['LD_LIBRARY_PATH beats RUNPATH', cudnn(path), torch({ runpath: own }), system, null],
    ['RPATH does not count beside RUNPATH', cudnn(path), torch({ rpath: own, runpath: ['/nowhere'] }), system, null],
    [
      'the bundled one wins over the cache under either tag',
      cudnn({ cache: [{ soname: 'libcudnn.so.9', path: system }] }),
      torch({ either: own }),
      wheel,
      null,
    ],
    ['with an unread tag LD_LIBRARY_PATH is the rival', cudnn(path), torch({ either: own }), wheel, system],
  ])('%s', (_, given, asker, winner, rival) => {
    expect(resolve('libcudnn.so.9', given, asker)).toMatchObject({ path: winner, rival });
  });
});
