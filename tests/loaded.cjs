// Preloaded by a test: names on standard error every file of the bundle that was loaded when the program ends.
process.on('exit', () => {
  const loader = Object.values(require.cache).find((module) => module.filename.endsWith('load.js'));
  for (const file of loader.exports.scripts.keys()) process.stderr.write(`loaded ${file}\n`);
});
