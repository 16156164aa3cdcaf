// Loads the bundle. Node's own loader looks up manifests and links for every file; the bundle needs none of that, and a
// file whose name carries the hash of its content may bring V8's compiled code along (written by scripts/build.mjs for
// the Node it ran on; V8 refuses what another release wrote, and compiles as ever).
const { readFileSync } = require('node:fs');
const paths = require('node:path');
const { Script } = require('node:vm');

const folder = paths.join(__dirname, '../dist');
const loaded = new Map();
/** Scripts by path, for whoever writes the compiled code. */
const scripts = new Map();

function compiledCode(path) {
  try {
    return readFileSync(`${path}.${process.version}.cache`);
  } catch {
    return undefined;
  }
}

/** @param name a file of dist */
function load(name) {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const path = paths.join(folder, name);
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'utf8')}\n})`,
    {
      filename: path,
      cachedData: name === 'main.js' ? undefined : compiledCode(path),
    },
  );
  scripts.set(path, script);
  const requireBeside = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));
  script.runInThisContext()(module.exports, requireBeside, module, path, folder);
  return module.exports;
}

module.exports = { load, scripts };
