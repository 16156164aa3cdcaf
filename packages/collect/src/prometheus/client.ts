// The HTTP interface of Prometheus, which VictoriaMetrics, Thanos, Mimir and others speak too.
// https://prometheus.io/docs/prometheus/latest/querying/api/
import { StringDecoder } from 'node:string_decoder';
import type { Answer } from '../image/web.ts';
import { Web, WebError } from '../image/web.ts';
import { PrometheusError } from './errors.ts';

/** How a server is reached. No secret of it ever stands in a message. */
export interface ServerOptions {
  /** `https://prometheus.example:9090`, with a path before `/api/v1` where there is one. */
  readonly url: string;
  /** The whole value of the header `authorization`. */
  readonly authorization: string | null;
  /** Further headers, as a tenant's name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Certificates (PEM) that are trusted besides those of the system. */
  readonly ca: readonly string[];
  readonly cert: string | null;
  readonly key: string | null;
  readonly insecure: boolean;
  /** Milliseconds for one answer to begin, and to end. */
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** An answer that was no error. */
export interface Answered {
  readonly data: unknown;
  /** What the server says of its own answer: parts that are missing, limits that were met. */
  readonly warnings: readonly string[];
}

/** Most bytes of one answer. */
const mostBytes: number = 48 * 1024 * 1024;
const mostErrorBytes = 64 * 1024;
const mostRedirects = 5;
const mostWarnings = 20;
const retries = 2;

/** Asks one server. */
export class PrometheusClient {
  /** The server as messages name it: neither user nor path parameters. */
  readonly name: string;
  private readonly base: URL;
  private readonly web: Web;
  private readonly options: ServerOptions;
  private readonly authorization: string | null;
  /** A server, or a proxy before it, that takes no POST. */
  private plain = false;

  /** @throws PrometheusError where the address is none */
  constructor(options: ServerOptions) {
    const { base, authorization } = addressOf(options.url);
    this.base = base;
    this.name = `${base.protocol}//${base.host}${base.pathname.replace(/\/$/, '')}`;
    this.options = options;
    this.authorization = options.authorization ?? authorization;
    this.web = new Web({
      ca: options.ca,
      insecure: options.insecure,
      env: options.env,
      answerMs: options.timeoutMs,
      ...(options.cert === null ? {} : { cert: options.cert }),
      ...(options.key === null ? {} : { key: options.key }),
    });
  }

  close(): void {
    this.web.close();
  }

  /**
   * Asks one question: `query_range`, `query`, `series`.
   * @throws PrometheusError where it is not answered; `too-much` where the answer would be too large
   */
  async ask(what: string, parameters: readonly (readonly [string, string])[]): Promise<Answered> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.send(what, new URLSearchParams(parameters as [string, string][]));
      if ((answer.status === 429 || answer.status === 503) && attempt < retries) {
        const wait = Number(answer.header('retry-after'));
        answer.drop();
        await pause(Number.isFinite(wait) && wait > 0 ? Math.min(wait * 1000, 5000) : 500 * (attempt + 1));
        continue;
      }
      return this.read(what, answer);
    }
  }

  private async send(what: string, parameters: URLSearchParams): Promise<Answer> {
    const own = new URL(this.base);
    own.pathname = `${own.pathname.replace(/\/$/, '')}/api/v1/${what}`;
    let url = own;
    let post = !this.plain;
    for (let hop = 0; ; hop++) {
      const answer = await this.exchange(url, parameters, post, url.origin === own.origin);
      const to = answer.header('location');
      if (answer.status < 300 || answer.status > 399 || answer.status === 304 || to === null) {
        if (!post || (answer.status !== 405 && answer.status !== 501)) return answer;
        answer.drop();
        this.plain = true;
        post = false;
        continue;
      }
      answer.drop();
      if (hop >= mostRedirects)
        throw new PrometheusError('not-reached', `${this.name} redirects more than ${mostRedirects} times`);
      url = this.target(url, to);
      if (url.origin !== own.origin && this.authorization !== null)
        throw new PrometheusError(
          'not-reached',
          `${this.name} redirects to ${url.origin}, which is not given the credentials`,
          'name that address yourself, or the path behind the login',
        );
      // Parameters of a question that goes on as GET stand in the address again.
      if (answer.status !== 307 && answer.status !== 308) post = false;
    }
  }

  private target(from: URL, to: string): URL {
    let url: URL;
    try {
      url = new URL(to, from);
    } catch {
      throw new PrometheusError('bad-answer', `${this.name} redirects to what is no address`);
    }
    if (url.protocol !== 'https:' && (url.protocol !== 'http:' || from.protocol === 'https:'))
      throw new PrometheusError('not-reached', `${this.name} redirects from https to ${url.protocol.slice(0, 12)}`);
    url.username = '';
    url.password = '';
    url.hash = '';
    return url;
  }

  private async exchange(url: URL, parameters: URLSearchParams, post: boolean, own: boolean): Promise<Answer> {
    const to = new URL(url);
    if (post) to.search = '';
    else for (const [name, value] of parameters) to.searchParams.append(name, value);
    try {
      return await this.web.send(to, {
        method: post ? 'POST' : 'GET',
        headers: {
          accept: 'application/json',
          ...(own ? this.options.headers : {}),
          ...(own && this.authorization !== null ? { authorization: this.authorization } : {}),
          ...(post ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        },
        ...(post ? { body: parameters.toString() } : {}),
      });
    } catch (error) {
      throw this.unreached(error);
    }
  }

  private unreached(error: unknown): PrometheusError {
    if (error instanceof PrometheusError) return error;
    const message = error instanceof Error ? error.message : 'no answer';
    const code = error instanceof WebError ? error.code : '';
    const hint =
      code === 'CERT'
        ? '--tls-ca FILE trusts its authority; --tls-insecure trusts everybody'
        : code === 'EPROTO'
          ? 'write http:// where the server speaks no TLS'
          : /certificate required|handshake failure|bad certificate/i.test(message)
            ? 'the server asks for a certificate: --tls-cert FILE --tls-key FILE'
            : null;
    return new PrometheusError('not-reached', message, hint);
  }

  private async read(what: string, answer: Answer): Promise<Answered> {
    const good = answer.status >= 200 && answer.status < 300;
    const text = await this.text(answer, good ? mostBytes : mostErrorBytes, good);
    if (answer.status === 401 || answer.status === 403)
      throw new PrometheusError(
        'denied',
        `${this.name} ${answer.status === 401 ? 'asks who you are' : 'does not permit this'} (HTTP ${answer.status})`,
        this.authorization === null
          ? '--token-file FILE, or CULPRIT_PROMETHEUS_TOKEN in the environment'
          : 'the credentials given were not accepted',
      );
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new PrometheusError(
        good ? 'bad-answer' : 'refused',
        good
          ? `what ${this.name} answers to ${what} is no JSON: is it a Prometheus server?`
          : `${this.name} answers HTTP ${answer.status}`,
        answer.status === 404 ? 'the address is the one before /api/v1, with its path where it has one' : null,
      );
    }
    const body = recordOf(value);
    if (body?.['status'] === 'success')
      return { data: body['data'], warnings: [...warningsOf(body), ...(body['isPartial'] === true ? [partial] : [])] };
    const reason = typeof body?.['error'] === 'string' ? this.shown(body['error']) : `HTTP ${answer.status}`;
    if (/exceeded maximum resolution|too many (?:samples|points)|maxSamples|max-?samples|too large|limit/i.test(reason))
      throw new PrometheusError('too-much', `${this.name}: ${reason}`);
    throw new PrometheusError(
      body === null || (good && body['error'] === undefined) ? 'bad-answer' : 'refused',
      body === null || (good && body['error'] === undefined)
        ? `what ${this.name} answers to ${what} is not what Prometheus answers`
        : `${this.name} refuses: ${reason}`,
    );
  }

  /** Words of a server, in one line; a secret that it repeats is not printed. */
  private shown(text: string): string {
    let words = text.replaceAll(/\s{1,100}/g, ' ').slice(0, 400);
    const secret = this.authorization?.split(' ').at(-1) ?? '';
    if (secret.length > 3) words = words.replaceAll(secret, '…');
    return words;
  }

  /** The body up to a bound. Its time is bounded too: a server may send a byte now and then for ever. */
  private async text(answer: Answer, most: number, whole: boolean): Promise<string> {
    const decoder = new StringDecoder('utf8');
    const parts: string[] = [];
    const declared = Number(answer.header('content-length'));
    if (whole && Number.isFinite(declared) && declared > most) {
      answer.drop();
      throw tooLarge(this.name);
    }
    let bytes = 0;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      answer.drop();
    }, this.options.timeoutMs);
    try {
      for await (const chunk of answer.body) {
        bytes += chunk.length;
        if (bytes > most) {
          answer.drop();
          if (whole) throw tooLarge(this.name);
          break;
        }
        parts.push(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
      }
    } catch (error) {
      if (late)
        throw new PrometheusError(
          'not-reached',
          `${this.name} did not end its answer within ${this.options.timeoutMs / 1000} s`,
          '--timeout SECONDS waits longer; a shorter period or a longer --step asks for less',
        );
      throw this.unreached(error);
    } finally {
      clearTimeout(timer);
    }
    return parts.join('') + decoder.end();
  }
}

const partial = 'the server says that its answer is partial';

function tooLarge(name: string): PrometheusError {
  return new PrometheusError('too-much', `an answer of ${name} is larger than ${mostBytes / 1024 / 1024} MiB`);
}

function addressOf(text: string): { readonly base: URL; readonly authorization: string | null } {
  let base: URL;
  try {
    base = new URL(/^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(text) ? text : `http://${text}`);
  } catch {
    throw new PrometheusError('bad-option', '--prometheus takes the address of a server', 'http://HOST:9090');
  }
  if (base.protocol !== 'http:' && base.protocol !== 'https:')
    throw new PrometheusError('bad-option', `--prometheus speaks http and https, not ${base.protocol.slice(0, 20)}`);
  const { username, password } = base;
  base.username = '';
  base.password = '';
  base.hash = '';
  base.search = '';
  // What was copied from the address line of a browser.
  base.pathname = base.pathname.replace(/\/(?:api\/v1(?:\/\w{1,40})?|graph|query|targets)\/?$/, '/');
  const authorization = username === '' ? null : basicOf(decoded(username), decoded(password));
  return { base, authorization };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The header of a name and a password. */
export function basicOf(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

function warningsOf(body: Readonly<Record<string, unknown>>): readonly string[] {
  return ['warnings', 'infos'].flatMap((name) => {
    const list = body[name];
    return Array.isArray(list)
      ? (list as readonly unknown[])
          .filter((each) => typeof each === 'string')
          .slice(0, mostWarnings)
          .map((each) => each.replaceAll(/\s{1,100}/g, ' ').slice(0, 300))
      : [];
  });
}

/** An object of JSON; null where it is none. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
