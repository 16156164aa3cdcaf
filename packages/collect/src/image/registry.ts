// A registry (OCI distribution spec 1.1, docker registry API v2), read only.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobStore } from './blob-store.ts';
import type { FoundCredentials } from './credentials.ts';
import { findCredentials } from './credentials.ts';
import { ImageError } from './errors.ts';
import type { ImageOptions } from './options.ts';
import type { RegistryReference } from './reference.ts';
import { basic, challengesOf, collect, fetchToken, isLinkLocal, realmOf } from './registry-auth.ts';
import type { Answer } from './web.ts';
import { Web, WebError } from './web.ts';

const accepted = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const mostManifest = 4 * 1024 ** 2;
const mostRedirects = 5;
const tries = 4;
/** Longest that is waited where a registry asks for patience. */
const mostWaitMs = 20_000;

export interface ManifestBytes {
  readonly bytes: Uint8Array;
  readonly mediaType: string | null;
  readonly digest: string;
}

/** One repository of a registry. */
export class Registry implements BlobStore {
  readonly place: string;
  private readonly reference: RegistryReference;
  private readonly options: ImageOptions;
  private readonly env: Readonly<Record<string, string | undefined>>;
  private readonly web: Web;
  private base: URL;
  private found: Promise<FoundCredentials> | null = null;
  private token: { readonly header: string; readonly until: number } | null = null;
  private asking: Promise<void> | null = null;
  /** Where a blob was found, without credentials: further ranges go there directly. */
  private readonly ranged = new Map<string, URL>();

  /** @throws ImageError where a file of certificates cannot be read */
  constructor(reference: RegistryReference, options: ImageOptions) {
    this.reference = reference;
    this.options = options;
    this.env = options.env ?? process.env;
    this.place = `${reference.registry}/${reference.repository}`;
    this.base = new URL(`https://${reference.host}/`);
    this.web = new Web({
      ca: certificates(reference, options),
      insecure: options.insecure === true,
      env: this.env,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
  }

  close(): void {
    this.web.close();
  }

  /**
   * A manifest or index by tag or digest; its digest is verified, and against what the registry says.
   * @throws ImageError
   */
  async manifest(name: string): Promise<ManifestBytes> {
    const answer = await this.ask(`manifests/${name}`, { accept: accepted });
    const what = `${this.place}: the manifest ${name}`;
    const bytes = await this.whole(answer, mostManifest, what);
    const said = answer.header('docker-content-digest');
    const wanted = name.includes(':') ? name : said;
    const algorithm = wanted?.startsWith('sha512:') === true ? 'sha512' : 'sha256';
    const digest = `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
    if (wanted !== null && wanted !== digest)
      throw new ImageError(
        'damaged',
        `${what}: its content has the digest ${digest}, not ${wanted}`,
        'something between here and the registry changes what it sends',
      );
    return { bytes, mediaType: answer.header('content-type')?.split(';', 1)[0]!.trim() ?? null, digest };
  }

  async read(digest: string, kind: 'manifest' | 'blob', most: number): Promise<Uint8Array> {
    if (kind === 'manifest') return (await this.manifest(digest)).bytes;
    return this.whole(await this.ask(`blobs/${digest}`, {}), most, `${this.place}: ${digest}`);
  }

  /** Goes on where a connection broke, as long as something comes. */
  async *open(digest: string): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (let left = tries; ; left--) {
      const before = at;
      try {
        const answer = await this.ask(`blobs/${digest}`, at === 0 ? {} : { range: `bytes=${at}-` });
        // A registry that knows no ranges sends the whole again.
        let skip = answer.status === 206 ? 0 : at;
        for await (const chunk of answer.body) {
          const part = skip === 0 ? chunk : chunk.subarray(Math.min(skip, chunk.length));
          skip -= chunk.length - part.length;
          if (part.length === 0) continue;
          at += part.length;
          yield part;
        }
        return;
      } catch (error) {
        if (!(error instanceof WebError)) throw error;
        if (at > before) left = tries;
        if (!error.again || left <= 1)
          throw new ImageError('unreachable', `${this.place}: ${digest} after ${at} bytes: ${error.message}`);
        await pause(500);
      }
    }
  }

  async range(digest: string, offset: number, length: number): Promise<Uint8Array | null> {
    const answer = await this.ask(`blobs/${digest}`, { range: `bytes=${offset}-${offset + length - 1}` }, digest);
    if (answer.status !== 206) {
      answer.drop();
      return null;
    }
    const bytes = await this.whole(answer, length, `${this.place}: a part of ${digest}`);
    const said = /^bytes (\d{1,16})-/.exec(answer.header('content-range') ?? '');
    return bytes.length === length && (said === null || Number(said[1]) === offset) ? bytes : null;
  }

  private async whole(answer: Answer, most: number, what: string): Promise<Uint8Array> {
    try {
      return await collect(answer.body, most, what);
    } catch (error) {
      if (error instanceof WebError) throw new ImageError('unreachable', `${what}: ${error.message}`);
      throw error;
    }
  }

  /** Asks with credentials where they are wanted, follows redirects, and asks again where that may help. */
  private async ask(path: string, headers: Readonly<Record<string, string>>, ranged?: string): Promise<Answer> {
    let challenged = 0;
    for (let trial = 1; ; trial++) {
      let answer: Answer;
      try {
        answer = await this.askOnce(path, headers, ranged);
      } catch (error) {
        if (!(error instanceof WebError)) throw error;
        if (error.code === 'EPROTO' && this.options.insecure === true && this.base.protocol === 'https:') {
          this.base = new URL(`http://${this.reference.host}/`);
          continue;
        }
        if (error.again && trial < tries) {
          await pause(250 * 2 ** trial);
          continue;
        }
        throw this.unreachable(error);
      }
      if (answer.status === 200 || answer.status === 206) return answer;
      const wait = Number(answer.header('retry-after') ?? NaN) * 1000;
      const challenge = answer.header('www-authenticate');
      const said = await reasonOf(answer);
      if (answer.status === 401 && challenge !== null && challenged < 2) {
        challenged++;
        await this.enter(challenge);
        continue;
      }
      if (again.has(answer.status) && trial < tries) {
        await pause(Number.isFinite(wait) && wait >= 0 ? Math.min(wait, mostWaitMs) : 250 * 2 ** trial);
        continue;
      }
      throw await this.refused(path, answer.status, said);
    }
  }

  private async askOnce(path: string, headers: Readonly<Record<string, string>>, ranged?: string): Promise<Answer> {
    const known = ranged === undefined ? undefined : this.ranged.get(ranged);
    let url = known ?? new URL(`v2/${this.reference.repository}/${path}`, this.base);
    for (let hop = 0; hop <= mostRedirects; hop++) {
      // Credentials are for the registry only, never for where it sends to.
      const own = url.host === this.base.host && url.protocol === this.base.protocol;
      if (own) await this.fresh();
      const answer = await this.web.send(url, {
        headers: { ...headers, ...(own && this.token !== null ? { authorization: this.token.header } : {}) },
      });
      if (![301, 302, 303, 307, 308].includes(answer.status)) {
        if (ranged !== undefined && hop > 0 && answer.status === 206) this.ranged.set(ranged, url);
        // Signed addresses of a storage end some time.
        if (known !== undefined && answer.status !== 206) {
          this.ranged.delete(ranged!);
          answer.drop();
          return this.askOnce(path, headers, ranged);
        }
        return answer;
      }
      const to = answer.header('location');
      answer.drop();
      url = this.redirected(to, url);
    }
    throw new ImageError('unreachable', `${this.place}: more than ${mostRedirects} redirects`);
  }

  private redirected(to: string | null, from: URL): URL {
    let url: URL | null = null;
    try {
      url = to === null ? null : new URL(to, from);
    } catch {
      // Said below.
    }
    const refuse = (why: string): ImageError => new ImageError('unreachable', `${this.place}: a redirect ${why}`);
    if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw refuse('to no address');
    if (url.protocol === 'http:' && from.protocol === 'https:' && this.options.insecure !== true)
      throw refuse(`from https to http (${url.host})`);
    if (isLinkLocal(url.hostname)) throw refuse(`to a link-local address (${url.host})`);
    return url;
  }

  /** Gets another token before the one there is ends. */
  private async fresh(): Promise<void> {
    if (this.token !== null && performance.now() > this.token.until && this.lastChallenge !== null)
      await this.enter(this.lastChallenge);
  }

  private lastChallenge: string | null = null;

  /** Many layers meet the same challenge: one of them answers it. */
  private async enter(challenge: string): Promise<void> {
    this.asking ??= this.answerChallenge(challenge).finally(() => {
      this.asking = null;
    });
    await this.asking;
  }

  private async answerChallenge(header: string): Promise<void> {
    this.lastChallenge = header;
    this.found ??= findCredentials(this.reference.registry, this.reference.repository, this.env, this.options.authFile);
    const { credentials } = await this.found;
    const challenges = challengesOf(header);
    const bearer = challenges.find(({ scheme, values }) => scheme === 'bearer' && values.has('realm'));
    if (bearer !== undefined) {
      if (credentials?.kind === 'bearer') {
        this.token = { header: `Bearer ${credentials.token}`, until: Infinity };
        return;
      }
      const realm = realmOf(bearer.values.get('realm')!, this.base, this.options.insecure === true);
      const scope = `repository:${this.reference.repository}:pull`;
      try {
        const { token, seconds } = await fetchToken(this.web, realm, bearer, scope, credentials);
        this.token = {
          header: `Bearer ${token}`,
          until: performance.now() + Math.max(seconds * 900, 1000),
        };
      } catch (error) {
        if (error instanceof WebError) throw this.unreachable(error);
        throw error;
      }
      return;
    }
    if (challenges.some(({ scheme }) => scheme === 'basic') && credentials?.kind === 'basic')
      this.token = { header: basic(credentials.username, credentials.password), until: Infinity };
  }

  private unreachable(error: WebError): ImageError {
    const hint =
      error.code === 'CERT'
        ? 'name the certificate of its authority: --ca FILE'
        : error.code === 'EPROTO'
          ? 'a registry without TLS is read only where you say so: --insecure'
          : error.code === 'ENOTFOUND'
            ? 'is the name right? a path to a file begins with ./ or /; behind a proxy set HTTPS_PROXY'
            : null;
    return new ImageError('unreachable', `${this.place}: ${error.message}`, hint);
  }

  private async refused(path: string, status: number, said: string): Promise<ImageError> {
    const what = `${this.place}: ${path.replace('/', ' ').replace('manifests', 'manifest').replace('blobs', 'blob')}`;
    const behind = said === '' ? '' : ` (${said})`;
    if (status === 404) return new ImageError('no-image', `${what} is not in the registry${behind}`);
    if (status === 401 || status === 403) {
      const found = await (this.found ?? Promise.resolve(null));
      const hint =
        found?.credentials == null
          ? ['no credentials were found: docker login or podman login', ...(found?.trouble ?? [])].join('; ')
          : 'the stored credentials are not accepted, or may not read this repository';
      return new ImageError('denied', `${what}: access denied${behind}`, hint);
    }
    if (status === 429)
      return new ImageError('unreachable', `${what}: the registry asks for fewer requests${behind}`, 'log in, or wait');
    return new ImageError('unreachable', `${what}: HTTP ${status}${behind}`);
  }
}

const again: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Words of an error of a registry: `{"errors":[{"code":"MANIFEST_UNKNOWN","message":"…"}]}`. */
async function reasonOf(answer: Answer): Promise<string> {
  try {
    const bytes = await collect(answer.body, 64 * 1024, 'the error');
    const value = JSON.parse(Buffer.from(bytes).toString('utf8')) as {
      errors?: { code?: unknown; message?: unknown }[];
    };
    const first = value.errors?.[0];
    const words = [first?.code, first?.message].filter((each) => typeof each === 'string' && each !== '');
    return words
      .join(': ')
      .slice(0, 200)
      .replaceAll(/[^\x20-\x7e]/g, '?');
  } catch {
    return '';
  } finally {
    answer.drop();
  }
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Certificates that the user named, and those that docker and podman take for this registry. */
function certificates({ host, registry }: RegistryReference, { ca }: ImageOptions): readonly string[] {
  const found: string[] = [];
  if (ca !== undefined) {
    let text: string;
    try {
      text = readFileSync(ca, 'utf8');
    } catch (error) {
      throw new ImageError('bad-option', `${ca}: the certificates cannot be read: ${(error as Error).message}`);
    }
    if (!text.includes('-----BEGIN CERTIFICATE-----'))
      throw new ImageError('bad-option', `${ca}: there is no certificate in it`, 'it should be PEM');
    found.push(text);
  }
  for (const folder of ['/etc/containers/certs.d', '/etc/docker/certs.d'])
    for (const name of new Set([host, registry]))
      try {
        for (const file of readdirSync(join(folder, name)))
          if (file.endsWith('.crt')) found.push(readFileSync(join(folder, name, file), 'utf8'));
      } catch {
        // There are none for this registry.
      }
  return found;
}
