import type { Owner } from '../model/layer.ts';
import type { Knowledge } from './knowledge.ts';

/** A status or error code that a text names. */
export interface NamedCode {
  /** `CUDNN_STATUS_EXECUTION_FAILED`, `ncclRemoteError`. */
  readonly name: string;
  /** What to ask `culprit explain` for. */
  readonly id: string;
  readonly meaning: string;
  /** Null: evidence must decide. */
  readonly owner: Owner | null;
}

const cache = new WeakMap<Knowledge, ReadonlyMap<string, NamedCode>>();

function namesOf(knowledge: Knowledge): ReadonlyMap<string, NamedCode> {
  const known = cache.get(knowledge);
  if (known !== undefined) return known;
  const names = new Map<string, NamedCode>();
  const add = (key: string | null, code: NamedCode): void => {
    if (key !== null && !names.has(key.toLowerCase())) names.set(key.toLowerCase(), code);
  };
  for (const row of knowledge.cudaErrors) {
    if (row.code === 0) continue;
    for (const name of [row.runtime, row.driver])
      add(name, {
        name: name ?? '',
        id: `cuda ${row.code}`,
        meaning: row.meaning === '' ? row.string : row.meaning,
        owner: row.owner,
      });
  }
  // cuDNN 9 first: a name of both releases is explained by the newer.
  const statuses = [...knowledge.libraryStatuses].sort(
    (a, b) => Number(b.library === 'cudnn9') - Number(a.library === 'cudnn9'),
  );
  for (const row of statuses)
    if (row.code !== 0)
      add(row.name, { name: row.name, id: `${row.library} ${row.code}`, meaning: row.meaning, owner: row.owner });
  for (const row of knowledge.ncclResults) {
    if (row.code === 0) continue;
    add(row.name, {
      name: row.name,
      id: `nccl ${row.code}`,
      meaning: row.meaning,
      owner: row.owners.length === 1 ? row.owners[0]! : null,
    });
  }
  for (const row of knowledge.nvmlReturns)
    if (row.code !== 0)
      add(row.name, { name: row.name, id: `nvml ${row.code}`, meaning: row.meaning, owner: row.owner });
  cache.set(knowledge, names);
  return names;
}

/** The codes that a text names, in its order; each once. */
export function namedCodes(knowledge: Knowledge, text: string): readonly NamedCode[] {
  const names = namesOf(knowledge);
  const found = new Set<NamedCode>();
  for (const [word] of text.slice(0, 2048).matchAll(/[A-Za-z][A-Za-z0-9_]{5,70}/g)) {
    const code = names.get(word.toLowerCase());
    if (code !== undefined) found.add(code);
  }
  return [...found];
}

const byText = new WeakMap<Knowledge, ReadonlyMap<string, NamedCode>>();

/** The code whose printed text a message holds, such as `unhandled system error` or NVML's `Insufficient Size`. */
export function codeOfText(knowledge: Knowledge, family: 'nccl' | 'nvml', text: string): NamedCode | null {
  let texts = byText.get(knowledge);
  if (texts === undefined) {
    const made = new Map<string, NamedCode>();
    for (const row of knowledge.ncclResults)
      if (row.code !== 0)
        made.set(`nccl ${row.string.toLowerCase().replace(/ \(run with.{0,60}$/, '')}`, {
          name: row.name,
          id: `nccl ${row.code}`,
          meaning: row.meaning,
          owner: row.owners.length === 1 ? row.owners[0]! : null,
        });
    for (const row of knowledge.nvmlReturns)
      if (row.code !== 0 && row.string !== null)
        made.set(`nvml ${row.string.toLowerCase()}`, {
          name: row.name,
          id: `nvml ${row.code}`,
          meaning: row.meaning,
          owner: row.owner,
        });
    byText.set(knowledge, (texts = made));
  }
  const low = text.toLowerCase();
  for (const [key, code] of texts) if (key.startsWith(`${family} `) && low.includes(key.slice(5))) return code;
  return null;
}

/** The code of a family by its number; `family` as `culprit explain` calls it: `cublas`, `nvml`, `nccl`, `cuda`. */
export function codeByNumber(knowledge: Knowledge, family: string, code: number): NamedCode | null {
  const id = `${family} ${code}`;
  for (const named of namesOf(knowledge).values()) if (named.id === id) return named;
  return null;
}
