// Words of the Itanium C++ ABI: https://itanium-cxx-abi.github.io/cxx-abi/abi.html , sections 5.1.3, 5.1.5.2 and 5.1.10.

/** One-letter types. */
export const builtinTypes: Readonly<Record<string, string>> = {
  v: 'void',
  w: 'wchar_t',
  b: 'bool',
  c: 'char',
  a: 'signed char',
  h: 'unsigned char',
  s: 'short',
  t: 'unsigned short',
  i: 'int',
  j: 'unsigned int',
  l: 'long',
  m: 'unsigned long',
  x: 'long long',
  y: 'unsigned long long',
  n: '__int128',
  o: 'unsigned __int128',
  f: 'float',
  d: 'double',
  e: 'long double',
  g: '__float128',
  z: '...',
};

/** Types of `D` and a letter. */
export const extendedTypes: Readonly<Record<string, string>> = {
  Da: 'auto',
  Dc: 'decltype(auto)',
  Dd: 'decimal64',
  De: 'decimal128',
  Df: 'decimal32',
  Dh: 'half',
  Di: 'char32_t',
  Dn: 'decltype(nullptr)',
  Ds: 'char16_t',
  Du: 'char8_t',
};

/** Suffix of an integer literal by its type's letter. */
export const literalSuffixes: Readonly<Record<string, string>> = { i: '', j: 'u', l: 'l', m: 'ul', x: 'll', y: 'ull' };

/** Operators with one operand, in names of functions and in expressions. */
export const unaryOperators: Readonly<Record<string, string>> = {
  ps: '+',
  ng: '-',
  ad: '&',
  de: '*',
  co: '~',
  nt: '!',
  pp: '++',
  mm: '--',
};

export const binaryOperators: Readonly<Record<string, string>> = {
  pl: '+',
  mi: '-',
  ml: '*',
  dv: '/',
  rm: '%',
  an: '&',
  or: '|',
  eo: '^',
  aS: '=',
  pL: '+=',
  mI: '-=',
  mL: '*=',
  dV: '/=',
  rM: '%=',
  aN: '&=',
  oR: '|=',
  eO: '^=',
  ls: '<<',
  rs: '>>',
  lS: '<<=',
  rS: '>>=',
  eq: '==',
  ne: '!=',
  lt: '<',
  gt: '>',
  le: '<=',
  ge: '>=',
  ss: '<=>',
  aa: '&&',
  oo: '||',
  cm: ',',
  pm: '->*',
  pt: '->',
  dt: '.',
};

/** Operators that are only names of functions. */
export const namedOperators: Readonly<Record<string, string>> = {
  nw: ' new',
  na: ' new[]',
  dl: ' delete',
  da: ' delete[]',
  aw: ' co_await',
  cl: '()',
  ix: '[]',
  qu: '?',
};

/** Names that the standard library has letters for, and the name of their class. */
export const standardNames: Readonly<Record<string, { readonly name: string; readonly base: string }>> = {
  a: { name: 'std::allocator', base: 'allocator' },
  b: { name: 'std::basic_string', base: 'basic_string' },
  s: { name: 'std::basic_string<char, std::char_traits<char>, std::allocator<char> >', base: 'basic_string' },
  i: { name: 'std::basic_istream<char, std::char_traits<char> >', base: 'basic_istream' },
  o: { name: 'std::basic_ostream<char, std::char_traits<char> >', base: 'basic_ostream' },
  d: { name: 'std::basic_iostream<char, std::char_traits<char> >', base: 'basic_iostream' },
};

/** Symbols that are no functions or variables of the program. */
export const specialNames: Readonly<Record<string, string>> = {
  TV: 'vtable for ',
  TT: 'VTT for ',
  TI: 'typeinfo for ',
  TS: 'typeinfo name for ',
};
