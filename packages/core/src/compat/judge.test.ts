import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { judge } from './judge.ts';
import { reverseText } from './matrix-text.ts';
import { readQuestion } from './read/read-question.ts';
import { reverse } from './reverse.ts';

type Row = readonly [text: string, answer: string, rule: string, error?: string];

/** Questions as they are typed, with what the published rules say. */
const table: Readonly<Record<string, readonly Row[]>> = {
  'floors, met exactly and missed by one': [
    ['CUDA 12.4 on driver 525.60.13, A100', 'runs-if', 'minor-version'],
    ['CUDA 12.4 on driver 525.60.11, A100', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 12.9 application, driver 525.85.12, H100', 'runs-if', 'minor-version'],
    ['CUDA 11.8 program, driver 450.80.02, A100', 'runs-if', 'minor-version'],
    ['CUDA 11.8 program, driver 450.51.06, A100', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 11.0 program, driver 450.51.05, A100', 'runs', 'backward'],
    ['CUDA 11.1 on 450.51.06 with T4', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 13.0 on 580.65.06 with H100', 'runs', 'backward'],
    ['CUDA 13.2 on 580.65.06 with H100', 'runs-if', 'minor-version'],
    ['CUDA 13.4 on 580.105.08, L4', 'runs-if', 'minor-version'],
    ['CUDA 13.0 on 575.57.08, L4', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 10.2 on driver 440.33.01 with V100', 'runs', 'backward'],
    ['CUDA 10.2 on driver 418.197.02 with T4', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 10.1 on driver 418.39 with V100', 'runs', 'backward'],
    ['CUDA 10.1 on driver 410.48 with V100', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 9.0 on driver 384.81 with V100', 'runs', 'backward'],
    ['CUDA 12.0 on 520.61.05, A100', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 12.6 on 470.256.02, A100', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 11.8 on 535.183.01, A100', 'runs', 'backward'],
    ['CUDA 12.8 on 570.26 with H100', 'runs', 'backward'],
    ['CUDA 12.7 program on driver 560.35.05, H100', 'runs-if', 'minor-version'],
    ['CUDA 12.6.3 on 560.28.03, A100', 'runs', 'backward'],
    ['program built with CUDA 11.4, driver 580.95.05, A100', 'runs', 'backward'],
  ],
  'developer builds for Vulkan': [
    ['CUDA 12.1 on driver 525.47.27, A100', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 12.0 on driver 525.47.04, A100', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 12.2 on driver 535.43.20, A100', 'runs', 'backward'],
    ['CUDA 12.4 on driver 535.43.20, A100', 'runs-if', 'minor-version'],
    ['CUDA 11.8 on driver 525.47.18, A100', 'runs', 'backward'],
    ['torch 2.5.1+cu124, A100, driver 525.47.11', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 12.8 on driver 570.123.14, H100', 'runs', 'backward'],
  ],
  'branches without a build': [
    ['CUDA 12.4 program on driver 525', 'cannot-tell', 'minimum-driver'],
    ['CUDA 12.4 program on driver 535', 'runs-if', 'minor-version'],
    ['CUDA 11.8 program on R525', 'runs', 'backward'],
    ['CUDA 13.0 program on driver 580', 'runs', 'backward'],
    ['CUDA 12.1 program on driver branch 520', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 11.4 program on R450', 'cannot-tell', 'minimum-driver'],
    ['torch 2.8.0+cu128 on R570 with H100', 'runs', 'backward'],
  ],
  'what nobody published': [
    ['CUDA 12.4 on driver 999.1 with A100', 'cannot-tell', 'gpu-driver-support'],
    ['CUDA 14.0 on driver 580.95.05 with H100', 'cannot-tell', 'minimum-driver'],
    ['CUDA 12.4 on driver 540.10 with A100', 'cannot-tell', 'gpu-driver-support'],
    ['driver 999.1 with A100', 'cannot-tell', 'gpu-driver-support'],
    ['torch 2.7.0+cu128 on driver 570.195.03 with RTX 7090', 'cannot-tell', 'gpu-driver-support'],
    ['CUDA 12.4 on 535.183.01 with H300', 'cannot-tell', 'gpu-driver-support'],
    ['torch 2.99.0+cu128 on driver 580.95.05 with H100', 'cannot-tell', 'binary-arch'],
    ['torch 2.99.0+cu130 on driver 535.183.01 with RTX 4090', 'does-not-run', 'minimum-driver', '35'],
    ['torch 2.5.1+cu128 on driver 580.95.05 with H100', 'cannot-tell', 'binary-arch'],
    ['CUDA 11.9 on driver 535.183.01, A100', 'cannot-tell', 'minimum-driver'],
    ['mycompany/app:3 on driver 535.183.01 with A100', 'cannot-tell', 'minimum-driver'],
    ['CUDA 12.4 with A100', 'cannot-tell', 'minimum-driver'],
    ['cuDNN 9.99.0 (cu12 build) in a CUDA 12.8 process on A100', 'cannot-tell', 'cudnn'],
    ['NCCL 2.99.1 (cu12 build) in a CUDA 12.8 process', 'cannot-tell', 'nccl'],
  ],
  'GPUs and branches': [
    ['H100 on driver 525.60.13', 'runs', 'gpu-driver-support'],
    ['H100 on driver 515.65.01', 'does-not-run', 'gpu-driver-support'],
    ['H100 on driver 520.61.05', 'cannot-tell', 'gpu-driver-support'],
    ['P100 on driver 580.95.05', 'runs', 'gpu-driver-support'],
    ['P40 on driver 590.48.01', 'does-not-run', 'gpu-driver-support'],
    ['GTX 980 on driver 595.58.03', 'does-not-run', 'gpu-driver-support'],
    ['K80 on driver 470.256.02', 'runs', 'gpu-driver-support'],
    ['K40 on driver 510.108.03', 'does-not-run', 'gpu-driver-support'],
    ['T4 on driver 610.57.04', 'runs', 'gpu-driver-support'],
    ['T4 on driver 390.157', 'does-not-run', 'gpu-driver-support'],
    ['RTX 3090 on driver 450.80.02', 'does-not-run', 'gpu-driver-support'],
    ['A100 on driver 450.80.02', 'runs', 'gpu-driver-support'],
    ['B200 on driver 570.133.20', 'runs', 'gpu-driver-support'],
    ['B300 on driver 570.195.03', 'does-not-run', 'gpu-driver-support'],
    ['B300 on driver 580.95.05', 'runs', 'gpu-driver-support'],
    ['RTX 5090 on driver 580.95.05', 'runs', 'gpu-driver-support'],
    ['RTX PRO 6000 Blackwell on driver 565.77', 'does-not-run', 'gpu-driver-support'],
    ['does R595 drive a Quadro RTX 8000', 'runs', 'gpu-driver-support'],
    ['NVIDIA H100 80GB HBM3 on driver 535.104.05', 'runs', 'gpu-driver-support'],
    ['NVIDIA A100-SXM4-40GB MIG 1g.5gb on driver 535.183.01', 'runs', 'gpu-driver-support'],
    ['GeForce RTX 4090 Laptop GPU on driver 535.183.01', 'runs', 'gpu-driver-support'],
    ['compute capability 7.0 on driver 595.58.03', 'does-not-run', 'gpu-driver-support'],
    ['Volta GPUs on driver 595.58.03', 'does-not-run', 'gpu-driver-support'],
    ['Jetson AGX Orin on driver 535.183.01', 'cannot-tell', 'gpu-driver-support'],
  ],
  'kernel module flavours': [
    ['H100 on driver 550.163.01 with the open kernel module', 'runs', 'module-flavour'],
    ['P100 on driver 550.163.01 with the open kernel module', 'does-not-run', 'module-flavour'],
    ['GTX 1080 on driver 570.195.03 with the proprietary kernel module', 'runs', 'module-flavour'],
    ['RTX 5090 on driver 570.195.03 with the proprietary kernel module', 'does-not-run', 'module-flavour'],
    ['GH200 on driver 570.195.03 with the proprietary kernel module', 'does-not-run', 'module-flavour'],
    ['GH200 on driver 570.195.03 with the open kernel module', 'runs', 'module-flavour'],
    ['B200 on driver 580.95.05, kernel module flavour unknown', 'runs-if', 'module-flavour'],
    ['A100 on driver 580.95.05, kernel module flavour unknown', 'runs', 'module-flavour'],
    ['torch 2.8.0+cu128 on B200, driver 580.95.05, proprietary kernel modules', 'does-not-run', 'module-flavour'],
    ['torch 2.8.0+cu128 on B200, driver 580.95.05, open kernel modules', 'runs', 'backward'],
    ['V100 on driver 470.256.02 with the open kernel module', 'cannot-tell', 'module-flavour'],
  ],
  wheels: [
    ['torch 2.7.0+cu128 on driver 570.195.03 with RTX 5090', 'runs', 'backward'],
    ['torch 2.7.1+cu126 on driver 570.195.03 with L40S', 'runs', 'backward'],
    ['torch==2.8.0+cu126 on 570.195.03, B200', 'does-not-run', 'binary-arch', '209'],
    ['torch 2.9.1+cu126, P100, driver 550.163.01', 'runs', 'minor-version'],
    ['torch 2.10.0+cu128 with V100 on driver 535.183.01', 'runs', 'minor-version'],
    ['torch 2.11.0+cu128, T4, driver 535.183.01', 'runs', 'minor-version'],
    ['torch 2.11.0+cu130, T4, driver 580.95.05', 'runs', 'backward'],
    ['torch 2.12.0+cu132 on driver 580.95.05 with A100', 'runs', 'minor-version'],
    ['torch 2.8.0 from PyPI on driver 535.183.01 with A100', 'runs', 'minor-version'],
    ['torch 2.12.0 from PyPI on driver 535.183.01 with RTX 3090', 'does-not-run', 'minimum-driver', '35'],
    ['torch 2.5.1 from PyPI on driver 525.147.05 with A10', 'runs', 'minor-version'],
    ['torch 2.5.1 on A100, driver 580.95.05', 'runs', 'backward'],
    ['torch 2.8.0 on B200, driver 570.195.03', 'cannot-tell', 'binary-arch'],
    ['torch 2.5.1+cpu on V100 with driver 535.183.01', 'does-not-run', 'cpu-only'],
    ['torch 1.13.1+cu117 on driver 470.256.02 with RTX 3090', 'runs', 'minor-version'],
    ['torch 1.12.1+cu102 on driver 470.256.02 with A100', 'does-not-run', 'binary-arch', '209'],
    ['torch 2.4.1+cu124 for aarch64 on GH200, driver 550.163.01', 'runs', 'backward'],
    ['torch 2.9.0+cu128 (aarch64) on A10, driver 580.95.05', 'runs', 'backward'],
    ['torch 2.3.1+cu121 on GTX 1080 Ti, driver 535.183.01', 'runs', 'backward'],
    ['torch 2.3.1+cu121 on K80, driver 470.256.02', 'does-not-run', 'minimum-driver', '35'],
    ['torch 2.6.0+cu124 on H100, driver 535.183.01', 'runs-if', 'minor-version'],
    ['jax[cuda12] 0.7.2 on driver 535.183.01 with A100', 'runs-if', 'minor-version'],
    ['jax[cuda13] 0.8.0 on driver 570.195.03 with RTX 4090', 'does-not-run', 'minimum-driver', '35'],
    ['jax[cuda13] 0.8.0 on driver 580.95.05 with V100', 'does-not-run', 'binary-arch', '209'],
    ['jax[cuda13] 0.8.0 on driver 580.95.05 with H100', 'runs', 'backward'],
    ['tensorflow 2.18.0 on driver 555.58.02 with A100', 'runs', 'backward'],
    ['tensorflow 2.15.0 on driver 470.256.02 with A100', 'does-not-run', 'minimum-driver', '35'],
    ['tensorflow 2.10 on driver 450.51.06 with V100', 'does-not-run', 'minimum-driver', '35'],
    ['cupy-cuda12x 13.6.0 on driver 580.95.05 with A100', 'runs', 'backward'],
    ['cupy-cuda11x 13.6.0 on driver 470.256.02 with V100', 'runs-if', 'minor-version'],
    ['vllm 0.10.0 on driver 580.95.05 with P100', 'does-not-run', 'binary-arch', '209'],
    ['vllm 0.10.0 on driver 575.57.08 with H100', 'runs', 'backward'],
  ],
  'code in a binary': [
    ['binary with sm_80 (CUDA 12.4) on RTX 4090, driver 550.163.01', 'runs', 'binary-arch'],
    ['binary with sm_89 (CUDA 12.4) on RTX 3090, driver 550.163.01', 'does-not-run', 'binary-arch', '209'],
    ['binary with sm_70 (CUDA 12.4) on T4, driver 550.163.01', 'runs', 'binary-arch'],
    ['binary with sm_90 (CUDA 12.8) on B200, driver 570.195.03', 'does-not-run', 'binary-arch', '209'],
    ['binary with sm_90a (CUDA 12.4) on H200, driver 550.163.01', 'runs', 'binary-arch'],
    ['binary with sm_100f (CUDA 12.9) on RTX 5090, driver 580.95.05', 'does-not-run', 'binary-arch', '209'],
    ['binary with sm_103f (CUDA 12.9) on B200, driver 580.95.05', 'does-not-run', 'binary-arch', '209'],
    ['binary with sm_120 (CUDA 12.8) on RTX PRO 6000 Blackwell, driver 580.95.05', 'runs', 'binary-arch'],
    ['binary with sm_120f (CUDA 12.9) on compute capability 12.1, driver 580.95.05', 'runs', 'binary-arch'],
    ['binary with compute_90 PTX (CUDA 12.4) on B200, driver 570.195.03', 'runs', 'ptx-jit'],
    ['binary with compute_90a PTX (CUDA 12.4) on B200, driver 570.195.03', 'does-not-run', 'binary-arch', '209'],
    ['binary with compute_90 PTX (CUDA 12.8) on H100, driver 535.183.01', 'does-not-run', 'ptx-jit', '222'],
    ['binary with compute_90 PTX (CUDA 12.4) on A100, driver 550.163.01', 'does-not-run', 'binary-arch', '209'],
    ['binary with sm_90 + compute_90 PTX (CUDA 12.8) on H100, driver 535.183.01', 'runs', 'minor-version'],
    ['binary with sm_80 (CUDA 12.4) on driver 550.163.01', 'cannot-tell', 'binary-arch'],
    ['binary with sm_120 (CUDA 12.4) on RTX 5090, driver 580.95.05', 'cannot-tell', 'binary-arch'],
    ['binary with sm_90 (CUDA 13.0) on H100, driver 570.195.03', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 13.1 program on GTX 1080, driver 580.95.05', 'does-not-run', 'binary-arch', '209'],
    ['own program built with CUDA 11.8 on RTX 5090, driver 580.95.05', 'runs-if', 'ptx-jit'],
    ['own program built with CUDA 11.4 on L40S, driver 535.183.01', 'runs', 'backward'],
    [
      'CUDA 12.8 program that calls a function introduced with the 12.6 driver, on 550.163.01 with A100',
      'does-not-run',
      'minor-version',
      '36',
    ],
    ['CUDA 12.8 program that uses an API that only 12.8 drivers have, on 570.195.03 with A100', 'runs', 'backward'],
  ],
  'compat packages': [
    ['CUDA 13.4 program with cuda-compat-13-4 on driver 535.183.01, H100', 'runs', 'forward-compat'],
    ['CUDA 12.9 program with cuda-compat-12-9 on driver 570.195.03, A100', 'runs', 'forward-compat'],
    ['CUDA 13.0 program with cuda-compat-13-0 on driver 590.48.01, A100', 'does-not-run', 'forward-compat', '803'],
    ['CUDA 12.4 program with cuda-compat-12-4 on driver 535.183.01, T4', 'runs', 'forward-compat'],
    ['CUDA 12.4 program with cuda-compat-12-4 on driver 535.183.01, RTX 3090', 'does-not-run', 'forward-compat', '804'],
    [
      'CUDA 13.0 program with cuda-compat-13-0 on driver 535.183.01, TITAN RTX',
      'does-not-run',
      'forward-compat',
      '804',
    ],
    ['CUDA 13.0 program with cuda-compat-13-0 on driver 535.183.01, RTX 6000 Ada', 'cannot-tell', 'forward-compat'],
    ['CUDA 13.0 program with cuda-compat-13-0 on driver 545.23.08, A100', 'does-not-run', 'forward-compat', '803'],
    ['CUDA 13.1 program with cuda-compat-13-1 on driver 550.163.01, A100', 'cannot-tell', 'forward-compat'],
    ['CUDA 11.8 program with cuda-compat-11-8 on driver 470.256.02, V100', 'runs', 'forward-compat'],
    ['CUDA 11.8 program with cuda-compat-11-8 on driver 460.32.03, V100', 'does-not-run', 'forward-compat', '803'],
    ['CUDA 13.0 program with cuda-compat-12-8 on driver 535.183.01, A100', 'does-not-run', 'minimum-driver', '35'],
    ['CUDA 12.9 program with cuda-compat-12-8 on driver 535.183.01, A100', 'runs-if', 'minor-version'],
    ['torch 2.12.0+cu130 with cuda-compat-13-0 on LD_LIBRARY_PATH, driver 570.195.03, L4', 'runs', 'forward-compat'],
    [
      'torch 2.9.1+cu130 with cuda-compat-13-0 on LD_LIBRARY_PATH, driver 535.183.01, V100',
      'does-not-run',
      'binary-arch',
      '209',
    ],
    ['CUDA 13.0 program with cuda-compat-13-0 on driver 535.183.01', 'cannot-tell', 'forward-compat'],
    ['CUDA 12.8 program, driver 535.183.01, A100, no compat libraries', 'runs-if', 'minor-version'],
    ['CUDA 13.5 program with cuda-compat-13-5 on driver 580.95.05, H100', 'cannot-tell', 'forward-compat'],
  ],
  images: [
    ['nvcr.io/nvidia/pytorch:25.08-py3 on driver 570.195.03 with H100', 'runs', 'forward-compat'],
    ['nvcr.io/nvidia/pytorch:25.08-py3 on driver 570.195.03 with RTX 4090', 'does-not-run', 'minimum-driver', '35'],
    ['nvcr.io/nvidia/pytorch:25.08-py3 on driver 580.95.05 with RTX 4090', 'runs', 'backward'],
    [
      'nvcr.io/nvidia/pytorch:25.01-py3 on driver 535.183.01 with A100, entrypoint replaced',
      'runs-if',
      'minor-version',
    ],
    ['nvcr.io/nvidia/tritonserver:25.12-py3 on driver 535.183.01 with L40S', 'runs', 'forward-compat'],
    ['nvcr.io/nvidia/pytorch:99.01-py3 on driver 535.183.01 with A100', 'cannot-tell', 'minimum-driver'],
    [
      'nvidia/cuda:12.4.1-base-ubuntu22.04 on driver 535.183.01 with RTX 3090, container toolkit 1.17.4, legacy mode',
      'runs-if',
      'minor-version',
    ],
    [
      'nvidia/cuda:12.4.1-base-ubuntu22.04 on driver 520.61.05 with A100, container toolkit 1.17.8, legacy mode',
      'does-not-run',
      'image-requirement',
    ],
    [
      'nvidia/cuda:12.6.3-base-ubuntu22.04 on driver 535.183.01 with RTX 3090, container toolkit 1.17.4, cdi mode',
      'runs-if',
      'minor-version',
    ],
    ['nvidia/cuda:12.6.3-base-ubuntu22.04 on driver 535.183.01 with RTX 3090', 'cannot-tell', 'image-requirement'],
    ['nvidia/cuda:12.6.3-base-ubuntu22.04 on driver 560.35.05 with RTX 3090', 'runs', 'backward'],
    [
      'nvidia/cuda:12.6.3-base-ubuntu22.04 on driver 535.183.01 with RTX 3090, container toolkit 1.17.4, legacy mode, NVIDIA_DISABLE_REQUIRE=1',
      'runs-if',
      'minor-version',
    ],
    [
      'nvidia/cuda:12.6.3-base-ubuntu22.04 on driver 535.183.01 with A100, container toolkit 1.18.1, jit-cdi mode',
      'runs',
      'forward-compat',
    ],
    [
      'nvidia/cuda:13.0.1-base-ubuntu24.04 on driver 570.195.03 with H100, container toolkit 1.20.0, jit-cdi mode',
      'runs',
      'forward-compat',
    ],
    [
      'nvidia/cuda:13.0.1-base-ubuntu24.04 on driver 570.195.03 with H100, container toolkit 1.17.4, cdi mode',
      'does-not-run',
      'minimum-driver',
      '35',
    ],
    [
      'nvidia/cuda:13.0.1-base-ubuntu24.04 on driver 565.77 with H100, container toolkit 1.20.0, jit-cdi mode',
      'does-not-run',
      'forward-compat',
    ],
    [
      'own image with ENV CUDA_VERSION=12.4.1, driver 535.183.01, A100, container toolkit 1.18.1 in jit-cdi mode',
      'runs-if',
      'minor-version',
    ],
    [
      'own image with ENV NVIDIA_REQUIRE_CUDA="cuda>=12.8 driver>=535,driver<536" CUDA_VERSION=12.8.0, driver 535.183.01, A100, container toolkit 1.17.8 in legacy mode',
      'runs-if',
      'minor-version',
    ],
    [
      'own image with ENV NVIDIA_REQUIRE_CUDA=cuda>=12.8 CUDA_VERSION=12.8.0, driver 535.183.01, A100, container toolkit 1.17.8 in legacy mode',
      'does-not-run',
      'image-requirement',
    ],
    ['pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime on driver 535.183.01 with A100', 'runs', 'minor-version'],
    [
      'pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime on driver 570.195.03 with B200',
      'does-not-run',
      'binary-arch',
      '209',
    ],
  ],
  'cuDNN and NCCL': [
    ['cuDNN 9.1.0.70 (cu12 build) in a CUDA 12.4 process on H100', 'runs', 'cudnn'],
    ['cuDNN 9.5.1.17 (cu12 build) in a CUDA 12.6 process on B200', 'does-not-run', 'cudnn'],
    ['cuDNN 9.12.0.46 (cu13 build) in a CUDA 13.0 process', 'runs', 'cudnn'],
    ['cuDNN 9.11.0.98 (cu13 build) in a CUDA 13.0 process', 'does-not-run', 'cudnn'],
    ['cuDNN 9.10.2.21 (cu11 build) in a CUDA 12.6 process', 'does-not-run', 'cudnn'],
    ['cuDNN 9.17.0.29 (cu13 build) in a CUDA 13.0 process on A100, driver 570.195.03', 'does-not-run', 'cudnn', '35'],
    ['cuDNN 9.14.0.64 (cu12 build) in a CUDA 12.8 process on V100', 'cannot-tell', 'cudnn'],
    ['cuDNN 9.20.0.48 (cu12 build) in a CUDA 12.8 process on V100', 'does-not-run', 'cudnn'],
    ['tensorflow 2.18.0 with cuDNN 9.1.0', 'does-not-run', 'cudnn'],
    ['tensorflow 2.18.0 with cuDNN 9.5.1', 'runs', 'cudnn'],
    ['tensorflow 2.16.1 with only cuDNN 8.9.7 installed', 'runs', 'cudnn'],
    ['onnxruntime-gpu 1.20.0 with only cuDNN 8.9.7 installed', 'does-not-run', 'cudnn'],
    ['NCCL 2.27.3 (cu12 build) in a CUDA 12.8 process, driver 535.183.01, A100', 'runs', 'nccl'],
    ['NCCL 2.27.3 (cu12 build) in a CUDA 12.8 process, driver 470.256.02, A100', 'does-not-run', 'nccl', '35'],
    ['NCCL 2.23.4 (cu11 build) in a CUDA 11.8 process', 'does-not-run', 'nccl'],
    ['NCCL 2.28.9 (cu13 build) in a CUDA 13.0 process, driver 580.95.05, H100', 'runs', 'nccl'],
    ['NCCL 2.26.5 on an H100 NVSwitch node, driver 535.183.01, CUDA 12.6', 'runs', 'nccl'],
    ['NCCL 2.26.2 (cu12) in a CUDA 12.6 process on A100, driver 535.183.01', 'runs', 'nccl'],
  ],
  Windows: [
    ['toolkit 12.6 + driver 528.33 on Windows', 'runs-if', 'minor-version'],
    ['toolkit 12.6 + driver 527.27 on Windows', 'does-not-run', 'minimum-driver', '35'],
    ['toolkit 12.2 + driver 537.13 on Windows', 'runs', 'backward'],
    ['toolkit 11.8 + driver 522.06 on Windows', 'runs', 'backward'],
    ['CUDA 13.0 with driver 581.57 on Windows, RTX 4090', 'runs', 'backward'],
    ['CUDA 12.4 on WSL2 with driver 551.61, RTX 3080', 'runs', 'backward'],
  ],
};

const all = Object.entries(table);

describe.each(all)('judge: %s', (_name, rows) => {
  it.each(rows.map((row) => [row[0], row] as const))('%s', (_text, [text, answer, rule, error]) => {
    const read = readQuestion(text, defaultKnowledge);
    const judgement = judge(read.question, defaultKnowledge);
    expect(
      [judgement.answer, judgement.rule, error === undefined ? undefined : judgement.errorSeen],
      `${JSON.stringify(read)} ${judgement.message}`,
    ).toEqual([answer, rule, error]);
    expect(read.unread).toEqual([]);
  });
});

describe('a newer driver', () => {
  const order = ['does-not-run', 'cannot-tell', 'runs-if', 'runs'];
  it.each(['A100', 'T4', 'H100', 'RTX 4090'])('never makes a program worse on %s', (gpu) => {
    for (const toolkit of ['10.2', '11.4', '11.8', '12.0', '12.4', '12.8', '13.0', '13.2']) {
      let best = -1;
      for (const row of defaultKnowledge.branches) {
        if (row.lastKnown === null || row.branch < 525) continue;
        const { answer } = judge({ toolkit, gpu, driver: row.lastKnown }, defaultKnowledge);
        const rank = order.indexOf(answer);
        expect(rank, `${toolkit} on ${row.lastKnown}: ${answer}`).toBeGreaterThanOrEqual(best);
        best = rank;
      }
    }
  });
});

describe('every judgement', () => {
  const texts = all.flatMap(([, rows]) => rows.map(([text]) => text));
  const judgements = texts.map((text) => judge(readQuestion(text, defaultKnowledge).question, defaultKnowledge));

  it('shows clauses whose sources are known', () => {
    const known = new Set(defaultKnowledge.citations.map((one) => one.id));
    for (const judgement of judgements) {
      for (const clause of judgement.clauses) for (const id of clause.restsOn) expect(known, id).toContain(id);
    }
  });

  it('says what is needed where it does not run, and what is missing where it cannot tell', () => {
    for (const judgement of judgements) {
      if (judgement.answer === 'does-not-run') expect(judgement.needs, judgement.message).not.toBeNull();
      if (judgement.answer === 'cannot-tell') expect(judgement.unknown.length, judgement.message).toBeGreaterThan(0);
      if (judgement.answer === 'runs-if') expect(judgement.conditions.length).toBeGreaterThan(0);
    }
  });

  it('answers runs only when no deciding clause is missing or fails', () => {
    for (const judgement of judgements) {
      if (judgement.answer !== 'runs') continue;
      expect(judgement.clauses.filter((clause) => clause.holds === null)).toEqual([]);
    }
  });

  it.each([
    ['cuda '.repeat(800)],
    ['driver newer older newer driver '.repeat(200)],
    ['ptx newer toolkit every minor cuda needs driver '.repeat(120)],
    ['remove call function feature driver library kernel module compat '.repeat(100)],
    ['every all each any container image mode starts proves '.repeat(100)],
    ['nvidia-smi '.repeat(500)],
    ['a/'.repeat(2000)],
    ['-'.repeat(4000)],
    ['535.'.repeat(1000)],
    ['.'.repeat(4000)],
    ['sm_90 compute_90 '.repeat(300)],
  ])('is quick on hostile text %#', (text) => {
    const start = performance.now();
    judge(readQuestion(text, defaultKnowledge).question, defaultKnowledge);
    judge({ claim: text }, defaultKnowledge);
    expect(performance.now() - start).toBeLessThan(15_000);
  });

  it('never throws on broken text', () => {
    const words = fc.constantFrom(...texts.flatMap((text) => text.split(' ')).filter((word) => word !== ''));
    const broken = fc.oneof(
      fc.array(words, { maxLength: 30 }).map((list) => list.join(' ')),
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('cuda '.repeat(5000), '('.repeat(9000), '12.4'.repeat(3000), 'sm_'.repeat(4000)),
    );
    fc.assert(
      fc.property(broken, (text) => {
        const { question } = readQuestion(text, defaultKnowledge);
        expect(judge(question, defaultKnowledge).schema).toBe('culprit/judgement@1');
        expect(judge({ claim: text }, defaultKnowledge).rule).toBe('claim');
      }),
      { numRuns: 300 },
    );
  });
});

describe('a floor of a CUDA major', () => {
  it('follows the table of majors, so that this table alone can be replaced', () => {
    const question = { toolkit: '12.4', driver: '525.60.13', gpu: 'A100' };
    const raised = {
      ...defaultKnowledge,
      minorVersion: defaultKnowledge.minorVersion.map((row) =>
        row.major === 12 ? { ...row, minDriverLinux: '530.30.02' } : row,
      ),
    };
    expect(judge(question, defaultKnowledge).rule).toBe('minor-version');
    expect(judge(question, raised).answer).toBe('does-not-run');
  });
});

describe('what runs on a host', () => {
  it('is the newest toolkit and torch, and what runs on a condition, in the first line', () => {
    const [head] = reverseText(reverse({ driver: '535.104.05', gpu: 'H100' }, defaultKnowledge)).split('\n');
    expect(head).toMatch(
      /^the newest that run on driver 535\.104\.05, H100: CUDA 12\.2, CUDA 12\.9 on a condition; torch \S+ cu126$/,
    );
  });

  it('is nothing where the driver does not drive the GPU', () => {
    const [head] = reverseText(reverse({ driver: '470.256.02', gpu: 'B200' }, defaultKnowledge)).split('\n');
    expect(head).toMatch(/^nothing runs on driver 470\.256\.02, B200: B200 \(10\.0\) is driven from R570 on/);
  });

  it('is not told without a driver; what runs on none is', () => {
    const text = reverseText(reverse({ gpu: 'H100' }, defaultKnowledge));
    expect(text.split('\n')[0]).toMatch(/^cannot tell what runs on H100 without its driver: --driver /);
    expect(text).not.toMatch(/^ {2}cannot-tell/m);
    expect(text).toMatch(/^ {2}does-not-run, binary-arch: /m);
  });
});

describe('what runs on a host of a name that no table knows', () => {
  it.each([{ gpu: 'XYZ9' }, { driver: '999' }])('%j: says so first and lists nothing', (host) => {
    const text = reverseText(reverse(host, defaultKnowledge));
    expect(text.split('\n')[0]).toMatch(/^cannot tell: .*(?:XYZ9|R999)/);
    expect(text).not.toContain('toolkits:');
  });
});
