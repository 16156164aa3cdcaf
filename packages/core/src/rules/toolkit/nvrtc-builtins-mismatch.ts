import type { Fact, SaidId } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { cudaReleases, placesOf, quote, saidOf } from '../framework/_stack.ts';

export const nvrtcBuiltinsMismatch: Rule = defineRule({
  id: 'toolkit/nvrtc-builtins-mismatch',
  summary: 'NVRTC does not find the builtins library of its own release',
  needs: [],
  anyOf: ['said.nvrtc-builtins-missing', 'said.nvrtc-builtins'],
  uses: [
    'file.exists',
    'loader.cache',
    'loader.resolved',
    'toolkit.nvcc',
    'toolkit.installed',
    'torch.cuda',
    'package',
    'env',
  ],
  citations: ['nvrtc-api'],
  explains: [
    'application/application-exception',
    'said.nvrtc-*',
    'said.jit-*',
    'said.ld-missing-cuda-runtime-lib',
    'said.cuda-lib-not-found',
    'toolkit/toolkit-lib-not-on-loader-path',
    'framework/wheel-needs-other-cuda-major',
  ],
  check(_, context) {
    const said = saidOf(context, 'nvrtc-builtins-missing', 'nvrtc-builtins');
    const lead = said[0];
    if (lead === undefined) return { kind: 'silent' };
    const want = said.map(wantedRelease).find((each) => each !== undefined);
    const places = placesOf(context, /^libnvrtc-builtins\.so\.\d/);
    const same = want === undefined ? undefined : places.find((each) => each.path.includes(`.so.${want}`));
    const other = places.find((each) => want === undefined || !each.path.includes(`.so.${want}`));
    const remedies = [
      {
        actor: 'developer',
        do: `install NVRTC ${want ?? ''} whole, or put the folder of its libraries on the search path`.replace(
          '  ',
          ' ',
        ),
      },
      {
        actor: 'developer',
        do: 'take the other toolkit off LD_LIBRARY_PATH',
        command: 'find / -name "libnvrtc*" 2>/dev/null; echo $LD_LIBRARY_PATH',
      },
    ] as const;
    if (same !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `NVRTC ${want} does not find its builtins, which lie in ${same.path}`,
        seen: quote(5, lead, same.fact),
        remedies,
        missing: [{ fact: 'loader.resolved', ask: 'echo $LD_LIBRARY_PATH; ldconfig -p | grep nvrtc' }],
        weight: 2,
      };
    }
    if (other !== undefined) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `NVRTC wants builtins ${want ?? 'of its release'}, and those that are there are of another release (${other.path})`,
        seen: quote(5, lead, other.fact),
        remedies,
        weight: 3,
      };
    }
    const releases = want === undefined ? [] : cudaReleases(context).filter((each) => each.cuda.minor !== null);
    const foreign = releases.find(
      (each) => `${each.cuda.major}.${each.cuda.minor}` !== want && (each.what === 'toolkit' || each.what === 'path'),
    );
    if (foreign !== undefined) {
      return {
        kind: 'fault',
        certainty: 'proved',
        message: `NVRTC wants builtins ${want}, and the toolkit that is there is ${foreign.cuda.major}.${foreign.cuda.minor}`,
        seen: quote(5, lead, foreign.fact),
        remedies,
        weight: 3,
      };
    }
    if (want !== undefined) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `NVRTC does not find libnvrtc-builtins of its release ${want}`,
        seen: quote(4, lead),
        remedies,
        missing: [{ fact: 'file.exists', ask: 'find / -name "libnvrtc*" 2>/dev/null' }],
        weight: 2,
      };
    }
    const nvrtc = placesOf(context, /^libnvrtc\.so/);
    if (nvrtc.length > 0 && new Set(nvrtc.map((each) => each.path)).size === 1)
      return { kind: 'cleared', because: 'one NVRTC alone is on this machine', seen: quote(3, nvrtc[0]!.fact) };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'NVRTC could not use its builtins',
      seen: quote(4, lead),
      remedies,
      missing: [{ fact: 'file.exists', ask: 'find / -name "libnvrtc*" 2>/dev/null' }],
      weight: 1,
    };
  },
});

/** Release in `libnvrtc-builtins.so.12.1` or `nvrtc-builtins64_121.dll`. */
function wantedRelease(fact: Fact<SaidId>): string | undefined {
  const { want, lib, lib2 } = fact.value.captures;
  const dll = /64_(\d{2})(\d)\.dll/.exec(fact.seen[0]?.text ?? '');
  return (
    want ?? /so\.(\d{1,2}\.\d{1,2})/.exec(lib ?? lib2 ?? '')?.[1] ?? (dll === null ? undefined : `${dll[1]}.${dll[2]}`)
  );
}
