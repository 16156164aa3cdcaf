import { z } from 'zod';
import {
  cited,
  line,
  prose,
  note,
  version,
  dotted,
  capability,
  day,
  id,
  count,
  bool,
  list,
  range,
} from './schemas-shared.ts';
import type { RowSchemas } from './schemas-shared.ts';
import type * as cudnn from './cudnn.types.ts';
import type * as image from './images.types.ts';
import type * as nccl from './nccl.types.ts';
import type * as wheel from './wheels.types.ts';

const cudnnRange: z.ZodType<cudnn.CudnnRangeRow> = z.strictObject({
  range,
  builds: list(z.strictObject({ cudaMajor: count, minCuda: dotted.nullable(), maxCuda: dotted.nullable() })),
  minDriver: list(
    z.strictObject({
      cudaMajor: count,
      minSm: count.nullable(),
      linux: dotted,
      windows: dotted.nullable(),
      confirmed: bool,
    }),
  ),
  gpus: list(z.strictObject({ cudaMajor: count, minSm: count, maxSm: count.nullable() })),
  staticFor: note,
  note,
  ...cited,
});

const cudnnRelease: z.ZodType<cudnn.CudnnReleaseRow> = z.strictObject({
  version: dotted,
  seenBy: day.nullable(),
  cudaMajors: list(count).nullable(),
  note,
  ...cited,
});

const cudnnImage: z.ZodType<cudnn.CudnnImageRow> = z.strictObject({ image: line, cudnn: dotted, ...cited });
const cudnnBug: z.ZodType<cudnn.CudnnBugRow> = z.strictObject({
  range,
  what: prose,
  fixedIn: dotted.nullable(),
  ...cited,
});

const ncclRelease: z.ZodType<nccl.NcclReleaseRow> = z.strictObject({
  version: dotted,
  date: day,
  builtFor: list(z.strictObject({ cudaMajor: count, cuda: dotted.nullable() })).nullable(),
  usedBy: note,
  confirmedFields: z.strictObject({ builtFor: bool, date: bool }),
  ...cited,
});

const ncclArch: z.ZodType<nccl.NcclArchRow> = z.strictObject({
  range,
  cuda: range,
  sms: list(count),
  ptx: count.nullable(),
  note,
  ...cited,
});

const ncclGate: z.ZodType<nccl.NcclGateRow> = z.strictObject({
  id,
  feature: line,
  minDriverCuda: dotted.nullable(),
  minToolkit: dotted.nullable(),
  readAt: dotted,
  note,
  ...cited,
});

const ncclBug: z.ZodType<nccl.NcclBugRow> = z.strictObject({
  id,
  range,
  when: note,
  symptom: prose,
  workaround: prose,
  fixedIn: dotted.nullable(),
  ...cited,
});

const ncclBandwidth: z.ZodType<nccl.NcclBandwidthRow> = z.strictObject({
  id,
  platform: id,
  about: line,
  aliases: list(line),
  gpus: list(line),
  gpusPerNode: count.nullable(),
  nodesFrom: count,
  nodesTo: count.nullable(),
  collective: z.string().regex(/^[a-z_]{1,40}$/, 'not a collective: all_reduce'),
  kind: z.enum(['floor', 'target', 'measured', 'per-adapter']),
  adapterGbps: count.nullable(),
  bytes: z
    .int()
    .min(1)
    .max(2 ** 50),
  busbw: z.number().positive().max(1_000_000),
  tolerance: z.number().positive().max(1),
  note,
  ...cited,
});

const torchWheel: z.ZodType<wheel.TorchWheelRow> = z.strictObject({
  torch: dotted,
  released: day,
  variant: line,
  cuda: dotted,
  cudnn: dotted.nullable(),
  nccl: dotted.nullable(),
  archs: list(capability).nullable(),
  ptx: bool,
  archsAarch64: list(capability).nullable(),
  default: bool.nullable(),
  minDriverLinux: dotted,
  confirmedFields: z.strictObject({ archs: bool, pins: bool, default: bool }),
  note,
  ...cited,
});

const torchDefault: z.ZodType<wheel.TorchDefaultRow> = z.strictObject({ torch: dotted, cuda: dotted, ...cited });

const projectWheel: z.ZodType<wheel.ProjectWheelRow> = z.strictObject({
  project: line,
  range,
  variant: line.nullable(),
  packages: list(line),
  builtWith: line.nullable(),
  cuda: list(range),
  cudnn: range.nullable(),
  nccl: list(range),
  minDriverLinux: dotted.nullable(),
  minSm: count.nullable(),
  sms: list(line),
  note,
  ...cited,
});

const ngcTag: z.ZodType<image.NgcTagRow> = z.strictObject({
  tag: dotted,
  cuda: dotted,
  cudaBuild: dotted.nullable(),
  compatDriver: dotted.nullable(),
  mvcFloor: dotted,
  cudnn: dotted.nullable(),
  nccl: dotted.nullable(),
  driverText: note,
  onnxruntime: version.nullable(),
  tritonVariants: list(
    z.strictObject({
      variant: z.enum(['vllm', 'trtllm']),
      cuda: dotted,
      compatDriver: dotted.nullable(),
      vllm: line.nullable(),
      torch: line.nullable(),
      tensorrt: line.nullable(),
      trtllm: line.nullable(),
    }),
  ),
  confirmedFields: z.strictObject({ libraries: bool }),
  note,
  ...cited,
});

const ngcImage: z.ZodType<image.NgcImageRow> = z.strictObject({
  image: line,
  tag: line,
  cuda: dotted,
  cudnn: dotted.nullable(),
  nccl: dotted.nullable(),
  driverText: note,
  ...cited,
});

const requireCuda: z.ZodType<image.RequireCudaRow> = z.strictObject({
  imageVersion: version,
  arches: list(z.enum(['x86_64', 'arm64', 'ppc64le'])),
  os: list(line).nullable(),
  value: z.string().max(16_384).nullable(),
  branches: list(count).nullable(),
  verbatim: bool,
  note,
  ...cited,
});

const imageEnv: z.ZodType<image.ImageEnvRow> = z.strictObject({
  images: line,
  name: line,
  value: line,
  sinceMajor: count.nullable(),
  ...cited,
});

/** Shapes of the tables of libraries, wheels and images. */
export const librarySchemas: RowSchemas = {
  'cudnn-ranges': cudnnRange,
  'cudnn-releases': cudnnRelease,
  'cudnn-images': cudnnImage,
  'cudnn-bugs': cudnnBug,
  'nccl-releases': ncclRelease,
  'nccl-archs': ncclArch,
  'nccl-gates': ncclGate,
  'nccl-bugs': ncclBug,
  'nccl-bandwidth': ncclBandwidth,
  'torch-wheels': torchWheel,
  'torch-defaults': torchDefault,
  'project-wheels': projectWheel,
  'ngc-tags': ngcTag,
  'ngc-images': ngcImage,
  'require-cuda': requireCuda,
  'image-env': imageEnv,
};
