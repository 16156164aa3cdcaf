// Which shared library belongs to what: the parts of a CUDA toolkit, what is released apart from it, and what comes
// with the driver and is put into a container by the runtime (CUDA installation guide, driver README, chapter
// "Installed Components").

export interface PartRow {
  /** Name in reports: `cublas`. */
  readonly name: string;
  /** File name up to `.so`. */
  readonly stem: string;
  readonly ships: 'toolkit' | 'apart' | 'driver';
  /** Name of the component in version.json; null where it has none. */
  readonly component: string | null;
}

/** Libraries by what they come with. */
export const parts: readonly PartRow[] = [
  { name: 'cudart', stem: 'libcudart', ships: 'toolkit', component: 'cuda_cudart' },
  { name: 'nvrtc', stem: 'libnvrtc', ships: 'toolkit', component: 'cuda_nvrtc' },
  { name: 'nvjitlink', stem: 'libnvJitLink', ships: 'toolkit', component: 'libnvjitlink' },
  { name: 'cublas', stem: 'libcublas', ships: 'toolkit', component: 'libcublas' },
  { name: 'cublaslt', stem: 'libcublasLt', ships: 'toolkit', component: 'libcublas' },
  { name: 'cufft', stem: 'libcufft', ships: 'toolkit', component: 'libcufft' },
  { name: 'cufile', stem: 'libcufile', ships: 'toolkit', component: 'libcufile' },
  { name: 'curand', stem: 'libcurand', ships: 'toolkit', component: 'libcurand' },
  { name: 'cusolver', stem: 'libcusolver', ships: 'toolkit', component: 'libcusolver' },
  { name: 'cusparse', stem: 'libcusparse', ships: 'toolkit', component: 'libcusparse' },
  { name: 'cupti', stem: 'libcupti', ships: 'toolkit', component: 'cuda_cupti' },
  { name: 'npp', stem: 'libnppc', ships: 'toolkit', component: 'libnpp' },
  { name: 'nvjpeg', stem: 'libnvjpeg', ships: 'toolkit', component: 'libnvjpeg' },
  { name: 'cudnn', stem: 'libcudnn', ships: 'apart', component: null },
  { name: 'nccl', stem: 'libnccl', ships: 'apart', component: null },
  { name: 'cusparselt', stem: 'libcusparseLt', ships: 'apart', component: null },
  { name: 'cutensor', stem: 'libcutensor', ships: 'apart', component: null },
  { name: 'nvshmem', stem: 'libnvshmem_host', ships: 'apart', component: null },
  { name: 'tensorrt', stem: 'libnvinfer', ships: 'apart', component: null },
  { name: 'ucx', stem: 'libucp', ships: 'apart', component: null },
  { name: 'openmpi', stem: 'libmpi', ships: 'apart', component: null },
  { name: 'cuda-driver', stem: 'libcuda', ships: 'driver', component: null },
  { name: 'nvml', stem: 'libnvidia-ml', ships: 'driver', component: null },
  { name: 'ptxjitcompiler', stem: 'libnvidia-ptxjitcompiler', ships: 'driver', component: null },
  { name: 'nvvm-driver', stem: 'libnvidia-nvvm', ships: 'driver', component: null },
  { name: 'cuda-debugger', stem: 'libcudadebugger', ships: 'driver', component: null },
  { name: 'opencl-driver', stem: 'libnvidia-opencl', ships: 'driver', component: null },
  { name: 'nvenc', stem: 'libnvidia-encode', ships: 'driver', component: null },
  { name: 'nvdec', stem: 'libnvcuvid', ships: 'driver', component: null },
];
