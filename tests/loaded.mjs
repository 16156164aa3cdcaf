// Preloaded by a test: names on standard error every file of the program that Node loads as a module.
import { register } from 'node:module';

register(
  `data:text/javascript,${encodeURIComponent(`
import { fileURLToPath } from 'node:url';
import { writeSync } from 'node:fs';
export async function load(url, context, next) {
  if (url.startsWith('file:')) writeSync(2, 'loaded ' + fileURLToPath(url) + '\\n');
  return next(url, context);
}`)}`,
);
