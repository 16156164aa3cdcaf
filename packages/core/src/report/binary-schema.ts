import { z } from 'zod';
import type { BinaryReport } from '../binary/report.ts';

const orNull = z.string().nullable();
const count = z.int().min(0);
const countOrNull = count.nullable().describe('null: the file does not say');

const sass = z.array(z.string()).describe('machine code, each architecture once, ascending: sm_80, sm_90a');
const ptx = z.array(z.string()).describe('PTX, each once, ascending: compute_90');
const shape = z.tuple([count, count, count]);

const library = z
  .strictObject({ name: z.string(), version: orNull.describe('null: neither the file nor those beside it tell') })
  .nullable()
  .describe('the CUDA library that it is, by SONAME or name');

const entry = z
  .strictObject({
    kind: z.enum(['cubin', 'ptx', 'lto']),
    arch: z.string(),
    isa: orNull.describe('PTX ISA version'),
    compression: z.enum(['none', 'lz4', 'zstd', 'other']),
    bytes: count.describe('in the file, padding included'),
    uncompressedBytes: count,
  })
  .meta({ id: 'code-entry', description: 'one piece of GPU code' });

const kernel = z
  .strictObject({
    name: z.string().describe('the symbol'),
    demangled: z.string(),
    arch: z.string(),
    registers: countOrNull,
    staticSharedBytes: countOrNull,
    constantBytes: countOrNull,
    localBytes: countOrNull,
    barriers: countOrNull,
    maxThreads: countOrNull,
    requiredThreads: shape.optional(),
    cluster: shape.optional(),
    parameterBytes: count.optional(),
    registerCap: count.optional(),
    stackBytes: count.optional(),
  })
  .meta({ id: 'kernel', description: 'one kernel for one architecture' });

const answer = z
  .strictObject({
    gpu: z.string(),
    computeCapability: z.string(),
    answer: z.enum(['runs', 'runs-if', 'does-not-run', 'cannot-tell']),
    code: z
      .enum(['sass', 'ptx'])
      .nullable()
      .describe('what the driver takes; null: nothing fits, or it cannot be told'),
    target: orNull.describe('sm_90, compute_80'),
    driver: orNull.describe('lowest driver that serves it; a bare branch stands for all of it'),
    message: z.string(),
    errorSeen: orNull.describe('digits are a CUDA error code'),
    restsOn: z.array(z.string()).describe('citation ids'),
  })
  .nullable()
  .describe('the answer to --on; null without it, and where there is no kernel');

const file = z
  .strictObject({
    path: z.string(),
    kind: z.enum(['elf', 'cubin', 'fatbin', 'archive', 'wheel', 'ptx']),
    machine: z.enum(['x86_64', 'aarch64', 'ppc64le', 'i386', 'other']).nullable(),
    soname: orNull,
    needed: z.array(z.string()),
    rpath: z.array(z.string()),
    runpath: z.array(z.string()),
    glibc: orNull.describe('lowest glibc that has every symbol version it needs'),
    symbolVersions: z.array(z.strictObject({ library: z.string(), versions: z.array(z.string()) })),
    library,
    embedded: z
      .array(z.strictObject({ name: z.string(), version: orNull }))
      .describe('libraries that are linked into the file: cudart, nccl'),
    libcuda: z
      .strictObject({
        stub: z.boolean(),
        version: orNull,
        cuda: orNull,
        note: z
          .strictObject({ cuda: orNull, drivers: z.array(z.int()), text: z.string() })
          .nullable()
          .describe('.note.cuda.fwd_compatibility'),
      })
      .nullable(),
    toolkit: orNull.describe('CUDA version of the toolkit that made the code'),
    code: z.strictObject({
      sass,
      ptx,
      lto: z.array(z.string()).optional().describe('intermediate code for link-time optimisation'),
      entries: z.array(entry),
    }),
    kernels: z.array(kernel).nullable().describe('null: not asked for, and too large to be read unasked'),
    answer,
    members: z
      .array(z.strictObject({ path: z.string(), soname: orNull, glibc: orNull, library, sass, ptx }))
      .optional()
      .describe('files in an archive or wheel'),
  })
  .meta({ id: 'binary-file' });

/** `culprit/binary@1` */
export const binarySchema: z.ZodType<BinaryReport> = z
  .strictObject({
    schema: z.literal('culprit/binary@1'),
    files: z.array(file),
    unread: z
      .array(z.strictObject({ path: z.string(), offset: count, reason: z.string() }))
      .describe('files and places that could not be read'),
  })
  .describe('the GPU code and versions of files') as unknown as z.ZodType<BinaryReport>;
