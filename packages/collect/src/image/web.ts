// HTTP for registries: own certificates, proxies, time limits; redirects are left to the caller.
import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import * as tls from 'node:tls';
import { ImageError } from './errors.ts';
import { proxyFor } from './proxy.ts';

export interface Answer {
  readonly status: number;
  header(name: string): string | null;
  /** The body, in order; ends with an error where the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The body is not wanted. */
  drop(): void;
}

export interface WebOptions {
  /** Certificates (PEM) that are trusted besides those of the system. */
  readonly ca: readonly string[];
  readonly insecure: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  /** A certificate of one's own and its key (PEM), for servers that ask for one. */
  readonly cert?: string;
  readonly key?: string;
  /** Milliseconds in which an answer must begin, where not the usual ones. */
  readonly answerMs?: number;
}

export interface Request {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Milliseconds in which a connection must be there, an answer must begin, and further bytes must come. */
const connectMs = 10_000;
const answerMs = 30_000;
const idleMs = 60_000;

/** Nothing was answered: why, and whether asking again may help. */
export class WebError extends Error {
  readonly code: string;
  readonly again: boolean;

  constructor(message: string, code: string, again: boolean) {
    super(message);
    this.code = code;
    this.again = again;
  }
}

/** Sends requests; connections are kept for further ones. */
export class Web {
  private readonly options: WebOptions;
  private readonly secure: https.Agent;
  private readonly open: http.Agent;
  private readonly trust: {
    readonly ca?: string[];
    readonly rejectUnauthorized?: boolean;
    readonly cert?: string;
    readonly key?: string;
  };
  private readonly answerMs: number;

  constructor(options: WebOptions) {
    this.options = options;
    this.trust = {
      ...(options.ca.length === 0 ? {} : { ca: [...tls.rootCertificates, ...extraRoots(), ...options.ca] }),
      ...(options.insecure ? { rejectUnauthorized: false } : {}),
      ...(options.cert === undefined ? {} : { cert: options.cert }),
      ...(options.key === undefined ? {} : { key: options.key }),
    };
    this.answerMs = options.answerMs ?? answerMs;
    this.secure = new https.Agent({ keepAlive: true, maxSockets: 16, ...this.trust });
    this.open = new http.Agent({ keepAlive: true, maxSockets: 16 });
  }

  close(): void {
    this.secure.destroy();
    this.open.destroy();
  }

  /** @throws WebError where no answer comes */
  async send(url: URL, request: Request = {}): Promise<Answer> {
    const proxy = proxyFor(url, this.options.env);
    const headers: Record<string, string> = { 'user-agent': 'culprit', ...request.headers };
    const base = {
      method: request.method ?? 'GET',
      ...(this.options.signal === undefined ? {} : { signal: this.options.signal }),
    };
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    if (url.protocol === 'http:') {
      const via = proxy ?? url;
      if (proxy?.username) headers['proxy-authorization'] = basicOf(proxy);
      return this.exchange(
        (proxy?.protocol === 'https:' ? https : http).request({
          ...base,
          headers: { host: url.host, ...headers },
          host: via.hostname.replace(/^\[|\]$/g, ''),
          port: via.port === '' ? (via.protocol === 'https:' ? 443 : 80) : via.port,
          path: proxy === null ? `${url.pathname}${url.search}` : url.href,
          ...(proxy === null ? { agent: this.open } : this.trust),
        }),
        request.body,
        url,
      );
    }
    const target = {
      ...base,
      headers,
      host: hostname,
      port: url.port === '' ? 443 : url.port,
      path: `${url.pathname}${url.search}`,
    };
    if (proxy === null)
      return this.exchange(https.request({ ...target, agent: this.secure, ...this.trust }), request.body, url);
    const socket = await this.tunnel(proxy, url);
    const encrypted = tls.connect({
      socket,
      ...(isIP(hostname) === 0 ? { servername: hostname } : { host: hostname }),
      ...this.trust,
    });
    return this.exchange(
      https.request({ ...target, createConnection: () => encrypted } as https.RequestOptions),
      request.body,
      url,
    );
  }

  private exchange(asked: http.ClientRequest, body: string | undefined, url: URL): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let answered = false;
      const late = (why: string): void => {
        asked.destroy(new WebError(`${url.host} ${why}`, 'ETIMEDOUT', true));
      };
      let timer = setTimeout(() => late(`cannot be reached within ${connectMs / 1000} s`), connectMs);
      const connected = (): void => {
        clearTimeout(timer);
        if (!answered)
          timer = setTimeout(() => late(`does not answer within ${this.answerMs / 1000} s`), this.answerMs);
      };
      asked.on('socket', (socket: Socket & { encrypted?: boolean }) => {
        if (socket.connecting || (socket.encrypted === true && !asked.reusedSocket))
          socket.once(socket.encrypted === true ? 'secureConnect' : 'connect', connected);
        else connected();
      });
      asked.on('error', (error) => {
        clearTimeout(timer);
        reject(failureOf(error, url));
      });
      asked.on('response', (response) => {
        answered = true;
        clearTimeout(timer);
        asked.setTimeout(idleMs, () => {
          response.destroy(new WebError(`${url.host} sent nothing for ${idleMs / 1000} s`, 'ETIMEDOUT', true));
        });
        resolve({
          status: response.statusCode ?? 0,
          header: (name) => {
            const value = response.headers[name];
            return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
          },
          body: bodyOf(response, url),
          drop: () => response.destroy(),
        });
      });
      asked.end(body);
    });
  }

  private tunnel(proxy: URL, url: URL): Promise<Socket> {
    const port = url.port === '' ? '443' : url.port;
    return new Promise((resolve, reject) => {
      const asked = (proxy.protocol === 'https:' ? https : http).request({
        host: proxy.hostname.replace(/^\[|\]$/g, ''),
        port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : proxy.port,
        method: 'CONNECT',
        path: `${url.hostname}:${port}`,
        headers: {
          host: `${url.hostname}:${port}`,
          ...(proxy.username === '' ? {} : { 'proxy-authorization': basicOf(proxy) }),
        },
        agent: false,
        timeout: connectMs,
        ...(proxy.protocol === 'https:' ? this.trust : {}),
      });
      const fail = (error: Error): void => reject(error);
      asked.on('timeout', () =>
        asked.destroy(new WebError(`the proxy ${proxy.host} does not answer`, 'ETIMEDOUT', true)),
      );
      asked.on('error', (error) => fail(error instanceof WebError ? error : failureOf(error, proxy, 'the proxy ')));
      asked.on('connect', (response, socket) => {
        if (response.statusCode === 200) resolve(socket);
        else {
          socket.destroy();
          fail(new WebError(`the proxy ${proxy.host} refuses: HTTP ${response.statusCode}`, 'EPROXY', false));
        }
      });
      asked.on('response', (response) => {
        response.destroy();
        fail(new WebError(`the proxy ${proxy.host} refuses: HTTP ${response.statusCode}`, 'EPROXY', false));
      });
      asked.end();
    });
  }
}

async function* bodyOf(response: http.IncomingMessage, url: URL): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) yield chunk as Uint8Array;
  } catch (error) {
    throw failureOf(error as Error, url);
  }
  if (!response.complete) throw new WebError(`the connection to ${url.host} broke`, 'ECONNRESET', true);
}

/** Certificates that the environment adds for node are part of what it trusts, also where others are named. */
function extraRoots(): readonly string[] {
  const system = (tls as { getCACertificates?: (type: string) => string[] }).getCACertificates;
  try {
    return system === undefined ? [] : system('extra');
  } catch {
    return [];
  }
}

function basicOf(url: URL): string {
  const plain = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(plain).toString('base64')}`;
}

const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

function failureOf(error: Error, url: URL, who = ''): Error {
  if (error instanceof WebError || error instanceof ImageError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const host = `${who}${url.host}`;
  if (error.name === 'AbortError') return new WebError('stopped', 'ABORT', false);
  if (untrusted.has(code))
    return new WebError(`the certificate of ${host} is not trusted (${error.message})`, 'CERT', false);
  if (code === 'ENOTFOUND') return new WebError(`the name ${who}${url.hostname} cannot be resolved`, code, false);
  if (code === 'ECONNREFUSED') return new WebError(`nothing listens at ${host}`, code, false);
  if (code === 'EPROTO' || /wrong version number|packet length too long/i.test(error.message))
    return new WebError(`${host} does not speak TLS`, 'EPROTO', false);
  return new WebError(`${host}: ${error.message === '' ? code || error.name : error.message}`, code, true);
}
