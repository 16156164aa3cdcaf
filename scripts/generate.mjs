#!/usr/bin/env node
// Writes the generated files of the repository from its sources.
//   node scripts/generate.mjs           writes those that changed
//   node scripts/generate.mjs --check   writes nothing; fails and names the files that are stale
// A new generated file is one more entry of `generators`: its path and what makes its text.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const check = process.argv.includes('--check');
const folder = mkdtempSync(join(root, 'node_modules/.generate-'));

/** Loads a TypeScript module of the repository; each is bundled at most once. */
const loaded = new Map();
function load(path) {
  if (!loaded.has(path)) loaded.set(path, bundleAndImport(path, loaded.size));
  return loaded.get(path);
}

async function bundleAndImport(path, number) {
  const file = join(folder, `${number}.mjs`);
  const bundle = await rolldown({
    input: join(root, path),
    platform: 'node',
    resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
    logLevel: 'silent',
  });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return import(pathToFileURL(file).href);
}

/** A page with the real output of each command that it names in a comment `<!-- output: … -->`. */
function withOutputs(path) {
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'ignore' });
  const text = readFileSync(join(root, path), 'utf8');
  return text.replace(/<!-- output: (.+) -->\n(?:\n```text\n[^`]*```\n)?/g, (_, command) => {
    const [name, ...rest] = command.split(' ');
    const args = name === 'judge' ? [rest.join(' ')] : rest;
    const run = spawnSync(process.execPath, [join(root, 'packages/cli/bin/culprit.js'), name, ...args], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', COLUMNS: '100' },
    });
    const typed = name === 'judge' ? `"${args[0]}"` : args.join(' ');
    // The fingerprint of the tables changes with every row; the README shows what a reader looks at.
    const output = run.stdout.replace(/, sha256:[0-9a-f]+/g, '').trimEnd();
    return `<!-- output: ${command} -->\n\n\`\`\`text\n$ culprit ${name} ${typed}\n${output}\n\`\`\`\n`;
  });
}

/** `make` gives the whole text of the file at `path`. They run in order, each sees what the ones before it wrote. */
const generators = [
  {
    path: 'packages/core/src/knowledge/digest.ts',
    async make() {
      const { defaultKnowledge } = await load('packages/core/src/knowledge/knowledge.ts');
      const { digestOf } = await load('packages/core/src/knowledge/digest-of.ts');
      const digest = digestOf(defaultKnowledge);
      return [
        '/** Fingerprint of all tables. Generated; `npm run generate` renews it. */',
        `export const digest: string = '${digest}';`,
        '',
      ].join('\n');
    },
  },
  {
    path: 'packages/core/src/explain/facts.rows.ts',
    make: factRows,
  },
  {
    path: 'docs/knowledge/README.md',
    async make() {
      const { defaultKnowledge } = await load('packages/core/src/knowledge/knowledge.ts');
      const { tables } = await load('packages/core/src/knowledge/tables.ts');
      return knowledgePage(defaultKnowledge, tables);
    },
  },
  ...(await rulePages()),
  ...(await schemaFiles()),
  ...(await commandPages()),
  ...['README.md', 'docs/guide/diff.md', 'docs/guide/occupancy.md'].map((path) => ({
    path,
    make: () => withOutputs(path),
  })),
];

/** Every fact with its words, from the docstrings of the model, and the command that shows it. */
async function factRows() {
  const { commandsFor } = await load('packages/core/src/diagnose/evaluate.ts');
  const { factTexts } = await load('packages/core/src/explain/fact-texts.rows.ts');
  const model = readFileSync(join(root, 'packages/core/src/model/facts.ts'), 'utf8');
  const body = model.slice(model.indexOf('interface FactValues'), model.indexOf('export type SaidId'));
  const rows = [...body.matchAll(/\n(?: {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n)? {2}(?:'([a-z0-9.-]+)'|([a-z]+)): /g)].map(
    ([, doc, quoted, bare]) => {
      const id = quoted ?? bare;
      const text = (doc ?? '').replaceAll(/\s*\n\s*\* ?/g, ' ').trim();
      return {
        id,
        text: factTexts[id] ?? (text === '' ? `The value of ${id}, as a program printed it.` : text),
        command: commandsFor[id] ?? null,
      };
    },
  );
  const quote = (value) => (value === null ? 'null' : `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`);
  return [
    '/** A fact in words, and the command that shows it. */',
    'export interface FactWord {',
    '  readonly id: string;',
    '  readonly text: string;',
    '  readonly command: string | null;',
    '}',
    '',
    '/** Every fact of the model but recognised messages. Generated from `model/facts.ts`; `npm run generate` renews it. */',
    'export const factWords: readonly FactWord[] = [',
    ...rows.map((row) => `  { id: ${quote(row.id)}, text: ${quote(row.text)}, command: ${quote(row.command)} },`),
    '];',
    '',
  ].join('\n');
}

/** A page for each rule, and indexes by layer, by message and by what an operator sees. */
async function rulePages() {
  const { rules: every } = await load('packages/core/src/rules/rules.ts');
  const { defaultKnowledge } = await load('packages/core/src/knowledge/knowledge.ts');
  const { layers } = await load('packages/core/src/model/layer.ts');
  const { layerPage, messagePage, readmePage, rulePage, symptomPage } = await import('./rule-docs.mjs');
  const texts = new Map(every.map((rule) => [rule.id, read(join(root, `packages/core/src/rules/${rule.id}.md`))]));
  // A rule without its page is a failure of the tests, not of this.
  const rules = every.filter((rule) => texts.get(rule.id) !== null);
  const all = { rules, knowledge: defaultKnowledge, texts, layers };
  return [
    { path: 'docs/rules/README.md', make: () => readmePage(all) },
    { path: 'docs/rules/by-layer.md', make: () => layerPage(all) },
    { path: 'docs/rules/by-message.md', make: () => messagePage(all) },
    { path: 'docs/rules/by-symptom.md', make: () => symptomPage(all) },
    ...rules.map((rule) => ({ path: `docs/rules/${rule.id}.md`, make: () => rulePage(rule, all) })),
  ];
}

/** Every answer as JSON Schema. */
async function schemaFiles() {
  const { publishedSchema, schemaNames } = await load('packages/core/src/report/schemas.ts');
  return schemaNames.map((name) => ({
    path: `packages/cli/schemas/${name}.schema.json`,
    make: () => `${JSON.stringify(publishedSchema(name), null, 2)}\n`,
  }));
}

/** A page for each command, and their index. */
async function commandPages() {
  const { commands, commonFlags } = await load('packages/cli/src/commands/commands.ts');
  const { indexPage, pageOf } = await load('packages/cli/src/help.ts');
  return [
    { path: 'docs/cli/README.md', make: () => indexPage(commands) },
    ...commands.map((command) => ({ path: `docs/cli/${command.name}.md`, make: () => pageOf(command, commonFlags) })),
  ];
}

/** The page that lists every table and every source. */
function knowledgePage(knowledge, tables) {
  const cell = (text) => text.replaceAll('|', '\\|');
  const rows = tables.map(({ name, key, about }) => {
    const table = knowledge[key];
    const open = table.filter((row) => row.confirmed === false).length;
    return `| \`${name}\` | ${cell(about)} | ${table.length} | ${'confirmed' in table[0] ? open : ''} |`;
  });
  const sources = [...knowledge.citations]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, url, title }) => `| \`${id}\` | [${cell(title)}](${url}) |`);
  return `# Tables

<!-- Generated from packages/core/src/knowledge by \`npm run generate\`. -->

Every judgement rests on these tables. They speak of ${knowledge.asOf}; each row names its sources. A row that is not
confirmed was derived, carried over or recalled: it can make a finding likely, never proved. Some rows carry doubts about
single fields in \`confirmedFields\`.

A site replaces whole tables with \`--knowledge DIR\`: one JSON file for each table, named after it (\`toolkits.json\`), in
the form that the export has:

\`\`\`json
{ "table": "ptx-isa", "asOf": "${knowledge.asOf}", "rows": [], "citations": [{ "id": "…", "url": "https://…", "title": "…" }] }
\`\`\`

A file that does not fit is refused as a whole, with table, row, field and reason. The digest in a verdict tells which
tables made it.

| table | what it says | rows | not confirmed |
| --- | --- | --- | --- |
${rows.join('\n')}

## Sources

| id | document |
| --- | --- |
${sources.join('\n')}
`;
}

const stale = [];
try {
  for (const { path, make } of generators) {
    const file = join(root, path);
    const wanted = await make();
    if (read(file) === wanted) continue;
    stale.push(path);
    if (check) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, wanted);
  }
  // Pages of rules that are gone.
  const wanted = new Set(generators.map(({ path }) => path));
  for (const name of filesOf('docs/rules')) {
    if (wanted.has(name)) continue;
    stale.push(name);
    if (!check) rmSync(join(root, name));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

for (const path of stale) console.error(check ? `stale: ${path}` : `renewed ${path}`);
if (check && stale.length > 0) {
  console.error('run: npm run generate');
  process.exitCode = 1;
}

function filesOf(path) {
  try {
    return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${path}/${name.replaceAll('\\', '/')}`);
  } catch {
    return [];
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
