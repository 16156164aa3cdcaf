// What bundling does to the sources: tables are evaluated ahead and read when they are first asked for; rule pages and the
// probe are embedded. Used by scripts/build.mjs (files beside the program) and scripts/build-binary.mjs (one file).
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const conditionNames = ['source', 'node', 'import', 'default'];

/**
 * Start-up counts: most runs touch a few of the tables only. The tables are evaluated here, written as one JSON file
 * each, and read when a run first asks for them; patterns of signatures are compiled when they are first tried.
 * @param where `files` beside the bundle, or `inline` as strings in it
 */
export const lazyKnowledge = (where) => ({
  name: 'lazy-knowledge',
  load: {
    filter: { id: /[\\/]core[\\/]src[\\/]knowledge[\\/]knowledge\.ts$/ },
    async handler(id) {
      const { defaultKnowledge } = await evaluated(id);
      const parts = [];
      const strings = [];
      for (const [key, table] of Object.entries(defaultKnowledge)) {
        if (typeof table === 'string') {
          parts.push(`  ${key}: ${JSON.stringify(table)},`);
          continue;
        }
        const emit = (name, content) => {
          const json = plainJson(content, key);
          if (where === 'inline') {
            strings.push(`  ${JSON.stringify(name)}: ${JSON.stringify(json)},`);
            return JSON.stringify(name);
          }
          const fileName = `${name}-${createHash('sha256').update(json).digest('hex').slice(0, 8)}.json`;
          this.emitFile({ type: 'asset', fileName, source: json });
          return JSON.stringify(fileName);
        };
        const value =
          key === 'signatures'
            ? `signaturesOf(read(${emit(
                key,
                table.map((row) => split(withoutPatterns(row), false)),
              )}), ${emit(
                `${key}-rest`,
                table.map((row) => split(row, true)),
              )})`
            : `read(${emit(key, table)})`;
        parts.push(`  get ${key}() { return keep(this, ${JSON.stringify(key)}, ${value}); },`);
      }
      const reader = where === 'inline' ? inlineReader(strings) : fileReader;
      return {
        moduleType: 'js',
        code: `${reader}${lazyPrologue}\nexport const defaultKnowledge = {\n${parts.join('\n')}\n};\n`,
      };
    },
  },
});

/** The same rows for whoever imports the table itself. */
export const signatureTable = {
  name: 'signature-table',
  load: {
    filter: { id: /[\\/]knowledge[\\/]signatures[\\/]signatures\.ts$/ },
    handler: () => ({
      moduleType: 'js',
      code: "import { defaultKnowledge } from '../knowledge.ts';\nexport const signatures = defaultKnowledge.signatures;\n",
    }),
  },
};

const fileReader = `
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
const read = (name) => JSON.parse(readFileSync(join(__dirname, name), 'utf8'));
`;

const inlineReader = (strings) => `
const texts = {\n${strings.join('\n')}\n};
const read = (name) => JSON.parse(texts[name]);
`;

const lazyPrologue = `
const keep = (object, key, value) => {
  Object.defineProperty(object, key, { value, enumerable: true });
  return value;
};
const signatureOf = ({ patterns, ...row }, rest) => {
  let made;
  return {
    ...row,
    get patterns() { return (made ??= patterns.map(([source, flags]) => new RegExp(source, flags))); },
    get meaning() { return rest().meaning; },
    get examples() { return rest().examples; },
    get causes() { return rest().causes; },
    get fixOrder() { return rest().fixOrder; },
    get commands() { return rest().commands; },
    get sources() { return rest().sources; },
  };
};
const signaturesOf = (rows, restName) => {
  let rest;
  return rows.map((row, at) => signatureOf(row, () => (rest ??= read(restName))[at]));
};
`;

/** What of a signature is asked for only once it has been met. */
const lateFields = ['meaning', 'examples', 'causes', 'fixOrder', 'commands', 'sources'];
const split = (row, late) =>
  Object.fromEntries(Object.entries(row).filter(([key]) => lateFields.includes(key) === late));

const withoutPatterns = (row) => ({ ...row, patterns: row.patterns.map((pattern) => [pattern.source, pattern.flags]) });

/** JSON of a table. Fails on anything that would not come back as it was. */
function plainJson(value, table) {
  return JSON.stringify(value, (key, each) => {
    const plain =
      each === null ||
      ['string', 'boolean'].includes(typeof each) ||
      (typeof each === 'number' && Number.isFinite(each)) ||
      (each === undefined && key !== '') ||
      Array.isArray(each) ||
      (typeof each === 'object' && Object.getPrototypeOf(each) === Object.prototype);
    if (!plain) throw new Error(`table ${table}: ${key} holds a value that JSON cannot carry`);
    return each;
  });
}

/** Bundles a module of core and runs it. */
async function evaluated(id) {
  const bundle = await rolldown({ input: id, resolve: { conditionNames }, logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`);
}

/** Rule pages, embedded as one module that is loaded when a page is asked for. */
export const pages = {
  name: 'rule-pages',
  load: {
    filter: { id: /[\\/]cli[\\/]src[\\/]rule-pages\.ts$/ },
    handler() {
      const folder = join(root, 'packages/core/src/rules');
      const found = {};
      for (const layer of readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory())) {
        for (const name of readdirSync(join(folder, layer.name)).filter((each) => each.endsWith('.md'))) {
          found[`${layer.name}/${basename(name, '.md')}`] = readFileSync(join(folder, layer.name, name), 'utf8');
        }
      }
      const code = `export const pages = JSON.parse(${JSON.stringify(JSON.stringify(found))});`;
      return { moduleType: 'js', code };
    },
  },
};

/** The probe, embedded as text. */
export const probeScript = {
  name: 'probe-script',
  load: {
    filter: { id: /[\\/]cli[\\/]src[\\/]probe-script\.ts$/ },
    handler() {
      const text = readFileSync(join(root, 'probe/probe.sh'), 'utf8');
      return { moduleType: 'js', code: `export const probeScript = ${JSON.stringify(text)};` };
    },
  },
};

/** The sampling, embedded as text. */
export const sampleScript = {
  name: 'sample-script',
  load: {
    filter: { id: /[\\/]cli[\\/]src[\\/]sample-script\.ts$/ },
    handler() {
      const text = readFileSync(join(root, 'probe/sample.sh'), 'utf8');
      return { moduleType: 'js', code: `export const sampleScript = ${JSON.stringify(text)};` };
    },
  },
};

/** The JavaScript of SQLite. */
const sqliteModule = /[\\/]node-sqlite3-wasm[\\/]dist[\\/]node-sqlite3-wasm\.js$/;

/** The WebAssembly of SQLite, and its name beside the bundle. */
function sqliteFile() {
  const bytes = readFileSync(join(root, 'node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm'));
  const fileName = `sqlite-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}.wasm`;
  return { fileName, bytes };
}

/** A program of threads as one text. @param plugins what its modules need */
async function threadProgram(input, plugins) {
  const bundle = await rolldown({
    input,
    platform: 'node',
    resolve: { conditionNames },
    transform: { target: 'node20.19' },
    plugins: [
      {
        name: 'no-worker-in-worker',
        load: { filter: { id: /image[\\/]worker-code\.ts$/ }, handler: () => 'export const workerCode = null;' },
      },
      ...plugins,
    ],
  });
  const { output } = await bundle.generate({
    format: 'cjs',
    codeSplitting: false,
    comments: { legal: true, annotation: false, jsdoc: false },
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  return output[0].code;
}

/** The program of the threads that read layers of images, embedded as text. */
export const imageWorker = {
  name: 'image-worker',
  load: {
    filter: { id: /[\\/]collect[\\/]src[\\/]image[\\/]worker-code\.ts$/ },
    async handler(id) {
      const code = await threadProgram(join(dirname(id), 'layer-worker.ts'), []);
      return { moduleType: 'js', code: `export const workerCode = ${JSON.stringify(code)};` };
    },
  },
};

/** The program of the thread that reads tables; it is given where SQLite lies. */
export function scanCode() {
  const given = {
    name: 'sqlite-given',
    load: {
      filter: { id: sqliteModule },
      handler: (module) => ({
        moduleType: 'js',
        code: replaced(
          readFileSync(module, 'utf8'),
          'locateFile("node-sqlite3-wasm.wasm")',
          'require("node:worker_threads").workerData.wasm',
        ),
      }),
    },
  };
  return threadProgram(join(root, 'packages/collect/src/sqlite/scan-worker.ts'), [given]);
}

/** The same, embedded as text. */
export const scanWorker = {
  name: 'scan-worker',
  load: {
    filter: { id: /[\\/]collect[\\/]src[\\/]sqlite[\\/]worker-code\.ts$/ },
    async handler() {
      const code = await scanCode();
      const wasm = `require('node:path').join(__dirname, ${JSON.stringify(sqliteFile().fileName)})`;
      return { moduleType: 'js', code: `export const scanProgram = { code: ${JSON.stringify(code)}, wasm: ${wasm} };` };
    },
  },
};

/** Modules that the scripts of pages hold: their packages' licences are named too. */
export const viewModules = new Set();

/** The scripts that draw pictures in a page, each bundled into one classic script and embedded as text. */
export const viewScripts = {
  name: 'view-scripts',
  load: {
    filter: { id: /[\\/]cli[\\/]src[\\/]view-scripts\.ts$/ },
    async handler() {
      const parts = [];
      for (const name of ['series', 'timeline']) {
        const bundle = await rolldown({
          input: join(root, `packages/view/src/${name}/page.ts`),
          platform: 'browser',
          resolve: { conditionNames: ['source', 'browser', 'import', 'default'] },
          transform: { target: 'es2022' },
        });
        const { output } = await bundle.generate({ format: 'iife', codeSplitting: false, minify: true });
        await bundle.close();
        for (const id of output[0].moduleIds) viewModules.add(id);
        parts.push(`export const ${name}Script = ${JSON.stringify(output[0].code)};`);
      }
      return { moduleType: 'js', code: parts.join('\n') };
    },
  },
};

/**
 * SQLite for versions of Node without it: its WebAssembly stands as a file beside the program, found by its name, or
 * packed inside the one file.
 * @param where `files` beside the bundle, or `inline`
 */
export const sqliteWasm = (where) => ({
  name: 'sqlite-wasm',
  load: {
    filter: { id: sqliteModule },
    handler(id) {
      const code = readFileSync(id, 'utf8');
      const { fileName, bytes } = sqliteFile();
      if (where === 'inline') {
        const packed = gzipSync(bytes, { level: 9 }).toString('base64');
        const unpack = `require('node:zlib').gunzipSync(Buffer.from(${JSON.stringify(packed)}, 'base64'))`;
        return { moduleType: 'js', code: replaced(code, 'return readBinary(file)', `return ${unpack}`) };
      }
      this.emitFile({ type: 'asset', fileName, source: bytes });
      const found = replaced(code, 'locateFile("node-sqlite3-wasm.wasm")', `locateFile(${JSON.stringify(fileName)})`);
      return { moduleType: 'js', code: found };
    },
  },
});

/** The built page, embedded for the single binary. */
export const embeddedPage = {
  name: 'embedded-page',
  load: {
    filter: { id: /[\\/]cli[\\/]src[\\/]embedded-page\.ts$/ },
    handler() {
      const folder = join(root, 'packages/web/dist');
      const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
      const files = names.map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [relative(folder, path).split(sep).join('/'), readFileSync(path).toString('base64')];
      });
      return { moduleType: 'js', code: `export const embeddedPage = ${JSON.stringify(Object.fromEntries(files))};` };
    },
  },
};

/** A text with one part of it exchanged; fails where the part is not there once. */
function replaced(text, part, by) {
  if (text.split(part).length !== 2) throw new Error(`node-sqlite3-wasm has changed: ${part} is not there once`);
  return text.replace(part, () => by);
}
