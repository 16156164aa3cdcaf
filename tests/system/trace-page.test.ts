import { readFileSync, writeFileSync } from 'node:fs';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { culprit, scratch } from '../run-cli.ts';
import { lacks } from './tools.ts';

/** What the functions that run in the browser use of it. */
interface Seen {
  readonly width: number;
  readonly height: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
  };
}
declare const document: { readonly body: Seen; querySelector(selector: string): Seen | null };
declare function getComputedStyle(element: Seen): { readonly backgroundColor: string };

const missing = lacks('chromium');
const folder = scratch();
let browser: Browser;

beforeAll(async () => {
  if (missing !== null) return;
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  folder.remove();
});

/** Steps of short kernels, each with a wait behind it: the GPU stands idle until the CPU has seen the end. */
function waitsForEach(steps: number, name: (at: number) => string = (at) => `gemm_${at % 4}`): string {
  const events: object[] = [];
  for (let at = 0; at < steps; at++) {
    const ts = 1000 + at * 200;
    const shared = { pid: 4711, tid: 4711, ph: 'X' };
    events.push(
      { ...shared, cat: 'cuda_runtime', name: 'cudaLaunchKernel', ts, dur: 6, args: { correlation: 2 * at + 1 } },
      {
        ...shared,
        cat: 'cuda_runtime',
        name: 'cudaDeviceSynchronize',
        ts: ts + 8,
        dur: 100,
        args: { correlation: 2 * at + 2 },
      },
      {
        ph: 'X',
        cat: 'kernel',
        name: name(at),
        pid: 0,
        tid: 7,
        ts: ts + 10,
        dur: 90,
        args: { device: 0, context: 1, stream: 7, correlation: 2 * at + 1, grid: [4096, 1, 1], block: [256, 1, 1] },
      },
    );
  }
  const deviceProperties = [{ id: 0, name: 'NVIDIA H100 80GB HBM3', numSms: 132, computeMajor: 9, computeMinor: 0 }];
  return JSON.stringify({ schemaVersion: 1, deviceProperties, traceEvents: events });
}

interface Opened {
  readonly page: Page;
  /** Errors, warnings and requests: there are none. */
  readonly noise: string[];
}

async function open(name: string, text: string, scheme: 'light' | 'dark' = 'light'): Promise<Opened> {
  const [input, html] = [folder.path(`${name}.json`), folder.path(`${name}.html`)];
  writeFileSync(input, text);
  expect(culprit(['trace', '--html', html, input]).err).toContain(`wrote ${html}`);
  const page = await browser.newPage({ viewport: { width: 1300, height: 900 }, colorScheme: scheme });
  const noise: string[] = [];
  page.on('console', (message) => noise.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => noise.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(?:file|data):/.test(request.url())) noise.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${html}`);
  await page.waitForSelector('html[data-loaded=true]');
  await settled(page);
  return { page, noise };
}

/** Two frames: what was asked for is drawn. */
async function settled(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))');
}

/** Share of the pixels of the time line that differ from the first one. */
function inkOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector('.plot canvas')!;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let inked = 0;
    for (let at = 0; at < data.length; at += 4)
      if (data[at] !== data[0] || data[at + 1] !== data[1] || data[at + 2] !== data[2]) inked++;
    return inked / (data.length / 4);
  });
}

/** The stretch that is shown, as the page says it. */
async function shown(page: Page): Promise<string> {
  await settled(page);
  return page.locator('.toolbar span').first().innerText();
}

async function plotOf(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  await page.locator('.plot').scrollIntoViewIfNeeded();
  return (await page.locator('.plot canvas').boundingBox())!;
}

describe.skipIf(missing !== null)(`the page of trace${missing === null ? '' : ` (${missing})`}`, () => {
  it('draws streams and calls, and asks for nothing', async () => {
    const { page, noise } = await open('draws', waitsForEach(200));
    expect(await inkOf(page)).toBeGreaterThan(0.05);
    const names = await page.locator('.names li').allInnerTexts();
    expect(names.some((name) => name.startsWith('stream 7'))).toBe(true);
    expect(await page.title()).toContain('culprit trace');
    expect(noise).toEqual([]);
    await page.close();
  });

  it('zooms by keys and wheel, pans by drag, and shows all again', async () => {
    const { page, noise } = await open('zooms', waitsForEach(200));
    const whole = await shown(page);
    await page.locator('.plot').focus();
    await page.keyboard.press('+');
    const near = await shown(page);
    expect(near).not.toBe(whole);
    const box = await plotOf(page);
    await page.mouse.move(box.x + box.width / 2, box.y + 40);
    await page.mouse.wheel(0, -400);
    const nearer = await shown(page);
    expect(nearer).not.toBe(near);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 200, box.y + 40, { steps: 4 });
    await page.mouse.up();
    const beside = await shown(page);
    expect(beside).not.toBe(nearer);
    await page.keyboard.press('ArrowRight');
    expect(await shown(page)).not.toBe(beside);
    await page.keyboard.press('0');
    expect(await shown(page)).toBe(whole);
    expect(noise).toEqual([]);
    await page.close();
  });

  it('leads from a finding to where it holds', async () => {
    const { page, noise } = await open('links', waitsForEach(2000));
    const whole = await shown(page);
    await page
      .getByRole('button', { name: /^show where/ })
      .first()
      .click();
    expect(await shown(page)).not.toBe(whole);
    expect(await inkOf(page)).toBeGreaterThan(0.05);
    expect(noise).toEqual([]);
    await page.close();
  });

  it('finds events by their name', async () => {
    const { page } = await open('finds', waitsForEach(50));
    const picture = (): Promise<string> =>
      page.evaluate('document.querySelector(".plot canvas").toDataURL()') as Promise<string>;
    const before = await picture();
    await page.getByRole('searchbox').fill('GEMM_2');
    await settled(page);
    const found = await picture();
    expect(found).not.toBe(before);
    await page.getByRole('searchbox').fill('');
    await settled(page);
    expect(await picture()).toBe(before);
    await page.close();
  });

  it('sums up the range that is dragged over with Shift', async () => {
    const { page, noise } = await open('sums', waitsForEach(50));
    const box = await plotOf(page);
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + box.width * 0.25, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const sums = await page.locator('.selection').innerText();
    expect(sums).toMatch(/4 names on the GPU/);
    expect(sums).toContain('gemm_1');
    const whole = await shown(page);
    await page.locator('.selection button').click();
    expect(await shown(page)).not.toBe(whole);
    expect(noise).toEqual([]);
    await page.close();
  });

  it('says what is under the pointer', async () => {
    const { page } = await open('tip', waitsForEach(20));
    const box = await plotOf(page);
    const tip = page.locator('.tip');
    const rows = Math.floor((box.height - 22) / 24);
    const told = new Set<string>();
    for (let row = 0; row < rows; row++)
      for (const part of [0.3, 0.33, 0.36]) {
        await page.mouse.move(box.x + box.width * part, box.y + 22 + row * 24 + 12);
        if (await tip.isVisible()) told.add(await tip.innerText());
      }
    expect([...told].some((text) => /^gemm_\d: 90 µs, from .*, stream 7$/.test(text))).toBe(true);
    await page.close();
  });

  it.each(['light', 'dark'] as const)('is accessible in %s', async (scheme) => {
    const { page, noise } = await open(`axe-${scheme}`, waitsForEach(100), scheme);
    const wanted = scheme === 'light' ? 'rgb(246, 247, 249)' : 'rgb(20, 23, 28)';
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(wanted);
    await page.evaluate(axe.source);
    const violations = await page.evaluate(async () => {
      const { violations } = await (
        globalThis as unknown as {
          axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> };
        }
      ).axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary}`);
    });
    expect(violations).toEqual([]);
    await page.getByRole('button', { name: /switch to/ }).click();
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).not.toBe(wanted);
    expect(noise).toEqual([]);
    await page.close();
  });

  it('stays inert whatever the trace says', async () => {
    const names = [
      '<img src=x onerror=alert(1)>',
      '</script><script>document.title="owned"</script>',
      '\u202eevil\u0000\u001b[31m\n',
      'long '.repeat(2000),
    ];
    const { page, noise } = await open(
      'hostile',
      waitsForEach(100, (at) => names[at % names.length]!),
    );
    expect(await page.title()).not.toBe('owned');
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(noise).toEqual([]);
    await page.close();
  });

  it('hides host names and users that stand in names', async () => {
    const text = waitsForEach(50, () => 'jit /home/mallory/kernels/k.cu');
    const [input, html] = [folder.path('private.json'), folder.path('private.html')];
    writeFileSync(input, text);
    culprit(['trace', '--html', html, input]);
    expect(readFileSync(html, 'utf8')).not.toContain('mallory');
    culprit(['trace', '--html', html, '--no-redact', input]);
    expect(readFileSync(html, 'utf8')).toContain('mallory');
  });
});
