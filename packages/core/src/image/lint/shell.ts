// The commands of a RUN instruction, as far as a shell's words tell without running it.
import type { Word } from './dockerfile.ts';
import { substituted } from './dockerfile.ts';

export interface ShellWord {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

export interface Command {
  readonly words: readonly ShellWord[];
  /** It stands in a condition or after `||`: it may never run. */
  readonly conditional: boolean;
}

const opens = new Set(['if', 'case', 'while', 'until', 'for']);
const closes = new Set(['fi', 'esac', 'done']);
const between = new Set(['then', 'do', 'else', 'elif', '!', '{', '}', 'time', 'sudo', 'exec']);
const mostCommands = 2000;

/**
 * Commands in their order: cut at `;`, `&&`, `||`, `|`, brackets and, in a heredoc, at the ends of lines. Quotes are
 * taken off; `>` and `>>` are words of their own.
 */
export function commandsOf(words: readonly Word[], env: ReadonlyMap<string, string | null>): readonly Command[] {
  const commands: Command[] = [];
  let current: ShellWord[] = [];
  const open: { token: ShellWord | null } = { token: null };
  let quote: string | null = null;
  let depth = 0;
  let after = false;
  let line = 0;
  let inside = 0;
  const endToken = (): void => {
    const { token } = open;
    if (token !== null) {
      const { text } = token;
      const first = current.length === 0;
      if (first && opens.has(text)) depth++;
      else if (first && closes.has(text)) depth = Math.max(0, depth - 1);
      else if (!(first && between.has(text))) current.push({ ...token, text: withKnown(text, env) });
    }
    open.token = null;
  };
  const endCommand = (or: boolean): void => {
    endToken();
    if (current.length > 0 && commands.length < mostCommands)
      commands.push({ words: current, conditional: depth > 0 || after });
    current = [];
    after = or;
  };
  const grow = (text: string, place: { readonly line: number; readonly column: number }): void => {
    open.token = open.token === null ? { text, ...place } : { ...open.token, text: open.token.text + text };
  };
  for (const word of words) {
    if (word.heredoc && word.line !== line && quote === null && inside === 0) endCommand(false);
    line = word.line;
    if (quote === null && inside === 0) endToken();
    else if (open.token !== null) open.token = { ...open.token, text: `${open.token.text} ` };
    for (let at = 0; at < word.text.length; at++) {
      const character = word.text[at]!;
      const next = word.text[at + 1];
      const place = { line: word.line, column: word.column + at };
      // `$(…)` stays in its word.
      if (inside > 0 || (character === '(' && word.text[at - 1] === '$')) {
        if (character === '(') inside++;
        else if (character === ')') inside--;
        grow(character, place);
        continue;
      }
      if (quote !== null) {
        if (character === quote) quote = null;
        else grow(character, place);
        continue;
      }
      if (character === '"' || character === "'") {
        quote = character;
        grow('', place);
        continue;
      }
      if (
        character === ';' ||
        character === '|' ||
        (character === '&' && word.text[at - 1] !== '>') ||
        character === '`'
      ) {
        const doubled = next === character;
        endCommand(character === '|' && doubled);
        if (doubled) at++;
        continue;
      }
      if (character === '(' || character === ')') {
        endCommand(false);
        continue;
      }
      if (character === '>') {
        endToken();
        const doubled = next === '>';
        current.push({ text: doubled ? '>>' : '>', ...place });
        if (doubled) at++;
        continue;
      }
      grow(character, place);
    }
  }
  endCommand(false);
  return commands;
}

/** Words of a command without variables set before it (`DEBIAN_FRONTEND=noninteractive apt-get …`). */
export function bareCommand(command: Command): readonly ShellWord[] {
  let at = 0;
  while (at < command.words.length && /^[A-Za-z_][A-Za-z0-9_]{0,100}=/.test(command.words[at]!.text)) at++;
  if (command.words[at]?.text === 'env') at++;
  return command.words.slice(at);
}

/** Variables that the Dockerfile sets are put in; a word with any other one stays as it is written. */
function withKnown(text: string, env: ReadonlyMap<string, string | null>): string {
  if (!text.includes('$') || text.includes('$(')) return text;
  const names = [...text.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]{0,200})/g)].map((match) => match[1]!);
  return names.length > 0 && names.every((name) => env.get(name) != null) ? (substituted(text, env) ?? text) : text;
}
