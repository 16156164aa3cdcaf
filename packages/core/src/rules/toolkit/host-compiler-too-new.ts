import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { captured, own, quote, saidOf } from '../framework/_stack.ts';

export const hostCompilerTooNew: Rule = defineRule({
  id: 'toolkit/host-compiler-too-new',
  summary: 'The host compiler is newer than this nvcc accepts',
  needs: [],
  anyOf: [
    'said.nvcc-unsupported-gnu',
    'said.nvcc-unsupported-clang-msvc',
    'said.host-compiler-refused',
    'said.host-headers-too-new',
  ],
  uses: ['toolkit.host-compiler', 'toolkit.nvcc', 'package', 'os.glibc'],
  citations: ['cuda-installation-host-compilers'],
  explains: [
    'application/application-exception',
    'said.nvcc-*',
    'said.host-*',
    'said.cmake-cuda-not-found',
    'toolkit/build-toolkit-missing',
    'said.build-arch-flags',
  ],
  check(_, context) {
    const refused = saidOf(context, 'host-compiler-refused', 'nvcc-unsupported-gnu', 'nvcc-unsupported-clang-msvc');
    const headers = saidOf(context, 'host-headers-too-new');
    const max = captured(refused, 'max', 'first', 'below', 'high');
    const named = captured(refused, 'have');
    const compiler = own(context, 'toolkit.host-compiler')[0];
    const have = named?.value ?? (compiler === undefined ? undefined : release(compiler));
    const nvcc = own(context, 'toolkit.nvcc')[0];
    const cuda = captured(refused, 'cuda')?.value ?? nvcc?.value;
    const remedies = [
      {
        actor: 'developer',
        do: 'give nvcc an older host compiler',
        command: 'nvcc -ccbin g++-12 …   # or: export NVCC_PREPEND_FLAGS="-ccbin g++-12"',
      },
      { actor: 'developer', do: 'or build with a toolkit that accepts this compiler' },
    ] as const;
    if (refused.length > 0) {
      const over =
        max !== undefined && have !== undefined
          ? Number.parseFloat(have) > Number.parseFloat(max.value) || max.fact.value.captures['first'] !== undefined
          : null;
      // The check in the toolkit's header is itself the proof that the compiler is outside its range.
      return {
        kind: 'fault',
        certainty: over === false ? 'likely' : 'proved',
        message: `${cuda === undefined ? 'nvcc' : `CUDA ${cuda}`} refuses the host compiler${have === undefined ? '' : ` ${have}`}${max === undefined ? '' : `; it takes none ${max.fact.value.captures['max'] === undefined ? 'from' : 'after'} ${max.value}`}`,
        seen: quote(5, refused[0], named?.fact, compiler),
        remedies,
        weight: 2,
      };
    }
    // glibc 2.41 declares cospi, sinpi and (2.42) rsqrt as noexcept; math_functions.h of older toolkits does not.
    const math = headers.find((fact) =>
      fact.seen.some((each) =>
        /mathcalls\S{0,40}\.h.{0,200}(?:exception specification|incompatible|conflict|redefin|overload|noexcept).{0,200}\b(?:cospi|sinpi|rsqrt)f?\b/i.test(
          each.text,
        ),
      ),
    );
    if (math !== undefined) {
      const glibc = own(context, 'os.glibc')[0];
      return {
        kind: 'fault',
        certainty: glibc !== undefined && atLeast(glibc.value, 2, 41) ? 'proved' : 'likely',
        message: `the C library${glibc === undefined ? '' : ` (glibc ${glibc.value})`} declares math functions in a way that the headers of ${cuda === undefined ? 'this toolkit' : `CUDA ${cuda}`} do not know yet`,
        seen: quote(4, math, glibc, nvcc),
        remedies: [
          { actor: 'developer', do: 'build with a toolkit that knows this C library, CUDA 13.0 or newer' },
          { actor: 'developer', do: 'or build in a container with an older C library (glibc 2.40 or older)' },
        ],
        weight: 2,
      };
    }
    const new11 = captured(headers, 'have');
    const known = new11?.value ?? have;
    if (known !== undefined && Number.parseInt(known, 10) >= 11) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `nvcc cannot parse the headers of host compiler ${known}`,
        seen: quote(4, headers[0], compiler, nvcc),
        remedies,
        missing: [{ fact: 'toolkit.nvcc', ask: 'nvcc --version; g++ --version' }],
        weight: 1,
      };
    }
    if (known !== undefined)
      return {
        kind: 'cleared',
        because: `host compiler ${known} is older than any that current toolkits refuse`,
        seen: quote(4, headers[0], compiler),
      };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'nvcc cannot parse the headers of the host compiler or C library',
      seen: quote(4, headers[0], nvcc),
      remedies,
      missing: [{ fact: 'toolkit.host-compiler', ask: 'nvcc --version; g++ --version; ldd --version' }],
    };
  },
});

function atLeast(version: string, major: number, minor: number): boolean {
  const [a, b] = version.split('.').map(Number);
  return (a ?? 0) > major || ((a ?? 0) === major && (b ?? 0) >= minor);
}

/** Release in `gcc (Ubuntu 13.2.0-4ubuntu3) 13.2.0`, `g++-13`, `14`. */
function release(fact: Fact<'toolkit.host-compiler'>): string | undefined {
  const all = [...fact.value.matchAll(/\b(\d{1,2})(?:\.\d{1,2}){0,2}\b/g)];
  return all.at(-1)?.[0] ?? /\d{1,2}/.exec(fact.value)?.[0];
}
