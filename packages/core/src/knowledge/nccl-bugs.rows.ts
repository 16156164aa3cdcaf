import type { NcclBugRow } from './nccl.types.ts';

/** Known faults of NCCL releases, each with its thread. */
export const ncclBugs: readonly NcclBugRow[] = [
  { id: 'nvls-invalid-argument', range: { from: '2.26.2', below: '2.26.5' }, when: 'driver reports CUDA 12.2', symptom: 'ncclCommInitRank fails with "Cuda failure invalid argument" while NVLS is set up', workaround: '2.26.5 or newer, a newer driver, or NCCL_NVLS_ENABLE=0', fixedIn: '2.26.5', confirmed: true, sources: ['pytorch-150852'] },
  { id: 'nvls-fabric-manager', range: { from: '2.18', below: '2.19' }, when: 'CUDA 12.2', symptom: 'NVLS gives "invalid argument"', workaround: 'restart the fabric manager in the version of the driver, or NCCL_NVLS_ENABLE=0', fixedIn: null, confirmed: true, sources: ['nccl-976'] },
  { id: 'nvls-hang-2-17', range: { from: '2.17', below: '2.18' }, when: 'NVSwitch machine', symptom: 'hangs with NVLS on', workaround: '2.18', fixedIn: '2.18', confirmed: true, sources: ['jax-toolbox-331'] },
  { id: 'nvls-hang-2-19', range: { from: '2.19.3', below: '2.19.4' }, when: null, symptom: 'nccl-tests hang with NVLS on', workaround: 'a newer release, or NCCL_NVLS_ENABLE=0', fixedIn: null, confirmed: true, sources: ['nccl-tests-216'] },
  { id: 'cupy-hang', range: { from: '2.13.4', below: '2.13.5' }, when: null, symptom: 'tests of CuPy hang', workaround: 'another release', fixedIn: null, confirmed: true, sources: ['cupy-6912'] },
  { id: 'hang-2-21', range: { from: '2.21.5', below: '2.21.6' }, when: null, symptom: 'hangs', workaround: 'a newer release', fixedIn: null, confirmed: true, sources: ['nccl-1608'] },
  { id: 'symmetric-memory-fault', range: { from: '2.27.3', below: '2.27.4' }, when: null, symptom: 'faults with symmetric memory', workaround: 'a newer release, or no symmetric windows', fixedIn: null, confirmed: true, sources: ['nccl-1735'] },
  { id: 'symmetric-memory-torch', range: { from: '2.27', below: '2.28' }, when: null, symptom: 'torch reports a symmetric-memory error', workaround: 'a newer release', fixedIn: null, confirmed: true, sources: ['pytorch-185216'] },
  { id: 'symmetric-memory-vllm', range: { from: '2.28', below: null }, when: 'vLLM', symptom: 'symmetric-memory error in vLLM', workaround: 'turn the symmetric memory option of vLLM off', fixedIn: null, confirmed: true, sources: ['vllm-28901'] },
  { id: 'device-comm-abi', range: { from: '2.29', below: '2.30' }, when: 'headers of 2.29 with another library', symptom: 'ncclDevCommCreate gives "invalid usage"', workaround: 'build and run with one release', fixedIn: null, confirmed: true, sources: ['pytorch-172398'] },
  { id: 'nvls-gb200', range: { from: '2.27', below: '2.28' }, when: 'GB200', symptom: 'NVLS error', workaround: 'the thread lists what helped', fixedIn: null, confirmed: true, sources: ['nccl-1769'] },
  { id: 'nvls-moe-hang', range: { from: '2.30.4', below: '2.30.5' }, when: 'MoE inference', symptom: 'hangs with NVLS; the cause is disputed', workaround: 'some operators stay at 2.28.9', fixedIn: null, confirmed: false, sources: ['nccl-2167'] },
  { id: 'before-2-31-2', range: { from: null, below: '2.31.2' }, when: null, symptom: 'several faults, listed in the change', workaround: '2.31.2', fixedIn: '2.31.2', confirmed: true, sources: ['nccl-pr-2339'] },
];
