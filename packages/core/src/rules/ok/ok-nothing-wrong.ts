import type { Fact } from '../../model/facts.ts';
import type { Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { printed, quiet, works } from './_healthy.ts';

const signs = [
  'works',
  'driver.answers',
  'gpu.name',
  'driver.version',
  'driver.module',
  'torch.version',
  'framework.version',
  'nccl.init-complete',
  'gpu.state',
  'torch.arch-list',
  'gpu.compute-capability',
  'health.sign',
  'k8s.device-resource',
] as const;

/** Observations without which a live subject is not known to be well. */
const decisive =
  /^(?:nvidia-smi-q|proc-driver-version|sys-module-version|modules|device-nodes|device-access|library-files|ldconfig|pci-devices)$/;

function isDecisive(missing: { readonly source: string; readonly why: string }): boolean {
  if (missing.why === 'unfinished') return true;
  return decisive.test(missing.source) && /^(?:denied|timeout|skipped:(?:rollout|budget|outside))/.test(missing.why);
}

export const okNothingWrong: Rule = defineRule({
  id: 'ok/ok-nothing-wrong',
  summary: 'Nothing in this text failed',
  needs: [],
  anyOf: [...signs, 'os.platform'],
  uses: ['package', 'torch.cuda-available', 'framework.devices', 'probe.missing'],
  citations: [],
  check(facts, context) {
    // "CUDA available: False" is a failure of somebody's wish, even where no message says so.
    if (context.all('torch.cuda-available').some((fact) => !fact.value)) return { kind: 'silent' };
    if (printed(context, 'driver.cuda-missing') !== undefined) return { kind: 'silent' };
    if (context.all('probe.missing').some(({ value }) => isDecisive(value))) return { kind: 'silent' };
    if (!quiet(context)) return { kind: 'silent' };
    const worked = works(context)[0];
    if (worked !== undefined) {
      return {
        kind: 'cleared',
        because: `nothing failed here: ${worked.value.what}`,
        seen: worked.seen,
        layer: worked.value.layer,
        weight: 0,
      };
    }
    const well = printed(context, 'health.sign');
    if (well !== undefined)
      return {
        kind: 'cleared',
        because: `nothing failed here: ${well.value.what}`,
        seen: well.seen,
        layer: well.value.layer,
        weight: -1,
      };
    const board = ofPlatform(context);
    if (board !== undefined)
      return { kind: 'cleared', because: board.because, seen: board.seen, layer: 'driver', weight: -1 };
    const sign = signs
      .map((id) => (id === 'k8s.device-resource' ? offered(context) : printed(context, id)))
      .find((fact) => fact !== undefined);
    if (sign === undefined) return { kind: 'silent' };
    return {
      kind: 'cleared',
      because: 'the text shows a set-up in which nothing failed',
      seen: sign.seen,
      layer: 'driver',
      weight: -1,
    };
  },
});

/** Where the libcuda of WSL and of Jetson lies; neither has a kernel module of its own to show, nor a GPU on a bus. */
const libcudaOf = {
  wsl: /^\/usr\/lib\/wsl\/(?:lib|drivers\/\S{1,120})\/libcuda\.so\.1(?:\.1)?$/,
  jetson: /^\/usr\/lib\/aarch64-linux-gnu\/(?:tegra|nvidia)\/libcuda\.so\.1(?:\.1)?$/,
} as const;

/** WSL or a Jetson with its device nodes and its own libcuda, and no libcuda of an ordinary driver beside it. */
function ofPlatform(context: RuleContext): { readonly because: string; readonly seen: Fact['seen'] } | undefined {
  const platform = context
    .all('os.platform')
    .find((fact) => !fact.told && fact.seen.some((each) => /\/dev\/(?:dxg|nvmap|nvhost-ctrl-gpu)\b/.test(each.text)));
  if (platform === undefined || (platform.value !== 'wsl' && platform.value !== 'jetson')) return undefined;
  const own = libcudaOf[platform.value];
  const files = context.all('file.exists').filter((fact) => !fact.told && /\/libcuda\.so\.\d/.test(fact.value));
  const library = files.find((fact) => own.test(fact.value));
  const other = files.find((fact) => !own.test(fact.value) && !/\/(?:stubs|compat(?:_orin)?|wsl)\//.test(fact.value));
  const taken = context.all('loader.loads').find((fact) => fact.value.soname === 'libcuda.so.1');
  if (library === undefined || other !== undefined) return undefined;
  if (taken !== undefined && (taken.value.path === null || !own.test(taken.value.path))) return undefined;
  return {
    because:
      platform.value === 'wsl'
        ? 'WSL has the GPU device of Windows, and the libcuda that the Windows driver brings'
        : 'the Jetson has its GPU device, and the libcuda of its own release',
    seen: [...platform.seen.slice(0, 1), ...library.seen.slice(0, 1)],
  };
}

/** GPUs that a node offers: that some are asked for proves nothing. */
function offered(context: RuleContext): Fact | undefined {
  return context.all('k8s.device-resource').find((fact) => (fact.value.allocatable ?? 0) > 0 && !fact.told);
}
