import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { quiet } from './_healthy.ts';

/** Generations that Nsight Compute no longer profiles: those before Volta. */
const old =
  /\b(?:GTX (?:9|10)\d{2}|Titan X[p]?|P100|P40|P4|P6|P1000|P2000|P4000|P5000|P6000|M40|M60|M4|K80|K40|K20|GT 10\d{2}|MX1\d{2}|MX[23]50)\b/i;

export const okProfilingUnsupportedBeforeVolta: Rule = defineRule({
  id: 'ok/ok-profiling-unsupported-before-volta',
  summary: 'The profiler does not know a GPU this old; nothing is broken',
  needs: [],
  anyOf: ['said.profiling-chip-unsupported', 'said.dcgm-profiling-locked'],
  uses: ['gpu.name', 'gpu.compute-capability'],
  citations: ['nsight-compute-chips'],
  check(facts, context) {
    const chip = facts['said.profiling-chip-unsupported'];
    const locked = facts['said.dcgm-profiling-locked'];
    // DCGM names the kind of GPU only where that is the reason.
    const group = locked?.seen.some((each) => /not supported for this group of GPUs/i.test(each.text)) === true;
    const said = chip ?? (group ? locked : undefined);
    if (said === undefined) return { kind: 'silent' };
    const names = context.all('gpu.name').filter((fact) => fact.scope !== 'other-host');
    const capability = context.all('gpu.compute-capability')[0];
    const name = names.find((fact) => old.test(fact.value));
    if (capability === undefined && names.length === 0) {
      return {
        kind: 'unknown',
        missing: [
          {
            fact: 'the generation of the GPU',
            ask: 'nvidia-smi --query-gpu=name,compute_cap --format=csv; ncu --list-chips',
          },
        ],
      };
    }
    if (name === undefined && (capability === undefined || Number(capability.value) >= 7)) {
      return {
        kind: 'unknown',
        missing: [
          { fact: 'the chips that this release of the profiler knows', ask: 'ncu --version; ncu --list-chips' },
        ],
      };
    }
    if (!quiet(context)) return { kind: 'silent' };
    const proof = name ?? capability;
    return {
      kind: 'cleared',
      because: `this profiler starts at compute capability 7.0, and the ${name === undefined ? `GPU has ${capability?.value}` : name.value} is older; the program is not affected`,
      seen: [...said.seen.slice(0, 1), ...(proof?.seen.slice(0, 1) ?? [])],
      layer: 'driver',
      weight: 3,
      explains: ['driver/profiling-counters-blind', 'application/profiling-counters-blind'],
    };
  },
});
