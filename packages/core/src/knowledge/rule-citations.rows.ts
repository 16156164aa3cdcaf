import type { Citation } from './row.types.ts';

/** Documents that rules rest on, beside the sources of the tables. */
export const ruleCitations: readonly Citation[] = [
  { id: 'cuda-runtime-api', url: 'https://docs.nvidia.com/cuda/cuda-runtime-api/', title: 'CUDA Runtime API' },
  { id: 'cuda-programming-guide', url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/', title: 'CUDA C++ Programming Guide' },
  { id: 'pytorch-cuda-notes', url: 'https://pytorch.org/docs/stable/notes/cuda.html', title: 'PyTorch: CUDA semantics' },
  { id: 'pytorch-multiprocessing', url: 'https://pytorch.org/docs/stable/notes/multiprocessing.html', title: 'PyTorch: multiprocessing best practices' },
  { id: 'python-exceptions', url: 'https://docs.python.org/3/library/exceptions.html', title: 'Python: built-in exceptions' },
  { id: 'huggingface-hub-environment', url: 'https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables', title: 'Hugging Face Hub: environment variables' },
  { id: 'container-toolkit-docs', url: 'https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/', title: 'NVIDIA Container Toolkit documentation' },
  { id: 'k8s-device-plugin', url: 'https://github.com/NVIDIA/k8s-device-plugin', title: 'NVIDIA device plugin for Kubernetes' },
  { id: 'nccl-env', url: 'https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html', title: 'NCCL: environment variables' },
  { id: 'nccl-troubleshooting', url: 'https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html', title: 'NCCL: troubleshooting' },
];
