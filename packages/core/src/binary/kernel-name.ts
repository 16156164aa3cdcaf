// Ways in which people name a kernel.
import type { Kernel } from './model.ts';

/**
 * True where a user who writes `wanted` means this kernel: its symbol, its C++ name in full, or that name without
 * result and parameters, without template arguments, without namespaces.
 */
export function isKernelNamed(kernel: Pick<Kernel, 'name' | 'demangled'>, wanted: string): boolean {
  const name = wanted.trim();
  return kernel.name === name || shortNames(kernel.demangled).includes(name);
}

/** `void ns::k<float, 4>(float*)` → itself, `ns::k<float, 4>`, `ns::k`, `k<float, 4>`, `k`. */
function shortNames(demangled: string): readonly string[] {
  const end = topLevel(demangled, '(').at(0) ?? demangled.length;
  const head = demangled.slice(0, end);
  const from = (topLevel(head, ' ').at(-1) ?? -1) + 1;
  const qualified = head.slice(from);
  const bare = qualified.slice(0, topLevel(qualified, '<').at(-1) ?? qualified.length);
  const lastOf = (text: string): string => text.slice((topLevel(text, ':').at(-1) ?? -1) + 1);
  return [demangled, qualified, bare, lastOf(qualified), lastOf(bare)];
}

const anonymous = '(anonymous namespace)';

/** Places of a character outside of all brackets; a bracket that opens counts as outside. */
function topLevel(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    if (depth === 0 && text.startsWith(anonymous, i)) {
      i += anonymous.length - 1;
      continue;
    }
    const character = text[i]!;
    if (depth === 0 && character === wanted) places.push(i);
    if (character === '<' || character === '(' || character === '{' || character === '[') depth += 1;
    else if (character === '>' || character === ')' || character === '}' || character === ']') depth -= 1;
  }
  return places;
}
