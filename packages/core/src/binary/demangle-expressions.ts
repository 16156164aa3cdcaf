// Expressions and literals inside mangled names: https://itanium-cxx-abi.github.io/cxx-abi/abi.html#expressions
import { text } from './demangle-nodes.ts';
import type { Node } from './demangle-nodes.ts';
import {
  deeper,
  eat,
  expect,
  fail,
  number,
  parseEncoding,
  parseSubstitution,
  parseTemplateArgs,
  parseTemplateParameter,
  parseType,
  parseUnqualified,
  peek,
  untilE,
} from './demangle-parse.ts';
import type { Reader } from './demangle-parse.ts';
import { binaryOperators, builtinTypes, unaryOperators } from './demangle-words.rows.ts';

const namedCasts: Readonly<Record<string, string>> = {
  sc: 'static_cast',
  dc: 'dynamic_cast',
  rc: 'reinterpret_cast',
  cc: 'const_cast',
};

/** `L … E`: a value of a type, or a function or variable. */
export function parseLiteral(reader: Reader): Node {
  expect(reader, 'L');
  if (eat(reader, '_Z') || eat(reader, 'Z')) {
    const node = parseEncoding(reader);
    expect(reader, 'E');
    return node;
  }
  const code = builtinTypes[peek(reader)] === undefined ? '' : peek(reader);
  const type = parseType(reader);
  const end = reader.name.indexOf('E', reader.at);
  if (end < 0) fail();
  const value = reader.name.slice(reader.at, end);
  if (!/^n?[0-9a-f]*$/.test(value)) fail();
  reader.at = end + 1;
  return { kind: 'literal', type, code, value: value.replace('n', '-') };
}

/** Parameter of the function whose type is being told: `fp_`, `fL0p_`. */
function parseFunctionParameter(reader: Reader): Node {
  if (eat(reader, 'fL')) {
    number(reader);
    expect(reader, 'p');
  } else expect(reader, 'fp');
  if (eat(reader, 'T')) return text('this');
  while (/^[rVK]$/.test(peek(reader))) reader.at += 1;
  if (eat(reader, '_')) return text('{parm#1}');
  const index = number(reader) + 2;
  expect(reader, '_');
  return text(`{parm#${index}}`);
}

export function parseExpression(reader: Reader): Node {
  return deeper(reader, () => {
    const next = peek(reader);
    const code = next + peek(reader, 1);
    if (next === 'L') return parseLiteral(reader);
    if (next === 'T') return parseTemplateParameter(reader);
    if (code === 'fp' || (code === 'fL' && /^\d$/.test(peek(reader, 2)))) return parseFunctionParameter(reader);
    if (/^f[lrLR]$/.test(code)) return parseFold(reader);
    if (/^\d$/.test(next)) return parseSimpleName(reader);
    reader.at += 2;
    const unary = unaryOperators[code];
    if (unary !== undefined) {
      if (code === 'pp' || code === 'mm') {
        if (eat(reader, '_')) return { kind: 'prefix', operator: unary, operand: parseExpression(reader) };
        return { kind: 'suffix', operator: unary, operand: parseExpression(reader) };
      }
      return { kind: 'prefix', operator: unary, operand: parseExpression(reader) };
    }
    const binary = binaryOperators[code];
    if (binary !== undefined) {
      const left = parseExpression(reader);
      return { kind: 'binary', operator: binary, left, right: parseExpression(reader) };
    }
    return parseWorded(reader, code);
  });
}

function parseWorded(reader: Reader, code: string): Node {
  const word = namedCasts[code];
  if (word !== undefined) {
    const type = parseType(reader);
    return { kind: 'named-cast', word, type, operand: parseExpression(reader) };
  }
  switch (code) {
    case 'ix': {
      const left = parseExpression(reader);
      return { kind: 'binary', operator: '[]', left, right: parseExpression(reader) };
    }
    case 'qu': {
      const condition = parseExpression(reader);
      const yes = parseExpression(reader);
      return { kind: 'choice', condition, yes, no: parseExpression(reader) };
    }
    case 'cl': {
      const callee = parseExpression(reader);
      return { kind: 'call', callee, args: untilE(reader, () => parseExpression(reader)) };
    }
    case 'cv': {
      const type = parseType(reader);
      if (eat(reader, '_'))
        return {
          kind: 'cast',
          type,
          operand: { kind: 'list', type: null, items: untilE(reader, () => parseExpression(reader)) },
        };
      return { kind: 'cast', type, operand: parseExpression(reader) };
    }
    case 'st':
    case 'at':
      return { kind: 'around', before: code === 'st' ? 'sizeof (' : 'alignof (', inner: parseType(reader), after: ')' };
    case 'sz':
    case 'az':
    case 'nx': {
      const before = { sz: 'sizeof (', az: 'alignof (', nx: 'noexcept(' }[code];
      return { kind: 'around', before, inner: parseExpression(reader), after: ')' };
    }
    case 'sZ':
      return {
        kind: 'count',
        operand: peek(reader) === 'T' ? parseTemplateParameter(reader) : parseFunctionParameter(reader),
      };
    case 'sp':
      return { kind: 'expansion', pattern: parseExpression(reader) };
    case 'tl':
    case 'il': {
      const type = code === 'tl' ? parseType(reader) : null;
      return { kind: 'list', type, items: untilE(reader, () => parseExpression(reader)) };
    }
    case 'on':
      return parseSimpleName(reader);
    case 'gs':
      return { kind: 'around', before: '::', inner: parseExpression(reader), after: '' };
    case 'sr':
      return parseScoped(reader);
    default:
      return fail();
  }
}

/** `sr` and a type, then the name inside it; `srN` has several levels. */
function parseScoped(reader: Reader): Node {
  if (!eat(reader, 'N')) {
    const scope = parseType(reader);
    return { kind: 'in', scope, name: parseSimpleName(reader) };
  }
  let scope = peek(reader) === 'S' ? parseSubstitution(reader) : parseType(reader);
  if (peek(reader) === 'I') scope = { kind: 'template', name: scope, args: parseTemplateArgs(reader, false) };
  for (const name of untilE(reader, () => parseSimpleName(reader))) scope = { kind: 'in', scope, name };
  return { kind: 'in', scope, name: parseSimpleName(reader) };
}

function parseSimpleName(reader: Reader): Node {
  eat(reader, 'on');
  const name = parseUnqualified(reader, null, null);
  return peek(reader) === 'I' ? { kind: 'template', name, args: parseTemplateArgs(reader, false) } : name;
}

function parseFold(reader: Reader): Node {
  const form = peek(reader, 1);
  reader.at += 2;
  const operator = binaryOperators[reader.name.slice(reader.at, reader.at + 2)] ?? fail();
  reader.at += 2;
  const first = parseExpression(reader);
  if (form === 'l') return { kind: 'fold', before: null, operator, after: first };
  if (form === 'r') return { kind: 'fold', before: first, operator, after: null };
  return { kind: 'fold', before: first, operator, after: parseExpression(reader) };
}
