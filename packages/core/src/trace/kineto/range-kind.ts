import type { Range } from '../model.ts';

const kinds: readonly (readonly [RegExp, Range['kind']])[] = [
  [/^ProfilerStep#|^(?:train|training|step|iteration)[ _#]{0,2}\d{1,9}$/i, 'step'],
  [/^enumerate\(|DataLoader|data_?loader|^(?:load|fetch|next)[ _](?:batch|data)/i, 'loader'],
  [/compile|autotun|^Driver Compiler|Module Loading|Lazy Function Loading|cudnn.{0,10}benchmark/i, 'compile'],
];

/** Regions that a compiled program runs, by which nothing is compiled. */
const compiledCode = /^Torch-Compiled Region|^CompiledFunction|^## Call CompiledFxGraph/;

/** What a named stretch of the CPU is, from the names that PyTorch, its data loader and its compiler give. */
export function rangeKindOf(name: string): Range['kind'] {
  const head = name.slice(0, 200);
  if (compiledCode.test(head)) return 'other';
  return kinds.find(([pattern]) => pattern.test(head))?.[1] ?? 'other';
}
