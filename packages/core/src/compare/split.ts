import type { Document, Line } from '../model/document.ts';
import type { SubjectInput } from './subject.ts';

const nccl = /^([A-Za-z][\w.-]{1,63}):\d{1,9}:\d{1,9} \[/;
const mostParts = 4000;

/**
 * Takes a log of many ranks or machines apart: a subject for each that prefixes of lines name. Lines that name none are
 * left out, since they would be alike in all.
 * @returns one subject for each rank or host in order of their names; none where the lines name fewer than two
 */
export function splitBy(documents: readonly Document[], by: 'rank' | 'host'): readonly SubjectInput[] {
  const parts = new Map<string, Map<Document, Line[]>>();
  for (const document of documents)
    for (const line of document.lines) {
      const key = keyOf(line, by);
      if (key === null) continue;
      let part = parts.get(key);
      if (part === undefined) {
        if (parts.size >= mostParts) continue;
        parts.set(key, (part = new Map()));
      }
      const lines = part.get(document);
      const placed = { ...line, index: lines?.length ?? 0 };
      if (lines === undefined) part.set(document, [placed]);
      else lines.push(placed);
    }
  if (parts.size < 2) return [];
  const order = (name: string): number => Number(/\d{1,12}/.exec(name)?.[0] ?? 0);
  return [...parts]
    .sort(([a], [b]) => (by === 'rank' ? order(a) - order(b) : 0) || (a < b ? -1 : 1))
    .map(([name, part]) => ({
      name,
      documents: [...part].map(([document, lines]) => ({ ...document, lines, left: [] })),
    }));
}

function keyOf(line: Line, by: 'rank' | 'host'): string | null {
  if (by === 'rank') return line.origin.rank === undefined ? null : `rank ${line.origin.rank}`;
  return line.origin.host ?? nccl.exec(line.clean)?.[1] ?? null;
}
