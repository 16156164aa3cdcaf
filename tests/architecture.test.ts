import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const packages = join(root, 'packages');

/** Which folders of core a folder may import. Dependencies point one way; each line says why it may. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  // the nouns; a rule's context names the tables it may ask
  model: ['knowledge'],
  // tables are typed by the nouns
  knowledge: ['model'],
  versions: [],
  // text is cut into lines before anything is known of it
  text: ['model'],
  // follows the rules of the dynamic loader over what was observed
  loader: ['model'],
  parse: ['model', 'knowledge', 'versions', 'text', 'loader'],
  // bytes of files into structures; knows no table
  binary: [],
  // judging needs tables and orders only, never a text of a log; answers for the code of a file that was read; it suggests the nearest name by `text/nearest.ts`
  compat: ['model', 'knowledge', 'versions', 'text', 'binary'],
  rules: ['model', 'knowledge', 'versions', 'compat'],
  // goes through objects of Kubernetes that `parse` reads, and quotes them
  podwalk: ['model', 'text', 'parse'],
  // runs everything above over an input; `text/condense.ts` keeps what the recogniser knows
  diagnose: ['model', 'knowledge', 'versions', 'text', 'parse', 'rules', 'compat', 'podwalk', 'utilization'],
  // reads and judges each subject, then compares what was found
  compare: ['model', 'knowledge', 'text', 'diagnose'],
  // merges layers, has what is in them judged, and says what a node does with it
  image: ['model', 'knowledge', 'versions', 'text', 'loader', 'parse', 'binary', 'compat', 'diagnose'],
  // weighs a finished verdict and what the probe showed of a roll-out
  gate: ['model'],
  // counts by the tables; kernels come from profiles and binaries
  occupancy: ['model', 'knowledge', 'text', 'compat', 'trace', 'binary'],
  // reads series of counters into findings; knows no rule; `text/clean.ts` takes colours out of tables
  utilization: ['model', 'text'],
  // reads profiles into facts and has them judged; `parse/profile-sentences.ts` knows the tool's advice
  trace: ['model', 'knowledge', 'parse', 'diagnose'],
  // shows a rule's summary, and makes control characters of the input visible
  report: [
    'model',
    'knowledge',
    'versions',
    'text',
    'rules',
    'compat',
    'diagnose',
    'compare',
    'gate',
    'binary',
    'image',
    'occupancy',
    'trace',
    'utilization',
  ],
  // suggests the nearest topic by `text/nearest.ts`
  explain: ['model', 'knowledge', 'versions', 'text', 'rules', 'compat', 'report', 'occupancy'],
};

/** Single imports that the table above forbids, each with its reason. */
const exceptions: Readonly<Record<string, string>> = {
  'rules/testing.ts -> diagnose': 'runs a rule over a text by the real road, for tests only',
  'rules/testing.ts -> text': 'same',
  'rules/application/_exceptions.ts -> text':
    'asks `text/follows.ts` whether an exception came soon enough to follow from a message',
  'rules/testing.ts -> trace': 'runs a rule over traces by the real road, for tests only',
  'report/text-report.ts -> explain': 'facts in words: a generated table without imports',
  'compare/feature-words.ts -> explain': 'facts in words: a generated table without imports',
  'parse/time-profile.ts -> trace': 'tables that were pasted are cut as those of a file',
  'parse/kernel-profile.ts -> trace':
    'a profile that was pasted is read as one that is a file; the reader asks tables only',
  'parse/testing.ts -> diagnose': 'collects the facts of one parser by the real store, for tests only',
  'trace/findings/launch-shape.ts -> occupancy':
    'waves and resident blocks of a traced launch; what it calls asks tables only and knows no trace',
  'text/condense.ts -> diagnose': 'keeps the lines for which the recogniser has literals',
};

function sourcesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules') && !name.startsWith('dist'))
    .map((name) => join(folder, name));
}

/** Targets of import and export statements; those of a statement begin its line. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  const statements = [...text.matchAll(/^(?:(?:import|export)\b[^;'"`=]{0,2000}?\bfrom |import )'([^'\n]+)';/gm)];
  const dynamic = [...text.matchAll(/\bimport\('([^'\n]+)'\)/g)];
  return [...statements, ...dynamic].map((match) => match[1]!);
}

describe('core', () => {
  const core = join(packages, 'core/src');
  const files = sourcesOf(core).filter((file) => !/\.test\.(?:rows\.)?ts$/.test(file));

  it.each(files.map((file) => [relative(core, file), file] as const))(
    '%s imports only what lies below it',
    (name, file) => {
      const from = name.split('/')[0]!;
      for (const target of importsOf(file)) {
        if (!target.startsWith('.')) {
          expect(['@renovatebot/pep440', 'dockerfile-ast', 'zod'], `${name} imports ${target}`).toContain(target);
          continue;
        }
        const to = relative(core, resolve(dirname(file), target)).split('/')[0]!;
        if (to === from || !name.includes('/')) continue;
        if (exceptions[`${name} -> ${to}`] !== undefined) continue;
        expect(mayImport[from] ?? [], `${name} imports ${target}`).toContain(to);
      }
    },
  );

  it('reads no clock, no file, no environment and no network', () => {
    const forbidden =
      /\b(?:Date\.now|new Date\(\)|process\.(?:env|argv|exit|cwd|std|pid|platform|on|hrtime|memory|version)|require\((?!\?)|fetch\(|setTimeout|Math\.random|globalThis|from 'node:)/;
    for (const file of files) {
      const lines = readFileSync(file, 'utf8').split('\n');
      const found = lines.findIndex((line) =>
        forbidden.test(
          line.replace(/'[^']*'(?!;)|"[^"]*"|`[^`]*`|(?<=[\s([,])\/(?:[^/\\]|\\.)+\/[dgimsuy]*|\/\/.*|^ ?\*.*/g, "''"),
        ),
      );
      expect(found, `${relative(root, file)}:${found + 1} ${lines[found]}`).toBe(-1);
    }
  });
});

describe('packages', () => {
  it.each([
    ['core', []],
    ['collect', ['@culprit/core']],
    ['view', ['@culprit/core']],
    // of collect only what runs anywhere: see below
    ['web', ['@culprit/core', '@culprit/view', '@culprit/collect']],
    ['cli', ['@culprit/core', '@culprit/collect']],
  ] as const)('%s imports only the packages below it', (name, allowed) => {
    for (const file of sourcesOf(join(packages, name, 'src'))) {
      for (const target of importsOf(file)) {
        const own = /^(@culprit\/[a-z]+)/.exec(target)?.[1];
        if (own !== undefined) expect(allowed, `${relative(root, file)} imports ${target}`).toContain(own);
      }
    }
  });

  it('web reads by what of collect needs no node', () => {
    for (const file of sourcesOf(join(packages, 'web/src')))
      for (const target of importsOf(file))
        if (target.startsWith('@culprit/collect'))
          expect(target, relative(root, file)).toMatch(/^@culprit\/collect\/anywhere\//);
    const seen = new Set<string>();
    const follow = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const target of importsOf(file)) {
        expect(target, relative(root, file)).not.toMatch(/^node:/);
        if (target.startsWith('.')) follow(resolve(dirname(file), target));
      }
    };
    for (const file of sourcesOf(join(packages, 'collect/src/anywhere'))) follow(file);
    expect(seen.size).toBeGreaterThan(20);
  });
});
