import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { whyUnreadable } from '@culprit/collect/unreadable';
import { isYamlProblem, readYaml } from '@culprit/collect/yaml';
import type { BuildFile } from '@culprit/core/image/lint/lint';
import { isGpuDockerfile, lintBuildFiles } from '@culprit/core/image/lint/lint';
import type { Verdict } from '@culprit/core/model/verdict';
import { exitStatusOf } from '@culprit/core/report/exit-status';
import type { VerdictFormat } from '@culprit/core/report/verdict-report';
import { reportVerdict, verdictFormats } from '@culprit/core/report/verdict-report';
import type { Call } from './commands/command.ts';
import { toolError, usageError } from './errors.ts';
import { readBounded } from './read-bounded.ts';
import { version } from './version.ts';

/** Looks at build files; gives the exit status. */
export async function lint(files: readonly string[], call: Call, failOn: ReadonlySet<string>): Promise<number> {
  if (!(verdictFormats as readonly string[]).includes(call.format))
    throw usageError(
      'unknown-format',
      `--dockerfile cannot be printed as ${call.format}`,
      `formats: ${verdictFormats.join(', ')}`,
    );
  const knowledge = await call.knowledge();
  const platform = call.flags['platform'];
  let verdict: Verdict = lintBuildFiles(
    files.map(buildFile),
    typeof platform === 'string' ? platform : null,
    knowledge,
  );
  if (call.flags['redact'] === true) {
    const { redactorOf } = await import('@culprit/core/report/redact');
    verdict = redactorOf([]).verdict(verdict);
  }
  const { color, columns } = call.output;
  call.output.data(
    reportVerdict(verdict, call.format as VerdictFormat, { knowledge, version, color, columns, left: [] }),
  );
  if (failOn.size === 0) return exitStatusOf(verdict.status);
  const fails = verdict.status === 'fault' || (verdict.status === 'cannot-tell' && failOn.has('cannot-tell'));
  return fails ? 1 : 0;
}

function buildFile(file: string): BuildFile {
  const text = readText(file);
  return isCompose(file, text) ? composeOf(file, text) : { kind: 'dockerfile', file, text };
}

function readText(file: string): string {
  try {
    return readBounded(file);
  } catch (error) {
    const { reason, hint } = whyUnreadable(error);
    throw toolError('no-input', `${file} could not be read: ${reason}`, hint);
  }
}

/** By its name, or because it has services and no FROM. */
function isCompose(file: string, text: string): boolean {
  if (/\.ya?ml$/i.test(file)) return true;
  return /^services:/m.test(text) && !/^\s{0,8}FROM\s/im.test(text);
}

function composeOf(file: string, text: string): BuildFile {
  const read = readYaml(text);
  if (isYamlProblem(read))
    throw toolError(
      'no-input',
      `${file}, line ${read.line}: ${read.message}`,
      'docker compose config shows whether the engine reads it',
    );
  const { value, lineOf } = read;
  return {
    kind: 'compose',
    compose: {
      file,
      value,
      lines: text.split(/\r?\n/),
      lineOf,
      gpuBuild: (service) => gpuBuild(file, value, service),
    },
  };
}

/** Is the Dockerfile of a service for a GPU? Null where it is not beside the compose file. */
function gpuBuild(file: string, value: unknown, service: string): boolean | null {
  const at = (from: unknown, key: string): unknown =>
    typeof from === 'object' && from !== null && Object.hasOwn(from, key)
      ? (from as Record<string, unknown>)[key]
      : undefined;
  const build = at(at(at(value, 'services'), service), 'build');
  const context = typeof build === 'string' ? build : at(build, 'context');
  if (typeof context !== 'string' && build === undefined) return null;
  const name = at(build, 'dockerfile');
  const folder = typeof context === 'string' ? context : '.';
  // A context may be an address; and nothing outside the folder of the compose file is looked at.
  const path = join(folder, typeof name === 'string' ? name : 'Dockerfile');
  if (/^[a-z+]{2,12}:|^git@|^\/|(?:^|\/)\.\.(?:\/|$)/.test(folder) || path.startsWith('..') || path.startsWith('/'))
    return null;
  try {
    const found = join(dirname(file), path);
    return statSync(found).isFile() ? isGpuDockerfile(readBounded(found)) : null;
  } catch {
    return null;
  }
}
