import type { CompatFileRow } from './forward-compat.types.ts';

/** Files of a cuda-compat package. */
export const compatFiles: readonly CompatFileRow[] = [
  { pattern: 'libcuda.so.*', since: null, confirmed: true, sources: ['cuda-forward-compat'] },
  { pattern: 'libnvidia-ptxjitcompiler.so.*', since: null, confirmed: true, sources: ['cuda-forward-compat'] },
  { pattern: 'libnvidia-nvvm.so.*', since: '11.5', confirmed: true, sources: ['cuda-forward-compat'] },
  { pattern: 'libcudadebugger.so.*', since: '11.8', confirmed: true, sources: ['cuda-forward-compat'] },
  { pattern: 'libnvidia-pkcs11*.so.*', since: null, confirmed: true, sources: ['cuda-forward-compat'] },
  { pattern: 'libnvidia-gpucomp.so.*', since: '13.4', confirmed: true, sources: ['cuda-forward-compat'] },
  { pattern: 'libnvidia-tileiras.so.*', since: '13.4', confirmed: true, sources: ['cuda-forward-compat'] },
];
