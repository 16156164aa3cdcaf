import { spawn } from 'node:child_process';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { excerptsOf } from '@culprit/core/report/excerpts';
import { verdictHtml } from '@culprit/core/report/html-report';
import { lookupOf } from '@culprit/core/report/lookup';
import { stackOf } from '@culprit/core/report/stack/stack-of';
import { toolError, usageError } from '../errors.ts';
import { inputName, judgedInputs } from '../judged-inputs.ts';
import { version } from '../version.ts';
import type { PageFiles } from '../web-files.ts';
import { pageFiles } from '../web-files.ts';
import type { Call, Run } from './command.ts';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
};

export const run: Run = async (call) => {
  const port = Number(call.flags['port'] ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw usageError('bad-value', '--port is a number up to 65535', null);
  const files = pageFiles();
  if (files === null) throw toolError('not-served', 'the page is not built here', 'in a checkout: npm run build:web');
  const answer = call.positionals.length === 0 ? null : await answerOf(call);
  const token = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => serve(request, response, { token, files, answer }));
  await listening(server, port);
  const { port: taken } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${taken}/${token}/`;
  call.output.data(`${address}\n`);
  call.output.note('only with this address; ends with Ctrl-C');
  if (call.flags['browser'] === true) browse(address, call);
  await interrupted();
  server.closeAllConnections();
  server.close();
  return 0;
};

/** What the page shows first, in the form in which its own worker answers. */
async function answerOf(call: Call): Promise<string> {
  const knowledge = await call.knowledge();
  const judged = await judgedInputs(call.positionals, knowledge);
  const { documents, unreadable } = judged;
  for (const { name, reason, hint } of unreadable)
    call.output.error(`${inputName(name)} could not be read: ${reason}`, hint);
  if (documents.length === 0) throw toolError('no-input', 'there is nothing to show a verdict on', null);
  let { verdict, left } = judged;
  let excerpts = excerptsOf(documents, verdict);
  if (call.flags['redact'] === true) {
    const redactor = (await import('@culprit/core/report/redact')).redactorOf(documents);
    verdict = redactor.verdict(verdict);
    left = redactor.value(left);
    excerpts = redactor.value(excerpts);
  }
  const options = { knowledge, version, color: false, columns: null, left };
  return JSON.stringify({
    verdict,
    html: verdictHtml(verdict, lookupOf(knowledge, verdict), options),
    excerpts,
    stack: stackOf(verdict, knowledge),
  });
}

interface Served {
  readonly token: string;
  readonly files: PageFiles;
  readonly answer: string | null;
}

/**
 * Answers a request. Whoever has no token learns nothing, and a page of another origin that points its name at this
 * address (DNS rebinding) is refused by its Host.
 */
function serve(request: IncomingMessage, response: ServerResponse, { token, files, answer }: Served): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  const refuse = (status: number): void => {
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${status}\n`);
  };
  if (!/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/.test(request.headers.host ?? '')) return refuse(403);
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405);
  const [path = ''] = (request.url ?? '/').split('?', 1);
  const [, given = '', ...rest] = path.split('/');
  if (!same(given, token)) return refuse(404);
  if (rest.length === 0) {
    response.writeHead(308, { Location: `/${token}/` }).end();
    return;
  }
  const name = rest.join('/') === '' ? 'index.html' : rest.join('/');
  if (name === 'answer.json') {
    if (answer === null) return refuse(404);
    response.writeHead(200, { 'Content-Type': types['json'] });
    response.end(request.method === 'HEAD' ? undefined : answer);
    return;
  }
  const found = files(name);
  if (found === null) return refuse(404);
  const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  if (name === 'index.html') {
    // Only a page that was served with an answer asks for one.
    const page = Buffer.from(found).toString('utf8');
    const marked =
      answer === null
        ? page
        : page.replace('<head>', '<head>\n    <meta name="culprit-answer" content="answer.json" />');
    response.setHeader(
      'Content-Security-Policy',
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    response.writeHead(200, { 'Content-Type': type });
    response.end(request.method === 'HEAD' ? undefined : marked);
    return;
  }
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': found.length });
  response.end(request.method === 'HEAD' ? undefined : found);
}

function same(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function listening(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        toolError(
          'not-served',
          `port ${port} cannot be used: ${error.code === 'EADDRINUSE' ? 'something else listens on it' : error.message}`,
          'leave --port out',
        ),
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
}

async function interrupted(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

/** Hands the address to the desktop; a machine without one says so. */
function browse(address: string, call: Call): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [address], { stdio: 'ignore', detached: true });
  child.on('error', () => call.output.note(`${program} is not installed here; open the address yourself`));
  child.unref();
}
