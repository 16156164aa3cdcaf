import { isMap, isSeq, isNode, LineCounter, parseAllDocuments } from 'yaml';

/** A YAML or JSON text that was parsed. */
export interface YamlText {
  readonly value: unknown;
  /** Line of a value, from 1; null where there is none. */
  readonly lineOf: (path: readonly (string | number)[]) => number | null;
}

/** What is wrong with a YAML text, with its line from 1. */
export interface YamlProblem {
  readonly message: string;
  readonly line: number;
}

const mostText = 8 << 20;
const deepest = 500;
const tooDeep = 'it is nested too deeply';

/**
 * Parses YAML 1.2 (JSON is a part of it). Anchors are put in at most 100 times, tags of types are not followed.
 * @returns the problem instead of the value where the text is none
 */
export function readYaml(text: string): YamlText | YamlProblem {
  if (text.length > mostText) return { message: 'it is longer than 8 MiB', line: 1 };
  const deep = deepBrackets(text);
  if (deep !== null) return { message: tooDeep, line: deep };
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, merge: true, logLevel: 'silent' });
  const document = Array.isArray(documents) ? documents[0] : undefined;
  if (document === undefined) return { value: null, lineOf: () => null };
  const [error] = document.errors;
  if (error !== undefined) return { message: worded(withoutPlace(error.message)), line: error.linePos?.[0].line ?? 1 };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch (error) {
    return { message: worded((error as Error).message), line: 1 };
  }
  return {
    value,
    lineOf: (path) => {
      let at: unknown = document.contents;
      let start: number | null = isNode(at) ? (at.range?.[0] ?? null) : null;
      for (const key of path) {
        if (isMap(at)) {
          const pair = at.items.find((item) => String(isNode(item.key) ? item.key.toJSON() : item.key) === String(key));
          if (pair === undefined) return null;
          start = isNode(pair.key) ? (pair.key.range?.[0] ?? null) : null;
          at = pair.value;
        } else if (isSeq(at)) {
          const item: unknown = at.items[Number(key)];
          if (!isNode(item)) return null;
          start = item.range?.[0] ?? null;
          at = item;
        } else return null;
      }
      return start === null ? null : lines.linePos(start).line;
    },
  };
}

/** Line of the bracket that opens more lists in lists than anybody writes, before the parser goes down into them. */
function deepBrackets(text: string): number | null {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 91 || code === 123) depth++;
    else if ((code === 93 || code === 125) && depth > 0) depth--;
    if (depth > deepest) return text.slice(0, at).split('\n').length;
  }
  return null;
}

function worded(message: string): string {
  if (message.startsWith('Maximum call stack')) return tooDeep;
  return message.startsWith('Excessive alias count') ? 'its aliases name one another too often' : message;
}

/** The first line of a message of the parser, without the place that stands at its end. */
function withoutPlace(message: string): string {
  const line = message.split('\n')[0] ?? '';
  const at = line.lastIndexOf(' at line ');
  return (at > 0 ? line.slice(0, at) : line) || 'it is no YAML';
}

/** True where a text could not be parsed. */
export function isYamlProblem(read: YamlText | YamlProblem): read is YamlProblem {
  return 'message' in read;
}
