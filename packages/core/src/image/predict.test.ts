import { describe, expect, it } from 'vitest';
import type { Prediction, ScannedImage } from './model.ts';
import {
  baked,
  clean,
  compat,
  compat126,
  compat131,
  made,
  ngc,
  predicted,
  program,
  regular,
  rhel,
  stub,
} from './predict.test.rows.ts';

type Seen = readonly [
  kind: Prediction['libcuda']['kind'],
  version: string | null,
  by: Prediction['compat']['by'],
  answer: Prediction['answer'],
  error: string | null,
];
const seen = (one: Prediction): Seen => [
  one.libcuda.kind,
  one.libcuda.version,
  one.compat.by,
  one.answer,
  one.errorSeen,
];

const newer = made(compat('560.35.05', '12.6'), { CUDA_VERSION: '12.6.3', NVIDIA_REQUIRE_CUDA: 'cuda>=12.0' });
const older = made(compat('535.104.05', '12.2'));
const stubs = { '/usr/local/cuda-12.6/targets/x86_64-linux/lib/stubs/libcuda.so': stub };
const leftover = {
  '/usr/local/cuda-12.6/lib64/stubs/libcuda.so': stub,
  '/usr/local/cuda-12.6/lib64/stubs/libcuda.so.1': '-> libcuda.so',
};
const vllm = made({
  ...compat('575.57.08', '12.9'),
  '/etc/ld.so.conf.d/00-cuda-compat.conf': '/usr/local/cuda-12.9/compat/\n',
});
const vllmLast = made({
  ...compat('575.57.08', '12.9'),
  '/etc/ld.so.conf.d/zzz-cuda-compat.conf': '/usr/local/cuda-12.9/compat/\n',
});
const cpu = made({
  '/usr/bin/python3': '-> python3.11',
  '/usr/lib/python3/dist-packages/torch-2.7.0+cpu.dist-info/METADATA':
    'Metadata-Version: 2.1\nName: torch\nVersion: 2.7.0+cpu\n',
  '/usr/lib/python3/dist-packages/torch/version.py': "__version__ = '2.7.0+cpu'\ncuda: Optional[str] = None\n",
});
const deb = 'libdir=/usr/lib/x86_64-linux-gnu';

// The rows of the decision table: image content, host driver and runtime give the libcuda that an application ends up with.
const rows: readonly (readonly [row: string, image: ScannedImage, on: string, expected: Seen])[] = [
  [
    '1: clean, legacy',
    clean,
    'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy',
    ['host', '570.124.06', null, 'runs', null],
  ],
  [
    '1: clean, cdi',
    clean,
    'driver=570.124.06,gpu=H100,toolkit=1.18.1,mode=cdi',
    ['host', '570.124.06', null, 'runs', null],
  ],
  [
    '1: clean, jit-cdi',
    clean,
    'driver=570.124.06,gpu=H100,toolkit=1.20.0,mode=jit-cdi',
    ['host', '570.124.06', null, 'runs', null],
  ],
  [
    '2: clean, nothing injected',
    clean,
    'driver=570.124.06,gpu=H100,mode=none',
    ['none', null, null, 'does-not-run', 'libcuda.so.1: cannot open shared object file'],
  ],
  [
    '3: newer compat, legacy 1.17.4',
    newer,
    'driver=535.183.01,gpu=H100,toolkit=1.17.4,mode=legacy',
    ['host', '535.183.01', null, 'runs-if', null],
  ],
  [
    '3: newer compat of a newer major, legacy 1.17.4',
    made(compat('580.65.06', '13.0'), { CUDA_VERSION: '13.0.0', NVIDIA_REQUIRE_CUDA: 'cuda>=12.0' }),
    'driver=535.183.01,gpu=H100,toolkit=1.17.4,mode=legacy',
    ['host', '535.183.01', null, 'does-not-run', '35'],
  ],
  [
    '4: newer compat, cdi 1.17.5',
    newer,
    'driver=535.183.01,gpu=H100,toolkit=1.17.5,mode=cdi',
    ['compat', '560.35.05', 'hook', 'runs', null],
  ],
  [
    '4: newer compat, legacy 1.17.7',
    newer,
    'driver=535.183.01,gpu=H100,toolkit=1.17.7,mode=legacy',
    ['compat', '560.35.05', 'ldconfig', 'runs', null],
  ],
  [
    '5: newer compat on GeForce',
    newer,
    'driver=535.183.01,gpu=RTX 4090,toolkit=1.18.1,mode=jit-cdi',
    ['compat', '560.35.05', 'hook', 'does-not-run', '804'],
  ],
  [
    '5: newer compat on GeForce, 1.20',
    compat131,
    'driver=550.90.07,gpu=RTX 4090,toolkit=1.20.0,mode=jit-cdi',
    ['compat', '590.44.01', 'elf-note', 'does-not-run', '804'],
  ],
  [
    '6: a branch that the note does not list',
    compat131,
    'driver=565.77,gpu=H100,toolkit=1.20.0,mode=cdi',
    ['host', '565.77', null, 'runs', null],
  ],
  [
    '7: older compat',
    older,
    'driver=570.124.06,gpu=H100,toolkit=1.18.1,mode=jit-cdi',
    ['host', '570.124.06', null, 'runs', null],
  ],
  [
    '7: compat of the same release',
    compat126,
    'driver=560.35.05,gpu=H100,toolkit=1.17.8,mode=legacy',
    ['host', '560.35.05', null, 'runs', null],
  ],
  [
    '8: older compat, legacy 1.17.3',
    older,
    'driver=570.124.06,gpu=H100,toolkit=1.17.3,mode=legacy',
    [null, null, null, 'cannot-tell', null],
  ],
  [
    '8: older compat, cuda-compat-mode=mount',
    older,
    'driver=570.124.06,gpu=H100,toolkit=1.18.1,mode=legacy,cuda-compat-mode=mount',
    [null, null, null, 'cannot-tell', null],
  ],
  [
    '9: compat in ld.so.conf.d, newer host, jit-cdi',
    vllm,
    `driver=580.95.05,gpu=H100,toolkit=1.18.1,mode=jit-cdi,${deb}`,
    ['compat', '575.57.08', 'ld.so.conf', 'does-not-run', '803'],
  ],
  [
    '9: the same, folder of the host not known',
    vllm,
    'driver=580.95.05,gpu=H100,toolkit=1.18.1,mode=cdi',
    ['compat', '575.57.08', 'ld.so.conf', 'does-not-run', '803'],
  ],
  [
    '9: the same on GeForce',
    vllm,
    'driver=580.95.05,gpu=RTX 4090,toolkit=1.18.1,mode=jit-cdi',
    ['compat', '575.57.08', 'ld.so.conf', 'does-not-run', '804'],
  ],
  [
    '9: the same in legacy mode, where the driver folder comes first',
    vllm,
    'driver=580.95.05,gpu=H100,toolkit=1.17.8,mode=legacy',
    ['host', '580.95.05', null, 'runs', null],
  ],
  [
    '9: a name that sorts last',
    vllmLast,
    `driver=580.95.05,gpu=H100,toolkit=1.18.1,mode=jit-cdi,${deb}`,
    ['host', '580.95.05', null, 'runs', null],
  ],
  [
    '10: entrypoint of NVIDIA kept',
    ngc,
    'driver=535.183.01,gpu=H100,toolkit=1.17.4,mode=legacy',
    ['compat', '560.35.05', 'entrypoint', 'runs', null],
  ],
  [
    '10: kept, in cdi mode',
    ngc,
    'driver=535.183.01,gpu=H100,toolkit=1.18.1,mode=jit-cdi,entrypoint=kept',
    ['compat', '560.35.05', 'entrypoint', 'runs', null],
  ],
  [
    '11: entrypoint replaced',
    ngc,
    'driver=535.183.01,gpu=H100,toolkit=1.17.4,mode=legacy,entrypoint=replaced',
    ['host', '535.183.01', null, 'runs-if', null],
  ],
  [
    '12: newer baked-in, legacy',
    made(baked('580.65.06')),
    'driver=570.124.06,gpu=RTX 4090,toolkit=1.17.8,mode=legacy',
    ['baked', '580.65.06', null, 'does-not-run', '803'],
  ],
  [
    '12: newer baked-in, cdi, folders coincide',
    made(baked('580.65.06')),
    `driver=570.124.06,gpu=RTX 4090,toolkit=1.18.1,mode=cdi,${deb}`,
    ['baked', '580.65.06', null, 'does-not-run', '803'],
  ],
  [
    '12: where compat could work',
    made(baked('580.65.06')),
    'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy',
    ['baked', '580.65.06', null, 'cannot-tell', null],
  ],
  [
    '12: on Red Hat',
    made(baked('580.65.06', '/usr/lib64'), {}, {}, rhel),
    'driver=570.124.06,gpu=RTX 4090,toolkit=1.17.8,mode=legacy',
    ['baked', '580.65.06', null, 'does-not-run', '803'],
  ],
  [
    '12: numbers count, not letters',
    made(baked('580.105.08')),
    'driver=580.95.05,gpu=RTX 4090,toolkit=1.17.8,mode=legacy',
    ['baked', '580.105.08', null, 'does-not-run', '803'],
  ],
  [
    '13: older baked-in',
    made(baked('535.104.05')),
    'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy',
    ['host', '570.124.06', null, 'runs', null],
  ],
  [
    '13: older baked-in, cdi, folders coincide',
    made(baked('535.104.05')),
    `driver=570.124.06,gpu=H100,toolkit=1.18.1,mode=cdi,${deb}`,
    ['host', '570.124.06', null, 'runs', null],
  ],
  [
    '14: baked-in of the same release',
    made(baked('570.124.06')),
    'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy',
    ['host', '570.124.06', null, 'runs', null],
  ],
  [
    '15: baked-in on Debian, host of Red Hat',
    made(baked('535.104.05')),
    'driver=570.124.06,gpu=H100,toolkit=1.18.1,mode=cdi,libdir=/usr/lib64',
    [null, null, null, 'cannot-tell', null],
  ],
  [
    '15: folder of the host not known',
    made(baked('535.104.05')),
    'driver=570.124.06,gpu=H100,toolkit=1.18.1,mode=cdi',
    [null, null, null, 'cannot-tell', null],
  ],
  [
    '15: with LD_LIBRARY_PATH',
    made(baked('535.104.05'), { LD_LIBRARY_PATH: '/usr/lib/x86_64-linux-gnu' }),
    'driver=570.124.06,gpu=H100,toolkit=1.18.1,mode=cdi,libdir=/usr/lib64',
    ['baked', '535.104.05', null, 'does-not-run', '803'],
  ],
  [
    '16: baked-in as a regular file',
    made(regular('535.104.05')),
    'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy',
    ['baked', '535.104.05', null, 'cannot-tell', null],
  ],
  [
    '16: the same release',
    made(regular('570.124.06')),
    'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy',
    ['baked', '570.124.06', null, 'runs', null],
  ],
  [
    '17: stub on LD_LIBRARY_PATH',
    made(leftover, { LD_LIBRARY_PATH: '/usr/local/cuda-12.6/lib64/stubs' }),
    'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy',
    ['stub', null, null, 'does-not-run', '34'],
  ],
  [
    '17: stub folder without the name',
    made(stubs, { LD_LIBRARY_PATH: '/usr/local/cuda-12.6/targets/x86_64-linux/lib/stubs' }),
    'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy',
    ['host', '570.124.06', null, 'runs', null],
  ],
  [
    '18: stub at its place',
    made(stubs),
    'driver=570.124.06,gpu=H100,toolkit=1.18.1,mode=jit-cdi',
    ['host', '570.124.06', null, 'runs', null],
  ],
  [
    '19: files upgraded, module not, legacy',
    clean,
    'driver=570.124.06,library=570.133.20,gpu=H100,toolkit=1.17.8,mode=legacy',
    [
      null,
      null,
      null,
      'does-not-run',
      'nvidia-container-cli: initialization error: nvml error: driver/library version mismatch',
    ],
  ],
  [
    '20: the same, cdi with an old file',
    clean,
    'driver=570.124.06,library=570.133.20,cdi-spec=570.124.06,gpu=H100,toolkit=1.17.8,mode=cdi',
    [null, null, null, 'does-not-run', 'libcuda.so.570.124.06: no such file or directory'],
  ],
  [
    '20: an old file after a reboot',
    clean,
    'driver=570.133.20,cdi-spec=570.124.06,gpu=H100,toolkit=1.17.8,mode=cdi',
    [null, null, null, 'does-not-run', 'libcuda.so.570.124.06: no such file or directory'],
  ],
  [
    '21: the same, started before',
    clean,
    'driver=570.124.06,library=570.133.20,started=before,gpu=H100,toolkit=1.17.8,mode=legacy',
    ['host', '570.124.06', null, 'runs', null],
  ],
  [
    '22: CPU build of torch',
    cpu,
    'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy',
    ['host', '570.124.06', null, 'does-not-run', 'Torch not compiled with CUDA enabled'],
  ],
  [
    '23: a pod with runc',
    clean,
    'driver=570.124.06,gpu=H100,toolkit=1.17.8,runtime=runc,device-list=envvar',
    ['none', null, null, 'does-not-run', 'libcuda.so.1: cannot open shared object file'],
  ],
];

describe('which libcuda the application ends up with', () => {
  it.each(rows)('row %s', (_, image, on, expected) => {
    expect(seen(predicted(image, on))).toEqual(expected);
  });

  it('a compat folder on LD_LIBRARY_PATH wins everywhere', () => {
    const image = made(compat('560.35.05', '12.6'), {
      LD_LIBRARY_PATH: '/usr/local/cuda-12.6/compat:/usr/local/nvidia/lib',
    });
    for (const mode of ['legacy', 'cdi'])
      expect(seen(predicted(image, `driver=535.183.01,gpu=H100,toolkit=1.17.4,mode=${mode}`))).toEqual([
        'compat',
        '560.35.05',
        'LD_LIBRARY_PATH',
        'runs',
        null,
      ]);
    expect(seen(predicted(image, 'driver=570.124.06,gpu=H100,toolkit=1.18.1,mode=jit-cdi'))).toEqual([
      'compat',
      '560.35.05',
      'LD_LIBRARY_PATH',
      'does-not-run',
      '803',
    ]);
  });

  it('an empty driver file leaves the start open', () => {
    const one = predicted(
      made({ '/usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05': 0 }),
      'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy',
    );
    expect([one.starts, one.answer, one.libcuda.kind]).toEqual([null, 'cannot-tell', 'host']);
  });

  it('a base that only the note lists is not proved', () => {
    const one = predicted(compat131, 'driver=550.90.07,gpu=H100,toolkit=1.20.0,mode=jit-cdi');
    expect([one.compat, one.answer]).toEqual([{ used: true, by: 'elf-note' }, 'cannot-tell']);
  });
});

// Who switches compat on: rules of container toolkit versions.
const rules: readonly (readonly [string, ScannedImage, string, boolean | null, Prediction['compat']['by']])[] = [
  [
    '1.17.3 mounts what is not of the same major',
    compat126,
    'driver=535.183.01,toolkit=1.17.3,mode=legacy',
    true,
    'mount',
  ],
  ['1.17.3 leaves equal majors alone', compat126, 'driver=560.28.03,toolkit=1.17.3,mode=legacy', false, null],
  ['1.17.3 mounts an older one too', older, 'driver=570.124.06,toolkit=1.17.3,mode=legacy', null, null],
  ['1.17.3 does nothing in cdi mode', compat126, 'driver=535.183.01,toolkit=1.17.3,mode=cdi', false, null],
  ['1.17.4 does nothing in legacy mode', compat126, 'driver=535.183.01,toolkit=1.17.4,mode=legacy', false, null],
  ['1.17.4 does nothing in cdi mode', compat126, 'driver=535.183.01,toolkit=1.17.4,mode=cdi', false, null],
  ['1.17.5 has the hook in legacy mode', compat126, 'driver=535.183.01,toolkit=1.17.5,mode=legacy', true, 'hook'],
  ['1.17.5 has the hook in cdi mode', compat126, 'driver=535.183.01,toolkit=1.17.5,mode=cdi', true, 'hook'],
  ['1.17.5 asks for a higher major', compat126, 'driver=560.28.03,toolkit=1.17.5,mode=cdi', false, null],
  [
    '1.17.5 needs the cache of the image',
    made({ ...compat('560.35.05', '12.6') }, {}, {}, { '/etc/debian_version': '12' }),
    'driver=535.183.01,toolkit=1.17.5,mode=cdi',
    false,
    null,
  ],
  ['1.17.7 gives the folder to ldconfig', compat126, 'driver=535.183.01,toolkit=1.17.7,mode=legacy', true, 'ldconfig'],
  [
    '1.17.7 needs no cache for that',
    made({ ...compat('560.35.05', '12.6') }, {}, {}, { '/etc/debian_version': '12' }),
    'driver=535.183.01,toolkit=1.17.7,mode=legacy',
    true,
    'ldconfig',
  ],
  ['1.17.7 asks for a higher major', compat126, 'driver=560.28.03,toolkit=1.17.7,mode=legacy', false, null],
  [
    '1.17.7 by hook where configured',
    compat126,
    'driver=535.183.01,toolkit=1.17.7,mode=legacy,cuda-compat-mode=hook',
    true,
    'hook',
  ],
  [
    '1.17.7 by mount where configured',
    compat126,
    'driver=535.183.01,toolkit=1.17.7,mode=legacy,cuda-compat-mode=mount',
    true,
    'mount',
  ],
  [
    '1.17.7 not where disabled',
    compat126,
    'driver=535.183.01,toolkit=1.17.7,mode=legacy,cuda-compat-mode=disabled',
    false,
    null,
  ],
  ['1.17.7 has the hook in cdi mode', compat126, 'driver=535.183.01,toolkit=1.17.7,mode=cdi', true, 'hook'],
  ['1.18.1 has the hook in jit-cdi mode', compat126, 'driver=535.183.01,toolkit=1.18.1,mode=jit-cdi', true, 'hook'],
  [
    '1.18.1 needs no cache',
    made({ ...compat('560.35.05', '12.6') }, {}, {}, { '/etc/debian_version': '12' }),
    'driver=535.183.01,toolkit=1.18.1,mode=cdi',
    true,
    'hook',
  ],
  [
    '1.18.1 takes one library only',
    made({ ...compat('560.35.05', '12.6'), '/usr/local/cuda-12.6/compat/libcuda.so.560.28.03': { bytes: 70_000_000 } }),
    'driver=535.183.01,toolkit=1.18.1,mode=cdi',
    false,
    null,
  ],
  ['1.18.1 in legacy mode as before', compat126, 'driver=535.183.01,toolkit=1.18.1,mode=legacy', true, 'ldconfig'],
  ['1.19 does not read the note', compat131, 'driver=565.77,toolkit=1.19.0,mode=jit-cdi', true, 'hook'],
  [
    '1.19 on Orin reads the CUDA version of the note',
    made(
      {
        '/usr/local/cuda': '-> /usr/local/cuda-13.1',
        '/usr/local/cuda-13.1/compat_orin/libcuda.so.590.44.01': {
          bytes: 9_000_000,
          libcuda: {
            stub: false,
            version: '590.44.01',
            cuda: '13.1',
            note: { cuda: '13.1', drivers: [540], text: '' },
          },
        },
      },
      {},
      { architecture: 'arm64' },
    ),
    'driver=570.124.06,gpu=Jetson AGX Orin,toolkit=1.19.0,mode=csv',
    true,
    'elf-note',
  ],
  ['1.20 reads the list of the note', compat131, 'driver=535.183.01,toolkit=1.20.0,mode=jit-cdi', true, 'elf-note'],
  ['1.20 refuses a branch that is not listed', compat131, 'driver=565.77,toolkit=1.20.0,mode=jit-cdi', false, null],
  [
    '1.20 compares full versions',
    made(compat('590.44.01', '13.1', [590])),
    'driver=590.40.01,toolkit=1.20.0,mode=jit-cdi',
    true,
    'elf-note',
  ],
  [
    '1.20 takes none that is not newer',
    made(compat('590.44.01', '13.1', [590])),
    'driver=590.48.01,toolkit=1.20.0,mode=jit-cdi',
    false,
    null,
  ],
  [
    '1.20 without a note asks for a higher major',
    compat126,
    'driver=535.183.01,toolkit=1.20.0,mode=jit-cdi',
    true,
    'major',
  ],
  ['1.20 in legacy mode as before', compat126, 'driver=535.183.01,toolkit=1.20.0,mode=legacy', true, 'ldconfig'],
];

describe('who switches compat on', () => {
  it.each(rules)('%s', (_, image, on, used, by) => {
    const gpu = on.includes('gpu=') ? '' : ',gpu=H100';
    expect(predicted(image, `${on}${gpu}`).compat).toEqual({ used, by });
  });
});

const modes: readonly (readonly [string, string, Prediction['mode']])[] = [
  ['auto before 1.18', 'toolkit=1.17.8,mode=auto', 'legacy'],
  ['auto from 1.18 on', 'toolkit=1.18.0,mode=auto', 'jit-cdi'],
  ['auto on Tegra', 'toolkit=1.18.0,mode=auto,gpu=Jetson AGX Orin,platform=linux/amd64', 'csv'],
  ['the nvidia runtime before 1.18', 'toolkit=1.17.8,start=runtime', 'legacy'],
  ['the nvidia runtime from 1.18 on', 'toolkit=1.18.1,start=runtime', 'jit-cdi'],
  ['docker --gpus before Docker 29', 'toolkit=1.18.1,start=gpus,docker=28.5.2', 'legacy'],
  ['docker --gpus from Docker 29 on', 'toolkit=1.18.1,start=gpus,docker=29.0.0', 'cdi'],
  ['docker --gpus of an unknown Docker', 'toolkit=1.18.1,start=gpus', null],
  ['docker --device with a CDI name', 'toolkit=1.17.8,start=cdi', 'cdi'],
  ['Kubernetes with CDI annotations', 'toolkit=1.18.1,device-list=cdi-annotations', 'cdi'],
  ['Kubernetes with CDI in the CRI', 'toolkit=1.18.1,device-list=cdi-cri', 'cdi'],
  ['Kubernetes by variable with the nvidia runtime', 'toolkit=1.17.8,device-list=envvar,runtime=nvidia', 'legacy'],
  ['Kubernetes by variable with runc', 'toolkit=1.17.8,device-list=envvar,runtime=runc', 'none'],
  ['an explicit mode', 'toolkit=1.18.1,mode=legacy,start=runtime', 'legacy'],
  ['nothing said', 'toolkit=1.18.1', null],
];

describe('injection mode', () => {
  it.each(modes)('%s', (_, on, mode) => {
    expect(predicted(clean, `driver=570.124.06,${on}`).mode).toBe(mode);
  });

  it('docker --gpus refuses another configured mode', () => {
    const one = predicted(clean, 'driver=570.124.06,gpu=H100,toolkit=1.18.1,mode=jit-cdi,start=gpus,docker=28.5.2');
    expect([one.starts, one.answer]).toEqual([false, 'does-not-run']);
  });

  it('mounts by capability in legacy mode, everything in the others', () => {
    const legacy = predicted(clean, 'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy');
    expect(legacy.injects?.folder).toBe('/usr/lib/x86_64-linux-gnu');
    expect(legacy.injects?.libraries).toContain('libcuda.so');
    expect(legacy.injects?.libraries).not.toContain('libnvcuvid.so');
    expect(
      predicted(made({}, {}, {}, rhel), 'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy').injects?.folder,
    ).toBe('/usr/lib64');
    expect(predicted(clean, 'driver=570.124.06,gpu=H100,toolkit=1.18.1,mode=cdi,libdir=/usr/lib64').injects).toEqual({
      folder: '/usr/lib64',
      capabilities: null,
      libraries: ['*.so'],
    });
  });

  it('capabilities without compute leave libcuda out in legacy mode only', () => {
    const image = made({}, { NVIDIA_DRIVER_CAPABILITIES: 'utility' });
    expect(seen(predicted(image, 'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy'))).toEqual([
      'none',
      null,
      null,
      'does-not-run',
      'libcuda.so.1: cannot open shared object file',
    ]);
    expect(seen(predicted(image, 'driver=570.124.06,gpu=H100,toolkit=1.18.1,mode=jit-cdi'))).toEqual([
      'host',
      '570.124.06',
      null,
      'runs',
      null,
    ]);
  });

  it('an unknown capability refuses the start', () => {
    const one = predicted(
      made({}, { NVIDIA_DRIVER_CAPABILITIES: 'compute,gpu' }),
      'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy',
    );
    expect([one.starts, one.errorSeen]).toEqual([false, "unsupported capabilities found in 'compute,gpu'"]);
  });

  it.each(['void', 'none', ''])('NVIDIA_VISIBLE_DEVICES=%s decides nothing', (value) => {
    const one = predicted(
      made({}, { NVIDIA_VISIBLE_DEVICES: value }),
      'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy',
    );
    expect([one.libcuda.kind, one.answer]).toEqual([null, 'cannot-tell']);
  });

  it('a GPU that no table has decides nothing, where it would run otherwise', () => {
    const one = predicted(clean, 'driver=570.124.06,gpu=H1000,toolkit=1.17.8,mode=legacy');
    expect([one.starts, one.answer, one.unknown]).toEqual([true, 'cannot-tell', ['GPU H1000']]);
    expect(predicted(clean, 'driver=570.124.06,gpu=9.0,toolkit=1.17.8,mode=legacy').answer).toBe('runs');
  });

  it('an image of another processor does not start', () => {
    const one = predicted(clean, 'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy,platform=linux/arm64');
    expect([one.starts, one.answer, one.errorSeen]).toEqual([false, 'does-not-run', 'exec format error']);
  });
});

describe('what is not said is tried in every way', () => {
  it('agrees where every way agrees', () => {
    const one = predicted(made(program(['sm_90'])), 'driver=570.124.06,gpu=H100');
    expect([one.mode, one.answer, one.libcuda.kind]).toEqual([null, 'runs', 'host']);
  });

  it('names what would decide where they differ', () => {
    const one = predicted(compat126, 'driver=535.183.01,gpu=RTX 4090,mode=legacy');
    expect(one.answer).toBe('cannot-tell');
    expect(one.unknown).toContain('container toolkit version');
  });

  it('tells both errors of a requirement that is too high', () => {
    const image = made({}, { CUDA_VERSION: '13.0.0', NVIDIA_REQUIRE_CUDA: 'cuda>=13.0' });
    const one = predicted(image, 'driver=535.183.01,gpu=H100,toolkit=1.18.1');
    expect([one.answer, one.errorSeen, one.starts]).toEqual(['does-not-run', null, null]);
    expect(one.message).toContain('start check');
  });

  it('a driver that is not given is asked for', () => {
    expect(predicted(made(program(['sm_90'])), 'gpu=H100,toolkit=1.18.1,mode=jit-cdi').answer).toBe('cannot-tell');
  });
});

describe('without the layers', () => {
  const quick = (reference: string, env: Readonly<Record<string, string>> = {}): ScannedImage => ({
    ...made({}, env, { reference }),
    quick: true,
    layers: [],
  });

  it('a known name tells what is inside', () => {
    const on = 'driver=535.183.01,gpu=H100,toolkit=1.17.8,mode=legacy';
    expect(predicted(quick('nvcr.io/nvidia/pytorch:24.10-py3'), on).compat).toEqual({ used: true, by: 'entrypoint' });
    expect(predicted(quick('nvidia/cuda:12.6.2-base-ubuntu22.04'), on).compat).toEqual({ used: true, by: 'ldconfig' });
    expect(predicted(quick('pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime'), on).libcuda.kind).toBe('host');
  });

  it('another name leaves it open, but for the start check', () => {
    const image = quick('team/app:1', { CUDA_VERSION: '12.6.3', NVIDIA_REQUIRE_CUDA: 'cuda>=12.6' });
    const open = predicted(image, 'driver=570.124.06,gpu=H100,toolkit=1.17.8,mode=legacy');
    expect([open.answer, open.libcuda.kind, open.requirement.holds, open.starts]).toEqual([
      'cannot-tell',
      null,
      true,
      true,
    ]);
    expect(predicted(image, 'driver=535.183.01,gpu=H100,toolkit=1.17.8,mode=legacy').starts).toBe(false);
  });
});

describe('what is inside', () => {
  const on = (gpu: string): string => `driver=570.124.06,gpu=${gpu},toolkit=1.18.1,mode=jit-cdi`;

  it('code for the GPU runs, code for another does not', () => {
    const image = made(program(['sm_80', 'sm_90a']));
    expect(seen(predicted(image, on('H100')))).toEqual(['host', '570.124.06', null, 'runs', null]);
    expect(seen(predicted(image, on('V100')))).toEqual(['host', '570.124.06', null, 'does-not-run', '209']);
  });

  it('one of several libraries is a condition', () => {
    const image = made({
      ...program(['sm_90']),
      '/opt/app/libold_cuda.so': { bytes: 9000, code: { sass: ['sm_70'], ptx: [] } },
    });
    const one = predicted(image, on('H100'));
    expect([one.answer, one.conditions]).toEqual(['runs-if', ['libold_cuda.so is not needed on this GPU']]);
  });

  it('a runtime library alone tells the CUDA release', () => {
    const image = made({
      '/usr/lib/x86_64-linux-gnu/libcudart.so.12.6.77': { bytes: 700_000, soname: 'libcudart.so.12' },
      '/usr/lib/x86_64-linux-gnu/libcudart.so.12': '-> libcudart.so.12.6.77',
    });
    const old = 'driver=470.256.02,gpu=V100,toolkit=1.18.1,mode=jit-cdi';
    expect(seen(predicted(image, old))).toEqual(['host', '470.256.02', null, 'does-not-run', '35']);
    expect(predicted(image, on('H100')).answer).toBe('runs');
  });

  it('a wheel is judged by the code that was read', () => {
    const torch = {
      '/opt/venv/pyvenv.cfg': 'home = /usr/bin\n',
      '/opt/venv/lib/python3.12/site-packages/torch-2.7.0+cu128.dist-info/METADATA':
        'Metadata-Version: 2.1\nName: torch\nVersion: 2.7.0+cu128\n',
      '/opt/venv/lib/python3.12/site-packages/torch/version.py':
        "__version__ = '2.7.0+cu128'\ncuda: Optional[str] = '12.8'\n",
    };
    expect(predicted(made(torch), on('V100')).answer).toBe('does-not-run');
    expect(predicted(made(torch), on('B200')).answer).toBe('runs');
    const own = {
      ...torch,
      '/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so': {
        bytes: 9000,
        code: { sass: ['sm_70'], ptx: [] },
      },
    };
    expect(predicted(made(own), on('V100')).answer).toBe('runs');
  });
});
