import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const managedMemoryPageFaults: Rule = defineRule({
  id: 'application/managed-memory-page-faults',
  summary: 'Managed memory moves between host and device page by page while kernels wait',
  needs: [],
  anyOf: ['profile.page-faults', 'claim'],
  citations: ['cuda-programming-guide'],
  check({ 'profile.page-faults': faults, claim }) {
    const prefetch = [
      {
        actor: 'developer',
        do: 'prefetch what a kernel needs, and say how it is used',
        command: 'cudaMemPrefetchAsync, cudaMemAdvise',
      },
      { actor: 'developer', do: 'or allocate on the device and copy' },
    ] as const;
    if (faults === undefined) {
      const text = claim?.value ?? '';
      const managed = /\bcudaMallocManaged\b|\b(?:managed|unified) memory\b/i.test(text);
      const helped =
        /\bprefetch|\badvi[sc]e|\bhints?\b/i.test(text) &&
        !/\b(?:no|without|neither) (?:\w{1,12} )?(?:prefetch|advi|hint)/i.test(text);
      if (claim === undefined || !managed) return { kind: 'silent' };
      if (helped) return { kind: 'cleared', because: 'pages are moved ahead or placed by advice', seen: claim.seen };
      return {
        kind: 'fault',
        certainty: 'likely',
        message: 'managed memory without prefetching or advice moves page by page, on faults of the GPU',
        seen: claim.seen,
        remedies: prefetch,
        missing: [
          {
            fact: 'profile.page-faults',
            ask: 'nsys profile --cuda-um-gpu-page-faults=true --cuda-um-cpu-page-faults=true ./app',
          },
        ],
      };
    }
    const { gpuFaults, migratedMb } = faults.value;
    // What moves without a fault was fetched ahead or pushed out: no kernel waited for a page.
    const much = (gpuFaults ?? 0) >= 1000 || (gpuFaults !== 0 && (migratedMb ?? 0) >= 1024);
    if (!much && gpuFaults === null)
      return {
        kind: 'unknown',
        missing: [
          {
            fact: 'the number of GPU page faults',
            ask: 'nsys profile --cuda-um-gpu-page-faults=true --cuda-um-cpu-page-faults=true ./app',
          },
        ],
      };
    if (!much) {
      const because =
        gpuFaults === 0 ? 'managed memory moved without a page fault of the GPU' : `only ${gpuFaults} GPU page faults`;
      return { kind: 'cleared', because, seen: faults.seen };
    }
    return {
      kind: 'fault',
      message: `managed memory caused ${gpuFaults === null ? 'many' : gpuFaults.toLocaleString('en')} GPU page faults${migratedMb === null ? '' : ` and moved ${Math.round(migratedMb).toLocaleString('en')} MB`}`,
      seen: faults.seen,
      remedies: prefetch,
      weight: 1,
    };
  },
});
