// `culprit open`: the page on loopback, for the one who has its address.
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { culprit, entry, root, scratch } from '../run-cli.ts';
import { headlineOf, launch, visit } from './page-browser.ts';
import { lacks, mismatch } from './tools.ts';

const missing = lacks('chromium');
const folder = scratch();
afterAll(folder.remove);
const running: ChildProcess[] = [];
afterEach(() => {
  for (const each of running.splice(0)) each.kill('SIGKILL');
});

interface Opened {
  readonly address: string;
  readonly child: ChildProcess;
  /** Sends a signal; gives the exit status and what was said. */
  readonly end: (signal: NodeJS.Signals) => Promise<{ readonly status: number | null; readonly err: string }>;
}

async function open(program: readonly string[], args: readonly string[], input: string | null = null): Promise<Opened> {
  const [command = '', ...before] = program;
  const child = spawn(command, [...before, 'open', ...args], { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] });
  running.push(child);
  child.stdin.end(input ?? '');
  let out = '';
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (out.endsWith('\n')) resolve(out.trim());
    });
    child.on('exit', (status) => reject(new Error(`ended with ${status}: ${err}`)));
  });
  return {
    address,
    child,
    end: async (signal) => {
      const ended = once(child, 'exit');
      child.kill(signal);
      const [status] = (await ended) as [number | null];
      return { status, err };
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request as it stands: paths are not tidied, and any header goes. */
function ask(
  address: string,
  path: string,
  options: { readonly method?: string; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { port } = new URL(address);
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, ...options }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

const node = [process.execPath, entry] as const;

function verdictOfCommand(args: readonly string[], input = ''): unknown {
  return JSON.parse(culprit(['diagnose', '--format', 'json', ...args], { input }).out);
}

describe('culprit open', () => {
  it('prints one address of loopback with a token that is new each time', async () => {
    const [one, two] = await Promise.all([open(node, []), open(node, [])]);
    for (const { address } of [one, two]) expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d{2,5}\/[\w-]{32}\/$/);
    expect(new URL(one.address).pathname).not.toBe(new URL(two.address).pathname);
    expect((await ask(one.address, new URL(two.address).pathname)).status).toBe(404);
  });

  it('answers nobody without the token, another name, or other methods', async () => {
    const { address } = await open(node, ['examples/one-gpu-lost.log']);
    const { pathname: token, host, port } = new URL(address);
    expect((await ask(address, token)).status).toBe(200);
    expect((await ask(address, token.slice(0, -1))).headers.location).toBe(token);
    for (const path of [
      '/',
      '',
      '/index.html',
      '/answer.json',
      '/x/',
      `${token.slice(0, -2)}/`,
      `/x${token}`,
      '//',
      '/%',
    ])
      expect((await ask(address, path)).status, path).toBe(404);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect((await ask(address, token, { method })).status, method).toBe(405);
    for (const name of [`evil.example:${port}`, `127.0.0.1.evil.example:${port}`, 'localhost.evil.example', '10.0.0.1'])
      expect((await ask(address, token, { headers: { Host: name } })).status, name).toBe(403);
    for (const name of [host, `localhost:${port}`, `localhost:8123`])
      expect((await ask(address, token, { headers: { Host: name } })).status, name).toBe(200);
    const head = await ask(address, token, { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, '']);
  });

  it('serves the files of the build and nothing else', async () => {
    writeFileSync(folder.path('secret.txt'), 'secret');
    const { address } = await open(node, []);
    const { pathname: token } = new URL(address);
    const page = await ask(address, token);
    const names = [...page.body.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((match) => match[1]!);
    expect(names.length).toBeGreaterThanOrEqual(2);
    for (const name of names) expect((await ask(address, `${token}${name}`)).status, name).toBe(200);
    for (const trick of [
      '../package.json',
      'assets/../../package.json',
      'assets/..%2f..%2fpackage.json',
      '..%2fpackage.json',
      '%2e%2e/package.json',
      String.raw`..\package.json`,
      '/etc/passwd',
      './/etc/passwd',
      'assets/',
      'assets',
      'assets//',
      'index.html/',
      'index.html%00',
      '.',
      '..',
      '__proto__',
      'constructor',
      'toString',
    ])
      expect((await ask(address, `${token}${trick}`)).status, trick).toBe(404);
  });

  it('lets nobody keep, frame or sniff it', async () => {
    const { address } = await open(node, []);
    const { headers } = await ask(address, new URL(address).pathname);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each(['one-gpu-lost.log', 'healthy-dump.txt', 'new-gpu-old-wheel.txt', 'upgrade-under-load.txt'])(
    'brings the verdict of culprit diagnose: %s',
    async (name) => {
      const { address } = await open(node, [`examples/${name}`]);
      const answer = JSON.parse((await ask(address, `${new URL(address).pathname}answer.json`)).body) as {
        verdict: unknown;
      };
      expect(answer.verdict).toEqual(verdictOfCommand([`examples/${name}`]));
    },
  );

  it('brings that of standard input, of several files, and of what could not be read', async () => {
    const piped = await open(node, ['-'], mismatch);
    const several = await open(node, ['examples/healthy-dump.txt', folder.path('absent.log')]);
    const given = async ({ address }: Opened): Promise<unknown> =>
      (JSON.parse((await ask(address, `${new URL(address).pathname}answer.json`)).body) as { verdict: unknown })
        .verdict;
    expect(await given(piped)).toEqual(verdictOfCommand(['-'], mismatch));
    expect(await given(several)).toEqual(verdictOfCommand(['examples/healthy-dump.txt', folder.path('absent.log')]));
    expect((await given(several)) as object).toMatchObject({ status: 'cannot-tell' });
    expect((await several.end('SIGINT')).err).toContain('absent.log could not be read');
  });

  it('masks names with --redact, in the verdict and in the text around it', async () => {
    writeFileSync(
      folder.path('named.log'),
      `admin@gpu-17.corp.example.com:~$ hostname\ngpu-17.corp.example.com\n${mismatch}`,
    );
    const { address } = await open(node, ['--redact', folder.path('named.log')]);
    const { body } = await ask(address, `${new URL(address).pathname}answer.json`);
    expect(body).toContain('570.124.06');
    expect(body).not.toContain('corp.example.com');
  });

  it('has no answer where no file was named', async () => {
    const { address } = await open(node, []);
    const { pathname: token } = new URL(address);
    expect((await ask(address, `${token}answer.json`)).status).toBe(404);
    expect((await ask(address, token)).body).not.toContain('culprit-answer');
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends with 0 on %s, though a browser keeps connections',
    async (signal) => {
      const { address, end } = await open(node, []);
      await ask(address, new URL(address).pathname, { headers: { Connection: 'keep-alive' } });
      expect((await end(signal)).status).toBe(0);
    },
  );

  it('says that a port is taken, is no port, or that there is nothing to read', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const taken = culprit(['open', '--port', String(port)]);
    expect([taken.status, taken.out]).toEqual([4, '']);
    expect(taken.err).toContain(`port ${port} cannot be used: something else listens on it`);
    other.close();
    for (const bad of ['70000', '-1', 'x', '1.5']) expect(culprit(['open', `--port=${bad}`]).status, bad).toBe(2);
    const absent = culprit(['open', folder.path('absent.log')]);
    expect(absent.status).toBe(4);
    expect(absent.err).toContain('absent.log');
  });

  it('serves on the port that is asked for', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    const { address } = await open(node, ['--port', String(port)]);
    expect(new URL(address).port).toBe(String(port));
  });

  it.skipIf(missing !== null)(`shows that verdict in a browser${missing === null ? '' : ` (${missing})`}`, async () => {
    const { address } = await open(node, ['examples/one-gpu-lost.log']);
    const browser = await launch();
    const { page, leave } = await visit(browser, address);
    await page.locator('.answer').waitFor();
    expect(await headlineOf(page)).toBe(
      (verdictOfCommand(['examples/one-gpu-lost.log']) as { headline: string }).headline,
    );
    expect(await page.locator('.own-text mark').count()).toBeGreaterThan(1);
    expect(await page.locator('.stack .part.bad').count()).toBe(1);
    // What is pasted there is judged in the browser.
    await page.locator('#paste').fill(mismatch);
    await page
      .locator('.answer h1')
      .getByText(/570\.133/)
      .waitFor();
    await page.locator('nav').getByText('Judge').click();
    await page.locator('.calendar').waitFor();
    await leave();
    await browser.close();
  });
});

const binary = join(root, `dist/culprit-linux-${process.arch === 'arm64' ? 'arm64' : 'x64'}`);
const built = spawnSync(
  process.execPath,
  [join(root, 'scripts/build-binary.mjs'), process.arch === 'arm64' ? 'arm64' : 'x64'],
  {
    encoding: 'utf8',
    timeout: 600_000,
  },
);
const unbuilt = built.status === 0 ? null : 'the binary cannot be built';
if (unbuilt !== null && !/npm pack/.test(built.stderr)) throw new Error(built.stderr);

describe.skipIf(unbuilt !== null)(`culprit open of the single file${unbuilt === null ? '' : ` (${unbuilt})`}`, () => {
  it('holds the page, byte by byte', async () => {
    const [one, two] = await Promise.all([
      open([binary], ['examples/one-gpu-lost.log']),
      open(node, ['examples/one-gpu-lost.log']),
    ]);
    const served = async ({ address }: Opened, name: string): Promise<Answer> =>
      ask(address, `${new URL(address).pathname}${name}`);
    const names = readdirSync(join(root, 'packages/web/dist/assets')).map((name) => `assets/${name}`);
    for (const name of ['', 'answer.json', ...names]) {
      const [ours, theirs] = await Promise.all([served(one, name), served(two, name)]);
      expect(ours.status, name).toBe(200);
      expect(ours.body, name).toBe(theirs.body);
      expect(ours.headers['content-type'], name).toBe(theirs.headers['content-type']);
    }
    for (const trick of ['__proto__', 'constructor', '../package.json', 'nothing.js'])
      expect((await served(one, trick)).status, trick).toBe(404);
    expect((await ask(one.address, '/')).status).toBe(404);
    expect((await ask(one.address, new URL(one.address).pathname, { headers: { Host: 'evil.example' } })).status).toBe(
      403,
    );
    expect((await ask(one.address, new URL(one.address).pathname, { method: 'POST' })).status).toBe(405);
    expect((await one.end('SIGINT')).status).toBe(0);
  });
});

describe('npm start -- open in a clean clone', () => {
  it('builds the page, and only for open', { timeout: 180_000 }, async () => {
    const clone = mkdtempSync(join(tmpdir(), 'culprit-clone-'));
    try {
      const packed = spawnSync(
        'sh',
        [
          '-c',
          `git -c safe.directory='*' ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - --ignore-failed-read | tar -xf - -C "$0"`,
          clone,
        ],
        { cwd: root, encoding: 'utf8' },
      );
      expect(packed.status, packed.stderr).toBe(0);
      // Dependencies as npm ci would lay them out: its own packages lead into the clone.
      mkdirSync(join(clone, 'node_modules/@culprit'), { recursive: true });
      for (const name of readdirSync(join(root, 'node_modules')))
        if (name !== '@culprit') symlinkSync(join(root, 'node_modules', name), join(clone, 'node_modules', name));
      for (const name of ['core', 'collect', 'view', 'web'])
        symlinkSync(join(clone, 'packages', name), join(clone, 'node_modules/@culprit', name));
      const start = [process.execPath, join(clone, 'scripts/start.mjs')];
      const help = spawnSync(start[0]!, [start[1]!, 'diagnose', 'examples/healthy-dump.txt'], {
        cwd: clone,
        encoding: 'utf8',
      });
      expect(help.status, help.stderr).toBe(0);
      expect(existsSync(join(clone, 'packages/web/dist'))).toBe(false);
      const opened = await open(start, ['examples/one-gpu-lost.log']);
      expect((await ask(opened.address, new URL(opened.address).pathname)).body).toContain('<div id="app">');
      expect((await opened.end('SIGINT')).status).toBe(0);
    } finally {
      rmSync(clone, { recursive: true, force: true });
    }
  });
});
