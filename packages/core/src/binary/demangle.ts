// C++ names of symbols. A kernel's symbol is mangled by the rules of the Itanium C++ ABI:
//   _Z10k_templateIfLi4EEvPT_  →  void k_template<float, 4>(float*)
import { Unreadable } from './demangle-nodes.ts';
import { parseExpression, parseLiteral } from './demangle-expressions.ts';
import { parseEncoding, readerOf } from './demangle-parse.ts';
import { print } from './demangle-print.ts';
import type { Budget } from './demangle-print.ts';

/** Work that all names of one file may cost together. */
const stepsOfFile = 30_000_000;
/** Work that one name may cost. */
const stepsOfName = 300_000;
const longestName = 16 * 1024;

/** What demangling a file's names may still cost. */
export function demangleBudget(): Budget {
  return { steps: stepsOfFile };
}

/**
 * C++ name of a symbol; the symbol itself where it is none, cannot be read or would cost more than `budget` has left.
 */
export function demangle(name: string, budget: Budget = demangleBudget()): string {
  if (!name.startsWith('_Z') || name.length > longestName || budget.steps <= 0) return name;
  const own: Budget = { steps: Math.min(stepsOfName, budget.steps) };
  const before = own.steps;
  try {
    const reader = readerOf(name, 2, { expression: parseExpression, literal: parseLiteral });
    const node = parseEncoding(reader);
    const rest = name.slice(reader.at);
    // A copy that the compiler made for itself keeps its mark.
    if (rest !== '' && !/^(?:\.[A-Za-z0-9_]{1,64}){1,8}$/.test(rest)) return name;
    return `${print(node, own)}${rest === '' ? '' : ` [clone ${rest}]`}`;
  } catch (error) {
    if (error instanceof Unreadable) return name;
    throw error;
  } finally {
    budget.steps -= before - own.steps + name.length;
  }
}
