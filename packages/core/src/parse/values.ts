/** Words that tools print where they have no value; each becomes unknown, never zero. */
const unknownWords: ReadonlySet<string> = new Set([
  '',
  '-',
  '–',
  '—',
  '?',
  'n/a',
  'na',
  'none',
  'null',
  '(null)',
  'err!',
  'unknown',
  'unknown error',
  'not found',
  'not available',
  'not supported',
  'insufficient permissions',
  'could not collect',
  'no cuda',
  'no relevant packages',
  'module not found',
  'gpu is lost',
  'gpu requires reset',
  'requested functionality has been deprecated',
  '<unknown>',
  '<none>',
]);

/** Words that say the GPU did not answer, unlike those that say it lacks the feature. */
const failedWords: ReadonlySet<string> = new Set(['err!', 'unknown error', 'gpu is lost', 'gpu requires reset']);

function bare(text: string): string {
  const trimmed = text.trim();
  return trimmed.startsWith('[') && trimmed.endsWith(']') ? trimmed.slice(1, -1).trim() : trimmed;
}

/** The value, trimmed; null where it is one of the words for "no value", with or without brackets. */
export function known(text: string | undefined): string | null {
  if (text === undefined) return null;
  const value = bare(text);
  return unknownWords.has(value.toLowerCase()) ? null : value;
}

/** True for `ERR!`, `[Unknown Error]`, `GPU is lost`: a cell that the GPU failed to answer. */
export function failed(text: string | undefined): boolean {
  return text !== undefined && failedWords.has(bare(text).toLowerCase());
}

/** The number at the start of a cell such as `512.40 W`, `100 %`, `81559MiB`; null where there is none. */
export function quantity(text: string | undefined): number | null {
  const value = known(text);
  if (value === null) return null;
  const match = /^[+-]?\d{1,15}(?:\.\d{1,9})?(?=$|[\s%A-Za-z/])/.exec(value);
  return match === null ? null : Number(match[0]);
}

/** A whole number and nothing else. */
export function integer(text: string | undefined): number | null {
  const value = text?.trim();
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

/** Takes one pair of quotes off. */
export function unquoted(text: string): string {
  const value = text.trim();
  const first = value[0];
  if (value.length >= 2 && (first === '"' || first === "'") && value.endsWith(first)) return value.slice(1, -1);
  return value;
}

/** Splits `Key   : value` at its first colon that has a blank or an end behind it; null where there is none. */
export function keyValue(text: string): { readonly key: string; readonly value: string } | null {
  for (let at = text.indexOf(':'); at > 0; at = text.indexOf(':', at + 1)) {
    const next = text[at + 1];
    if (next === undefined || next === ' ' || next === '\t') {
      return { key: text.slice(0, at).trim(), value: text.slice(at + 1).trim() };
    }
  }
  return null;
}

/** Words of a line, parted by blanks and tabs. */
export function words(text: string): readonly string[] {
  return text.trim().split(/[ \t]+/);
}

/** Ends of a version in running text: trailing dots, commas and brackets are no part of it. */
export function trimVersion(text: string): string {
  let end = text.length;
  while (end > 0 && '.,;:)]}\'"'.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
