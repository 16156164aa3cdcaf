import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openImage } from '../packages/collect/src/image/index.ts';
import { readBinary } from '../packages/collect/src/binary/binary-files.ts';
import { readNsysExport } from '../packages/collect/src/sqlite/nsys-export.ts';
import { readTraceFile } from '../packages/collect/src/trace/trace-file.ts';
import { databases, usual } from '../packages/collect/src/sqlite/testing.ts';
import { makeImage, tarOf } from '../packages/collect/src/image/testing.ts';
import { toldBeside } from '../packages/core/src/binary/neighbours.ts';
import { predictAll } from '../packages/core/src/image/predict.ts';
import { inspectImage } from '../packages/core/src/image/report.ts';
import { defaultKnowledge } from '../packages/core/src/knowledge/knowledge.ts';
import type { Verdict } from '../packages/core/src/model/verdict.ts';
import { traceVerdict } from '../packages/core/src/trace/verdict.ts';
import { ncuVerdict } from '../packages/core/src/trace/trace.ts';
import { SeriesSet } from '../packages/core/src/utilization/series-set.ts';
import { examine } from '../packages/core/src/diagnose/diagnose.ts';
import { judgedInputs } from '../packages/cli/src/judged-inputs.ts';
import { readInto } from '../packages/cli/src/commands/util-read.ts';
import { answer as diagnosed } from '../packages/web/src/core/asks/diagnose.ts';
import { answer as inspected } from '../packages/web/src/core/asks/inspect.ts';
import { answer as used } from '../packages/web/src/core/asks/util.ts';
import { traceAnswer } from '../packages/web/src/core/asks/trace.ts';
import { inBlocks } from '../packages/web/src/files/blob-file.ts';

/*
 * What the page's worker answers is what the command line says: its code is run here without a browser.
 */

const root = join(import.meta.dirname, '..');
const silent = (): void => {};
const fileOf = (path: string, name: string = path): { readonly name: string; readonly file: Blob } => ({
  name,
  file: new Blob([readFileSync(path)]),
});
/** The same but for what the reader could do about inputs that cannot be read. */
const said = ({ unknown, ...verdict }: Verdict): object => ({
  ...verdict,
  unknown: unknown.filter(({ layer }) => layer !== null),
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();
}

const texts = [
  ...filesBelow(join(root, 'fixtures/outputs')),
  ...filesBelow(join(root, 'fixtures/roots')).filter((path) => path.endsWith('root.txt')),
  ...filesBelow(join(root, 'examples')).filter((path) => /\.(?:txt|log|csv)$/.test(path)),
].filter((path) => !path.endsWith('ORIGIN.md'));

describe('a text that is dropped', () => {
  it.each(texts.map((path) => [path.slice(root.length + 1), path] as const))(
    '%s has the verdict of culprit diagnose',
    async (_, path) => {
      const { verdict } = await judgedInputs([path], defaultKnowledge);
      const page = await diagnosed({ inputs: [fileOf(path)] }, silent);
      expect(said(page.verdict)).toEqual(said(verdict));
    },
  );
});

describe('a file that is packed', () => {
  const log = readFileSync(join(root, 'examples/one-gpu-lost.log'));
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(log.toString('utf8'), 'utf16le')]);
  const half = Math.floor(log.length / 2);
  const noise = Buffer.from(
    Array.from({ length: 40_000 }, (_, at) => `step ${at} loss ${(at * 7919) % 10_007}\n`).join(''),
  );
  const cut = gzipSync(Buffer.concat([log, noise]));
  const made: Readonly<Record<string, Uint8Array>> = {
    'one.log.gz': gzipSync(log),
    'members.log.gz': Buffer.concat([gzipSync(log.subarray(0, half)), gzipSync(log.subarray(half))]),
    'cut.log.gz': cut.subarray(0, Math.floor(cut.length * 0.8)),
    'logs.tar': tarOf({ name: 'node1/kern.log', content: log }, { name: 'tool.py', content: 'print(1)' }),
    'logs.tar.gz': gzipSync(tarOf({ name: 'node1/kern.log', content: gzipSync(log) })),
    'wide.log': wide,
    'picture.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...Array.from({ length: 600 }, () => 0)]),
    'packed.xz': Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 4, 0, 0, 0, 0]),
  };
  it.each(Object.keys(made))('%s has the verdict of culprit diagnose', async (name) => {
    const path = join(folder, name);
    writeFileSync(path, made[name]!);
    const { verdict } = await judgedInputs([path], defaultKnowledge);
    const page = await diagnosed({ inputs: [fileOf(path)] }, silent);
    expect(said(page.verdict)).toEqual(said(verdict));
  });

  it('of which nothing can be read says what it is and what to do', async () => {
    const page = await diagnosed(
      { inputs: [{ name: 'a.png', file: new Blob([made['picture.png'] as Uint8Array<ArrayBuffer>]) }] },
      silent,
    );
    expect(page.verdict.status).toBe('cannot-tell');
    expect(page.verdict.unknown[0]?.missing[0]).toMatch(/PNG picture.*paste the text/);
  });
});

describe('machine code', () => {
  const binaries = filesBelow(join(root, 'fixtures/binaries')).filter((path) => !/\.(?:md|json|tsv)$/.test(path));
  it.each(binaries.map((path) => [path.slice(root.length + 1), path] as const))(
    '%s has the report of culprit binary',
    async (_, path) => {
      const { file, unread } = await readBinary(path, { kernels: 'auto' });
      const page = await diagnosed({ inputs: [fileOf(path, basename(path))] }, silent);
      const [other] = page.others ?? [];
      const named = { ...file, path: basename(path) };
      const told = JSON.parse(JSON.stringify({ files: toldBeside([named as never]), unread })) as object;
      expect(other?.report).toMatchObject(JSON.parse(JSON.stringify(told).replaceAll(path, basename(path))) as object);
    },
  );
});

describe('an image that was saved', () => {
  const layer = tarOf(
    { name: 'etc/os-release', content: 'ID=ubuntu\nVERSION_ID="22.04"\n' },
    { name: 'usr/local/cuda-12.4/version.json', content: '{"cuda":{"version":"12.4.1"}}' },
    {
      name: 'usr/local/cuda-12.4/lib64/libaccel.so',
      content: readFileSync(join(root, 'fixtures/binaries/cuda13/libaccel.so')),
    },
  );
  const config = { os: 'linux', architecture: 'amd64', config: { Env: ['NVIDIA_REQUIRE_CUDA=cuda>=12.4'] } };
  const archiveOf = (stored: Uint8Array, mediaType: string): Buffer => {
    const { blobs, manifest } = makeImage([{ tar: layer, stored, mediaType }], config);
    return tarOf(
      ...[...blobs].map(([digest, content]) => ({ name: `blobs/${digest.replace(':', '/')}`, content })),
      { name: 'oci-layout', content: '{"imageLayoutVersion":"1.0.0"}' },
      { name: 'index.json', content: JSON.stringify({ schemaVersion: 2, manifests: [manifest] }) },
    );
  };
  const plain = archiveOf(layer, 'application/vnd.oci.image.layer.v1.tar');
  const packed = archiveOf(gzipSync(layer), 'application/vnd.oci.image.layer.v1.tar+gzip');
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  const made: Readonly<Record<string, Uint8Array>> = {
    'plain.tar': plain,
    'packed-layers.tar': packed,
    'packed.tar.gz': gzipSync(packed),
    'example.tar': readFileSync(join(root, 'examples/app.tar')),
  };
  it.each(Object.keys(made))('%s has the inventory and the verdict of culprit image', async (name) => {
    const path = join(folder, name);
    writeFileSync(path, made[name]!);
    const { report, verdict } = inspectImage(await openImage(path, {}), defaultKnowledge);
    const page = await diagnosed({ inputs: [fileOf(path, name)] }, silent);
    const [other] = page.others ?? [];
    const words = JSON.stringify({ report: other?.report, verdict: other?.verdict });
    expect(JSON.parse(words)).toEqual(JSON.parse(JSON.stringify({ report, verdict }).replaceAll(path, name)));
    expect(page.verdict.status).toBe(verdict.status);
  });

  it('has the predictions of culprit image --on', async () => {
    const path = join(folder, 'plain.tar');
    writeFileSync(path, plain);
    const scanned = await openImage(path, {});
    const { contents } = inspectImage(scanned, defaultKnowledge);
    const node = { gpu: 'H100', driver: '535.104.05' };
    const [one] = await inspected({ inputs: [fileOf(path)], on: node }, silent);
    expect(one?.report).toMatchObject({ predictions: predictAll(scanned, contents, [node], defaultKnowledge) });
  });
});

describe('series of counters', () => {
  const series = [
    'nvidia-smi/dmon-default-r590.txt',
    'nvidia-smi/dmon-put-thrash.txt',
    'dcgm/exporter-metrics.txt',
    'dcgm/dcgmi-dmon.txt',
  ];
  it.each(series)('%s has the verdict of culprit util, packed or not', async (name) => {
    const path = join(root, 'fixtures/outputs', name);
    const set = new SeriesSet();
    const documents = await readInto(set, path);
    const { verdict } = examine(documents, defaultKnowledge, set);
    const page = await used({ inputs: [fileOf(path)] }, silent);
    expect(page.verdict).toEqual(verdict);
    expect(page.data?.gpus.length ?? 0).toBe(set.gpus.size);
    const packed = await used({ inputs: [{ name: path, file: new Blob([gzipSync(readFileSync(path))]) }] }, silent);
    expect(packed.verdict).toEqual(verdict);
  });
});

describe('profiles', () => {
  const sourceOf = (bytes: Uint8Array) => () =>
    inBlocks(bytes.length, (offset, length) => bytes.subarray(offset, offset + length));

  it('an export of Nsight Systems has the verdict and the time line of culprit trace, packed or not', async () => {
    const made = databases();
    try {
      const path = made.write('run.sqlite', usual);
      const bytes = readFileSync(path);
      const { verdict } = traceVerdict([await readNsysExport(path)], defaultKnowledge);
      const page = await traceAnswer([fileOf(path)], silent, sourceOf(bytes));
      expect(page.failures).toEqual([]);
      expect(page.parts[0]?.verdict).toEqual(verdict);
      expect(page.timeline?.events).toBeGreaterThan(2);
      const packed = await traceAnswer([{ name: path, file: new Blob([gzipSync(bytes)]) }], silent, sourceOf(bytes));
      expect(packed.parts[0]?.verdict).toEqual(verdict);
    } finally {
      made.remove();
    }
  });

  it('a database that was cut off is read as far as it goes, and one of something else is told', async () => {
    const made = databases();
    try {
      const path = made.write('run.sqlite', usual);
      const bytes = readFileSync(path).subarray(0, -4096);
      writeFileSync(path, bytes);
      const other = await readNsysExport(path).then(
        (trace) => traceVerdict([trace], defaultKnowledge).verdict.headline,
        (error: Error) => error.message,
      );
      const page = await traceAnswer([fileOf(path)], silent, sourceOf(bytes));
      expect([page.parts[0]?.verdict.headline, ...page.failures].join()).toContain(other.slice(0, 40));
    } finally {
      made.remove();
    }
  });

  it.each(['kineto/mini-default-stream.json'])('%s has the verdict of culprit trace', async (name) => {
    const path = join(root, 'fixtures/outputs', name);
    const read = await readTraceFile(path);
    if (read.kind !== 'trace') throw new Error(read.kind);
    const { verdict } = traceVerdict([read.trace], defaultKnowledge);
    const page = await traceAnswer([fileOf(path)], silent);
    expect(page.parts[0]?.verdict).toEqual(verdict);
    const dropped = await diagnosed({ inputs: [fileOf(path, basename(path))] }, silent);
    expect(dropped.verdict.headline).toBe(verdict.headline);
    expect(dropped.draws).toBe('trace');
  });

  it.each(['ncu/raw.csv', 'ncu/details.csv'])('%s has the verdict of culprit trace', async (name) => {
    const path = join(root, 'fixtures/outputs', name);
    const { verdict } = ncuVerdict(readFileSync(path, 'utf8'), path, defaultKnowledge);
    const page = await traceAnswer([fileOf(path)], silent);
    expect(page.parts[0]?.verdict).toEqual(verdict);
  });
});
