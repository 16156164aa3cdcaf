// Writes traces as PyTorch's profiler does, of any size: one step after the other, with calls, kernels, flows, operators
// and Python functions in the shares of a training with stacks recorded.
import { closeSync, openSync, writeSync } from 'node:fs';

const functors = [
  'FillFunctor<float>',
  'CUDAFunctor_add<float>',
  'BinaryFunctor<float, float, float, MulFunctor<float> >',
];
const kernels = Array.from({ length: 48 }, (_, at) =>
  at % 3 === 0
    ? `sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize${32 * (1 + (at % 4))}x128x64_stage${at}_warpsize2x2x1_tensor16x8x16_kernel`
    : `void at::native::vectorized_elementwise_kernel<${at}, at::native::${functors[at % 3]}, at::detail::Array<char*, 3> >(int, at::native::${functors[at % 3]}, at::detail::Array<char*, 3>)`,
);

const head = `{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85045280768,
      "computeMajor": 9, "computeMinor": 0, "warpSize": 32, "numSms": 132
    }
  ],
  "cuda_runtime_version": 12060,
  "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8, "pg_count": 1, "nccl_version": "2.21.5"},
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1756713600000000000,
  "traceEvents": [
`;

/**
 * @param file where to
 * @param bytes at least so many
 * @returns how many kernels are in it
 */
export function writeKineto(file, bytes) {
  const out = openSync(file, 'w');
  let written = writeSync(out, head);
  let launches = 0;
  let cpu = 1000;
  let gpu = 1200;
  let id = 1;
  for (let step = 0; written < bytes; step++) {
    const events = [];
    const begun = cpu;
    for (let at = 0; at < 400; at++) {
      const name = kernels[(at * 7 + step) % kernels.length];
      const correlation = ++launches;
      events.push(
        `  {\n    "ph": "X", "cat": "python_function", "name": "torch/nn/modules/module.py(1747): _call_impl", "pid": 7001, "tid": 7001,\n    "ts": ${cpu.toFixed(3)}, "dur": 19.250,\n    "args": {\n      "Python parent id": ${id}, "Python id": ${++id}, "Ev Idx": ${id}\n    }\n  }`,
        `  {\n    "ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 7001, "tid": 7001,\n    "ts": ${(cpu + 1).toFixed(3)}, "dur": 14.500,\n    "args": {\n      "External id": ${correlation},"Record function id": 0, "Concrete Inputs": ["", "", ""], "Input type": ["c10::Half", "c10::Half", "c10::Half"], "Input Strides": [[4096, 1], [4096, 1], [1]], "Input Dims": [[128, 4096], [4096, 4096], [4096]], "Ev Idx": ${++id}\n    }\n  }`,
        `  {\n    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7001, "tid": 7001,\n    "ts": ${(cpu + 4).toFixed(3)}, "dur": 4.125,\n    "args": {\n      "External id": ${correlation}, "cbid": 211, "correlation": ${correlation}\n    }\n  }`,
        `  {\n    "ph": "s", "id": ${correlation}, "pid": 7001, "tid": 7001, "ts": ${(cpu + 4).toFixed(3)},\n    "cat": "ac2g", "name": "ac2g"\n  }`,
      );
      cpu += 20.125;
      gpu = Math.max(gpu, cpu);
      events.push(
        `  {\n    "ph": "X", "cat": "kernel", "name": "${name}", "pid": 0, "tid": 7,\n    "ts": ${gpu.toFixed(3)}, "dur": 16.375,\n    "args": {\n      "External id": ${correlation}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": ${correlation}, "registers per thread": 32, "shared memory": 16384, "blocks per SM": 7.757576, "warps per SM": 31.030304, "grid": [${1024 + at}, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 48\n    }\n  }`,
        `  {\n    "ph": "f", "id": ${correlation}, "pid": 0, "tid": 7, "ts": ${gpu.toFixed(3)},\n    "cat": "ac2g", "name": "ac2g", "bp": "e"\n  }`,
      );
      gpu += 18.5;
    }
    events.push(
      `  {\n    "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#${step}", "pid": 7001, "tid": 7001,\n    "ts": ${begun.toFixed(3)}, "dur": ${(cpu - begun).toFixed(3)},\n    "args": {\n      "External id": ${++id}, "Ev Idx": ${id}\n    }\n  }`,
    );
    written += writeSync(out, `${step === 0 ? '' : ',\n'}${events.join(',\n')}`);
  }
  writeSync(out, '\n  ],\n  "traceName": "rank0.pt.trace.json"\n}\n');
  closeSync(out);
  return launches;
}
