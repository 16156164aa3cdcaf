// Getting in: challenges of registries, tokens (distribution spec and the docker registry's token documents).
import type { Credentials } from './credentials.ts';
import { ImageError } from './errors.ts';
import type { Web } from './web.ts';

export interface Challenge {
  readonly scheme: string;
  readonly values: ReadonlyMap<string, string>;
}

/** Reads a `WWW-Authenticate` header; several challenges may stand in one. */
export function challengesOf(header: string): readonly Challenge[] {
  const found: { scheme: string; values: Map<string, string> }[] = [];
  let rest = header.slice(0, 8192);
  while (rest !== '') {
    rest = rest.replace(/^[\s,]{1,8192}/, '');
    const word = /^[A-Za-z0-9._~+/-]{1,100}/.exec(rest)?.[0];
    if (word === undefined) break;
    rest = rest.slice(word.length);
    if (!rest.startsWith('=')) {
      found.push({ scheme: word.toLowerCase(), values: new Map() });
      continue;
    }
    rest = rest.slice(1);
    let value = '';
    if (rest.startsWith('"')) {
      let at = 1;
      while (at < rest.length && rest[at] !== '"') {
        if (rest[at] === '\\') at++;
        value += rest[at] ?? '';
        at++;
      }
      rest = rest.slice(at + 1);
    } else {
      value = /^[^\s,]{0,4096}/.exec(rest)![0];
      rest = rest.slice(value.length);
    }
    found.at(-1)?.values.set(word.toLowerCase(), value);
  }
  return found;
}

/**
 * The address from which a token is got, if it may be asked: credentials go there. It must be https unless the registry
 * itself was allowed to be without, and no address of this machine's surroundings (169.254.…), where clouds keep secrets.
 * @throws ImageError otherwise
 */
export function realmOf(text: string, registry: URL, insecure: boolean): URL {
  const refuse = (why: string): ImageError =>
    new ImageError('denied', `${registry.host} sends to ${JSON.stringify(text.slice(0, 200))} for a token: ${why}`);
  let realm: URL;
  try {
    realm = new URL(text);
  } catch {
    throw refuse('that is no address');
  }
  if (realm.protocol !== 'https:' && !(realm.protocol === 'http:' && insecure))
    throw refuse('credentials are sent to https addresses only');
  if (realm.username !== '' || realm.password !== '') throw refuse('the address holds a password');
  if (isLinkLocal(realm.hostname)) throw refuse('it is a link-local address');
  if (isLoopback(realm.hostname) && !isLoopback(registry.hostname)) throw refuse('it is an address of this machine');
  return realm;
}

/** Addresses of a link only, and the names of metadata services. */
export function isLinkLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return (
    host.startsWith('169.254.') ||
    /^fe[89ab][0-9a-f]:/.test(host) ||
    host.startsWith('::ffff:a9fe:') ||
    host === 'fd00:ec2::254' ||
    host === 'metadata.google.internal'
  );
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return host === 'localhost' || host === '::1' || host.startsWith('127.') || host.startsWith('::ffff:7f');
}

const mostAnswer = 1024 ** 2;

/**
 * Asks for a token.
 * @throws ImageError where none is given; WebError where nobody answers
 */
export async function fetchToken(
  web: Web,
  realm: URL,
  challenge: Challenge,
  scope: string,
  credentials: Credentials | null,
): Promise<{ readonly token: string; readonly seconds: number }> {
  const service = challenge.values.get('service');
  const url = new URL(realm);
  const identity = credentials?.kind === 'identity' ? credentials.token : null;
  const headers: Record<string, string> = { accept: 'application/json' };
  let body: string | undefined;
  if (identity !== null) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: identity,
      client_id: 'culprit',
      scope,
      ...(service === undefined ? {} : { service }),
    }).toString();
  } else {
    if (service !== undefined) url.searchParams.set('service', service);
    url.searchParams.append('scope', scope);
    if (credentials?.kind === 'basic') headers['authorization'] = basic(credentials.username, credentials.password);
  }
  const answer = await web.send(url, {
    headers,
    ...(body === undefined ? {} : { method: 'POST' as const, body }),
  });
  if (answer.status !== 200) {
    answer.drop();
    throw new ImageError(
      answer.status === 401 || answer.status === 403 || answer.status === 400 ? 'denied' : 'unreachable',
      `${url.host} gives no token: HTTP ${answer.status}`,
      credentials === null ? 'log in first: docker login or podman login' : 'are the stored credentials still right?',
    );
  }
  const bytes = await collect(answer.body, mostAnswer, `the token of ${url.host}`);
  let value: Record<string, unknown> | null = null;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown> | null;
  } catch {
    // Said below.
  }
  const token = value?.['token'] ?? value?.['access_token'];
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,65536}$/.test(token))
    throw new ImageError('denied', `${url.host} gives no token that can be read`);
  const seconds = value?.['expires_in'];
  return { token, seconds: typeof seconds === 'number' && seconds > 0 ? seconds : 60 };
}

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/**
 * All of a body.
 * @throws ImageError beyond so many bytes
 */
export async function collect(body: AsyncIterable<Uint8Array>, most: number, what: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) throw new ImageError('too-much', `${what} is longer than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
