import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { compareCudaMinor, parseCuda } from '../../versions/cuda.ts';
import type { CudaVersion } from '../../versions/cuda.ts';
import { captured, packagesNamed, saidOf } from '../framework/_stack.ts';
import { bundledOf, shadowOf } from './_shadow.ts';
import type { Shadow } from './_shadow.ts';
import { symbolsOf } from './_symbols.ts';

/** What is known of the nvJitLink that was loaded. */
export interface JitLink {
  readonly lead: Fact;
  /** Release that the symbol is of; null where the message names none. */
  readonly wants: CudaVersion | null;
  readonly wantsText: string;
  readonly shadow: Shadow | null;
  readonly bundled: { readonly path: string; readonly fact: Fact } | null;
  /** The wheel that is installed, and whether it is older than what is wanted; null: not known. */
  readonly wheel: { readonly fact: Fact; readonly version: string; readonly older: boolean | null } | null;
}

const soname = /^libnvJitLink\.so/;

/** Reads the facts about nvJitLink; null where no message is about it. */
export function jitLink(context: RuleContext): JitLink | null {
  const symbols = symbolsOf(context, 'nvjitlink');
  const loaded = saidOf(context, 'jax-cuda-backend-failed').find((fact) =>
    /cuSPARSE|cuSOLVER/i.test(fact.value.captures['lib'] ?? ''),
  );
  const shadow = shadowOf(context, soname);
  const lead = symbols[0]?.fact ?? (shadow?.resolved === true ? loaded : undefined);
  if (lead === undefined) return null;
  let wants: CudaVersion | null = null;
  for (const { symbol } of symbols) {
    const match = /_(\d{2})_(\d{1,2})$/.exec(symbol);
    const version = match === null ? null : parseCuda(`${match[1]}.${match[2]}`);
    if (version !== null && (wants === null || (compareCudaMinor(version, wants) ?? 0) > 0)) wants = version;
  }
  const pin = saidOf(context, 'incompatible-pin').find((fact) => /nvjitlink/.test(fact.value.captures['name'] ?? ''));
  const installed = packagesNamed(context, /^nvidia-nvjitlink(?:-cu\d\d)?$|^libnvjitlink$/)[0];
  const pinned = pin === undefined ? undefined : captured([pin], 'have');
  const version = pinned?.value ?? installed?.value.version;
  const fact = pin ?? installed;
  let wheel: JitLink['wheel'] = null;
  if (version !== undefined && fact !== undefined) {
    const have = parseCuda(/^\d{1,2}\.\d{1,2}/.exec(version)?.[0] ?? '');
    const cusparse = newestOf(context, /^nvidia-(?:cusparse|cusolver|cublas|cuda-nvrtc|cuda-runtime)(?:-cu\d\d)?$/);
    const torch = context.first('torch.cuda')?.value;
    const need = maxOf([wants, cusparse, torch == null ? null : parseCuda(torch)]);
    wheel = { fact, version, older: have === null || need === null ? null : (compareCudaMinor(have, need) ?? 0) < 0 };
  }
  return {
    lead,
    wants,
    wantsText: wants === null ? 'a newer release' : `${wants.major}.${wants.minor}`,
    shadow,
    bundled: bundledOf(context, soname),
    wheel,
  };
}

/** CUDA release of the wheels that carry it in their version (cuda-runtime and nvrtc do, the math libraries do not). */
function newestOf(context: RuleContext, pattern: RegExp): CudaVersion | null {
  return maxOf(
    packagesNamed(context, pattern)
      .filter((fact) => /runtime|nvrtc/.test(fact.value.name))
      .map((fact) => parseCuda(/^\d{1,2}\.\d{1,2}/.exec(fact.value.version)?.[0] ?? '')),
  );
}

function maxOf(versions: readonly (CudaVersion | null)[]): CudaVersion | null {
  let max: CudaVersion | null = null;
  for (const each of versions)
    if (each !== null && (max === null || (compareCudaMinor(each, max) ?? 0) > 0)) max = each;
  return max;
}
