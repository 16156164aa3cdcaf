import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { demangle, demangleBudget } from './demangle.ts';
import { isKernelNamed } from './kernel-name.ts';

const rows = readFileSync(join(import.meta.dirname, '../../../../fixtures/binaries/names.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t') as [string, string]);

describe('demangle', () => {
  it('says what c++filt says of names in public CUDA libraries', () => {
    expect(rows.length).toBeGreaterThan(100);
    for (const [mangled, wanted] of rows) expect(demangle(mangled), mangled).toBe(wanted);
  });

  it.each([
    ['template arguments and a pointer', '_Z10k_templateIfLi4EEvPT_', 'void k_template<float, 4>(float*)'],
    [
      'a file-local namespace',
      '_ZN3app42_GLOBAL__N__c8780215_10_kernels_cu_k_empty8k_hiddenEPi',
      'app::(anonymous namespace)::k_hidden(int*)',
    ],
    ['a parameter pack', '_Z1fIJifEEvDpT_', 'void f<int, float>(int, float)'],
    ['an empty parameter pack', '_Z1fIJEEvDpT_', 'void f<>()'],
    ['a lambda', '_Z1fIZ1gvEUliE0_EvT_', 'void f<g()::{lambda(int)#2}>(g()::{lambda(int)#2})'],
    [
      'a lambda with auto',
      '_ZZ3fooIiEvT_ENKUlT_E0_clIfEEDaS1_',
      'auto foo<int>(int)::{lambda(auto:1)#2}::operator()<float>(float) const',
    ],
    [
      'literals of all kinds',
      '_Z1fILb1ELj5ELh7ELs3ELc65ELm9ELin5ELN2ns1EE1EEvv',
      'void f<true, 5u, (unsigned char)7, (short)3, (char)65, 9ul, -5, (ns::E)1>()',
    ],
    ['a function pointer', '_Z1fIPFviEEvT_', 'void f<void (*)(int)>(void (*)(int))'],
    ['a result that is a function pointer', '_Z1fIiEPFvfET_', 'void (*f<int>(int))(float)'],
    ['an array by reference', '_Z1fRA3_A4_i', 'f(int (&) [3][4])'],
    ['members by pointer', '_Z1fM3FooKFviEM3Fooi', 'f(void (Foo::*)(int) const, int Foo::*)'],
    [
      'an expression',
      '_Z1fIiENSt9enable_ifIXeqstT_Li4EEiE4typeES1_',
      'std::enable_if<(sizeof (int))==(4), int>::type f<int>(int)',
    ],
    [
      'a count of a pack',
      '_Z1fIJiiEEvNSt9enable_ifIXeqsZT_Li2EEiE4typeE',
      'void f<int, int>(std::enable_if<(2)==(2), int>::type)',
    ],
    ['the type of a call', '_Z1fIiEDTcl1gfp_EET_', 'decltype (g({parm#1})) f<int>(int)'],
    ['a reference to a reference', '_Z1fIRiEvOT_', 'void f<int&>(int&)'],
    ['half and bfloat16', '_Z1fDF16_DF16b', 'f(_Float16, std::bfloat16_t)'],
    ['a constructor of a template', '_ZN1AB5cxx11C2Ev', 'A[abi:cxx11]::A()'],
    ['an operator', '_ZN1AltIiEEvv', 'void A::operator< <int>()'],
    ['a conversion', '_ZN1AcvT_IiEEv', 'A::operator int<int>()'],
    ['a copy the compiler made', '_Z3foov.part.0', 'foo() [clone .part.0]'],
  ])('%s', (_what, mangled, wanted) => {
    expect(demangle(mangled)).toBe(wanted);
  });

  it.each(['k_plain', '', '_Z', '_ZN', '_Z1f', '_Z3fo', '_Z1fT_', '_Z1fS_', '_Z1fXXX', `_Z1f${'P'.repeat(5000)}i`])(
    'what is no name it can read stays as it is: %.20s',
    (name) => {
      expect(demangle(name)).toBe(name === '_Z1f' ? 'f' : name);
    },
  );

  it('a short name that stands for a text without end costs little', () => {
    // Each argument repeats all before it.
    let name = '_Z1fI1AIiiE';
    for (let i = 0; i < 30; i += 1)
      name += `1BIS${i === 0 ? '' : (2 * i - 1).toString(36).toUpperCase()}_S${i === 0 ? '' : (2 * i - 1).toString(36).toUpperCase()}_E`;
    const budget = demangleBudget();
    const before = budget.steps;
    demangle(`${name}Evv`, budget);
    expect(before - budget.steps).toBeLessThan(400_000);
  });

  it('never throws', () => {
    const letters = 'NSTIEJLZKPROFAMDXvijlbfcUt_0123456789slpgrndqu'.split('');
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...letters), { maxLength: 60 }), (parts) => {
        expect(typeof demangle(`_Z${parts.join('')}`)).toBe('string');
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...rows.map(([name]) => name)),
        fc.nat(),
        fc.constantFrom(...letters),
        (name, at, letter) => {
          const i = at % name.length;
          demangle(name.slice(0, i) + letter + name.slice(i + 1));
          demangle(name.slice(0, i));
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('isKernelNamed', () => {
  const kernel = {
    name: '_ZN3app42_GLOBAL__N__c8780215_10_kernels_cu_k_empty1kIN2ns1TELi4EEEvPT_',
    demangled: 'void app::(anonymous namespace)::k<ns::T, 4>(ns::T*)',
  };

  it.each([
    kernel.name,
    kernel.demangled,
    'app::(anonymous namespace)::k<ns::T, 4>',
    'app::(anonymous namespace)::k',
    'k<ns::T, 4>',
    'k',
  ])('%s', (wanted) => {
    expect(isKernelNamed(kernel, wanted)).toBe(true);
  });

  it.each(['T', 'app', 'k<ns::T>', 'kk', '', 'void'])('not by %j', (wanted) => {
    expect(isKernelNamed(kernel, wanted)).toBe(false);
  });
});
