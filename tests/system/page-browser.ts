import axe from 'axe-core';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { expect } from 'vitest';

/** Debian's Chromium, in which no name but this machine's leads anywhere. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Method and address of every request, that of workers too. */
  readonly requests: readonly string[];
  /** Everything on the console, and errors that nothing caught. */
  readonly noise: readonly string[];
  /** Looks that nothing was said on the console and nothing asked of anywhere else, and closes. */
  readonly leave: () => Promise<void>;
}

/** Opens the page at a place behind its `#`, and waits until it can be used. */
export async function visit(browser: Browser, address: string, options: { readonly at?: string } = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const requests: string[] = [];
  const noise: string[] = [];
  context.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  context.on('requestfailed', (request) => noise.push(`failed: ${request.url()}`));
  context.on('console', (message) => noise.push(`${message.type()}: ${message.text()}`));
  context.on('weberror', (error) => noise.push(`error: ${error.error().message}`));
  const page = await context.newPage();
  await page.goto(`${address}${options.at ?? ''}`);
  await page.locator('main > *').first().waitFor();
  const leave = async (): Promise<void> => {
    await context.close();
    expect(noise).toEqual([]);
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter((each) => !each.startsWith(`GET ${address}`) && !each.startsWith('GET data:'))).toEqual([]);
  };
  return { page, context, requests, noise, leave };
}

/** Waits for a verdict, and gives its headline. */
export async function headlineOf(page: Page): Promise<string> {
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  return page.locator('.answer h1').innerText();
}

/** Drops files and folders of this machine onto the page, as a desktop does. */
export async function drop(page: Page, paths: readonly string[]): Promise<void> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data });
  await session.detach();
}

/** What axe-core finds wrong, in words; empty where nothing is. @param rules only these of its rules */
export async function violationsOf(page: Page, rules: readonly string[] | null = null): Promise<readonly string[]> {
  // The policy of the page allows no script of a test in it; the debugger may run one.
  await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const { violations } = await (
      globalThis as unknown as {
        axe: {
          run(
            options: object,
          ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
        };
      }
    ).axe.run(only === null ? {} : { runOnly: [...only] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 300)} ${nodes[0]!.failureSummary}`);
  }, rules);
}

/** How far the page reaches beyond the window, in pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = (
      globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }
    ).document.documentElement;
    return scrollWidth - clientWidth;
  });
}

/** What the clipboard holds. */
export function copied(page: Page): Promise<string> {
  return page.evaluate<string>('navigator.clipboard.readText()');
}

/** Puts a text onto the clipboard. */
export async function copy(page: Page, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
}
