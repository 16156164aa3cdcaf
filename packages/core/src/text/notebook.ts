import type { Line } from '../model/document.ts';
import { plain } from './clean.ts';

// Files of notebooks: JSON whose strings hold the program's text (`source`) and what it printed (`outputs`).
//
//     "outputs": [
//      {
//       "ename": "RuntimeError",
//       "evalue": "CUDA error: device-side assert triggered\nFor debugging …",
//       "traceback": [
//        "\u001b[0;31mRuntimeError\u001b[0m: CUDA error: device-side assert triggered"
//       ]

const element = /^\s{1,40}("(?:[^"\\]|\\.){0,16000}"),?$/;
const field = /^\s{1,40}"(source|outputs|traceback|text|text\/plain|ename|evalue|metadata)": ?(.{0,16000})$/;

/** The lines of a notebook's file as a reader of the notebook sees them; the same lines where the text is none. */
export function notebookLines(lines: readonly Line[]): readonly Line[] {
  if (!isNotebook(lines)) return lines;
  let part = '';
  let name = '';
  return lines.map((line) => {
    const key = field.exec(line.clean);
    if (key !== null) {
      const value = textOf(key[2]!.replace(/,$/, ''));
      if (key[1] === 'ename') name = value ?? '';
      if (key[1] === 'evalue' && value !== null) return { ...line, clean: `${name === '' ? 'Error' : name}: ${value}` };
      if (key[1] !== 'ename') part = key[1]!;
      return line;
    }
    const string = element.exec(line.clean)?.[1];
    if (string === undefined) return line;
    if (part === 'source') return { ...line, told: true, scope: 'other-host' };
    if (part !== 'traceback' && part !== 'text' && part !== 'text/plain') return line;
    const shown = textOf(string);
    return shown === null ? line : { ...line, clean: shown };
  });
}

function isNotebook(lines: readonly Line[]): boolean {
  const first = lines.find((line) => line.clean.trim() !== '');
  return (
    first !== undefined &&
    first.clean.trim().startsWith('{') &&
    lines.slice(0, 40).some((line) => line.clean.includes('"cell_type":'))
  );
}

/** The text that a string of JSON holds, in one line; null where it is none. */
function textOf(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? plain(value.replace(/\n+/g, ' ')).trim() : null;
  } catch {
    return null;
  }
}
