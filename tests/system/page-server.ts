import { createReadStream, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { root } from '../run-cli.ts';

/** The page as it was built. */
export const pageFolder: string = process.env['CULPRIT_PAGE'] ?? join(root, 'packages/web/dist');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
};

export interface PageServer {
  /** Address of the folder that holds the page. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** A file server that knows nothing of the page, which lies in a folder below its root. */
export async function servePage(): Promise<PageServer> {
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const name = path.startsWith('/tools/culprit/') ? normalize(path.slice('/tools/culprit/'.length)) : '..';
    const file = join(pageFolder, name === '.' ? 'index.html' : name);
    const size = name.startsWith('..') ? undefined : statSync(file, { throwIfNoEntry: false })?.size;
    if (size === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'Content-Type': types[extname(file)] ?? 'application/octet-stream',
      'Content-Length': size,
    });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tools/culprit/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
