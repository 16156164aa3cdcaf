import type { CompatFeatureRow } from './forward-compat.types.ts';

/** What works while a compat libcuda is in use. */
export const compatFeatures: readonly CompatFeatureRow[] = [
  { id: 'interop', feature: 'OpenGL and Vulkan interoperation', withCompat: 'no', note: 'In the packages of 11.x, 12.x and 13.x alike.', confirmed: true, sources: ['cuda-forward-compat'] },
  { id: 'virtual-memory', feature: 'virtual memory management (cuMemMap)', withCompat: 'yes', note: 'Ask the device attributes VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED and HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED.', confirmed: true, sources: ['cuda-forward-compat'] },
  { id: 'other-libraries', feature: 'OpenCL, graphics, video encoding and decoding', withCompat: 'host', note: 'Not part of the package.', confirmed: true, sources: ['cuda-forward-compat'] },
  { id: 'ptx-jit', feature: 'JIT of newer PTX', withCompat: 'yes', note: 'The package has its own JIT, so the PTX limit of minor version compatibility is gone.', confirmed: true, sources: ['cuda-forward-compat'] },
  { id: 'kernel-features', feature: 'what needs a newer kernel module: a newer GPU, new memory features', withCompat: 'no', note: 'A GPU that the base driver does not know stays unknown.', confirmed: true, sources: ['cuda-forward-compat'] },
];
