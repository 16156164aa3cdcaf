import type { MinorVersionCaveatRow } from './toolkits.types.ts';

/** What minor version compatibility does not cover. */
export const minorVersionCaveats: readonly MinorVersionCaveatRow[] = [
  { id: 'new-feature', what: 'A call that needs something of a newer driver fails, although the program as a whole starts.', errors: [36], confirmed: true, sources: ['cuda-minor-version-compat'] },
  { id: 'ptx', what: 'PTX of a newer toolkit is refused by the JIT of an older driver. The binary needs SASS for the GPU; code made at run time needs it as well.', errors: [222], confirmed: true, sources: ['cuda-minor-version-compat'] },
  { id: 'libs', what: 'CUDA libraries of one release expect each other: cuDNN, for one, wants the cuBLAS it was released with.', errors: [], confirmed: true, sources: ['cuda-minor-version-compat'] },
  { id: 'too-old', what: 'Under the floor nothing starts.', errors: [35, 3], confirmed: true, sources: ['cuda-minor-version-compat', 'cuda-compat-faq'] },
];
