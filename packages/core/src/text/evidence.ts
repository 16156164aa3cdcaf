import type { Document, Evidence, Line } from '../model/document.ts';

/** What a line says, as evidence. */
export function evidenceOf(document: Document, line: Line, source: string): Evidence {
  return {
    subject: line.scope === 'unknown' ? document.subject : line.scope,
    file: document.file,
    source,
    line: line.number,
    column: line.column,
    text: line.text.endsWith('\r') ? line.text.slice(0, -1) : line.text,
  };
}
