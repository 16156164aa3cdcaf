import { WordTable } from './words.ts';

/** What an event of PyTorch is by its category; early profilers wrote `Kernel`, `Memcpy`, `Runtime`. */
export const categories = {
  kernel: 0,
  copy: 1,
  memset: 2,
  call: 3,
  synchronisation: 4,
  eventRecord: 5,
  annotation: 6,
  operator: 7,
  overhead: 8,
  python: 9,
  ignored: 10,
  unknown: 11,
} as const;

const words: readonly (readonly [string, number])[] = [
  ['kernel', categories.kernel],
  ['concurrent_kernel', categories.kernel],
  ['gpu_memcpy', categories.copy],
  ['memcpy', categories.copy],
  ['gpu_memset', categories.memset],
  ['memset', categories.memset],
  ['cuda_runtime', categories.call],
  ['runtime', categories.call],
  ['cuda_driver', categories.call],
  ['driver', categories.call],
  ['hip_runtime', categories.call],
  ['cuda_sync', categories.synchronisation],
  ['cuda_event', categories.eventRecord],
  ['user_annotation', categories.annotation],
  ['cpu_op', categories.operator],
  ['operator', categories.operator],
  ['overhead', categories.overhead],
  // Their kernels and calls are in the trace themselves.
  ['gpu_user_annotation', categories.ignored],
  ['python_function', categories.python],
  ['cpu_instant_event', categories.ignored],
  ['ac2g', categories.ignored],
  ['async_cpu_to_gpu', categories.ignored],
  ['async_gpu', categories.ignored],
  ['fwdbwd', categories.ignored],
  ['forward_backward', categories.ignored],
  ['trace', categories.ignored],
  ['collective_comm', categories.ignored],
  ['cuda_profiler_range', categories.ignored],
];

const table = new WordTable(
  words.map(([word]) => word),
  true,
);

/** One of `categories`, by the text between the quotation marks; what belongs to no profiler of PyTorch is `unknown`. */
export function categoryOf(bytes: Uint8Array, from: number, to: number): number {
  const word = table.find(bytes, from, to);
  return word < 0 ? categories.unknown : words[word]![1];
}

/** By the first bytes of the name of an operator: `ProfilerStep#`, `enumerate(DataLoader)`; the others are left out. */
export function mayBeRange(bytes: Uint8Array, from: number): boolean {
  if (from === 0) return false;
  const first = bytes[from + 1]!;
  if (first === 0x50) return bytes[from + 2] === 0x72 && bytes[from + 3] === 0x6f;
  if (first === 0x44) return bytes[from + 2] === 0x61 && bytes[from + 5] === 0x4c;
  return first === 0x65 && bytes[from + 2] === 0x6e && bytes[from + 3] === 0x75 && bytes[from + 10] === 0x28;
}

/** By the first bytes of the name of a function of Python: what waits for a socket or a pipe; the others are left out. */
export function mayBeWait(bytes: Uint8Array, from: number): boolean {
  if (from === 0) return false;
  const first = bytes[from + 1]!;
  // `selectors.py(452): select`
  if (first === 0x73) return bytes[from + 7] === 0x6f && bytes[from + 9] === 0x73 && bytes[from + 13] === 0x28;
  // `<built-in method poll of select.epoll object at …>`, `<built-in function select>`
  if (first !== 0x3c || bytes[from + 2] !== 0x62) return false;
  const at = bytes[from + 11] === 0x6d ? from + 18 : from + 20;
  return (
    (bytes[at] === 0x70 && bytes[at + 1] === 0x6f && bytes[at + 2] === 0x6c) ||
    (bytes[at] === 0x73 && bytes[at + 1] === 0x65 && bytes[at + 2] === 0x6c)
  );
}
