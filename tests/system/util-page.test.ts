import { readFileSync, writeFileSync } from 'node:fs';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { culprit, scratch } from '../run-cli.ts';
import { dmonText, exporterText, queryText, seriesOf } from '../series-generator.ts';
import { lacks } from './tools.ts';

/** What the functions that run in the browser use of it. */
interface Seen {
  readonly textContent: string | null;
  readonly classList: { contains(name: string): boolean };
  readonly width: number;
  readonly height: number;
  readonly naturalWidth: number;
  readonly naturalHeight: number;
  decode(): Promise<void>;
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
  };
}
declare const document: {
  readonly body: Seen;
  readonly activeElement: Seen | null;
  querySelector(selector: string): Seen | null;
  querySelectorAll(selector: string): readonly Seen[];
};
declare function getComputedStyle(element: Seen): { readonly backgroundColor: string };

const missing = lacks('chromium');
const folder = scratch();
let browser: Browser;

const columns = ['pwr', 'gtemp', 'sm', 'mem', 'enc', 'dec', 'mclk', 'pclk', 'fb', 'rxpci', 'txpci'];

beforeAll(async () => {
  if (missing !== null) return;
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  folder.remove();
});

interface Opened {
  readonly page: Page;
  /** Errors, warnings and requests: there are none. */
  readonly noise: string[];
}

/** Writes series, has them drawn and opens the page. */
async function open(name: string, text: string, scheme: 'light' | 'dark' = 'light'): Promise<Opened> {
  const [input, html] = [folder.path(`${name}.txt`), folder.path(`${name}.html`)];
  writeFileSync(input, text);
  const ran = culprit(['util', '--html', html, input]);
  expect(ran.err).toContain(`wrote ${html}`);
  const page = await browser.newPage({ viewport: { width: 1300, height: 900 }, colorScheme: scheme });
  const noise: string[] = [];
  page.on('console', (message) => noise.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => noise.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(?:file|data):/.test(request.url())) noise.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${html}`);
  await page.waitForSelector('html[data-loaded=true]');
  return { page, noise };
}

/** Draws every picture: those out of sight are drawn when they come near. */
async function drawAll(page: Page): Promise<void> {
  for (const panel of await page.locator('.panel').all()) await panel.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelectorAll('.panel:not([data-drawn])').length === 0);
}

/** Share of the pixels of each picture that are not transparent. */
function inkOf(page: Page): Promise<readonly number[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let inked = 0;
      for (let at = 3; at < data.length; at += 4) if (data[at]! > 0) inked++;
      return inked / (data.length / 4);
    }),
  );
}

/** Where the first picture is, once it is in sight. */
async function plotOf(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  await page.locator('.panel').first().scrollIntoViewIfNeeded();
  await page.locator('.u-over').first().waitFor();
  return (await page.locator('.u-over').first().boundingBox())!;
}

/** Range of the time axis that the pictures show, as the page says it. */
const shownSpan = (page: Page): Promise<string> => page.locator('.toolbar span').first().innerText();

describe.skipIf(missing !== null)(`the page of util${missing === null ? '' : ` (${missing})`}`, () => {
  it('draws each counter of each GPU, marks findings and asks for nothing', async () => {
    const series = seriesOf('small-grids', 2);
    const { page, noise } = await open('small', exporterText(series, 1));
    await drawAll(page);
    expect(await page.locator('.gpu').count()).toBe(series.gpus.length);
    const ink = await inkOf(page);
    expect(ink.length).toBeGreaterThanOrEqual(series.gpus.length * 6);
    expect(Math.min(...ink)).toBeGreaterThan(0.005);
    expect(await page.locator('.track.found i').count()).toBeGreaterThanOrEqual(series.gpus.length);
    expect(await page.locator('.lane a').first().getAttribute('href')).toBe('#finding-1');
    expect(await page.locator('h1').innerText()).toContain('utilisation is a label');
    expect(noise).toEqual([]);
    await page.close();
  });

  it('marks the stretch in which a finding holds, and no other', async () => {
    const { page } = await open('thermal', queryText(seriesOf('thermal', 2)));
    const bar = page.locator('.lanes .track.found i').first();
    const box = (await bar.boundingBox())!;
    const track = (await page.locator('.lanes .track.found').first().boundingBox())!;
    expect(box.x - track.x).toBeGreaterThan(track.width * 0.03);
    expect(box.width).toBeGreaterThan(track.width * 0.5);
    await page.close();
  });

  it('leads from the verdict to the time lines and back', async () => {
    const { page, noise } = await open('thermal-links', queryText(seriesOf('thermal', 2)));
    const before = await shownSpan(page);
    await page.locator('section[data-cause] button.show').first().click();
    await page.waitForFunction(() => document.activeElement?.classList.contains('gpu') === true);
    expect(await shownSpan(page)).not.toBe(before);
    await page.locator('.lane a').first().click();
    expect(new URL(page.url()).hash).toBe('#finding-1');
    expect(noise).toEqual([]);
    await page.close();
  });

  it('shows values under the pointer in all pictures at once', async () => {
    const { page } = await open('hover', queryText(seriesOf('input-bound', 2)));
    const means = await page.locator('.readout').allInnerTexts();
    const plot = await plotOf(page);
    await page.mouse.move(plot.x + plot.width / 2, plot.y + plot.height / 2);
    await page.waitForFunction(() => document.querySelector('#series-time')?.textContent !== '');
    expect(await page.locator('#series-time').innerText()).toMatch(/^2026-03-03 14:0\d:\d\d$/);
    const drawn = page.locator('.panel[data-drawn] .readout');
    const now = await drawn.allInnerTexts();
    expect(now.every((text) => !text.includes('⌀'))).toBe(true);
    expect(now).not.toEqual(means.slice(0, now.length));
    await page.mouse.move(2, 2);
    await page.waitForFunction(() => document.querySelector('.readout')?.textContent?.includes('⌀') === true);
    await page.close();
  });

  it('zooms by dragging in all pictures, and back by the keyboard', async () => {
    const { page, noise } = await open('zoom', dmonText(seriesOf('input-bound', 2), columns, true));
    const whole = await shownSpan(page);
    const plot = await plotOf(page);
    await page.mouse.move(plot.x + plot.width * 0.4, plot.y + 30);
    await page.mouse.down();
    await page.mouse.move(plot.x + plot.width * 0.6, plot.y + 40, { steps: 4 });
    await page.mouse.up();
    const part = await shownSpan(page);
    expect(part).not.toBe(whole);
    const bars = await page.locator('.lanes .track').first().locator('i').count();
    await page.locator('.gpu').first().focus();
    await page.keyboard.press('ArrowRight');
    expect(await shownSpan(page)).not.toBe(part);
    await page.keyboard.press('+');
    await page.keyboard.press('0');
    expect(await shownSpan(page)).toBe(whole);
    expect(await page.locator('.lanes .track').first().locator('i').count()).toBeGreaterThan(bars);
    expect(noise).toEqual([]);
    await page.close();
  });

  it.each(['light', 'dark'] as const)('is accessible in %s', async (scheme) => {
    const { page } = await open(`axe-${scheme}`, queryText(seriesOf('power-limit-lowered', 2)), scheme);
    const wanted = scheme === 'light' ? 'rgb(246, 247, 249)' : 'rgb(20, 23, 28)';
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(wanted);
    await drawAll(page);
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
    await page.close();
  });

  it('stays inert whatever the input says', async () => {
    const text = queryText(seriesOf('thermal', 2)).replaceAll(
      /NVIDIA [^,]+/g,
      '<img src=x onerror=alert(1)></script><script>document.title="owned"</script>',
    );
    const { page, noise } = await open('hostile', text);
    expect(await page.title()).not.toBe('owned');
    expect(await page.locator('img').count()).toBe(0);
    expect(noise).toEqual([]);
    await page.close();
  });

  it('draws as many GPUs as a large node has, and a day of them', async () => {
    const lines: string[] = [];
    for (let second = 0; second < 86_400; second += 60)
      for (let gpu = 0; gpu < 16; gpu++)
        lines.push(
          `2026/03/03 ${new Date(second * 1000).toISOString().slice(11, 23)}, ${gpu}, ${second % 7200 < 3600 ? 95 : 2} %, ${300 + gpu} W`,
        );
    const { page, noise } = await open(
      'day',
      `timestamp, index, utilization.gpu [%], power.draw [W]\n${lines.join('\n')}\n`,
    );
    await drawAll(page);
    expect(await page.locator('canvas').count()).toBe(32);
    expect(Math.min(...(await inkOf(page)))).toBeGreaterThan(0.005);
    expect(await shownSpan(page)).toMatch(/^2026-03-03 00:00:00 to 2026-03-0[34] /);
    expect(readFileSync(folder.path('day.html'), 'utf8').length).toBeLessThan(3_000_000);
    expect(noise).toEqual([]);
    await page.close();
  });

  it('shows the picture without a script, in Markdown too', async () => {
    const [input, svg] = [folder.path('svg.txt'), folder.path('picture.svg')];
    writeFileSync(input, exporterText(seriesOf('managed-thrash', 2), 1));
    culprit(['util', '--svg', svg, input]);
    const page = await browser.newPage();
    await page.setContent(`<img alt="" src="data:image/svg+xml;base64,${readFileSync(svg).toString('base64')}">`);
    const size = await page.evaluate(async () => {
      const image = document.querySelector('img')!;
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    });
    expect(size[0]).toBe(960);
    expect(size[1]).toBeGreaterThan(400);
    expect(readFileSync(svg, 'utf8')).not.toMatch(/<script|href=|\son\w+=/);
    await page.close();
  });
});
