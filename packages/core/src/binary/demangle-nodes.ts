// What a mangled name says, as a tree. Parts are shared where the name refers back to them.

export type Node =
  /** Text as it stands. */
  | { readonly kind: 'text'; readonly text: string }
  /** `left::right` */
  | { readonly kind: 'in'; readonly scope: Node; readonly name: Node }
  | { readonly kind: 'template'; readonly name: Node; readonly args: readonly Node[] }
  /** Arguments that stand for one parameter pack. */
  | { readonly kind: 'pack'; readonly items: readonly Node[] }
  | { readonly kind: 'expansion'; readonly pattern: Node }
  /** Parameter of the template whose function is being told: its meaning is known where it is printed. */
  | { readonly kind: 'parameter'; readonly index: number }
  | { readonly kind: 'pointer' | 'reference' | 'rvalue'; readonly to: Node }
  | { readonly kind: 'qualified'; readonly type: Node; readonly words: string }
  | FunctionNode
  | { readonly kind: 'array'; readonly length: Node | null; readonly of: Node }
  | { readonly kind: 'member'; readonly scope: Node; readonly type: Node }
  /** A function with its parameters; `args` are what `parameter` means inside it. */
  | { readonly kind: 'encoding'; readonly name: Node; readonly type: FunctionNode; readonly args: readonly Node[] }
  /** Something inside a function. */
  | { readonly kind: 'local'; readonly scope: Node; readonly name: Node }
  | { readonly kind: 'lambda'; readonly parameters: readonly Node[]; readonly number: number }
  /** Words around a part: `vtable for X`, `decltype (X)`. */
  | { readonly kind: 'around'; readonly before: string; readonly inner: Node; readonly after: string }
  | { readonly kind: 'conversion'; readonly type: Node }
  | { readonly kind: 'literal'; readonly type: Node; readonly code: string; readonly value: string }
  | { readonly kind: 'list'; readonly type: Node | null; readonly items: readonly Node[] }
  | { readonly kind: 'prefix'; readonly operator: string; readonly operand: Node }
  | { readonly kind: 'suffix'; readonly operator: string; readonly operand: Node }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly kind: 'choice'; readonly condition: Node; readonly yes: Node; readonly no: Node }
  | { readonly kind: 'call'; readonly callee: Node; readonly args: readonly Node[] }
  | { readonly kind: 'cast'; readonly type: Node; readonly operand: Node }
  | { readonly kind: 'named-cast'; readonly word: string; readonly type: Node; readonly operand: Node }
  /** `sizeof...` of a pack. */
  | { readonly kind: 'count'; readonly operand: Node }
  | { readonly kind: 'fold'; readonly before: Node | null; readonly operator: string; readonly after: Node | null };

export interface FunctionNode {
  readonly kind: 'function';
  readonly result: Node | null;
  readonly parameters: readonly Node[];
  /** ` const`, ` &&`, ` noexcept` behind the parameters. */
  readonly words: string;
}

/** Text as a node. */
export function text(value: string): Node {
  return { kind: 'text', text: value };
}

/** Thrown where a name cannot be read; never leaves `demangle`. */
export class Unreadable extends Error {}
