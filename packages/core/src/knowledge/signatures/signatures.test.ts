import fc from 'fast-check';
import { checkSync } from 'recheck';
import { describe, expect, it } from 'vitest';
import { layers } from '../../model/layer.ts';
import { causes } from '../causes.rows.ts';
import { cudaErrors } from '../cuda-errors.rows.ts';
import { libraryStatuses } from '../library-statuses.rows.ts';
import { ncclResults } from '../nccl-results.rows.ts';
import { nvmlReturns } from '../nvml-returns.rows.ts';
import { cudaCodes } from './cuda-codes.rows.ts';
import type { SignatureRow } from './signature.types.ts';
import { applicationSignatures } from './application.rows.ts';
import { benignSignatures } from './benign.rows.ts';
import { containerSignatures } from './container.rows.ts';
import { withCudaCodes } from './cuda-codes.ts';
import { cudaSignatures } from './cuda.rows.ts';
import { frameworksSignatures } from './frameworks.rows.ts';
import { hardwareSignatures } from './hardware.rows.ts';
import { hostSignatures } from './host.rows.ts';
import { inferenceSignatures } from './inference.rows.ts';
import { kernelModuleSignatures } from './kernel-module.rows.ts';
import { ncclSignatures } from './nccl.rows.ts';
import { nvmlSignatures } from './nvml.rows.ts';
import { orchestratorSignatures } from './orchestrator.rows.ts';
import { signatures } from './signatures.ts';
import { wholeNotices } from './whole-notices.ts';
import { toolkitSignatures } from './toolkit.rows.ts';
import { torchSignatures } from './torch.rows.ts';
import { quantifiersOf } from './testing.ts';

/** Rows whose literals must hold for every text that a pattern can match; the `extra` tables take looser ones. */
const strict: readonly SignatureRow[] = [
  ...withCudaCodes(cudaSignatures),
  ...nvmlSignatures,
  ...kernelModuleSignatures,
  ...hardwareSignatures,
  ...hostSignatures,
  ...containerSignatures,
  ...orchestratorSignatures,
  ...toolkitSignatures,
  ...ncclSignatures,
  ...torchSignatures,
  ...frameworksSignatures,
  ...inferenceSignatures,
  ...applicationSignatures,
  ...benignSignatures,
];

/** Rows by the first characters of their literals, so that a line asks few of them. */
const byStart = new Map<string, { readonly literal: string; readonly row: SignatureRow }[]>();
for (const row of signatures) {
  for (const literal of row.literals) {
    const start = literal.slice(0, 3);
    const rows = byStart.get(start);
    if (rows === undefined) byStart.set(start, [{ literal, row }]);
    else rows.push({ literal, row });
  }
}

/** What a reader of one line recognises: a literal first, then a pattern. */
function recognised(line: string): readonly SignatureRow[] {
  const low = line.toLowerCase();
  const asked = new Set<SignatureRow>();
  for (let i = 0; i < low.length - 2; i++) {
    for (const { literal, row } of byStart.get(low.slice(i, i + 3)) ?? [])
      if (low.startsWith(literal, i)) asked.add(row);
  }
  return [...asked].filter((row) => row.patterns.some((pattern) => pattern.test(line)));
}

const idsOf = (line: string): readonly string[] => recognised(line).map((row) => row.id);
const accusing = (line: string): readonly string[] =>
  recognised(line)
    .filter((row) => row.role === 'signature' && (row.severity === 'critical' || row.severity === 'fatal'))
    .map((row) => row.id);

describe('the table', () => {
  it('has each id once', () => {
    const ids = signatures.map((row) => row.id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('names layers and causes that exist', () => {
    const known = new Set(causes.map((row) => row.cause));
    const named = signatures.flatMap((row) => row.causes.map((cause) => cause.cause)).filter((id) => id !== null);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
    expect(signatures.filter((row) => !layers.includes(row.layer))).toEqual([]);
  });

  it('gives every signature a meaning, patterns, literals and an example', () => {
    const poor = signatures.filter(
      (row) =>
        row.meaning === '' || row.patterns.length === 0 || row.literals.length === 0 || row.examples.length === 0,
    );
    expect(poor.map((row) => row.id)).toEqual([]);
  });

  it('has literals in lower case', () => {
    expect(signatures.flatMap((row) => row.literals.filter((each) => each !== each.toLowerCase()))).toEqual([]);
    expect(strict.flatMap((row) => row.literals.filter((each) => each.length < 5))).toEqual([]);
  });

  it('recognises every example by its own signature', () => {
    const missed = signatures
      .filter((row) => row.joins === undefined)
      .flatMap((row) =>
        row.examples.filter((line) => !idsOf(line).includes(row.id)).map((line) => `${row.id}: ${line}`),
      );
    expect(missed).toEqual([]);
  });

  it('keeps harmless messages apart from causes', () => {
    // Messages that a program prints both as a notice and as a failure; which it is, the lines around tell.
    const pairs = new Set(['benign-bnb-no-gpu not-built-with-gpu']);
    const both = signatures
      .filter((row) => row.role === 'benign' && !wholeNotices.has(row.id))
      .flatMap((row) =>
        row.examples.flatMap((line) =>
          recognised(line)
            .filter((other) => other.role === 'signature' && other.severity !== 'info')
            .map((other) => `${row.id} ${other.id}`),
        ),
      );
    expect(both.filter((pair) => !pairs.has(pair))).toEqual([]);
  });
});

describe('patterns run in linear time', () => {
  const all = strict.flatMap((row) => row.patterns.map((pattern) => ({ id: row.id, pattern })));

  it('bounds every quantifier', () => {
    const loose = all.filter(({ pattern }) => quantifiersOf(pattern.source).some((each) => each.max > 1000));
    expect(loose.map(({ id, pattern }) => `${id}: ${pattern.source}`)).toEqual([]);
  });

  it('has no state between calls', () => {
    expect(all.filter(({ pattern }) => pattern.global || pattern.sticky).map(({ id }) => id)).toEqual([]);
  });

  it('repeats no group that repeats inside, unless the repeats cannot be told apart wrongly', () => {
    const nested = all.filter(({ pattern }) => quantifiersOf(pattern.source).some((each) => each.nested));
    const bad = nested.filter(({ pattern }) => {
      const unbounded = pattern.source.replace(/\{(\d+),\d+\}/g, (_, least: string) => (least === '0' ? '*' : '+'));
      const answer = checkSync(unbounded, pattern.flags, { checker: 'automaton', timeout: 2000 });
      return answer.status === 'vulnerable' && answer.complexity.type === 'exponential';
    });
    expect(bad.map(({ id, pattern }) => `${id}: ${pattern.source}`)).toEqual([]);
  }, 120_000);

  it('ends soon on a hostile line of 16 KiB for every signature', () => {
    const slow: string[] = [];
    for (const row of signatures) {
      for (const pieces of hostile(row)) {
        const line = pieces.repeat(Math.ceil(16_384 / pieces.length)).slice(0, 16_384);
        const before = performance.now();
        for (const pattern of row.patterns) pattern.test(line);
        const ms = performance.now() - before;
        if (ms > 15_000) slow.push(`${row.id}: ${Math.round(ms)} ms on ${pieces.slice(0, 60)}`);
      }
    }
    expect(slow).toEqual([]);
  }, 240_000);
});

/** Pieces that a pattern likes, over and over: its literals, and starts of its examples. */
function hostile(row: SignatureRow): readonly string[] {
  const example = row.examples[0] ?? '';
  return [
    row.literals[0] ?? 'x',
    example.slice(0, Math.max(8, Math.floor(example.length / 2))),
    `${row.literals[0] ?? ''} aaaa 1111 `,
  ];
}

describe('literals', () => {
  it('stand in every text that a pattern can match', () => {
    const lacking: string[] = [];
    for (const row of strict) {
      for (const pattern of row.patterns) {
        for (const text of samples(pattern)) {
          const low = text.toLowerCase();
          if (!row.literals.some((literal) => low.includes(literal)))
            lacking.push(`${row.id}: ${JSON.stringify(text).slice(0, 160)}`);
        }
      }
    }
    expect(lacking.slice(0, 20)).toEqual([]);
  }, 240_000);
});

/** Texts that a pattern matches; none where it uses what the generator does not know. */
function samples(pattern: RegExp): readonly string[] {
  try {
    const plain = new RegExp(
      pattern.source
        .replaceAll(/\(\?<\w+>/g, '(?:')
        .replaceAll(/\(\?[=!][^()]*(?:\([^()]*\)[^()]*)*\)/g, '')
        .replaceAll(
          /\{(\d+),(\d+)\}/g,
          (_, least: string, most: string) => `{${least},${Math.min(Number(most), Number(least) + 3)}}`,
        )
        .replaceAll(String.raw`\b`, ''),
    );
    return fc.sample(fc.stringMatching(plain, { size: 'small' }), { numRuns: 8, seed: 7 });
  } catch {
    return [];
  }
}

describe('CUDA errors', () => {
  const covered = new Map(cudaCodes.flatMap((row) => row.codes.map((code) => [code, row.signature] as const)));
  const rows = cudaErrors.filter((row) => row.code !== 0 && row.code !== 10000);
  const signatureOf = (code: number): string => covered.get(code) ?? `cuda-error-${code}`;
  const cudaIds = new Set(rows.map((row) => signatureOf(row.code)));
  const cudaOf = (line: string): readonly string[] => idsOf(line).filter((id) => cudaIds.has(id));

  it.each(rows.map((row) => [row.code, row.runtime ?? row.driver, row] as const))(
    '%i %s is known by name and number',
    (code, _, row) => {
      for (const name of [row.runtime, row.driver]) {
        if (name === null) continue;
        expect(cudaOf(`terminate called: what(): ${name}`)).toEqual([signatureOf(code)]);
      }
      for (const line of [
        `CUDA error: ${code}`,
        `CUDA error ${code} at kernel.cu:12`,
        `CUDA failure ${code}`,
        `cudaGetLastError() error code (${code})`,
      ]) {
        expect(cudaOf(line)).toEqual([signatureOf(code)]);
      }
    },
  );

  it.each([
    ['cudaGetDeviceCount returned 35', 'cuda-insufficient-driver'],
    ['cuInit(0) failed with error 100', 'cuda-no-device'],
    ['cudaSetDevice err: 999', 'cuda-unknown-error'],
    ['cudaGetDeviceCount returned 30', 'cuda-unknown-error'],
    ['cudaGetDeviceCount returned 38', 'cuda-no-device'],
    ['call to cuCtxCreate returned error 214: Other', 'cuda-ecc-uncorrectable'],
    ['cuInit -> 802', 'cuda-system-not-ready'],
    ['failed call to cuInit: UNKNOWN ERROR (303)', 'cuda-shared-object-symbol'],
    ['Check failed: CUDA_SUCCESS == cuCtxSetCurrent(ctx) (0 vs. 216)', 'cuda-exclusive-thread'],
    ['Check failed: e == cudaSuccess (209 vs. 0) : CUDA: x', 'cuda-no-kernel-image'],
    ['[222] Call to cuModuleLoadDataEx results in UNKNOWN_CUDA_ERROR', 'cuda-unsupported-ptx-toolchain'],
    ['Unexpected error from cudaGetDeviceCount(). Did you do this? Error 804', 'cuda-forward-compat-unsupported-hw'],
    ['msg="cudart init failure: 35"', 'cuda-insufficient-driver'],
    ['ERROR: CUDA error: x (code 700, ERROR_ILLEGAL_ADDRESS)', 'cuda-illegal-memory-access'],
    ['error 46 in cudaMalloc', 'cuda-devices-unavailable'],
    ['CUDA initialization failed with error 803', 'cuda-system-driver-mismatch'],
    [
      "NCCL WARN Cuda failure 'the provided PTX was compiled with an unsupported toolchain.'",
      'cuda-unsupported-ptx-toolchain',
    ],
    ['Triton Error [CUDA]: device kernel image is invalid', 'cuda-invalid-kernel-image'],
  ])('%s is %s', (line, id) => {
    expect(cudaOf(line)).toEqual([id]);
  });

  it('knows every printed text, the ambiguous ones behind a CUDA word only', () => {
    const seen = new Set<string>();
    for (const row of rows) {
      if (row.string === 'out of memory' || seen.has(row.string)) continue;
      seen.add(row.string);
      expect([row.string, ...cudaOf(`CUDA error: ${row.string}`)]).toContain(signatureOf(row.code));
    }
    for (const line of [
      'open: invalid argument',
      'error: file not found',
      'mount: operation not permitted',
      'unknown error',
    ])
      expect(cudaOf(line)).toEqual([]);
  });

  it.each([
    'step 35 of 100',
    'CUDA Version: 12.4',
    'loss: 804.2',
    'cudaLaunchKernel 35 calls, 2 ms',
    'CUDA errors seen: 0',
    'Found 2 CUDA devices',
  ])('sees no CUDA error in %s', (line) => expect(cudaOf(line)).toEqual([]));
});

describe('statuses of libraries', () => {
  it('knows every NVML return by name', () => {
    const missed = nvmlReturns
      .filter((row) => row.code !== 0)
      .filter((row) => idsOf(`call failed: ${row.name}`).length === 0);
    expect(missed.map((row) => row.name)).toEqual([]);
  });

  it('knows every NCCL result by name', () => {
    const missed = ncclResults
      .filter((row) => row.code !== 0)
      .filter((row) => idsOf(`RuntimeError: ${row.name}: x`).length === 0);
    expect(missed.map((row) => row.name)).toEqual([]);
  });

  it('knows every status of cuDNN, cuBLAS, cuFFT, cuSOLVER, cuSPARSE, NVRTC and nvJitLink by name', () => {
    const libraries = new Set(['cudnn8', 'cudnn9', 'cublas', 'cufft', 'cusolver', 'cusparse', 'nvrtc', 'nvjitlink']);
    const missed = libraryStatuses
      .filter((row) => libraries.has(row.library) && row.code !== 0)
      .filter((row) => idsOf(`what(): ${row.name} (${row.code})`).length === 0);
    expect(missed.map((row) => row.name)).toEqual([]);
  });
});

describe('healthy lines', () => {
  it.each([
    'Epoch 3/10: 100%|██████████| 1250/1250 [02:11<00:00, 9.51it/s, loss=1.204]',
    '{"loss": 0.4123, "grad_norm": 1.35, "learning_rate": 5e-05, "epoch": 0.42}',
    '[rank0]: step 1200 loss 2.31 lr 3.0e-4 tokens/s 41234 error 0.0',
    '| 35   N/A  NVIDIA A100-SXM4-80GB   On | 00000000:07:00.0 Off |                    0 |',
    '| N/A   31C    P0              61W / 400W |   1024MiB / 81920MiB |      0%      Default |',
    'NVIDIA-SMI 550.54.15    Driver Version: 550.54.15    CUDA Version: 12.4',
    'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0c2bb0a1-1111-2222-3333-444455556666)',
    'node7:2211:2211 [0] NCCL INFO Bootstrap : Using ib0:10.1.0.7<0>',
    'node7:2211:2300 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB ib0:10.1.0.7<0>',
    'node7:2211:2300 [0] NCCL INFO Channel 03/0 : 1[1] -> 2[2] via P2P/CUMEM/read',
    'node7:2211:2300 [0] NCCL INFO Connected all rings',
    'node7:2211:2300 [0] NCCL INFO ncclCommInitRank comm 0x5612 rank 0 nranks 8 cudaDev 0 busId 7000 commId 0x12 - Init COMPLETE',
    '# Out of bounds values : 0 OK',
    'torch.cuda.is_available(): True',
    'CUDA used to build PyTorch: 12.4',
    'cuDNN version: Could not collect',
    'CUDA runtime version: 12.4.131',
    'nvcc: NVIDIA (R) Cuda compiler driver',
    'INFO 06-01 10:00:00 [gpu_executor.py:122] # GPU blocks: 27891, # CPU blocks: 2048',
    'INFO:     Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)',
    'Result = PASS',
    'deviceQuery, CUDA Driver = CUDART, CUDA Driver Version = 12.4, CUDA Runtime Version = 12.4, NumDevs = 1',
    'ggml_cuda_init: found 1 CUDA devices:',
    'llama_model_load: offloaded 33/33 layers to GPU',
    'Successfully built flash-attn',
    'Collecting nvidia-cudnn-cu12==9.1.0.70',
    'libcuda.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libcuda.so.1',
    'nvidia              56713216  412 nvidia_uvm,nvidia_modeset',
    '[    4.211873] nvidia: loading out-of-tree module taints kernel.',
    'NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024',
    'ok 12 - the reader returns an error for a truncated file',
    'Created device /job:localhost/replica:0/task:0/device:GPU:0 with 38387 MB memory:  -> device: 0, name: NVIDIA A100-SXM4-40GB',
    'Loaded cuDNN version 8902',
    'compute capability 8.0, 108 SMs, 40 GB',
    'PASSED test_cuda_out_of_range (0.02s)',
  ])('%s accuses nothing', (line) => {
    expect(accusing(line)).toEqual([]);
  });
});
