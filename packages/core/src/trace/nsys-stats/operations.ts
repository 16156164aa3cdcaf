import type { Direction, MemoryKind } from '../model.ts';

const directions: readonly (readonly [RegExp, Direction])[] = [
  [/\b(?:HtoD|H2D|Host-to-Device|HtoA|Host-to-Array)\b/i, 'HtoD'],
  [/\b(?:DtoH|D2H|Device-to-Host|AtoH|Array-to-Host)\b/i, 'DtoH'],
  [/\b(?:PtoP|P2P|Peer-to-Peer)\b/i, 'PtoP'],
  [/\b(?:DtoD|D2D|Device-to-Device|AtoD|DtoA|AtoA)\b/i, 'DtoD'],
  [/\b(?:HtoH|Host-to-Host)\b/i, 'HtoH'],
];

/**
 * What an operation on memory is, from its label: `[CUDA memcpy HtoD]` up to 2023, `[CUDA memcpy Host-to-Device]` since,
 * `[CUDA Unified Memory memcpy HtoD]`, `[CUDA memcpy Unified Host-to-Device]`, `[CUDA memset]`.
 * @returns null for a name that is none
 */
export function operationOf(label: string): Direction | 'memset' | null {
  const text = label.trim().slice(0, 200);
  if (!/^\[(?:CUDA|Unified|memcpy|memset)\b/i.test(text)) return null;
  if (/\bmemset\b/i.test(text)) return 'memset';
  if (!/\bmemcpy\b/i.test(text)) return null;
  const way = directions.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown';
  const unified = /\bUnified\b/i.test(text) && (way === 'HtoD' || way === 'DtoH' || way === 'DtoD');
  return unified ? `UVM_${way}` : way;
}

const kinds: readonly (readonly [RegExp, MemoryKind])[] = [
  [/^pageable/i, 'pageable'],
  [/^pinned/i, 'pinned'],
  [/^device/i, 'device'],
  [/^array/i, 'array'],
  [/^managed/i, 'managed'],
];

/** Kind of memory from a cell of `SrcMemKd` or `DstMemKd`. */
export function memoryOf(cell: string | undefined): MemoryKind {
  const text = cell?.trim() ?? '';
  return kinds.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown';
}
