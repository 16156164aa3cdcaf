import type { Document, Line } from '../model/document.ts';
import { speakerOf } from '../text/speaker.ts';
import type { SubjectInput } from './subject.ts';

const mostParts = 4000;

/**
 * Takes a log of many ranks or machines apart: a subject for each that prefixes of lines name. Lines that name none are
 * left out, since they would be alike in all.
 * @returns one subject for each rank or host in order of their names; none where the lines name fewer than two
 */
export function splitBy(documents: readonly Document[], by: 'rank' | 'host'): readonly SubjectInput[] {
  const parts = new Map<string, Map<Document, Line[]>>();
  const keyOf = by === 'rank' ? rankOf : hostFinder(documents);
  for (const document of documents) {
    // The name of the file is of all its lines.
    const unnamed = { ...document, file: null };
    for (const line of document.lines) {
      const key = keyOf(unnamed, line);
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

function rankOf(document: Document, line: Line): string | null {
  const { rank } = speakerOf(document, line);
  return rank === undefined ? null : `rank ${rank}`;
}

/** Lines that name only their rank belong to the host of that rank, where the log names one. */
function hostFinder(documents: readonly Document[]): (document: Document, line: Line) => string | null {
  const hosts = new Map<number, string | null>();
  for (const document of documents) {
    const unnamed = { ...document, file: null };
    for (const line of document.lines) {
      const { rank, host } = speakerOf(unnamed, line);
      if (rank === undefined || host === undefined) continue;
      const known = hosts.get(rank);
      if (known === undefined) hosts.set(rank, host);
      else if (known !== host) hosts.set(rank, null);
    }
  }
  return (document, line) => {
    const { rank, host } = speakerOf(document, line);
    return host ?? (rank === undefined ? null : (hosts.get(rank) ?? null));
  };
}
