// Credentials of registries, from the files of docker and podman and from their helper programs.
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from '../transports/run.ts';
import { ImageError } from './errors.ts';

export type Credentials =
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  /** An OAuth2 refresh token. */
  | { readonly kind: 'identity'; readonly token: string }
  /** A token that is sent as it is. */
  | { readonly kind: 'bearer'; readonly token: string };

export interface FoundCredentials {
  readonly credentials: Credentials | null;
  /** What did not work while they were looked for, in words. */
  readonly trouble: readonly string[];
}

const mostFile = 4 * 1024 ** 2;
const helperMs = 15_000;

interface ConfigFile {
  readonly auths?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;
  readonly credHelpers?: Readonly<Record<string, unknown>>;
  readonly credsStore?: unknown;
}

/**
 * Looks for the credentials of a repository: podman's file, then docker's; in each the helper of the registry, the most
 * exact entry, then the store.
 * @param authFile a file that is the only one looked at
 * @throws ImageError where `authFile` cannot be read
 */
export async function findCredentials(
  registry: string,
  repository: string,
  env: Readonly<Record<string, string | undefined>>,
  authFile: string | undefined,
): Promise<FoundCredentials> {
  const trouble: string[] = [];
  for (const path of authFile === undefined ? places(env) : [authFile]) {
    const config = readConfig(path, authFile !== undefined, trouble);
    if (config === null) continue;
    const names = registry === 'docker.io' ? hubNames : [registry];
    for (const name of names) {
      const helper = own(config.credHelpers, name);
      if (typeof helper !== 'string') continue;
      const found = await askHelper(helper, name, env, trouble);
      if (found !== null) return { credentials: found, trouble };
    }
    const entry = entryOf(config, names, repository);
    const held = entry === null ? null : ofEntry(entry, path, trouble);
    if (held !== null) return { credentials: held, trouble };
    if (typeof config.credsStore === 'string' && config.credsStore !== '') {
      const asked = registry === 'docker.io' ? hubNames[0] : registry;
      const found = await askHelper(config.credsStore, asked, env, trouble);
      if (found !== null) return { credentials: found, trouble };
    }
  }
  return { credentials: null, trouble };
}

const hubNames = ['https://index.docker.io/v1/', 'docker.io', 'index.docker.io', 'registry-1.docker.io'] as const;

function places(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const home = env['HOME'] || homedir();
  if (env['REGISTRY_AUTH_FILE']) return [env['REGISTRY_AUTH_FILE']];
  return [
    ...(env['XDG_RUNTIME_DIR'] ? [join(env['XDG_RUNTIME_DIR'], 'containers/auth.json')] : []),
    ...(process.getuid === undefined ? [] : [`/run/containers/${process.getuid()}/auth.json`]),
    join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'containers/auth.json'),
    join(env['DOCKER_CONFIG'] || join(home, '.docker'), 'config.json'),
  ];
}

function readConfig(path: string, named: boolean, trouble: string[]): ConfigFile | null {
  try {
    const state = statSync(path);
    if (!state.isFile() || state.size > mostFile) throw new Error('it is no file of credentials');
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is no JSON object');
    return value;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // What a parser says may quote the content.
    const why = error instanceof SyntaxError ? 'it is no JSON' : (error as Error).message;
    if (named) throw new ImageError('bad-option', `${path}: the credentials cannot be read: ${why}`);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') trouble.push(`${path} cannot be read: ${why}`);
    return null;
  }
}

/** The most exact entry: podman's files may name repositories (`quay.io/team/app`). */
function entryOf(
  config: ConfigFile,
  names: readonly string[],
  repository: string,
): Readonly<Record<string, unknown>> | null {
  const { auths } = config;
  if (typeof auths !== 'object' || auths === null) return null;
  const parts = repository.split('/');
  for (let count = parts.length; count > 0; count--) {
    const entry = own(auths, `${names.at(names.length > 1 ? 1 : 0)!}/${parts.slice(0, count).join('/')}`);
    if (typeof entry === 'object' && entry !== null) return entry;
  }
  for (const name of names) {
    const entry = own(auths, name);
    if (typeof entry === 'object' && entry !== null) return entry;
  }
  const hosts = new Set(names.map(hostOf));
  for (const [key, entry] of Object.entries(auths))
    if (/^https?:\/\/|\/v[12]\/?$/.test(key) && hosts.has(hostOf(key)) && typeof entry === 'object') return entry;
  return null;
}

function own<Value>(record: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return typeof record === 'object' && record !== null && Object.hasOwn(record, key) ? record[key] : undefined;
}

function hostOf(key: string): string {
  return key.replace(/^https?:\/\//, '').split('/', 1)[0]!;
}

function ofEntry(entry: Readonly<Record<string, unknown>>, path: string, trouble: string[]): Credentials | null {
  const text = (key: string): string | null => {
    const value = own(entry, key);
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const registryToken = text('registrytoken');
  if (registryToken !== null) return { kind: 'bearer', token: registryToken };
  const identity = text('identitytoken');
  if (identity !== null) return { kind: 'identity', token: identity };
  const auth = text('auth');
  if (auth !== null) {
    const plain = Buffer.from(auth, 'base64').toString('utf8').replace(/\0+$/, '');
    const colon = plain.indexOf(':');
    if (colon > 0) return { kind: 'basic', username: plain.slice(0, colon), password: plain.slice(colon + 1) };
    trouble.push(`${path} holds an entry that is no name and password`);
    return null;
  }
  const username = text('username');
  const password = text('password');
  return username === null || password === null ? null : { kind: 'basic', username, password };
}

/** Runs `docker-credential-NAME get`: the registry on its standard input, JSON on its standard output. */
async function askHelper(
  helper: string,
  registry: string,
  env: Readonly<Record<string, string | undefined>>,
  trouble: string[],
): Promise<Credentials | null> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/.test(helper)) {
    trouble.push('the name of a credential helper is none');
    return null;
  }
  const program = `docker-credential-${helper}`;
  const ran = await run({
    argv: [await placeOf(program, env), 'get'],
    input: registry,
    limitMs: helperMs,
    most: 64 * 1024,
  });
  if (ran.ended === 'missing') trouble.push(`the credential helper ${program} is not installed`);
  else if (ran.ended === 'timeout')
    trouble.push(`the credential helper ${program} gave nothing within ${helperMs / 1000} s`);
  else if (ran.ended !== 'exit') trouble.push(`the credential helper ${program} could not be run`);
  else if (ran.exit !== 0) {
    if (!/credentials not found/i.test(ran.stdout + ran.stderr))
      trouble.push(`the credential helper ${program} ended with exit status ${ran.exit}`);
  } else {
    try {
      const { Username: username, Secret: secret } = JSON.parse(ran.stdout) as Record<string, unknown>;
      if (typeof username === 'string' && typeof secret === 'string' && secret !== '')
        return username === '<token>'
          ? { kind: 'identity', token: secret }
          : { kind: 'basic', username, password: secret };
    } catch {
      trouble.push(`what the credential helper ${program} prints is no JSON`);
    }
  }
  return null;
}

/** Path of a program on the PATH that was handed over, where it is another than that of this process. */
async function placeOf(program: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const path = env['PATH'];
  if (path === undefined || path === process.env['PATH']) return program;
  for (const folder of path.split(':')) {
    const place = join(folder, program);
    if (folder.startsWith('/') && statSync(place, { throwIfNoEntry: false })?.isFile() === true) return place;
  }
  return program;
}
