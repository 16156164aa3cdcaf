// Mangled names of the Itanium C++ ABI → tree: https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling
// What CUDA compilers write for kernels is covered; anything else throws `Unreadable`.
import { text, Unreadable } from './demangle-nodes.ts';
import type { FunctionNode, Node } from './demangle-nodes.ts';
import {
  binaryOperators,
  builtinTypes,
  extendedTypes,
  namedOperators,
  specialNames,
  standardNames,
  unaryOperators,
} from './demangle-words.rows.ts';

/** How expressions are read: they hold types, and types hold them. */
export interface Expressions {
  readonly expression: (reader: Reader) => Node;
  readonly literal: (reader: Reader) => Node;
}

/** Where in the name the reader is, and what the name may refer back to. */
export interface Reader {
  readonly expressions: Expressions;
  readonly name: string;
  at: number;
  readonly substitutions: Node[];
  /** Arguments of the last template of the function's name: what `T_` means. */
  args: readonly Node[];
  /** In the type of a conversion the arguments behind `T_` are the conversion's own. */
  conversion: boolean;
  depth: number;
}

/** What a function's name says of its type. */
interface NameState {
  template: boolean;
  withoutResult: boolean;
  words: string;
}

const deepest = 256;

/** Reader of a name, behind its `_Z`. */
export function readerOf(name: string, at: number, expressions: Expressions): Reader {
  return { expressions, name, at, substitutions: [], args: [], conversion: false, depth: 0 };
}

export function fail(): never {
  throw new Unreadable();
}

/** One level deeper: crafted names nest without end. */
export function deeper<Result>(reader: Reader, read: () => Result): Result {
  reader.depth += 1;
  if (reader.depth > deepest) fail();
  const result = read();
  reader.depth -= 1;
  return result;
}

/** Takes `wanted` where it comes next. */
export function eat(reader: Reader, wanted: string): boolean {
  if (!reader.name.startsWith(wanted, reader.at)) return false;
  reader.at += wanted.length;
  return true;
}

export function expect(reader: Reader, wanted: string): void {
  if (!eat(reader, wanted)) fail();
}

export function peek(reader: Reader, ahead: number = 0): string {
  return reader.name[reader.at + ahead] ?? '';
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

/** Decimal digits; fails without any. */
export function number(reader: Reader): number {
  const from = reader.at;
  while (isDigit(peek(reader))) reader.at += 1;
  if (reader.at === from || reader.at - from > 9) fail();
  return Number(reader.name.slice(from, reader.at));
}

/** `_` is 0, `0_` is 1, and so on; base 36 with capitals where `base` says so. */
function sequence(reader: Reader, base: 10 | 36): number {
  if (eat(reader, '_')) return 0;
  const from = reader.at;
  while (/^[0-9A-Z]$/.test(peek(reader))) reader.at += 1;
  const digits = reader.name.slice(from, reader.at);
  const value = digits.length > 0 && digits.length < 7 ? Number.parseInt(digits, base) : Number.NaN;
  if (Number.isNaN(value) || !eat(reader, '_')) fail();
  return value + 1;
}

/** Items up to the closing `E`. */
export function untilE<Item>(reader: Reader, read: () => Item): Item[] {
  const items: Item[] = [];
  while (!eat(reader, 'E')) {
    if (reader.at >= reader.name.length) fail();
    items.push(read());
  }
  return items;
}

/** A function or variable; functions with their parameters. */
export function parseEncoding(reader: Reader): Node {
  return deeper(reader, () => {
    const special = specialNames[reader.name.slice(reader.at, reader.at + 2)];
    if (special !== undefined) {
      reader.at += 2;
      return { kind: 'around', before: special, inner: parseType(reader), after: '' };
    }
    if (eat(reader, 'GV'))
      return { kind: 'around', before: 'guard variable for ', inner: parseName(reader, null), after: '' };
    const outer = reader.args;
    reader.args = [];
    const state: NameState = { template: false, withoutResult: false, words: '' };
    const name = parseName(reader, state);
    const args = reader.args;
    let node = name;
    if (reader.at < reader.name.length && peek(reader) !== 'E' && peek(reader) !== '.') {
      const result = state.template && !state.withoutResult ? parseType(reader) : null;
      const parameters: Node[] = [];
      do parameters.push(parseType(reader));
      while (reader.at < reader.name.length && peek(reader) !== 'E' && peek(reader) !== '.');
      node = {
        kind: 'encoding',
        name,
        args,
        type: { kind: 'function', result, parameters: withoutVoid(parameters), words: state.words },
      };
    }
    reader.args = outer;
    return node;
  });
}

function withoutVoid(parameters: readonly Node[]): readonly Node[] {
  const [only] = parameters;
  return parameters.length === 1 && only?.kind === 'text' && only.text === 'void' ? [] : parameters;
}

/** `state` is null where the name stands inside a type: its template arguments are then none that `T_` means. */
function parseName(reader: Reader, state: NameState | null): Node {
  return deeper(reader, () => {
    if (peek(reader) === 'N') return parseNested(reader, state);
    if (peek(reader) === 'Z') return parseLocal(reader, state);
    if (peek(reader) === 'S' && peek(reader, 1) !== 't') {
      const name = parseSubstitution(reader);
      if (peek(reader) !== 'I') return name;
      return templated(reader, name, state);
    }
    const std = eat(reader, 'St');
    const name = parseUnqualified(reader, null, state);
    const whole: Node = std ? { kind: 'in', scope: text('std'), name } : name;
    if (peek(reader) !== 'I') return whole;
    reader.substitutions.push(whole);
    return templated(reader, whole, state);
  });
}

function templated(reader: Reader, name: Node, state: NameState | null): Node {
  if (state !== null) state.template = true;
  return { kind: 'template', name, args: parseTemplateArgs(reader, state !== null) };
}

function parseQualifiers(reader: Reader): string {
  let words = '';
  if (eat(reader, 'r')) words = ' restrict';
  if (eat(reader, 'V')) words = ` volatile${words}`;
  if (eat(reader, 'K')) words = ` const${words}`;
  return words;
}

function parseNested(reader: Reader, state: NameState | null): Node {
  expect(reader, 'N');
  let words = parseQualifiers(reader);
  if (eat(reader, 'O')) words += ' &&';
  else if (eat(reader, 'R')) words += ' &';
  if (state !== null) state.words = words;
  let node: Node | null = null;
  let pushed = false;
  while (!eat(reader, 'E')) {
    if (reader.at >= reader.name.length) fail();
    // The place of a lambda in a class's member: it adds nothing.
    if (node !== null && eat(reader, 'M')) continue;
    const next = peek(reader);
    const second = peek(reader, 1);
    pushed = true;
    if (next === 'T' && node === null) node = parseTemplateParameter(reader);
    else if (next === 'I') {
      if (node === null) fail();
      node = templated(reader, node, state);
    } else if (next === 'D' && (second === 't' || second === 'T')) {
      if (node !== null) fail();
      node = parseDecltype(reader);
    } else if (next === 'S' && second !== 't') {
      if (node !== null) fail();
      node = parseSubstitution(reader);
      pushed = false;
      continue;
    } else {
      if (state !== null) {
        state.template = false;
        state.withoutResult = false;
      }
      if (node === null && eat(reader, 'St')) node = text('std');
      const name = parseUnqualified(reader, node, state);
      node = node === null ? name : { kind: 'in', scope: node, name };
    }
    reader.substitutions.push(node);
  }
  if (node === null) fail();
  // The whole is no part that may be named again, unless as a type: then the type is remembered.
  if (pushed) reader.substitutions.pop();
  return node;
}

function parseLocal(reader: Reader, state: NameState | null): Node {
  expect(reader, 'Z');
  const encoding = parseEncoding(reader);
  expect(reader, 'E');
  const scope: Node =
    encoding.kind === 'encoding' ? { ...encoding, type: { ...encoding.type, result: null } } : encoding;
  if (eat(reader, 's')) {
    discriminator(reader);
    return { kind: 'local', scope, name: text('string literal') };
  }
  if (eat(reader, 'd')) {
    const index = sequence(reader, 10) + 1;
    const name = parseName(reader, state);
    return { kind: 'local', scope, name: { kind: 'in', scope: text(`{default arg#${index}}`), name } };
  }
  const name = parseName(reader, state);
  discriminator(reader);
  return { kind: 'local', scope, name };
}

/** Tells like-named things of one function apart: `_3` or `__12_`. Not shown. */
function discriminator(reader: Reader): void {
  if (peek(reader) !== '_') return;
  if (peek(reader, 1) === '_' && isDigit(peek(reader, 2))) {
    reader.at += 2;
    number(reader);
    expect(reader, '_');
  } else if (isDigit(peek(reader, 1))) reader.at += 2;
}

/** One part of a name: an identifier, an operator, a constructor, a lambda. `scope` is what it lies in. */
export function parseUnqualified(reader: Reader, scope: Node | null, state: NameState | null): Node {
  eat(reader, 'L');
  const node = parseUntagged(reader, scope, state);
  let tagged = node;
  while (eat(reader, 'B')) {
    const tag = identifier(reader);
    tagged = { kind: 'around', before: '', inner: tagged, after: `[abi:${tag}]` };
  }
  return tagged;
}

function parseUntagged(reader: Reader, scope: Node | null, state: NameState | null): Node {
  const next = peek(reader);
  if (isDigit(next)) {
    const name = identifier(reader);
    return text(/^_GLOBAL_[._$]N/.test(name) ? '(anonymous namespace)' : name);
  }
  if (next === 'U') return parseUnnamed(reader);
  if ((next === 'C' || next === 'D') && scope !== null) {
    if (peek(reader, 1) === 'C') fail();
    reader.at += 1;
    const inherits = next === 'C' && eat(reader, 'I');
    if (!/^[0-5]$/.test(peek(reader))) fail();
    reader.at += 1;
    if (inherits) parseType(reader);
    if (state !== null) state.withoutResult = true;
    return text(`${next === 'D' ? '~' : ''}${baseName(scope)}`);
  }
  return parseOperatorName(reader, state);
}

function identifier(reader: Reader): string {
  const length = number(reader);
  const name = reader.name.slice(reader.at, reader.at + length);
  if (length === 0 || name.length < length) fail();
  reader.at += length;
  return name;
}

function parseUnnamed(reader: Reader): Node {
  if (eat(reader, 'Ut')) return text(`{unnamed type#${sequence(reader, 10) + 1}}`);
  if (!eat(reader, 'Ul')) fail();
  const parameters = untilE(reader, () => parseType(reader));
  return { kind: 'lambda', parameters: withoutVoid(parameters), number: sequence(reader, 10) + 1 };
}

function parseOperatorName(reader: Reader, state: NameState | null): Node {
  const code = reader.name.slice(reader.at, reader.at + 2);
  if (code === 'cv') {
    reader.at += 2;
    if (state !== null) state.withoutResult = true;
    const outer = reader.conversion;
    reader.conversion = true;
    const type = parseType(reader);
    reader.conversion = outer;
    return { kind: 'conversion', type };
  }
  if (code === 'li') {
    reader.at += 2;
    return text(`operator"" ${identifier(reader)}`);
  }
  const word = unaryOperators[code] ?? binaryOperators[code] ?? namedOperators[code];
  if (word === undefined || code === 'dt') fail();
  reader.at += 2;
  return text(`operator${word}`);
}

/** Name of a class without its scope and arguments, for its constructor. */
function baseName(node: Node): string {
  if (node.kind === 'text') {
    return Object.values(standardNames).find(({ name }) => node.text === name)?.base ?? node.text;
  }
  if (node.kind === 'in' || node.kind === 'local') return baseName(node.name);
  if (node.kind === 'template') return baseName(node.name);
  if (node.kind === 'around') return baseName(node.inner);
  if (node.kind === 'lambda') return '{lambda}';
  return fail();
}

/**
 * Arguments of a template, up to their `E`.
 * @param named whether `T_` means them from here on
 */
export function parseTemplateArgs(reader: Reader, named: boolean): readonly Node[] {
  return deeper(reader, () => {
    expect(reader, 'I');
    const args = untilE(reader, () => parseTemplateArg(reader));
    if (named) reader.args = args;
    return args;
  });
}

function parseTemplateArg(reader: Reader): Node {
  if (eat(reader, 'X')) {
    const expression = reader.expressions.expression(reader);
    expect(reader, 'E');
    return expression;
  }
  if (peek(reader) === 'L') return reader.expressions.literal(reader);
  if (eat(reader, 'J')) return { kind: 'pack', items: untilE(reader, () => parseTemplateArg(reader)) };
  return parseType(reader);
}

export function parseTemplateParameter(reader: Reader): Node {
  expect(reader, 'T');
  if (peek(reader) === 'L') fail();
  const index = sequence(reader, 10);
  return { kind: 'parameter', index };
}

export function parseSubstitution(reader: Reader): Node {
  expect(reader, 'S');
  const letter = peek(reader);
  const standard = standardNames[letter];
  if (standard !== undefined) {
    reader.at += 1;
    let node: Node = text(standard.name);
    while (eat(reader, 'B')) {
      node = { kind: 'around', before: '', inner: node, after: `[abi:${identifier(reader)}]` };
      reader.substitutions.push(node);
    }
    return node;
  }
  return reader.substitutions[sequence(reader, 36)] ?? fail();
}

function parseDecltype(reader: Reader): Node {
  reader.at += 2;
  const inner = reader.expressions.expression(reader);
  expect(reader, 'E');
  return { kind: 'around', before: 'decltype (', inner, after: ')' };
}

/** A type. All but the built-in ones may be named again. */
export function parseType(reader: Reader): Node {
  return deeper(reader, () => {
    const next = peek(reader);
    const second = peek(reader, 1);
    const builtin = builtinTypes[next];
    if (builtin !== undefined) {
      reader.at += 1;
      return text(builtin);
    }
    if (next === 'D') {
      const extended = parseExtended(reader, second);
      if (extended.kind === 'text') return extended;
      reader.substitutions.push(extended);
      return extended;
    }
    if (next === 'S' && second !== 't') {
      const name = parseSubstitution(reader);
      if (peek(reader) !== 'I') return name;
      const node: Node = { kind: 'template', name, args: parseTemplateArgs(reader, false) };
      reader.substitutions.push(node);
      return node;
    }
    const node = parseRemembered(reader, next);
    reader.substitutions.push(node);
    return node;
  });
}

function parseRemembered(reader: Reader, next: string): Node {
  switch (next) {
    case 'r':
    case 'V':
    case 'K': {
      const words = parseQualifiers(reader);
      const type = parseType(reader);
      return type.kind === 'function'
        ? { ...type, words: `${words}${type.words}` }
        : { kind: 'qualified', type, words };
    }
    case 'U':
      return parseVendorQualified(reader);
    case 'P':
      reader.at += 1;
      return { kind: 'pointer', to: parseType(reader) };
    case 'R':
      reader.at += 1;
      return { kind: 'reference', to: parseType(reader) };
    case 'O':
      reader.at += 1;
      return { kind: 'rvalue', to: parseType(reader) };
    case 'C':
      reader.at += 1;
      return { kind: 'around', before: '', inner: parseType(reader), after: ' _Complex' };
    case 'F':
      return parseFunction(reader, '');
    case 'A':
      return parseArray(reader);
    case 'M': {
      reader.at += 1;
      const scope = parseType(reader);
      return { kind: 'member', scope, type: parseType(reader) };
    }
    case 'T': {
      if (/^[sue]$/.test(peek(reader, 1))) {
        reader.at += 2;
        return parseName(reader, null);
      }
      const parameter = parseTemplateParameter(reader);
      if (reader.conversion || peek(reader) !== 'I') return parameter;
      // A template that is itself an argument.
      reader.substitutions.push(parameter);
      return { kind: 'template', name: parameter, args: parseTemplateArgs(reader, false) };
    }
    case 'u':
      reader.at += 1;
      return text(identifier(reader));
    default:
      return parseName(reader, null);
  }
}

function parseVendorQualified(reader: Reader): Node {
  expect(reader, 'U');
  const word = identifier(reader);
  const args = peek(reader) === 'I' ? parseTemplateArgs(reader, false) : null;
  const type = parseType(reader);
  if (args !== null) fail();
  return { kind: 'qualified', type, words: ` ${word}` };
}

function parseExtended(reader: Reader, second: string): Node {
  const plain = extendedTypes[`D${second}`];
  if (plain !== undefined) {
    reader.at += 2;
    return text(plain);
  }
  if (second === 't' || second === 'T') return parseDecltype(reader);
  reader.at += 2;
  switch (second) {
    case 'p':
      return { kind: 'expansion', pattern: parseType(reader) };
    case 'o':
      return parseFunction(reader, ' noexcept');
    case 'v': {
      const length = peek(reader) === '_' ? fail() : number(reader);
      expect(reader, '_');
      return { kind: 'around', before: '', inner: parseType(reader), after: ` __vector(${length})` };
    }
    case 'F': {
      const bits = number(reader);
      if (eat(reader, 'b')) return text(bits === 16 ? 'std::bfloat16_t' : fail());
      expect(reader, '_');
      return text(`_Float${bits}`);
    }
    default:
      return fail();
  }
}

function parseFunction(reader: Reader, words: string): FunctionNode {
  expect(reader, 'F');
  eat(reader, 'Y');
  const result = parseType(reader);
  const parameters: Node[] = [];
  let reference = '';
  while (!eat(reader, 'E')) {
    if (reader.at >= reader.name.length) fail();
    if (eat(reader, 'RE')) {
      reference = ' &';
      break;
    }
    if (eat(reader, 'OE')) {
      reference = ' &&';
      break;
    }
    parameters.push(parseType(reader));
  }
  return { kind: 'function', result, parameters: withoutVoid(parameters), words: `${reference}${words}` };
}

function parseArray(reader: Reader): Node {
  expect(reader, 'A');
  let length: Node | null = null;
  if (isDigit(peek(reader))) length = text(String(number(reader)));
  else if (peek(reader) !== '_') length = reader.expressions.expression(reader);
  expect(reader, '_');
  return { kind: 'array', length, of: parseType(reader) };
}
