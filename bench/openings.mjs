// What somebody waits for who opens the page: bytes, first paint, and until it can be used, on loopback.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', wasm: 'application/wasm' };
const chromium = '/usr/bin/chromium';

/**
 * Opens the built page several times and takes the least of each.
 * @returns null where there is no browser; milliseconds, and bytes as a server would pack them
 */
export async function openings(root, times = 7) {
  if (!existsSync(chromium)) return null;
  const { chromium: driver } = await import('playwright-core');
  const folder = join(root, 'packages/web/dist');
  const asked = new Set();
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname;
    const file = join(folder, path === '/' ? 'index.html' : path);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
    asked.add(file);
    response.writeHead(200, { 'Content-Type': types[file.split('.').at(-1)] ?? 'application/octet-stream' });
    response.end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await driver.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const address = `http://127.0.0.1:${server.address().port}/`;
    const least = { paint: Infinity, usable: Infinity, verdict: Infinity };
    let bytes = 0;
    for (let at = 0; at < times; at++) {
      const context = await browser.newContext();
      const page = await context.newPage();
      // The moment in which the box takes text, as the page's own clock sees it.
      await page.addInitScript(() => {
        new MutationObserver((_, observer) => {
          if (document.querySelector('#paste') === null) return;
          globalThis.usable = performance.now();
          observer.disconnect();
        }).observe(document, { childList: true, subtree: true });
      });
      asked.clear();
      await page.goto(address);
      await page.waitForFunction(
        () => globalThis.usable > 0 && performance.getEntriesByName('first-contentful-paint').length > 0,
      );
      bytes = [...asked].reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
      const seen = await page.evaluate(() => ({
        paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
        usable: globalThis.usable,
      }));
      const began = performance.now();
      await page.getByRole('button', { name: /driver that was upgraded/ }).click();
      await page.locator('.answer').waitFor();
      least.verdict = Math.min(least.verdict, performance.now() - began);
      for (const key of ['paint', 'usable']) least[key] = Math.min(least[key], seen[key]);
      await context.close();
    }
    return { ...least, bytes };
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}
