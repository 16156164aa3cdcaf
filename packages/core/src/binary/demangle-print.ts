// Tree of a mangled name → C++, spelled as binutils' c++filt does: `> >`, `int const*`, `{lambda(int)#1}`.
import { text, Unreadable } from './demangle-nodes.ts';
import type { Node } from './demangle-nodes.ts';
import { literalSuffixes } from './demangle-words.rows.ts';

/** What printing may cost: a short name can stand for a text without end. */
export interface Budget {
  steps: number;
}

interface Printer {
  readonly budget: Budget;
  /** Which item of a pack is meant, inside an expansion. */
  item: number | null;
  /** What parameters mean: the arguments of each function that is being told, innermost first. */
  args: readonly (readonly Node[])[];
  /** In the parameters of a lambda they are its own `auto`. */
  lambda: boolean;
  depth: number;
}

const deepest = 400;
const longest = 128 * 1024;

/** Prints a tree; throws `Unreadable` where it has no end or the budget is used up. */
export function print(node: Node, budget: Budget): string {
  return whole({ budget, item: null, args: [], lambda: false, depth: 0 }, node);
}

function whole(printer: Printer, node: Node): string {
  const result = left(printer, node) + right(printer, node);
  if (result.length > longest) throw new Unreadable();
  return result;
}

function step(printer: Printer): void {
  printer.budget.steps -= 1;
  if (printer.budget.steps < 0 || printer.depth > deepest) throw new Unreadable();
}

/** What a parameter stands for; where an expansion is being printed, one item of a pack. */
function resolved(printer: Printer, node: Node): Node {
  let found = node;
  // An argument that is a parameter itself belongs to the function around.
  for (let level = 0; found.kind === 'parameter'; level += 1) {
    if (printer.lambda) return text(`auto:${found.index + 1}`);
    found = printer.args[level]?.[found.index] ?? unreadable();
    if (found.kind === 'pack' && printer.item !== null) found = found.items[printer.item] ?? unreadable();
  }
  return found;
}

/** A function or an array, whatever qualifies it: both stand around a name. */
function isAround(printer: Printer, node: Node): 'function' | 'array' | null {
  const inner = resolved(printer, node);
  if (inner.kind === 'qualified') return isAround(printer, inner.type);
  return inner.kind === 'function' || inner.kind === 'array' ? inner.kind : null;
}

function unreadable(): never {
  throw new Unreadable();
}

/** Items of a list, without those that an empty pack leaves. */
function list(printer: Printer, nodes: readonly Node[]): string {
  return nodes
    .map((node) => whole(printer, node))
    .filter((item) => item !== '')
    .join(', ');
}

function templateArgs(printer: Printer, nodes: readonly Node[]): string {
  const items = nodes.map((node) => whole(printer, node));
  const inner = items.filter((item) => item !== '').join(', ');
  // As c++filt: behind an empty pack there is no space.
  return `<${inner}${items.at(-1)?.endsWith('>') === true ? ' ' : ''}>`;
}

/** What stands before a name of this type; all of what is no type. */
function left(printer: Printer, given: Node): string {
  step(printer);
  printer.depth += 1;
  const node = resolved(printer, given);
  const result = leftOf(printer, node);
  printer.depth -= 1;
  return result;
}

function leftOf(printer: Printer, node: Node): string {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'in':
    case 'local':
      return `${whole(printer, node.scope)}::${whole(printer, node.name)}`;
    case 'template': {
      const name = whole(printer, node.name);
      return `${name}${name.endsWith('<') ? ' ' : ''}${templateArgs(printer, node.args)}`;
    }
    case 'pack':
      return list(printer, node.items);
    case 'expansion':
      return expansion(printer, node.pattern);
    case 'pointer':
    case 'reference':
    case 'rvalue':
      return indirect(printer, node);
    case 'qualified': {
      const inner = resolved(printer, node.type);
      return inner.kind === 'array'
        ? `${left(printer, inner)}${node.words}`
        : `${left(printer, inner)}${without(node.words, inner)}`;
    }
    case 'function':
      return node.result === null ? '' : spaced(printer, node.result);
    case 'array':
      return left(printer, node.of);
    case 'member': {
      const type = resolved(printer, node.type);
      return `${left(printer, type)}${type.kind === 'function' ? '(' : ' '}${whole(printer, node.scope)}::*`;
    }
    case 'encoding':
      return encoding(printer, node);
    case 'lambda':
      return lambda(printer, node.parameters, node.number);
    case 'around':
      return `${node.before}${whole(printer, node.inner)}${node.after}`;
    case 'conversion':
      return `operator ${whole(printer, node.type)}`;
    case 'parameter':
      return unreadable();
    case 'literal':
    case 'list':
    case 'prefix':
    case 'suffix':
    case 'binary':
    case 'choice':
    case 'call':
    case 'cast':
    case 'named-cast':
    case 'count':
    case 'fold':
      return expression(printer, node);
  }
}

/** What stands behind a name of this type. */
function right(printer: Printer, given: Node): string {
  step(printer);
  printer.depth += 1;
  const node = resolved(printer, given);
  const result = rightOf(printer, node);
  printer.depth -= 1;
  return result;
}

function rightOf(printer: Printer, node: Node): string {
  if (node.kind === 'qualified') return right(printer, node.type);
  if (node.kind === 'function')
    return `(${list(printer, node.parameters)})${node.words}${node.result === null ? '' : right(printer, node.result)}`;
  if (node.kind === 'array') {
    const length = node.length === null ? '' : whole(printer, node.length);
    const further = right(printer, node.of);
    return ` [${length}]${further.startsWith(' [') ? further.slice(1) : further}`;
  }
  if (node.kind === 'member') {
    const type = resolved(printer, node.type);
    return `${type.kind === 'function' ? ')' : ''}${right(printer, type)}`;
  }
  if (node.kind !== 'pointer' && node.kind !== 'reference' && node.kind !== 'rvalue') return '';
  const { to } = collapsed(printer, node);
  return `${isAround(printer, to) === null ? '' : ')'}${right(printer, to)}`;
}

/** `const` is not said twice. */
function without(words: string, inner: Node): string {
  return inner.kind === 'qualified' && inner.words === words ? '' : words;
}

/** A result before the name it belongs to: a function pointer embraces it, all else has a space. */
function spaced(printer: Printer, result: Node): string {
  const before = left(printer, result);
  return right(printer, result) === '' ? `${before} ` : before;
}

function encoding(printer: Printer, node: Extract<Node, { readonly kind: 'encoding' }>): string {
  const { args, item, lambda: inLambda } = printer;
  printer.args = [node.args, ...args];
  printer.item = null;
  printer.lambda = false;
  const result = node.type.result === null ? '' : spaced(printer, node.type.result);
  const told = `${result}${whole(printer, node.name)}${right(printer, node.type)}`;
  Object.assign(printer, { args, item, lambda: inLambda });
  return told;
}

function lambda(printer: Printer, parameters: readonly Node[], number: number): string {
  const { lambda: outer, item } = printer;
  printer.lambda = true;
  printer.item = null;
  const told = `{lambda(${list(printer, parameters)})#${number}}`;
  Object.assign(printer, { lambda: outer, item });
  return told;
}

type Indirect = Extract<Node, { readonly to: Node }>;

/** A reference to a reference is one reference: `&` wins. */
function collapsed(printer: Printer, node: Indirect): { readonly sign: string; readonly to: Node } {
  let sign = node.kind === 'pointer' ? '*' : node.kind === 'reference' ? '&' : '&&';
  let to = resolved(printer, node.to);
  while (node.kind !== 'pointer' && (to.kind === 'reference' || to.kind === 'rvalue')) {
    if (to.kind === 'reference') sign = '&';
    to = resolved(printer, to.to);
  }
  return { sign, to };
}

function indirect(printer: Printer, node: Indirect): string {
  const { sign, to } = collapsed(printer, node);
  const around = isAround(printer, to);
  const open = around === 'function' ? '(' : around === 'array' ? ' (' : '';
  return `${left(printer, to)}${open}${sign}`;
}

function expansion(printer: Printer, pattern: Node): string {
  const length = packLength(printer, pattern, 0);
  if (length === null) return `${operand(printer, pattern)}...`;
  const outer = printer.item;
  const items: string[] = [];
  for (let i = 0; i < length; i += 1) {
    printer.item = i;
    items.push(whole(printer, pattern));
  }
  printer.item = outer;
  return items.filter((item) => item !== '').join(', ');
}

/** Items of the first pack in a pattern that is not expanded there already; null without one. */
function packLength(printer: Printer, node: Node, depth: number): number | null {
  printer.budget.steps -= 1;
  if (depth > deepest || printer.budget.steps < 0) throw new Unreadable();
  const inAny = (nodes: readonly (Node | null)[]): number | null => {
    for (const each of nodes) {
      const length = each === null ? null : packLength(printer, each, depth + 1);
      if (length !== null) return length;
    }
    return null;
  };
  switch (node.kind) {
    case 'pack':
      return node.items.length;
    case 'parameter': {
      const target = printer.args[0]?.[node.index];
      return target?.kind === 'pack' ? target.items.length : null;
    }
    case 'text':
    case 'expansion':
    case 'literal':
    case 'count':
    case 'encoding':
    case 'lambda':
      return null;
    case 'in':
    case 'local':
      return inAny([node.scope, node.name]);
    case 'template':
      return inAny([node.name, ...node.args]);
    case 'pointer':
    case 'reference':
    case 'rvalue':
      return inAny([node.to]);
    case 'qualified':
    case 'conversion':
      return inAny([node.type]);
    case 'function':
      return inAny([node.result, ...node.parameters]);
    case 'array':
      return inAny([node.length, node.of]);
    case 'member':
      return inAny([node.scope, node.type]);
    case 'around':
      return inAny([node.inner]);
    case 'list':
      return inAny([node.type, ...node.items]);
    case 'prefix':
    case 'suffix':
      return inAny([node.operand]);
    case 'binary':
      return inAny([node.left, node.right]);
    case 'choice':
      return inAny([node.condition, node.yes, node.no]);
    case 'call':
      return inAny([node.callee, ...node.args]);
    case 'cast':
    case 'named-cast':
      return inAny([node.type, node.operand]);
    case 'fold':
      return inAny([node.before, node.after]);
  }
}

/** In parentheses, but for plain names. */
function operand(printer: Printer, node: Node): string {
  const inner = whole(printer, node);
  const plain = node.kind === 'text' || node.kind === 'in' || node.kind === 'list';
  return plain ? inner : `(${inner})`;
}

type Expression = Extract<
  Node,
  {
    readonly kind:
      | 'literal'
      | 'list'
      | 'prefix'
      | 'suffix'
      | 'binary'
      | 'choice'
      | 'call'
      | 'cast'
      | 'named-cast'
      | 'count'
      | 'fold';
  }
>;

function expression(printer: Printer, node: Expression): string {
  switch (node.kind) {
    case 'literal':
      return literal(printer, node);
    case 'list':
      return `${node.type === null ? '' : whole(printer, node.type)}{${list(printer, node.items)}}`;
    case 'prefix': {
      const { operand: inner } = node;
      // The address of a function inside something is told without its parameters.
      if (node.operator === '&' && inner.kind === 'encoding' && inner.name.kind === 'in')
        return `&${whole(printer, inner.name)}`;
      return `${node.operator}${operand(printer, inner)}`;
    }
    case 'suffix':
      return `${operand(printer, node.operand)}${node.operator}`;
    case 'binary':
      return binary(printer, node.operator, node.left, node.right);
    case 'choice':
      return `${operand(printer, node.condition)}?${operand(printer, node.yes)} : ${operand(printer, node.no)}`;
    case 'call': {
      const callee = node.callee.kind === 'encoding' ? node.callee.name : node.callee;
      return `${operand(printer, callee)}(${list(printer, node.args)})`;
    }
    case 'cast':
      return `(${whole(printer, node.type)})${node.operand.kind === 'list' ? `(${list(printer, node.operand.items)})` : operand(printer, node.operand)}`;
    case 'named-cast':
      return `${node.word}<${whole(printer, node.type)}>(${whole(printer, node.operand)})`;
    case 'count': {
      const length = packLength(printer, node.operand, 0);
      if (length === null) throw new Unreadable();
      return String(length);
    }
    case 'fold':
      return fold(printer, node.before, node.operator, node.after);
  }
}

function binary(printer: Printer, operator: string, before: Node, after: Node): string {
  if (operator === '[]') return `${operand(printer, before)}[${whole(printer, after)}]`;
  const both = `${operand(printer, before)}${operator}${operand(printer, after)}`;
  return operator === '>' ? `(${both})` : both;
}

/** Packs in a fold are told as a whole. */
function fold(printer: Printer, before: Node | null, operator: string, after: Node | null): string {
  const outer = printer.item;
  printer.item = null;
  const one = before === null ? '' : `${operand(printer, before)}${operator}`;
  const two = after === null ? '' : `${operator}${operand(printer, after)}`;
  printer.item = outer;
  return `(${one}...${two})`;
}

function literal(printer: Printer, node: Extract<Node, { readonly kind: 'literal' }>): string {
  const suffix = literalSuffixes[node.code];
  if (suffix !== undefined) return `${node.value}${suffix}`;
  if (node.code === 'b' && node.value === '0') return 'false';
  if (node.code === 'b' && node.value === '1') return 'true';
  const type = whole(printer, node.type);
  return /^[fdeg]$/.test(node.code) ? `(${type})[${node.value}]` : `(${type})${node.value}`;
}
