import type { OpenModuleRuleRow } from './branches.types.ts';

/** Rules about the open kernel module. */
export const openModuleRules: readonly OpenModuleRuleRow[] = [
  { id: 'needs-gsp', fromBranch: 515, what: 'The open module works through the GSP processor of the GPU, so Turing is the oldest it can drive.', confirmed: true, sources: ['driver-kernel-modules', 'open-kernel-modules'] },
  { id: 'no-open-before-turing', fromBranch: 515, what: 'An open module on a node with Maxwell, Pascal or Volta finds no GPU it can use.', confirmed: true, sources: ['driver-kernel-modules'] },
  { id: 'default', fromBranch: 560, what: 'Installers pick the open module where the GPU allows it.', confirmed: true, sources: ['driver-kernel-modules'] },
  { id: 'required', fromBranch: 570, what: 'Grace Hopper and Blackwell are driven by the open module only.', confirmed: true, sources: ['driver-kernel-modules'] },
  { id: 'gpu-operator', fromBranch: 570, what: 'The GPU Operator chooses the flavour itself since 25.3.0 (driver.kernelModuleType auto): open from branch 570 on, proprietary below.', confirmed: true, sources: ['gpu-operator-docs', 'driver-container'] },
  { id: 'gds', fromBranch: null, what: 'GPUDirect Storage under the GPU Operator needs the open module since 23.9.1.', confirmed: true, sources: ['gpu-operator-docs'] },
  { id: 'dma-buf', fromBranch: 515, what: 'GPUDirect RDMA through DMA-BUF needs the open module, Turing or newer, CUDA 11.7 and kernel 5.12. The older way, nvidia-peermem, works with either flavour but needs the vendor RDMA stack.', confirmed: true, sources: ['gpu-operator-docs', 'driver-kernel-modules'] },
  { id: 'vgpu', fromBranch: null, what: 'vGPU guests use the open module from Ada types on.', confirmed: false, sources: ['gpu-operator-docs'] },
  { id: 'only-flavour', fromBranch: 615, what: 'Branch 615 has no proprietary module, as far as one distribution shows.', confirmed: false, sources: ['amazon-linux-2023'] },
  { id: 'cdmm', fromBranch: 580, what: 'On Grace machines driver containers let the driver manage GPU memory (CDMM) from 580.65.06 on; MIG and GPUDirect Storage do not go together with it.', confirmed: true, sources: ['gpu-operator-docs', 'driver-support-615'] },
];
