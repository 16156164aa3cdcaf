/** Longest text of a table file that is read: the largest table of this release has a tenth of a mebibyte. */
const maxLength = 16 * 1024 * 1024;
const maxDepth = 32;

export type TableText = { readonly content: unknown } | { readonly error: string };

/**
 * Parses the text of a table file. Beside broken JSON it refuses what JSON.parse lets pass: a text that is too long or
 * too deep, and an object that has a key twice (the last one would win in silence). Gives the value for
 * `applyOverride`, or what is wrong and where; never throws.
 */
export function parseTableText(text: string): TableText {
  if (text.length > maxLength) return { error: `longer than ${maxLength / 1024 / 1024} MiB` };
  const flaw = structuralFlaw(text);
  if (flaw !== null) return { error: flaw };
  try {
    const content: unknown = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    return { content };
  } catch {
    return { error: 'not JSON' };
  }
}

/** Walks over strings and brackets only; anything else is left to JSON.parse. */
function structuralFlaw(text: string): string | null {
  const open: (Set<string> | null)[] = [];
  let line = 1;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '\n') line++;
    else if (char === '{' || char === '[') {
      if (open.length >= maxDepth) return `line ${line}: nested deeper than ${maxDepth}`;
      open.push(char === '{' ? new Set() : null);
    } else if (char === '}' || char === ']') open.pop();
    else if (char === '"') {
      const end = endOfString(text, at);
      if (end === -1) return `line ${line}: a string does not end`;
      const keys = open.at(-1);
      if (keys !== null && keys !== undefined && isKey(text, end + 1)) {
        const key = keyOf(text.slice(at, end + 1));
        if (key !== null && keys.has(key))
          return `line ${line}: the key ${JSON.stringify(key.slice(0, 80))} stands twice in one object`;
        if (key !== null) keys.add(key);
      }
      at = end;
    }
  }
  return null;
}

/** Place of the closing quote of the string that opens at `start`, or -1. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

function isKey(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at++;
  return text[at] === ':';
}

function keyOf(quoted: string): string | null {
  try {
    const key: unknown = JSON.parse(quoted);
    return typeof key === 'string' ? key : null;
  } catch {
    return null;
  }
}
