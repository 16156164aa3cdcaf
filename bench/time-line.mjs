// Measures the page of a trace in headless Chromium: how long it takes to open, and how many frames it draws a second
// while it is panned.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const browser = '/usr/bin/chromium';

/** @returns null where there is no Chromium */
export async function pageOfEvents(folder, entry, events) {
  if (!existsSync(browser)) return null;
  const [trace, html] = [join(folder, 'page.json'), join(folder, 'page.html')];
  writeEvents(trace, events / 2);
  spawnSync(process.execPath, [entry, 'trace', trace, '--html', html, '-q']);
  const chrome = await chromium.launch({ executablePath: browser, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await chrome.newPage({ viewport: { width: 1300, height: 900 } });
    await page.goto('about:blank');
    const emptyFrames = await page.evaluate(framesPerSecond);
    let openMs = Infinity;
    for (let time = 0; time < 3; time++) {
      const begun = performance.now();
      await page.goto(`file://${html}`);
      await page.waitForSelector('html[data-loaded=true]');
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      openMs = Math.min(openMs, performance.now() - begun);
    }
    // A tenth of it is shown: there is something to the left and to the right.
    await page.locator('.plot').focus();
    for (let press = 0; press < 6; press++) await page.keyboard.press('+');
    const frames = await page.evaluate(framesPerSecond);
    return { events, openMs, frames, emptyFrames };
  } finally {
    await chrome.close();
    rmSync(trace);
    rmSync(html);
  }
}

/** Runs in the page: drags the time line to and fro, where there is one. */
async function framesPerSecond() {
  const canvas = document.querySelector('.plot canvas');
  const send = (type, at) =>
    canvas?.dispatchEvent(
      new PointerEvent(type, { bubbles: true, clientX: 600 + at, clientY: 200, button: 0, pointerId: 1 }),
    );
  if (canvas !== null) document.querySelector('.plot').setPointerCapture = () => {};
  const most = 90;
  send('pointerdown', 0);
  const begun = performance.now();
  for (let frame = 0; frame < most; frame++) {
    send('pointermove', 200 * Math.sin(frame / 8));
    await new Promise((done) => requestAnimationFrame(done));
  }
  const took = performance.now() - begun;
  send('pointerup', 0);
  return (1000 * most) / took;
}

/** Kernels on four streams, each with its launch. */
function writeEvents(file, kernels) {
  const out = openSync(file, 'w');
  writeSync(
    out,
    '{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3","numSms":132}],"traceEvents":[\n',
  );
  const free = [1100, 1100, 1100, 1100];
  let cpu = 1000;
  let rows = [];
  for (let at = 0; at < kernels; at++) {
    const stream = at % 4;
    cpu += 5 + ((at * 31) % 7) / 8;
    const start = Math.max(free[stream], cpu + 8);
    const took = 15 + ((at * 7919) % 89) / 8;
    free[stream] = start + took + 1;
    rows.push(
      `{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":10,"ts":${cpu},"dur":3.5,"args":{"correlation":${at + 1}}},\n{"ph":"X","cat":"kernel","name":"void gemm_${at % 20}<float, ${at % 3}>(float*, int)","pid":0,"tid":${stream + 7},"ts":${start},"dur":${took},"args":{"device":0,"context":1,"stream":${stream + 7},"correlation":${at + 1}}}`,
    );
    if (rows.length < 2000 && at < kernels - 1) continue;
    writeSync(out, rows.join(',\n') + (at === kernels - 1 ? '\n]}' : ',\n'));
    rows = [];
  }
  closeSync(out);
}
