import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { signatures } from '../packages/core/src/knowledge/signatures/signatures.ts';

/** Longest text that patterns are asked about: a line is cut into slices of 2 KiB, a message of several lines joins four. */
const longest = 4 * 2048;
/**
 * How often as long as the pattern to compare with a pattern may take for the longest text. Linear patterns take a
 * tenth of its time or less, `a.*x` on as many `a` 27 times as long.
 */
const most = 20;
/** What takes longer than this, in ms, for a quarter of that text is asked about the whole: a square of the length is 16 times more. */
const suspicious = 1;

interface Pattern {
  readonly where: string;
  readonly pattern: RegExp;
}

const source = join(import.meta.dirname, '../packages/core/src');

/** Every regular expression that stands in the source of core as a literal. */
function literals(): readonly Pattern[] {
  const found: Pattern[] = [];
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts') || name.endsWith('testing.ts')) continue;
    const text = readFileSync(join(source, name), 'utf8');
    if (!text.includes('/')) continue;
    walk(parseAst(text, { lang: 'ts' }), (node) => {
      const regex = node['regex'] as { readonly pattern: string; readonly flags: string } | undefined;
      if (node['type'] === 'Literal' && regex !== undefined)
        found.push({
          where: relative(source, join(source, name)),
          pattern: new RegExp(regex.pattern, regex.flags),
        });
    });
  }
  return found;
}

function walk(node: unknown, visit: (node: Readonly<Record<string, unknown>>) => void): void {
  if (Array.isArray(node)) for (const each of node) walk(each, visit);
  else if (typeof node === 'object' && node !== null) {
    visit(node as Record<string, unknown>);
    for (const value of Object.values(node)) if (typeof value === 'object') walk(value, visit);
  }
}

/** One character that an atom of a pattern takes. */
function characterOf(atom: string): string {
  if (atom === '.') return 'a';
  if (atom.length === 1) return atom;
  if (atom.startsWith('\\')) {
    const simple: Readonly<Record<string, string>> = {
      s: ' ',
      S: 'a',
      d: '1',
      D: 'a',
      w: 'a',
      W: ' ',
      t: '\t',
      n: '\n',
    };
    return simple[atom[1]!] ?? (/[bBpPuxk]/.test(atom[1]!) ? 'a' : atom[1]!);
  }
  try {
    const one = new RegExp(`^${atom}$`);
    return 'a A0 -_.:/,=(\'"\t<x|#'.split('').find((each) => one.test(each)) ?? 'a';
  } catch {
    return 'a';
  }
}

/** What a pattern is made of: its runs of plain characters, and a character for each of its classes. */
function partsOf(pattern: RegExp): { readonly words: readonly string[]; readonly pumps: readonly string[] } {
  const atoms = pattern.source.match(/\\.|\[(?:\\.|[^\]\\])*\]|[^\\[]/g) ?? [];
  const words: string[] = [];
  const pumps = new Set<string>();
  let word = '';
  atoms.forEach((atom, at) => {
    const next = atoms[at + 1] ?? '';
    const repeated = next === '*' || next === '+' || next === '{';
    const plain = /^[A-Za-z0-9 _:;,'"<>=/%@~!#&-]$/.test(atom) || /^\\[^A-Za-z0-9]$/.test(atom);
    if (plain && !repeated) {
      word += atom.startsWith('\\') ? atom[1]! : atom;
      return;
    }
    if (word.length > 1) words.push(word);
    word = '';
    if (repeated || atom.startsWith('[') || /^\\[sdwSDW]$/.test(atom)) pumps.add(characterOf(atom));
  });
  if (word.length > 1) words.push(word);
  return { words: [...new Set(words)], pumps: [...pumps] };
}

/** Texts that make a pattern try again and again: what it repeats, alone and between its words, without an end that fits. */
function attacks(pattern: RegExp, length: number): readonly string[] {
  const { words, pumps } = partsOf(pattern);
  const single = [...new Set([...pumps, ' ', 'a', '1'])].slice(0, 10);
  const starts = ['', words[0] ?? '', words.slice(0, 2).join(' ')];
  const pieces = [
    ...single,
    ...single.flatMap((a) => single.filter((b) => b !== a).map((b) => a + b)).slice(0, 16),
    ...words.slice(0, 8),
    ...words.slice(0, 4).flatMap((each) => single.slice(0, 4).map((pump) => each + pump)),
    words.join(' '),
    words.join(''),
  ].filter((piece) => piece !== '');
  return starts.flatMap((start) =>
    pieces.map((piece) => `${start}${piece.repeat(Math.ceil(length / piece.length)).slice(0, length)}\u0000`),
  );
}

function milliseconds(run: () => void): number {
  // Other threads of the process count in the one, other programs of the machine in the other.
  const [before, began] = [process.cpuUsage(), performance.now()];
  run();
  const [used, passed] = [process.cpuUsage(before), performance.now() - began];
  return Math.min((used.user + used.system) / 1000, passed);
}

const ask = (pattern: RegExp, text: string): number =>
  milliseconds(() => {
    pattern.lastIndex = 0;
    pattern.exec(text);
  });

/** Tries 60 ways on from each place of the longest text, and fails. It is asked anew at once, as the machine is at the moment. */
const compared = (): number => ask(/[ab].{0,60}?x/, 'a'.repeat(longest));

/** The slowest attack on a pattern, measured by the pattern to compare with; a slow one is tried again, as other work counts too. */
function slowest(pattern: RegExp, length: number): { readonly times: number; readonly text: string } {
  let worst = { times: 0, text: '' };
  for (const text of attacks(pattern, length)) {
    if (ask(pattern, `${text.slice(0, length / 4)}\u0000`) < suspicious) continue;
    let times = Infinity;
    for (let i = 0; i < 7 && times > most; i++) times = Math.min(times, ask(pattern, text) / compared());
    if (times > worst.times) worst = { times, text: `${JSON.stringify(text.slice(0, 60))}…` };
  }
  return worst;
}

const written = literals();
const made = signatures.flatMap((row) =>
  row.patterns.map((pattern): Pattern => ({ where: `signature ${row.id}`, pattern })),
);

const seen = new Set<string>();

describe('every regular expression of core runs in linear time', () => {
  it('is found', () => {
    expect(written.length).toBeGreaterThan(1000);
    expect(made.length).toBeGreaterThan(500);
  });

  it.each([
    ['literals', written],
    ['signatures with the forms made from the code tables', made],
  ] as const)(
    '%s',
    (_, patterns) => {
      const slow: string[] = [];
      for (const { where, pattern } of patterns) {
        const key = pattern.toString();
        if (seen.has(key)) continue;
        seen.add(key);
        const found = slowest(pattern, longest);
        if (process.env['SHOW'] && found.times > 5) console.log(Math.round(found.times), where, key.slice(0, 300));
        if (found.times > most)
          slow.push(`${where}: ${Math.round(found.times)} times as long on ${found.text} ${key.slice(0, 200)}`);
      }
      expect(slow).toEqual([]);
    },
    600_000,
  );
});
