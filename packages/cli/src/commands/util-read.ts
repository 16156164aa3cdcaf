import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { SeriesIntake } from '@culprit/core/diagnose/series-intake';
import type { Document } from '@culprit/core/model/document';
import { SeriesReader } from '@culprit/core/utilization/reader';
import type { SeriesSet } from '@culprit/core/utilization/series-set';
import { toolError, usageError } from '../errors.ts';
import type { Call } from './command.ts';

const chunkBytes = 1024 * 1024;

/** True where something else than files is asked. */
export function isLive(call: Call): boolean {
  return call.flags['prometheus'] !== undefined || call.flags['for'] !== undefined;
}

const ofSampling = [
  'every',
  'docker',
  'engine',
  'ssh',
  'slurm',
  'job',
  'pid',
  'context',
  'kubeconfig',
  'namespace',
  'save',
] as const;
const ofServer = [
  'gpu',
  'selector',
  'since',
  'from',
  'to',
  'step',
  'tenant',
  'timeout',
  'token-file',
  'user',
  'password-file',
  'tls-ca',
  'tls-cert',
  'tls-key',
  'tls-insecure',
] as const;

/** Refuses flags of what is not asked. */
export function checkSources(call: Call): void {
  const { flags } = call;
  if (flags['prometheus'] !== undefined && flags['for'] !== undefined)
    throw usageError('bad-value', '--for samples GPUs now, --prometheus asks what was', null);
  const stray = flags['prometheus'] === undefined ? ofServer.find((name) => flags[name] !== undefined) : undefined;
  if (stray !== undefined) throw usageError('bad-value', `--${stray} goes with --prometheus URL`, null);
  const unsampled = flags['for'] === undefined ? ofSampling.find((name) => flags[name] !== undefined) : undefined;
  if (unsampled !== undefined)
    throw usageError('bad-value', `--${unsampled} goes with --for TIME`, `culprit util --for 30s --${unsampled} …`);
  if (!isLive(call) && (flags['node'] ?? flags['pod']) !== undefined)
    throw usageError('bad-value', '--node and --pod go with --prometheus URL or --for TIME', null);
}

/** Reads all that the command line names into the set; @returns the texts that are judged besides */
export async function readAllInto(call: Call, set: SeriesSet): Promise<readonly Document[]> {
  const { flags, positionals } = call;
  checkSources(call);
  const documents: Document[] = [];
  if (flags['for'] !== undefined) documents.push(...(await (await import('./util-sample.ts')).sample(call, set)));
  if (flags['prometheus'] !== undefined) await (await import('./util-prometheus.ts')).readServer(call, set);
  const names = positionals.length === 0 && !isLive(call) ? ['-'] : positionals;
  for (const name of names) documents.push(...(await readInto(set, name)));
  return documents;
}

/** Streams a file into the set; @returns its text where it is short enough to be judged as a paste besides */
export async function readInto(set: SeriesSet, name: string): Promise<readonly Document[]> {
  const intake = new SeriesIntake(set, name);
  const decoder = new StringDecoder('utf8');
  try {
    for await (const chunk of chunksOf(name)) intake.push(decoder.write(chunk));
  } catch (error) {
    throw toolError(
      'no-input',
      `${name === '-' ? 'standard input' : name} could not be read`,
      (error as Error).message,
    );
  }
  intake.push(decoder.end());
  const documents = intake.end();
  if ('unusable' in documents) throw toolError('no-input', documents.unusable, null);
  return documents;
}

/** Puts the series of a document into the set. */
export function readDocument(set: SeriesSet, document: Document, host: string | null): void {
  new SeriesReader(set, document.file, host).document(document);
}

async function* chunksOf(name: string): AsyncGenerator<Buffer> {
  if (name.endsWith('.gz')) {
    yield* createReadStream(name).pipe(createGunzip()) as AsyncIterable<Buffer>;
    return;
  }
  if (name === '-') {
    yield* process.stdin as AsyncIterable<Buffer>;
    return;
  }
  const file = openSync(name, 'r');
  try {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    for (let count = readSync(file, buffer); count > 0; count = readSync(file, buffer)) yield buffer.subarray(0, count);
  } finally {
    closeSync(file);
  }
}
