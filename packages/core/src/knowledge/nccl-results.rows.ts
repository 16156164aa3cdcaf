import type { NcclResultRow } from './errors.types.ts';

/** Results of NCCL calls. */
export const ncclResults: readonly NcclResultRow[] = [
  { code: 0, name: 'ncclSuccess', string: 'no error', owners: ['none'], needsHostFacts: false, meaning: '', typicalCauses: [], confirmed: true, sources: ['nccl-header', 'nccl-init-source', 'nccl-types'] },
  { code: 1, name: 'ncclUnhandledCudaError', string: 'unhandled cuda error (run with NCCL_DEBUG=INFO for details)', owners: ['operator', 'developer'], needsHostFacts: true, meaning: '', typicalCauses: [], confirmed: true, sources: ['nccl-header', 'nccl-init-source', 'nccl-types'] },
  { code: 2, name: 'ncclSystemError', string: 'unhandled system error (run with NCCL_DEBUG=INFO for details)', owners: ['operator'], needsHostFacts: true, meaning: '', typicalCauses: [], confirmed: true, sources: ['nccl-header', 'nccl-init-source', 'nccl-types'] },
  { code: 3, name: 'ncclInternalError', string: 'internal error - please report this issue to the NCCL developers', owners: ['operator', 'vendor'], needsHostFacts: true, meaning: '', typicalCauses: [], confirmed: true, sources: ['nccl-header', 'nccl-init-source', 'nccl-types'] },
  { code: 4, name: 'ncclInvalidArgument', string: 'invalid argument (run with NCCL_DEBUG=WARN for details)', owners: ['developer'], needsHostFacts: false, meaning: '', typicalCauses: [], confirmed: true, sources: ['nccl-header', 'nccl-init-source', 'nccl-types'] },
  { code: 5, name: 'ncclInvalidUsage', string: 'invalid usage (run with NCCL_DEBUG=WARN for details)', owners: ['developer'], needsHostFacts: true, meaning: '', typicalCauses: [], confirmed: true, sources: ['nccl-header', 'nccl-init-source', 'nccl-types'] },
  { code: 6, name: 'ncclRemoteError', string: 'remote process exited or there was a network error', owners: ['operator', 'developer'], needsHostFacts: true, meaning: '', typicalCauses: [], confirmed: true, sources: ['nccl-header', 'nccl-init-source', 'nccl-types'] },
  { code: 7, name: 'ncclInProgress', string: 'NCCL operation in progress', owners: ['none'], needsHostFacts: false, meaning: '', typicalCauses: [], confirmed: true, sources: ['nccl-header', 'nccl-init-source', 'nccl-types'] },
  { code: 8, name: 'ncclTimeout', string: 'timeout', owners: ['operator', 'developer'], needsHostFacts: true, meaning: '', typicalCauses: [], confirmed: true, sources: ['nccl-header', 'nccl-init-source', 'nccl-types'] },
];
