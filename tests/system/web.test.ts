// The built page in a browser, from a file server that knows nothing of it.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tarOf } from '../../packages/collect/src/image/testing.ts';
import { databases, usual } from '../../packages/collect/src/sqlite/testing.ts';
import { culprit, root, scratch } from '../run-cli.ts';
import { copied, copy, drop, headlineOf, launch, overflowOf, violationsOf, visit } from './page-browser.ts';
import type { PageServer } from './page-server.ts';
import { pageFolder, servePage } from './page-server.ts';
import { lacks, mismatch } from './tools.ts';

/** What the functions that run in the browser use of it. */
interface Seen {
  readonly textContent: string;
  readonly id: string;
  readonly tagName: string;
  readonly dataset: Readonly<Record<string, string>>;
}
declare const document: { readonly activeElement: Seen | null; querySelectorAll(selector: string): readonly Seen[] };

const missing = lacks('chromium');
const folder = scratch();
let browser: Browser;
let server: PageServer;

beforeAll(async () => {
  if (missing !== null) return;
  [browser, server] = await Promise.all([launch(), servePage()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await server?.close();
  folder.remove();
});

const busy = loadavg()[0]! > cpus().length / 2;
const examples = readdirSync(join(root, 'examples')).filter((name) => /^(?!nccl-).*\.(?:txt|log)$/.test(name));
const example = (name: string): string => readFileSync(join(root, 'examples', name), 'utf8');

function headlineOfCommand(text: string | Uint8Array): string {
  return (JSON.parse(culprit(['diagnose', '--format', 'json', '-'], { input: text }).out) as { headline: string })
    .headline;
}

async function type(page: Page, text: string): Promise<string> {
  await page.locator('#paste').fill(text);
  await page.locator('.answer').waitFor();
  return headlineOf(page);
}

/** A file that is dropped: its name, its bytes, and what stands on the page then. */
interface Kind {
  readonly name: string;
  readonly bytes: () => string | Uint8Array;
  readonly says: RegExp;
}

const fixture = (name: string): Uint8Array => readFileSync(join(root, 'fixtures', name));
const logs = (): Uint8Array => tarOf({ name: 'node1/kern.log', content: example('one-gpu-lost.log') });
const packedBy = (program: string, name: string): Uint8Array =>
  spawnSync(program, ['-c', join(root, 'examples', name)]).stdout;
const probed = (): Uint8Array => spawnSync('sh', [join(root, 'probe/probe.sh')], { maxBuffer: 64 << 20 }).stdout;

function nsysExport(): Uint8Array {
  const made = databases();
  try {
    return readFileSync(made.write('run.sqlite', usual));
  } finally {
    made.remove();
  }
}

/** One row for each kind of file that the page reads. */
const kinds: readonly Kind[] = [
  { name: 'job.log', bytes: () => mismatch, says: /570\.124\.06.*570\.133/ },
  { name: 'job.log.gz', bytes: () => gzipSync(mismatch), says: /570\.124\.06.*570\.133/ },
  { name: 'utf16.txt', bytes: () => Buffer.from(`\ufeff${mismatch}`, 'utf16le'), says: /570\.124\.06.*570\.133/ },
  { name: 'healthy.txt', bytes: () => example('healthy-dump.txt'), says: /floor 525\.60\.13/ },
  { name: 'job.log.zst', bytes: () => packedBy('zstd', 'one-gpu-lost.log'), says: /Xid 79/ },
  { name: 'job.log.xz', bytes: () => packedBy('xz', 'one-gpu-lost.log'), says: /job\.log\.xz.*xz/ },
  { name: 'logs.tar', bytes: logs, says: /Xid 79[^]*logs\.tar\/node1\/kern\.log/ },
  { name: 'logs.tar.gz', bytes: () => gzipSync(logs()), says: /Xid 79[^]*logs\.tar\.gz\/node1\/kern\.log/ },
  { name: 'smi.xml', bytes: () => fixture('outputs/nvidia-smi/xml-v13-r580.xml'), says: /580\./ },
  { name: 'snapshot.txt', bytes: probed, says: /cannot tell|no GPU|nothing/ },
  { name: 'libaccel.so', bytes: () => fixture('binaries/cuda13/libaccel.so'), says: /Machine code: libaccel\.so/ },
  { name: 'image.tar', bytes: () => readFileSync(join(root, 'examples/app.tar')), says: /Container image: image\.tar/ },
  { name: 'trace.json', bytes: () => fixture('outputs/kineto/mini-default-stream.json'), says: /Profile: trace\.json/ },
  { name: 'run.sqlite', bytes: nsysExport, says: /Profile: run\.sqlite/ },
  { name: 'kernels.csv', bytes: () => fixture('outputs/ncu/raw.csv'), says: /9\.41 of the 32 threads/ },
  {
    name: 'dmon.log',
    bytes: () => fixture('outputs/nvidia-smi/dmon-put-thrash.txt'),
    says: /pages move back and forth/,
  },
  { name: 'metrics.prom', bytes: () => fixture('outputs/dcgm/exporter-metrics.txt'), says: /utilisation is a label/ },
];

describe('the built page', () => {
  it('asks for at most 150 KB packed before it can be used', () => {
    const html = readFileSync(join(pageFolder, 'index.html'), 'utf8');
    const view = readdirSync(join(pageFolder, 'assets')).filter((name) =>
      /^(?:diagnose-view|client|stack-figure)/.test(name),
    );
    expect(view.length).toBeGreaterThan(0);
    const first = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map((match) => match[1]!);
    expect(first.length).toBeGreaterThanOrEqual(2);
    const files = ['index.html', ...first, ...view.map((name) => `assets/${name}`)];
    const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(pageFolder, name))).length, 0);
    expect(bytes).toBeLessThan(150_000);
  });

  it('names no address but those of sources and links', () => {
    const html = readFileSync(join(pageFolder, 'index.html'), 'utf8');
    expect(html).toContain("connect-src 'self'");
    expect(html).not.toMatch(/https?:\/\//);
  });
});

describe.skipIf(missing !== null)(`the page${missing === null ? '' : ` (${missing})`}`, () => {
  it('loads by the files it names, and no more than its budget of bytes', async () => {
    const { page, requests, leave } = await visit(browser, server.address);
    await page.locator('#paste').waitFor();
    await page.waitForLoadState('networkidle');
    const files = requests.map((each) => new URL(each.slice(4)).pathname.replace('/tools/culprit/', ''));
    const bytes = files
      .filter((name) => !name.startsWith(','))
      .reduce(
        (sum, name) => sum + gzipSync(readFileSync(join(pageFolder, name === '' ? 'index.html' : name))).length,
        0,
      );
    expect(bytes).toBeLessThan(150_000);
    expect(files.some((name) => /worker|tables/.test(name))).toBe(false);
    await leave();
  });

  it.each(['', '#/stack', '#/judge', '#/util', '#/trace', '#/model'])(
    'has the view %j, with a title and a heading',
    async (at) => {
      const { page, leave } = await visit(browser, server.address, { at });
      expect(await page.locator('h1').first().isVisible()).toBe(true);
      expect(await page.locator('nav [aria-current=page]').count()).toBe(1);
      expect(await page.title()).toMatch(/^culprit/);
      await page.waitForLoadState('networkidle');
      await leave();
    },
  );

  it('goes from view to view, and back', async () => {
    const { page, leave } = await visit(browser, server.address);
    for (const name of await page.locator('nav a').allInnerTexts()) {
      await page.locator('nav').getByText(name, { exact: true }).click();
      await page.locator('main h1').first().waitFor();
    }
    await page.goBack();
    await page.locator('main h1').first().waitFor();
    await leave();
  });

  it('offers examples, and answers each as the command line does', async () => {
    const { page, leave } = await visit(browser, server.address);
    const offered = await page.locator('.examples button').allInnerTexts();
    expect(offered.length).toBe(examples.length);
    const said: string[] = [];
    for (const name of offered) {
      await page.locator('.examples').getByText(name, { exact: true }).click();
      await page.locator('.answer').waitFor();
      said.push(await headlineOf(page));
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.locator('.answer').waitFor({ state: 'detached' });
    }
    expect(said.toSorted()).toEqual(examples.map((name) => headlineOfCommand(example(name))).toSorted());
    await leave();
  });

  it('answers text that is typed, and text that is pasted', async () => {
    const { page, leave } = await visit(browser, server.address);
    expect(
      await type(page, 'RuntimeError: CUDA error: no kernel image is available for execution on the device'),
    ).not.toBe('');
    await page.getByRole('button', { name: 'Clear' }).click();
    await copy(page, mismatch);
    await page.locator('#paste').focus();
    await page.keyboard.press('Control+V');
    await page.locator('.answer').waitFor();
    expect(await headlineOf(page)).toBe(headlineOfCommand(mismatch));
    expect(await page.locator('.own-text mark').count()).toBeGreaterThanOrEqual(2);
    await leave();
  });

  it('says first what to run next where it cannot tell', async () => {
    const { page, leave } = await visit(browser, server.address);
    await type(page, 'RuntimeError: CUDA error: unknown error\n');
    expect(await page.locator('.verdict .status').innerText()).toBe('cannot tell');
    expect(await page.locator('.verdict pre code').innerText()).not.toBe('');
    await page.locator('.verdict button.copy').click();
    await page.locator('.verdict button.copy').getByText('Copied').waitFor();
    expect(await copied(page)).toBe(await page.locator('.verdict pre code').innerText());
    await leave();
  });

  it.each(kinds)('reads a dropped file: $name', async ({ name, bytes, says }) => {
    const path = folder.path(name);
    writeFileSync(path, bytes());
    const { page, leave } = await visit(browser, server.address);
    await drop(page, [path]);
    await expect.poll(() => page.locator('main').innerText(), { timeout: 30_000 }).toMatch(says);
    await leave();
  });

  it('reads a dropped folder as one incident, by the paths inside', async () => {
    mkdirSync(folder.path('node/logs'), { recursive: true });
    const [smi, proc] = [mismatch.split('\n').slice(2), mismatch.split('\n').slice(0, 2)];
    writeFileSync(folder.path('node/smi.txt'), smi.join('\n'));
    writeFileSync(folder.path('node/logs/version.txt.gz'), gzipSync(proc.join('\n')));
    const { page, leave } = await visit(browser, server.address);
    await drop(page, [folder.path('node')]);
    await page.locator('.answer').waitFor();
    expect(await headlineOf(page)).toMatch(/570\.124\.06.*570\.133/);
    expect(await page.locator('.answer').innerText()).toContain('node/logs/version.txt.gz');
    await leave();
  });

  it('says of a file that is none of its kinds why, and calls nothing healthy', async () => {
    writeFileSync(folder.path('photo.png'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
    const { page, leave } = await visit(browser, server.address);
    await drop(page, [folder.path('photo.png')]);
    await page.locator('.answer').waitFor();
    expect(await page.locator('.verdict .status').innerText()).toBe('cannot tell');
    expect(await page.locator('main').innerText()).toContain('photo.png');
    await leave();
  });

  it('reads a log of 800 MB while it goes on answering', { timeout: 300_000 }, async () => {
    const path = folder.path('big.log');
    writeBig(path, 800e6);
    const { page, leave } = await visit(browser, server.address);
    await page.evaluate(() => {
      const seen = { longest: 0, clicks: 0 };
      Object.assign(globalThis, { seen });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (entry.name === 'click') seen.clicks++;
          seen.longest = Math.max(seen.longest, entry.duration);
        }
      }).observe({ type: 'event', durationThreshold: 16 } as never);
    });
    const began = performance.now();
    await drop(page, [path]);
    const words = page.locator('[aria-live] > p.soft');
    await words.getByText(/MB/).waitFor({ timeout: 60_000 });
    let peak = 0;
    let slowest = 0;
    while ((await page.locator('.answer').count()) === 0) {
      const at = performance.now();
      await page.locator('#paste').click();
      slowest = Math.max(slowest, performance.now() - at);
      peak = Math.max(peak, await rendererMegabytes(browser));
      await page.waitForTimeout(100);
    }
    const seconds = (performance.now() - began) / 1000;
    const { longest } = await page.evaluate(() => (globalThis as unknown as { seen: { longest: number } }).seen);
    console.log(
      `800 MB: ${seconds.toFixed(1)} s, a click takes at most ${longest} ms in the page (${slowest.toFixed(0)} ms from outside), ${peak.toFixed(0)} MB`,
    );
    expect(longest).toBeLessThanOrEqual(busy ? 1000 : 200);
    expect(peak).toBeLessThan(700);
    expect(await headlineOf(page)).toMatch(/Xid 79/);
    await leave();
  });

  it('works on without a network once it is open', async () => {
    const { page, context, leave } = await visit(browser, server.address);
    // What a view needs is fetched when it is opened: each is opened once.
    await type(page, mismatch);
    await page.getByRole('button', { name: /^Share/ }).click();
    await page.getByRole('button', { name: 'Copy as Markdown' }).waitFor();
    await page.goto(`${server.address}#/judge?toolkit=12.8&driver=550.54.15&gpu=V100`);
    await page.locator('.verdict').waitFor();
    await context.setOffline(true);
    await page.locator('nav').getByText('Diagnose').click();
    expect(await type(page, example('one-gpu-lost.log'))).toBe(headlineOfCommand(example('one-gpu-lost.log')));
    await page.locator('nav').getByText('Judge').click();
    await page.locator('#words').fill('torch 2.7.0+cu128 on driver 550.54.15 with V100');
    await page.locator('.verdict').waitFor();
    await leave();
  });

  it('is used by the keyboard alone', async () => {
    const { page, leave } = await visit(browser, server.address);
    const focused = (): Promise<string> =>
      page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent || '');
    const order: string[] = [];
    for (let at = 0; at < 11; at++) {
      await page.keyboard.press('Tab');
      order.push(await focused());
    }
    expect(order[0]).toBe('To the content');
    expect(order[1]).toBe('culprit');
    expect(order.slice(2)).toEqual(expect.arrayContaining(['Diagnose', 'Stack', 'Judge', 'How it works', 'paste']));
    expect(order.indexOf('paste')).toBeGreaterThan(order.indexOf('Judge'));
    await page.locator('#paste').focus();
    await page.keyboard.insertText(mismatch);
    await page.keyboard.press('Control+Enter');
    await page.locator('.answer').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.answer').waitFor({ state: 'detached' });
    expect(await page.locator('#paste').inputValue()).toBe('');
    // An example, by Tab and Enter.
    await page.locator('.examples button').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('.answer').waitFor();
    await leave();
  });

  it('shows every cell of the matrix to the arrow keys', async () => {
    const { page, leave } = await visit(browser, server.address, { at: '#/judge?gpu=H100' });
    await page.getByRole('button', { name: 'Show all' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('[role=gridcell]').first().waitFor();
    await page.locator('[role=gridcell][tabindex="0"]').focus();
    const cell = (): Promise<string | undefined> => page.evaluate(() => document.activeElement?.dataset['cell']);
    expect(await cell()).toBe('0-0');
    const reasons = new Set<string>();
    for (const [key, at] of [
      ['ArrowDown', '1-0'],
      ['ArrowDown', '2-0'],
      ['ArrowRight', '2-1'],
      ['ArrowUp', '1-1'],
      ['ArrowLeft', '1-0'],
      ['ArrowLeft', '1-0'],
      ['End', '1-last'],
      ['Home', '1-0'],
    ] as const) {
      await page.keyboard.press(key);
      const last = (await page.locator('.matrix tbody tr').first().locator('td').count()) - 1;
      expect(await cell()).toBe(at.replace('last', String(last)));
      reasons.add(await page.locator('.reason').innerText());
    }
    expect(reasons.size).toBeGreaterThan(3);
    expect(await page.locator('[role=gridcell]').count()).toBeGreaterThan(500);
    await leave();
  });

  const scenes: readonly (readonly [name: string, at: string, prepare: (page: Page) => Promise<unknown>])[] = [
    ['the start', '', (page) => page.locator('#paste').waitFor()],
    ['a verdict', '', (page) => type(page, example('one-gpu-lost.log'))],
    ['a healthy stack', '', (page) => type(page, example('healthy-dump.txt'))],
    ['no answer', '', (page) => type(page, 'RuntimeError: CUDA error: unknown error')],
    [
      'what is shared',
      '',
      async (page) => {
        await type(page, mismatch);
        await page.getByRole('button', { name: /^Share/ }).click();
        await page.getByText('What is copied').click();
      },
    ],
    ['the stack', '#/stack', (page) => page.locator('.stack .part').first().waitFor()],
    ['no question', '#/judge', (page) => page.locator('.calendar').waitFor()],
    [
      'a judgement with the matrix',
      '#/judge?toolkit=12.8&driver=550.54.15&gpu=V100',
      async (page) => {
        await page.locator('.verdict').waitFor();
        await page.getByRole('button', { name: 'Show all' }).click();
        await page.locator('[role=gridcell]').nth(40).click();
      },
    ],
    ['what runs on a host', '#/judge?driver=535.183.01&gpu=H100', (page) => page.locator('.chips').first().waitFor()],
    ['util', '#/util', (page) => page.locator('h1').first().waitFor()],
    ['trace', '#/trace', (page) => page.locator('h1').first().waitFor()],
    ['how it works', '#/model', (page) => page.locator('.figure').first().waitFor()],
  ];

  it.each(scenes)('is accessible, light and dark, and fits a phone: %s', async (_, at, prepare) => {
    const { page, leave } = await visit(browser, server.address, { at });
    await prepare(page);
    await page.waitForLoadState('networkidle');
    expect(await violationsOf(page)).toEqual([]);
    // The other colours change nothing but contrasts.
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violationsOf(page, ['color-contrast'])).toEqual([]);
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await leave();
  });

  it('gives a link that opens with the same verdict, and masks what is private', async () => {
    const { page, leave } = await visit(browser, server.address);
    const text = `${mismatch}\nexport AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\nssh admin@gpu-17.corp.example.com\n`;
    const headline = await type(page, text);
    await page.getByRole('button', { name: /^Share/ }).click();
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const link = await copied(page);
    expect(link.startsWith(`${server.address}#/?input=`)).toBe(true);
    expect(link.length).toBeLessThan(4000);
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    const markdown = await copied(page);
    expect(markdown).toContain('570.124.06');
    const other = await visit(browser, server.address, { at: link.slice(server.address.length) });
    await other.page.locator('.answer').waitFor();
    expect(await headlineOf(other.page)).toBe(headline);
    const shown = await other.page.locator('#paste').inputValue();
    for (const secret of ['wJalrXUtnFEMI', 'corp.example.com']) {
      expect(shown).not.toContain(secret);
      expect(markdown).not.toContain(secret);
    }
    expect(other.requests.some((each) => each.includes('input='))).toBe(false);
    await other.leave();
    await leave();
  });

  const packed = (value: unknown): string => deflateRawSync(JSON.stringify(value)).toString('base64url');
  it.each([
    ['no base64', () => '%%%'],
    ['nothing', () => ''],
    ['bytes that are not packed', () => 'AAAA____'],
    ['a cut text', () => packed([{ name: 'a', text: mismatch }]).slice(0, 40)],
    ['another value', () => packed({ name: 'a' })],
    ['names and texts that are none', () => packed([null, 4, { name: {}, text: [] }])],
    ['fifty megabytes in a few', () => packed([{ name: 'a', text: 'x'.repeat(50e6) }])],
    [
      'markup',
      () => packed([{ name: '<img src=x onerror=alert(1)>', text: '<script>document.title="owned"</script>' }]),
    ],
  ])('survives a link that holds %s', async (_, fragment) => {
    const { page, leave } = await visit(browser, server.address, { at: `#/?input=${fragment()}` });
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(300);
    expect(await page.title()).toBe('culprit');
    expect(await page.locator('main img, main script').count()).toBe(0);
    await page.locator('#paste').fill(mismatch);
    await page
      .locator('.answer h1')
      .getByText(/570\.133/)
      .waitFor();
    await leave();
  });

  it('never makes markup of text, names of files, or words of an address', async () => {
    const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    const text = `${evil}\n${mismatch.replace('570.133', `570.133 ${evil}`)}\nRuntimeError: ${evil} CUDA error: unknown error\ntorch ${evil}\nNVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=${evil}, GPU has fallen off the bus.\n`;
    const { page, leave } = await visit(browser, server.address);
    await type(page, text);
    await page.getByRole('button', { name: /^Share/ }).click();
    await page.getByText('What is copied').click();
    writeFileSync(folder.path('<img src=x onerror=alert(1)>.log'), text);
    await drop(page, [folder.path('<img src=x onerror=alert(1)>.log')]);
    await page.locator('figcaption').getByText('<img src=x onerror=alert(1)>.log').first().waitFor();
    expect(await page.locator('main img, main script, main [onerror]').count()).toBe(0);
    for (const at of ['judge?text=', 'judge?gpu=', 'judge?wheel=', 'stack?x=', '<b>']) {
      await page.goto(`${server.address}#/${at}${encodeURIComponent(evil)}`);
      await page.waitForTimeout(400);
      expect(await page.locator('main img, main script').count()).toBe(0);
    }
    expect(await page.title()).not.toBe('owned');
    await leave();
  });

  it('gives the verdicts of the command line', async () => {
    const { page, leave } = await visit(browser, server.address);
    const worker = readdirSync(join(pageFolder, 'assets')).find((name) => /^worker-.*\.js$/.test(name))!;
    for (const name of [...examples, 'nccl-slow.log']) {
      const given = (await page.evaluate(
        ({ address, file, text }) =>
          new Promise((resolve, reject) => {
            const thread = new (
              globalThis as unknown as {
                Worker: new (
                  url: string,
                  options: { type: string },
                ) => {
                  onmessage: (event: { data: { answer?: { verdict: unknown }; error?: string } }) => void;
                  postMessage(message: unknown): void;
                };
              }
            ).Worker(address, { type: 'module' });
            thread.onmessage = ({ data }) => {
              if (data.answer !== undefined) resolve(data.answer.verdict);
              else if (data.error !== undefined) reject(new Error(data.error));
            };
            thread.postMessage({ id: 1, ask: 'diagnose', question: { inputs: [{ name: file, text }] } });
          }),
        { address: `${server.address}assets/${worker}`, file: `examples/${name}`, text: example(name) },
      )) as unknown;
      const wanted: unknown = JSON.parse(culprit(['diagnose', '--format', 'json', `examples/${name}`]).out);
      expect(given, name).toEqual(wanted);
    }
    await leave();
  });

  it('is drawn and can be used soon', async () => {
    const times: { paint: number; usable: number }[] = [];
    for (let at = 0; at < 3; at++) {
      const { page, leave } = await visit(browser, server.address);
      times.push(
        await page.evaluate(() => ({
          paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
          usable: performance.now(),
        })),
      );
      await leave();
    }
    const [paint, usable] = [
      Math.min(...times.map((each) => each.paint)),
      Math.min(...times.map((each) => each.usable)),
    ];
    console.log(`first paint ${paint.toFixed(0)} ms, usable ${usable.toFixed(0)} ms`);
    expect(paint).toBeGreaterThan(0);
    // Bounds that a busy machine keeps; bench/web.mjs measures.
    expect(paint).toBeLessThan(busy ? 5000 : 1000);
    expect(usable).toBeLessThan(busy ? 8000 : 1500);
  });
});

/** A log of a training job with the loss of a GPU near its end. */
function writeBig(path: string, bytes: number): void {
  const lines: string[] = [];
  for (let at = 0; at < 20_000; at++)
    lines.push(
      `[rank${at % 8}]: 2026-11-30 10:00:11,123 - trainer - INFO - step ${at} | loss ${(2 + (at % 97) / 100).toFixed(4)} | lr 3.0e-04`,
    );
  const block = Buffer.from(`${lines.join('\n')}\n`);
  const fd = openSync(path, 'w');
  for (let size = 0; size < bytes; size += block.length) writeSync(fd, block);
  writeSync(fd, example('one-gpu-lost.log'));
  closeSync(fd);
}

/** Memory of the largest process of the browser that draws pages, as the system sees it. */
async function rendererMegabytes(of: Browser): Promise<number> {
  const session = await of.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const sizes = processInfo
    .filter((each) => each.type === 'renderer')
    .map(({ id }) => {
      try {
        return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1024;
      } catch {
        return 0;
      }
    });
  return Math.max(0, ...sizes);
}
