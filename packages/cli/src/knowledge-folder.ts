import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import { applyOverride } from '@culprit/core/knowledge/override';
import { toolError } from './errors.ts';

/**
 * The built-in tables with those of a folder in their place: every `NAME.json` in it replaces the table NAME.
 * @throws CulpritError that names what is wrong with the folder or its tables
 */
export function readKnowledge(folder: string): Knowledge {
  const files = new Map<string, unknown>();
  for (const name of list(folder)) {
    try {
      files.set(basename(name, '.json'), JSON.parse(readFileSync(join(folder, name), 'utf8')));
    } catch (error) {
      throw toolError('bad-knowledge', `${join(folder, name)} is no JSON: ${(error as Error).message}`);
    }
  }
  if (files.size === 0)
    throw toolError('bad-knowledge', `${folder} holds no tables`, 'culprit knowledge --export DIR writes them');
  const result = applyOverride(defaultKnowledge, files);
  if ('knowledge' in result) return result.knowledge;
  const more = result.errors.length > 5 ? `; and ${result.errors.length - 5} more` : '';
  throw toolError(
    'bad-knowledge',
    `the tables in ${folder} cannot be used: ${result.errors.slice(0, 5).join('; ')}${more}`,
  );
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch (error) {
    throw toolError('bad-knowledge', `${folder} cannot be read: ${(error as Error).message}`);
  }
}
