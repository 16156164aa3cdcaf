import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../../knowledge/knowledge.ts';
import type { Question } from '../question.ts';
import { readQuestion } from './read-question.ts';

const drivers = [
  '450.80.02',
  '470.256.02',
  '525.60.13',
  '535.183.01',
  '550.54.15',
  '565.77',
  '570.195.03',
  '575.64.05',
  '580.95.05',
  '580.105.08',
  '590.48.01',
  '595.58.03',
  '610.57.04',
  '440.33.01',
];
const gpus = [
  'H100',
  'A100',
  'V100',
  'T4',
  'L40S',
  'B200',
  'P100',
  'K80',
  'A10',
  'L4',
  'H200',
  'GH200',
  'B300',
  'RTX 4090',
  'RTX 5090',
  'RTX 3090',
  'GTX 1080',
  'GTX 1080 Ti',
  'RTX A6000',
  'RTX PRO 6000 Blackwell',
  'RTX 6000 Ada',
  'TITAN V',
  'Quadro RTX 8000',
  'A40',
  'A30',
];
const cudas = [
  '10.2',
  '11.0',
  '11.4',
  '11.8',
  '12.0',
  '12.1',
  '12.4',
  '12.6',
  '12.8',
  '12.9',
  '13.0',
  '13.1',
  '13.2',
  '13.4',
];
const torches = [
  ['2.0.1', 'cu118'],
  ['2.5.1', 'cu124'],
  ['2.7.0', 'cu128'],
  ['2.9.1', 'cu130'],
  ['2.10.0', 'cu126'],
  ['2.12.0', 'cu132'],
  ['2.5.1', 'cpu'],
] as const;
const sassSets = [['sm_80'], ['sm_90a'], ['sm_100f'], ['sm_86', 'sm_89'], ['sm_120']];
const toolkits = ['1.17.4', '1.17.8', '1.18.1', '1.20.0'];
const modes = ['legacy', 'jit-cdi', 'cdi'] as const;
const images = [
  'nvcr.io/nvidia/pytorch:24.10-py3',
  'nvcr.io/nvidia/tritonserver:25.12-py3',
  'nvidia/cuda:12.6.3-base-ubuntu22.04',
  'nvidia/cuda:13.0.1-devel-ubuntu24.04',
  'pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime',
];
const packages = ['cuda-compat-12-2', 'cuda-compat-12-8', 'cuda-compat-13-0', 'cuda-compat-13-4'];

interface Values {
  readonly d: string;
  readonly g: string;
  readonly c: string;
  readonly t: (typeof torches)[number];
  readonly s: readonly string[];
  readonly ct: string;
  readonly m: (typeof modes)[number];
  readonly i: string;
  readonly p: string;
}
type Template = readonly [text: (v: Values) => string, question: (v: Values) => Question];

const wheel = (v: Values): Question => ({ wheel: { name: 'torch', version: v.t[0], variant: v.t[1] } });

/** Ways in which people type the same question. */
const templates: readonly Template[] = [
  [(v) => `${v.g} on driver ${v.d}`, (v) => ({ gpu: v.g, driver: v.d })],
  [(v) => `can we install driver ${v.d} on ${v.g} nodes`, (v) => ({ gpu: v.g, driver: v.d })],
  [(v) => `does driver ${v.d} drive a ${v.g}`, (v) => ({ gpu: v.g, driver: v.d })],
  [(v) => `Is ${v.g} supported by driver ${v.d}?`, (v) => ({ gpu: v.g, driver: v.d })],
  [
    (v) => `${v.g} on driver ${v.d} with the open kernel module`,
    (v) => ({ gpu: v.g, driver: v.d, moduleFlavour: 'open' }),
  ],
  [
    (v) => `${v.g}, ${v.d}, proprietary kernel modules`,
    (v) => ({ gpu: v.g, driver: v.d, moduleFlavour: 'proprietary' }),
  ],
  [(v) => `torch ${v.t[0]}+${v.t[1]} on driver ${v.d} with ${v.g}`, (v) => ({ ...wheel(v), gpu: v.g, driver: v.d })],
  [(v) => `torch==${v.t[0]}+${v.t[1]}, ${v.g}, driver ${v.d}`, (v) => ({ ...wheel(v), gpu: v.g, driver: v.d })],
  [(v) => `${v.g} + ${v.d}: can I use torch ${v.t[0]}+${v.t[1]}`, (v) => ({ ...wheel(v), gpu: v.g, driver: v.d })],
  [
    (v) => `will torch ${v.t[0]}+${v.t[1]} work on a ${v.g} node that has driver ${v.d}?`,
    (v) => ({ ...wheel(v), gpu: v.g, driver: v.d }),
  ],
  [(v) => `PyTorch ${v.t[0]} (${v.t[1]}) / ${v.g} / R535`, (v) => ({ ...wheel(v), gpu: v.g, driver: '535' })],
  [
    (v) => `node has ${v.g} and driver ${v.d}, we want torch ${v.t[0]} ${v.t[1]}`,
    (v) => ({ ...wheel(v), gpu: v.g, driver: v.d }),
  ],
  [
    (v) => `torch ${v.t[0]} from PyPI, ${v.g}, driver ${v.d}`,
    (v) => ({ wheel: { name: 'torch', version: v.t[0], variant: 'pypi' }, gpu: v.g, driver: v.d }),
  ],
  [(v) => `cuda ${v.c} on ${v.d} / ${v.g}`, (v) => ({ toolkit: v.c, driver: v.d, gpu: v.g })],
  [(v) => `toolkit ${v.c} + driver ${v.d} + ${v.g}`, (v) => ({ toolkit: v.c, driver: v.d, gpu: v.g })],
  [(v) => `program built with CUDA ${v.c}, driver ${v.d}, ${v.g}`, (v) => ({ toolkit: v.c, driver: v.d, gpu: v.g })],
  [
    (v) => `does a CUDA ${v.c} application run on driver ${v.d} (${v.g})`,
    (v) => ({ toolkit: v.c, driver: v.d, gpu: v.g }),
  ],
  [
    (v) => `program that asks for CUDA ${v.c} on driver ${v.d}, ${v.g}`,
    (v) => ({ toolkit: v.c, driver: v.d, gpu: v.g }),
  ],
  [(v) => `CUDA ${v.c} program on "driver 450" (build unknown)`, (v) => ({ toolkit: v.c, driver: '450' })],
  [(v) => `toolkit ${v.c} + driver 537.13 on Windows`, (v) => ({ toolkit: v.c, driver: '537.13', os: 'windows' })],
  [
    (v) => `${v.p} with a CUDA ${v.c} program on driver ${v.d}, ${v.g}`,
    (v) => ({ toolkit: v.c, compatPackage: v.p, driver: v.d, gpu: v.g }),
  ],
  [
    (v) => `can ${v.p} bring CUDA ${v.c} to driver ${v.d} on ${v.g}`,
    (v) => ({ toolkit: v.c, compatPackage: v.p, driver: v.d, gpu: v.g }),
  ],
  [
    (v) => `${v.g} node, driver ${v.d}, ${v.p} on the search path, CUDA ${v.c} application`,
    (v) => ({ toolkit: v.c, compatPackage: v.p, driver: v.d, gpu: v.g }),
  ],
  [
    (v) => `LD_LIBRARY_PATH starts with /usr/local/cuda-${v.c}/compat, driver ${v.d}, ${v.g}, CUDA ${v.c} program`,
    (v) => ({
      toolkit: v.c,
      compatPackage: `cuda-compat-${v.c.replace('.', '-')}`,
      compatOnPath: true,
      driver: v.d,
      gpu: v.g,
    }),
  ],
  [
    (v) => `binary with ${v.s.join(' + ')} (CUDA ${v.c}) on ${v.g}, driver ${v.d}`,
    (v) => ({ binary: { sass: v.s, ptx: [] }, toolkit: v.c, gpu: v.g, driver: v.d }),
  ],
  [
    (v) => `cuobjdump shows ${v.s.join(', ')}, built with CUDA ${v.c}; ${v.g} on driver ${v.d}`,
    (v) => ({ binary: { sass: v.s, ptx: [] }, toolkit: v.c, gpu: v.g, driver: v.d }),
  ],
  [
    (v) =>
      `our kernels are compiled for ${v.s.join(' and ')} + compute_80 PTX with nvcc ${v.c}, does that run on ${v.g} with driver ${v.d}`,
    (v) => ({ binary: { sass: v.s, ptx: ['compute_80'] }, toolkit: v.c, gpu: v.g, driver: v.d }),
  ],
  [
    (v) => `${v.i} on driver ${v.d} with ${v.g}, container toolkit ${v.ct}, ${v.m} mode`,
    (v) => ({ image: v.i, driver: v.d, gpu: v.g, containerToolkit: v.ct, injectionMode: v.m }),
  ],
  [
    (v) => `${v.i} on driver ${v.d} with ${v.g}, entrypoint replaced`,
    (v) => ({ image: v.i, driver: v.d, gpu: v.g, entrypoint: 'replaced' }),
  ],
  [
    (v) => `${v.g}, ${v.d}, nvidia-container-toolkit ${v.ct} in ${v.m} mode, image ${v.i}, entrypoint kept`,
    (v) => ({ image: v.i, driver: v.d, gpu: v.g, containerToolkit: v.ct, injectionMode: v.m, entrypoint: 'kept' }),
  ],
  [
    (v) =>
      `own image with ENV CUDA_VERSION=${v.c}.1 and no NVIDIA_REQUIRE_CUDA (no compat libraries), driver ${v.d}, ${v.g}, container toolkit ${v.ct} in ${v.m} mode`,
    (v) => ({
      imageEnv: { CUDA_VERSION: `${v.c}.1` },
      driver: v.d,
      gpu: v.g,
      containerToolkit: v.ct,
      injectionMode: v.m,
    }),
  ],
  [
    (v) => `cuDNN 9.10.2.21 (cu12 build) in a CUDA ${v.c} process on ${v.g}`,
    (v) => ({ cudnn: { version: '9.10.2.21', build: 'cu12' }, toolkit: v.c, gpu: v.g }),
  ],
  [
    (v) => `nvidia-cudnn-cu13 9.12.0.46 in a CUDA ${v.c} process`,
    (v) => ({ cudnn: { version: '9.12.0.46', build: 'cu13' }, toolkit: v.c }),
  ],
  [
    (v) => `NCCL 2.27.5 (cu12 build) in a CUDA ${v.c} process, driver ${v.d}, ${v.g}`,
    (v) => ({ nccl: { version: '2.27.5', build: 'cu12' }, toolkit: v.c, driver: v.d, gpu: v.g }),
  ],
  [
    (v) => `NCCL 2.27.5 in a CUDA ${v.c} process on ${v.g} with NVSwitch, driver ${v.d}`,
    (v) => ({ nccl: { version: '2.27.5' }, toolkit: v.c, driver: v.d, gpu: v.g, nvswitch: true }),
  ],
  [
    (v) => `jax[cuda12] 0.7 on driver ${v.d} with ${v.g}`,
    (v) => ({ wheel: { name: 'jax', version: '0.7', variant: 'cuda12' }, driver: v.d, gpu: v.g }),
  ],
  [
    (v) => `cupy-cuda12x 13.6.0 on driver ${v.d} with ${v.g}`,
    (v) => ({ wheel: { name: 'cupy', version: '13.6.0', variant: 'cuda12x' }, driver: v.d, gpu: v.g }),
  ],
  [
    (v) => `tensorflow 2.17.0 on ${v.g}, driver ${v.d}`,
    (v) => ({ wheel: { name: 'tensorflow', version: '2.17.0', variant: 'gpu' }, driver: v.d, gpu: v.g }),
  ],
  [
    (v) => `vllm 0.10.0 on ${v.g}, driver ${v.d}`,
    (v) => ({ wheel: { name: 'vllm', version: '0.10.0' }, driver: v.d, gpu: v.g }),
  ],
  [
    (v) => `${v.g} + ${v.d}: can I use torch ${v.t[0]}+${v.t[1]} (aarch64)`,
    (v) => ({ ...wheel(v), arch: 'aarch64', gpu: v.g, driver: v.d }),
  ],
  [
    (v) => `CUDA ${v.c} program that calls a function introduced with the 12.8 driver, on ${v.d} with ${v.g}`,
    (v) => ({ toolkit: v.c, needsDriverCuda: '12.8', driver: v.d, gpu: v.g }),
  ],
  [
    (v) => `nvidia-driver-535-server-open 535.183.01-0ubuntu1 and ${v.g}`,
    (v) => ({ driver: '535.183.01', moduleFlavour: 'open', gpu: v.g }),
  ],
];

const moreTemplates: readonly Template[] = [
  [
    (v) => `${v.g}, driver version ${v.d}, pip install torch==${v.t[0]} (${v.t[1]})`,
    (v) => ({ ...wheel(v), gpu: v.g, driver: v.d }),
  ],
  [
    (v) => `we run R535 on ${v.g} and want to use vllm 0.10.0`,
    (v) => ({ wheel: { name: 'vllm', version: '0.10.0' }, driver: '535', gpu: v.g }),
  ],
  [
    (v) => `docker image ${v.i}, host driver ${v.d}, ${v.g}, nvidia-container-toolkit ${v.ct}, ${v.m}`,
    (v) => ({ image: v.i, containerToolkit: v.ct, injectionMode: v.m, driver: v.d, gpu: v.g }),
  ],
  [
    (v) => `${v.s.join(' and ')} SASS made with CUDA ${v.c} on ${v.g} with driver ${v.d}`,
    (v) => ({ binary: { sass: v.s, ptx: [] }, toolkit: v.c, gpu: v.g, driver: v.d }),
  ],
  [(v) => `is driver ${v.d} ok for CUDA ${v.c} on a ${v.g}`, (v) => ({ toolkit: v.c, gpu: v.g, driver: v.d })],
  [(v) => `${v.g} ${v.d} pytorch ${v.t[0]} ${v.t[1]}`, (v) => ({ ...wheel(v), gpu: v.g, driver: v.d })],
];
const all: readonly Template[] = [...templates, ...moreTemplates];

const values: fc.Arbitrary<Values> = fc.record({
  d: fc.constantFrom(...drivers),
  g: fc.constantFrom(...gpus),
  c: fc.constantFrom(...cudas),
  t: fc.constantFrom(...torches),
  s: fc.constantFrom(...sassSets),
  ct: fc.constantFrom(...toolkits),
  m: fc.constantFrom(...modes),
  i: fc.constantFrom(...images),
  p: fc.constantFrom(...packages),
});

describe('a typed question', () => {
  it.each(
    all.map(
      (template, at) =>
        [
          template[0]({
            d: 'D',
            g: 'G',
            c: 'C',
            t: ['V', 'X'] as never,
            s: ['S'],
            ct: 'T',
            m: 'M' as never,
            i: 'I',
            p: 'P',
          }),
          at,
        ] as const,
    ),
  )('%s', (_name, at) => {
    const [text, question] = all[at] as Template;
    fc.assert(
      fc.property(values, (v) => {
        expect(readQuestion(text(v), defaultKnowledge)).toEqual({ question: question(v), unread: [] });
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['the CUDA version printed by nvidia-smi is the toolkit installed on the host'],
    ["torch cu124 can't run on driver 535 because 535 supports only CUDA 12.2"],
    ['GH200 needs the open kernel modules'],
    ['do containers need the CUDA toolkit on the host?'],
  ])('%s is a claim', (text) => expect(readQuestion(text, defaultKnowledge).question.claim).toBe(text));

  it('tells what it did not understand', () => {
    expect(
      readQuestion('torch 2.7.0+cu128 on driver 570.195.03 with H100 behind flubber', defaultKnowledge).unread,
    ).toEqual(['behind', 'flubber']);
  });
});
