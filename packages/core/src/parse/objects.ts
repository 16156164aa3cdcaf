// Every JSON and YAML object of a document, each read once whoever asks.
import type { Document, Line } from '../model/document.ts';
import type { ReadTree } from './tree.ts';
import { plain } from '../text/clean.ts';
import { readJson } from './tree.ts';
import { readYaml } from './yaml.ts';

const mostObjects = 2000;
const cache = new WeakMap<Document, readonly ReadTree[]>();

/** Keys with which the YAML files that are read here begin. */
const yamlStart =
  /^(?:- )?"?(?:apiVersion|kind|metadata|spec|status|items|cdiVersion|services|containerEdits)"?:(?: |$)/;

/** The objects of a document in its order; log records are none. */
export function objectsOf(document: Document): readonly ReadTree[] {
  const made = cache.get(document);
  if (made !== undefined) return made;
  const found: ReadTree[] = [];
  const { lines } = document;
  for (let index = 0; index < lines.length && found.length < mostObjects; index++) {
    const line = lines[index]!;
    if (line.prompt || line.column > 1) continue;
    const read = jsonAt(document, line) ?? yamlAt(document, line);
    if (read === null) continue;
    found.push(read);
    index = Math.max(index, read.last);
  }
  cache.set(document, found);
  return found;
}

function jsonAt(document: Document, line: Line): ReadTree | null {
  const start = line.clean.trimStart();
  if (!/^(?:\{\s{0,20}(?:"|$)|\[\s{0,20}(?:[{["]|$))/.test(start)) return null;
  const shown = plain(line.text);
  const from = shown.indexOf(start.slice(0, 2).trimEnd());
  if (from < 0) return null;
  const read = readJson(document, line, from);
  if (read === null) return null;
  const size = read.root.map?.size ?? read.root.list?.length ?? 0;
  return size > 0 ? read : null;
}

function yamlAt(document: Document, line: Line): ReadTree | null {
  if (!yamlStart.test(line.clean)) return null;
  const read = readYaml(document, line);
  return read === null || (read.root.map?.size ?? read.root.list?.length ?? 0) === 0 ? null : read;
}
